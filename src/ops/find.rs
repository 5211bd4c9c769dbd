//! The one query behind lists, counts, summaries, hooks and MCP, so that they can't disagree.

use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

use chrono::{NaiveDate, NaiveDateTime};

use super::session::Session;
use super::shortlist::{self, Shortlist};
use crate::layout::{Beginning, Which};
use crate::model::date::{Clock, When};
use crate::model::inbox::Inbox;
use crate::model::message::{Glance, Message, Priority};
use crate::model::name::{AgentName, same};
use crate::model::status::Status;
use crate::render::view::Trouble;
use crate::store::discover::Problem;
use crate::store::scan::Scan;
use crate::store::survey::Look;

/// Which part of the inboxes a query looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Part {
    /// Messages still in their inbox.
    #[default]
    Live,
    /// Archived ones only.
    Archived,
    /// Both.
    All,
}

/// What a message must be to be found. The default finds every live message.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Live, archived or both.
    pub part: Part,
    /// One of these statuses; empty: any.
    pub status: Vec<Status>,
    /// Live, and read or actioned.
    pub open: bool,
    /// Addressed to this name, by `to` or `cc`; in an inbox of an owner of this name also where the header names nobody.
    pub to: Option<String>,
    /// Sent by this name.
    pub from: Option<String>,
    /// Of this type.
    pub kind: Option<String>,
    /// Of this priority.
    pub priority: Option<Priority>,
    /// Carrying each of these tags.
    pub tags: Vec<String>,
    /// In this thread, by its name.
    pub thread: Option<String>,
    /// Dated on this day or later.
    pub since: Option<NaiveDate>,
    /// Dated before this day.
    pub before: Option<NaiveDate>,
    /// Give each message the stamp of its file, because it may be moved.
    pub stamps: bool,
    /// Holding each of these words, in any letter case, in one of its header fields or its name.
    pub words: Vec<String>,
}

/// An inbox, or a part of it, that could not be looked into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unlooked {
    /// The inbox's name; empty for a place where one may be.
    pub inbox: String,
    /// The folder.
    pub path: PathBuf,
    /// Why.
    pub why: String,
}

impl Unlooked {
    /// A place that discovery could not look into. No inbox has a name there: the place itself is told.
    pub fn of(problem: &Problem) -> Self {
        Self { inbox: String::new(), path: problem.path.clone(), why: problem.why.clone() }
    }

    /// The same as documents carry it.
    pub fn trouble(&self) -> Trouble<'_> {
        Trouble { kind: "inbox-unreadable", path: Some(&self.path), text: &self.why }
    }
}

impl Query {
    /// Whether a message is one of those looked for.
    pub fn matches(&self, message: &Message, inbox: &Inbox, session: &Session<'_>) -> bool {
        self.may_match(&message.glance(), &session.clock) && self.matches_closely(message, inbox)
    }

    /// Whether a first look does not tell that a message is none of those looked for.
    fn may_match(&self, glance: &Glance<'_>, clock: &Clock) -> bool {
        (self.status.is_empty() || self.status.contains(&glance.status))
            && (!self.open || glance.is_open())
            && self.priority.is_none_or(|priority| glance.priority == priority)
            && self.is_in_time(glance.when, clock)
    }

    /// What a first look can't tell.
    fn matches_closely(&self, message: &Message, inbox: &Inbox) -> bool {
        let header = &message.header;
        self.to.as_deref().is_none_or(|to| is_addressed(message, inbox, to))
            && self.from.as_deref().is_none_or(|from| header.from.as_deref().is_some_and(|f| names(f).any(|n| same(n, from))))
            && self.kind.as_deref().is_none_or(|kind| message.shown.kind.eq_ignore_ascii_case(kind))
            && self.tags.iter().all(|tag| header.tags.iter().flat_map(|t| names(t)).any(|t| same(t, tag)))
            && self.thread.as_deref().is_none_or(|thread| header.thread.as_deref().is_some_and(|t| same(t.trim(), thread)))
            && self.words.iter().all(|word| holds(message, word))
    }

