//! Reading files without being fooled: bounded, never waiting, never through a link out of the
//! project, never from anything but a file.
//!
//! First step of a message's journey after listing: entry → [`Folder::read_head`] → parse. The hot path
//! costs one open, one read and one close a file; whatever is odd takes the slow path.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{File, FileType, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::layout::{Entry, FileKind, Head};
use crate::model::plan::{Source, Stamp};

/// What is read of a file at first, in bytes: more than nearly every header.
pub const HEAD: usize = 4 * 1024;

/// The largest file that is read whole, in bytes.
pub const LARGEST: u64 = 256 * 1024 * 1024;

/// Up to here a buffer is made as large as asked, in bytes; beyond, the file's size is looked at first.
const TRUSTED: usize = 64 * 1024;

/// Why a file was not read. Each is one line, with the path.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system does not let us.
    #[error("{path}: permission denied")]
    PermissionDenied {
        /// The file or folder.
        path: PathBuf,
    },
    /// A folder, FIFO, socket or device. It was not read, and special files were not even opened.
    #[error("{path} is {what}, not a file")]
    NotAFile {
        /// What was to be read.
        path: PathBuf,
        /// What it is, with its article.
        what: &'static str,
    },
    /// A link to nothing.
    #[error("{path} is a link to {target}, which does not exist")]
    DanglingLink {
        /// The link.
        path: PathBuf,
        /// Where its trail ends.
        target: PathBuf,
    },
    /// A link to something outside the project; its target was not opened.
    #[error("{path} is a link to {target}, which lies outside the project")]
    LinkOutside {
        /// The link.
        path: PathBuf,
        /// The last target.
        target: PathBuf,
    },
    /// A link that leads back to itself.
    #[error("{path} is a link that leads in a circle")]
    LinkLoop {
        /// The link.
        path: PathBuf,
    },
    /// It was there when the folder was listed, and is no longer.
    #[error("{path} is not there any more")]
    Vanished {
        /// The file.
        path: PathBuf,
    },
    /// More than we are willing to hold in memory.
    #[error("{path} is too large to be read: {len} bytes, and {cap} is the most")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        len: u64,
        /// The most that is read, in bytes.
        cap: u64,
    },
    /// Anything else that the system says.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl ReadError {
    /// A stable word for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::PermissionDenied { .. } => "permission-denied",
            Self::NotAFile { .. } => "not-a-file",
            Self::DanglingLink { .. } => "dangling-link",
            Self::LinkOutside { .. } => "link-outside",
            Self::LinkLoop { .. } => "link-loop",
            Self::Vanished { .. } => "vanished",
            Self::TooLarge { .. } => "too-large",
            Self::Io { .. } => "io",
        }
    }

    /// Whether the file was there and is gone: nothing is wrong with it, somebody moved it.
    pub fn is_vanished(&self) -> bool {
        matches!(self, Self::Vanished { .. })
    }

    /// Names an error of the system.
    pub fn from_io(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::Vanished { path },
            io::ErrorKind::PermissionDenied => Self::PermissionDenied { path },
            io::ErrorKind::IsADirectory => Self::NotAFile { path, what: "a folder" },
            io::ErrorKind::NotSeekable => Self::NotAFile { path, what: "a pipe (FIFO)" },
            _ if system::says_no_peer(&source) => Self::NotAFile { path, what: "a socket or a device" },
            _ if system::says_loop(&source) => Self::LinkLoop { path },
            _ => Self::Io { path, source },
        }
    }
}

/// How far a link may lead.
#[derive(Debug, Clone, Copy)]
pub enum Reach<'a> {
    /// Not out of this folder: messages, and whatever an untrusted project names.
    Within(&'a Path),
    /// Anywhere: a file that the user named outright.
    Anywhere,
}

/// A folder held open for reading many of its files.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    handle: system::Handle,
}

