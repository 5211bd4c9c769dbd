//! The lossless status edit: the one span of a message file that marking it changes.
//!
//! Third step for a message that is marked: from the file's bytes and the new word to an
//! [`Edit`], or to a [`Refusal`] that says why and what to do by hand. Nothing is written here.
//! Only the value's bytes change; quotes, blanks, comment, line ends and letter case stay. The
//! edit is then held against three readers: where a strict parser (granit, libyaml's family)
//! took the old header for a mapping, the new one must be the same mapping but for the status,
//! and the tolerant reader must see the same fields.

use std::borrow::Cow;
use std::ops::Range;

use super::body::second_header;
use super::frontmatter::{Split, SplitError, split};
use super::header::{Field, Form, Header, IssueKind, StatusText};
use super::keys::{find_key, resembles};
use super::lines::{byte, count_lines, lines, skip_blanks, slice};
use super::strict::Change;
use super::yaml::read;

/// One change of a file: `text` takes the place of the bytes of `span`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Bytes of the file; empty where text is only added.
    pub span: Range<usize>,
    /// What stands there afterwards.
    pub text: Vec<u8>,
}

impl Edit {
    /// The bytes after the change.
    pub fn apply(&self, bytes: &[u8]) -> Vec<u8> {
        let before = slice(bytes, 0..self.span.start);
        let after = slice(bytes, self.span.end..bytes.len());
        [before, &self.text, after].concat()
    }

    /// Whether the bytes already are as the change would make them.
    pub fn is_done(&self, bytes: &[u8]) -> bool {
        slice(bytes, self.span.clone()) == self.text
    }
}

/// Why a status is not edited. The text says what to do by hand.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Refusal {
    /// The kind.
    pub kind: RefusalKind,
    /// The line in the file, from 1, that stands in the way.
    pub line: usize,
    /// Why, and what to do, in one line.
    pub text: Cow<'static, str>,
}

/// The kinds of refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// No header could be split off.
    NoHeader(SplitError),
    /// Two status lines.
    StatusDuplicate,
    /// The status is a list, a block, anchored, or anything else but one word on its line.
    StatusNotPlain,
    /// A line that means a status but is not one.
    StatusLineMalformed,
    /// A line would have to be added to a header that holds other things than header lines.
    HeaderNotClean,
    /// A second header stands in the body.
    SeveralMessages,
    /// Marks of a merge left half done.
    ConflictMarkers,
    /// The new status is not one plain word.
    BadWord,
}

impl RefusalKind {
    /// The kind's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoHeader(error) => error.as_str(),
            Self::StatusDuplicate => "status-duplicate",
            Self::StatusNotPlain => "status-not-plain",
            Self::StatusLineMalformed => "status-line-malformed",
            Self::HeaderNotClean => "header-not-clean",
            Self::SeveralMessages => "several-messages",
            Self::ConflictMarkers => "conflict-markers",
            Self::BadWord => "bad-word",
        }
    }
}

impl From<SplitError> for Refusal {
    fn from(error: SplitError) -> Self {
        refuse(RefusalKind::NoHeader(error), 1, error.to_string())
    }
}

fn refuse(kind: RefusalKind, line: usize, text: impl Into<Cow<'static, str>>) -> Refusal {
    Refusal { kind, line, text: text.into() }
}

/// The change that makes `word` the status of the message file `bytes` (all of it).
///
/// `word` is one word; it takes the letter case of the word it replaces.
///
/// # Errors
/// Whenever the change is not known to be safe: see [`RefusalKind`].
pub fn edit_status(bytes: &[u8], word: &str, is_status_key: impl Fn(&str) -> bool) -> Result<Edit, Refusal> {
    if !is_plain_word(word) {
        return Err(refuse(RefusalKind::BadWord, 1, "the new status is not one plain word"));
    }
    let parts = split(bytes, true)?;
    let old = Old { bytes, header: read(bytes, &parts), parts };
    if old.content().trim_ascii_start().starts_with(b"{") {
        // Also one that no parser takes for a mapping: a line added below it would break what it was to be.
        let text = "the header is a mapping in braces; write one `key: value` a line";
        return Err(refuse(RefusalKind::StatusNotPlain, old.parts.first_line, text));
    }
    let place = old.place(&is_status_key)?;
    old.refuse_second_message()?;
    let (edit, word, line) = old.edit(&place, word);
    let added = matches!(place, Place::Missing);
    let by_parser = old.verify(&edit, &word, added, &is_status_key).map_err(|why| {
        let kind = if added { RefusalKind::HeaderNotClean } else { RefusalKind::StatusNotPlain };
        refuse(kind, line, format!("{why}; edit the status by hand"))
    })?;
    if !by_parser && !added {
        // No parser vouches for the header: then no other line may look like its status.
        old.refuse_second_line(&is_status_key)?;
    }
    Ok(edit)
}

