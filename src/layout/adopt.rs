//! Messages from elsewhere as Markdown files: the bytes they had, with their references led to the new
//! place; or a header made anew for a message that had another form.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::keys::{Key, Ranks, key_of};
use super::markdown::one_or_list;
use super::{Dialect, Parcel, RawValue};
use crate::model::date::When;
use crate::model::plan::Refusal;
use crate::model::status::Status;
use crate::text::compose::{self, Entry as Item};
use crate::text::file_name::with_suffix;
use crate::text::header::{Field, Form};
use crate::text::yaml::{self, Value};
use crate::text::{body, frontmatter, nested};

/// Why a reference stays as it was.
pub const REFERENCE_KEPT: &str = "reference-kept";

/// The bytes of a message that keeps its form, with the references of its parcel.
///
/// # Errors
/// [`REFERENCE_KEPT`] where they can't be changed without touching anything else.
pub(super) fn with_references(parcel: &Parcel<'_>, whole: &[u8], dialect: &Dialect) -> Result<Vec<u8>, Refusal> {
    let wanted = &parcel.header.in_reply_to;
    if *wanted == parcel.message.header.in_reply_to {
        return Ok(whole.to_vec());
    }
    let kept = || Refusal::new(REFERENCE_KEPT, "its reference to what it answers can't be changed safely, and stays as it was");
    let split = frontmatter::split(whole, true).map_err(|_| kept())?;
    let old = yaml::read(whole, &split);
    let at = chosen(&old.fields, dialect).ok_or_else(kept)?;
    let field = old.fields.get(at).filter(|f| matches!(f.form, Form::Plain | Form::Quoted | Form::List)).ok_or_else(kept)?;
    let value = match wanted.as_slice() {
        [one] => compose::scalar(one),
        several => compose::list(several),
    };
    let (start, end) = (field.value_span.start, field.value_span.end);
    let parts = [whole.get(..start), Some(value.as_bytes()), whole.get(end..)];
    let after: Vec<u8> = parts.into_iter().collect::<Option<Vec<_>>>().ok_or_else(kept)?.concat();
    // Nothing but that one value may say something else now.
    let split = frontmatter::split(&after, true).map_err(|_| kept())?;
    let new = yaml::read(&after, &split);
    let same = |(i, (a, b)): (usize, (&Field<'_>, &Field<'_>))| a.key == b.key && (i == at || a.value == b.value);
    let reads = new.fields.get(at).is_some_and(|f| texts(&f.value) == *wanted);
    if reads && new.fields.len() == old.fields.len() && old.fields.iter().zip(&new.fields).enumerate().all(same) {
        return Ok(after);
    }
    Err(kept())
}

/// The field that the references are read from.
fn chosen(fields: &[Field<'_>], dialect: &Dialect) -> Option<usize> {
    let mut ranks = Ranks::default();
    let mut found = None;
    for (at, field) in fields.iter().enumerate() {
        if let Some(Key::Parent(rank)) = key_of(&field.key, dialect)
            && ranks.parent.take(rank, !matches!(field.value, Value::Absent))
        {
            found = Some(at);
        }
    }
    found
}

fn texts(value: &Value<'_>) -> Vec<String> {
    match value {
        Value::Text(text) => vec![text.to_string()],
        Value::List(items) => items.iter().map(ToString::to_string).collect(),
        Value::Unreadable(raw) => vec![raw.to_string()],
        Value::Absent => Vec::new(),
    }
}

/// The bytes of a message that had another form: a header in the order of the convention, keys of
/// nobody's behind it, and the text as it was.
///
/// # Errors
/// The text would be taken for a second message.
pub(super) fn anew(parcel: &Parcel<'_>, date_key: &'static str, status: Option<Status>) -> Result<Vec<u8>, Refusal> {
    if let Some(line) = body::second_header(parcel.body) {
        let text = format!("line {line} of its text looks like the header of another message");
        return Err(Refusal::new("several-messages", text));
    }
    let header = &parcel.header;
    let items = [
        ("id", header.id.as_deref().map(Item::Text)),
        ("from", header.from.as_deref().map(Item::Text)),
        ("to", one_or_list(&header.to)),
        ("cc", one_or_list(&header.cc)),
        (date_key, parcel.date().map(date)),
        ("type", header.kind.as_deref().map(Item::Text)),
        ("priority", header.priority.as_deref().map(Item::Text)),
        ("status", status.map(|s| Item::Text(s.word()))),
        ("subject", parcel.subject().map(Item::Text)),
        ("in-reply-to", one_or_list(&header.in_reply_to)),
        ("thread", header.thread.as_deref().map(Item::Text)),
        ("origin", header.origin.as_deref().map(Item::Text)),
        ("tags", (!header.tags.is_empty()).then_some(Item::List(&header.tags))),
    ];
    let mut entries: Vec<(String, Item<'_>)> =
        items.into_iter().filter_map(|(key, item)| Some((key.to_owned(), item?))).collect();
    let written: Vec<&str> =
        entries.iter().map(|(key, _)| key.as_str()).chain(["status", "date", "timestamp", "reply_to"]).collect();
    let extras = parcel.extras(&written);
    let flows: Vec<Option<String>> = extras.iter().map(|(_, value)| flow(value)).collect();
    for ((key, value), flow) in extras.iter().zip(&flows) {
        let item = match value {
            RawValue::Absent => Item::Text(""),
            RawValue::Text(text) => Item::Text(text),
            RawValue::Other(text) => flow.as_deref().map_or(Item::Text(text), Item::Flow),
            RawValue::List(items) => Item::List(items),
        };
        entries.push((compose::scalar(key), item));
    }
    let lines: Vec<(&str, Item<'_>)> = entries.iter().map(|(key, item)| (key.as_str(), item.clone())).collect();
    let mut out = compose::header(&lines).into_bytes();
    // A text that never stood behind a header gets the blank line and the line end of one.
    let bare = !parcel.body.is_empty() && !parcel.body.starts_with(b"\n") && !parcel.body.starts_with(b"\r\n");
    if bare {
        out.push(b'\n');
    }
    out.extend_from_slice(parcel.body);
    if bare && !parcel.body.ends_with(b"\n") {
        out.push(b'\n');
    }
    Ok(out)
}

/// An object, as a mapping.
fn flow(value: &RawValue) -> Option<String> {
    if let RawValue::Other(raw) = value { nested::as_flow(raw) } else { None }
}

/// A date as it was written: plain where it is one to every reader.
fn date(text: &str) -> Item<'_> {
    let is_plain = When::parse(text).is_some() && text.chars().all(|c| c.is_ascii_digit() || "-:TZ+.".contains(c));
    if is_plain { Item::Date(text) } else { Item::Text(text) }
}

/// The first free place of a name in a folder: ` (2)`, ` (3)`, … goes before the ending, as in an archive.
pub(super) fn free_place(parcel: &Parcel<'_>, folder: &Path, name: &OsStr, bytes: &[u8]) -> PathBuf {
    let mut path = folder.join(name);
    let mut n = 1_usize;
    while parcel.is_taken(&path, bytes) {
        n += 1;
        path = folder.join(with_suffix(name, &format!(" ({n})")));
    }
    path
}
