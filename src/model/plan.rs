//! What is going to happen to files, as a value: the same plan is shown by `--dry-run` and carried
//! out by the store, so the two can't differ.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// A whole file as it was read: what an edit was planned on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Where it was read; for a link, the link itself.
    pub path: PathBuf,
    /// Its bytes. A commit compares them with the file again, byte for byte.
    pub bytes: Arc<[u8]>,
    /// What the file was before its bytes were read; of a link, what it leads to.
    pub stamp: Stamp,
}

/// What tells that a file is still the one that was looked at, without reading it whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Size in bytes.
    pub len: u64,
    /// Time of the last change of content.
    pub modified: Option<SystemTime>,
    /// Device and inode, where the system has them.
    pub node: Option<(u64, u64)>,
}

/// What to do about a new file's name that is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IfTaken {
    /// Try `name-2.md`, `name-3.md`, … The name must meet none in these folders either: an inbox's
    /// archive, so that what names an archived message never comes to mean a new one.
    Number(Vec<PathBuf>),
    /// Give up: the file tells its own name, so the plan has to be made anew.
    Refuse,
}

/// One step on disk. No step removes or overwrites what somebody wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileOp {
    /// A new file, put in place by a rename that never replaces.
    Create {
        /// The name wanted.
        path: PathBuf,
        /// What it holds.
        bytes: Vec<u8>,
        /// The folder for the temporary, where the layout has one of its own (`agents`: `tmp/`);
        /// otherwise, and where that is missing, the folder of `path`. It must be on the same file
        /// system.
        staging: Option<PathBuf>,
        /// What to do about a taken name.
        if_taken: IfTaken,
    },
    /// New bytes for a file that still holds the old ones.
    Replace {
        /// The file; a link is followed and stays a link.
        path: PathBuf,
        /// What it must still hold.
        before: Arc<[u8]>,
        /// What it holds afterwards.
        after: Vec<u8>,
    },
    /// A new place for a file, never over another; a taken name gets a suffix.
    Move {
        /// The file.
        from: PathBuf,
        /// The place wanted.
        to: PathBuf,
        /// What the file must still be.
        expect: Stamp,
    },
}

impl FileOp {
    /// The path wanted for a new file or a move.
    pub fn new_path(&self) -> Option<&Path> {
        match self {
            Self::Create { path, .. } => Some(path),
            Self::Move { to, .. } => Some(to),
            Self::Replace { .. } => None,
        }
    }
}

/// The steps of one change to one inbox, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditPlan {
    /// The inbox's path: what is locked while the plan is carried out.
    pub inbox: PathBuf,
    /// The steps. None: nothing is to be done, and nothing is written.
    pub ops: Vec<FileOp>,
}

/// Why a layout won't plan a change. The file stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Refusal {
    /// A stable word for programs, such as `status-duplicate`.
    pub kind: &'static str,
    /// One line: why, and what to do by hand.
    pub text: String,
}

impl Refusal {
    /// Makes a refusal.
    pub fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}
