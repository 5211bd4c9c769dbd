//! What a reader should be told at the start of a session, gathered from a stream of messages:
//! how many are unread, open and stale, and the few that come first.
//!
//! Messages are looked at as a scan meets them; only those that may be shown are made and kept, so a
//! hundred thousand cost little more than reading them. `render/summary.rs` makes text of it.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::OnceLock;

use super::find::{self, Unlooked};
use super::session::Session;
use crate::model::date::{Clock, Moment};
use crate::model::inbox::{Inbox, Label};
use crate::model::message::{Glance, Message, Priority};
use crate::model::status::Status;
use crate::store::survey::Look;
use crate::text::soma;

/// How many unread messages a summary names unless told otherwise.
pub const LIMIT: usize = 10;

/// After how many local calendar days a message that nobody handled counts as stale; it must be
/// strictly older.
pub const STALE_DAYS: i64 = 14;

/// How many stale messages are kept to be named where nothing is unread.
pub const STALE_NAMED: usize = 3;

/// The order in which unread messages are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By priority, urgent first; then the newest first, those without a date behind them; dates in
    /// the future last of all, whatever their priority; ties by name.
    Urgent,
    /// As the running Soma does: by the text of the date, descending; ties as they were listed.
    DateText,
}

/// What was gathered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Live and unread.
    pub unread: usize,
    /// Of these, those marked urgent.
    pub urgent: usize,
    /// Live and read or actioned.
    pub open: usize,
    /// Live, unread or read, and older than [`Summary::stale_days`] by header or file name.
    pub stale: usize,
    /// After how many days a message is stale.
    pub stale_days: i64,
    /// The first of the unread, at most as many as asked for.
    pub items: Vec<Message>,
    /// How many unread ones are not among the items.
    pub more: usize,
    /// The oldest of the stale, at most [`STALE_NAMED`], where nothing is unread; otherwise empty.
    pub stale_items: Vec<Message>,
    /// The inboxes with unread mail and how much of it, as they were met.
    pub inboxes: Vec<(String, usize)>,
}

impl Summary {
    /// Whether there is nothing to tell: nothing unread and nothing stale.
    pub fn is_quiet(&self) -> bool {
        self.unread == 0 && self.stale == 0
    }
}

