//! The short way down an ordinary header: `key: value` lines and nothing else, one look at each,
//! nothing copied.
//!
//! Nearly every header there is, and a listing reads every header there is. It answers only where it
//! is certain to say what the careful reader (`yaml.rs`) says, and gives up at the first line that is
//! out of the ordinary; a property test holds the two together. It knows no rule that the careful
//! reader does not know: to read more forms, teach that one.

use std::ops::Range;

use super::find;
use super::frontmatter::HEADER_LIMIT;
use super::lines::{byte, slice};

/// What a byte may be in a plain line, one bit each. Looked up, since each byte of each header is asked.
const CLASSES: [u8; 256] = classes();
/// Part of a key.
const KEY: u8 = 1;
/// Not where unquoted text begins.
const SIGN: u8 = 2;
/// Where a key begins.
const LETTER: u8 = 8;
/// Brackets, and what may begin a comment: not within the brackets of a list.
const BRACKET: u8 = 4;

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        #[allow(clippy::cast_possible_truncation)] // below 256
        let b = at as u8;
        table[at] = match b {
            b'-' => KEY | SIGN,
            b'_' => KEY,
            b'[' | b']' | b'{' | b'}' | b'#' => SIGN | BRACKET,
            b'|' | b'>' | b'@' | b'`' | b'%' | b',' | b'&' | b'!' | b'*' | b'?' | b':' => SIGN,
            _ if b.is_ascii_alphabetic() => KEY | LETTER,
            _ if b.is_ascii_digit() => KEY,
            _ => 0,
        };
        at += 1;
    }
    table
}

fn is(class: u8, b: u8) -> bool {
    CLASSES.get(usize::from(b)).is_some_and(|classes| classes & class != 0)
}

/// Keys longer than this are for the careful reader.
const LONGEST_KEY: usize = 64;

/// The lines of a header, from its first to its closing fence.
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    /// Where the header's content starts.
    start: usize,
    at: usize,
}

/// Something that only the careful reader can judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Odd;

/// One line: `key: value`.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    pub key: Range<usize>,
    /// What stands behind the colon, without the blanks around it.
    pub rest: Range<usize>,
}

/// A value that stands on one line.
#[derive(Debug)]
pub(crate) enum Plain {
    /// Nothing behind the colon.
    Absent,
    /// Unquoted text, without the comment behind it.
    Text(Range<usize>),
    /// Text in quotes, without them.
    Quoted(Range<usize>),
    /// What stands between two brackets. Its elements may still be anything but brackets.
    List(Range<usize>),
}

impl<'a> Lines<'a> {
    /// The lines of the header that a file starts with, if it starts with one that is ordinary so far.
    pub fn of(file: &'a [u8]) -> Option<Self> {
        file.starts_with(b"---\n").then(|| Self::from(file, 4))
    }

    /// The lines of the header whose content starts there.
    pub fn from(bytes: &'a [u8], start: usize) -> Self {
        Self { bytes, start, at: start }
    }

    /// The next line, or `None` at the end of the header. Whether its value is plain as well is not
    /// looked at.
    ///
    /// # Errors
    /// [`Odd`]: nothing of this header may be taken from here, not even what was given before.
    #[inline]
    pub fn next(&mut self) -> Result<Option<Pair>, Odd> {
        let start = self.at;
        let line = self.bytes.get(start..).unwrap_or_default();
        // Blank lines, comments, elements and whatever is indented all begin otherwise.
        if !line.first().is_some_and(|&b| is(LETTER, b)) {
            return if line.starts_with(b"---\n") { self.end().map(|()| None) } else { Err(Odd) };
        }
        let mut colon = 1;
        while line.get(colon).is_some_and(|&b| is(KEY, b)) {
            colon += 1;
        }
        if colon > LONGEST_KEY || !matches!(line.get(colon..), Some([b':', b' ' | b'\n', ..])) {
            return Err(Odd);
        }
        let behind = line.get(colon + 1..).unwrap_or_default();
        let length = find::first(b'\n', behind).ok_or(Odd)?;
        let behind = behind.get(..length).unwrap_or_default();
        let behind_colon = start + colon + 1;
        self.at = behind_colon + length + 1;
        // Nearly always one blank before, and none behind.
        let (mut from, mut to) = (usize::from(length > 0), length);
        while from < to && byte(behind, from) == Some(b' ') {
            from += 1;
        }
        while from < to && byte(behind, to - 1) == Some(b' ') {
            to -= 1;
        }
        Ok(Some(Pair { key: start..start + colon, rest: behind_colon + from..behind_colon + to }))
    }

