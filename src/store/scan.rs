//! Reading an inbox: every file that could be a message becomes one, whatever is wrong with it.
//!
//! The hot path of every listing. One open, read and close a file; only the header is read; no
//! file is left out, counted twice, or able to make the reader hang. Whoever counts many messages and
//! keeps few looks at them first: see `survey.rs`.

use std::cell::OnceCell;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};

use super::census::Census;
use super::read::{Folder, HEAD, Reach, ReadError};
use super::survey::{Look, Visit};
use crate::layout::{self, Context, Dialect, Entry, FileKind, Head, Layout, Need, Which, bare};
use crate::model::date::{Clock, Moment, When};
use crate::model::inbox::Inbox;
use crate::model::message::{DateSource, Message, Warning};
use crate::model::plan::Stamp;

/// How long a file that its owner may be writing is left alone before it is looked at again.
const MOMENT: Duration = Duration::from_millis(40);

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

/// What is in an inbox beside its messages.
#[derive(Debug, Default)]
pub struct Beside {
    /// What is no message, but looks as if somebody lost it there, with the reason.
    pub leftovers: Vec<(PathBuf, &'static str)>,
    /// Places that could not be looked into: they are never taken for empty.
    pub problems: Vec<(PathBuf, io::Error)>,
}

impl Scan<'_> {
    /// Visits every message of some parts of an inbox, in the order of the folders.
    ///
    /// Files that another program renames meanwhile, or moves from one of the parts to another, are
    /// looked for under their new name; none is visited twice.
    ///
    /// Gives the places that could not be looked into: they are never taken for empty.
    pub fn each(&self, parts: &[Which], visit: &mut dyn FnMut(Message)) -> Vec<(PathBuf, io::Error)> {
        self.closely(parts, HEAD, &mut |message, _| visit(message)).problems
    }

    /// Like [`Scan::each`], with the first bytes of each message's file beside it, up to `want` of
    /// them (none where the file can't be read), and what lies beside the messages. For whoever looks
    /// closer than a header.
    pub fn closely(&self, parts: &[Which], want: usize, visit: &mut dyn FnMut(Message, Head<'_>)) -> Beside {
        let (mut census, listing) = Census::take(self.inbox, parts);
        let mut reader = Reader { want, ..Reader::new(*self) };
        let mut entries = listing.entries;
        while !entries.is_empty() {
            let gone = reader.read_all(&entries, visit);
            entries = census.next(entries, &gone);
        }
        Beside { leftovers: listing.leftovers, problems: listing.problems }
    }

    /// The messages of one file whose bytes are at hand.
    pub fn of_bytes(&self, entry: &Entry, bytes: &[u8]) -> Vec<Message> {
        let context = Context { inbox: self.inbox, dialect: self.dialect };
        let mut out = Vec::new();
        match layout::of(self.inbox.layout).parse(&context, entry, Head { bytes, complete: true }, &mut out) {
            Ok(()) => {}
            Err(Need::Later(warning)) => out.push(bare::by_name(&context, entry, warning)),
            Err(Need::Bytes(_)) => out.clear(),
        }
        let finish = Finish { clock: self.clock, moment: &OnceCell::new(), entry, stamp: None };
        for message in &mut out {
            finish.complete(message);
        }
        out
    }

    /// The messages of one file. Empty only when the file has vanished.
    pub fn one(&self, entry: &Entry) -> Vec<Message> {
        let mut out = Vec::new();
        Reader::new(*self).read(entry, None, &mut out);
        out
    }
}

/// Reads the files of one inbox.
pub(super) struct Reader<'a> {
    scan: Scan<'a>,
    layout: &'static dyn Layout,
    folder: Option<Folder>,
    /// How much is read of a file at first.
    want: usize,
    buffer: Vec<u8>,
    /// How much of the buffer is the file read last, and whether that is all of it.
    got: (usize, bool),
    /// That of the file read last.
    stamp: Option<Stamp>,
    moment: OnceCell<Moment>,
}

impl<'a> Reader<'a> {
    pub fn new(scan: Scan<'a>) -> Self {
        let layout = layout::of(scan.inbox.layout);
        let moment = OnceCell::new();
        Self { scan, layout, folder: None, want: HEAD, buffer: Vec::new(), got: (0, false), stamp: None, moment }
    }

    /// Reads every entry; gives the numbers of those that were gone when their turn came.
    fn read_all(&mut self, entries: &[Entry], visit: &mut dyn FnMut(Message, Head<'_>)) -> Vec<usize> {
        let mut out = Vec::new();
        let mut gone = Vec::new();
        for (number, entry) in entries.iter().enumerate() {
            if !self.read(entry, None, &mut out) {
                gone.push(number);
            }
            let (len, complete) = self.got;
            let bytes = self.buffer.get(..len).unwrap_or_default();
            out.drain(..).for_each(|message| visit(message, Head { bytes, complete }));
        }
        gone
    }

    /// Reads one file's messages into `out`; `false` when the file has vanished. Where there is a
    /// `visit`, and a look at the file's one message is to be had for it, nothing is added to `out`.
    pub fn read(&mut self, entry: &Entry, visit: Option<Visit<'_>>, out: &mut Vec<Message>) -> bool {
        let context = Context { inbox: self.scan.inbox, dialect: self.scan.dialect };
        let before = out.len();
        (self.stamp, self.got) = (None, (0, false));
        if let Err(error) = self.parse(&context, entry, visit, out) {
            if matches!(error, ReadError::Vanished { .. }) && entry.file == FileKind::Regular {
                return false;
            }
            out.push(bare::by_name(&context, entry, Warning::new(error.kind(), error.to_string())));
        }
        let finish = Finish { clock: self.scan.clock, moment: &self.moment, entry, stamp: self.stamp };
        out.iter_mut().skip(before).for_each(|message| finish.complete(message));
        true
    }

    fn parse(
        &mut self,
        context: &Context<'_>,
        entry: &Entry,
        mut visit: Option<Visit<'_>>,
        out: &mut Vec<Message>,
    ) -> Result<(), ReadError> {
        let reach = Reach::Within(&self.scan.inbox.project);
        let before = out.len();
        let mut want = self.want;
        let mut waited = false;
        loop {
            self.open(entry)?;
            let Some(folder) = &self.folder else { return Ok(()) };
            let (head, stamp) = if self.scan.stamps {
                let (head, stamp) = folder.read_head_stamped(entry, want, reach, &mut self.buffer)?;
                (head, Some(stamp))
            } else {
                (folder.read_head(entry, want, reach, &mut self.buffer)?, None)
            };
            (self.stamp, self.got) = (stamp, (head.bytes.len(), head.complete));
            if let Some(visit) = visit.take()
                && let Some(glance) = self.layout.glance(context, entry, head)
            {
                let finish = Finish { clock: self.scan.clock, moment: &self.moment, entry, stamp };
                visit(Look::new(glance, &|| finish.whole(self.layout, context, head)));
                return Ok(());
            }
            match self.layout.parse(context, entry, head, out) {
                Ok(()) => return Ok(()),
                Err(Need::Bytes(more)) if more > want && !head.complete => want = more,
                Err(Need::Later(_)) if !waited => {
                    waited = true;
                    out.truncate(before);
                    std::thread::sleep(MOMENT);
                }
                Err(Need::Later(warning)) => {
                    out.push(bare::by_name(context, entry, warning));
                    return Ok(());
                }
                Err(Need::Bytes(_)) => {
                    out.push(unreadable(context, entry));
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
