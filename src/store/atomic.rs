//! The only place that writes to the disk: plans are carried out here, step by step, so that every
//! message is whole in exactly one place at every instant.
//!
//! Last step of a change's journey: `EditPlan` → **commit** → `Event`. A commit is: lock → check →
//! temporary → sync → rename → folder sync; the caller tells the journal. No step removes or
//! replaces what somebody wrote: a file is replaced only while it holds the bytes that were read,
//! moved only under a free name, and removed only after a verified copy on another file system.
//!
//! What is *not* covered: a program that keeps a file open and writes into it after it was replaced;
//! and, only where the system can't exchange two names in one step, one that ignores locks and
//! saves in the few microseconds between the last comparison and the rename.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::model::message::Warning;
use crate::model::plan::{EditPlan, FileOp, IfTaken, Refusal, Stamp};

use super::lock::InboxLock;
use super::read::{Reach, ReadError};
use folders::Folders;
use temp::folder_of;

mod attributes;
mod create;
mod exchange;
mod folders;
mod own;
mod place;
mod relocate;
mod replace;
mod state;
mod step;
mod temp;

pub use create::foreseen;
pub use step::{Hook, Step};
pub use temp::Leftover;

/// The disk, to write to. Cheap to copy.
#[derive(Clone, Copy, Default)]
pub struct Disk<'a> {
    before_step: Option<Hook<'a>>,
}

/// What became of one step of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// Where the file was; `None` where it did not move.
    pub from: Option<PathBuf>,
    /// Where the file is now; its name may have got a suffix.
    pub path: PathBuf,
    /// What is odd: an owner, mode or attribute that could not be kept, hard links that were split.
    pub warnings: Vec<Warning>,
}

/// What a failed step left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// Everything is as it was.
    Unchanged,
    /// The change is made, and only its durability is in doubt.
    InPlace,
    /// The file lies at the path named, out of its place.
    SetAside,
}

impl fmt::Display for After {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unchanged => "nothing was changed",
            Self::InPlace => "the change is made, but a power cut could undo it",
            Self::SetAside => "the file lies there",
        })
    }
}

