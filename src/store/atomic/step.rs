//! The steps that writing takes, and the one place they all pass: where tests make them fail.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::Disk;

/// One step on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// Making a folder.
    MakeFolder,
    /// Creating a temporary file.
    CreateTemp,
    /// Writing the bytes into it.
    Write,
    /// Copying a file's bytes into it, from another file system.
    Copy,
    /// Giving it the owner and group of the file it stands for.
    CopyOwner,
    /// Giving it the mode of that file.
    CopyMode,
    /// Giving it the attributes and the access list of that file.
    CopyAttributes,
    /// Giving it the times of that file.
    CopyTimes,
    /// Making its content durable.
    SyncFile,
    /// Comparing a copy with the original, or what an exchange brought out with what was read.
    Compare,
    /// Renaming: the moment at which a change becomes visible.
    Rename,
    /// Exchanging the new file's name with the old one's: the moment at which a replacement becomes visible.
    Exchange,
    /// Renaming by a hard link, where the system can't rename without replacing.
    Link,
    /// Claiming a name with an empty file, where it can't do that either.
    Claim,
    /// Making a rename durable.
    SyncFolder,
    /// Taking the original out of sight, after its copy on another file system is durable.
    SetAside,
    /// Removing what was set aside, or replaced.
    Unlink,
    /// Giving a file its old name back.
    PutBack,
    /// Opening a lock file or the journal.
    Open,
    /// Adding to a file that only grows.
    Append,
}

impl Step {
    /// What is done, to follow "failed to".
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MakeFolder => "make the folder",
            Self::CreateTemp => "create a temporary file",
            Self::Write => "write the temporary file",
            Self::Copy => "copy the file",
            Self::CopyOwner => "keep the owner",
            Self::CopyMode => "keep the mode",
            Self::CopyAttributes => "keep the attributes",
            Self::CopyTimes => "keep the times",
            Self::SyncFile => "sync the temporary file",
            Self::Compare => "compare the copy",
            Self::Rename => "rename into place",
            Self::Exchange => "exchange with the old file",
            Self::Link => "link into place",
            Self::Claim => "claim the name",
            Self::SyncFolder => "sync the folder",
            Self::SetAside => "set the original aside",
            Self::Unlink => "remove the original",
            Self::PutBack => "put the file back",
            Self::Open => "open the file",
            Self::Append => "append",
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Called before each step, with the path that the step is about. An error takes the step's place;
/// a hook may as well end the process.
pub type Hook<'a> = &'a (dyn Fn(Step, &Path) -> io::Result<()> + Sync);

/// A step that failed.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) step: Step,
    pub(super) path: PathBuf,
    pub(super) source: io::Error,
}

impl Fault {
    /// Whether the system can't do such a thing at all, so that another way may be tried. `EINVAL`
    /// is what file systems say to a rename flag they don't know.
    pub(super) fn is_unsupported(&self) -> bool {
        matches!(self.source.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
    }
}

impl Disk<'_> {
    /// Takes a step, unless the hook says otherwise.
    pub(super) fn step<T>(&self, step: Step, path: &Path, act: impl FnOnce() -> io::Result<T>) -> Result<T, Fault> {
        self.before_step.map_or(Ok(()), |hook| hook(step, path)).and_then(|()| act()).map_err(|source| Fault {
            step,
            path: path.to_owned(),
            source,
        })
    }
}