impl Folder {
    /// Opens a folder.
    ///
    /// # Errors
    /// It can't be opened, or is none.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let handle = system::open_folder(path).map_err(|e| ReadError::from_io(path, e))?;
        Ok(Self { path: path.to_owned(), handle })
    }

    /// The path it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the first `want` bytes of one of its entries into `buffer`, which only ever grows:
    /// pass the same one for every file. Start with [`HEAD`]; when a parser needs more, call again.
    ///
    /// # Errors
    /// [`ReadError`], named; nothing here waits for anybody, whatever the entry is.
    pub fn read_head<'b>(
        &self,
        entry: &Entry,
        want: usize,
        reach: Reach<'_>,
        buffer: &'b mut Vec<u8>,
    ) -> Result<Head<'b>, ReadError> {
        let (file, path) = self.open_entry(entry, reach)?;
        fill(&file, || path.unwrap_or_else(|| self.path.join(&entry.name)), want, buffer)
    }

    /// Like [`Folder::read_head`], with the stamp that the file had before its bytes were read. For
    /// whoever decides by the header and moves the file by the stamp: a change in between is seen.
    ///
    /// # Errors
    /// As [`Folder::read_head`].
    pub fn read_head_stamped<'b>(
        &self,
        entry: &Entry,
        want: usize,
        reach: Reach<'_>,
        buffer: &'b mut Vec<u8>,
    ) -> Result<(Head<'b>, Stamp), ReadError> {
        let (file, path) = self.open_entry(entry, reach)?;
        let path = path.unwrap_or_else(|| self.path.join(&entry.name));
        let facts = file.metadata().map_err(|e| ReadError::from_io(&path, e))?;
        Ok((fill(&file, || path, want, buffer)?, stamp_of(&facts)))
    }

    /// The stamp of what has a name in the folder now, if that is a file itself, and no link to one.
    ///
    /// # Errors
    /// Nothing has the name, or the system doesn't tell.
    pub(super) fn stamp_in(&self, name: &OsStr) -> io::Result<Option<Stamp>> {
        system::stamp_in(&self.handle, &self.path, name)
    }

    /// Opens an entry; the path is only given where it is another than the entry's.
    fn open_entry(&self, entry: &Entry, reach: Reach<'_>) -> Result<(File, Option<PathBuf>), ReadError> {
        if entry.file == FileKind::Regular {
            match system::open_in(&self.handle, &self.path, &entry.name) {
                Ok(file) => return Ok((file, None)),
                // It became a link since it was listed: the slow path decides.
                Err(e) if system::says_loop(&e) => {}
                Err(e) => return Err(ReadError::from_io(&self.path.join(&entry.name), e)),
            }
        }
        let path = resolve_link(&self.path.join(&entry.name), reach)?;
        let (file, _) = open_regular(&path)?;
        Ok((file, Some(path)))
    }
}

#[cfg(unix)]
impl std::os::fd::AsFd for Folder {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

/// Reads the first bytes of an open file with one read: what a regular file gives less than asked
/// for is its end. `pread` instead of `read`, since a FIFO that took the file's place refuses it,
/// while a `read` would say "empty".
fn fill<'b>(file: &File, path: impl FnOnce() -> PathBuf, want: usize, buffer: &'b mut Vec<u8>) -> Result<Head<'b>, ReadError> {
    let mut want = want;
    if want > TRUSTED {
        let facts = match file.metadata() {
            Ok(facts) => facts,
            Err(e) => return Err(ReadError::from_io(&path(), e)),
        };
        if facts.len() > LARGEST && want as u64 > LARGEST {
            return Err(ReadError::TooLarge { path: path(), len: facts.len(), cap: LARGEST });
        }
        // One byte more than there is, so that the read tells the end.
        want = want.min(usize::try_from(facts.len().saturating_add(1)).unwrap_or(want)).max(TRUSTED);
    }
    if buffer.len() < want {
        buffer.resize(want, 0);
    }
    let space = buffer.get_mut(..want).unwrap_or_default();
    loop {
        match read_at(file, space, 0) {
            Ok(got) => return Ok(Head { bytes: space.get(..got).unwrap_or_default(), complete: got < want }),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(ReadError::from_io(&path(), e)),
        }
    }
}

/// Follows a link to its last target, over any number of hops. A path that is no link is given
/// back as it is.
///
/// # Errors
/// The trail ends nowhere, leads in a circle, ends outside `reach`, or at no file.
pub fn resolve_link(path: &Path, reach: Reach<'_>) -> Result<PathBuf, ReadError> {
    let facts = path.symlink_metadata().map_err(|e| ReadError::from_io(path, e))?;
    if !facts.is_symlink() {
        return Ok(path.to_owned());
    }
    // Hop by hop instead of `canonicalize`, which gives up after 40 hops with the word for a circle.
    let mut seen = HashSet::new();
    let mut here = path.to_owned();
    loop {
        here = match real_parent(&here) {
            Ok(real) => real,
            Err(e) => return Err(trail_ends(path, here, e)),
        };
        match here.symlink_metadata() {
            Ok(facts) if facts.is_symlink() => {}
            Ok(facts) => {
                if let Reach::Within(root) = reach {
                    let root = root.canonicalize().map_err(|e| ReadError::from_io(root, e))?;
                    if !here.starts_with(&root) {
                        return Err(ReadError::LinkOutside { path: path.to_owned(), target: here });
                    }
                }
                if !facts.is_file() {
                    return Err(ReadError::NotAFile { path: path.to_owned(), what: describe(facts.file_type()) });
                }
                return Ok(here);
            }
            Err(e) => return Err(trail_ends(path, here, e)),
        }
        let next = here.read_link().map_err(|e| ReadError::from_io(path, e))?;
        let next = here.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
        if !seen.insert(here) {
            return Err(ReadError::LinkLoop { path: path.to_owned() });
        }
        here = next;
    }
}