/// Why a step of a plan was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// The file is not what the plan was made for. Nothing was written; plan again.
    #[error("{path} was changed or taken away by another program meanwhile; nothing was written")]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// Nothing may be overwritten, and no name was free.
    #[error("{path} is there already; nothing was written")]
    Taken {
        /// The name wanted.
        path: PathBuf,
    },
    /// It can't be done safely. Nothing was written.
    #[error("{path}: {refusal}")]
    Refused {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        refusal: Refusal,
    },
    /// The file can't be read. Nothing was written.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The system failed a step.
    #[error("{path}: failed to {step}: {source}; {after}")]
    Io {
        /// Which step.
        step: Step,
        /// The file or folder it was about.
        path: PathBuf,
        /// What is so now.
        after: After,
        /// What the system says.
        source: io::Error,
    },
    /// A move to another file system could neither be finished nor taken back.
    #[error("{from} was copied to {to}, but neither can be removed: {source}; both are whole, remove one by hand")]
    InBoth {
        /// The original.
        from: PathBuf,
        /// The copy.
        to: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// A plan that was not carried out to its end.
#[derive(Debug, thiserror::Error)]
#[error("{error}{}", steps_before(done, error))]
pub struct Failed {
    /// The steps that were carried out before, in order; they stay and belong in the journal.
    pub done: Vec<Done>,
    /// Why the next one was not.
    #[source]
    pub error: CommitError,
}

fn steps_before(done: &[Done], error: &CommitError) -> String {
    match (done, error) {
        ([], _) | (_, CommitError::Io { after: After::InPlace, .. }) => String::new(),
        (done, _) => format!("; what came before it was done ({} of the plan's steps)", done.len()),
    }
}

impl From<CommitError> for Failed {
    fn from(error: CommitError) -> Self {
        Self { done: Vec::new(), error }
    }
}

impl<'a> Disk<'a> {
    /// The disk.
    pub fn new() -> Self {
        Self::default()
    }

    /// The disk with a hook before each step, for tests of what happens when one fails.
    pub fn with_hook(hook: Hook<'a>) -> Self {
        Self { before_step: Some(hook) }
    }

    /// Carries out one plan and makes it durable. Links are followed within `reach`.
    ///
    /// # Errors
    /// [`Failed`]: which steps were carried out, and why the next was not. Where the last failure
    /// is only that of making it durable, all steps are among those carried out.
    pub fn carry_out(&self, lock: &InboxLock, plan: &EditPlan, reach: Reach<'_>) -> Result<Vec<Done>, Failed> {
        let mut batch = self.batch(reach);
        let done = batch.carry_out(lock, plan);
        batch.settle(done)
    }

    /// Carries out a plan that makes new files and nothing else, and makes it durable. That needs
    /// no lock: any number of senders may do so at once, and each gets a name of its own.
    ///
    /// # Errors
    /// As [`Disk::carry_out`].
    pub fn carry_out_unlocked(&self, plan: &EditPlan) -> Result<Vec<Done>, Failed> {
        if plan.ops.iter().any(|op| !matches!(op, FileOp::Create { .. })) {
            return Err(not_locked(plan, "only new files can be made without a lock").into());
        }
        let mut batch = self.batch(Reach::Anywhere);
        let done = batch.carry_out_steps(plan);
        batch.settle(done)
    }

    /// Starts carrying out many plans: folders are read once, and synced once, at the end.
    pub fn batch<'b>(&self, reach: Reach<'b>) -> Batch<'b>
    where
        'a: 'b,
    {
        Batch { disk: *self, reach, folders: Folders::default(), unsynced: BTreeSet::new(), noted: Default::default() }
    }

    /// Writes a file that is no message: instructions with a managed block, settings, configuration,
    /// a session's memory. `before` is what it held when it was read, and `None` when it was not
    /// there; it is then made under exactly that name, with mode 666 less the umask.
    ///
    /// # Errors
    /// [`Failed`]; with [`CommitError::Changed`] or [`CommitError::Taken`] when somebody was faster.
    pub fn write_file(&self, path: &Path, before: Option<&[u8]>, after: &[u8], reach: Reach<'_>) -> Result<Done, Failed> {
        if let Some(before) = before {
            let replaced = self.replace(path, before, after, reach)?;
            self.settle(replaced.done, replaced.folder.as_deref())
        } else {
            let path = self.put_new(path, after, None, &IfTaken::Refuse)?;
            let folder = folder_of(&path).to_owned();
            self.settle(Done { from: None, path, warnings: Vec::new() }, [folder.as_path()])
        }
    }

    /// Makes one step durable.
    fn settle<'p>(&self, done: Done, folders: impl IntoIterator<Item = &'p Path>) -> Result<Done, Failed> {
        match self.sync_all(folders) {
            Ok(()) => Ok(done),
            Err(error) => Err(Failed { done: vec![done], error }),
        }
    }

    /// Syncs folders after what was changed in them; all are tried.
    fn sync_all<'p>(&self, folders: impl IntoIterator<Item = &'p Path>) -> Result<(), CommitError> {
        let mut first = Ok(());
        for folder in folders {
            if let Err(e) = self.sync_folder(folder)
                && first.is_ok()
            {
                first = Err(CommitError::Io { step: e.step, path: e.path, after: After::InPlace, source: e.source });
            }
        }
        first
    }
}

fn not_locked(plan: &EditPlan, text: &str) -> CommitError {
    CommitError::Refused { path: plan.inbox.clone(), refusal: Refusal::new("not-locked", text) }
}

/// Plans carried out one after another.
pub struct Batch<'b> {
    disk: Disk<'b>,
    reach: Reach<'b>,
    /// The folders that files were moved from and to.
    folders: Folders,
    unsynced: BTreeSet<PathBuf>,
    /// The last two folders noted in `unsynced`: nearly every plan of a batch is about the same ones.
    noted: [PathBuf; 2],
}

