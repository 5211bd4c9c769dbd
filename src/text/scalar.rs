//! Values of header lines: from the bytes behind a colon to text or a list.
//!
//! The part of the tolerant reader (`yaml.rs`) that knows YAML's ways of writing a value. What
//! is simple is read in place; what needs a parser is handed to the strict side as a piece of
//! its own, so that one odd value never costs another; what the parser refuses is text.

use std::borrow::Cow;
use std::ops::Range;

use granit_parser::ScalarStyle;

use super::header::{Form, Value};
use super::keys::{KeyLine, close_quote, is_blank_or_end};
use super::lines::{Line, byte, is_blank, line_at, lines, skip_blanks, slice, trim_end};
use super::strict;
use super::yaml::Reader;

/// Of a header's anchors, only so many are remembered, and only short texts: an alias may stand
/// for one of them, and thousands of aliases must not multiply a long value.
const MAX_ANCHORS: usize = 32;
const MAX_ANCHORED: usize = 256;

/// A value, and where reading goes on. Ranges count from the start of the header's content.
pub(super) struct Found<'a> {
    pub value: Value<'a>,
    pub span: Range<usize>,
    pub literal: Option<Cow<'a, str>>,
    pub form: Form,
    pub splice: Option<Range<usize>>,
    pub next: usize,
}

/// Where a value is looked for: its key's line, and what stands there behind the colon, without
/// the blanks around it.
#[derive(Clone)]
struct Place {
    line: Line,
    rest: Range<usize>,
}

