//! Values of header lines that are lists, mappings or blocks of lines.
//!
//! The other half of `scalar.rs`. Lists of simple words are read in place, because most headers
//! hold one; everything else is the strict parser's, and what that refuses is still a list where
//! it plainly was meant as one (`[@ember, @wren]`).

use std::borrow::Cow;
use std::ops::Range;

use super::header::{Form, Value};
use super::keys::{close_quote, is_blank_or_end};
use super::lines::{byte, lines, skip_blanks, slice, trim_end};
use super::scalar::{Found, Place, join};
use super::yaml::Reader;

impl<'a> Reader<'a> {
    pub(super) fn flow(&mut self, place: &Place) -> Found<'a> {
        let Range { start, end } = place.rest;
        let list = byte(self.bytes, start) == Some(b'[');
        let form = if list { Form::List } else { Form::Map };
        if let Some(close) = close_bracket(self.bytes, start, end) {
            if !self.ends_clean(close + 1, end) {
                return self.broken(place, "text behind a closing bracket; put the value in quotes", false);
            }
            let span = start..close + 1;
            let value = self.flow_on_line(place, span.clone(), list);
            let literal = Some(self.text(place.rest.clone()));
            return Found { literal, ..Found::new(value, form, span, place.line.next) };
        }
        let Some((value, span, next)) = self.over_lines(place, close_bracket) else {
            return self.broken(place, "a bracket that is not closed; put the value in quotes", true);
        };
        let mut literal = String::new();
        for word in slice(self.bytes, span.clone()).split(u8::is_ascii_whitespace) {
            join(&mut literal, &String::from_utf8_lossy(word));
        }
        Found { literal: Some(literal.into()), ..Found::new(value, form, span, next) }
    }

    fn flow_on_line(&mut self, place: &Place, span: Range<usize>, list: bool) -> Value<'a> {
        let inner = span.start + 1..span.end - 1;
        if list && let Some(items) = self.simple_items(inner.clone()) {
            return Value::List(items);
        }
        match self.by_parser(&place.line, place.line.next) {
            // `{{name}}` is a template's variable, whatever YAML makes of it.
            _ if slice(self.bytes, span.clone()).starts_with(b"{{") => Value::Text(self.text(span)),
            Some((value, _)) => value,
            None if list => Value::List(self.items_as_written(inner)),
            None => Value::Text(self.text(span)),
        }
    }

    /// The elements of a flow list, where all are plain words or simply quoted.
    fn simple_items(&self, inner: Range<usize>) -> Option<Vec<Cow<'a, str>>> {
        simple_items(self.bytes, inner, |range| self.text(range))
    }

    fn simple_item(&self, range: Range<usize>) -> Option<Cow<'a, str>> {
        simple_item(self.bytes, range).map(|range| self.text(range))
    }

    /// The elements of a list that no parser takes, cut at its commas.
    fn items_as_written(&self, inner: Range<usize>) -> Vec<Cow<'a, str>> {
        let mut at = inner.start;
        let parts = slice(self.bytes, inner).split(|&b| b == b',').map(|part| {
            let range = at..at + part.len();
            at = range.end + 1;
            self.item_as_written(range)
        });
        parts.filter(|item| !item.is_empty()).collect()
    }

    fn item_as_written(&self, range: Range<usize>) -> Cow<'a, str> {
        let range = self.trimmed(range);
        self.simple_item(range.clone()).unwrap_or_else(|| self.text(range))
    }

    fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        trimmed(self.bytes, range)
    }

    /// `|` and `>`.
    pub(super) fn block(&mut self, place: &Place) -> Found<'a> {
        let Range { start, end } = place.rest;
        let sign = |b: &&u8| matches!(b, b'+' | b'-' | b'1'..=b'9');
        let signs = slice(self.bytes, start + 1..end).iter().take_while(sign).count();
        if signs > 2 || !self.ends_clean(start + 1 + signs, end) {
            return self.odd(place, "a value can't begin with `|` or `>`; put it in quotes");
        }
        let (end_of_text, end_of_blanks) = self.block_end(place.line.next);
        let below = place.line.next..end_of_text;
        // `+` keeps the blank lines behind the text; reading goes on before them all the same.
        let value = match self.by_parser(&place.line, end_of_blanks) {
            Some((Value::Text(text), _)) if text.is_empty() => Value::Absent,
            Some((value @ Value::Text(_), _)) => value,
            _ => Value::Text(self.block_as_written(below.clone())),
        };
        let last = self.text_span(below.clone());
        let span = start..if last.is_empty() { end } else { last.end };
        Found::new(value, Form::Block, span, below.end)
    }

    fn block_as_written(&mut self, below: Range<usize>) -> Cow<'a, str> {
        self.invalid("a block whose lines are not indented alike");
        self.unclean("a block's lines are not indented alike");
        let mut text = String::new();
        for line in lines(slice(self.bytes, 0..below.end), below.start) {
            join(&mut text, self.text(line.start..line.end).trim_ascii());
        }
        text.into()
    }

    /// Nothing but a comment behind the colon: the value is below, or there is none.
    pub(super) fn below(&mut self, place: &Place, colon_end: usize) -> Found<'a> {
        let next = self.deeper(place.line.next, true);
        // `#12 is in` is a subject's text, `# what it is about` a comment in a template.
        let after = byte(self.bytes, place.rest.start + 1);
        let text = place.rest.len() > 1 && after.is_some_and(|b| !b" \t#".contains(&b));
        let nothing = Found {
            literal: text.then(|| self.text(place.rest.clone())),
            ..Found::new(Value::Absent, Form::Absent, colon_end..colon_end, next)
        };
        if next == place.line.next {
            return nothing;
        }
        let lines = place.line.next..next;
        let span = self.text_span(lines.clone());
        if let Some(items) = self.block_items(lines.clone(), true) {
            return Found::new(Value::List(items), Form::List, span, next);
        }
        match self.by_parser(&place.line, next) {
            Some((value, splice)) => {
                let form = match value {
                    Value::List(_) => Form::List,
                    Value::Unreadable(_) => Form::Map,
                    Value::Text(_) if splice.is_none() => Form::Block,
                    Value::Text(_) | Value::Absent => Form::Plain,
                };
                Found { splice, ..Found::new(value, form, span, next) }
            }
            None => match self.block_items(lines, false) {
                Some(items) => Found::new(Value::List(items), Form::List, span, next),
                None => Found::new(Value::Unreadable(self.text(span.clone()).replace('\r', "").into()), Form::Map, span, next),
            },
        }
    }

    /// The elements of a block list. `simple`: only if all are plain or simply quoted text at one
    /// depth; else what is no element is passed over, if there is an element at all.
    fn block_items(&self, below: Range<usize>, simple: bool) -> Option<Vec<Cow<'a, str>>> {
        let mut items = Vec::new();
        let mut depth = None;
        for line in lines(slice(self.bytes, 0..below.end), below.start) {
            let start = skip_blanks(self.bytes, line.start, line.end);
            let dash = byte(self.bytes, start) == Some(b'-') && is_blank_or_end(self.bytes, start + 1, line.end);
            let item = self.trimmed(start + 1..line.end);
            if !simple {
                items.extend(dash.then(|| self.item_as_written(item)));
                continue;
            }
            if trim_end(self.bytes, start..line.end).is_empty() {
                continue;
            }
            let tab = slice(self.bytes, line.start..start).contains(&b'\t');
            let column = start - line.start;
            if !dash || tab || *depth.get_or_insert(column) != column {
                return None;
            }
            items.push(self.simple_item(item)?);
        }
        (!items.is_empty()).then_some(items)
    }

    /// From the first to the last byte of a range that is no white space.
    fn text_span(&self, range: Range<usize>) -> Range<usize> {
        let bytes = slice(self.bytes, range.clone());
        let start = range.start + (bytes.len() - bytes.trim_ascii_start().len());
        start..start + bytes.trim_ascii().len()
    }

    /// The end of the lines from `from` on that are deeper than the keys, comments not counted;
    /// with `dashes`, also of list elements at the keys' own depth.
    pub(super) fn deeper(&self, from: usize, dashes: bool) -> usize {
        let base = self.base.unwrap_or(0);
        let mut end = from;
        for line in lines(self.bytes, from) {
            let start = skip_blanks(self.bytes, line.start, line.end);
            let column = start - line.start;
            let dash = || dashes && column == base && is_blank_or_end(self.bytes, start + 1, line.end);
            match byte(self.bytes, start).filter(|_| start < line.end) {
                None | Some(b'\r' | b'#') => {}
                Some(_) if column > base => end = line.next,
                Some(b'-') if dash() => end = line.next,
                Some(_) => break,
            }
        }
        end
    }

    /// The end of a block's lines (all that are deeper than the keys, and the blank ones between),
    /// and that of the blank lines behind them.
    fn block_end(&self, from: usize) -> (usize, usize) {
        let base = self.base.unwrap_or(0);
        let (mut end, mut blanks) = (from, from);
        for line in lines(self.bytes, from) {
            let start = skip_blanks(self.bytes, line.start, line.end);
            if !trim_end(self.bytes, start..line.end).is_empty() {
                if start - line.start <= base {
                    break;
                }
                end = line.next;
            }
            blanks = line.next;
        }
        (end, blanks)
    }
}

