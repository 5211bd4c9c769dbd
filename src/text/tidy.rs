//! Mending what keeps stricter readers from a header: byte order mark, line ends, blank lines above
//! it, a comment on the status line, the letter case of the status.
//!
//! For `doctor --fix` only. No word is lost: a comment moves to a line of its own. After each edit
//! the header is read again and must say the same, or nothing is changed.

use std::ops::Range;

use super::frontmatter::{Split, split};
use super::header::{Field, Header, Value};
use super::lines::{lines, slice, trim_end};
use super::yaml::read;

/// One way to mend a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mend {
    /// Take the byte order mark away.
    Mark,
    /// Take the blank lines above the header away.
    BlankLines,
    /// LF for CRLF: in the whole file where all its lines end that way, else in the header.
    LineEnds,
    /// Put the comment of the status line on a line of its own, above it.
    Comment,
    /// Write the status in small letters.
    LetterCase,
}

impl Mend {
    /// What it does, for a plan.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mark => "take the byte order mark away",
            Self::BlankLines => "take the blank lines above the header away",
            Self::LineEnds => "write LF for CRLF",
            Self::Comment => "put the comment of the status line on a line of its own",
            Self::LetterCase => "write the status in small letters",
        }
    }
}

/// A comment behind the status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// The line in the file, from 1.
    pub line: usize,
    /// Its bytes, from `#` to the last one that is no blank.
    pub span: Range<usize>,
    /// The bytes from the end of the value to the end of the line.
    tail: Range<usize>,
    /// Where the line starts.
    start: usize,
}

/// The comment on the status line of a header that has one such line.
pub fn status_comment(bytes: &[u8], parts: &Split, header: &Header<'_>, is_status: impl Fn(&str) -> bool) -> Option<Comment> {
    let field = only(header, &is_status)?;
    let line =
        lines(bytes, parts.content.start).find(|line| line.start <= field.key_span.start && field.key_span.end <= line.end)?;
    // A value of several lines has no comment of its own.
    let tail = field.value_span.end.max(field.key_span.end)..line.end;
    let rest = slice(bytes, tail.clone());
    let blanks = rest.len() - rest.trim_ascii_start().len();
    let at = tail.start + blanks;
    if blanks == 0 || tail.start > line.end || bytes.get(at) != Some(&b'#') {
        return None;
    }
    Some(Comment { line: field.line, span: at..trim_end(bytes, at..line.end).end, tail, start: line.start })
}

/// The bytes of a mended file; `None` where there is nothing to mend.
///
/// # Errors
/// Why it is left as it is: it has no header, or would say something else afterwards.
pub fn mend(bytes: &[u8], how: Mend, is_status: impl Fn(&str) -> bool) -> Result<Option<Vec<u8>>, &'static str> {
    let parts = split(bytes, true).map_err(|_| "it has no header that can be read")?;
    let header = read(bytes, &parts);
    let after = match how {
        Mend::Mark => without(bytes, &parts.bom),
        Mend::BlankLines => without(bytes, &parts.leading),
        Mend::LineEnds => with_lf(bytes, &parts),
        Mend::Comment => comment_aside(bytes, &parts, &header, &is_status),
        Mend::LetterCase => small_letters(bytes, &header, &is_status),
    };
    let Some(after) = after else { return Ok(None) };
    let new_parts = split(&after, true).map_err(|_| "it would have no header afterwards")?;
    let new = read(&after, &new_parts);
    let same = header.fields.len() == new.fields.len()
        && header
            .fields
            .iter()
            .zip(&new.fields)
            .all(|(a, b)| a.key == b.key && a.form == b.form && says_same(a, b, how, &is_status));
    let body = |bytes: &[u8], parts: &Split| -> Vec<u8> {
        slice(bytes, parts.body..bytes.len()).iter().copied().filter(|b| *b != b'\r').collect()
    };
    if same && body(bytes, &parts) == body(&after, &new_parts) {
        Ok(Some(after))
    } else {
        Err("its header would say something else afterwards")
    }
}

fn says_same(a: &Field<'_>, b: &Field<'_>, how: Mend, is_status: &impl Fn(&str) -> bool) -> bool {
    match (&a.value, &b.value) {
        (Value::Text(a_text), Value::Text(b_text)) if how == Mend::LetterCase && is_status(&a.key) => {
            a_text.eq_ignore_ascii_case(b_text)
        }
        (one, other) => one == other,
    }
}

fn only<'h, 'a>(header: &'h Header<'a>, is_status: &impl Fn(&str) -> bool) -> Option<&'h Field<'a>> {
    let mut found = header.fields.iter().filter(|field| is_status(&field.key));
    found.next().filter(|_| found.next().is_none())
}

fn without(bytes: &[u8], span: &Range<usize>) -> Option<Vec<u8>> {
    if span.is_empty() {
        return None;
    }
    Some([slice(bytes, 0..span.start), slice(bytes, span.end..bytes.len())].concat())
}

fn with_lf(bytes: &[u8], parts: &Split) -> Option<Vec<u8>> {
    let head = slice(bytes, 0..parts.body);
    let body = slice(bytes, parts.body..bytes.len());
    let new_head = lf(head);
    if new_head.len() == head.len() {
        return None;
    }
    let (mut ends, mut crlf, mut last) = (0_usize, 0_usize, 0_u8);
    for &byte in body {
        if byte == b'\n' {
            ends += 1;
            crlf += usize::from(last == b'\r');
        }
        last = byte;
    }
    let new_body = if ends == crlf { lf(body) } else { body.to_vec() };
    Some([new_head, new_body].concat())
}

