//! New bytes for a file that still holds the old ones.
//!
//! Check → temporary beside the target → check again → exchange with it → folder sync (by the
//! caller). A link stays a link: the file behind it is replaced.

use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};

use super::temp::{Leftover, folder_of};
use super::{CommitError, Disk, Done};
use crate::model::message::Warning;
use crate::model::plan::Stamp;
use crate::store::read::{self, Reach, ReadError};

/// A file replaced, and what is needed to go on with it.
pub(super) struct Replaced {
    pub(super) done: Done,
    /// The stamp of the new file; `None` where nothing was written.
    pub(super) stamp: Option<Stamp>,
    /// The folder that has to be synced.
    pub(super) folder: Option<PathBuf>,
}

impl Disk<'_> {
    /// Replaces a file's bytes.
    ///
    /// A file with several hard links is split by that: this name gets the new bytes, the others
    /// keep the old ones. It is done all the same, and told with a warning: writing into the shared
    /// file would not be atomic, refusing would block every message of a project that was backed up
    /// with links (`cp -al`), and no text is lost, since the others still hold it.
    pub(super) fn replace(&self, path: &Path, before: &[u8], after: &[u8], reach: Reach<'_>) -> Result<Replaced, CommitError> {
        let (target, file, facts) = check_unchanged(path, before, reach)?;
        if before == after {
            let done = Done { from: None, path: path.to_owned(), warnings: Vec::new() };
            return Ok(Replaced { done, stamp: None, folder: None });
        }
        let mut temp = self.temp(folder_of(&target), Leftover::Copy, true)?;
        self.write_temp(&mut temp, after, &target)?;
        let mut warnings = self.copy_rights(&temp, (&file, &facts), &target)?;
        self.sync_temp(&temp, &target)?;
        let stamp = temp.as_file().metadata().ok().map(|facts| read::stamp_of(&facts));
        // Again: writing and syncing took a while, and not every program knows our lock.
        let (target_now, ..) = check_unchanged(path, before, reach)?;
        if target_now != target {
            return Err(CommitError::Changed { path: path.to_owned() });
        }
        self.swap_in(&mut temp, &target, before)?;
        if has_other_names(&facts) {
            let text = format!("{} had other hard links, which keep the old text", target.display());
            warnings.push(Warning::new("hard-link-split", text));
        }
        let folder = Some(folder_of(&target).to_owned());
        Ok(Replaced { done: Done { from: None, path: path.to_owned(), warnings }, stamp, folder })
    }
}

/// Finds the file behind a path and compares it with what was read, byte for byte.
pub(super) fn check_unchanged(path: &Path, before: &[u8], reach: Reach<'_>) -> Result<(PathBuf, File, Metadata), CommitError> {
    let changed = || CommitError::Changed { path: path.to_owned() };
    let named = |e| match e {
        ReadError::Vanished { .. } | ReadError::TooLarge { .. } => changed(),
        other => CommitError::Read(other),
    };
    let target = read::resolve_link(path, reach).map_err(named)?;
    let (file, facts) = read::open_regular(&target).map_err(named)?;
    let len = before.len() as u64;
    if facts.len() != len || read::read_open(&file, &facts, path, len).map_err(named)? != before {
        return Err(changed());
    }
    Ok((target, file, facts))
}

#[cfg(unix)]
fn has_other_names(facts: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(facts) > 1
}

#[cfg(not(unix))]
fn has_other_names(_facts: &Metadata) -> bool {
    false
}
