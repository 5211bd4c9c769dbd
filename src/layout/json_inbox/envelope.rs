//! A message's JSON: what its members mean, and the one of them that marking changes.
//!
//! The envelope is `{id, from, to, type, priority, thread, timestamp, body, context, reply_to}`; its
//! sibling writes `replyTo`, `createdAt`, `subject`, and an object for the body. All of it is checked,
//! only the outermost members are kept.

use std::borrow::Cow;
use std::collections::HashSet;

use chrono::{DateTime, Utc};

use super::super::keys::{self, Key, Ranks, key_of};
use super::super::{Context, Dialect, Entry, Head, Need, RawField, RawValue, bare};
use crate::model::date::When;
use crate::model::message::{Header, Message, Shown, Warning};
use crate::model::plan::Refusal;
use crate::model::status::Status;
use crate::text::json::{self, Document, JsonError, Kind, Member, Node};
use crate::text::{body, status_edit};

/// What is read before the whole file is, in bytes: most messages are smaller.
const SMALL: usize = 64 * 1024;
/// Members that are read of an envelope, and elements of a list in it.
pub(super) const MOST_MEMBERS: usize = 1_000;
/// The longest header value that is kept, in bytes.
pub(super) const LONGEST: usize = 64 * 1024;
/// The largest body that is laid out anew for reading, in bytes.
const MOST_PRETTY: usize = 1024 * 1024;

/// Reads one file's message.
///
/// # Errors
/// [`Need`] until the whole file is there: the member that matters may be the last one.
pub(super) fn read(context: &Context<'_>, entry: &Entry, head: Head<'_>) -> Result<Message, Need> {
    if !head.complete && head.bytes.len() <= json::MAX_BYTES {
        return Err(Need::Bytes(if head.bytes.len() < SMALL { SMALL } else { json::MAX_BYTES + 1 }));
    }
    let no_json = |error: &JsonError| Ok(bare::by_name(context, entry, Warning::new("bad-json", told(error))));
    let text = match json::lossy(head.bytes) {
        Ok(text) => text,
        Err(error) => return no_json(&error),
    };
    let document = match outline(&text) {
        Ok(document) => document,
        // Where other bytes are not even text, that is what is wrong with it.
        Err(error) => return no_json(&json::text_of(head.bytes).err().unwrap_or(error)),
    };
    let members = document.root().members();
    if !matches!(document.root().kind, Kind::Object(_)) || members.len() == MOST_MEMBERS {
        let text =
            if members.is_empty() { "it is no JSON object, so no message" } else { "it has too many members for a message" };
        return Ok(bare::by_name(context, entry, Warning::new("bad-json", text)));
    }
    let mut header = Header::default();
    let mut warnings = Vec::new();
    if matches!(text, Cow::Owned(_)) {
        warnings.push(Warning::new("not-utf8", "some of its bytes are not UTF-8; they are kept, and shown as U+FFFD"));
    }
    let text = fill(&mut header, &document, context.dialect);
    let found = status_of(members, context.dialect);
    let status = status_beside(&found, entry.state, context.dialect, &mut warnings);
    let raw_status = match found {
        Found::Word(word) => Some(word.to_owned()),
        _ => None,
    };
    let mut keys = HashSet::new();
    if let Some(member) = members.iter().find(|m| !keys.insert(m.key.as_ref())) {
        let text = format!("the key {:?} stands in it twice; the last one counts", member.key);
        warnings.push(Warning::new("duplicate-key", text));
    }
    let mut shown = bare::shown(&header, &entry.name.to_string_lossy(), || title(&document, text), &mut warnings);
    count_date(&header, &mut shown, &mut warnings);
    bare::warn_of_hidden(&header, &mut warnings);
    let message = bare::with(context, entry, header, shown);
    Ok(Message { status, raw_status, warnings, readable: true, ..message })
}

/// Shows the date that a number stands for.
pub(in super::super) fn count_date(header: &Header, shown: &mut Shown, warnings: &mut Vec<Warning>) {
    if let Some(instant) = header.date.as_deref().and_then(since_epoch) {
        shown.when = Some(When::Instant(instant));
        shown.date = instant.format("%Y-%m-%dT%H:%M:%SZ").to_string();
        warnings.retain(|w| w.kind != "date-unreadable");
    }
}

/// A date as programs count it: seconds or milliseconds since 1970.
pub(super) fn since_epoch(text: &str) -> Option<DateTime<Utc>> {
    let number: i64 = text.trim().split('.').next()?.parse().ok()?;
    match text.trim().split('.').next()?.len() {
        9 | 10 => DateTime::from_timestamp(number, 0),
        12 | 13 => DateTime::from_timestamp_millis(number),
        _ => None,
    }
}

/// The outermost members of a message, and the elements of lists in them.
pub(super) fn outline(text: &str) -> Result<Document<'_>, JsonError> {
    Document::outline(text, 2, MOST_MEMBERS)
}