/// Looks at every live message of the inboxes given, and takes in those that `counts` names. Also
/// tells what could not be looked into.
pub fn gather(
    session: &Session<'_>,
    inboxes: &[&Inbox],
    limit: usize,
    order: Order,
    counts: impl Fn(&Inbox, &Glance<'_>) -> bool + Sync,
) -> (Summary, Vec<Unlooked>) {
    let mut all = Collector::new(&session.clock, limit, order);
    let mut unlooked = Vec::new();
    for &inbox in inboxes {
        let (parts, not) = find::survey(
            session,
            inbox,
            || all.part(),
            |part, look| {
                if counts(inbox, &look.glance) {
                    part.look(inbox, &look);
                }
            },
        );
        for part in parts {
            all.join(part);
        }
        unlooked.extend(not);
    }
    (all.finish(), unlooked)
}

/// Gathers a [`Summary`].
#[derive(Debug, Clone)]
pub struct Collector {
    clock: Clock,
    /// Looked at once, and not before there is a message.
    moment: OnceLock<Moment>,
    order: Order,
    stale_days: i64,
    /// The inbox that is gathered from, and how many messages were pushed.
    listed: Listed,
    unread: usize,
    urgent: usize,
    open: usize,
    stale: usize,
    inboxes: Vec<(String, usize)>,
    last_inbox: usize,
    first: Top,
    oldest: Top,
}

/// The order in which messages were listed: by the part that met them, then by place.
type Listed = (u32, u64);

impl Collector {
    /// Starts gathering; at most `limit` messages will be named.
    pub fn new(clock: &Clock, limit: usize, order: Order) -> Self {
        Self {
            clock: *clock,
            moment: OnceLock::new(),
            order,
            stale_days: STALE_DAYS,
            listed: (0, 0),
            unread: 0,
            urgent: 0,
            open: 0,
            stale: 0,
            inboxes: Vec::new(),
            last_inbox: 0,
            first: Top::new(limit),
            oldest: Top::new(STALE_NAMED),
        }
    }

    /// Counts messages as stale after another number of days.
    #[must_use]
    pub fn stale_after(mut self, days: i64) -> Self {
        self.stale_days = days;
        self
    }

    /// An empty collector for one of several threads that look at an inbox. All that are made before
    /// one is joined belong to the same inbox.
    #[must_use]
    pub fn part(&self) -> Self {
        let (inbox, _) = self.listed;
        // The threads need not each ask for the reader's zone.
        self.now();
        Self {
            moment: self.moment.clone(),
            listed: (inbox + 1, 0),
            ..Self::new(&self.clock, self.first.limit, self.order).stale_after(self.stale_days)
        }
    }

    /// Takes in what a part has gathered.
    pub fn join(&mut self, part: Self) {
        self.listed = self.listed.max(part.listed);
        self.unread += part.unread;
        self.urgent += part.urgent;
        self.open += part.open;
        self.stale += part.stale;
        for (name, count) in part.inboxes {
            self.count_inbox(&name, count);
        }
        self.first.join(part.first);
        self.oldest.join(part.oldest);
    }

    /// Takes one message in. Archived ones count for nothing.
    pub fn push(&mut self, message: &Message) {
        self.listed.1 += 1;
        self.take(&message.inbox, &message.glance(), self.listed, &|| message.clone());
    }

    /// Takes in a message that was looked at; it is made only where it may be named.
    pub fn look(&mut self, inbox: &Inbox, look: &Look<'_>) {
        self.take(&inbox.name, &look.glance, (self.listed.0, look.place), &|| look.whole());
    }

    fn take(&mut self, inbox: &str, glance: &Glance<'_>, listed: Listed, whole: &dyn Fn() -> Message) {
        if glance.archived {
            return;
        }
        if glance.is_open() {
            self.open += 1;
        }
        if self.is_stale(glance) {
            self.stale += 1;
            // Named only where nothing is unread, so there is no use in keeping them otherwise.
            if self.unread == 0 && glance.status != Status::Unread {
                self.oldest.offer(&self.age_rank(glance, listed), whole);
            }
        }
        if glance.status == Status::Unread {
            self.unread += 1;
            if glance.priority == Priority::Urgent {
                self.urgent += 1;
            }
            self.count_inbox(inbox, 1);
            self.first.offer(&self.rank(glance, listed), whole);
        }
    }

    /// Ends the gathering.
    pub fn finish(self) -> Summary {
        let items = self.first.into_sorted();
        Summary {
            unread: self.unread,
            urgent: self.urgent,
            open: self.open,
            stale: self.stale,
            stale_days: self.stale_days,
            more: self.unread - items.len(),
            items,
            stale_items: if self.unread == 0 { self.oldest.into_sorted() } else { Vec::new() },
            inboxes: self.inboxes,
        }
    }

    fn now(&self) -> &Moment {
        self.moment.get_or_init(|| self.clock.moment())
    }

    fn is_stale(&self, glance: &Glance<'_>) -> bool {
        matches!(glance.status, Status::Unread | Status::Read)
            && glance.dated().is_some_and(|when| (self.now().today() - self.clock.day_of(when)).num_days() > self.stale_days)
    }

    fn count_inbox(&mut self, name: &str, more: usize) {
        // A scan goes inbox by inbox, so the last one met is nearly always the one.
        let same = |i: usize, list: &[(String, usize)]| list.get(i).is_some_and(|(n, _)| n == name);
        if !same(self.last_inbox, &self.inboxes) {
            self.last_inbox = self.inboxes.iter().position(|(n, _)| n == name).unwrap_or(self.inboxes.len());
        }
        match self.inboxes.get_mut(self.last_inbox) {
            Some((_, count)) => *count += more,
            None => self.inboxes.push((name.to_owned(), more)),
        }
    }

    fn rank<'a>(&self, glance: &'a Glance<'_>, listed: Listed) -> Rank<'a> {
        match self.order {
            Order::DateText => Rank { text: Reverse(listed_date(glance)), ..Rank::listed(listed) },
            Order::Urgent => {
                let future = glance.when.is_some_and(|w| self.now().is_future(w));
                let class = match glance.priority {
                    _ if future => 4,
                    Priority::Urgent => 0,
                    Priority::High => 1,
                    Priority::Normal => 2,
                    Priority::Low => 3,
                };
                let time = glance.when.map_or(i64::MAX, |w| -self.clock.sort_key(w).and_utc().timestamp_micros());
                Rank { class, time, name: Cow::Borrowed(glance.id), ..Rank::listed(listed) }
            }
        }
    }

    fn age_rank<'a>(&self, glance: &'a Glance<'_>, listed: Listed) -> Rank<'a> {
        let time = glance.dated().map_or(i64::MAX, |w| self.clock.sort_key(w).and_utc().timestamp_micros());
        Rank { time, name: Cow::Borrowed(glance.id), ..Rank::listed(listed) }
    }
}

/// [`soma_date`] of a message that was looked at.
fn listed_date<'a>(glance: &'a Glance<'_>) -> Cow<'a, str> {
    if glance.date.is_empty() { Cow::Owned(glance.file.chars().take(10).collect()) } else { Cow::Borrowed(glance.date) }
}

/// Whether the running Soma would show a message in its own block: it reads the `.soma` inboxes of the
/// chain above and the one at home, looks only at names ending in `.md`, and takes only the exact word `unread`, or none, for unread.
///
/// What depends on bytes that a message does not keep (a comment behind the status, CRLF, a byte order
/// mark) is not told apart here: such mail is shown by its true status.
pub fn shown_by_soma(inbox: &Inbox, glance: &Glance<'_>) -> bool {
    let chain = inbox.is_somas() && inbox.label != Label::Workspace;
    chain && soma::is_listed(&glance.file) && glance.exactly_unread && !glance.archived && glance.status == Status::Unread
}

/// The date that the running Soma shows and sorts by: the header's, else the first ten characters
/// of the file's name, whatever they are.
pub fn soma_date(message: &Message) -> Cow<'_, str> {
    match message.header.date.as_deref() {
        Some(date) if !date.is_empty() => Cow::Borrowed(date),
        _ => Cow::Owned(file_name(message).chars().take(10).collect()),
    }
}

