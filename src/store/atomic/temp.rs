//! Temporary files: made beside their target, filled, synced, put in place by one rename.
//!
//! Three kinds, told apart by name, since what a crash leaves behind must be judged by it:
//!
//! - `.postroom-copy-….tmp` holds what also stands elsewhere: new bytes for a file that still has
//!   the old ones, or a copy on its way to another file system. Nothing is lost with it, so an
//!   old one is removed by [`Disk::tidy`].
//! - `.postroom-new-….tmp` holds a message that was never delivered and whose sender was never
//!   told it was. It may be the only copy, so no program removes it; `doctor` names it.
//! - `.postroom-held-….tmp` is an original set aside before it is removed: its copy is in the
//!   archive, or its new version has its name. In the instant of a crash it may as well be what
//!   another program had just written, or the new version itself. No program removes it; `doctor`
//!   names it.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::NamedTempFile;

use super::Disk;
use super::attributes;
use super::step::{Fault, Step};
use crate::model::message::Warning;

const SUFFIX: &str = ".tmp";
const COPY: &str = ".postroom-copy-";
const NEW: &str = ".postroom-new-";
const HELD: &str = ".postroom-held-";

/// A leftover younger than this may belong to a process that is still at work.
const IN_USE: Duration = Duration::from_hours(1);

/// What a temporary holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leftover {
    /// What also stands elsewhere.
    Copy,
    /// A message that was never delivered.
    New,
    /// An original set aside.
    Held,
}

impl Leftover {
    /// What a file of this name is to postroom; `None` if it is none of its temporaries.
    pub fn of(name: &OsStr) -> Option<Self> {
        let name = name.to_str()?.strip_suffix(SUFFIX)?;
        [(COPY, Self::Copy), (NEW, Self::New), (HELD, Self::Held)]
            .into_iter()
            .find_map(|(prefix, kind)| name.starts_with(prefix).then_some(kind))
    }

    fn prefix(self) -> &'static str {
        match self {
            Self::Copy => COPY,
            Self::New => NEW,
            Self::Held => HELD,
        }
    }
}

/// The folder a file lies in.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A random name for a file set aside in a folder: made by `make`, and never cleaned up by itself.
pub(super) fn held_name(folder: &Path, make: impl FnMut(&Path) -> io::Result<()>) -> io::Result<PathBuf> {
    tempfile::Builder::new()
        .prefix(HELD)
        .suffix(SUFFIX)
        .rand_bytes(12)
        .disable_cleanup(true)
        .make_in(folder, make)
        .map(|made| made.path().to_owned())
}