impl<'a> Reader<'a> {
    /// Reads the value of the field that starts on `line`.
    pub(super) fn value(&mut self, line: &Line, key: &KeyLine) -> Found<'a> {
        let from = skip_blanks(self.bytes, key.colon + 1, line.end);
        let place = Place {
            line: *line,
            rest: trim_end(self.bytes, from..line.end),
        };
        if key.tight {
            return self.tight(&place);
        }
        match byte(self.bytes, from).filter(|_| !place.rest.is_empty()) {
            None | Some(b'#') => self.nothing_on_line(&place, key.colon + 1),
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
            b',' | b']' | b'}' => {
                self.odd(place, "an unquoted value can't begin with `,`, `]` or `}`")
            }
            b'-' | b'?' | b':' if alone => {
                self.odd(place, "a value can't begin with a lone `-`, `?` or `:`")
            }
            _ => self.plain(place),
        }
    }

    /// Text that is a fault of YAML: read as it stands, and not to be replaced.
    fn odd(&mut self, place: &Place, why: &'static str) -> Found<'a> {
        self.invalid(why);
        Found {
            splice: None,
            ..self.plain(place)
        }
    }

    /// `key:value`: plain text in one piece, or nothing that could be replaced safely.
    fn tight(&mut self, place: &Place) -> Found<'a> {
        let first = byte(self.bytes, place.rest.start).unwrap_or_default();
        if first.is_ascii_alphanumeric() {
            return self.plain(place);
        }
        if !first.is_ascii() {
            // A hard space, or a letter: only text can tell.
            let raw = self.text(place.rest.clone());
            if raw.chars().next().is_some_and(|c| !c.is_alphanumeric()) {
                let literal = raw.trim().to_owned().into();
                self.unclean("a blank behind a colon is none that YAML knows");
                return Found {
                    value: Value::Unreadable(raw),
                    literal: Some(literal),
                    form: Form::Malformed,
                    splice: None,
                    ..self.text_as_is(place)
                };
            }
        }
        Found {
            splice: None,
            ..self.bare(place)
        }
    }

    /// The rest of the line as text, whatever it holds.
    fn text_as_is(&mut self, place: &Place) -> Found<'a> {
        let text = self.text(place.rest.clone());
        Found {
            value: Value::Text(text.clone()),
            span: place.rest.clone(),
            literal: Some(text),
            form: Form::Plain,
            splice: None,
            next: self.deeper(place.line.next, Deeper::Value),
        }
    }

    /// The same, where it began like a quote or a collection and did not end like one.
    fn broken(&mut self, place: &Place, why: &'static str, open: bool) -> Found<'a> {
        self.invalid(why);
        if open {
            self.unclean("a quote or bracket is not closed");
        }
        Found {
            form: Form::Broken,
            ..self.text_as_is(place)
        }
    }

    fn plain(&mut self, place: &Place) -> Found<'a> {
        let Range { start, end } = place.rest;
        let (text_end, colon) = plain_end(self.bytes, start, end);
        let span = trim_end(self.bytes, start..text_end);
        if colon {
            self.invalid("`: ` inside an unquoted value; put the value in quotes");
        }
        let next = self.deeper(place.line.next, Deeper::Value);
        if next != place.line.next {
            return self.folded(place, span, next);
        }
        let text = self.text(span.clone());
        let literal = if text_end == end {
            text.clone()
        } else {
            self.text(start..end)
        };
        let null = matches!(&*text, "~" | "null" | "Null" | "NULL");
        Found {
            splice: (!colon && !self.holds_return(&span)).then(|| span.clone()),
            value: if null {
                Value::Absent
            } else {
                Value::Text(text)
            },
            literal: (!null).then_some(literal),
            form: Form::Plain,
            span,
            next,
        }
    }

    /// Whether a range holds a carriage return, which other readers take for a line end.
    fn holds_return(&self, range: &Range<usize>) -> bool {
        self.has_lone_cr && slice(self.bytes, range.clone()).contains(&b'\r')
    }

    /// A plain value with deeper lines below: its continuation, if they can be that.
    fn folded(&mut self, place: &Place, first: Range<usize>, next: usize) -> Found<'a> {
        self.unsure = true;
        let more = slice(self.bytes, 0..next);
        let mut text = self.text(first.clone()).into_owned();
        let mut literal = self.text(place.rest.clone()).into_owned();
        let mut end = first.end;
        let mut value_open = first.end == place.rest.end;
        for line in lines(more, place.line.next) {
            let range = trim_end(
                self.bytes,
                skip_blanks(self.bytes, line.start, line.end)..line.end,
            );
            if byte(self.bytes, range.start) == Some(b'#') {
                value_open = false;
                continue;
            }
            let (text_end, colon) = plain_end(self.bytes, range.start, range.end);
            if colon {
                self.unclean("a line is indented unlike those around it");
                self.invalid("a `key: value` line that is indented like a continuation");
                break;
            }
            join(&mut literal, &self.text(range.clone()));
            if value_open {
                let part = trim_end(self.bytes, range.start..text_end);
                join(&mut text, &self.text(part.clone()));
                end = part.end.max(end);
            }
            value_open &= text_end == range.end;
        }
        Found {
            value: Value::Text(text.into()),
            span: first.start..end,
            literal: Some(literal.into()),
            form: Form::Plain,
            splice: None,
            next,
        }
    }

    fn quoted(&mut self, place: &Place) -> Found<'a> {
        let Range { start, end } = place.rest;
        if let Some(close) = close_quote(self.bytes, start, end) {
            if !self.ends_clean(close + 1, end) {
                return self.broken(place, "text behind a closing quote", false);
            }
            let span = start..close + 1;
            let splice = (!self.holds_return(&span)).then_some(start + 1..close);
            let value = Value::Text(self.unquoted(span.clone()));
            let next = place.line.next;
            return Found {
                value,
                span,
                literal: None,
                form: Form::Quoted,
                splice,
                next,
            };
        }
        let limit = self.bytes.len().min(place.line.next + self.budget);
        let close = close_quote(self.bytes, start, limit);
        self.budget = self.budget.saturating_sub(close.unwrap_or(limit) - start);
        if let Some(close) = close
            && let Some(last) = self.line_of(close)
            && self.ends_clean(close + 1, last.end)
            && let Some((value, _)) = self.by_parser(&place.line, last.next)
        {
            self.unsure = true;
            let next = last.next;
            return Found {
                value,
                span: start..close + 1,
                literal: None,
                form: Form::Quoted,
                splice: None,
                next,
            };
        }
        self.broken(place, "a quote that is not closed", true)
    }

    /// A quoted range without its quotes.
    pub(super) fn unquoted(&mut self, quoted: Range<usize>) -> Cow<'a, str> {
        let inner = quoted.start + 1..quoted.end.saturating_sub(1).max(quoted.start + 1);
        let single = byte(self.bytes, quoted.start) == Some(b'\'');
        let text = self.text(inner);
        if single {
            return if text.contains("''") {
                text.replace("''", "'").into()
            } else {
                text
            };
        }
        if !text.contains('\\') {
            return text;
        }
        let piece = format!("k: {}\n", self.raw(quoted));
        match strict::pairs(&piece).and_then(|mut pairs| pairs.pop()) {
            Some(strict::Pair {
                value: Value::Text(text),
                ..
            }) => text,
            _ => {
                self.invalid(
                    "an escape in double quotes that YAML does not know; `\\` is written `\\\\`",
                );
                text.replace("\\\"", "\"").into()
            }
        }
    }

    fn flow(&mut self, place: &Place) -> Found<'a> {
        let Range { start, end } = place.rest;
        let list = byte(self.bytes, start) == Some(b'[');
        if let Some(close) = close_bracket(self.bytes, start, end) {
            if !self.ends_clean(close + 1, end) {
                return self.broken(
                    place,
                    "text behind a closing bracket; put the value in quotes",
                    false,
                );
            }
            let span = start..close + 1;
            let literal = Some(self.text(place.rest.clone()));
            let next = place.line.next;
            if list && let Some(items) = self.simple_items(start + 1..close) {
                return Found {
                    value: Value::List(items),
                    span,
                    literal,
                    form: Form::List,
                    splice: None,
                    next,
                };
            }
            self.unsure = true;
            let parsed = self.by_parser(&place.line, next);
            let value = match parsed {
                // `{{name}}` is a template's variable, whatever YAML makes of it.
                _ if slice(self.bytes, span.clone()).starts_with(b"{{") => {
                    Value::Text(self.text(span.clone()))
                }
                Some((value, _)) => value,
                None if list => Value::List(self.items_as_written(start + 1..close)),
                None => Value::Text(self.text(span.clone())),
            };
            let form = if list { Form::List } else { Form::Map };
            return Found {
                value,
                span,
                literal,
                form,
                splice: None,
                next,
            };
        }
        let limit = self.bytes.len().min(place.line.next + self.budget);
        let close = close_bracket(self.bytes, start, limit);
        self.budget = self.budget.saturating_sub(close.unwrap_or(limit) - start);
        if let Some(close) = close
            && let Some(last) = self.line_of(close)
            && self.ends_clean(close + 1, last.end)
            && let Some((value, _)) = self.by_parser(&place.line, last.next)
        {
            self.unsure = true;
            let literal = slice(self.bytes, start..close + 1).split(|b| b.is_ascii_whitespace());
            let words: Vec<_> = literal
                .filter(|w| !w.is_empty())
                .map(String::from_utf8_lossy)
                .collect();
            return Found {
                value,
                span: start..close + 1,
                literal: Some(words.join(" ").into()),
                form: if list { Form::List } else { Form::Map },
                splice: None,
                next: last.next,
            };
        }
        self.broken(
            place,
            "a bracket that is not closed; put the value in quotes",
            true,
        )
    }

    /// The elements of a flow list, where all are plain words or simply quoted.
    fn simple_items(&self, inner: Range<usize>) -> Option<Vec<Cow<'a, str>>> {
        let mut items = Vec::new();
        let mut at = inner.start;
        for part in slice(self.bytes, inner.clone()).split(|&b| b == b',') {
            let range = at..at + part.len();
            at = range.end + 1;
            let from = skip_blanks(self.bytes, range.start, range.end);
            let range = trim_end(self.bytes, from..range.end);
            match self.simple_item(range.clone()) {
                Some(item) => items.push(item),
                // Nothing between the brackets, or a comma behind the last element.
                None if range.is_empty() && at > inner.end => {}
                None => return None,
            }
        }
        Some(items)
    }

    fn simple_item(&self, range: Range<usize>) -> Option<Cow<'a, str>> {
        let text = slice(self.bytes, range.clone());
        let odd = |b: &u8| b"[]{}\"'\\#&*!|>%@`:,\r".contains(b);
        match (text.first()?, text.last()?) {
            (open @ (b'"' | b'\''), close) if open == close && text.len() > 1 => {
                let inner = range.start + 1..range.end - 1;
                let simple = !slice(self.bytes, inner.clone())
                    .iter()
                    .any(|b| matches!(b, b'"' | b'\'' | b'\\' | b'\r'));
                simple.then(|| self.text(inner))
            }
            (b'-' | b'?', _) if is_blank_or_end(text, 1, text.len()) => None,
            _ if text.iter().any(odd) => None,
            _ => Some(self.text(range)),
        }
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
        let from = skip_blanks(self.bytes, range.start, range.end);
        let range = trim_end(self.bytes, from..range.end);
        self.simple_item(range.clone())
            .unwrap_or_else(|| self.text(range))
    }

    fn block(&mut self, place: &Place) -> Found<'a> {
        let Range { start, end } = place.rest;
        let marks = slice(self.bytes, start + 1..end)
            .iter()
            .take_while(|b| matches!(b, b'+' | b'-' | b'1'..=b'9'))
            .count();
        if marks > 2 || !self.ends_clean(start + 1 + marks, end) {
            return self.odd(
                place,
                "a value can't begin with `|` or `>`; put it in quotes",
            );
        }
        let next = self.deeper(place.line.next, Deeper::Block);
        let (value, form, splice) = (Value::Absent, Form::Block, None);
        if next == place.line.next {
            return Found {
                value,
                span: place.rest.clone(),
                literal: None,
                form,
                splice,
                next,
            };
        }
        let span = start..trim_end(self.bytes, place.line.next..next.saturating_sub(1)).end;
        let value = match self.by_parser(&place.line, next) {
            Some((value @ Value::Text(_), _)) => value,
            _ => {
                self.invalid("a block whose lines are not indented alike");
                self.unclean("a block's lines are not indented alike");
                let mut text = String::new();
                for line in lines(slice(self.bytes, 0..next), place.line.next) {
                    join(&mut text, self.text(line.start..line.end).trim_ascii());
                }
                Value::Text(text.into())
            }
        };
        Found {
            value,
            span,
            literal: None,
            form,
            splice,
            next,
        }
    }

    /// `&name value`, `!tag value`, `*name`.
    fn decorated(&mut self, place: &Place) -> Found<'a> {
        self.unsure = true;
        let whole = place.rest.clone();
        let mut at = whole.start;
        let (mut anchor, mut form) = (None, None);
        while let Some(sign @ (b'&' | b'!')) = byte(self.bytes, at).filter(|_| at < whole.end) {
            let word_end = at
                + slice(self.bytes, at..whole.end)
                    .iter()
                    .take_while(|&&b| !is_blank(b))
                    .count();
            let word = slice(self.bytes, at..word_end);
            if sign == b'&' {
                anchor = Some(word.get(1..).unwrap_or_default());
                form = Some(Form::Anchor);
            } else if !matches!(word, b"!" | b"!!str") {
                // `!!str` says of a text that it is text; any other tag may not take any word.
                form = form.or(Some(Form::Tag));
            }
            at = skip_blanks(self.bytes, word_end, whole.end);
        }
        let place = Place {
            line: place.line,
            rest: at..whole.end,
        };
        let mut found = match byte(self.bytes, at).filter(|_| at < whole.end) {
            None | Some(b'#') => self.nothing_on_line(&place, at),
            Some(b'*') => self.alias(&place),
            Some(_) => self.bare(&place),
        };
        if found.literal.is_some() || matches!(found.value, Value::Absent) {
            found.literal = Some(self.text(whole.clone()));
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
        if found.form == Form::Absent {
            // Nothing but signs: `!urgent` alone is what somebody wrote, not an empty value.
            if !slice(self.bytes, whole.clone()).starts_with(b"!!") {
                found.value = Value::Text(self.text(whole.clone()));
            }
            (found.span, found.form) = (whole, Form::Tag);
        }
        found
    }

    /// `*name`, if it names an anchor that stands above; else it is text like any other.
    fn alias(&mut self, place: &Place) -> Found<'a> {
        let name = slice(self.bytes, place.rest.start + 1..place.rest.end);
        let name = name.split(|&b| is_blank(b)).next().unwrap_or_default();
        let known = self
            .anchors
            .iter()
            .rev()
            .find(|(anchor, _)| *anchor == name)
            .map(|(_, text)| text.clone());
        match known {
            Some(text) if self.ends_clean(place.rest.start + 1 + name.len(), place.rest.end) => {
                Found {
                    value: Value::Text(text),
                    form: Form::Anchor,
                    ..self.text_as_is(place)
                }
            }
            _ => Found {
                form: Form::Anchor,
                splice: None,
                ..self.plain(place)
            },
        }
    }

    /// Nothing but a comment behind the colon: the value is below, or there is none.
    fn nothing_on_line(&mut self, place: &Place, colon_end: usize) -> Found<'a> {
        let next = self.deeper(place.line.next, Deeper::Below);
        // `#12 is in` is a subject's text, `# what it is about` a comment in a template.
        let text =
            byte(self.bytes, place.rest.start + 1).is_some_and(|b| !is_blank(b) && b != b'#');
        let literal = (place.rest.len() > 1 && text).then(|| self.text(place.rest.clone()));
        let nothing = Found {
            value: Value::Absent,
            span: colon_end..colon_end,
            literal,
            form: Form::Absent,
            splice: None,
            next,
        };
        if next == place.line.next {
            return nothing;
        }
        let below = place.line.next..next;
        if let Some(items) = self.block_items(below.clone(), true) {
            let span = self.text_span(below);
            return Found {
                value: Value::List(items),
                span,
                literal: None,
                form: Form::List,
                ..nothing
            };
        }
        self.unsure = true;
        let span = self.text_span(below.clone());
        match self.by_parser(&place.line, next) {
            Some((Value::Absent, None)) | None => {
                let items = self.block_items(below, false);
                let (value, form) = match items {
                    Some(items) => (Value::List(items), Form::List),
                    None => (Value::Unreadable(self.text(span.clone())), Form::Map),
                };
                Found {
                    value,
                    span,
                    literal: None,
                    form,
                    ..nothing
                }
            }
            Some((value, splice)) => {
                let form = match (&value, &splice) {
                    (Value::List(_), _) => Form::List,
                    (Value::Unreadable(_), _) => Form::Map,
                    (Value::Absent, Some(splice)) if splice.is_empty() => return nothing,
                    _ => Form::Plain,
                };
                Found {
                    value,
                    span,
                    literal: None,
                    form,
                    splice,
                    next,
                }
            }
        }
    }

    /// The elements of a block list. `simple`: only if all are plain or simply quoted text at one
    /// depth; else every line that is no element is passed over, if there is an element at all.
    fn block_items(&self, below: Range<usize>, simple: bool) -> Option<Vec<Cow<'a, str>>> {
        let mut items = Vec::new();
        let mut depth = None;
        for line in lines(slice(self.bytes, 0..below.end), below.start) {
            let start = skip_blanks(self.bytes, line.start, line.end);
            let range = trim_end(self.bytes, start..line.end);
            let dash = byte(self.bytes, start) == Some(b'-')
                && is_blank_or_end(self.bytes, start + 1, line.end);
            if range.is_empty() || (!dash && !simple) {
                continue;
            }
            let from = skip_blanks(self.bytes, start + 1, range.end);
            if simple {
                let tabs = slice(self.bytes, line.start..start).contains(&b'\t');
                let alike = *depth.get_or_insert(start - line.start) == start - line.start;
                if !dash || tabs || !alike {
                    return None;
                }
                items.push(self.simple_item(from..range.end)?);
            } else {
                items.push(self.item_as_written(from..range.end));
            }
        }
        (!items.is_empty()).then_some(items)
    }

    /// From the first to the last byte of a range that is no white space.
    fn text_span(&self, range: Range<usize>) -> Range<usize> {
        let bytes = slice(self.bytes, range.clone());
        let start = range.start + (bytes.len() - bytes.trim_ascii_start().len());
        start..start + bytes.trim_ascii().len()
    }

    /// Hands the lines of one field to the strict parser. With the value comes the range of a
    /// plain or quoted scalar on one line that another word may replace.
    fn by_parser(&mut self, line: &Line, end: usize) -> Option<(Value<'a>, Option<Range<usize>>)> {
        let piece = self.raw(line.start..end);
        let mut pairs = strict::pairs(&piece)?;
        let pair = pairs.pop().filter(|_| pairs.is_empty())?;
        let written = piece.get(pair.value_span.clone())?;
        let inner = match pair.style {
            Some(ScalarStyle::Plain) => Some(pair.value_span.clone()),
            Some(ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) => {
                Some(pair.value_span.start + 1..pair.value_span.end.saturating_sub(1))
            }
            _ => None,
        };
        let one_line = matches!(piece, Cow::Borrowed(_)) && !written.contains(['\n', '\r']);
        let splice = inner
            .filter(|_| one_line)
            .map(|r| r.start + line.start..r.end + line.start);
        Some((pair.value, splice))
    }

    fn line_of(&self, at: usize) -> Option<Line> {
        let before = slice(self.bytes, 0..at).iter().rposition(|&b| b == b'\n');
        line_at(self.bytes, before.map_or(0, |n| n + 1))
    }

    /// Whether only blanks or a comment stand in the range.
    fn ends_clean(&self, at: usize, end: usize) -> bool {
        let from = skip_blanks(self.bytes, at, end);
        match byte(self.bytes, from).filter(|_| from < end) {
            None | Some(b'\r') => true,
            Some(b'#') => from > at,
            Some(_) => false,
        }
    }

    /// The end of the lines from `from` on that belong to the field above them.
    fn deeper(&self, from: usize, what: Deeper) -> usize {
        let base = self.base.unwrap_or(0);
        let mut end = from;
        for line in lines(self.bytes, from) {
            let start = skip_blanks(self.bytes, line.start, line.end);
            let first = byte(self.bytes, start).filter(|_| start < line.end);
            match first {
                None | Some(b'\r') => {}
                Some(b'#') if what != Deeper::Block || start - line.start <= base => {
                    if what == Deeper::Block {
                        break;
                    }
                }
                Some(_) if start - line.start > base => end = line.next,
                Some(b'-')
                    if what == Deeper::Below
                        && start - line.start == base
                        && is_blank_or_end(self.bytes, start + 1, line.end) =>
                {
                    end = line.next;
                }
                Some(_) => break,
            }
        }
        end
    }
}