/// The subject that the running Soma shows: the header's, else the file's name without its date
/// and `.md`, dashes as blanks. (Postroom's own fallback looks into the body first.)
pub fn soma_subject(message: &Message) -> Cow<'_, str> {
    match message.header.subject.as_deref() {
        Some(subject) if !subject.is_empty() => Cow::Borrowed(subject),
        _ => {
            let name = file_name(message);
            let stem = name.strip_suffix(".md").unwrap_or(&name);
            let undated = behind_date(stem).unwrap_or(stem);
            Cow::Owned(undated.replace('-', " "))
        }
    }
}

/// What stands behind `YYYY-MM-DD-` at the start of a name.
fn behind_date(stem: &str) -> Option<&str> {
    let (date, rest) = stem.split_at_checked(11)?;
    let fits = |(at, byte): (usize, u8)| if matches!(at, 4 | 7 | 10) { byte == b'-' } else { byte.is_ascii_digit() };
    (date.bytes().enumerate().all(fits) && !rest.is_empty()).then_some(rest)
}

fn file_name(message: &Message) -> Cow<'_, str> {
    message.path.file_name().map_or(Cow::Borrowed(message.id.as_str()), |n| n.to_string_lossy())
}

/// A place in an order: the smaller comes first. Fields that an order does not use stay empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Rank<'a> {
    class: u8,
    text: Reverse<Cow<'a, str>>,
    time: i64,
    name: Cow<'a, str>,
    listed: Listed,
}

impl Rank<'_> {
    fn listed(listed: Listed) -> Self {
        Self { class: 0, text: Reverse(Cow::Borrowed("")), time: 0, name: Cow::Borrowed(""), listed }
    }

    fn to_owned(&self) -> Rank<'static> {
        let text = Reverse(Cow::Owned(self.text.0.clone().into_owned()));
        Rank { class: self.class, text, time: self.time, name: Cow::Owned(self.name.clone().into_owned()), listed: self.listed }
    }
}

/// The first few messages of a stream by their rank. A message is made only when it gets in.
#[derive(Debug, Clone)]
struct Top {
    limit: usize,
    /// The last of those kept is on top.
    heap: BinaryHeap<Ranked>,
}

/// Boxed, so that moves inside the heap stay small.
#[derive(Debug, Clone)]
struct Ranked {
    rank: Rank<'static>,
    message: Box<Message>,
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}
impl Eq for Ranked {}
impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

impl Top {
    fn new(limit: usize) -> Self {
        Self { limit, heap: BinaryHeap::new() }
    }

    fn offer(&mut self, rank: &Rank<'_>, whole: &dyn Fn() -> Message) {
        if self.takes(rank) {
            self.heap.push(Ranked { rank: rank.to_owned(), message: Box::new(whole()) });
        }
    }

    fn join(&mut self, other: Self) {
        for ranked in other.heap {
            if self.takes(&ranked.rank) {
                self.heap.push(ranked);
            }
        }
    }

    /// Whether a message of this rank gets in; makes room for it.
    fn takes(&mut self, rank: &Rank<'_>) -> bool {
        if self.heap.len() < self.limit {
            return true;
        }
        let better = self.heap.peek().is_some_and(|last| *rank < last.rank);
        if better {
            self.heap.pop();
        }
        better
    }

    fn into_sorted(self) -> Vec<Message> {
        self.heap.into_sorted_vec().into_iter().map(|r| *r.message).collect()
    }
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