impl Disk<'_> {
    /// An empty temporary in a folder. It is removed when it is dropped before it was put in place.
    /// `private`: mode 600, for what gets another file's mode later; else 666 less the umask, as
    /// any program's: other users' agents must be able to read new messages, and in a shared inbox to mark
    /// them.
    pub(super) fn temp(&self, folder: &Path, kind: Leftover, private: bool) -> Result<NamedTempFile, Fault> {
        self.step(Step::CreateTemp, folder, || {
            let mut builder = tempfile::Builder::new();
            builder.prefix(kind.prefix()).suffix(SUFFIX).rand_bytes(12);
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(if private { 0o600 } else { 0o666 }));
            #[cfg(not(unix))]
            let _ = private;
            builder.tempfile_in(folder)
        })
    }

    /// Writes bytes into a temporary.
    pub(super) fn write_temp(&self, temp: &mut NamedTempFile, bytes: &[u8], target: &Path) -> Result<(), Fault> {
        self.step(Step::Write, target, || temp.as_file_mut().write_all(bytes))
    }

    /// Makes a temporary's content durable.
    pub(super) fn sync_temp(&self, temp: &NamedTempFile, target: &Path) -> Result<(), Fault> {
        self.step(Step::SyncFile, target, || temp.as_file().sync_all())
    }

    /// Gives a temporary the owner, group, mode, attributes and access list of the file it stands for. What the system does
    /// not allow is told: the message counts for more than its mode.
    pub(super) fn copy_rights(
        &self,
        temp: &NamedTempFile,
        (source, facts): (&File, &Metadata),
        target: &Path,
    ) -> Result<Vec<Warning>, Fault> {
        let mut warnings = Vec::new();
        let mut tolerate = |result: Result<(), Fault>, kind, what| match result {
            Err(e) if e.source.kind() == io::ErrorKind::PermissionDenied || e.is_unsupported() => {
                warnings.push(Warning::new(kind, format!("{}: its {what} could not be kept", target.display())));
                Ok(())
            }
            other => other,
        };
        // The owner first: changing it takes mode bits away.
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt as _, fchown};
            let ours = temp.as_file().metadata();
            let ours = ours.map_err(|source| Fault { step: Step::CopyOwner, path: target.to_owned(), source })?;
            if (ours.uid(), ours.gid()) != (facts.uid(), facts.gid()) {
                let group = self.step(Step::CopyOwner, target, || {
                    let group = fchown(temp.as_file(), None, Some(facts.gid()));
                    // Only root may give files away; the group alone is often enough for the others.
                    if ours.uid() == facts.uid() { group } else { fchown(temp.as_file(), Some(facts.uid()), None).and(group) }
                });
                tolerate(group, "owner-changed", "owner or group")?;
            }
        }
        let mode = self.step(Step::CopyMode, target, || {
            let cleared = attributes::clear(source, temp.as_file());
            temp.as_file().set_permissions(facts.permissions()).and(cleared)
        });
        tolerate(mode, "mode-changed", "mode")?;
        // The access list last: it says more of the mode than the mode does.
        let copied = self.step(Step::CopyAttributes, target, || attributes::copy(source, temp.as_file()));
        tolerate(copied, "attributes-changed", "extended attributes or its access list")?;
        Ok(warnings)
    }

    /// The temporaries that crashed runs left in a folder, sorted by name.
    ///
    /// # Errors
    /// The folder can't be read.
    pub fn leftovers(folder: &Path) -> io::Result<Vec<(PathBuf, Leftover)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if let Some(kind) = Leftover::of(&entry.file_name()) {
                found.push((entry.path(), kind));
            }
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(found)
    }

    /// Removes what is provably a copy of ours from a folder: by its name a [`Leftover::Copy`], a
    /// regular file, owned by this user, and not touched for an hour before `now`. Everything else
    /// is left where it is. Not done by every write, since it reads the whole folder; for `sweep`
    /// and `doctor`. Gives the paths removed.
    ///
    /// # Errors
    /// The folder can't be read; a leftover that can't be removed is passed over.
    pub fn tidy(&self, folder: &Path, now: SystemTime) -> io::Result<Vec<PathBuf>> {
        let mut removed = Self::removable(folder, now)?;
        removed.retain(|path| self.step(Step::Unlink, path, || fs::remove_file(path)).is_ok());
        Ok(removed)
    }

    /// What [`Disk::tidy`] would remove.
    ///
    /// # Errors
    /// The folder can't be read.
    pub fn removable(folder: &Path, now: SystemTime) -> io::Result<Vec<PathBuf>> {
        let is_old_copy = |(path, kind): (PathBuf, Leftover)| {
            let facts = path.symlink_metadata().ok()?;
            let is_old = now.duration_since(last_touched(&facts)).is_ok_and(|age| age > IN_USE);
            (kind == Leftover::Copy && facts.is_file() && is_old && is_ours(&facts)).then_some(path)
        };
        Ok(Self::leftovers(folder)?.into_iter().filter_map(is_old_copy).collect())
    }
}

/// When a file was last touched. The time of the last change of content is not enough: a copy
/// carries that of its original.
fn last_touched(facts: &Metadata) -> SystemTime {
    let modified = facts.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    #[cfg(unix)]
    {
        let changed = u64::try_from(std::os::unix::fs::MetadataExt::ctime(facts)).unwrap_or_default();
        modified.max(SystemTime::UNIX_EPOCH + Duration::from_secs(changed))
    }
    #[cfg(not(unix))]
    {
        modified.max(facts.created().unwrap_or(SystemTime::UNIX_EPOCH))
    }
}

#[cfg(unix)]
fn is_ours(facts: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(facts) == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_ours(_facts: &Metadata) -> bool {
    true
}
