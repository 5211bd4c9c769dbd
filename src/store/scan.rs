//! Reading an inbox: every file that could be a message becomes one, whatever is wrong with it.
//!
//! The hot path of every listing. One open, read and close a file; only the header is read; no
//! file is left out, counted twice, or able to make the reader hang. Whoever counts many messages and
//! keeps few looks at each first ([`Scan::survey`]) and has only those made that are wanted.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::SystemTime;

use chrono::{DateTime, Utc};

use super::parallel;
use super::read::{Folder, HEAD, Reach, ReadError};
use crate::layout::{self, Context, Dialect, Entry, FileKind, Head, Layout, Listing, Need, Which, bare};
use crate::model::date::{Clock, Moment, When};
use crate::model::inbox::Inbox;
use crate::model::message::{DateSource, Glance, Message, Warning};
use crate::model::plan::Stamp;

/// What scanning an inbox goes by.
#[derive(Debug, Clone, Copy)]
pub struct Scan<'a> {
    /// The inbox.
    pub inbox: &'a Inbox,
    /// The project's own words and keys.
    pub dialect: &'a Dialect,
    /// Today, for dates that lie ahead and for file times.
    pub clock: &'a Clock,
    /// Whether each message gets the stamp of its file: one more system call a file, for whoever
    /// is going to move it.
    pub stamps: bool,
}

/// One message as a survey meets it.
pub struct Look<'m> {
    /// Where it stands among those of its inbox: grows along the folder's order.
    pub place: u64,
    /// What counts it, and says whether it is wanted.
    pub glance: Glance<'m>,
    whole: &'m dyn Fn() -> Message,
}

impl Look<'_> {
    /// The whole message. That costs much more than the look.
    pub fn whole(&self) -> Message {
        (self.whole)()
    }
}

impl<'a> Scan<'a> {
    /// Visits every message of one part of an inbox, in the order of the folder.
    ///
    /// Files that another program renames meanwhile are looked for once more under their new name;
    /// none is visited twice.
    ///
    /// Gives the places that could not be looked into: they are never taken for empty.
    pub fn each(&self, which: Which, visit: &mut dyn FnMut(Message)) -> Vec<(PathBuf, io::Error)> {
        let listing = match self.list(which) {
            Ok(listing) => listing,
            Err(problem) => return vec![problem],
        };
        let mut reader = Reader::new(*self);
        let mut out = Vec::new();
        let mut gone = false;
        for entry in &listing.entries {
            gone |= !reader.read(entry, &mut out);
            out.drain(..).for_each(&mut *visit);
        }
        for entry in self.renamed(which, &listing, gone) {
            reader.read(&entry, &mut out);
            out.drain(..).for_each(&mut *visit);
        }
        listing.problems
    }

    /// Looks at every message of one part of an inbox; where there are many, with several threads.
    ///
    /// Each thread looks at some of them, in no order that can be told, and gathers in a value of its
    /// own, made by `start`: what is the same whoever looks at which is the same on every run. Gives
    /// those values, none where there was nothing to look at, and the places as [`Scan::each`] does.
    pub fn survey<T: Send>(
        &self,
        which: Which,
        start: impl Fn() -> T + Sync,
        look: impl Fn(&mut T, Look<'_>) + Sync,
    ) -> (Vec<T>, Vec<(PathBuf, io::Error)>) {
        let listing = match self.list(which) {
            Ok(listing) => listing,
            Err(problem) => return (Vec::new(), vec![problem]),
        };
        let entries = &listing.entries;
        let work = |next: &mut dyn FnMut() -> Option<usize>| {
            let (mut reader, mut part, mut gone) = (Reader::new(*self), start(), false);
            while let Some(number) = next() {
                let Some(entry) = entries.get(number) else { continue };
                gone |= !reader.look(entry, number, &mut |seen| look(&mut part, seen));
            }
            (part, gone)
        };
        let done = if entries.is_empty() { Vec::new() } else { parallel::share(entries.len(), work) };
        let gone = done.iter().any(|(_, gone)| *gone);
        let mut parts: Vec<T> = done.into_iter().map(|(part, _)| part).collect();
        if let Some(part) = parts.first_mut() {
            let mut reader = Reader::new(*self);
            for (number, entry) in self.renamed(which, &listing, gone).iter().enumerate() {
                reader.look(entry, entries.len() + number, &mut |seen| look(part, seen));
            }
        }
        (parts, listing.problems)
    }

    /// The messages of one file. Empty only when the file has vanished.
    pub fn one(&self, entry: &Entry) -> Vec<Message> {
        let mut out = Vec::new();
        Reader::new(*self).read(entry, &mut out);
        out
    }

    fn list(&self, which: Which) -> Result<Listing, (PathBuf, io::Error)> {
        layout::of(self.inbox.layout).list(self.inbox, which).map_err(|error| (self.inbox.path.clone(), error))
    }

    /// The entries that were not there when the folder was listed, where one that was is `gone`.
    fn renamed(&self, which: Which, before: &Listing, gone: bool) -> Vec<Entry> {
        if !gone {
            return Vec::new();
        }
        let seen: HashSet<&OsString> = before.entries.iter().map(|e| &e.name).collect();
        let again = self.list(which).unwrap_or_default();
        again.entries.into_iter().filter(|e| !seen.contains(&e.name)).collect()
    }
}

struct Reader<'a> {
    scan: Scan<'a>,
    layout: &'static dyn Layout,
    folder: Option<Folder>,
    buffer: Vec<u8>,
    moment: OnceCell<Moment>,
}