/// Names an error met on a link's way.
fn trail_ends(link: &Path, here: PathBuf, source: io::Error) -> ReadError {
    match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::DanglingLink { path: link.to_owned(), target: here },
        _ => ReadError::from_io(link, source),
    }
}

/// The path with its folder free of links; the last part stays as it is.
fn real_parent(path: &Path) -> io::Result<PathBuf> {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => {
            let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            Ok(parent.canonicalize()?.join(name))
        }
        // Ends in `..` or is a root: a folder, in any case.
        _ => path.canonicalize(),
    }
}

/// Reads a whole file, with the stamp it had before its bytes were read.
///
/// # Errors
/// [`ReadError`]; among them a size beyond `cap` bytes ([`LARGEST`] is the usual one).
pub fn read_whole(path: &Path, reach: Reach<'_>, cap: u64) -> Result<(Source, Stamp), ReadError> {
    let target = resolve_link(path, reach)?;
    let (file, facts) = open_regular(&target)?;
    let bytes = read_open(&file, &facts, path, cap)?;
    let stamp = stamp_of(&facts);
    Ok((Source { path: path.to_owned(), bytes: bytes.into(), stamp }, stamp))
}

/// Reads an open file whole.
pub(super) fn read_open(mut file: &File, facts: &Metadata, path: &Path, cap: u64) -> Result<Vec<u8>, ReadError> {
    let too_large = |len| ReadError::TooLarge { path: path.to_owned(), len, cap };
    if facts.len() > cap {
        return Err(too_large(facts.len()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(facts.len()).unwrap_or_default().saturating_add(1));
    // It may have grown since it was looked at.
    file.by_ref().take(cap.saturating_add(1)).read_to_end(&mut bytes).map_err(|e| ReadError::from_io(path, e))?;
    let len = bytes.len() as u64;
    if len > cap { Err(too_large(len)) } else { Ok(bytes) }
}

/// Reads from a place in a file, once; may give fewer bytes than there is space for.
pub(super) fn read_at(file: &File, space: &mut [u8], at: u64) -> io::Result<usize> {
    system::read_at(file, space, at)
}

/// Opens a file that must be a regular one, and no link, for reading. Special files are not opened.
pub(super) fn open_regular(path: &Path) -> Result<(File, Metadata), ReadError> {
    let named = |e| ReadError::from_io(path, e);
    let file_only = |facts: &Metadata| {
        if facts.is_file() {
            Ok(())
        } else {
            Err(ReadError::NotAFile { path: path.to_owned(), what: describe(facts.file_type()) })
        }
    };
    file_only(&path.symlink_metadata().map_err(named)?)?;
    let file = system::open_file(path).map_err(named)?;
    let facts = file.metadata().map_err(named)?;
    file_only(&facts)?; // again: it may be another one by now
    Ok((file, facts))
}

/// What tells a file from a later state of it. Of a link, it is the link's own.
///
/// # Errors
/// Nothing is there, or no file, or it can't be looked at.
pub fn stamp(path: &Path) -> Result<Stamp, ReadError> {
    let facts = path.symlink_metadata().map_err(|e| ReadError::from_io(path, e))?;
    if facts.is_file() || facts.is_symlink() {
        Ok(stamp_of(&facts))
    } else {
        Err(ReadError::NotAFile { path: path.to_owned(), what: describe(facts.file_type()) })
    }
}

/// The stamp out of a file's facts.
pub fn stamp_of(facts: &Metadata) -> Stamp {
    Stamp { len: facts.len(), modified: facts.modified().ok(), node: system::node(facts) }
}

/// What a thing that is no file is, with its article.
pub(super) fn describe(kind: FileType) -> &'static str {
    if kind.is_dir() {
        return "a folder";
    }
    if kind.is_symlink() {
        return "a link";
    }
    system::describe_special(kind)
}

/// What differs from system to system.
#[cfg(unix)]
mod system {
    use std::ffi::OsStr;
    use std::fs::{File, FileType, Metadata};
    use std::io;
    use std::os::fd::OwnedFd;
    use std::os::unix::fs::{FileExt as _, FileTypeExt as _, MetadataExt as _};
    use std::path::Path;

    use std::time::{Duration, UNIX_EPOCH};

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, statat};
    use rustix::io::Errno;

    use crate::model::plan::Stamp;

    pub type Handle = OwnedFd;

    pub fn open_folder(path: &Path) -> io::Result<Handle> {
        Ok(openat(CWD, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
    }

    /// For reading, without following a link, without waiting for the other end of a FIFO, without
    /// making a terminal ours.
    fn flags() -> OFlags {
        OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC
    }

    pub fn open_in(folder: &Handle, _path: &Path, name: &OsStr) -> io::Result<File> {
        Ok(openat(folder, name, flags(), Mode::empty())?.into())
    }

    pub fn open_file(path: &Path) -> io::Result<File> {
        Ok(openat(CWD, path, flags(), Mode::empty())?.into())
    }

    pub fn read_at(file: &File, space: &mut [u8], at: u64) -> io::Result<usize> {
        file.read_at(space, at)
    }

    // The numbers have other widths and signs on other systems.
    #[allow(
        clippy::useless_conversion,
        clippy::unnecessary_fallible_conversions,
        clippy::unnecessary_cast,
        clippy::cast_sign_loss
    )]
    pub fn stamp_in(folder: &Handle, _path: &Path, name: &OsStr) -> io::Result<Option<Stamp>> {
        let facts = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if !rustix::fs::FileType::from_raw_mode(facts.st_mode).is_file() {
            return Ok(None);
        }
        let seconds = i64::try_from(facts.st_mtime).unwrap_or_default();
        let whole = Duration::from_secs(seconds.unsigned_abs());
        let second = if seconds < 0 { UNIX_EPOCH.checked_sub(whole) } else { UNIX_EPOCH.checked_add(whole) };
        let part = Duration::from_nanos(u64::try_from(facts.st_mtime_nsec).unwrap_or_default());
        Ok(Some(Stamp {
            len: u64::try_from(facts.st_size).unwrap_or_default(),
            modified: second.and_then(|second| second.checked_add(part)),
            // As the standard library gives them.
            node: Some((facts.st_dev as u64, facts.st_ino as u64)),
        }))
    }

    #[allow(clippy::unnecessary_wraps)] // not every system has them
    pub fn node(facts: &Metadata) -> Option<(u64, u64)> {
        Some((facts.dev(), facts.ino()))
    }

    pub fn says_loop(e: &io::Error) -> bool {
        // FreeBSD says MLINK, NetBSD FTYPE, to a NOFOLLOW that met a link; the others say LOOP.
        let code = Errno::from_io_error(e);
        code == Some(Errno::LOOP) || (cfg!(target_os = "freebsd") && code == Some(Errno::MLINK))
    }

    pub fn says_no_peer(e: &io::Error) -> bool {
        matches!(Errno::from_io_error(e), Some(Errno::NXIO | Errno::NODEV | Errno::OPNOTSUPP))
    }

    pub fn describe_special(kind: FileType) -> &'static str {
        if kind.is_fifo() {
            "a pipe (FIFO)"
        } else if kind.is_socket() {
            "a socket"
        } else {
            "a device"
        }
    }
}

