//! The messages of a list, in its order, and no more of them than are asked for.
//!
//! A list of twenty out of a hundred thousand keeps some hundred at a time: what a first look puts
//! behind those kept already is counted and never made.

use std::cmp::{Ordering, Reverse};

use chrono::NaiveDateTime;

use super::find::Sort;
use crate::model::date::{Clock, Moment, When};
use crate::model::message::{Glance, Message, Priority};
use crate::model::status::Status;
use crate::store::survey::Look;

/// So many more than are asked for are kept before they are thinned out.
const SPARE: usize = 256;

/// A list that is being gathered.
#[derive(Debug)]
pub(super) struct Shortlist {
    clock: Clock,
    moment: Moment,
    sort: Sort,
    limit: Option<usize>,
    kept: Vec<(Key, Message)>,
    dropped: usize,
    /// The last of those kept when they were thinned out: what comes behind it is not wanted.
    bound: Option<Key>,
}

/// What a list goes by, the smaller first; what decides between equal ones is [`compare`]'s.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    rank: Option<(Reverse<Priority>, Status)>,
    text: String,
    newest: Reverse<Option<NaiveDateTime>>,
    oldest: Option<NaiveDateTime>,
}

impl Shortlist {
    /// An empty list.
    pub fn new(clock: &Clock, moment: Moment, sort: Sort, limit: Option<usize>) -> Self {
        Self { clock: *clock, moment, sort, limit, kept: Vec::new(), dropped: 0, bound: None }
    }

    /// Takes in a message that is looked for; it is made only where it may be among those asked for.
    pub fn look(&mut self, look: &Look<'_>) {
        if self.is_behind(&look.glance) {
            self.dropped += 1;
        } else {
            self.push(look.whole());
        }
    }

    /// Takes in a message.
    pub fn push(&mut self, message: Message) {
        self.kept.push((self.key(&message), message));
        if let Some(limit) = self.limit
            && self.kept.len() >= limit.saturating_mul(2).saturating_add(SPARE)
        {
            self.thin_out(limit);
        }
    }

    /// Takes in what others gathered. Gives the messages in order, and how many there are beside them.
    pub fn finish(parts: Vec<Self>) -> (Vec<Message>, usize) {
        let Some(mut all) = parts.into_iter().reduce(|mut all, mut part| {
            all.kept.append(&mut part.kept);
            all.dropped += part.dropped;
            all
        }) else {
            return (Vec::new(), 0);
        };
        all.thin_out(all.limit.unwrap_or(usize::MAX));
        (all.kept.into_iter().map(|(_, message)| message).collect(), all.dropped)
    }

