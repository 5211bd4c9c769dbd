//! One message for a person: its header, then its body, with nothing in it that a terminal obeys.

use std::io::{self, Write};

use crate::model::message::Message;
use crate::text::neutral::{self, Target};

/// The longest header value that is shown, in visible characters.
const LONGEST: usize = 400;

/// Prints a message: its header's values as written, its place, and its body.
///
/// # Errors
/// What the writer says.
pub fn message(mut out: impl Write, message: &Message, body: &str, place: &str) -> io::Result<()> {
    let header = &message.header;
    let archived = if message.archived { " (archived)" } else { "" };
    let status = format!("{}{archived}", message.status);
    let rows = [
        ("from", header.from.clone()),
        ("to", some(header.to.join(", "))),
        ("cc", some(header.cc.join(", "))),
        ("subject", Some(message.shown.subject.clone())),
        ("date", some(message.shown.date.clone())),
        ("type", Some(message.shown.kind.clone())),
        ("priority", header.priority.clone()),
        ("status", Some(status)),
        ("thread", header.thread.clone()),
        ("in reply to", some(header.in_reply_to.join(", "))),
        ("tags", some(header.tags.join(", "))),
        ("origin", header.origin.clone()),
        ("ref", Some(message.full_ref())),
        ("file", Some(place.to_owned())),
    ];
    for (key, value) in rows {
        if let Some(value) = value {
            writeln!(out, "{key:>11}: {}", neutral::field(&value, Target::Terminal, LONGEST).text)?;
        }
    }
    let body = neutral::body(body, Target::Terminal);
    let text = body.text.trim_matches(['\n', '\r']);
    if !text.is_empty() {
        writeln!(out, "\n{text}")?;
    }
    if let Some(notice) = body.notice() {
        writeln!(out, "{notice}")?;
    }
    Ok(())
}

fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}
