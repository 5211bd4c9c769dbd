//! The strict side: what YAML 1.2 parsers make of a header or of a piece of one.
//!
//! Beside the tolerant reader: it is asked about values that need a parser (escapes, blocks,
//! flow lists), whether a header is YAML at all, and by the status edit whether a change changed
//! only what it should. granit-parser comes first and alone bounds depth, so that no hostile
//! header reaches the other parser, whose cost is not linear.

use std::borrow::Cow;
use std::ops::Range;

use granit_parser::{Event, Options, Parser, ScalarStyle, Span, StrInput};
use serde_yaml::{Mapping, Value as Typed};

use super::header::Value;

/// Deeper than any header that was meant; a parser's stack never sees more.
const MAX_DEPTH: usize = 64;

/// More brackets or aliases than this, and libyaml is not asked: it is quadratic in the one and
/// copies what the other stands for.
const MAX_BRACKETS: usize = 256;
const MAX_ALIASES: usize = 8;

/// One pair of a mapping.
pub(super) struct Pair<'a> {
    pub key: String,
    pub key_span: Range<usize>,
    pub value: Value<'a>,
    /// The value without anchor and tag.
    pub value_span: Range<usize>,
    /// Whether the value is a scalar without anchor and tag, and how it is quoted.
    pub style: Option<ScalarStyle>,
}

pub(super) fn parser(text: &str) -> Parser<'_, StrInput<'_>> {
    let limits: Options = granit_parser::options! {
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
        emit_unresolved_aliases: true,
    };
    Parser::new_from_str_with_options(text, limits)
}

