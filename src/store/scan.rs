//! Reading an inbox: every file that could be a message becomes one, whatever is wrong with it.
//!
//! The hot path of every listing. One open, read and close a file; only the header is read; no
//! file is left out, counted twice, or able to make the reader hang.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::SystemTime;

use chrono::{DateTime, Utc};

use super::read::{Folder, HEAD, Reach, ReadError};
use crate::layout::{self, Context, Dialect, Entry, FileKind, Layout, Need, Which, bare};
use crate::model::date::{Clock, When};
use crate::model::inbox::Inbox;
use crate::model::message::{DateSource, Message, Warning};
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

impl Scan<'_> {
    /// Visits every message of one part of an inbox, in the order of the folder.
    ///
    /// Files that another program renames meanwhile are looked for once more under their new name;
    /// none is visited twice.
    ///
    /// Gives the places that could not be looked into: they are never taken for empty.
    pub fn each(&self, which: Which, visit: &mut dyn FnMut(Message)) -> Vec<(PathBuf, io::Error)> {
        let layout = layout::of(self.inbox.layout);
        let listing = match layout.list(self.inbox, which) {
            Ok(listing) => listing,
            Err(error) => return vec![(self.inbox.path.clone(), error)],
        };
        let mut reader = Reader::new(*self, layout);
        let gone = reader.read_all(&listing.entries, visit);
        if gone > 0 {
            let seen: HashSet<&OsString> = listing.entries.iter().map(|e| &e.name).collect();
            let again = layout.list(self.inbox, which).unwrap_or_default();
            let new: Vec<Entry> = again.entries.into_iter().filter(|e| !seen.contains(&e.name)).collect();
            reader.read_all(&new, visit);
        }
        listing.problems
    }

    /// The messages of one file. Empty only when the file has vanished.
    pub fn one(&self, entry: &Entry) -> Vec<Message> {
        let mut out = Vec::new();
        Reader::new(*self, layout::of(self.inbox.layout)).read(entry, &mut out);
        out
    }
}

struct Reader<'a> {
    scan: Scan<'a>,
    layout: &'static dyn Layout,
    folder: Option<Folder>,
    buffer: Vec<u8>,
    /// That of the file read last.
    stamp: Option<Stamp>,
}

impl<'a> Reader<'a> {
    fn new(scan: Scan<'a>, layout: &'static dyn Layout) -> Self {
        Self { scan, layout, folder: None, buffer: Vec::new(), stamp: None }
    }

    /// Reads every entry; gives the number of files that were gone when their turn came.
    fn read_all(&mut self, entries: &[Entry], visit: &mut dyn FnMut(Message)) -> usize {
        let mut out = Vec::new();
        let mut gone = 0;
        for entry in entries {
            if !self.read(entry, &mut out) {
                gone += 1;
            }
            out.drain(..).for_each(&mut *visit);
        }
        gone
    }

    /// Reads one file's messages into `out`; `false` when the file has vanished.
    fn read(&mut self, entry: &Entry, out: &mut Vec<Message>) -> bool {
        let context = Context { inbox: self.scan.inbox, dialect: self.scan.dialect };
        let before = out.len();
        self.stamp = None;
        if let Err(error) = self.parse(&context, entry, out) {
            if matches!(error, ReadError::Vanished { .. }) && entry.file == FileKind::Regular {
                return false;
            }
            out.push(bare::by_name(&context, entry, Warning::new(error.kind(), error.to_string())));
        }
        for message in out.iter_mut().skip(before) {
            complete(message, self.scan.clock);
            // A link's own stamp is another than its target's, and links are not moved.
            message.stamp = self.stamp.filter(|_| entry.file == FileKind::Regular);
        }
        true
    }

    fn parse(&mut self, context: &Context<'_>, entry: &Entry, out: &mut Vec<Message>) -> Result<(), ReadError> {
        let reach = Reach::Within(&self.scan.inbox.project);
        let mut want = HEAD;
        loop {
            self.open(entry)?;
            let Some(folder) = &self.folder else { return Ok(()) };
            let (head, stamp) = if self.scan.stamps {
                let (head, stamp) = folder.read_head_stamped(entry, want, reach, &mut self.buffer)?;
                (head, Some(stamp))
            } else {
                (folder.read_head(entry, want, reach, &mut self.buffer)?, None)
            };
            self.stamp = stamp;
            match self.layout.parse(context, entry, head, out) {
                Ok(()) => return Ok(()),
                Err(Need::Bytes(more)) if more > want && !head.complete => want = more,
                Err(Need::Bytes(_)) => {
                    // A layout that wants more than it asked for, or than there is, breaks its law; the
                    // file is listed all the same.
                    out.push(bare::by_name(context, entry, Warning::new("unreadable", "its header can't be read")));
                    return Ok(());
                }
            }
        }
    }

    /// Opens the entry's folder, once for all entries in it.
    fn open(&mut self, entry: &Entry) -> Result<(), ReadError> {
        if self.folder.as_ref().is_none_or(|f| f.path() != &*entry.folder) {
            self.folder = Some(Folder::open(&entry.folder)?);
        }
        Ok(())
    }
}

/// Adds what the bytes of a header can't tell: a date from the file's time, and whether it lies ahead.
fn complete(message: &mut Message, clock: &Clock) {
    if message.shown.date_source.is_none()
        && let Some(modified) = std::fs::metadata(&message.path).ok().and_then(|m| m.modified().ok())
    {
        let instant = DateTime::<Utc>::from(modified.max(SystemTime::UNIX_EPOCH));
        message.shown.date = (clock.to_local)(instant).format("%Y-%m-%d").to_string();
        message.shown.when = Some(When::Instant(instant));
        message.shown.date_source = Some(DateSource::Mtime);
    }
    if let Some(when) = message.dated()
        && clock.is_future(when)
    {
        let text = format!("its date, {}, lies ahead; it hides nothing and is never old", message.shown.date.trim());
        message.warnings.push(Warning::new("date-in-future", text));
    }
}
