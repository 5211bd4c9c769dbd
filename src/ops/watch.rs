//! What is new since the last look: for `watch`, over the one query that lists use.
//!
//! Nothing goes by time: clocks jump, and several messages come in one second. What was there is
//! known by what it says and by its file; a message is new when neither is known, so that a rename,
//! or a mark, makes none new, and a new one under an old name is not missed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::path::Path;

use super::find::{self, Query, Unlooked};
use super::session::Session;
use crate::model::inbox::Inbox;
use crate::model::message::Message;
use crate::model::plan::Stamp;
use crate::model::status::Status;
use crate::store::cursors::{Cursor, digest};

/// The two keys by which a message is known: what it says under its name, and its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Keys {
    says: u64,
    file: Option<u64>,
}

impl Keys {
    fn of(message: &Message) -> Self {
        let name = message.path.file_name().unwrap_or_default().to_string_lossy();
        // What layouts put behind a name to say that it was read is none of it.
        let stem = name.strip_suffix(".read").or_else(|| name.strip_suffix(".READ")).unwrap_or(&name);
        let header = &message.header;
        let mut says = Vec::new();
        let texts =
            [Some(stem.to_owned()), part_of_file(message), header.id.clone(), header.from.clone(), header.subject.clone()];
        let lists = [header.to.clone(), header.in_reply_to.clone()];
        for text in
            texts.into_iter().flatten().chain([header.date.clone().unwrap_or_default()]).chain(lists.into_iter().flatten())
        {
            says.extend_from_slice(text.as_bytes());
            says.push(0);
        }
        let file = message.stamp.and_then(|stamp| {
            let Stamp { len, modified, node: Some(node) } = stamp else { return None };
            let since = modified?.duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap_or_default();
            Some(digest(format!("{node:?} {len} {} {}", since.as_nanos(), part_of_file(message).unwrap_or_default()).as_bytes()))
        });
        Self { says: digest(&says), file }
    }
}

/// Where a file holds several messages, which of them it is.
fn part_of_file(message: &Message) -> Option<String> {
    message.id.as_str().rsplit_once('#').map(|(_, part)| part.to_owned())
}

/// What is known of each inbox.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    inboxes: BTreeMap<u64, BTreeSet<u64>>,
}

impl Known {
    /// What a cursor stands for.
    pub fn of(cursor: &Cursor) -> Self {
        Self { inboxes: cursor.inboxes.iter().map(|(inbox, keys)| (*inbox, keys.iter().copied().collect())).collect() }
    }

    /// A cursor that stands for it.
    pub fn cursor(&self) -> Cursor {
        Cursor { inboxes: self.inboxes.iter().map(|(inbox, keys)| (*inbox, keys.iter().copied().collect())).collect() }
    }

    fn holds(&self, inbox: u64, keys: Keys) -> bool {
        let known = self.inboxes.get(&inbox);
        known.is_some_and(|known| known.contains(&keys.says) || keys.file.is_some_and(|file| known.contains(&file)))
    }

    fn add(&mut self, inbox: u64, keys: Keys) {
        let known = self.inboxes.entry(inbox).or_default();
        known.insert(keys.says);
        known.extend(keys.file);
    }
}

/// A message that was not there at the last look.
#[derive(Debug, Clone)]
pub struct New {
    /// The message.
    pub message: Message,
    inbox: u64,
    keys: Keys,
}

/// What one look saw.
#[derive(Debug, Default)]
pub struct Look {
    /// New messages that the query finds, oldest first.
    pub new: Vec<New>,
    /// How many unread messages there are that are not new.
    pub waiting: usize,
    /// What could not be looked into; what was known of it stays known.
    pub unlooked: Vec<Unlooked>,
}

/// Looks at the live messages of the inboxes. `known` becomes what was known of them and is still
/// there; what is new is not added: see [`tell`]. Without `known` nothing is new, and all becomes known.
pub fn look(session: &Session<'_>, inboxes: &[&Inbox], query: &Query, known: &mut Option<Known>) -> Look {
    let all = Query { stamps: true, ..Query::default() };
    let mut next = Known::default();
    let mut out = Look::default();
    for &inbox in inboxes {
        let place = place(inbox);
        next.inboxes.entry(place).or_default();
        let unlooked = find::each(session, &[inbox], &all, &mut |inbox, message| {
            let keys = Keys::of(&message);
            let is_known = known.as_ref().is_none_or(|known| known.holds(place, keys));
            let wanted = message.status == Status::Unread && query.matches(&message, inbox, session);
            if is_known || message.status != Status::Unread {
                next.add(place, keys);
                out.waiting += usize::from(wanted && is_known);
            } else if wanted {
                out.new.push(New { message, inbox: place, keys });
            }
        });
        if let Some(before) = known.as_ref().and_then(|known| known.inboxes.get(&place)).filter(|_| !unlooked.is_empty()) {
            next.inboxes.entry(place).or_default().extend(before);
        }
        out.unlooked.extend(unlooked);
    }
    out.new.sort_by_cached_key(|new| (new.message.shown.when.map(|when| session.clock.sort_key(when)), new.message.path.clone()));
    *known = Some(next);
    out
}

/// New messages that were told are known from now on.
pub fn tell<'n>(known: &mut Known, new: impl IntoIterator<Item = &'n New>) {
    for new in new {
        known.add(new.inbox, new.keys);
    }
}

/// Holds back messages that are still being written: one counts as whole when its file did not change
/// from one look to the next; one whose header can't be read gets a little longer.
#[derive(Debug, Default)]
pub struct Settling {
    seen: HashMap<std::path::PathBuf, (u64, u32)>,
}

/// How many looks a message with an unreadable header is held back.
const PATIENCE: u32 = 10;

impl Settling {
    /// Parts new messages into those that are whole, and how many are not yet.
    pub fn part(&mut self, new: Vec<New>) -> (Vec<New>, usize) {
        let before = std::mem::take(&mut self.seen);
        let all = new.len();
        let mut whole = Vec::new();
        for new in new {
            let print = print(&new.message);
            let (same, looks) = match before.get(&new.message.path) {
                Some((seen, looks)) if *seen == print => (true, looks + 1),
                Some((_, looks)) => (false, looks + 1),
                None => (false, 0),
            };
            self.seen.insert(new.message.path.clone(), (print, looks));
            if same && (new.message.readable || looks >= PATIENCE) {
                whole.push(new);
            }
        }
        let waiting = all - whole.len();
        (whole, waiting)
    }
}

fn print(message: &Message) -> u64 {
    let mut hasher = DefaultHasher::new();
    message.stamp.map(|stamp| (stamp.len, stamp.modified)).hash(&mut hasher);
    message.id.hash(&mut hasher);
    hasher.finish()
}

/// An inbox, whatever it is called from where one stands.
fn place(inbox: &Inbox) -> u64 {
    let path = inbox.path.canonicalize().unwrap_or_else(|_| inbox.path.clone());
    digest(Path::new(&path).as_os_str().as_encoded_bytes())
}

#[cfg(test)]
mod tests;
