//! What every use-case starts from: the inboxes found, the clock, who acts, and the disk.

use std::path::{Path, PathBuf};

use crate::config::{Config, Rules};
use crate::error::Report;
use crate::layout::Context;
use crate::model::date::Clock;
use crate::model::event::Event;
use crate::model::inbox::Inbox;
use crate::model::message::Warning;
use crate::model::name::AgentName;
use crate::model::plan::EditPlan;
use crate::store::atomic::{Batch, Disk, Done};
use crate::store::discover::{Found, Ground};
use crate::store::journal::Journal;
use crate::store::lock::{InboxLock, LockPlace};
use crate::store::read::Reach;

/// The world of one command. Built by a front end; everything below only reads it.
pub struct Session<'a> {
    /// The configuration, user and project merged: what holds where the command stands. What holds in
    /// an inbox is for [`Session::rules`] to say.
    pub config: Config,
    /// Whose rules hold in which inbox.
    pub project_rules: ProjectRules,
    /// Now, and the reader's zone.
    pub clock: Clock,
    /// Who acts, where that is known.
    pub actor: Option<AgentName>,
    /// Where the command stands.
    pub ground: Ground,
    /// The inboxes found from there.
    pub found: Found,
    /// The folder for locks, the journal and the memory of sessions.
    pub state: PathBuf,
    /// The system's folder for temporary files: for locks, where the state folder can't be written.
    pub temp: PathBuf,
    /// What writes.
    pub disk: Disk<'a>,
}

/// The rules of each project, so that a project's file governs the inboxes of that project and no other.
#[derive(Debug, Default)]
pub struct ProjectRules {
    /// What the person's own configuration says: what holds where no project has a say.
    pub own: Rules,
    /// The projects with a file of their own, by the folders that inboxes name as theirs.
    pub projects: Vec<(PathBuf, Rules)>,
}

/// A plan that was not carried out to its end.
#[derive(Debug)]
pub struct Stopped {
    /// Whether a step before stands.
    pub any_done: bool,
    /// Why the next was not carried out.
    pub report: Box<Report>,
}

/// What a carried-out plan left.
#[derive(Debug, Default)]
pub struct Committed {
    /// What became of each step.
    pub done: Vec<Done>,
    /// What is worth saying though it is done.
    pub warnings: Vec<Warning>,
}

impl Committed {
    fn of(done: Vec<Done>) -> Self {
        let warnings = done.iter().flat_map(|d| d.warnings.clone()).collect();
        Self { done, warnings }
    }

    /// Where the last file that was changed is now.
    pub fn path(&self) -> Option<PathBuf> {
        self.done.last().map(|done| done.path.clone())
    }
}

impl Session<'_> {
    /// The folder that relative refs start from; absolute.
    pub fn dir(&self) -> &Path {
        &self.ground.dir
    }

    /// The home folder, where there is one.
    pub fn home(&self) -> Option<&Path> {
        self.ground.home.as_deref()
    }

    /// The inbox of a name.
    pub fn inbox(&self, name: &str) -> Option<&Inbox> {
        self.found.inboxes.iter().find(|i| i.name == name)
    }

    /// What layouts go by when they read or plan for an inbox.
    pub fn context<'s>(&'s self, inbox: &'s Inbox) -> Context<'s> {
        Context { inbox, dialect: &self.rules(inbox).dialect }
    }

    /// What holds in an inbox.
    pub fn rules(&self, inbox: &Inbox) -> &Rules {
        let projects = &self.project_rules.projects;
        projects.iter().find(|(project, _)| *project == inbox.project).map_or(&self.project_rules.own, |(_, rules)| rules)
    }

    /// Locks an inbox against other postrooms until the value is dropped.
    ///
    /// # Errors
    /// Someone else holds it for too long, or no lock file can be made.
    pub fn lock(&self, inbox: &Inbox) -> Result<InboxLock, Report> {
        let place = LockPlace::new(self.state.clone(), &self.temp);
        InboxLock::take(&place, &inbox.path).map_err(Into::into)
    }

    /// Carries out one plan under the inbox's lock.
    ///
    /// # Errors
    /// A step was not carried out. Steps of the same plan that went before it stay.
    pub fn commit(&self, inbox: &Inbox, plan: &EditPlan) -> Result<Committed, Report> {
        let lock = self.lock(inbox)?;
        let mut batch = self.disk.batch(Reach::Within(&inbox.project));
        let committed = step(&mut batch, &lock, plan);
        // Also after a failure: what was done before it has to last.
        let synced = batch.finish();
        let mut committed = committed?;
        if let Err(error) = synced {
            committed.warnings.push(Warning::new("not-synced", error.to_string()));
        }
        Ok(committed)
    }

    /// Carries out a plan of several steps, and tells of a failure whether any of them stands.
    ///
    /// # Errors
    /// A step was not carried out.
    pub fn commit_steps(&self, inbox: &Inbox, plan: &EditPlan) -> Result<Committed, Stopped> {
        let nothing = |report| Stopped { any_done: false, report: Box::new(report) };
        let lock = self.lock(inbox).map_err(nothing)?;
        match self.disk.carry_out(&lock, plan, Reach::Within(&inbox.project)) {
            Ok(done) => Ok(Committed::of(done)),
            Err(failed) if failed.done.len() == plan.ops.len() => {
                let mut committed = Committed::of(failed.done);
                committed.warnings.push(Warning::new("not-synced", failed.error.to_string()));
                Ok(committed)
            }
            Err(failed) => Err(Stopped { any_done: !failed.done.is_empty(), report: Box::new(failed.error.into()) }),
        }
    }

    /// The clock's moment as the journal writes it.
    pub fn stamp(&self) -> String {
        self.clock.instant()
    }

    /// The record of what was done.
    pub fn journal(&self) -> Journal {
        Journal::new(self.state.clone())
    }

    /// Writes down what was done. A journal that can't be written loses history, nothing else: that is a warning.
    pub fn record(&self, mut events: Vec<Event>) -> Option<Warning> {
        for event in &mut events {
            event.actor = self.actor.as_ref().map(ToString::to_string);
        }
        self.journal().append(&self.disk, &events)
    }

    /// A path as people write it: relative to the starting folder, else from `~`, else whole.
    pub fn short(&self, path: &Path) -> String {
        if let Ok(rest) = path.strip_prefix(self.dir()) {
            return rest.display().to_string();
        }
        if let Some(rest) = self.home().and_then(|home| path.strip_prefix(home).ok()) {
            return format!("~/{}", rest.display());
        }
        path.display().to_string()
    }
}

/// Carries out one plan of a batch; its warnings are gathered.
///
/// # Errors
/// A step was not carried out.
pub fn step(batch: &mut Batch<'_>, lock: &InboxLock, plan: &EditPlan) -> Result<Committed, Report> {
    Ok(Committed::of(batch.carry_out(lock, plan)?))
}
