//! Classes A–F: takes out what nobody can see and turns odd line ends into ordinary ones.
//! First pass of every function of `neutral`; what it leaves holds no control character
//! but `\n` and tab, so nothing later can join halves into an escape sequence.

use std::borrow::Cow;

use super::classes::{self, Class, class};
use super::rewrite::{Rewrite, then};

/// More marks in a row than any script needs; the rest only climbs over other lines.
const MAX_MARKS: usize = 8;

const ZWNJ: char = '\u{200C}';
const ZWJ: char = '\u{200D}';
const KEYCAP: char = '\u{20E3}';

/// How line ends are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// All white space becomes one blank, none at the ends.
    Line,
    /// Line ends and tabs stay.
    Lines,
}

/// The cleaned text and the number of hidden characters taken out of it.
pub(super) fn clean(raw: &str, shape: Shape) -> (Cow<'_, str>, usize) {
    let mut removed = 0;
    let mut text = Cow::Borrowed(raw);
    if !classes::is_plain(raw) {
        text = then(text, |s| strip(s, shape, &mut removed));
        text = then(text, |s| settle_joiners(s, &mut removed));
    }
    if shape == Shape::Line {
        text = then(text, collapse);
    }
    (text, removed)
}

/// What can be judged by the character alone, and escape sequences.
fn strip<'a>(text: &'a str, shape: Shape, removed: &mut usize) -> Cow<'a, str> {
    let line_end = if shape == Shape::Line { " " } else { "\n" };
    let mut out = Rewrite::new(text);
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        match class(c) {
            Class::Plain | Class::Joiner => {}
            Class::Control if c == '\r' => {
                // CRLF is a line end as people write it; a lone CR hides what stands before it.
                if chars.as_str().starts_with('\n') {
                    out.replace(at..end, "");
                } else {
                    *removed += 1;
                    out.replace(at..end, line_end);
                }
            }
            Class::Control => {
                let rest = text.get(at..).unwrap_or_default();
                let length = sequence_length(rest).max(c.len_utf8());
                let sequence = rest.get(..length).unwrap_or_default();
                *removed += sequence.chars().count();
                out.replace(at..at + length, "");
                // The sequence is gone as a whole; go on behind it.
                while chars.offset() < at + length && chars.next().is_some() {}
            }
            Class::Hidden => {
                *removed += 1;
                out.replace(at..end, "");
            }
            Class::Break => out.replace(at..end, line_end),
            Class::Blank => out.replace(at..end, " "),
            Class::Foreign => out.replace(at..end, "\u{FFFD}"),
        }
    }
    out.finish()
}

/// Bytes of the terminal control sequence at the start of `text` (ECMA-48), 0 if there is
/// none. A string sequence (OSC and its kin) that does not end before the line or the
/// next control character is only its introducer: no visible text is swallowed, and no
/// part of the text is looked at twice.
fn sequence_length(text: &str) -> usize {
    let mut chars = text.char_indices();
    let kind = match chars.next() {
        Some((_, '\u{1B}')) => match chars.next() {
            Some((_, kind @ ('[' | ']' | 'P' | 'X' | '^' | '_'))) => kind,
            Some((_, ' '..='/')) => return two_part_length(text),
            Some((_, '0'..='~')) => return 2,
            _ => return 1,
        },
        Some((_, '\u{9B}')) => '[',
        Some((_, '\u{90}' | '\u{98}' | '\u{9D}'..='\u{9F}')) => ']',
        _ => return 0,
    };
    let introducer = text.len() - chars.as_str().len();
    if kind == '[' {
        let rest = chars.as_str();
        let parameters = rest.bytes().take_while(|b| (0x30..=0x3F).contains(b)).count();
        let between = rest.bytes().skip(parameters).take_while(|b| (0x20..=0x2F).contains(b)).count();
        return match rest.as_bytes().get(parameters + between) {
            Some(0x40..=0x7E) => introducer + parameters + between + 1,
            _ => introducer,
        };
    }
    for (at, c) in chars {
        match c {
            '\u{7}' | '\u{9C}' => return at + c.len_utf8(),
            '\u{1B}' if text.get(at + 1..).is_some_and(|s| s.starts_with('\\')) => return at + 2,
            '\t' => {}
            c if c.is_control() => break,
            _ => {}
        }
    }
    introducer
}

/// ESC, bytes 0x20–0x2F, one final byte (such as the choice of a character set).
fn two_part_length(text: &str) -> usize {
    let between = text.bytes().skip(1).take_while(|b| (0x20..=0x2F).contains(b)).count();
    match text.as_bytes().get(1 + between) {
        Some(0x30..=0x7E) => between + 2,
        _ => 1,
    }
}

/// Joiners, selectors and stacked marks: what depends on the neighbours. "Before" means
/// the last character kept, so that a second run decides the same.
fn settle_joiners<'a>(text: &'a str, removed: &mut usize) -> Cow<'a, str> {
    let mut out = Rewrite::new(text);
    let mut before = ' ';
    let mut in_picture = false;
    let mut marks = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let after = chars.peek().map_or(' ', |&(_, after)| after);
        match c {
            ZWJ => {
                let joins = (in_picture && classes::is_picture(after))
                    || classes::is_virama(before)
                    || (classes::is_virama(after) && classes::is_indic(before))
                    || classes::is_cursive(before);
                if joins {
                    (before, in_picture) = (c, false);
                } else {
                    *removed += 1;
                    out.replace(at..end, "");
                }
            }
            ZWNJ => {
                if classes::is_cursive(before) && classes::is_cursive(after) {
                    out.replace(at..end, " ");
                    (before, in_picture, marks) = (' ', false, 0);
                } else {
                    let in_word = classes::is_indic(before) && classes::is_indic(after);
                    *removed += usize::from(!in_word);
                    out.replace(at..end, "");
                }
            }
            '\u{FE0E}' | '\u{FE0F}' => {
                let on_picture = classes::is_picture(before);
                let in_keycap = matches!(before, '0'..='9' | '#' | '*') && after == KEYCAP && c == '\u{FE0F}';
                if on_picture || in_keycap {
                    (before, in_picture) = (c, on_picture);
                } else {
                    *removed += 1;
                    out.replace(at..end, "");
                }
            }
            _ if classes::is_mark(c) => {
                marks += 1;
                if marks > MAX_MARKS {
                    *removed += 1;
                    out.replace(at..end, "");
                } else {
                    (before, in_picture) = (c, false);
                }
            }
            _ => (before, in_picture, marks) = (c, classes::is_picture(c), 0),
        }
    }
    out.finish()
}

/// White space of any kind to one blank, none at the ends.
fn collapse(text: &str) -> Cow<'_, str> {
    let mut out = Rewrite::new(text);
    let mut run: Option<usize> = Some(0);
    for (at, c) in text.char_indices() {
        match (run, c.is_whitespace()) {
            (None, true) => run = Some(at),
            (Some(start), false) => {
                let blank = if start == 0 { "" } else { " " };
                if text.get(start..at) != Some(blank) {
                    out.replace(start..at, blank);
                }
                run = None;
            }
            _ => {}
        }
    }
    if let Some(start) = run
        && start < text.len()
    {
        out.replace(start..text.len(), "");
    }
    out.finish()
}