/// `\r\n` as `\n`; a lone `\r` stays.
fn lf(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\r' || rest.peek() != Some(&b'\n') {
            out.push(byte);
        }
    }
    out
}

fn comment_aside(bytes: &[u8], parts: &Split, header: &Header<'_>, is_status: &impl Fn(&str) -> bool) -> Option<Vec<u8>> {
    let Comment { span, tail, start, .. } = status_comment(bytes, parts, header, is_status)?;
    let key = only(header, is_status)?.key_span.start;
    let end: &[u8] = if slice(bytes, tail.end..tail.end + 2) == b"\r\n" { b"\r\n" } else { b"\n" };
    let out = [
        slice(bytes, 0..start),
        slice(bytes, start..key),
        slice(bytes, span),
        end,
        slice(bytes, start..tail.start),
        slice(bytes, tail.end..bytes.len()),
    ];
    Some(out.concat())
}

fn small_letters(bytes: &[u8], header: &Header<'_>, is_status: &impl Fn(&str) -> bool) -> Option<Vec<u8>> {
    let span = only(header, is_status)?.splice.clone()?;
    let word = slice(bytes, span.clone());
    let small = word.to_ascii_lowercase();
    if small == word {
        return None;
    }
    Some([slice(bytes, 0..span.start), &small, slice(bytes, span.end..bytes.len())].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(clippy::unnecessary_wraps)] // what it is compared with
    fn some(text: &str) -> Result<Option<String>, &'static str> {
        Ok(Some(text.to_owned()))
    }

    fn mended(text: &str, how: Mend) -> Result<Option<String>, &'static str> {
        mend(text.as_bytes(), how, |key| key.eq_ignore_ascii_case("status")).map(|o| o.map(|b| String::from_utf8(b).unwrap()))
    }

    #[test]
    fn a_comment_moves_above_its_line_and_loses_nothing() {
        let how = Mend::Comment;
        assert_eq!(
            mended("---\nfrom: a\nstatus: unread   # unread | read  \nx: y # z\n---\nhi # there\n", how),
            some("---\nfrom: a\n# unread | read\nstatus: unread\nx: y # z\n---\nhi # there\n")
        );
        assert_eq!(mended("---\r\nstatus: \"unread\" # x\r\n---\r\n", how), some("---\r\n# x\r\nstatus: \"unread\"\r\n---\r\n"));
        assert_eq!(
            mended("---\n  from: a\n  status: unread # x\n---\n", how),
            some("---\n  from: a\n  # x\n  status: unread\n---\n")
        );
        assert_eq!(mended("---\nstatus: unread#x\n---\n", how), Ok(None));
        assert_eq!(mended("---\nstatus: \"unread # x\"\n---\n", how), Ok(None));
        assert_eq!(mended("---\nstatus: unread\nstatus: read # x\n---\n", how), Ok(None));
        assert_eq!(mended("---\nstatus: # x\n---\n", how), some("---\n# x\nstatus:\n---\n"));
    }

    #[test]
    fn line_ends_become_lf_where_all_are_crlf_and_in_the_header_alone_where_the_body_is_mixed() {
        let how = Mend::LineEnds;
        assert_eq!(mended("---\r\nstatus: unread\r\n---\r\na\r\nb\r\n", how), some("---\nstatus: unread\n---\na\nb\n"));
        assert_eq!(mended("---\r\nstatus: unread\r\n---\r\na\r\nb\n", how), some("---\nstatus: unread\n---\na\r\nb\n"));
        assert_eq!(mended("---\r\nstatus: unread\r\n---\r\na\rb", how), some("---\nstatus: unread\n---\na\rb"));
        assert_eq!(mended("---\nstatus: unread\n---\na\r\n", how), Ok(None));
    }

    #[test]
    fn marks_and_blank_lines_go_and_small_letters_come() {
        assert_eq!(mended("\u{feff}---\nstatus: read\n---\n", Mend::Mark), some("---\nstatus: read\n---\n"));
        assert_eq!(mended("\n \n---\nstatus: read\n---\n", Mend::BlankLines), some("---\nstatus: read\n---\n"));
        assert_eq!(mended("---\nStatus: 'UNREAD' # A\n---\nA\n", Mend::LetterCase), some("---\nStatus: 'unread' # A\n---\nA\n"));
        assert_eq!(mended("---\nstatus: unread\n---\n", Mend::LetterCase), Ok(None));
        assert!(mended("hello", Mend::Mark).is_err());
    }

    #[test]
    fn twice_is_once_and_hostile_bytes_are_no_harm() {
        let texts: [&[u8]; 6] = [
            b"",
            b"---\n\xff: # \n---",
            b"---\r\nstatus: [\r\n---",
            b"\xef\xbb\xbf",
            b"---\nstatus: |\n  a # b\n---\n",
            b"---\nstatus: a\n  b # c\n---\n",
        ];
        for text in texts {
            for how in [Mend::Mark, Mend::BlankLines, Mend::LineEnds, Mend::Comment, Mend::LetterCase] {
                if let Ok(Some(after)) = mend(text, how, |key| key == "status") {
                    assert_eq!(mend(&after, how, |key| key == "status"), Ok(None), "{how:?} {text:?}");
                }
            }
        }
    }
}
