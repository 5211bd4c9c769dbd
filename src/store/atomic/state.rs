//! The files that only postroom itself has to do with: folders, locks, and what only grows.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use super::Disk;
use super::place::{MOST_SUFFIXES, Placed, numbered};
use super::step::{Fault, Step};
use super::temp::folder_of;

impl Disk<'_> {
    /// Makes a folder, and the ones above it that are missing, for this user alone (mode 700).
    /// Folders that are there stay as they are.
    ///
    /// # Errors
    /// It can't be made, or something that is no folder has the name.
    pub fn private_folder(&self, path: &Path) -> io::Result<()> {
        if path.is_dir() {
            return Ok(());
        }
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        self.step(Step::MakeFolder, path, || builder.create(path)).map_err(|e| e.source)
    }

    /// Makes one folder with the mode of the one it lies in. One that somebody else made in the
    /// same instant will do.
    pub(super) fn make_folder_like_parent(&self, path: &Path) -> Result<(), Fault> {
        self.step(Step::MakeFolder, path, || {
            let mode = folder_of(path).metadata()?.permissions();
            match fs::create_dir(path) {
                // The umask took bits that the parent has; a folder that is shared must stay so.
                Ok(()) => drop(fs::set_permissions(path, mode)),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
                Err(e) => return Err(e),
            }
            Ok(())
        })
    }

    /// Opens a file to lock on, and makes it when it is missing (mode 600). Neither followed
    /// through a link nor waited for.
    pub(crate) fn open_lock(&self, path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        private(&mut options);
        self.step(Step::Open, path, || options.open(path)).map_err(|e| e.source)
    }

    /// Writes into a lock file who holds it.
    pub(crate) fn note_holder(mut file: &File, pid: u32) -> io::Result<()> {
        file.set_len(0)?;
        io::Seek::rewind(&mut file)?;
        file.write_all(format!("{pid}\n").as_bytes())
    }

    /// Opens a file that only grows, and makes it when it is missing (mode 600).
    pub(crate) fn open_growing(&self, path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        private(&mut options);
        let file = self.step(Step::Open, path, || options.open(path)).map_err(|e| e.source)?;
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a file")) }
    }

    /// Adds bytes to such a file with one write, so that those of several processes never mix.
    pub(crate) fn append(&self, mut file: &File, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.step(Step::Append, path, || {
            loop {
                match file.write(bytes) {
                    Ok(n) if n == bytes.len() => return Ok(()),
                    Ok(_) => return Err(io::ErrorKind::WriteZero.into()),
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                    Err(e) => return Err(e),
                }
            }
        })
        .map_err(|e| e.source)
    }

    /// Gives such a file another name beside it, and never one that is taken (`-2`, `-3`, …).
    pub(crate) fn retire(&self, path: &Path, to: &Path) -> io::Result<()> {
        for n in 1..=MOST_SUFFIXES {
            let to = numbered(to, n, |n| format!("-{n}"));
            if self.rename_new(Step::Rename, path, to.as_path()).map_err(|e| e.source)? == Placed::There {
                return Ok(());
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    options.mode(0o600).custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
}

#[cfg(not(unix))]
fn private(_options: &mut OpenOptions) {}
