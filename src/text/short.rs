//! The header reader's short way: what the plain lines of an ordinary header say.
//!
//! The same answer as the careful reader's (`yaml.rs`), or none.

use std::borrow::Cow;
use std::ops::Range;

use super::collection::simple_items;
use super::frontmatter::Split;
use super::header::{Field, Form, Header, Value};
use super::lines::slice;
use super::plain::{Lines, Plain, is_null};

/// More fields than this are for the careful reader: here each key is compared with all before it.
const MOST_FIELDS: usize = 24;

/// Reads a header of plain lines; `None` where a line, or two of them together, are anything else.
pub(super) fn read<'a>(bytes: &'a [u8], split: &Split) -> Option<Header<'a>> {
    if !split.leading.is_empty() {
        return None;
    }
    let start = split.content.start;
    let content = std::str::from_utf8(slice(bytes, split.content.clone())).ok()?;
    let text = |range: Range<usize>| content.get(range.start - start..range.end - start).unwrap_or_default();
    let mut lines = Lines::from(bytes, start);
    let mut fields: Vec<Field<'a>> = Vec::new();
    while let Some(pair) = lines.next().ok()? {
        let key = text(pair.key.clone());
        if fields.len() == MOST_FIELDS || fields.iter().any(|field| field.key.eq_ignore_ascii_case(key)) {
            return None;
        }
        if fields.is_empty() {
            fields.reserve(10);
        }
        let text = |range| Cow::Borrowed(text(range));
        let (value, form, span, literal, splice) = match lines.value(&pair).ok()? {
            Plain::Absent => {
                let behind = pair.key.end + 1;
                (Value::Absent, Form::Absent, behind..behind, None, None)
            }
            Plain::Text(span) => {
                let null = is_null(&text(span.clone()));
                let value = if null { Value::Absent } else { Value::Text(text(span.clone())) };
                (value, Form::Plain, span.clone(), (!null).then(|| text(pair.rest)), Some(span))
            }
            Plain::Quoted(inner) => (Value::Text(text(inner.clone())), Form::Quoted, pair.rest, None, Some(inner)),
            Plain::List(inner) => {
                let items = simple_items(bytes, inner, text)?;
                (Value::List(items), Form::List, pair.rest.clone(), Some(text(pair.rest)), None)
            }
        };
        fields.push(Field {
            key: Cow::Borrowed(key),
            key_span: pair.key,
            line: split.first_line + fields.len(),
            value,
            value_span: span,
            literal,
            form,
            splice,
        });
    }
    // Where a line could be added: in the column of the keys, which is the first.
    let indent = if fields.is_empty() { 0..0 } else { start..start };
    Some(Header { fields, issues: Vec::new(), indent, unclean: None })
}

#[cfg(test)]
#[path = "short_tests.rs"]
mod tests;
