//! What lies in a folder, by name: the one way in which layouts read the folders of messages.
//!
//! A large inbox has a hundred thousand names; of those that nobody wants no text is kept.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use super::FileKind;

/// What names begin with, but for ASCII letter case, that are of interest.
///
/// Names that are not all ASCII are always of interest: what they are compared with may be another form
/// of the same text.
#[derive(Debug, Clone, Copy)]
pub struct Beginning<'a>(&'a [u8]);

impl<'a> Beginning<'a> {
    /// That of all names.
    pub const ANY: Self = Self(b"");

    /// All names that begin with a text, and perhaps some others.
    pub fn of(text: &'a str) -> Self {
        if text.is_ascii() { Self(text.as_bytes()) } else { Self::ANY }
    }

    fn fits(self, name: &[u8]) -> bool {
        let begins = name.get(..self.0.len()).is_some_and(|start| start.eq_ignore_ascii_case(self.0));
        begins || !name.is_ascii()
    }
}

/// One thing in a folder.
pub(super) struct Named<'a> {
    /// Its name.
    pub name: &'a OsStr,
    /// What it is; `None` for a folder.
    pub file: Option<FileKind>,
    /// Its number in its file system, where that is told.
    pub node: Option<u64>,
}

/// Visits every folder in a folder, and whatever else has a name of interest. What goes wrong after
/// the beginning is visited as well, and is the end of it.
///
/// # Errors
/// The folder can't be opened, or is none.
pub(super) fn each(folder: &Path, wanted: Beginning<'_>, visit: impl FnMut(io::Result<Named<'_>>)) -> io::Result<()> {
    system::each(folder, wanted, visit)
}

/// Visits the names in a folder, of whatever kind: all that begin as wanted, and perhaps some others.
///
/// # Errors
/// The folder can't be opened, or not be read to its end.
pub fn each_name(folder: &Path, wanted: Beginning<'_>, mut visit: impl FnMut(&OsStr)) -> io::Result<()> {
    let mut end = Ok(());
    each(folder, wanted, |named| match named {
        Ok(named) => visit(named.name),
        Err(error) => end = Err(error),
    })?;
    end
}

/// What differs from system to system: how a folder's names are had without a text for each.
#[cfg(target_os = "linux")]
mod system {
    use std::ffi::OsStr;
    use std::io;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::Path;

    use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, openat, statat};
    use rustix::io::Errno;

    use super::{Beginning, FileKind, Named};

    /// How much of a folder is asked for at once, in bytes.
    const AT_ONCE: usize = 32 << 10;

    pub fn each(folder: &Path, wanted: Beginning<'_>, mut visit: impl FnMut(io::Result<Named<'_>>)) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let handle = openat(CWD, folder, flags, Mode::empty())?;
        let mut space = Vec::with_capacity(AT_ONCE);
        let mut entries = RawDir::new(&handle, space.spare_capacity_mut());
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(Errno::INTR) => continue,
                Err(error) => {
                    visit(Err(error.into()));
                    break;
                }
            };
            let name = entry.file_name().to_bytes();
            let mut kind = entry.file_type();
            let fits = wanted.fits(name);
            if matches!(name, b"." | b"..") || !fits && !matches!(kind, FileType::Directory | FileType::Unknown) {
                continue;
            }
            if kind == FileType::Unknown {
                // Some file systems have to be asked. What can't be told is taken for a file: reading it will
                // name what is wrong.
                let facts = statat(&handle, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW);
                kind = facts.map_or(FileType::RegularFile, |facts| FileType::from_raw_mode(facts.st_mode));
            }
            let file = match kind {
                FileType::Directory => None,
                FileType::RegularFile => Some(FileKind::Regular),
                FileType::Symlink => Some(FileKind::Link),
                _ => Some(FileKind::Special),
            };
            if !fits && file.is_some() {
                continue;
            }
            visit(Ok(Named { name: OsStr::from_bytes(name), file, node: Some(entry.ino()) }));
        }
        Ok(())
    }
}

/// What differs from system to system: how a folder's names are had without a text for each.
#[cfg(not(target_os = "linux"))]
mod system {
    use std::fs::{self, DirEntry};
    use std::io;
    use std::path::Path;

    use super::super::files::file_kind;
    use super::{Beginning, FileKind, Named};

    pub fn each(folder: &Path, wanted: Beginning<'_>, mut visit: impl FnMut(io::Result<Named<'_>>)) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    visit(Err(error));
                    continue;
                }
            };
            let name = entry.file_name();
            // What can't be told is taken for a file: reading it will name what is wrong.
            let file = entry.file_type().map_or(Some(FileKind::Regular), |kind| (!kind.is_dir()).then(|| file_kind(kind)));
            if file.is_none() || wanted.fits(name.as_encoded_bytes()) {
                visit(Ok(Named { name: &name, file, node: node(&entry) }));
            }
        }
        Ok(())
    }

    #[cfg(unix)]
    #[allow(clippy::unnecessary_wraps)] // not every system tells it
    fn node(entry: &DirEntry) -> Option<u64> {
        Some(std::os::unix::fs::DirEntryExt::ino(entry))
    }

    #[cfg(not(unix))]
    fn node(_entry: &DirEntry) -> Option<u64> {
        None
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use super::*;

    fn names(folder: &Path, wanted: Beginning<'_>) -> BTreeMap<String, Option<FileKind>> {
        let mut out = BTreeMap::new();
        each(folder, wanted, |named| {
            let named = named.unwrap();
            assert!(out.insert(named.name.to_string_lossy().into_owned(), named.file).is_none());
        })
        .unwrap();
        out
    }

    #[test]
    fn every_name_is_met_once_with_what_it_is() {
        let dir = tempfile::tempdir().unwrap();
        // More than are asked for at once.
        for n in 0..1_500 {
            fs::write(dir.path().join(format!("2026-05-01-a-letter-about-{n}.md")), "").unwrap();
        }
        fs::create_dir(dir.path().join("folder")).unwrap();
        let all = names(dir.path(), Beginning::ANY);
        assert_eq!(all.len(), 1_501);
        assert_eq!((all["folder"], all["2026-05-01-a-letter-about-7.md"]), (None, Some(FileKind::Regular)));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("nowhere", dir.path().join("link.md")).unwrap();
            assert_eq!(names(dir.path(), Beginning::of("link"))["link.md"], Some(FileKind::Link));
        }
        assert!(each(&dir.path().join("none"), Beginning::ANY, |_| {}).is_err());
        assert!(each(&dir.path().join("2026-05-01-a-letter-about-7.md"), Beginning::ANY, |_| {}).is_err());
    }

    #[test]
    fn what_may_be_of_interest_is_met() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a.md", "A-2.md", "ab.md.read", "b.md", "b\u{e9}.md"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        fs::create_dir(dir.path().join("z")).unwrap();
        let met = |text| names(dir.path(), Beginning::of(text)).into_keys().collect::<Vec<_>>();
        assert_eq!(met("a"), ["A-2.md", "a.md", "ab.md.read", "b\u{e9}.md", "z"]);
        assert_eq!(met("AB.md"), ["ab.md.read", "b\u{e9}.md", "z"]);
        assert_eq!(met("be\u{301}").len(), 6, "another form of a text is not told from others");
        assert_eq!(met("").len(), 6);
    }
}
