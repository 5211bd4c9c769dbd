//! The moment in which a file gets its new bytes, also while programs write that know no lock.
//!
//! Last step of a replacement: the new file and the old one exchange their names in one step of
//! the system; what came out is looked at, and given its name back unless it is what was read. So
//! what an editor saved, or somebody renamed, in the instant after the last check is not replaced
//! unseen. Where the system can't exchange (NFS, most FUSE file systems, Windows), the new file is
//! renamed over the old one, and that instant stays open.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::place::rename_unused;
use super::step::{Fault, Step};
use super::temp::{folder_of, held_name};
use super::{CommitError, Disk};
use crate::model::plan::Stamp;
use crate::store::read;

impl Disk<'_> {
    /// Puts a temporary in the place of `target`, which still has to hold `before`.
    pub(super) fn swap_in(&self, temp: &mut NamedTempFile, target: &Path, before: &[u8]) -> Result<(), CommitError> {
        // From here on the temporary's name may come to hold what somebody else wrote, so it must
        // be one that nothing ever clears away.
        let hold = || held_name(folder_of(target), |held| rename_unused(temp.path(), held));
        let held = self.step(Step::CreateTemp, target, hold)?;
        temp.disable_cleanup(true);
        let ours = temp.as_file().metadata().map(|facts| read::stamp_of(&facts));
        let swapped = ours.map_err(|source| Fault { step: Step::Exchange, path: target.to_owned(), source });
        let swapped = swapped.and_then(|ours| self.step(Step::Exchange, target, || exchange(&held, target)).map(|()| ours));
        match swapped {
            Ok(ours) => self.settle_exchange(&held, target, before, &ours),
            Err(e) if e.is_unsupported() => {
                self.step(Step::Rename, target, || fs::rename(&held, target)).map_err(|e| given_up(&held, e.into()))
            }
            // Somebody renamed or removed the file: it must not come back under its old name.
            Err(e) if e.source.kind() == io::ErrorKind::NotFound => Err(given_up(&held, changed(target))),
            Err(e) => Err(given_up(&held, e.into())),
        }
    }

    /// Looks at what came out: the old file goes if it is what was read; anything else goes back.
    fn settle_exchange(&self, held: &Path, target: &Path, before: &[u8], ours: &Stamp) -> Result<(), CommitError> {
        let error = match self.step(Step::Compare, target, || holds(held, before)) {
            Ok(true) => match self.step(Step::Unlink, target, || fs::remove_file(held)) {
                Ok(()) => return Ok(()),
                Err(e) => e.into(),
            },
            Ok(false) => changed(target),
            Err(e) => e.into(),
        };
        match self.step(Step::PutBack, target, || exchange(held, target)) {
            Ok(()) => {}
            // Our file was taken away from there: the name is free, or has a next one.
            Err(e) if e.source.kind() == io::ErrorKind::NotFound => {
                self.put_back(held, target)?;
                return Err(error);
            }
            Err(e) => return Err(Fault { path: held.to_owned(), ..e }.into()),
        }
        if held.symlink_metadata().is_ok_and(|facts| read::stamp_of(&facts) == *ours) {
            return Err(given_up(held, error));
        }
        // Out came a third version, which somebody saved over ours just now: the newest gets the
        // name, and the one before it is kept, and named.
        let newest = self.step(Step::PutBack, target, || exchange(held, target));
        let source = newest.map_or_else(|e| e.source, |()| io::Error::other("other programs saved it twice meanwhile"));
        Err(Fault { step: Step::PutBack, path: held.to_owned(), source }.into())
    }
}

/// Removes the new file, which nobody was told of.
fn given_up(held: &Path, error: CommitError) -> CommitError {
    let _ = fs::remove_file(held);
    error
}

fn changed(path: &Path) -> CommitError {
    CommitError::Changed { path: PathBuf::from(path) }
}

/// Whether a path is a file, itself and not through a link, with these bytes.
fn holds(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let facts = path.symlink_metadata()?;
    if !facts.is_file() || facts.len() != bytes.len() as u64 {
        return Ok(false);
    }
    Ok(fs::read(path)? == bytes)
}

/// Exchanges two names in one step of the system.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
}

/// Exchanges two names in one step of the system.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange(_a: &Path, _b: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
