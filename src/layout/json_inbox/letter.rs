//! A new message of the `json` layout: its name, which is its id, and its envelope.

use std::fmt::Write as _;
use std::path::Path;

use super::super::adopt::{self, REFERENCE_KEPT};
use super::super::keys::{Key, key_of};
use super::super::{Dialect, Parcel, RawValue, unique};
use super::envelope::MOST_MEMBERS;
use super::{ARCHIVE, PROCESSED, READ, read_name, settled_name};
use crate::model::date::When;
use crate::model::letter::Letter;
use crate::model::plan::{FileOp, IfTaken, Refusal};
use crate::model::status::Status;
use crate::text::json::{self, quote};
use crate::text::{body, nested};

/// How many ids are tried for one message: all that four hexadecimal digits give.
const MOST_IDS: u32 = 0x1_0000;

/// Puts a letter into a new file under the first id that no message of the inbox has.
///
/// # Errors
/// None is free.
pub(super) fn deliver(inbox: &Path, letter: &Letter, recipient: &str) -> Result<FileOp, Refusal> {
    let first = unique::number(letter, recipient, 1);
    for n in 0..MOST_IDS {
        let id = id(letter, first.wrapping_add(u64::from(n)));
        let name = format!("{id}.json");
        let read = read_name(name.as_ref());
        let taken = [inbox.to_owned(), inbox.join(PROCESSED), inbox.join(ARCHIVE)]
            .iter()
            .any(|folder| folder.join(&name).symlink_metadata().is_ok() || folder.join(&read).symlink_metadata().is_ok());
        if !taken {
            let bytes = envelope(letter, &id).into_bytes();
            return Ok(FileOp::Create { path: inbox.join(name), bytes, staging: None, if_taken: IfTaken::Refuse });
        }
    }
    Err(Refusal::new("no-free-name", "no id is free for it in this second; send it again"))
}

/// `msg-<date>-<time>-<4 hex>`, in UTC.
fn id(letter: &Letter, number: u64) -> String {
    let instant = letter.instant();
    let digits: String = instant.chars().filter(char::is_ascii_digit).collect();
    let time = digits.get(8..14).unwrap_or("000000");
    let day = instant.get(..10).unwrap_or_default();
    format!("msg-{day}-{time}-{:04x}", number & 0xffff)
}

/// Puts a message that comes from elsewhere into a new file.
///
/// # Errors
/// Its text is none, or its references can't be changed.
pub(super) fn adopt(inbox: &Path, parcel: &Parcel<'_>, dialect: &Dialect) -> Result<FileOp, Refusal> {
    let folder = if parcel.message.archived { inbox.join(ARCHIVE) } else { inbox.to_owned() };
    let read = parcel.status() >= Status::Read;
    let (path, bytes) = if let Some(whole) = parcel.whole {
        let bytes = with_reference(parcel, whole, dialect)?;
        let name = settled_name(parcel.message, dialect);
        (adopt::free_place(parcel, &folder, &name, &bytes), bytes)
    } else {
        let first = adopted_id(parcel);
        let (mut id, mut n) = (first.clone(), 1);
        loop {
            let bytes = adopted_envelope(parcel, &id)?.into_bytes();
            let names = [format!("{id}.json"), format!("{id}.json{READ}")];
            if !names.iter().any(|name| parcel.is_taken(&folder.join(name), &bytes)) {
                break (folder.join(format!("{id}.json{}", if read { READ } else { "" })), bytes);
            }
            n += 1;
            id = format!("{first}-{n}");
        }
    };
    Ok(FileOp::Create { path, bytes, staging: None, if_taken: IfTaken::Refuse })
}

/// The bytes of a message that was JSON already, with the references of its parcel.
fn with_reference(parcel: &Parcel<'_>, whole: &[u8], dialect: &Dialect) -> Result<Vec<u8>, Refusal> {
    let wanted = &parcel.header.in_reply_to;
    if *wanted == parcel.message.header.in_reply_to {
        return Ok(whole.to_vec());
    }
    let kept = || Refusal::new(REFERENCE_KEPT, "its reference to what it answers can't be changed safely, and stays as it was");
    let text = json::lossy(whole).map_err(|_| kept())?;
    let document = json::Document::outline(&text, 2, MOST_MEMBERS).map_err(|_| kept())?;
    let is_parent = |key: &str| matches!(key_of(key, dialect), Some(Key::Parent(_) | Key::ReplyTo));
    let mut members = document.root().members().iter().filter(|m| is_parent(&m.key) && m.value.as_str().is_some());
    match (members.next(), members.next(), wanted.as_slice()) {
        (Some(member), None, [one]) => json::set_string_in(whole, &member.key, one).map_err(|_| kept()),
        _ => Err(kept()),
    }
}