/// What lines below a field may belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deeper {
    /// Deeper lines that are no comments.
    Value,
    /// The same, and list elements at the key's own depth.
    Below,
    /// Every deeper line.
    Block,
}

/// Where a plain value ends (at a comment), and whether `: ` stands in it.
fn plain_end(bytes: &[u8], start: usize, end: usize) -> (usize, bool) {
    let mut colon = false;
    let mut last = b' ';
    for (n, &b) in slice(bytes, start..end).iter().enumerate() {
        match b {
            b'#' if is_blank(last) && n > 0 => return (start + n, colon),
            b' ' | b'\t' if last == b':' => colon = true,
            _ => {}
        }
        last = b;
    }
    (end, colon || last == b':')
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
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            b'"' | b'\'' if matches!(last, b'[' | b'{' | b',' | b':' | b' ' | b'\t' | b'\n') => {
                if let Some(close) = close_quote(bytes, at, end) {
                    at = close;
                }
            }
            b'#' if matches!(last, b' ' | b'\t' | b'\n') => {
                at += slice(bytes, at..end)
                    .iter()
                    .take_while(|&&b| b != b'\n')
                    .count();
                last = b'\n';
                at += 1;
                continue;
            }
            _ => {}
        }
        last = b;
        at += 1;
    }
    None
}

/// Joins a folded line to the text before it.
fn join(text: &mut String, line: &str) {
    if !text.is_empty() && !line.is_empty() {
        text.push(' ');
    }
    text.push_str(line);
}
