//! Looking at every message of an inbox without making it: for whoever counts many and keeps few.
//!
//! The fastest way through a large inbox. A look is taken from the bytes as they were read; a message
//! is made only of what is wanted; where there are many files, several threads share them.

use std::io;
use std::path::PathBuf;

use super::census::Census;
use super::parallel;
use super::scan::{Reader, Scan};
use crate::layout::{Entry, Which};
use crate::model::message::{Glance, Message};

/// One message as a survey meets it.
pub struct Look<'m> {
    /// Where it stands among those of its inbox: grows along the folder's order.
    pub place: u64,
    /// What counts it, and says whether it is wanted.
    pub glance: Glance<'m>,
    whole: &'m dyn Fn() -> Message,
}

/// What takes a look at a message.
pub(super) type Visit<'v> = &'v mut dyn FnMut(Look<'_>);

impl<'m> Look<'m> {
    pub(crate) fn new(glance: Glance<'m>, whole: &'m dyn Fn() -> Message) -> Self {
        Self { place: 0, glance, whole }
    }

    /// The whole message. That costs much more than the look.
    pub fn whole(&self) -> Message {
        (self.whole)()
    }
}

impl Scan<'_> {
    /// Looks at every message of some parts of an inbox; where there are many, with several threads.
    ///
    /// Each thread looks at some of them, in no order that can be told, and gathers in a value of its
    /// own, made by `start`: what is the same whoever looks at which is the same on every run. Gives
    /// those values, none where there was nothing to look at, and the places as [`Scan::each`] does.
    pub fn survey<T: Send>(
        &self,
        parts: &[Which],
        start: impl Fn() -> T + Sync,
        look: impl Fn(&mut T, Look<'_>) + Sync,
    ) -> (Vec<T>, Vec<(PathBuf, io::Error)>) {
        let (mut census, listing) = Census::take(self.inbox, parts);
        let mut entries = listing.entries;
        let work = |next: &mut dyn FnMut() -> Option<usize>| {
            let (mut reader, mut part, mut gone) = (Reader::new(*self), start(), Vec::new());
            while let Some(number) = next() {
                let Some(entry) = entries.get(number) else { continue };
                if !look_at(&mut reader, entry, number, &mut |seen| look(&mut part, seen)) {
                    gone.push(number);
                }
            }
            (part, gone)
        };
        let done = if entries.is_empty() { Vec::new() } else { parallel::share(entries.len(), work) };
        let (mut parts, gone): (Vec<T>, Vec<Vec<usize>>) = done.into_iter().unzip();
        let (mut gone, mut first) = (gone.concat(), 0);
        while let (false, Some(part)) = (gone.is_empty(), parts.first_mut()) {
            first += entries.len();
            entries = census.next(entries, &gone);
            let mut reader = Reader::new(*self);
            let looked = |(number, entry)| look_at(&mut reader, entry, first + number, &mut |seen| look(part, seen));
            gone = Vec::new();
            entries.iter().enumerate().map(looked).enumerate().filter(|(_, there)| !there).for_each(|(n, _)| gone.push(n));
        }
        (parts, listing.problems)
    }
}

/// Looks at one file's messages; `false` when the file has vanished.
fn look_at(reader: &mut Reader<'_>, entry: &Entry, number: usize, visit: Visit<'_>) -> bool {
    let place = (number as u64) << 20; // with room for those of one file
    let mut out = Vec::new();
    let there = reader.read(entry, Some(&mut |look: Look<'_>| visit(Look { place, ..look })), &mut out);
    for (message, place) in out.iter().zip(place..) {
        visit(Look { place, ..Look::new(message.glance(), &|| message.clone()) });
    }
    there
}