    /// Whether a first look tells all.
    fn is_shallow(&self) -> bool {
        let Self { to, from, kind, tags, thread, words, .. } = self;
        [to, from, kind, thread].into_iter().all(Option::is_none) && tags.is_empty() && words.is_empty()
    }

    fn is_in_time(&self, when: Option<When>, clock: &Clock) -> bool {
        if self.since.is_none() && self.before.is_none() {
            return true;
        }
        let Some(day) = when.map(|when| clock.day_of(when)) else { return false };
        self.since.is_none_or(|since| day >= since) && self.before.is_none_or(|before| day < before)
    }

    fn parts(&self) -> &'static [Which] {
        match self.part {
            Part::Live => &[Which::Live],
            Part::Archived => &[Which::Archived],
            Part::All => &[Which::Live, Which::Archived],
        }
    }
}

/// Visits every message that a query finds in the inboxes given; tells which could not be looked into.
pub fn each(session: &Session<'_>, inboxes: &[&Inbox], query: &Query, visit: &mut dyn FnMut(&Inbox, Message)) -> Vec<Unlooked> {
    let mut unlooked: Vec<Unlooked> = Vec::new();
    for &inbox in inboxes {
        let scan = Scan { inbox, dialect: &session.rules(inbox).dialect, clock: &session.clock, stamps: query.stamps };
        let problems = scan.each(query.parts(), &mut |message| {
            if query.matches(&message, inbox, session) {
                visit(inbox, message);
            }
        });
        unlooked.extend(problems.into_iter().map(|(path, error)| unlooked_at(inbox, path, &error)));
    }
    unlooked
}

/// Looks at every live message of an inbox, as [`Scan::survey`] does; tells what could not be
/// looked into.
pub fn survey<T: Send>(
    session: &Session<'_>,
    inbox: &Inbox,
    start: impl Fn() -> T + Sync,
    look: impl Fn(&mut T, Look<'_>) + Sync,
) -> (Vec<T>, Vec<Unlooked>) {
    survey_for(&Query::default(), session, inbox, start, look)
}

/// The same for a query, which says only whether messages get their stamps.
pub(super) fn survey_for<T: Send>(
    query: &Query,
    session: &Session<'_>,
    inbox: &Inbox,
    start: impl Fn() -> T + Sync,
    look: impl Fn(&mut T, Look<'_>) + Sync,
) -> (Vec<T>, Vec<Unlooked>) {
    let scan = Scan { inbox, dialect: &session.rules(inbox).dialect, clock: &session.clock, stamps: query.stamps };
    let (parts, problems) = scan.survey(query.parts(), start, look);
    (parts, problems.into_iter().map(|(path, error)| unlooked_at(inbox, path, &error)).collect())
}

/// How a list is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// Newest first; dates that lie ahead last.
    #[default]
    Newest,
    /// Oldest first.
    Oldest,
    /// Urgent first, then newest.
    Priority,
    /// By subject.
    Subject,
    /// By sender.
    From,
    /// By status, unread first, then newest.
    Status,
}

/// What a query found, in order.
#[derive(Debug, Default)]
pub struct Found {
    /// The messages.
    pub messages: Vec<Message>,
    /// How many there are beside those, over the limit.
    pub more: usize,
    /// What could not be looked into.
    pub unlooked: Vec<Unlooked>,
}

/// All messages that a query finds, sorted, at most `limit` of them.
pub fn list(session: &Session<'_>, inboxes: &[&Inbox], query: &Query, sort: Sort, limit: Option<usize>) -> Found {
    let clock = &session.clock;
    let moment = OnceLock::new();
    let start = || Shortlist::new(clock, *moment.get_or_init(|| clock.moment()), sort, limit);
    let (mut lists, mut unlooked) = (Vec::new(), Vec::new());
    for &inbox in inboxes {
        let (parts, not) = survey_for(query, session, inbox, start, |list, look| {
            if !query.may_match(&look.glance, clock) {
                return;
            }
            if query.is_shallow() {
                return list.look(&look);
            }
            let message = look.whole();
            if query.matches_closely(&message, inbox) {
                list.push(message);
            }
        });
        lists.extend(parts);
        unlooked.extend(not);
    }
    let (messages, more) = Shortlist::finish(lists);
    Found { messages, more, unlooked }
}

/// What lists by age go by.
pub(super) fn age(clock: &Clock, message: &Message) -> Option<NaiveDateTime> {
    shortlist::age(clock, &clock.moment(), message.shown.when)
}

/// What decides between messages of one age: inbox, file, id.
pub(super) fn name(message: &Message) -> [String; 3] {
    [message.inbox.clone(), message.path.to_string_lossy().into_owned(), message.id.to_string()]
}

/// What an inbox holds, counted. What could not be looked into counts nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Whether all of its live part was looked at.
    pub live_is_whole: bool,
    /// Whether all of its archive was.
    pub archive_is_whole: bool,
    /// Live and unread.
    pub unread: usize,
    /// Live, and read or actioned.
    pub open: usize,
    /// Live.
    pub live: usize,
    /// Archived, by name only: an archive is not read to be counted.
    pub archived: usize,
}