/// The elements between the brackets of a flow list, where all are plain words or simply quoted.
pub(super) fn simple_items<'a>(
    bytes: &[u8],
    inner: Range<usize>,
    text: impl Fn(Range<usize>) -> Cow<'a, str>,
) -> Option<Vec<Cow<'a, str>>> {
    let mut items = Vec::new();
    let mut at = inner.start;
    for part in slice(bytes, inner.clone()).split(|&b| b == b',') {
        let range = trimmed(bytes, at..at + part.len());
        at += part.len() + 1;
        match simple_item(bytes, range.clone()) {
            Some(item) => items.push(text(item)),
            // Nothing between the brackets, or behind the last comma.
            None if range.is_empty() && at > inner.end => {}
            None => return None,
        }
    }
    Some(items)
}

/// The text of an element that is a plain word or simply quoted, without its quotes.
fn simple_item(bytes: &[u8], range: Range<usize>) -> Option<Range<usize>> {
    let text = slice(bytes, range.clone());
    let odd = |b: &u8| b"[]{}\"'\\#&*!|>%@`:,\r".contains(b);
    match (text.first()?, text.last()?) {
        (open @ (b'"' | b'\''), close) if open == close && text.len() > 1 => {
            let inner = range.start + 1..range.end - 1;
            let special = |b: &u8| matches!(b, b'"' | b'\'' | b'\\' | b'\r');
            let simple = !slice(bytes, inner.clone()).iter().any(special);
            simple.then_some(inner)
        }
        (b'-' | b'?', _) if is_blank_or_end(text, 1, text.len()) => None,
        _ if text.iter().any(odd) => None,
        _ => Some(range),
    }
}

/// A range without the blanks around what it holds.
fn trimmed(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    trim_end(bytes, skip_blanks(bytes, range.start, range.end)..range.end)
}

/// Where the bracket at `open` closes before `end`. Quotes count where an element may begin,
/// comments where YAML sees them; which bracket closes which is the parser's to judge.
fn close_bracket(bytes: &[u8], open: usize, end: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = open;
    let mut last = b' ';
    while at < end {
        let b = byte(bytes, at)?;
        match b {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at);
                }
            }
            b'"' | b'\'' if b"[{,: \t\n".contains(&last) => {
                at = close_quote(bytes, at, end).unwrap_or(at);
            }
            b'#' if b" \t\n".contains(&last) => {
                at += slice(bytes, at..end).iter().take_while(|&&b| b != b'\n').count();
            }
            _ => {}
        }
        last = byte(bytes, at).unwrap_or(b);
        at += 1;
    }
    None
}
