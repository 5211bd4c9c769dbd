//! What a hook tells: unread mail that this session was not told of yet. Looks, writes nothing.

use std::collections::BTreeSet;

use super::find::{self, Unlooked};
use super::session::Session;
use super::summary::{Collector, Order, Summary};
use crate::model::inbox::Inbox;
use crate::model::status::Status;
use crate::store::sessions::{Memory, is_failure, key};

/// What there is to tell.
#[derive(Debug)]
pub struct News {
    /// All unread mail, counted; the items are of what is new.
    pub summary: Summary,
    /// How many unread messages the session was not told of.
    pub fresh: usize,
    /// What could not be looked at.
    pub unlooked: Vec<Unlooked>,
    /// Whether the session was not told of that, or some of it.
    pub fresh_trouble: bool,
    /// Everything that counts as told once this is handed over.
    told: BTreeSet<u64>,
}

impl News {
    /// Whether there is nothing to say.
    pub fn is_none(&self) -> bool {
        self.fresh == 0 && !self.fresh_trouble
    }

    /// What the memory holds after this was handed over. Mail that is not unread any more is
    /// forgotten, unless it was merely not seen this time: whoever marks it unread again wants it told.
    pub fn remembered(&self, memory: &Memory) -> BTreeSet<u64> {
        let mut told = self.told.clone();
        if !self.unlooked.is_empty() {
            told.extend(memory.told());
        }
        told
    }

    /// What is left of the memory where there is nothing to say; `None` where nothing is to be forgotten.
    pub fn kept(&self, memory: &Memory) -> Option<BTreeSet<u64>> {
        let remembered = self.remembered(memory);
        // A failure was told of once; that it looked this time makes it no news.
        let kept: BTreeSet<u64> = memory.told().filter(|key| is_failure(*key) || remembered.contains(key)).collect();
        (kept.len() < memory.told().count()).then_some(kept)
    }
}

/// Looks for what is new in the inboxes given. `memory`: what was told; `None` where the agent's
/// context is new, so that all unread mail is. `hidden`: places that were not even found.
pub fn look(
    session: &Session<'_>,
    inboxes: &[&Inbox],
    hidden: Vec<Unlooked>,
    memory: Option<&Memory>,
    limit: usize,
    order: Order,
) -> News {
    let knows = |key| memory.is_some_and(|memory| memory.holds(key));
    let mut all = Collector::new(&session.clock, 0, order);
    let mut fresh = Collector::new(&session.clock, limit, order);
    let mut told = BTreeSet::new();
    let mut unlooked = Vec::new();
    for &inbox in inboxes {
        let start = || (all.part(), fresh.part(), BTreeSet::new());
        let (parts, not) = find::survey(session, inbox, start, |(all, fresh, told), look| {
            all.look(inbox, &look);
            if look.glance.status == Status::Unread {
                let key = key(&inbox.path, look.glance.id);
                told.insert(key);
                if !knows(key) {
                    fresh.look(inbox, &look);
                }
            }
        });
        for (all_part, fresh_part, told_part) in parts {
            all.join(all_part);
            fresh.join(fresh_part);
            told.extend(told_part);
        }
        unlooked.extend(not);
    }
    unlooked.extend(hidden);
    let troubles: Vec<u64> = unlooked.iter().map(|u| key(&u.path, &u.why)).collect();
    let fresh_trouble = troubles.iter().any(|&key| !knows(key));
    told.extend(troubles);
    let fresh = fresh.finish();
    let mut summary = all.finish();
    summary.more = summary.unread - fresh.items.len();
    summary.items = fresh.items;
    if summary.unread == 0 {
        // Old mail is no news: a hook speaks of it only beside what is unread.
        summary.stale = 0;
        summary.stale_items.clear();
    }
    News { summary, fresh: fresh.unread, unlooked, fresh_trouble, told }
}
