//! Byte-preserving surgery on JSON text: for the `status` member of a JSON message and
//! for our entry in a host's settings file. Every byte that is not ours stays: spelling
//! of numbers, order of keys, indentation, line ends, BOM. Pure functions over `&str`.
//!
//! Convention followed: RFC 8259 and nothing more lenient. Comments, trailing commas,
//! `NaN` and the like are refused with line and column, since a file that is not strict
//! JSON can't be edited without guessing. Half a surrogate pair, and in messages a byte
//! that is not UTF-8, are read as U+FFFD and kept as they are. Duplicate keys are valid:
//! they are kept and told, and an edit whose path meets one is refused.
//!
//! ## What makes [`insert`] exactly undoable
//! An insertion is one piece of text at one place, so the rest of the file is as it was.
//! [`remove`] must find the borders of that piece again, without a record of it:
//!
//! | container before | what is put in | white space around the only child afterwards |
//! |---|---|---|
//! | holds something | separator (copied from the last one) and child, behind the last child | – |
//! | `{}` as the whole document | child on a line of its own | line break before and after |
//! | `[]`, `{}` elsewhere | child on the same line | one blank before and after |
//! | `[ ]`, or with line breaks | child directly behind the bracket | none before, the old one after |
//! | made by the insertion | child on a line of its own, or on the same line | line break before, or none on either side |
//!
//! The last column tells the cases apart, which is how [`made_by_insert`] knows what an
//! insertion made and what had been there, empty.

mod edit;
mod elements;
mod lossy;
mod parse;
mod style;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod tree;

use std::fmt::Write as _;

use style::{Sketch, Style};

pub use edit::{
    Inserted, insert, insert_member, made_by_insert, made_by_insert_member, remove, remove_from, remove_member, replace_string,
    set_string,
};
pub use elements::{Elements, elements, outer_member};
pub use lossy::{lossy, mended, set_string_in};
pub use tree::{Document, Duplicate, Kind, Member, Node};

/// Larger texts are refused, in bytes (16 MiB).
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Deepest nesting read. `serde_json` refuses the 128th level, so files stay readable by both.
pub const MAX_DEPTH: usize = 127;

/// Why a text was refused, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {fault}")]
pub struct JsonError {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// What is wrong there.
    pub fault: Fault,
}

/// What can be wrong with a text. Keys are shown as the file has them: pass the message
/// through `neutral` before it is printed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The bytes are not UTF-8.
    #[error("not UTF-8")]
    NotUtf8,
    /// More than [`MAX_BYTES`].
    #[error("larger than 16 MiB")]
    TooLarge,
    /// More than [`MAX_DEPTH`] levels.
    #[error("nested deeper than 127 levels")]
    TooDeep,
    /// Not JSON; the text says why.
    #[error("{0}")]
    Syntax(&'static str),
    /// A key on the path of the edit stands twice in its object.
    #[error("the key \"{0}\" stands here twice")]
    DuplicateKey(String),
    /// Something on the path is of another type than the edit needs.
    #[error("{path} is {found}, not {wanted}")]
    WrongType {
        /// Dotted path from the root, or "the document".
        path: String,
        /// What it is.
        found: &'static str,
        /// What it must be.
        wanted: &'static str,
    },
    /// The element to remove is not there.
    #[error("there is no element {index} in {path}")]
    Missing {
        /// Dotted path of the array.
        path: String,
        /// Index asked for, from 0.
        index: usize,
    },
    /// The result failed the check that follows every edit; nothing was changed.
    #[error("the edit would not leave valid JSON")]
    BadResult,
}

impl JsonError {
    fn new(text: &str, at: usize, fault: Fault) -> Self {
        let (line, column) = position(text, at);
        Self { line, column, fault }
    }
}

/// Line and column (in characters), both from 1, of the byte `at`.
pub fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let in_line = before.get(start..).unwrap_or_default();
    (line, in_line.trim_start_matches('\u{FEFF}').chars().count() + 1)
}

/// The bytes of a file as text.
///
/// # Errors
/// [`Fault::NotUtf8`] at the first invalid byte, [`Fault::TooLarge`].
pub fn text_of(bytes: &[u8]) -> Result<&str, JsonError> {
    if bytes.len() > MAX_BYTES {
        return Err(JsonError { line: 1, column: 1, fault: Fault::TooLarge });
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let valid = std::str::from_utf8(valid).unwrap_or_default();
        JsonError::new(valid, valid.len(), Fault::NotUtf8)
    })
}

/// A value as people read it: a child on each line, two blanks a level; numbers, strings and the order
/// of keys as they are spelt.
pub fn pretty<'a>(document: &Document<'a>, node: &Node<'a>) -> String {
    let style = Style { colon: ": ".to_owned(), comma: ", ", newline: "\n", unit: "  ".to_owned() };
    let mut out = String::new();
    style.write(&mut out, &Sketch::of(document, node), Some(""));
    out
}

/// A value on one line.
pub fn one_line<'a>(document: &Document<'a>, node: &Node<'a>) -> String {
    let style = Style { colon: ": ".to_owned(), comma: ", ", newline: "\n", unit: String::new() };
    let mut out = String::new();
    style.write(&mut out, &Sketch::of(document, node), None);
    out
}

/// `text` as a JSON string, escaping only what has to be.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{C}' => out.push_str("\\f"),
            c if c < ' ' => {
                // Writing to a string does not fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
