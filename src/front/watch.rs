//! Waiting for mail: looks again whenever the system tells of a change, and now and then in any case.
//!
//! Each look is a fresh look at the world, so that new inboxes, and folders that were made a moment
//! ago, are seen. Nothing is marked.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::run::Run;
use super::start::Standpoint;
use crate::error::Report;
use crate::model::inbox::Inbox;
use crate::ops::find::{Query, Unlooked};
use crate::ops::watch::{self, Known, Look, New, Settling};
use crate::store::bell::Bell;
use crate::store::cursors::{Cursor, CursorName};

/// The longest pause between two looks where the system tells of changes: it does not tell of all.
const HEARTBEAT: Duration = Duration::from_secs(2);
/// The pause between two looks where it doesn't.
pub const POLL: Duration = Duration::from_secs(1);
/// How long a message must not change to count as whole, and how long quiet must last after a change.
const SETTLE: Duration = Duration::from_millis(100);
/// Where nothing is heard, the pause is at least this many times what a look takes; where much is
/// heard, there is a rest of a fifth of that: a large inbox must not keep a processor busy.
const RATIO: u32 = 20;
/// The longest such rest.
const REST: Duration = Duration::from_secs(2);

/// Somebody who waits for mail.
pub struct Watch {
    standpoint: Standpoint,
    query: Query,
    known: Option<Known>,
    settling: Settling,
    bell: Bell,
    /// How often to look though nothing was heard.
    heartbeat: Duration,
    /// Places that could not be looked into, and were told.
    told: Vec<Unlooked>,
    /// Those that were not told yet.
    untold: Vec<Unlooked>,
}

/// What a wait ended with.
#[derive(Debug, Default)]
pub struct News {
    /// New mail, oldest first.
    pub new: Vec<New>,
    /// Places that could not be looked into, each told once.
    pub unlooked: Vec<Unlooked>,
    /// Whether the time is over.
    pub over: bool,
}

impl Watch {
    /// Starts to watch: what is there now is not new, unless `since` knows less.
    ///
    /// `to`: only mail to this name. `poll`: look that often instead of listening.
    /// Gives how many unread messages are there already, too.
    ///
    /// # Errors
    /// As [`Run::new`].
    pub fn begin(
        standpoint: Standpoint,
        to: Option<String>,
        since: Option<Known>,
        poll: Option<Duration>,
    ) -> Result<(Self, usize), Report> {
        let query = Query { to, ..Query::default() };
        let mut watch = Self {
            standpoint,
            query,
            known: since,
            settling: Settling::default(),
            bell: if poll.is_some() { Bell::silent() } else { Bell::new() },
            heartbeat: poll.unwrap_or(HEARTBEAT),
            told: Vec::new(),
            untold: Vec::new(),
        };
        // Listening comes first: what lands between it and the look is heard.
        let run = Run::new(watch.standpoint.clone())?;
        let heard = watch.bell.listen(&folders(&run.inboxes()));
        if !heard && poll.is_none() {
            watch.heartbeat = POLL;
        }
        if watch.known.is_some() {
            return Ok((watch, 0));
        }
        let look = watch.look(&run);
        Ok((watch, look.waiting))
    }

    /// Waits for new mail that is whole, or for a place that can't be looked into, until `deadline`.
    /// Mail that is given is not known yet: see [`Watch::told`].
    ///
    /// # Errors
    /// The world could not be looked at when the first look was made.
    pub fn wait(&mut self, deadline: Option<Instant>) -> Result<News, Report> {
        let (mut first, mut grace) = (true, true);
        loop {
            let begun = Instant::now();
            let (whole, waiting) = match Run::new(self.standpoint.clone()) {
                Ok(run) => {
                    let heard = self.bell.listen(&folders(&run.inboxes()));
                    if !heard {
                        self.heartbeat = self.heartbeat.min(POLL);
                    }
                    let look = self.look(&run);
                    self.settling.part(look.new)
                }
                Err(report) if first => return Err(report),
                // A configuration that is just being written, a folder on its way: the next look tells.
                Err(_) => (Vec::new(), 0),
            };
            first = false;
            let took = begun.elapsed();
            let mut over = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if over && waiting > 0 && std::mem::take(&mut grace) {
                // There is mail, and only another look can tell that it is whole.
                std::thread::sleep(SETTLE);
                over = false;
            }
            if !whole.is_empty() || over || !self.untold.is_empty() {
                let unlooked = std::mem::take(&mut self.untold);
                self.told.extend(unlooked.iter().cloned());
                return Ok(News { over: over && whole.is_empty(), new: whole, unlooked });
            }
            let pause = if waiting > 0 { SETTLE } else { self.heartbeat }.max(took * RATIO);
            let left = |most: Duration| match deadline {
                Some(deadline) => most.min(deadline.saturating_duration_since(Instant::now())),
                None => most,
            };
            if self.bell.wait(left(pause), SETTLE) {
                std::thread::sleep(left((took * RATIO / 5).min(REST)));
            }
        }
    }

    /// These messages were told: they are news no more.
    pub fn told<'n>(&mut self, new: impl IntoIterator<Item = &'n New>) {
        if let Some(known) = &mut self.known {
            watch::tell(known, new);
        }
    }

    /// Keeps what is known now, to go on from. `None` where it can't be kept.
    pub fn cursor(&self) -> Option<CursorName> {
        let run = Run::new(self.standpoint.clone()).ok()?;
        let session = &run.session;
        self.known.as_ref()?.cursor().save(&session.disk, &session.state, &session.temp).ok()
    }

    fn look(&mut self, run: &Run<'_>) -> Look {
        let look = watch::look(&run.session, &run.inboxes(), &self.query, &mut self.known);
        for place in look.unlooked.iter().cloned().chain(run.places().0) {
            if !self.told.contains(&place) && !self.untold.contains(&place) {
                self.untold.push(place);
            }
        }
        look
    }
}

/// What a cursor stands for; `None` where it is gone.
pub fn since(run: &Run<'_>, name: &CursorName) -> Option<Known> {
    Cursor::find(name, &run.session.state, &run.session.temp).as_ref().map(Known::of)
}

/// Where new files would show; an inbox that is one file is heard in its folder.
fn folders(inboxes: &[&Inbox]) -> Vec<PathBuf> {
    let folder =
        |inbox: &&Inbox| if inbox.path.is_dir() { Some(inbox.path.clone()) } else { inbox.path.parent().map(PathBuf::from) };
    let mut folders: Vec<PathBuf> = inboxes.iter().filter_map(folder).collect();
    folders.sort();
    folders.dedup();
    folders
}