    /// The closing fence is reached: looks at all that stands before it.
    fn end(&self) -> Result<(), Odd> {
        let content = slice(self.bytes, self.start..self.at);
        // Tabs and the carriage returns of other line ends are among these. A fold without an early
        // exit, since it runs over every header there is.
        let control = |b: u8| (b < 0x20 && b != b'\n') || b == 0x7f;
        let controls = content.iter().fold(false, |found, &b| found | control(b));
        let is_text = content.is_ascii() || std::str::from_utf8(content).is_ok();
        if controls || self.at > HEADER_LIMIT || !is_text { Err(Odd) } else { Ok(()) }
    }

    /// The bytes that a range holds.
    pub fn bytes(&self, range: Range<usize>) -> &'a [u8] {
        slice(self.bytes, range)
    }

    /// The text that a range holds.
    pub fn text(&self, range: Range<usize>) -> &'a str {
        std::str::from_utf8(self.bytes(range)).unwrap_or_default()
    }

    /// What stands behind the colon of a line.
    ///
    /// # Errors
    /// [`Odd`]: as above.
    pub fn value(&self, pair: &Pair) -> Result<Plain, Odd> {
        value(self.bytes, &pair.rest)
    }

    /// Whether a value ends on its line, whatever it says.
    ///
    /// # Errors
    /// [`Odd`]: that can't be told here.
    #[inline]
    pub fn ends(&self, pair: &Pair) -> Result<(), Odd> {
        match byte(self.bytes, pair.rest.start) {
            // Unquoted text goes on below only where the next line is indented: that is another check.
            Some(first) if !is(SIGN, first) && first != b'"' && first != b'\'' => Ok(()),
            _ => self.value(pair).map(|_| ()),
        }
    }
}

/// Whether unquoted text says that there is nothing.
pub(crate) fn is_null(text: &str) -> bool {
    matches!(text, "~" | "null" | "Null" | "NULL")
}

fn blanks<'b>(bytes: impl Iterator<Item = &'b u8>) -> usize {
    bytes.take_while(|&&b| b == b' ').count()
}

fn value(bytes: &[u8], rest: &Range<usize>) -> Result<Plain, Odd> {
    let text = slice(bytes, rest.clone());
    let inner = || rest.start + 1..rest.end - 1;
    match (text.first(), text.last()) {
        (Some(&open @ (b'"' | b'\'')), Some(&close)) => {
            let inside = text.get(1..text.len() - 1).filter(|_| open == close).ok_or(Odd)?;
            if find::first_of([open, b'\\'], inside).is_some() { Err(Odd) } else { Ok(Plain::Quoted(inner())) }
        }
        (Some(b'['), Some(b']')) => {
            let inside = text.get(1..text.len() - 1).ok_or(Odd)?;
            if inside.iter().any(|&b| is(BRACKET, b)) { Err(Odd) } else { Ok(Plain::List(inner())) }
        }
        (Some(&first), _) if is(SIGN, first) => Err(Odd),
        (Some(_), _) => Ok(Plain::Text(rest.start..rest.start + text_end(text)?)),
        (None, _) => Ok(Plain::Absent),
    }
}

/// Where unquoted text ends: at its comment, if there is one.
fn text_end(text: &[u8]) -> Result<usize, Odd> {
    for (at, &b) in text.iter().enumerate() {
        match b {
            // `: ` is a fault of YAML, `:` at the end as well.
            b':' if byte(text, at + 1).is_none_or(|b| b == b' ') => return Err(Odd),
            b'#' if at > 0 && byte(text, at - 1) == Some(b' ') => {
                return Ok(at - blanks(slice(text, 0..at).iter().rev()));
            }
            _ => {}
        }
    }
    Ok(text.len())
}
