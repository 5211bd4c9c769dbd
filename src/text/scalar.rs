//! Values of header lines: from the bytes behind a colon to text.
//!
//! The part of the tolerant reader (`yaml.rs`) that knows YAML's ways of writing a value; lists
//! and blocks are in `collection.rs`. What is simple is read in place; what needs a parser is
//! handed to the strict side as a piece of its own, so that one odd value never costs another;
//! what the parser refuses is text.

use std::borrow::Cow;
use std::ops::Range;

use granit_parser::ScalarStyle;

use super::header::{Form, Value};
use super::keys::{KeyLine, close_quote, is_blank_or_end};
use super::lines::{Line, byte, is_blank, line_at, lines, skip_blanks, slice, trim_end};
use super::plain::is_null;
use super::strict;
use super::yaml::Reader;

/// Of a header's anchors, only so many are remembered, and only short texts: an alias may stand
/// for one of them, and thousands of aliases must not multiply a long value.
const MAX_ANCHORS: usize = 32;
const MAX_ANCHORED: usize = 256;

/// A value, and where reading goes on. Ranges count from the start of the header's content.
pub(super) struct Found<'a> {
    pub value: Value<'a>,
    pub form: Form,
    pub span: Range<usize>,
    pub literal: Option<Cow<'a, str>>,
    pub splice: Option<Range<usize>>,
    pub next: usize,
}

impl<'a> Found<'a> {
    pub fn new(value: Value<'a>, form: Form, span: Range<usize>, next: usize) -> Self {
        Self { value, form, span, literal: None, splice: None, next }
    }
}

/// Where a value is looked for: its key's line, and what stands there behind the colon, without
/// the blanks around it.
#[derive(Clone)]
pub(super) struct Place {
    pub line: Line,
    pub rest: Range<usize>,
}