/// What differs from system to system.
#[cfg(not(unix))]
mod system {
    use std::ffi::OsStr;
    use std::fs::{File, FileType, Metadata};
    use std::io::{self, Read as _, Seek as _, SeekFrom};
    use std::path::Path;

    use crate::model::plan::Stamp;

    /// Nothing: entries are opened by their whole path.
    #[derive(Debug)]
    pub struct Handle;

    pub fn open_folder(path: &Path) -> io::Result<Handle> {
        std::fs::read_dir(path).map(|_| Handle)
    }

    pub fn open_in(_folder: &Handle, path: &Path, name: &OsStr) -> io::Result<File> {
        File::open(path.join(name))
    }

    pub fn open_file(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    pub fn read_at(mut file: &File, space: &mut [u8], at: u64) -> io::Result<usize> {
        file.seek(SeekFrom::Start(at))?;
        file.read(space)
    }

    pub fn stamp_in(_folder: &Handle, path: &Path, name: &OsStr) -> io::Result<Option<Stamp>> {
        let facts = path.join(name).symlink_metadata()?;
        Ok(facts.is_file().then(|| super::stamp_of(&facts)))
    }

    pub fn node(_facts: &Metadata) -> Option<(u64, u64)> {
        None
    }

    pub fn says_loop(_e: &io::Error) -> bool {
        false
    }

    pub fn says_no_peer(_e: &io::Error) -> bool {
        false
    }

    pub fn describe_special(_kind: FileType) -> &'static str {
        "no regular file"
    }
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
