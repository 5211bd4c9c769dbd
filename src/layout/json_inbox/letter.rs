//! A new message of the `json` layout: its name, which is its id, and its envelope.

use std::fmt::Write as _;
use std::path::Path;

use super::super::unique;
use super::{ARCHIVE, PROCESSED, read_name};
use crate::model::letter::Letter;
use crate::model::plan::{FileOp, IfTaken, Refusal};
use crate::text::body;
use crate::text::json::quote;

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
    let digits: String = letter.instant.chars().filter(char::is_ascii_digit).collect();
    let time = digits.get(8..14).unwrap_or("000000");
    let day = letter.instant.get(..10).unwrap_or(&letter.day);
    format!("msg-{day}-{time}-{:04x}", number & 0xffff)
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
        ("timestamp", quote(&letter.instant)),
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
    let mut out = String::from("{\n");
    for (at, (key, value)) in members.iter().enumerate() {
        let comma = if at + 1 < members.len() { "," } else { "" };
        // Writing to a String can't fail.
        let _ = writeln!(out, "  \"{key}\": {value}{comma}");
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