impl Batch<'_> {
    /// Carries out one plan, under the lock of its inbox. Its renames are durable after
    /// [`Batch::finish`].
    ///
    /// # Errors
    /// [`Failed`]. The batch may go on with other plans.
    pub fn carry_out(&mut self, lock: &InboxLock, plan: &EditPlan) -> Result<Vec<Done>, Failed> {
        if lock.covers(&plan.inbox) {
            self.carry_out_steps(plan)
        } else {
            Err(not_locked(plan, "the lock that is held is another inbox's").into())
        }
    }

    fn carry_out_steps(&mut self, plan: &EditPlan) -> Result<Vec<Done>, Failed> {
        let mut done = Vec::with_capacity(plan.ops.len());
        match self.carry_out_into(plan, &mut done) {
            Ok(()) => Ok(done),
            Err(error) => Err(Failed { done, error }),
        }
    }

    fn carry_out_into(&mut self, plan: &EditPlan, done: &mut Vec<Done>) -> Result<(), CommitError> {
        if plan.ops.len() > 1 {
            self.check(plan)?;
        }
        // A file that this plan replaced is another one afterwards; a move of it goes by the new one.
        let mut replaced: HashMap<&Path, Stamp> = HashMap::new();
        for op in &plan.ops {
            done.push(match op {
                FileOp::Create { path, bytes, staging, if_taken } => {
                    let path = self.disk.put_new(path, bytes, staging.as_deref(), if_taken)?;
                    // Not the folder it passed through: what a power cut brings back there is no message.
                    self.changed_in(folder_of(&path));
                    Done { from: None, path, warnings: Vec::new() }
                }
                FileOp::Replace { path, before, after } => {
                    let new = self.disk.replace(path, before, after, self.reach)?;
                    if let Some(folder) = new.folder {
                        self.changed_in(&folder);
                    }
                    replaced.extend(new.stamp.map(|stamp| (path.as_path(), stamp)));
                    new.done
                }
                FileOp::Move { from, to, expect } => self.relocate(from, to, replaced.get(from.as_path()).unwrap_or(expect))?,
            });
        }
        Ok(())
    }

    /// Checks a plan of several steps before the first, so that a file which was changed meanwhile
    /// does not leave it half done. Files that the plan itself makes are not looked at.
    fn check(&self, plan: &EditPlan) -> Result<(), CommitError> {
        let (mut created, mut edited) = (HashSet::<&Path>::new(), HashSet::<&Path>::new());
        for op in &plan.ops {
            match op {
                FileOp::Create { path, .. } => {
                    created.insert(path);
                }
                FileOp::Replace { path, before, .. } => {
                    if !created.contains(path.as_path()) && edited.insert(path) {
                        replace::check_unchanged(path, before, self.reach)?;
                    }
                }
                FileOp::Move { from, to, expect } => {
                    // After a replacement in the same plan, what is there now must be what was looked at.
                    if !created.contains(from.as_path()) {
                        relocate::check_movable(from.as_path().into(), expect)?;
                    }
                    created.insert(to);
                }
            }
        }
        Ok(())
    }

    /// Notes a folder that has to be synced.
    fn changed_in(&mut self, folder: &Path) {
        if self.noted.iter().all(|noted| noted.as_os_str() != folder.as_os_str()) {
            self.unsynced.insert(folder.to_owned());
            self.noted.rotate_right(1);
            if let Some(first) = self.noted.first_mut() {
                folder.clone_into(first);
            }
        }
    }

    /// Makes everything durable.
    ///
    /// # Errors
    /// A folder can't be synced. The changes are made; a power cut could undo them.
    pub fn finish(self) -> Result<(), CommitError> {
        self.disk.sync_all(self.unsynced.iter().map(PathBuf::as_path))
    }

    /// Finishes a batch of one plan.
    fn settle(self, done: Result<Vec<Done>, Failed>) -> Result<Vec<Done>, Failed> {
        match (done, self.finish()) {
            (Ok(done), Err(error)) => Err(Failed { done, error }),
            (done, _) => done,
        }
    }
}

#[cfg(test)]
#[path = "atomic_tests.rs"]
mod tests;
