//! The folders that a batch has to do with. They are held open, and a file is named relative to its
//! folder, so that the system need not walk the whole path again for each step of each file.
//!
//! Holding one is only a help. Where a folder can't be opened (it may be entered, but not listed), or
//! is another one by now, and on systems without such calls, files are named by their whole paths.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::model::plan::Stamp;
use crate::store::names::TakenNames;
use crate::store::read::{self, Folder};

/// Folders, each once: one or two, nearly always.
#[derive(Debug, Default)]
pub(super) struct Folders {
    all: Vec<Known>,
}

/// What a batch knows of a folder.
#[derive(Debug)]
pub(super) struct Known {
    /// Its path.
    pub path: PathBuf,
    /// The names in it. Read once, when the first file is moved there, kept up by us, and only a help: a
    /// rename itself never replaces.
    pub names: Option<TakenNames>,
    /// The folder, held open.
    held: Option<Folder>,
    /// Whether files in it are named by their whole paths.
    is_walked: bool,
}

impl Folders {
    /// A folder's number.
    pub fn number(&mut self, path: &Path) -> usize {
        // Their texts: to compare paths takes them apart, and one that is written in two ways may be known twice.
        if let Some(number) = self.all.iter().position(|known| known.path.as_os_str() == path.as_os_str()) {
            return number;
        }
        self.all.push(Known { path: path.to_owned(), names: None, held: None, is_walked: false });
        self.all.len() - 1
    }

    /// What is known of the folder with a number.
    pub fn known(&mut self, number: usize) -> Option<&mut Known> {
        self.all.get_mut(number)
    }

    /// Holds a folder from now on, if that can be.
    pub fn hold(&mut self, number: usize) {
        if let Some(known) = self.all.get_mut(number).filter(|known| known.held.is_none() && !known.is_walked) {
            known.held = Folder::open(&known.path).ok();
            known.is_walked = known.held.is_none();
        }
    }

    /// Lets go of a folder; gives whether it was held. From now on it is walked to.
    pub fn release(&mut self, number: usize) -> bool {
        self.all.get_mut(number).is_some_and(|known| {
            known.is_walked = true;
            known.held.take().is_some()
        })
    }

    /// A file in the folder with a number, by the shortest way to it.
    pub fn at<'a>(&'a self, number: usize, name: &'a OsStr, path: &'a Path) -> At<'a> {
        At { path, short: self.all.get(number).and_then(|known| Some((known.held.as_ref()?, name))) }
    }
}

/// A file as the system is told of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'a> {
    /// Its whole path.
    pub path: &'a Path,
    /// Its folder and its name there, where the folder is held.
    short: Option<(&'a Folder, &'a OsStr)>,
}

impl<'a> From<&'a Path> for At<'a> {
    fn from(path: &'a Path) -> Self {
        Self { path, short: None }
    }
}

impl At<'_> {
    /// The stamp of what has the name now, if that is a file itself, and no link to one.
    pub fn stamp(&self) -> io::Result<Option<Stamp>> {
        if let Some((folder, name)) = self.short {
            return folder.stamp_in(name);
        }
        let facts = self.path.symlink_metadata()?;
        Ok(facts.is_file().then(|| read::stamp_of(&facts)))
    }

    /// The folder and the path from there that system calls take.
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    pub fn parts(&self) -> (std::os::fd::BorrowedFd<'_>, &Path) {
        match self.short {
            Some((folder, name)) => (std::os::fd::AsFd::as_fd(folder), Path::new(name)),
            None => (rustix::fs::CWD, self.path),
        }
    }
}