/// Counts what an inbox holds.
pub fn counts(session: &Session<'_>, inbox: &Inbox) -> (Counts, Vec<Unlooked>) {
    let (parts, mut unlooked) = survey(session, inbox, Counts::default, |counts, look| {
        counts.live += 1;
        counts.unread += usize::from(look.glance.status == Status::Unread);
        counts.open += usize::from(look.glance.is_open());
    });
    let mut counts = Counts::default();
    for part in parts {
        counts.live += part.live;
        counts.unread += part.unread;
        counts.open += part.open;
    }
    counts.live_is_whole = unlooked.is_empty();
    if unlooked.iter().any(|u| u.path == inbox.path) {
        return (counts, unlooked);
    }
    match crate::layout::of(inbox.layout).list(inbox, Which::Archived, Beginning::ANY) {
        Ok(listing) => {
            counts.archived = listing.entries.len();
            counts.archive_is_whole = listing.problems.is_empty();
            unlooked.extend(listing.problems.into_iter().map(|(path, error)| unlooked_at(inbox, path, &error)));
        }
        Err(error) => unlooked.push(unlooked_at(inbox, inbox.path.clone(), &error)),
    }
    (counts, unlooked)
}

/// The inbox, or the part of it, that could not be looked into.
pub(super) fn unlooked_at(inbox: &Inbox, path: PathBuf, error: &io::Error) -> Unlooked {
    let text = error.to_string();
    // People are told what it means, not its number.
    let why = text.split_once(" (os error").map_or(text.as_str(), |(why, _)| why).to_lowercase();
    Unlooked { inbox: inbox.name.clone(), path, why }
}

/// The names in a header value that may hold several, separated by commas; `name (project)` counts
/// for its name too.
pub fn names(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').flat_map(|part| {
        let whole = part.trim();
        let bare = whole.split_once('(').map_or("", |(name, _)| name.trim());
        [whole, bare].into_iter().filter(|n| !n.is_empty())
    })
}

fn is_addressed(message: &Message, inbox: &Inbox, to: &str) -> bool {
    let header = &message.header;
    if header.to.is_empty() && header.cc.is_empty() {
        return inbox.is_owned_by(to);
    }
    let wanted = |name: &str| {
        same(name, to) || (inbox.is_owned_by(to) && AgentName::parse(name).is_ok_and(|n| inbox.is_owned_by(n.as_str())))
    };
    header.to.iter().chain(&header.cc).flat_map(|value| names(value)).any(wanted)
}

fn holds(message: &Message, word: &str) -> bool {
    let word = word.to_lowercase();
    let header = &message.header;
    let single = [&header.from, &header.subject, &header.date, &header.kind, &header.thread, &header.origin, &header.id];
    let lists = [&header.to, &header.cc, &header.tags, &header.in_reply_to];
    single.into_iter().flatten().chain(lists.into_iter().flatten()).any(|text| text.to_lowercase().contains(&word))
        || message.shown.subject.to_lowercase().contains(&word)
        || message.id.as_str().to_lowercase().contains(&word)
}