/// What takes the looks at the messages of a file, in order.
type Visit<'v> = &'v mut dyn FnMut(Look<'_>);

impl<'a> Reader<'a> {
    fn new(scan: Scan<'a>) -> Self {
        let layout = layout::of(scan.inbox.layout);
        Self { scan, layout, folder: None, buffer: Vec::new(), moment: OnceCell::new() }
    }

    /// Reads one file's messages into `out`; `false` when the file has vanished.
    fn read(&mut self, entry: &Entry, out: &mut Vec<Message>) -> bool {
        self.meet(entry, None, out)
    }

    /// Looks at one file's messages; `false` when the file has vanished.
    fn look(&mut self, entry: &Entry, number: usize, visit: Visit<'_>) -> bool {
        let place = (number as u64) << 20; // with room for those of one file
        let mut out = Vec::new();
        let there = self.meet(entry, Some((place, visit)), &mut out);
        for (message, place) in out.iter().zip(place..) {
            visit(Look { place, glance: message.glance(), whole: &|| message.clone() });
        }
        there
    }

    /// Adds one file's messages to `out`, unless a look at its only one is enough for `visit`.
    fn meet(&mut self, entry: &Entry, visit: Option<(u64, Visit<'_>)>, out: &mut Vec<Message>) -> bool {
        let context = Context { inbox: self.scan.inbox, dialect: self.scan.dialect };
        let before = out.len();
        let stamp = match self.parse(&context, entry, visit, out) {
            Ok(stamp) => stamp,
            Err(error) if error.is_vanished() && entry.file == FileKind::Regular => return false,
            Err(error) => {
                out.push(bare::by_name(&context, entry, Warning::new(error.kind(), error.to_string())));
                None
            }
        };
        let finish = Finish { clock: self.scan.clock, moment: &self.moment, entry, stamp };
        out.iter_mut().skip(before).for_each(|message| finish.complete(message));
        true
    }

    /// Gives the stamp of the file, where that is wanted.
    fn parse(
        &mut self,
        context: &Context<'_>,
        entry: &Entry,
        mut visit: Option<(u64, Visit<'_>)>,
        out: &mut Vec<Message>,
    ) -> Result<Option<Stamp>, ReadError> {
        let reach = Reach::Within(&self.scan.inbox.project);
        let mut want = HEAD;
        loop {
            if self.folder.as_ref().is_none_or(|f| f.path() != &*entry.folder) {
                self.folder = Some(Folder::open(&entry.folder)?);
            }
            let Some(folder) = &self.folder else { return Ok(None) };
            let (head, stamp) = if self.scan.stamps {
                let (head, stamp) = folder.read_head_stamped(entry, want, reach, &mut self.buffer)?;
                (head, Some(stamp))
            } else {
                (folder.read_head(entry, want, reach, &mut self.buffer)?, None)
            };
            if let Some((place, visit)) = visit.take()
                && let Some(glance) = self.layout.glance(context, entry, head)
            {
                let finish = Finish { clock: self.scan.clock, moment: &self.moment, entry, stamp };
                visit(Look { place, glance, whole: &|| finish.whole(self.layout, context, head) });
                return Ok(stamp);
            }
            match self.layout.parse(context, entry, head, out) {
                Ok(()) => return Ok(stamp),
                Err(Need::Bytes(more)) if more > want && !head.complete => want = more,
                Err(Need::Bytes(_)) => {
                    out.push(unreadable(context, entry));
                    return Ok(stamp);
                }
            }
        }
    }
}

/// A layout that wants more than it asked for, or than there is, breaks its law; the file is listed
/// all the same.
fn unreadable(context: &Context<'_>, entry: &Entry) -> Message {
    bare::by_name(context, entry, Warning::new("unreadable", "its header can't be read"))
}

/// What a message lacks after its header was read.
struct Finish<'f> {
    clock: &'f Clock,
    moment: &'f OnceCell<Moment>,
    entry: &'f Entry,
    stamp: Option<Stamp>,
}

impl Finish<'_> {
    /// The message that was looked at.
    fn whole(&self, layout: &dyn Layout, context: &Context<'_>, head: Head<'_>) -> Message {
        let mut out = Vec::with_capacity(1);
        let parsed = layout.parse(context, self.entry, head, &mut out);
        let mut message = out.pop().filter(|_| parsed.is_ok()).unwrap_or_else(|| unreadable(context, self.entry));
        self.complete(&mut message);
        message
    }

    /// Adds what the bytes of a header can't tell: a date from the file's time, whether it lies ahead,
    /// and the file's stamp.
    fn complete(&self, message: &mut Message) {
        if message.shown.date_source.is_none()
            && let Some(modified) = std::fs::metadata(&message.path).ok().and_then(|m| m.modified().ok())
        {
            let instant = DateTime::<Utc>::from(modified.max(SystemTime::UNIX_EPOCH));
            message.shown.date = (self.clock.to_local)(instant).format("%Y-%m-%d").to_string();
            message.shown.when = Some(When::Instant(instant));
            message.shown.date_source = Some(DateSource::Mtime);
        }
        if let Some(when) = message.dated()
            && self.moment.get_or_init(|| self.clock.moment()).is_future(when)
        {
            let text = format!("its date, {}, lies ahead; it hides nothing and is never old", message.shown.date.trim());
            message.warnings.push(Warning::new("date-in-future", text));
        }
        // A link's own stamp is another than its target's, and links are not moved.
        message.stamp = self.stamp.filter(|_| self.entry.file == FileKind::Regular);
    }
}
