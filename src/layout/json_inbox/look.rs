//! A first look at a JSON message: what counts and orders it, borrowed from its members, before a
//! [`Message`](crate::model::message::Message) is made of them. Says what the whole parse says of it,
//! or nothing.

use std::borrow::Cow;

use super::super::keys::{Key, Ranks, key_of};
use super::super::{Context, Entry, Head};
use super::envelope::{Found, LONGEST, MOST_MEMBERS, outline, since_epoch, status_of};
use crate::model::date::When;
use crate::model::message::{DateSource, Glance, Priority};
use crate::model::status::Status;
use crate::text::json::{self, Document, Kind, Member, Node};

/// Looks at a message; `None` where only the whole parse can tell.
pub(super) fn of<'m>(context: &Context<'_>, entry: &'m Entry, head: Head<'m>) -> Option<Glance<'m>> {
    // An id of its own is made where another has the same.
    if !head.complete || entry.shares_id {
        return None;
    }
    let file = entry.name.to_str()?;
    let Ok(Cow::Borrowed(whole)) = json::lossy(head.bytes) else { return None };
    let document = outline(whole).ok()?;
    let members = document.root().members();
    if !matches!(document.root().kind, Kind::Object(_)) || members.len() == MOST_MEMBERS {
        return None;
    }
    let place = entry.state.unwrap_or(Status::Unread);
    let (status, exactly_unread) = match status_of(members, context.dialect) {
        Found::Missing => (place, true),
        Found::Empty => (place, false),
        Found::Word(word) => (context.dialect.words.read(word)?.max(place), word == Status::Unread.word()),
        Found::Unreadable(_) => return None,
    };
    let mut ranks = Ranks::default();
    let (mut date, mut priority) = ("", None);
    for Member { key, value, .. } in members {
        let said = !matches!(value.kind, Kind::Null);
        match key_of(key, context.dialect) {
            Some(Key::Date(rank)) if ranks.date.take(rank, said) => date = text(&document, value).ok()?.unwrap_or_default(),
            Some(Key::Priority(rank)) if ranks.priority.take(rank, said) => priority = text(&document, value).ok()?,
            _ => {}
        }
    }
    let (when, date_source) = if date.trim().is_empty() {
        // The file's own time stands in for a date in its name; a look takes no system call.
        (When::in_name(file)?, DateSource::Name)
    } else {
        let instant = since_epoch(date).map(When::Instant);
        (instant.or_else(|| When::parse(date)).or_else(|| When::in_name(file))?, DateSource::Header)
    };
    Some(Glance {
        id: super::id_in(file),
        archived: entry.archived,
        status,
        exactly_unread,
        priority: priority.map_or(Priority::Normal, Priority::parse),
        when: Some(when),
        date_source: Some(date_source),
        date,
        file: Cow::Borrowed(file),
    })
}

/// Only the whole parse can tell.
struct Odd;

/// A value as the header has it, where it stands in the file as it is; `None` where nothing is said.
fn text<'m>(document: &Document<'m>, node: &Node<'m>) -> Result<Option<&'m str>, Odd> {
    let text = match &node.kind {
        Kind::Null => return Ok(None),
        Kind::String(Cow::Borrowed(text)) => text,
        Kind::String(Cow::Owned(_)) => return Err(Odd),
        _ => document.raw(node),
    };
    if text.len() > LONGEST { Err(Odd) } else { Ok(Some(text)) }
}
