//! Lines and byte ranges: the small tools every reader of header bytes shares.
//!
//! A line ends at `\n`; the `\r` before it belongs to the line end. A lone `\r` is an ordinary
//! byte, because every line reader that meets the file sees it as one.

use std::ops::Range;

use super::find;

/// One line: `start..end` is its text, `next` the first byte after its line end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub start: usize,
    pub end: usize,
    pub next: usize,
}

impl Line {
    /// Whether the line has a line end of its own, and so can't grow when more bytes arrive.
    pub fn is_ended(&self) -> bool {
        self.next > self.end
    }
}

/// The line that starts at `at`, or `None` at the end of the bytes.
pub(super) fn line_at(bytes: &[u8], at: usize) -> Option<Line> {
    let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
    let (mut end, next) = match find::first(b'\n', rest) {
        Some(n) => (at + n, at + n + 1),
        None => (bytes.len(), bytes.len()),
    };
    if next > end && end > at && byte(bytes, end - 1) == Some(b'\r') {
        end -= 1;
    }
    Some(Line { start: at, end, next })
}

/// All lines from `at` on.
pub(super) fn lines(bytes: &[u8], at: usize) -> impl Iterator<Item = Line> {
    std::iter::successors(line_at(bytes, at), |line| line_at(bytes, line.next))
}

/// The byte at `at`; `None` past the end.
pub(super) fn byte(bytes: &[u8], at: usize) -> Option<u8> {
    bytes.get(at).copied()
}

/// The bytes of a range; empty where the range lies outside, so that no arithmetic can panic.
pub(super) fn slice(bytes: &[u8], range: Range<usize>) -> &[u8] {
    bytes.get(range).unwrap_or_default()
}

/// Space and tab: what YAML calls white space inside a line.
pub(super) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// The first position from `at` that holds no blank, at most `end`.
pub(super) fn skip_blanks(bytes: &[u8], at: usize, end: usize) -> usize {
    let blanks = slice(bytes, at..end).iter().take_while(|&&b| is_blank(b)).count();
    at + blanks
}

/// `range` without blanks (and stray carriage returns) at its end.
pub(super) fn trim_end(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let kept = slice(bytes, range.clone()).iter().rposition(|&b| !is_blank(b) && b != b'\r');
    range.start..kept.map_or(range.start, |n| range.start + n + 1)
}

/// Whether a line, blanks at its end aside, is exactly `word`.
pub(super) fn is_just(bytes: &[u8], line: &Line, word: &[u8]) -> bool {
    slice(bytes, trim_end(bytes, line.start..line.end)) == word
}

/// How many lines end within `range`.
pub(super) fn count_lines(bytes: &[u8], range: Range<usize>) -> usize {
    find::count(b'\n', slice(bytes, range))
}

/// The first line from `at` on that is not blank.
pub(super) fn first_text_line(bytes: &[u8], at: usize) -> Option<Line> {
    lines(bytes, at).find(|line| !trim_end(bytes, line.start..line.end).is_empty())
}
