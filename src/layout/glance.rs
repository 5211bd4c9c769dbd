//! A first look at a Markdown message: what counts and orders it, taken from the bytes as they lie,
//! before a [`Message`](crate::model::message::Message) is made of them.
//!
//! A summary of thousands names ten: the others are counted here and never made. Says of a message
//! what the whole parse says of it, or nothing.

use std::borrow::Cow;

use super::keys::{Key, Ranks, counting_key_of};
use super::{Context, Entry, Head, markdown};
use crate::model::date::When;
use crate::model::message::{DateSource, Glance, Priority};
use crate::model::status::Status;
use crate::text::plain::{Lines, Plain, is_null};

/// Looks at a message; `None` where only the whole parse can tell.
pub(super) fn of<'m>(context: &Context<'_>, entry: &'m Entry, head: Head<'m>) -> Option<Glance<'m>> {
    let file = entry.name.to_str()?;
    let mut lines = Lines::of(head.bytes)?;
    let mut ranks = Ranks::default();
    let (mut status, mut date, mut priority) = (None, None, None);
    while let Some(pair) = lines.next().ok()? {
        let slot = match counting_key_of(lines.bytes(pair.key.clone()), context.dialect) {
            Some(Key::Status) if status.is_none() => &mut status,
            // Two of them say nothing, whatever they are.
            Some(Key::Status) => return None,
            Some(Key::Date(rank)) if ranks.date.take(rank, true) => &mut date,
            Some(Key::Priority(rank)) if ranks.priority.take(rank, true) => &mut priority,
            _ => {
                lines.ends(&pair).ok()?;
                continue;
            }
        };
        *slot = Some(match lines.value(&pair).ok()? {
            Plain::Text(text) => Some(lines.text(text)).filter(|text| !is_null(text))?,
            Plain::Quoted(text) => lines.text(text),
            Plain::Absent | Plain::List(_) => return None,
        });
    }
    let exactly_unread = status.is_none_or(|word| word.trim_ascii() == Status::Unread.word());
    let status = match status {
        Some(word) => context.dialect.words.read(word).unwrap_or(Status::Unread),
        None => entry.state.unwrap_or(Status::Unread),
    };
    let date = date.unwrap_or_default();
    let (when, date_source) = if date.trim().is_empty() {
        // The file's own time stands in for a date in its name; a look takes no system call.
        (Some(When::in_name(file)?), DateSource::Name)
    } else {
        (When::parse(date).or_else(|| When::in_name(file)), DateSource::Header)
    };
    Some(Glance {
        id: markdown::stem(file),
        archived: entry.archived,
        status,
        exactly_unread,
        priority: priority.map_or(Priority::Normal, Priority::parse),
        when,
        date_source: Some(date_source),
        date,
        file: Cow::Borrowed(file),
    })
}