fn told(error: &JsonError) -> String {
    format!("it can't be read as JSON: {error}")
}

/// What stands in the place of a status.
pub(super) enum Found<'a> {
    Missing,
    /// A text without a word in it.
    Empty,
    Word(&'a str),
    /// Something that is no word, or several.
    Unreadable(&'static str),
}

pub(super) fn status_of<'n>(members: &'n [Member<'_>], dialect: &Dialect) -> Found<'n> {
    let mut found = members.iter().filter(|m| key_of(&m.key, dialect) == Some(Key::Status));
    match (found.next(), found.next()) {
        (None, _) => Found::Missing,
        (Some(_), Some(_)) => Found::Unreadable("it has several status members; keep one"),
        (Some(member), None) => match &member.value.kind {
            Kind::String(word) if !word.trim().is_empty() => Found::Word(word),
            Kind::String(_) => Found::Empty,
            Kind::Null => Found::Missing,
            _ => Found::Unreadable("its status is no text; write a word"),
        },
    }
}

/// The status that a member and the place give together: the later of the two. A place can only say
/// that a message was read, and a writer that puts `"status": "unread"` into every message never
/// comes back to change it.
fn status_beside(member: &Found<'_>, place: Option<Status>, dialect: &Dialect, warnings: &mut Vec<Warning>) -> Status {
    let by_place = place.unwrap_or(Status::Unread);
    match member {
        Found::Missing => by_place,
        Found::Empty => {
            warnings.push(Warning::new("status-empty", format!("the status is empty; it counts as {by_place}")));
            by_place
        }
        Found::Word(word) => dialect.words.read(word).map_or_else(
            || {
                let text = format!("the status {word:?} is no word that is known; it counts as {by_place}");
                warnings.push(Warning::new("status-unknown", text));
                by_place
            },
            |status| status.max(by_place),
        ),
        Found::Unreadable(why) => {
            warnings.push(Warning::new("status-unreadable", format!("{why}; it counts as {by_place}")));
            by_place
        }
    }
}

/// Sorts the members into the header; gives the one that is the text.
fn fill<'n, 'a>(header: &mut Header, document: &'n Document<'a>, dialect: &Dialect) -> Option<&'n Node<'a>> {
    let mut ranks = Ranks::default();
    let mut text = None;
    for Member { key, value, .. } in document.root().members() {
        let Some(key) = key_of(key, dialect) else { continue };
        let said = !matches!(value.kind, Kind::Null);
        let one = || scalar(document, value);
        match key {
            Key::Id => header.id = one(),
            Key::From => header.from = one(),
            Key::To => header.to = list(document, value),
            Key::Cc => header.cc = list(document, value),
            Key::Bcc => header.bcc = list(document, value),
            Key::Subject(rank) if ranks.subject.take(rank, said) => header.subject = one(),
            Key::Date(rank) if ranks.date.take(rank, said) => header.date = one(),
            Key::Type => header.kind = one(),
            Key::Priority(rank) if ranks.priority.take(rank, said) => header.priority = one(),
            Key::Thread(rank) if ranks.thread.take(rank, said) => header.thread = one(),
            Key::Parent(rank) if ranks.parent.take(rank, said) => header.in_reply_to = list(document, value),
            // In this form it is the message answered, never an address.
            Key::ReplyTo if ranks.parent.take(u8::MAX, said) => header.in_reply_to = list(document, value),
            Key::Origin => header.origin = one(),
            Key::Tags(rank) if ranks.tags.take(rank, said) => header.tags = list(document, value),
            Key::Body(rank) if ranks.body.take(rank, said) => text = Some(value),
            _ => {}
        }
    }
    text
}

/// A value as text: strings undone, everything else as it is spelt.
fn scalar(document: &Document<'_>, node: &Node<'_>) -> Option<String> {
    let text = match &node.kind {
        Kind::Null => return None,
        Kind::String(text) => text,
        _ => document.raw(node),
    };
    Some(clipped(text).to_owned())
}

fn list(document: &Document<'_>, node: &Node<'_>) -> Vec<String> {
    match &node.kind {
        Kind::Array(elements) => elements.iter().filter_map(|e| scalar(document, e)).collect(),
        _ => scalar(document, node).into_iter().collect(),
    }
}

fn clipped(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// What stands in for a missing subject: the text's first line, or what an object calls its own.
fn title(document: &Document<'_>, text: Option<&Node<'_>>) -> Option<String> {
    let text = text?;
    match &text.kind {
        Kind::String(text) => body::title_of(text.as_bytes()),
        Kind::Object(members) => {
            let named = |names: &[&str]| members.iter().find(|m| names.iter().any(|n| m.key.eq_ignore_ascii_case(n)));
            let own = [&["subject", "title", "summary"][..], &["text", "message", "content", "task"]];
            let own = own.into_iter().find_map(|names| named(names)?.value.as_str()).filter(|t| !t.trim().is_empty());
            own.and_then(|text| body::title_of(text.as_bytes())).or_else(|| short(document.raw(text)))
        }
        Kind::Null => None,
        _ => short(document.raw(text)),
    }
}

/// The start of a value's spelling, on one line.
fn short(raw: &str) -> Option<String> {
    const MOST: usize = 120;
    let words: Vec<&str> = raw.get(..raw.len().min(4 * MOST)).unwrap_or(raw).split_whitespace().collect();
    let line: String = words.join(" ").chars().take(MOST).collect();
    (!line.is_empty()).then_some(line)
}

/// The members as they stand.
pub(super) fn raw_fields(dialect: &Dialect, bytes: &[u8]) -> Vec<RawField> {
    let Ok(text) = json::lossy(bytes) else { return Vec::new() };
    let Ok(document) = outline(&text) else { return Vec::new() };
    document.root().members().iter().map(|member| raw_field(&document, member, dialect)).collect()
}

/// A member as it stands.
pub(in super::super) fn raw_field(document: &Document<'_>, member: &Member<'_>, dialect: &Dialect) -> RawField {
    let text = |node: &Node<'_>| node.as_str().map(str::to_owned);
    let raw = || RawValue::Other(document.raw(&member.value).to_owned());
    let value = match &member.value.kind {
        Kind::Null => RawValue::Absent,
        Kind::String(text) => RawValue::Text(text.to_string()),
        Kind::Array(elements) if elements.len() < MOST_MEMBERS => {
            elements.iter().map(text).collect::<Option<_>>().map_or_else(raw, RawValue::List)
        }
        _ => raw(),
    };
    // In this form `reply_to` is the message answered, never an address.
    let meaning = keys::meaning(&member.key, dialect).map(|m| if m == "reply_to" { "in-reply-to" } else { m });
    RawField { key: member.key.to_string(), meaning, value }
}

/// The text of a message: a string as it is, anything else laid out for reading. The whole file where
/// it is none of ours.
pub(super) fn body(bytes: &[u8]) -> Cow<'_, [u8]> {
    match json::lossy(bytes) {
        Ok(Cow::Borrowed(text)) => body_in(text).unwrap_or(Cow::Borrowed(bytes)),
        Ok(Cow::Owned(text)) => body_in(&text).map_or(Cow::Borrowed(bytes), |body| Cow::Owned(body.into_owned())),
        Err(_) => Cow::Borrowed(bytes),
    }
}

fn body_in(text: &str) -> Option<Cow<'_, [u8]>> {
    let document = Document::outline(text, 1, MOST_MEMBERS).ok()?;
    if !matches!(document.root().kind, Kind::Object(_)) {
        return None;
    }
    let mut header = Header::default();
    let node = fill(&mut header, &document, &Dialect::default());
    Some(node.map_or(Cow::Borrowed(b""), |node| readable(&document, node)))
}

fn readable<'a>(document: &Document<'a>, node: &Node<'a>) -> Cow<'a, [u8]> {
    if let Kind::String(text) = &node.kind {
        return match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.clone().into_bytes()),
        };
    }
    let raw = document.raw(node);
    match Document::parse(raw) {
        Ok(whole) if raw.len() <= MOST_PRETTY => Cow::Owned(json::pretty(&whole, whole.root()).into_bytes()),
        _ => Cow::Borrowed(raw.as_bytes()),
    }
}

