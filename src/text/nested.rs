//! Mappings in a header, on their way into JSON and back.
//!
//! A header's values are text, so those in a mapping are strings in JSON, too. What JSON can't say –
//! comments, anchors, tags, a key twice – makes no object: the text stays as it is written.

use std::collections::HashSet;

use granit_parser::{Event, Span};

use super::json::{self, quote};
use super::strict::{is_null, parser};

/// The longest mapping that is written on one line, in bytes.
const LONGEST: usize = 4 << 10;

/// The JSON object that a header's mapping is, from its text as the header has it: the first line
/// without its indentation.
pub fn as_json(raw: &str) -> Option<String> {
    // A comment has no place in JSON; a `#` that is none costs the object, and no text.
    if raw.contains('#') {
        return None;
    }
    let depth = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let others = raw.lines().skip(1).filter(|line| !line.trim().is_empty()).map(depth);
    let indented = format!("{}{raw}", " ".repeat(others.min().unwrap_or(0)));
    object(raw).or_else(|| object(&indented))
}

/// An object's text in JSON as a mapping for one line of a header, where every reader gets it back.
pub fn as_flow(raw: &str) -> Option<String> {
    let document = json::Document::parse(raw).ok().filter(|document| !document.root().members().is_empty())?;
    let line = json::one_line(&document, document.root());
    let is_plain = |c: char| c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric();
    let is_safe = line.len() <= LONGEST && line.chars().all(is_plain) && as_json(&line).is_some();
    is_safe.then_some(line)
}

fn object(text: &str) -> Option<String> {
    let events: Vec<(Event<'_>, Span)> = parser(text).collect::<Result<_, _>>().ok()?;
    let mut events = events.into_iter().map(|(event, _)| event).peekable();
    while events.next_if(|event| matches!(event, Event::StreamStart | Event::DocumentStart(..))).is_some() {}
    if !matches!(events.peek()?, Event::MappingStart(..)) {
        return None;
    }
    let mut out = String::new();
    write(&mut out, &mut events)?;
    matches!(events.next()?, Event::DocumentEnd).then_some(())?;
    matches!(events.next()?, Event::StreamEnd).then_some(out)
}

/// Writes the node that comes next; its depth is bounded by the parser.
fn write<'e>(out: &mut String, events: &mut std::iter::Peekable<impl Iterator<Item = Event<'e>>>) -> Option<()> {
    match events.next()? {
        Event::Scalar(text, style, 0, None) => {
            out.push_str(&if is_null(&text, style) { "null".to_owned() } else { quote(&text) });
        }
        Event::SequenceStart(_, 0, None) => {
            out.push('[');
            while events.next_if(|event| matches!(event, Event::SequenceEnd)).is_none() {
                out.push_str(if out.ends_with('[') { "" } else { ", " });
                write(out, events)?;
            }
            out.push(']');
        }
        Event::MappingStart(_, 0, None) => {
            let mut keys = HashSet::new();
            out.push('{');
            while events.next_if(|event| matches!(event, Event::MappingEnd)).is_none() {
                out.push_str(if keys.is_empty() { "" } else { ", " });
                let Event::Scalar(key, _, 0, None) = events.next()? else { return None };
                out.push_str(&quote(&key));
                out.push_str(": ");
                keys.insert(key.to_string()).then_some(())?;
                write(out, events)?;
            }
            out.push('}');
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_is_an_object() {
        for (raw, object) in [
            ("a: 1", r#"{"a": "1"}"#),
            ("a: 1\n  b: no\n  c:", r#"{"a": "1", "b": "no", "c": null}"#),
            ("a:\n    x: 'q \"1\"'\n    y: [1, [two]]\n  b: 2", r#"{"a": {"x": "q \"1\"", "y": ["1", ["two"]]}, "b": "2"}"#),
            ("a:\n    x: 1", r#"{"a": {"x": "1"}}"#),
            ("{a: 1, \"b\": []}", r#"{"a": "1", "b": []}"#),
        ] {
            assert_eq!(as_json(raw).as_deref(), Some(object), "{raw}");
            assert!(serde_json::from_str::<serde_json::Value>(object).is_ok());
            assert_eq!(as_json(&as_flow(object).unwrap()).as_deref(), Some(object));
        }
    }

    #[test]
    fn what_json_can_not_say_stays_text() {
        let deep = "{a: ".repeat(5_000);
        for raw in [
            "a: 1 # note",
            "a: 1\n  a: 2",
            "a: &x 1",
            "a: !!int 1",
            "text",
            "- a",
            "a: [",
            "",
            "a: 1\n---\nb: 2",
            "? [a]\n: 1",
            &deep,
        ] {
            assert_eq!(as_json(raw), None, "{raw}");
        }
        for raw in ["{}", "[1]", "5", "{\"a\":\"x # y\"}", "{\"a\":\"\u{202e}\"}", "{\"a\":1,\"a\":2}", "{"] {
            assert_eq!(as_flow(raw), None, "{raw}");
        }
        assert_eq!(as_flow("{\"a\":1,\n \"b\":[true]}").as_deref(), Some("{\"a\": 1, \"b\": [true]}"));
    }
}
