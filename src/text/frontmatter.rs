//! The byte-exact splitter: where the header of a message file begins and ends.
//!
//! First step after a file's bytes are read, and the truth for every write: it only tells
//! positions and changes nothing. A header is `---` … `---` or `...` at the top of the file,
//! after a byte order mark and blank lines; blanks after a fence are allowed.

use std::ops::Range;

use super::lines::{Line, byte, count_lines, first_text_line, is_just, lines, slice, trim_end};

/// The most bytes from the start of a file within which its header must be closed.
pub const HEADER_LIMIT: usize = 64 * 1024;

/// The line end of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newline {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
}

impl Newline {
    /// The bytes themselves.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }
}

/// Where the parts of a message file lie: byte ranges that follow each other without a gap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The byte order mark; empty where there is none.
    pub bom: Range<usize>,
    /// Blank lines before the header; empty in a tidy file.
    pub leading: Range<usize>,
    /// The opening fence with its line end.
    pub open: Range<usize>,
    /// The header's lines, each with its line end.
    pub content: Range<usize>,
    /// The closing fence with its line end, if the file does not end there.
    pub close: Range<usize>,
    /// Where the body starts.
    pub body: usize,
    /// The line end of the line before the closing fence: what a line added there should use.
    pub newline: Newline,
    /// The number in the file, from 1, of the first line of `content`.
    pub first_line: usize,
}

/// Why no header could be split off. The text says what a person can do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SplitError {
    /// Only for a part of a file: what there is so far is right, but the closing fence may
    /// still follow. Read more, up to [`HEADER_LIMIT`].
    #[error("the header is not closed in the part that was read")]
    Incomplete,
    /// Nothing but blanks.
    #[error("the file is empty; write a header between two `---` lines, then the text")]
    Empty,
    /// UTF-16 (or UTF-32), as some shells write with `>`.
    #[error("the file is UTF-16, not UTF-8; save it again as UTF-8")]
    NotUtf8,
    /// The first line is no fence.
    #[error("no header: the first line is not `---`; put the header first, between two `---` lines")]
    NoFrontmatter,
    /// No closing fence to the end of the file.
    #[error("the header is not closed; put a line `---` behind its last line")]
    Unclosed,
    /// `+++`, or `---toml`.
    #[error("the header is TOML, which is not edited here; write `key: value` lines between `---`")]
    Toml,
    /// `---json`, or a file that starts with a brace.
    #[error("the header is JSON, which is not edited here; write `key: value` lines between `---`")]
    Json,
    /// The first [`HEADER_LIMIT`] bytes hold no closing fence.
    #[error("no closing `---` in the first 64 KiB; close the header, and move long text to the body")]
    TooLarge,
}

impl SplitError {
    /// The kind's name, as warnings and refusals show it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Incomplete => "incomplete",
            Self::Empty => "empty-file",
            Self::NotUtf8 => "not-utf8",
            Self::NoFrontmatter => "no-frontmatter",
            Self::Unclosed => "unclosed-frontmatter",
            Self::Toml => "toml-frontmatter",
            Self::Json => "json-frontmatter",
            Self::TooLarge => "header-too-large",
        }
    }
}

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Splits the header off `bytes`, which are a whole file (`complete`) or the start of one.
///
/// A start of [`HEADER_LIMIT`] bytes always gets a final answer, the same one as the whole file.
///
/// # Errors
/// [`SplitError::Incomplete`] where more bytes could change the answer (never for a whole file);
/// any other error is final.
pub fn split(bytes: &[u8], complete: bool) -> Result<Split, SplitError> {
    let capped = bytes.len() >= HEADER_LIMIT;
    // A file of the limit or longer is judged by its start alone, however much of it was read.
    let complete = complete && bytes.len() < HEADER_LIMIT;
    let bytes = slice(bytes, 0..bytes.len().min(HEADER_LIMIT));
    let unfinished = match (complete, capped) {
        (true, _) => None,
        (false, true) => Some(SplitError::TooLarge),
        (false, false) => Some(SplitError::Incomplete),
    };
    if is_utf16(bytes) {
        return Err(SplitError::NotUtf8);
    }
    let bom = 0..if bytes.starts_with(BOM) { BOM.len() } else { 0 };
    let Some(open) = first_text_line(bytes, bom.end) else {
        return Err(unfinished.unwrap_or(SplitError::Empty));
    };
    if unfinished == Some(SplitError::Incomplete) && !open.is_ended() {
        // What the first line is, only its end tells.
        return Err(SplitError::Incomplete);
    }
    if !is_just(bytes, &open, b"---") {
        return Err(not_a_fence(bytes, &open));
    }
    let mut last = open;
    for line in lines(bytes, open.next) {
        let closes = match byte(bytes, line.start) {
            Some(b'-') => is_just(bytes, &line, b"---"),
            Some(b'.') => is_just(bytes, &line, b"..."),
            _ => false,
        };
        if closes && (line.is_ended() || complete) {
            return Ok(Split {
                leading: bom.end..open.start,
                open: open.start..open.next,
                content: open.next..line.start,
                close: line.start..line.next,
                body: line.next,
                newline: if last.next - last.end == 2 { Newline::CrLf } else { Newline::Lf },
                first_line: 2 + count_lines(bytes, bom.end..open.start),
                bom,
            });
        }
        last = line;
    }
    Err(unfinished.unwrap_or(SplitError::Unclosed))
}

/// What the first line says instead of `---`.
fn not_a_fence(bytes: &[u8], line: &Line) -> SplitError {
    let text = slice(bytes, trim_end(bytes, line.start..line.end));
    let language = text.strip_prefix(b"---").map(<[u8]>::trim_ascii);
    let is = |name: &[u8]| language.is_some_and(|l| l.eq_ignore_ascii_case(name));
    if text == b"+++" || is(b"toml") {
        SplitError::Toml
    } else if is(b"json") || text.starts_with(b"{") {
        SplitError::Json
    } else {
        SplitError::NoFrontmatter
    }
}

/// UTF-16 by its mark, or without one by the NUL beside each dash of the fence.
fn is_utf16(bytes: &[u8]) -> bool {
    [b"\xFF\xFE".as_slice(), b"\xFE\xFF", b"-\0-\0", b"\0-\0-"].iter().any(|mark| bytes.starts_with(mark))
}

#[cfg(test)]
#[path = "frontmatter_tests.rs"]
mod tests;