/// Whether a word can be written as a status: letters of ASCII, digits, `-` and `_`, a letter first.
pub fn is_plain_word(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.chars().all(is_part)
}

/// Where the new word goes.
enum Place {
    /// In place of a word, on this line.
    Word(Range<usize>, usize),
    /// Behind the colon that ends here, on this line.
    Empty(usize, usize),
    /// On a line of its own, last in the header.
    Missing,
}

/// The file as it is.
struct Old<'a> {
    bytes: &'a [u8],
    parts: Split,
    header: Header<'a>,
}

impl Old<'_> {
    fn content(&self) -> &[u8] {
        slice(self.bytes, self.parts.content.clone())
    }

    fn place(&self, is_status_key: &impl Fn(&str) -> bool) -> Result<Place, Refusal> {
        let mut found = self.header.all(is_status_key);
        let first = found.next();
        if let Some(second) = found.next() {
            let text = format!("a second status stands at line {}; keep the one that is right", second.line);
            return Err(refuse(RefusalKind::StatusDuplicate, second.line, text));
        }
        if let Some(issue) = self.header.issues.iter().find(|issue| issue.kind == IssueKind::ConflictMarkers) {
            let text = "the header holds marks of a half-done merge; finish the merge first";
            return Err(refuse(RefusalKind::ConflictMarkers, issue.line, text));
        }
        match first {
            Some(field) => in_place(field),
            None => self.may_add(is_status_key).map(|()| Place::Missing),
        }
    }

    /// Whether a status line may be added at the end of the header.
    fn may_add(&self, is_status_key: &impl Fn(&str) -> bool) -> Result<(), Refusal> {
        if let Some(line) = self.status_lines(|text| resembles(text, is_status_key)).next() {
            let text = "a line means the status but is no `status: word`; correct it by hand";
            return Err(refuse(RefusalKind::StatusLineMalformed, line, text));
        }
        match self.header.unclean {
            None => Ok(()),
            Some((line, reason)) => {
                let text = format!("no status line, and none is added to this header: {reason}; correct it by hand");
                Err(refuse(RefusalKind::HeaderNotClean, line, text))
            }
        }
    }

    /// The header's lines at the depth of its keys that `wanted` picks, with their numbers.
    fn status_lines(&self, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = usize> {
        let (content, depth) = (self.content(), self.header.indent.len());
        let numbered = (self.parts.first_line..).zip(lines(content, 0));
        numbered.filter_map(move |(number, line)| {
            let start = skip_blanks(content, line.start, line.end);
            let text = String::from_utf8_lossy(slice(content, start..line.end));
            let taken = start - line.start <= depth && !text.starts_with('#') && wanted(&text);
            taken.then_some(number)
        })
    }

    fn refuse_second_line(&self, is_status_key: &impl Fn(&str) -> bool) -> Result<(), Refusal> {
        let is_status = |text: &str| {
            let key = find_key(text.as_bytes(), 0, text.len());
            let key = key.and_then(|key| text.get(key.key));
            key.is_some_and(|key| is_status_key(key.trim_matches(['"', '\''])))
        };
        match self.status_lines(is_status).nth(1) {
            None => Ok(()),
            Some(line) => {
                let text = "the header is no YAML, and a second line looks like its status; edit it by hand";
                Err(refuse(RefusalKind::StatusDuplicate, line, text))
            }
        }
    }

    fn refuse_second_message(&self) -> Result<(), Refusal> {
        let body = slice(self.bytes, self.parts.body..self.bytes.len());
        let Some(line) = second_header(body) else {
            return Ok(());
        };
        let above = count_lines(self.bytes, self.parts.content.start..self.parts.body);
        let line = self.parts.first_line + above + line - 1;
        let text = format!("a second header stands at line {line}; put each message in a file of its own");
        Err(refuse(RefusalKind::SeveralMessages, line, text))
    }

    /// The change, the word in the letter case it takes, and the line it is on.
    fn edit(&self, place: &Place, word: &str) -> (Edit, String, usize) {
        match place {
            Place::Word(span, line) => {
                let word = in_case_of(word, slice(self.bytes, span.clone()));
                (Edit { span: span.clone(), text: word.clone().into_bytes() }, word, *line)
            }
            Place::Empty(colon_end, line) => {
                let (at, text) = fill(self.bytes, *colon_end, word);
                (Edit { span: at..at, text: text.into_bytes() }, word.to_owned(), *line)
            }
            Place::Missing => {
                let at = self.parts.content.end;
                let indent = String::from_utf8_lossy(slice(self.bytes, self.header.indent.clone()));
                let text = format!("{indent}status: {word}{}", self.parts.newline.as_str());
                let line = self.parts.first_line + count_lines(self.bytes, self.parts.content.clone());
                (Edit { span: at..at, text: text.into_bytes() }, word.to_owned(), line)
            }
        }
    }

    /// Holds the edited file against every reader of the header; tells whether a strict parser
    /// was among them.
    fn verify(&self, edit: &Edit, word: &str, added: bool, is_status_key: &impl Fn(&str) -> bool) -> Result<bool, &'static str> {
        let bytes = edit.apply(self.bytes);
        let parts = split(&bytes, true).map_err(|_| "the header would no longer be one")?;
        let header = read(&bytes, &parts);
        if header.status(is_status_key) != StatusText::Word(word) {
            return Err("the new status would not be read back");
        }
        let same =
            |(a, b): (&Field<'_>, &Field<'_>)| (&a.key, &a.value, &a.literal, a.form) == (&b.key, &b.value, &b.literal, b.form);
        let others = |header: &'_ Header<'_>| header.all(|key| !is_status_key(key)).count();
        let unchanged = others(&self.header) == others(&header)
            && self.header.all(|key| !is_status_key(key)).zip(header.all(|key| !is_status_key(key))).all(same);
        if !unchanged {
            return Err("another value would change");
        }
        let before = String::from_utf8_lossy(self.content());
        let after = String::from_utf8_lossy(slice(&bytes, parts.content.clone()));
        Change { before: &before, after: &after, word, added }.verify(is_status_key)
    }
}

