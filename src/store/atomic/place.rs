//! Putting files in place: renames that never replace, and removal that never removes anything
//! but what was meant.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::Disk;
use super::folders::At;
use super::step::{Fault, Step};
use super::temp::{folder_of, held_name};
use crate::model::plan::Stamp;
use crate::store::read::stamp_of;
use crate::text::file_name::with_suffix;

/// How many suffixes are tried for a taken name.
pub(super) const MOST_SUFFIXES: usize = 100_000;

/// What became of a rename that must not replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placed {
    /// It is there.
    There,
    /// The name is taken; nothing was done.
    Taken,
}

/// Renames, unless something has the new name already, in one step of the system.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_noreplace(from: At<'_>, to: At<'_>) -> io::Result<()> {
    let ((folder, name), (new_folder, new_name)) = (from.parts(), to.parts());
    Ok(rustix::fs::renameat_with(folder, name, new_folder, new_name, rustix::fs::RenameFlags::NOREPLACE)?)
}

/// Renames, unless something has the new name already, in one step of the system.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn rename_noreplace(_from: At<'_>, _to: At<'_>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The n-th name tried for a wanted one: the name itself, then with `suffix(2)`, `suffix(3)`, …
pub(super) fn numbered(wanted: &Path, n: usize, suffix: impl Fn(usize) -> String) -> PathBuf {
    match wanted.file_name() {
        Some(name) if n > 1 => wanted.with_file_name(with_suffix(name, &suffix(n))),
        _ => wanted.to_owned(),
    }
}

impl Disk<'_> {
    /// Puts a temporary in place under a name that nothing has.
    ///
    /// Where the system can't rename without replacing (NFS, some FUSE file systems, Windows), the
    /// name is made by a hard link, and the temporary's own name goes when `temp` is dropped.
    pub(super) fn place_temp(&self, temp: &mut NamedTempFile, to: &Path) -> Result<Placed, Fault> {
        let placed = match self.step(Step::Rename, to, || rename_noreplace(temp.path().into(), to.into())) {
            Ok(()) => Placed::There,
            Err(e) if e.source.kind() == io::ErrorKind::AlreadyExists => Placed::Taken,
            Err(e) if e.is_unsupported() => match self.step(Step::Link, to, || fs::hard_link(temp.path(), to)) {
                Ok(()) => return Ok(Placed::There),
                Err(e) if e.source.kind() == io::ErrorKind::AlreadyExists => Placed::Taken,
                // vfat says PermissionDenied to every link.
                Err(e) if e.is_unsupported() || e.source.kind() == io::ErrorKind::PermissionDenied => {
                    self.claim(Step::Rename, temp.path(), to)?
                }
                Err(e) => return Err(e),
            },
            Err(e) => return Err(e),
        };
        temp.disable_cleanup(placed == Placed::There);
        Ok(placed)
    }

    /// Renames a file to a name that nothing has. `step` is [`Step::Rename`] or [`Step::PutBack`].
    ///
    /// Where the system can't do that in one step, the name is claimed with an empty file first. No
    /// hard link here: a crash between link and unlink would leave the message in two places.
    pub(super) fn rename_new<'p>(&self, step: Step, from: impl Into<At<'p>>, to: impl Into<At<'p>>) -> Result<Placed, Fault> {
        let (from, to) = (from.into(), to.into());
        match self.step(step, to.path, || rename_noreplace(from, to)) {
            Ok(()) => Ok(Placed::There),
            Err(e) if e.source.kind() == io::ErrorKind::AlreadyExists => Ok(Placed::Taken),
            Err(e) if e.is_unsupported() => self.claim(step, from.path, to.path),
            Err(e) => Err(e),
        }
    }

    /// Claims a name with an empty file of our own, then renames over that. A program that writes
    /// into a file which it did not make, in the instant in between, would lose what it wrote: the
    /// one window left on such file systems.
    fn claim(&self, step: Step, from: &Path, to: &Path) -> Result<Placed, Fault> {
        let claimed = self.step(Step::Claim, to, || OpenOptions::new().write(true).create_new(true).open(to));
        match claimed {
            Ok(_) => {}
            Err(e) if e.source.kind() == io::ErrorKind::AlreadyExists => return Ok(Placed::Taken),
            Err(e) => return Err(e),
        }
        let is_empty = || to.symlink_metadata().is_ok_and(|facts| facts.is_file() && facts.len() == 0);
        let moved =
            self.step(step, to, || if is_empty() { fs::rename(from, to) } else { Err(io::ErrorKind::AlreadyExists.into()) });
        match moved {
            Ok(()) => Ok(Placed::There),
            Err(e) if e.source.kind() == io::ErrorKind::AlreadyExists => Ok(Placed::Taken),
            Err(e) => {
                if is_empty() {
                    let _ = fs::remove_file(to); // our own, and nothing in it
                }
                Err(e)
            }
        }
    }

    /// Makes the renames in a folder durable. Systems that can't sync a folder, and folders that we
    /// may not open, are passed over: there is nothing else to be done.
    pub(super) fn sync_folder(&self, folder: &Path) -> Result<(), Fault> {
        self.step(Step::SyncFolder, folder, || match File::open(folder).and_then(|handle| handle.sync_all()) {
            Err(e) if may_not_sync(&e) => Ok(()),
            other => other,
        })
    }

    /// Removes a file whose content is known to stand elsewhere, if it still is the one that
    /// `expect` says. It is renamed out of sight first and looked at then, so that what another
    /// program put under the name in the meantime is seen, and given its name back. Gives whether
    /// the file is gone; also when somebody else took it away.
    pub(super) fn remove_if(&self, path: &Path, expect: &Stamp) -> Result<bool, Fault> {
        let aside = self.step(Step::SetAside, path, || held_name(folder_of(path), |aside| rename_unused(path, aside)));
        let aside = match aside {
            Ok(aside) => aside,
            Err(e) if e.source.kind() == io::ErrorKind::NotFound => return Ok(true),
            Err(e) => return Err(e),
        };
        let is_same = aside.symlink_metadata().is_ok_and(|facts| facts.is_file() && stamp_of(&facts) == *expect);
        let failed = if is_same {
            match self.step(Step::Unlink, path, || fs::remove_file(&aside)) {
                Ok(()) => return Ok(true),
                Err(e) => Some(e),
            }
        } else {
            None
        };
        self.put_back(&aside, path)?;
        failed.map_or(Ok(false), Err)
    }

    /// Gives a file its old name back, or the nearest free one.
    pub(super) fn put_back(&self, from: &Path, wanted: &Path) -> Result<PathBuf, Fault> {
        for n in 1..=MOST_SUFFIXES {
            let to = numbered(wanted, n, |n| format!(" ({n})"));
            match self.rename_new(Step::PutBack, from, to.as_path()) {
                Ok(Placed::There) => return Ok(to),
                Ok(Placed::Taken) => {}
                Err(e) => return Err(Fault { path: from.to_owned(), ..e }),
            }
        }
        let source = io::ErrorKind::AlreadyExists.into();
        Err(Fault { step: Step::PutBack, path: from.to_owned(), source })
    }
}

/// Renames to a random name of our own, which nothing has.
pub(super) fn rename_unused(from: &Path, to: &Path) -> io::Result<()> {
    match rename_noreplace(from.into(), to.into()) {
        Err(e) if matches!(e.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput) => {
            if to.symlink_metadata().is_ok() {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            fs::rename(from, to)
        }
        other => other,
    }
}

fn may_not_sync(e: &io::Error) -> bool {
    matches!(
        e.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied | io::ErrorKind::IsADirectory
    )
}
