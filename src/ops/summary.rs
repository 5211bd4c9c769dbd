//! What a reader should be told at the start of a session, gathered from a stream of messages:
//! how many are unread, open and stale, and the few that come first.
//!
//! Pure: messages are pushed in as a scan meets them; only those that may be shown are kept, so a
//! hundred thousand cost little more than reading them. `render/summary.rs` makes text of it.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use chrono::NaiveDate;

use crate::model::date::Clock;
use crate::model::inbox::{Inbox, Label, LayoutId};
use crate::model::message::{Message, Priority};
use crate::model::status::Status;

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

/// Gathers a [`Summary`].
#[derive(Debug)]
pub struct Collector {
    clock: Clock,
    today: NaiveDate,
    order: Order,
    stale_days: i64,
    seen: u64,
    unread: usize,
    urgent: usize,
    open: usize,
    stale: usize,
    inboxes: Vec<(String, usize)>,
    last_inbox: usize,
    first: Top,
    oldest: Top,
}

impl Collector {
    /// Starts gathering; at most `limit` messages will be named.
    pub fn new(clock: &Clock, limit: usize, order: Order) -> Self {
        Self {
            clock: *clock,
            today: clock.today(),
            order,
            stale_days: STALE_DAYS,
            seen: 0,
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

    /// Takes one message in. Archived ones count for nothing.
    pub fn push(&mut self, message: &Message) {
        if message.archived {
            return;
        }
        self.seen += 1;
        if message.is_open() {
            self.open += 1;
        }
        if self.is_stale(message) {
            self.stale += 1;
            // Named only where nothing is unread, so there is no use in keeping them otherwise.
            if self.unread == 0 && message.status != Status::Unread {
                self.oldest.offer(self.age_rank(message), message);
            }
        }
        if message.status == Status::Unread {
            self.unread += 1;
            if message.shown.priority == Priority::Urgent {
                self.urgent += 1;
            }
            self.count_inbox(&message.inbox);
            self.first.offer(self.rank(message), message);
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

    /// Today is asked for once, not for each message: a local zone costs more than a comparison.
    fn is_stale(&self, message: &Message) -> bool {
        matches!(message.status, Status::Unread | Status::Read)
            && message.dated().is_some_and(|when| (self.today - self.clock.day_of(when)).num_days() > self.stale_days)
    }

    fn count_inbox(&mut self, name: &str) {
        // A scan goes inbox by inbox, so the last one met is nearly always the one.
        let same = |i: usize, list: &[(String, usize)]| list.get(i).is_some_and(|(n, _)| n == name);
        if !same(self.last_inbox, &self.inboxes) {
            self.last_inbox = self.inboxes.iter().position(|(n, _)| n == name).unwrap_or(self.inboxes.len());
        }
        match self.inboxes.get_mut(self.last_inbox) {
            Some((_, count)) => *count += 1,
            None => self.inboxes.push((name.to_owned(), 1)),
        }
    }

    fn rank<'a>(&self, message: &'a Message) -> Rank<'a> {
        match self.order {
            Order::DateText => Rank { text: Reverse(soma_date(message)), ..Rank::listed(self.seen) },
            Order::Urgent => {
                let when = message.shown.when;
                let future = when.is_some_and(|w| self.clock.is_future(w));
                let class = match message.shown.priority {
                    _ if future => 4,
                    Priority::Urgent => 0,
                    Priority::High => 1,
                    Priority::Normal => 2,
                    Priority::Low => 3,
                };
                let time = when.map_or(i64::MAX, |w| -self.clock.sort_key(w).and_utc().timestamp_micros());
                Rank { class, time, name: Cow::Borrowed(message.id.as_str()), ..Rank::listed(self.seen) }
            }
        }
    }

    fn age_rank<'a>(&self, message: &'a Message) -> Rank<'a> {
        let time = message.dated().map_or(i64::MAX, |w| self.clock.sort_key(w).and_utc().timestamp_micros());
        Rank { time, name: Cow::Borrowed(message.id.as_str()), ..Rank::listed(self.seen) }
    }
}

/// Whether the running Soma would show a message in its own block: it reads the `.soma` inboxes of the
/// chain above and the one at home, and takes only the exact word `unread`, or none, for unread.
///
/// What depends on bytes that a message does not keep (a comment behind the status, CRLF, a byte order
/// mark) is not told apart here: such mail is shown by its true status.
pub fn shown_by_soma(inbox: &Inbox, message: &Message) -> bool {
    let chain = inbox.layout == LayoutId::Soma && inbox.path.ends_with(".soma/inbox") && inbox.label != Label::Workspace;
    let word = match message.raw_status.as_deref() {
        Some(word) => word == "unread",
        None => !message.warnings.iter().any(|w| matches!(w.kind, "status-empty" | "status-unreadable")),
    };
    chain && word && !message.archived && message.status == Status::Unread
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
    listed: u64,
}

impl Rank<'_> {
    fn listed(listed: u64) -> Self {
        Self { class: 0, text: Reverse(Cow::Borrowed("")), time: 0, name: Cow::Borrowed(""), listed }
    }

    fn into_owned(self) -> Rank<'static> {
        let Rank { class, text, time, name, listed } = self;
        Rank { class, text: Reverse(Cow::Owned(text.0.into_owned())), time, name: Cow::Owned(name.into_owned()), listed }
    }
}

/// The first few messages of a stream by their rank. A message is cloned only when it gets in.
#[derive(Debug)]
struct Top {
    limit: usize,
    /// The last of those kept is on top.
    heap: BinaryHeap<Ranked>,
}

/// Boxed, so that moves inside the heap stay small.
#[derive(Debug)]
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

    fn offer(&mut self, rank: Rank<'_>, message: &Message) {
        if self.heap.len() >= self.limit {
            match self.heap.peek() {
                Some(last) if rank < last.rank => _ = self.heap.pop(),
                _ => return,
            }
        }
        self.heap.push(Ranked { rank: rank.into_owned(), message: Box::new(message.clone()) });
    }

    fn into_sorted(self) -> Vec<Message> {
        self.heap.into_sorted_vec().into_iter().map(|r| *r.message).collect()
    }
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