/// Whether `text` is one YAML document whose root is a mapping (or nothing).
///
/// # Errors
/// The line, counted from 0, and what is wrong there.
pub(super) fn check(text: &str) -> Result<(), (usize, String)> {
    let mut depth = 0_usize;
    for event in parser(text) {
        let (event, span) = event.map_err(|e| (e.marker().line().saturating_sub(1), e.info()))?;
        let line = span.start.line().saturating_sub(1);
        match event {
            Event::UnresolvedAlias(name) => {
                return Err((line, format!("no anchor `&{name}` stands above")));
            }
            Event::Scalar(value, style, ..) if depth == 0 && !is_null(&value, style) => {
                return Err((line, "the header is text, not `key: value` lines".to_owned()));
            }
            Event::SequenceStart(..) if depth == 0 => {
                return Err((line, "the header is a list, not `key: value` lines".to_owned()));
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => depth += 1,
            Event::SequenceEnd | Event::MappingEnd => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

/// Whether a scalar is YAML's null: nothing at all, or one of its plain spellings.
pub(super) fn is_null(text: &str, style: ScalarStyle) -> bool {
    style == ScalarStyle::Plain && matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// The pairs of the mapping that `text` is; `None` where it is anything else.
///
/// Values are text or lists of text; what is nested deeper comes as it is written.
pub(super) fn pairs<'a>(text: &str) -> Option<Vec<Pair<'a>>> {
    let events: Vec<(Event<'_>, Span)> = parser(text).collect::<Result<_, _>>().ok()?;
    let mut at = events.iter().position(|(event, _)| !matches!(event, Event::StreamStart | Event::DocumentStart(..)))?;
    if !matches!(events.get(at)?.0, Event::MappingStart(..)) {
        return None;
    }
    at += 1;
    let mut pairs = Vec::new();
    while !matches!(events.get(at)?.0, Event::MappingEnd) {
        let (key, span) = events.get(at)?;
        let key_span = span.byte_range()?;
        let key = match key {
            Event::Scalar(key, ..) => key.to_string(),
            _ => text.get(key_span.clone()).unwrap_or_default().to_owned(),
        };
        at = end_of_node(&events, at)?;
        let value_end = end_of_node(&events, at)?;
        let (value, style) = value_of(text, events.get(at..value_end)?)?;
        let value_span = span_of(events.get(at..value_end)?)?;
        pairs.push(Pair { key, key_span, value, value_span, style });
        at = value_end;
    }
    Some(pairs)
}

/// The place behind the node whose first event is `at`.
fn end_of_node<T>(events: &[(Event<'_>, T)], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (n, (event, _)) in events.iter().enumerate().skip(at) {
        match event {
            Event::SequenceStart(..) | Event::MappingStart(..) => depth += 1,
            Event::SequenceEnd | Event::MappingEnd => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(n + 1);
        }
    }
    None
}

fn span_of(node: &[(Event<'_>, Span)]) -> Option<Range<usize>> {
    let (first, last) = (node.first()?.1.byte_range()?, node.last()?.1.byte_range()?);
    Some(first.start..last.end.max(first.end))
}

fn value_of<'a>(text: &str, node: &[(Event<'_>, Span)]) -> Option<(Value<'a>, Option<ScalarStyle>)> {
    let written = |node: &[(Event<'_>, Span)]| -> Option<Cow<'a, str>> {
        Some(Cow::Owned(text.get(span_of(node)?)?.trim_end().replace('\r', "")))
    };
    match &node.first()?.0 {
        Event::Scalar(value, style, anchor, tag) => {
            let style = (*anchor == 0 && tag.is_none()).then_some(*style);
            let null = style.is_some_and(|style| is_null(value, style));
            let value = if null { Value::Absent } else { Value::Text(Cow::Owned(value.to_string())) };
            Some((value, style))
        }
        Event::SequenceStart(..) => {
            let mut items = Vec::new();
            let mut at = 1;
            while at + 1 < node.len() {
                let end = end_of_node(node, at)?;
                let item = node.get(at..end)?;
                items.push(match item.first()? {
                    // The parser writes `~` for an element that is not there at all.
                    (Event::Scalar(_, ScalarStyle::Plain, ..), span) if span.is_empty() => Cow::Borrowed(""),
                    (Event::Scalar(item, ..), _) => Cow::Owned(item.to_string()),
                    _ => written(item)?,
                });
                at = end;
            }
            Some((Value::List(items), None))
        }
        _ => Some((Value::Unreadable(written(node)?), None)),
    }
}

/// A header's content before and after an edit of its status.
pub(super) struct Change<'e> {
    pub before: &'e str,
    pub after: &'e str,
    /// The new status.
    pub word: &'e str,
    /// Whether a status line was added, not one changed.
    pub added: bool,
}

impl Change<'_> {
    /// Whether a strict parser took the old header for a mapping. Then the edit is held to it:
    /// the new one is the same mapping but for the status.
    ///
    /// # Errors
    /// In words, what else would have changed.
    pub fn verify(&self, is_status_key: &impl Fn(&str) -> bool) -> Result<bool, &'static str> {
        let by_events = self.verify_events(is_status_key)?;
        Ok(self.verify_typed(is_status_key)? || by_events)
    }

    fn verify_events(&self, is_status_key: &impl Fn(&str) -> bool) -> Result<bool, &'static str> {
        let Some(before) = mapping_events(self.before) else {
            return Ok(false);
        };
        let after = mapping_events(self.after).ok_or("the header would no longer be YAML")?;
        let olds = status_values(&before, is_status_key);
        let [new] = status_values(&after, is_status_key)[..] else {
            return Err("a YAML parser sees another number of status keys there");
        };
        let placed = matches!(after.get(new), Some((Event::Scalar(text, _, 0, _), ())) if text == self.word);
        if !placed {
            return Err("a YAML parser would read another status");
        }
        // Take the status out of both; what is left has to be the same, event for event.
        let same = if self.added {
            let kept = after.iter().enumerate().filter(|(n, _)| n + 1 != new && *n != new).map(|(_, event)| event);
            olds.is_empty() && kept.eq(before.iter())
        } else {
            olds == [new]
                && before.len() == after.len()
                && before.iter().zip(&after).enumerate().all(|(n, (a, b))| n == new || a == b)
        };
        if same { Ok(true) } else { Err("a YAML parser would read another value changed") }
    }

    fn verify_typed(&self, is_status_key: &impl Fn(&str) -> bool) -> Result<bool, &'static str> {
        let Some(mut before) = typed(self.before) else {
            return Ok(false);
        };
        let mut after = typed(self.after).ok_or("the header would no longer be YAML 1.1")?;
        let is_status = |key: &Typed| key.as_str().is_some_and(is_status_key);
        before.retain(|key, _| !is_status(key));
        let mut words = 0;
        let word = self.word;
        after.retain(|key, value| {
            let status = is_status(key);
            words += usize::from(status && untagged(value).as_str() == Some(word));
            !status
        });
        if words == 1 && before == after { Ok(true) } else { Err("a YAML 1.1 parser would read another value changed") }
    }
}

/// The events of a document whose root is a block mapping, or of one that is empty.
fn mapping_events(text: &str) -> Option<Vec<(Event<'_>, ())>> {
    let mut events = Vec::new();
    for event in parser(text) {
        events.push((event.ok()?.0, ()));
    }
    // An empty document is a mapping without pairs: that is what a line added to it makes of it.
    let nothing = |event: &(Event<'_>, ())| matches!(&event.0, Event::Scalar(text, style, 0, None) if is_null(text, *style));
    if let [_, _, root, _, _] = &events[..]
        && nothing(root)
    {
        let start = Event::MappingStart(granit_parser::StructureStyle::Block, 0, None);
        events.splice(2..3, [(start, ()), (Event::MappingEnd, ())]);
    }
    matches!(events.get(2)?.0, Event::MappingStart(..)).then_some(events)
}

/// Where the values of the root's status keys stand.
fn status_values(events: &[(Event<'_>, ())], is_status_key: &impl Fn(&str) -> bool) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 3;
    while let Some((event, ())) = events.get(at).filter(|(event, ())| !matches!(event, Event::MappingEnd)) {
        let status = matches!(event, Event::Scalar(key, ..) if is_status_key(key));
        let Some(value) = end_of_node(events, at) else {
            break;
        };
        if status {
            found.push(value);
        }
        let Some(next) = end_of_node(events, value) else {
            break;
        };
        at = next;
    }
    found
}

/// The header as libyaml's family reads it, if it is a mapping there and small enough to ask.
fn typed(text: &str) -> Option<Mapping> {
    let count = |of: &[u8]| text.bytes().filter(|b| of.contains(b)).count();
    if count(b"[{") > MAX_BRACKETS || count(b"*") > MAX_ALIASES {
        return None;
    }
    match serde_yaml::from_str(text).ok()? {
        Typed::Mapping(mapping) => Some(mapping),
        Typed::Null => Some(Mapping::new()),
        _ => None,
    }
}

fn untagged(value: &Typed) -> &Typed {
    match value {
        Typed::Tagged(tagged) => &tagged.value,
        value => value,
    }
}
