//! How a JSON text is laid out at one place, and new values written in that way. Serves
//! `edit`: an insertion should look as if the author of the file had made it.

use super::quote;
use super::tree::{Document, Kind, Node};

/// A value to be written, independent of white space.
pub(super) enum Sketch<'s> {
    /// A scalar, as it is to be spelt.
    Scalar(&'s str),
    Array(Vec<Sketch<'s>>),
    /// Keys with their quotes.
    Object(Vec<(String, Sketch<'s>)>),
}

impl<'s> Sketch<'s> {
    /// The same value as `node`; its depth is bounded by the parser.
    pub(super) fn of(document: &Document<'s>, node: &Node<'s>) -> Self {
        match &node.kind {
            Kind::Array(elements) => Sketch::Array(elements.iter().map(|element| Self::of(document, element)).collect()),
            Kind::Object(members) => {
                let member = |m: &super::Member<'s>| {
                    let key = document.text().get(m.key_span.clone()).unwrap_or_default();
                    (key.to_owned(), Self::of(document, &m.value))
                };
                Sketch::Object(members.iter().map(member).collect())
            }
            _ => Sketch::Scalar(document.raw(node)),
        }
    }

    /// Objects nested by `keys`, the innermost holding `self`.
    pub(super) fn under(self, keys: &[&str]) -> Self {
        keys.iter().rev().fold(self, |inner, key| Sketch::Object(vec![(quote(key), inner)]))
    }
}

/// White space as used around a container.
pub(super) struct Style {
    /// Between a key and its value: the colon and the blanks around it.
    pub(super) colon: String,
    /// A comma between two things on one line.
    pub(super) comma: &'static str,
    pub(super) newline: &'static str,
    /// One level of indentation.
    pub(super) unit: String,
}

impl Style {
    /// The style for children of `container`: its own as far as it shows one, else that of
    /// the document, else two blanks and `": "`.
    pub(super) fn around(document: &Document<'_>, container: &Node<'_>) -> Self {
        let text = document.text();
        let newline = match text.find('\n') {
            Some(at) if text.get(..at).is_some_and(|line| line.ends_with('\r')) => "\r\n",
            _ => "\n",
        };
        let colon = colon_in(text, container).or_else(|| colon_in(text, document.root())).unwrap_or(": ").to_owned();
        let comma = if colon.ends_with(' ') { ", " } else { "," };
        let unit = unit_in(text, container).or_else(|| unit_in(text, document.root())).unwrap_or("  ").to_owned();
        Self { colon, comma, newline, unit }
    }

    /// Writes `sketch` on one line, or, given the indentation of the line it starts in,
    /// with each child on a line of its own.
    pub(super) fn write(&self, out: &mut String, sketch: &Sketch<'_>, indent: Option<&str>) {
        let inner = indent.map(|indent| format!("{indent}{}", self.unit));
        let (open, close) = match sketch {
            Sketch::Scalar(spelling) => return out.push_str(spelling),
            Sketch::Array(_) => ('[', ']'),
            Sketch::Object(_) => ('{', '}'),
        };
        out.push(open);
        let mut count = 0;
        let mut child = |out: &mut String, key: Option<&str>, value: &Sketch<'_>| {
            match &inner {
                Some(inner) => {
                    out.push_str(if count == 0 { "" } else { "," });
                    out.push_str(self.newline);
                    out.push_str(inner);
                }
                None => out.push_str(if count == 0 { "" } else { self.comma }),
            }
            count += 1;
            if let Some(key) = key {
                out.push_str(key);
                out.push_str(&self.colon);
            }
            self.write(out, value, inner.as_deref());
        };
        match sketch {
            Sketch::Scalar(_) => {}
            Sketch::Array(elements) => elements.iter().for_each(|e| child(out, None, e)),
            Sketch::Object(members) => members.iter().for_each(|(k, v)| child(out, Some(k), v)),
        }
        if let (true, Some(indent)) = (count > 0, indent) {
            out.push_str(self.newline);
            out.push_str(indent);
        }
        out.push(close);
    }
}

/// The white space inside the brackets of `container`, before its first and behind its
/// last child; all of it as the first where there is no child.
pub(super) fn padding<'a>(text: &'a str, container: &Node<'_>) -> (&'a str, &'a str) {
    let (open, close) = (container.span.start + 1, container.span.end.saturating_sub(1));
    let slice = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let last = container.len().checked_sub(1).and_then(|last| container.child(last));
    match (container.child(0), last) {
        (Some(first), Some(last)) => (slice(open, first.start), slice(last.end, close)),
        _ => (slice(open, close), ""),
    }
}

/// The indentation of the last line of `blanks`, where they hold a line break.
pub(super) fn indentation(blanks: &str) -> Option<&str> {
    let line = blanks.rsplit_once('\n')?.1;
    let width = line.bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
    line.get(..width)
}

fn unit_in<'a>(text: &'a str, container: &Node<'_>) -> Option<&'a str> {
    let (before, behind) = padding(text, container);
    let unit = indentation(before)?.strip_prefix(indentation(behind)?)?;
    (!unit.is_empty()).then_some(unit)
}

/// How a key is joined to its value in `container` or its last element.
fn colon_in<'a>(text: &'a str, container: &Node<'_>) -> Option<&'a str> {
    let members = match container.elements().last() {
        Some(element) => element.members(),
        None => container.members(),
    };
    let member = members.last()?;
    let colon = text.get(member.key_span.end..member.value.span.start)?;
    (!colon.contains(['\n', '\r'])).then_some(colon)
}