/// The id of a message that had another form: its own where it is fit to be a file's name.
fn adopted_id(parcel: &Parcel<'_>) -> String {
    let is_fit = |id: &&str| {
        id.len() <= 100
            && id.starts_with(|c: char| c.is_ascii_alphanumeric())
            && id.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
            && !id.to_ascii_lowercase().ends_with(READ)
    };
    if let Some(id) = parcel.header.id.as_deref().filter(is_fit) {
        return id.to_owned();
    }
    let time = parcel.message.dated().map(|when| match when {
        When::Day(day) => format!("{day}-000000"),
        When::Local(time) => time.format("%Y-%m-%d-%H%M%S").to_string(),
        When::Instant(instant) => instant.format("%Y-%m-%d-%H%M%S").to_string(),
    });
    let parts = [parcel.message.path.as_os_str().as_encoded_bytes(), parcel.message.id.as_str().as_bytes(), parcel.body];
    format!("msg-{}-{:04x}", time.unwrap_or_else(|| "undated".to_owned()), unique::of(parts.into_iter(), 1) & 0xffff)
}

/// The envelope of a message that had another form.
fn adopted_envelope(parcel: &Parcel<'_>, id: &str) -> Result<String, Refusal> {
    let text =
        std::str::from_utf8(parcel.body).map_err(|_| Refusal::new("not-utf8", "its text is not UTF-8, which JSON must be"))?;
    let text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text);
    let header = &parcel.header;
    let optional = |text: Option<&str>| text.map_or_else(|| "null".to_owned(), quote);
    let several = |texts: &[String]| if texts.is_empty() { "null".to_owned() } else { one_or_list(texts) };
    let mut members: Vec<(String, String)> = vec![
        ("id".to_owned(), quote(id)),
        ("from".to_owned(), optional(header.from.as_deref())),
        ("to".to_owned(), several(&header.to)),
        ("type".to_owned(), optional(header.kind.as_deref())),
        ("priority".to_owned(), optional(header.priority.as_deref())),
        ("thread".to_owned(), optional(header.thread.as_deref())),
        ("timestamp".to_owned(), optional(parcel.date())),
    ];
    if let Some(subject) = parcel.subject() {
        members.push(("subject".to_owned(), quote(subject)));
    }
    members.push(("body".to_owned(), quote(text.strip_suffix('\n').unwrap_or(text))));
    members.push(("reply_to".to_owned(), several(&header.in_reply_to)));
    if !header.cc.is_empty() {
        members.push(("cc".to_owned(), one_or_list(&header.cc)));
    }
    if let Some(origin) = &header.origin {
        members.push(("origin".to_owned(), quote(origin)));
    }
    if !header.tags.is_empty() {
        members.push(("tags".to_owned(), list(&header.tags)));
    }
    if parcel.status() >= Status::Actioned {
        members.push(("status".to_owned(), quote(parcel.status().word())));
    }
    let written: Vec<&str> =
        members.iter().map(|(key, _)| key.as_str()).chain(["status", "text", "content", "message"]).collect();
    for (key, value) in parcel.extras(&written) {
        let value = match value {
            RawValue::Absent => "null".to_owned(),
            RawValue::Text(text) => quote(text),
            RawValue::List(items) => list(items),
            RawValue::Other(raw) => match json::Document::parse(raw) {
                Ok(_) => raw.trim().to_owned(),
                Err(_) => nested::as_json(raw).unwrap_or_else(|| quote(raw)),
            },
        };
        members.push((key, value));
    }
    Ok(lines(&members))
}

/// The envelope, a member on each line, the convention's ten first and always, others where they are
/// given.
fn envelope(letter: &Letter, id: &str) -> String {
    let optional = |text: &Option<String>| text.as_deref().map_or_else(|| "null".to_owned(), quote);
    let mut members = vec![
        ("id", quote(id)),
        ("from", quote(&letter.from)),
        ("to", one_or_list(&letter.to)),
        ("type", quote(&letter.kind)),
        ("priority", quote(letter.priority.as_str())),
        ("thread", optional(&letter.thread)),
        ("timestamp", quote(&letter.instant())),
    ];
    // The convention has no subject: who reads it there sees the first line of the body.
    if body::title_of(letter.body.as_bytes()).as_deref() != Some(letter.subject.trim()) {
        members.push(("subject", quote(&letter.subject)));
    }
    members.push(("body", quote(&letter.body)));
    members.push(("context", "[]".to_owned()));
    members.push(("reply_to", optional(&letter.in_reply_to)));
    if !letter.cc.is_empty() {
        members.push(("cc", one_or_list(&letter.cc)));
    }
    members.extend(letter.bcc.as_deref().map(|name| ("bcc", quote(name))));
    members.extend(letter.origin.as_deref().map(|origin| ("origin", quote(origin))));
    if !letter.tags.is_empty() {
        members.push(("tags", list(&letter.tags)));
    }
    let members: Vec<(String, String)> = members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    lines(&members)
}

fn lines(members: &[(String, String)]) -> String {
    let mut out = String::from("{\n");
    for (at, (key, value)) in members.iter().enumerate() {
        let comma = if at + 1 < members.len() { "," } else { "" };
        // Writing to a String can't fail.
        let _ = writeln!(out, "  {}: {value}{comma}", quote(key));
    }
    out.push_str("}\n");
    out
}

fn one_or_list(names: &[String]) -> String {
    match names {
        [one] => quote(one),
        several => list(several),
    }
}

fn list(items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|i| quote(i)).collect();
    format!("[{}]", items.join(", "))
}