/// Where the word goes that replaces a field's value.
fn in_place(field: &Field<'_>) -> Result<Place, Refusal> {
    match (&field.splice, field.form) {
        (Some(span), _) => Ok(Place::Word(span.clone(), field.line)),
        (None, Form::Absent) => Ok(Place::Empty(field.value_span.start, field.line)),
        (None, Form::Malformed) => {
            let text = "the blank behind `status:` is no space; write `status: word`";
            Err(refuse(RefusalKind::StatusLineMalformed, field.line, text))
        }
        (None, form) => {
            let text = format!("the status is {}; write `status: word` on one line", form.as_str());
            Err(refuse(RefusalKind::StatusNotPlain, field.line, text))
        }
    }
}

/// Where to write a value behind a colon that has none, and what: one blank stands between them,
/// and what is there already (a comment with its blanks) stays.
fn fill(bytes: &[u8], colon_end: usize, word: &str) -> (usize, String) {
    let end = skip_blanks(bytes, colon_end, bytes.len());
    if end > colon_end && byte(bytes, end) != Some(b'#') {
        return (colon_end + 1, word.to_owned());
    }
    (colon_end, format!(" {word}"))
}

/// `word` in the letter case of `old`: `UNREAD` → `READ`, `Unread` → `Read`, `unread` → `read`; where
/// either is spelt in a way of its own, `word` as it is.
pub fn in_case_of(word: &str, old: &[u8]) -> String {
    let mut letters = old.iter().filter(|b| b.is_ascii_alphabetic()).map(u8::is_ascii_uppercase);
    let first = letters.next().unwrap_or(false);
    let (upper, lower) = letters.fold((0, 0), |(u, l), up| if up { (u + 1, l) } else { (u, l + 1) });
    match word.get(..1) {
        Some(initial) if first && upper == 0 && lower > 0 => {
            let rest = word.get(1..).unwrap_or_default();
            let shouted = !word.contains(|c: char| c.is_ascii_lowercase());
            initial.to_ascii_uppercase() + &if shouted { rest.to_ascii_lowercase() } else { rest.to_owned() }
        }
        Some(_) if first && upper > 0 && lower == 0 => word.to_ascii_uppercase(),
        Some(_) if !first && upper == 0 && lower > 0 && !word.contains(|c: char| c.is_ascii_lowercase()) => {
            word.to_ascii_lowercase()
        }
        _ => word.to_owned(),
    }
}

#[cfg(test)]
#[path = "status_edit_tests.rs"]
mod tests;