    /// Puts those kept in order, and lets go of all but the first.
    fn thin_out(&mut self, limit: usize) {
        // Numbers are sorted, not messages: these are large.
        let mut order: Vec<usize> = (0..self.kept.len()).collect();
        order.sort_unstable_by(|&a, &b| match (self.kept.get(a), self.kept.get(b)) {
            (Some(a), Some(b)) => compare(a, b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        });
        self.dropped += order.len().saturating_sub(limit);
        order.truncate(limit);
        let mut slots: Vec<_> = std::mem::take(&mut self.kept).into_iter().map(Some).collect();
        self.kept = order.into_iter().filter_map(|number| slots.get_mut(number)?.take()).collect();
        self.bound = self.kept.last().map(|(key, _)| key.clone());
    }

    /// Whether a first look is enough to tell that a message is not among those asked for.
    fn is_behind(&self, glance: &Glance<'_>) -> bool {
        if self.limit == Some(0) {
            return true;
        }
        match &self.bound {
            // These go by what a first look does not tell.
            Some(_) if matches!(self.sort, Sort::Subject | Sort::From) => false,
            Some(bound) => self.key_of(glance.priority, glance.status, glance.when, String::new()) > *bound,
            None => false,
        }
    }

    fn key(&self, message: &Message) -> Key {
        let text = match self.sort {
            Sort::Subject => message.shown.subject.to_lowercase(),
            Sort::From => message.header.from.as_deref().unwrap_or("").to_lowercase(),
            _ => String::new(),
        };
        self.key_of(message.shown.priority, message.status, message.shown.when, text)
    }

    fn key_of(&self, priority: Priority, status: Status, when: Option<When>, text: String) -> Key {
        let age = || age(&self.clock, &self.moment, when);
        let newest = |rank| Key { rank, text: String::new(), newest: Reverse(age()), oldest: None };
        match self.sort {
            Sort::Newest => newest(None),
            Sort::Oldest => Key { newest: Reverse(None), oldest: age(), rank: None, text },
            Sort::Priority => newest(Some((Reverse(priority), Status::Unread))),
            Sort::Status => newest(Some((Reverse(Priority::Normal), status))),
            Sort::From => Key { text, ..newest(None) },
            Sort::Subject => Key { newest: Reverse(None), oldest: None, rank: None, text },
        }
    }
}

/// What lists by age go by. Ahead of the clock counts as oldest: it must not stand above what is of today.
pub(super) fn age(clock: &Clock, moment: &Moment, when: Option<When>) -> Option<NaiveDateTime> {
    when.filter(|&w| !moment.is_future(w)).map(|w| clock.sort_key(w))
}

fn compare((a, one): &(Key, Message), (b, other): &(Key, Message)) -> Ordering {
    a.cmp(b).then_with(|| {
        let by_path = || one.path.to_string_lossy().cmp(&other.path.to_string_lossy());
        one.inbox.cmp(&other.inbox).then_with(by_path).then_with(|| one.id.cmp(&other.id))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::samples::{clock, message, priority, status, with};

    /// Messages whose dates, priorities and statuses meet in many ways.
    fn many() -> Vec<Message> {
        let day = |n: usize| format!("2026-04-{:02}", n * 7 % 29 + 1);
        (0..2_000)
            .map(|n| {
                let m = message(&format!("m{n:04}"), &day(n), &format!("Subject {}", n * 31 % 97));
                let m = status(m, Status::ALL[n % 4]);
                let m = priority(m, ["low", "normal", "high", "urgent"][n / 4 % 4]);
                with(m, |m| {
                    m.header.from = Some(format!("Sender {}", n % 13));
                    if n % 50 == 0 {
                        m.shown.when = None;
                    }
                    if n % 77 == 0 {
                        m.shown.when = When::parse("2031-01-01");
                    }
                })
            })
            .collect()
    }

    fn listed(messages: &[Message], sort: Sort, limit: Option<usize>, parts: usize) -> (Vec<Message>, usize) {
        let (clock, moment) = (clock(), clock().moment());
        let mut lists: Vec<_> = (0..parts).map(|_| Shortlist::new(&clock, moment, sort, limit)).collect();
        for (n, m) in messages.iter().enumerate() {
            lists[n % parts].look(&Look::new(m.glance(), &|| m.clone()));
        }
        Shortlist::finish(lists)
    }

    #[test]
    fn a_short_list_is_the_start_of_the_long_one() {
        let messages = many();
        for sort in [Sort::Newest, Sort::Oldest, Sort::Priority, Sort::Subject, Sort::From, Sort::Status] {
            let (all, none) = listed(&messages, sort, None, 1);
            assert_eq!((all.len(), none), (messages.len(), 0));
            for limit in [0, 1, 10, 300, 5_000] {
                for parts in [1, 3] {
                    let (some, more) = listed(&messages, sort, Some(limit), parts);
                    assert_eq!(some, all[..limit.min(all.len())], "{sort:?} {limit}");
                    assert_eq!(some.len() + more, messages.len());
                }
            }
        }
    }

    #[test]
    fn the_newest_come_first_and_what_lies_ahead_last() {
        let (all, _) = listed(&many(), Sort::Newest, None, 1);
        let day = |m: &Message| m.shown.when.map(|w| clock().day_of(w));
        let ahead = |m: &&Message| m.shown.when.is_none_or(|w| clock().is_future(w));
        assert!(all.iter().rev().take_while(ahead).count() > 50);
        let dated: Vec<_> = all.iter().filter(|m| !ahead(m)).map(day).collect();
        assert!(dated.is_sorted_by(|a, b| a >= b));
    }
}