/// The bytes with another status, where the member has to change for that; `None` where the name says
/// it all.
///
/// # Errors
/// The file can't be edited safely.
pub(super) fn with_status(context: &Context<'_>, bytes: &[u8], to: Status) -> Result<Option<Vec<u8>>, Refusal> {
    let refuse = |error: &JsonError| Refusal::new("bad-json", told(error));
    let text = json::lossy(bytes).map_err(|e| refuse(&e))?;
    let document = outline(&text).map_err(|e| refuse(&e))?;
    if !matches!(document.root().kind, Kind::Object(_)) {
        return Err(Refusal::new("bad-json", "it is no JSON object, so no message"));
    }
    let words = &context.dialect.words;
    let members = document.root().members();
    let word = match status_of(members, context.dialect) {
        Found::Unreadable(why) => return Err(Refusal::new("status-not-plain", format!("{why}, by hand"))),
        // Whether it is unread or read the name tells.
        Found::Missing if to <= Status::Read => return Ok(None),
        Found::Missing | Found::Empty => to.word().to_owned(),
        Found::Word(old) if words.read(old) == Some(to) => return Ok(None),
        Found::Word(old) => {
            let word = words.write(to, Some(old), status_edit::is_plain_word);
            status_edit::in_case_of(word, old.trim().as_bytes())
        }
    };
    let key = members.iter().find(|m| key_of(&m.key, context.dialect) == Some(Key::Status)).map(|m| m.key.as_ref());
    json::set_string_in(bytes, key.unwrap_or("status"), &word).map(Some).map_err(|e| refuse(&e))
}
