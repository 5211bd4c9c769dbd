//! What the keys of a header, or the members of an envelope, mean: one table for every layout, so that
//! `createdAt` in JSON and `created_at` in Markdown are the same.

use super::Dialect;

/// What a key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Status,
    Id,
    From,
    To,
    Cc,
    Bcc,
    /// The rank among keys of the same meaning: the convention's own first.
    Subject(u8),
    Date(u8),
    Type,
    Priority(u8),
    Thread(u8),
    Parent(u8),
    ReplyTo,
    Origin,
    Tags(u8),
    /// The text, in envelopes that hold it.
    Body(u8),
}

/// Which of several keys with one meaning was taken so far; lower ranks win, among equals the last.
#[derive(Debug, Default)]
pub(super) struct Ranks {
    pub subject: Rank,
    pub date: Rank,
    pub priority: Rank,
    pub thread: Rank,
    pub parent: Rank,
    pub tags: Rank,
    pub body: Rank,
}

#[derive(Debug, Default)]
pub(super) struct Rank(Option<u8>);

impl Rank {
    /// Whether a key of this rank, if it says something, is to be taken.
    pub fn take(&mut self, rank: u8, says_something: bool) -> bool {
        let better = says_something && self.0.is_none_or(|had| rank <= had);
        if better {
            self.0 = Some(rank);
        }
        better
    }
}

/// What a key means: without regard to letter case, `-` and `_` alike, the dialect's keys first.
pub(super) fn key_of(key: &str, dialect: &Dialect) -> Option<Key> {
    let mut buffer = [0_u8; 24];
    buffer.get_mut(..key.len())?.copy_from_slice(key.as_bytes());
    // All of the buffer, whatever the key's length: that is a few instructions for all of it.
    for b in &mut buffer {
        *b = if *b == b'-' { b'_' } else { b.to_ascii_lowercase() };
    }
    let name = buffer.get(..key.len())?;
    if !dialect.keys.is_empty()
        && let Some((_, ours)) = dialect.keys.iter().find(|(theirs, _)| theirs.replace('-', "_").as_bytes() == name)
    {
        return own_key(ours.replace('-', "_").as_bytes());
    }
    own_key(name)
}

/// The convention's key that another one stands for; `body` for one that holds the text; `None` for
/// keys of nobody's.
pub(super) fn meaning(key: &str, dialect: &Dialect) -> Option<&'static str> {
    Some(match key_of(key, dialect)? {
        Key::Status => "status",
        Key::Id => "id",
        Key::From => "from",
        Key::To => "to",
        Key::Cc => "cc",
        Key::Bcc => "bcc",
        Key::Subject(_) => "subject",
        Key::Date(_) => "date",
        Key::Type => "type",
        Key::Priority(_) => "priority",
        Key::Thread(_) => "thread",
        Key::Parent(_) => "in-reply-to",
        Key::ReplyTo => "reply_to",
        Key::Origin => "origin",
        Key::Tags(_) => "tags",
        Key::Body(_) => "body",
    })
}

pub(super) fn own_key(name: &[u8]) -> Option<Key> {
    Some(match name {
        b"status" => Key::Status,
        b"id" => Key::Id,
        b"from" => Key::From,
        b"to" => Key::To,
        b"cc" => Key::Cc,
        b"bcc" => Key::Bcc,
        b"subject" => Key::Subject(0),
        b"title" => Key::Subject(1),
        b"topic" => Key::Subject(2),
        b"date" => Key::Date(0),
        b"created" => Key::Date(1),
        b"timestamp" => Key::Date(2),
        b"created_at" | b"createdat" => Key::Date(3),
        b"type" => Key::Type,
        b"priority" => Key::Priority(0),
        b"importance" => Key::Priority(1),
        b"thread" => Key::Thread(0),
        b"thread_tag" | b"threadtag" => Key::Thread(1),
        b"in_reply_to" | b"inreplyto" => Key::Parent(0),
        b"ref" => Key::Parent(1),
        b"reply_to" | b"replyto" => Key::ReplyTo,
        b"origin" => Key::Origin,
        b"tags" => Key::Tags(0),
        b"tag" => Key::Tags(1),
        b"body" => Key::Body(0),
        b"text" => Key::Body(1),
        b"content" => Key::Body(2),
        b"message" => Key::Body(3),
        _ => return None,
    })
}