impl<'a> Reader<'a> {
    /// Reads the value of the field that starts on `line`.
    pub(super) fn value(&mut self, line: &Line, key: &KeyLine) -> Found<'a> {
        let from = skip_blanks(self.bytes, key.colon + 1, line.end);
        let place = Place { line: *line, rest: trim_end(self.bytes, from..line.end) };
        if key.tight {
            return self.tight(&place);
        }
        match byte(self.bytes, from).filter(|_| !place.rest.is_empty()) {
            None | Some(b'#') => self.below(&place, key.colon + 1),
            Some(b'&' | b'!' | b'*') => self.decorated(&place),
            Some(_) => self.bare(&place),
        }
    }

    /// A value without anchor or tag that starts on its key's line.
    fn bare(&mut self, place: &Place) -> Found<'a> {
        let first = byte(self.bytes, place.rest.start).unwrap_or_default();
        let alone = is_blank_or_end(self.bytes, place.rest.start + 1, place.rest.end);
        match first {
            b'"' | b'\'' => self.quoted(place),
            b'[' | b'{' => self.flow(place),
            b'|' | b'>' => self.block(place),
            b'@' | b'`' | b'%' => {
                self.invalid("an unquoted value can't begin with `@`, a backtick or `%`");
                self.plain(place)
            }
            b',' | b']' | b'}' => self.odd(place, "an unquoted value can't begin with `,`, `]` or `}`"),
            b'-' | b'?' | b':' if alone => self.odd(place, "a value can't begin with a lone `-`, `?` or `:`"),
            _ => self.plain(place),
        }
    }

    /// Text that is a fault of YAML: read as it stands, and not to be replaced.
    pub(super) fn odd(&mut self, place: &Place, why: &'static str) -> Found<'a> {
        self.invalid(why);
        Found { splice: None, ..self.plain(place) }
    }

    /// `key:value`: plain text in one piece, or nothing that could be replaced safely.
    fn tight(&mut self, place: &Place) -> Found<'a> {
        let text = self.text(place.rest.clone());
        let first = text.chars().next().unwrap_or_default();
        if first.is_ascii_alphanumeric() {
            return self.plain(place);
        }
        if !first.is_ascii() && !first.is_alphanumeric() {
            self.unclean("a blank behind a colon is none that YAML knows");
            let literal = Some(text.trim().to_owned().into());
            let as_is = self.text_as_is(place, Form::Malformed);
            return Found { value: Value::Unreadable(text), literal, ..as_is };
        }
        Found { splice: None, ..self.bare(place) }
    }

    /// The rest of the line as text, whatever it holds.
    fn text_as_is(&mut self, place: &Place, form: Form) -> Found<'a> {
        let text = self.text(place.rest.clone());
        let next = self.deeper(place.line.next, false);
        let literal = Some(text.clone());
        Found { literal, ..Found::new(Value::Text(text), form, place.rest.clone(), next) }
    }

    /// The same, where it began like a quote or a collection and did not end like one.
    pub(super) fn broken(&mut self, place: &Place, why: &'static str, open: bool) -> Found<'a> {
        self.invalid(why);
        if open {
            self.unclean("a quote or bracket is not closed");
        }
        self.text_as_is(place, Form::Broken)
    }

    fn plain(&mut self, place: &Place) -> Found<'a> {
        let Range { start, end } = place.rest;
        let (text_end, colon) = plain_end(self.bytes, start, end);
        let span = trim_end(self.bytes, start..text_end);
        if colon {
            self.invalid("`: ` inside an unquoted value; put the value in quotes");
        }
        let next = self.deeper(place.line.next, false);
        if next != place.line.next {
            return self.folded(place, span, next);
        }
        let text = self.text(span.clone());
        let literal = if text_end == end { text.clone() } else { self.text(start..end) };
        let null = is_null(&text);
        let value = if null { Value::Absent } else { Value::Text(text) };
        Found {
            literal: (!null).then_some(literal),
            splice: (!colon && !self.holds_return(&span)).then(|| span.clone()),
            ..Found::new(value, Form::Plain, span, next)
        }
    }

    /// Whether a range holds a carriage return, which other readers take for a line end.
    fn holds_return(&self, range: &Range<usize>) -> bool {
        self.has_lone_cr && slice(self.bytes, range.clone()).contains(&b'\r')
    }

    /// A plain value with deeper lines below: its continuation, if they can be that.
    fn folded(&mut self, place: &Place, first: Range<usize>, next: usize) -> Found<'a> {
        self.unsure = true;
        let mut text = self.text(first.clone()).into_owned();
        let mut literal = self.text(place.rest.clone()).into_owned();
        let mut end = first.end;
        // A comment ends the value; a subject goes on all the same.
        let mut goes_on = first.end == place.rest.end;
        for line in lines(slice(self.bytes, 0..next), place.line.next) {
            let start = skip_blanks(self.bytes, line.start, line.end);
            let range = trim_end(self.bytes, start..line.end);
            if byte(self.bytes, start) == Some(b'#') {
                goes_on = false;
                continue;
            }
            let (text_end, colon) = plain_end(self.bytes, range.start, range.end);
            if colon {
                self.unclean("a line is indented unlike those around it");
                self.invalid("a `key: value` line that is indented like a continuation");
                break;
            }
            join(&mut literal, &self.text(range.clone()));
            if goes_on {
                let part = trim_end(self.bytes, range.start..text_end);
                join(&mut text, &self.text(part.clone()));
                end = end.max(part.end);
                goes_on = text_end == range.end;
            }
        }
        let value = Value::Text(text.into());
        let literal = Some(literal.into());
        Found { literal, ..Found::new(value, Form::Plain, first.start..end, next) }
    }

    fn quoted(&mut self, place: &Place) -> Found<'a> {
        let Range { start, end } = place.rest;
        if let Some(close) = close_quote(self.bytes, start, end) {
            if !self.ends_clean(close + 1, end) {
                return self.broken(place, "text behind a closing quote", false);
            }
            let span = start..close + 1;
            let value = Value::Text(self.unquoted(span.clone()));
            let splice = (!self.holds_return(&span)).then_some(start + 1..close);
            return Found { splice, ..Found::new(value, Form::Quoted, span, place.line.next) };
        }
        match self.over_lines(place, close_quote) {
            Some((value, span, next)) => Found::new(value, Form::Quoted, span, next),
            None => self.broken(place, "a quote that is not closed", true),
        }
    }

    /// A quoted range without its quotes.
    pub(super) fn unquoted(&mut self, quoted: Range<usize>) -> Cow<'a, str> {
        let inner = quoted.start + 1..quoted.end.saturating_sub(1).max(quoted.start + 1);
        let text = self.text(inner);
        if byte(self.bytes, quoted.start) == Some(b'\'') {
            return if text.contains("''") { text.replace("''", "'").into() } else { text };
        }
        if !text.contains('\\') {
            return text;
        }
        let piece = format!("k: {}\n", self.raw(quoted));
        if let Some(Value::Text(text)) = strict::pairs(&piece).and_then(|mut p| Some(p.pop()?.value)) {
            return text;
        }
        self.invalid("a `\\` in double quotes that begins no escape; write `\\\\`");
        text.replace("\\\"", "\"").into()
    }

    /// A value that opens on its line and is closed, cleanly, on a later one; with its range and
    /// the place to go on.
    pub(super) fn over_lines(
        &mut self,
        place: &Place,
        find_close: fn(&[u8], usize, usize) -> Option<usize>,
    ) -> Option<(Value<'a>, Range<usize>, usize)> {
        let start = place.rest.start;
        let limit = self.bytes.len().min(place.line.next + self.budget);
        let close = find_close(self.bytes, start, limit);
        self.budget = self.budget.saturating_sub(close.unwrap_or(limit).saturating_sub(start));
        let close = close?;
        let line_start = slice(self.bytes, 0..close).iter().rposition(|&b| b == b'\n');
        let last = line_at(self.bytes, line_start.map_or(0, |n| n + 1))?;
        if !self.ends_clean(close + 1, last.end) {
            return None;
        }
        let (value, _) = self.by_parser(&place.line, last.next)?;
        Some((value, start..close + 1, last.next))
    }

    /// `&name value`, `!tag value`, `*name`.
    fn decorated(&mut self, place: &Place) -> Found<'a> {
        self.unsure = true;
        let whole = place.rest.clone();
        let mut at = whole.start;
        let (mut anchor, mut form) = (None, None);
        while let Some(sign @ (b'&' | b'!')) = byte(self.bytes, at).filter(|_| at < whole.end) {
            let rest = slice(self.bytes, at..whole.end);
            let word = rest.split(|&b| is_blank(b)).next().unwrap_or_default();
            if sign == b'&' {
                anchor = word.get(1..);
                form = Some(Form::Anchor);
            } else if !matches!(word, b"!" | b"!!str") {
                // `!!str` says of a text that it is text; any other tag may not take any word.
                form = form.or(Some(Form::Tag));
            }
            at = skip_blanks(self.bytes, at + word.len(), whole.end);
        }
        let place = Place { line: place.line, rest: at..whole.end };
        let mut found = match byte(self.bytes, at).filter(|_| at < whole.end) {
            None | Some(b'#') => self.below(&place, at),
            Some(b'*') => self.alias(&place),
            Some(_) => self.bare(&place),
        };
        if found.literal.is_some() || found.value == Value::Absent {
            found.literal = Some(self.text(whole.clone()));
        }
        if found.form == Form::Absent && form != Some(Form::Anchor) {
            // `!urgent` alone is what somebody wrote; a lone `!!str` is an empty text.
            if form.is_some() && !slice(self.bytes, whole.clone()).starts_with(b"!!") {
                found.value = Value::Text(self.text(whole.clone()));
            }
            form = Some(Form::Tag);
        }
        if let (Some(anchor), Value::Text(text)) = (anchor, &found.value)
            && self.anchors.len() < MAX_ANCHORS
            && text.len() < MAX_ANCHORED
        {
            self.anchors.push((anchor, text.clone()));
        }
        if let Some(form) = form {
            (found.form, found.splice) = (form, None);
        }
        found
    }

    /// `*name`, if it names an anchor that stands above; else it is text like any other.
    fn alias(&mut self, place: &Place) -> Found<'a> {
        let name = slice(self.bytes, place.rest.start + 1..place.rest.end);
        let name = name.split(|&b| is_blank(b)).next().unwrap_or_default();
        let known = self.anchors.iter().rev().find(|(anchor, _)| *anchor == name);
        if let Some(text) = known.map(|(_, text)| text.clone())
            && self.ends_clean(place.rest.start + 1 + name.len(), place.rest.end)
        {
            return Found { value: Value::Text(text), ..self.text_as_is(place, Form::Anchor) };
        }
        Found { form: Form::Anchor, splice: None, ..self.plain(place) }
    }

    /// Hands the lines of one field to the strict parser. With the value comes the range of a
    /// plain or quoted scalar on one line that another word may replace.
    pub(super) fn by_parser(&mut self, line: &Line, end: usize) -> Option<(Value<'a>, Option<Range<usize>>)> {
        let piece = self.raw(line.start..end);
        // Whether an alias stands for anything, only the whole header tells.
        self.unsure |= piece.contains('*');
        let mut pairs = strict::pairs(&piece).unwrap_or_default();
        let Some(pair) = pairs.pop().filter(|_| pairs.is_empty()) else {
            self.unsure = true;
            return None;
        };
        let written = piece.get(pair.value_span.clone())?;
        let quotes = match pair.style {
            Some(ScalarStyle::Plain) => 0,
            Some(ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) => 1,
            _ => return Some((pair.value, None)),
        };
        let one_line = matches!(piece, Cow::Borrowed(_)) && !written.contains(['\n', '\r']);
        let (from, to) = (pair.value_span.start + quotes, pair.value_span.end.saturating_sub(quotes));
        Some((pair.value, one_line.then_some(from + line.start..to + line.start)))
    }

    /// Whether only blanks or a comment stand in the range.
    pub(super) fn ends_clean(&self, at: usize, end: usize) -> bool {
        let from = skip_blanks(self.bytes, at, end);
        match byte(self.bytes, from).filter(|_| from < end) {
            None | Some(b'\r') => true,
            Some(b'#') => from > at,
            Some(_) => false,
        }
    }
}

/// Where a plain value ends (at a comment), and whether `: ` stands in it.
fn plain_end(bytes: &[u8], start: usize, end: usize) -> (usize, bool) {
    let mut colon = false;
    let mut last = b'.';
    for (n, &b) in slice(bytes, start..end).iter().enumerate() {
        match b {
            b'#' if is_blank(last) => return (start + n, colon),
            b' ' | b'\t' if last == b':' => colon = true,
            _ => {}
        }
        last = b;
    }
    (end, colon || last == b':')
}

/// Joins a folded line to the text before it.
pub(super) fn join(text: &mut String, line: &str) {
    if !text.is_empty() && !line.is_empty() {
        text.push(' ');
    }
    text.push_str(line);
}
