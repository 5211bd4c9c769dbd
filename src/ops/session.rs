//! What every use-case starts from: the inboxes found, the clock, who acts, and the disk.

use std::path::{Path, PathBuf};

use chrono::SecondsFormat;

use crate::config::Config;
use crate::error::Report;
use crate::layout::{Context, Dialect};
use crate::model::date::Clock;
use crate::model::event::Event;
use crate::model::inbox::Inbox;
use crate::model::message::Warning;
use crate::model::name::AgentName;
use crate::store::atomic::Disk;
use crate::store::discover::Found;
use crate::store::journal::Journal;
use crate::store::lock::{InboxLock, LockPlace};

/// The world of one command. Built by a front end; everything below only reads it.
pub struct Session<'a> {
    /// The configuration, user and project merged.
    pub config: Config,
    /// The words and keys it adds.
    pub dialect: Dialect,
    /// Now, and the reader's zone.
    pub clock: Clock,
    /// Who acts, where that is known.
    pub actor: Option<AgentName>,
    /// The inboxes found from the starting folder.
    pub found: Found,
    /// The folder that relative refs start from; absolute.
    pub dir: PathBuf,
    /// The home folder, where there is one.
    pub home: Option<PathBuf>,
    /// Where locks are kept.
    pub locks: LockPlace,
    /// The record of what was done.
    pub journal: Journal,
    /// What writes.
    pub disk: Disk<'a>,
}

impl Session<'_> {
    /// The inbox of a name.
    pub fn inbox(&self, name: &str) -> Option<&Inbox> {
        self.found.inboxes.iter().find(|i| i.name == name)
    }

    /// What layouts go by when they read or plan for an inbox.
    pub fn context<'s>(&'s self, inbox: &'s Inbox) -> Context<'s> {
        Context { inbox, dialect: &self.dialect }
    }

    /// Locks an inbox against other postrooms until the value is dropped.
    ///
    /// # Errors
    /// Someone else holds it for too long, or no lock file can be made.
    pub fn lock(&self, inbox: &Inbox) -> Result<InboxLock, Report> {
        InboxLock::take(&self.locks, &inbox.path).map_err(Into::into)
    }

    /// The clock's moment as the journal writes it.
    pub fn stamp(&self) -> String {
        self.clock.now.to_rfc3339_opts(SecondsFormat::Secs, true)
    }

    /// Writes down what was done. A journal that can't be written loses history, nothing else: that is a warning.
    pub fn record(&self, mut event: Event) -> Option<Warning> {
        event.actor = self.actor.as_ref().map(ToString::to_string);
        self.journal.append(&event).err().map(|error| Warning::new("journal", error.to_string()))
    }

    /// A path as people write it: relative to the starting folder, else from `~`, else whole.
    pub fn short(&self, path: &Path) -> String {
        if let Ok(rest) = path.strip_prefix(&self.dir) {
            return rest.display().to_string();
        }
        if let Some(rest) = self.home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
            return format!("~/{}", rest.display());
        }
        path.display().to_string()
    }
}
