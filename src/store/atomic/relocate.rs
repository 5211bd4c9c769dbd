//! Moving a message, to an archive or back: a rename that never replaces, or, between two file
//! systems, a verified copy before the original goes.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, FileTimes, Metadata};
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};

use super::folders::At;
use super::place::{MOST_SUFFIXES, Placed, numbered};
use super::step::{Fault, Step};
use super::temp::{Leftover, folder_of};
use super::{After, Batch, CommitError, Done};
use crate::model::message::Warning;
use crate::model::plan::{Refusal, Stamp};
use crate::store::names::TakenNames;
use crate::store::read::{self, ReadError};

/// A file on its way.
struct Moving<'a> {
    from: &'a Path,
    old_name: &'a OsStr,
    /// The number of the folder it lies in.
    source: usize,
    /// The folder it goes to, and its number.
    folder: &'a Path,
    target: usize,
    wanted: &'a OsStr,
    expect: &'a Stamp,
}

impl Batch<'_> {
    /// Moves a file. The name it gets meets no other one in the new folder, not even on a
    /// case-blind disk.
    pub(super) fn relocate(&mut self, from: &Path, to: &Path, expect: &Stamp) -> Result<Done, CommitError> {
        let (Some(old_name), Some(wanted)) = (from.file_name(), to.file_name()) else {
            return Err(refused(to, "not-a-file", "this is no name for a file"));
        };
        let (old_folder, folder) = (folder_of(from), folder_of(to));
        let source = self.folders.number(old_folder);
        self.folders.hold(source);
        check_movable(self.folders.at(source, old_name, from), expect)?;
        if old_name == wanted && from == to {
            return Ok(Done { from: Some(from.to_owned()), path: to.to_owned(), warnings: Vec::new() });
        }
        let target = self.folders.number(folder);
        let mut taken = match self.folders.known(target).and_then(|known| known.names.take()) {
            Some(taken) => taken,
            None => self.open_target(folder, old_folder)?,
        };
        self.folders.hold(target);
        let within = source == target;
        if within {
            taken.release(old_name); // a file does not stand in its own way
        }
        let file = Moving { from, old_name, source, folder, target, wanted, expect };
        let result = self.relocate_among(&mut taken, &file);
        match &result {
            Ok((_, name)) => {
                taken.add(name);
                if let Some(left) = self.folders.known(source).and_then(|known| known.names.as_mut()) {
                    left.release(old_name);
                }
                self.changed_in(old_folder);
                self.changed_in(folder);
            }
            Err(_) if within => taken.add(old_name),
            Err(_) => {}
        }
        if let Some(known) = self.folders.known(target) {
            known.names = Some(taken);
        }
        result.map(|(done, _)| done)
    }

    /// Gives what was done, and the name that the file got.
    fn relocate_among(&mut self, taken: &mut TakenNames, file: &Moving<'_>) -> Result<(Done, OsString), CommitError> {
        let from = file.from;
        loop {
            let name = taken.free_name(file.wanted);
            let to = file.folder.join(&name);
            let old = self.folders.at(file.source, file.old_name, from);
            let new = self.folders.at(file.target, &name, &to);
            match self.disk.rename_new(Step::Rename, old, new) {
                Ok(Placed::There) => {
                    self.check_moved(from, new, file.expect)?;
                    return Ok((Done { from: Some(from.to_owned()), path: to, warnings: Vec::new() }, name));
                }
                Ok(Placed::Taken) => taken.add(&name), // somebody was faster
                Err(e) if e.source.kind() == io::ErrorKind::CrossesDevices => {
                    let done = self.copy_across(taken, from, file.folder, file.wanted, file.expect)?;
                    let name = done.path.file_name().unwrap_or_default().to_owned();
                    return Ok((done, name));
                }
                Err(e) if e.source.kind() == io::ErrorKind::NotFound && from.symlink_metadata().is_err() => {
                    return Err(changed(from));
                }
                // Perhaps a folder was taken away and made anew: the one that is held is another.
                Err(e) if e.source.kind() == io::ErrorKind::NotFound => {
                    let held = [file.source, file.target].map(|number| self.folders.release(number));
                    if !held.contains(&true) {
                        return Err(e.into());
                    }
                }
                Err(e) => return Err(e.into()),
            }
        }
    }

    /// Looks whether what was moved is what was meant: another program may have saved a new
    /// version in the instant between check and rename. If so, it goes back.
    fn check_moved(&self, from: &Path, to: At<'_>, expect: &Stamp) -> Result<(), CommitError> {
        match to.stamp() {
            Ok(Some(stamp)) if stamp == *expect => Ok(()),
            // Gone again already, or not to be seen: not ours to judge.
            Err(_) => Ok(()),
            Ok(_) => {
                self.disk.put_back(to.path, from)?;
                Err(changed(from))
            }
        }
    }

    /// The names in the folder that a file goes to; the folder is made when it is missing.
    fn open_target(&mut self, folder: &Path, from: &Path) -> Result<TakenNames, CommitError> {
        if !folder.is_dir() {
            match folder.symlink_metadata() {
                Ok(facts) if facts.is_symlink() => {
                    return Err(refused(folder, "dangling-link", "the archive folder is a link to no folder"));
                }
                Ok(_) => return Err(refused(folder, "not-a-folder", "a file lies where the archive folder should be")),
                Err(_) => self.disk.make_folder_like_parent(folder)?,
            }
            self.changed_in(folder_of(folder));
        }
        if folder != from && folder.canonicalize().is_ok_and(|real| from.canonicalize().is_ok_and(|from| real == from)) {
            // It would only get another name, and another one with the next sweep.
            return Err(refused(folder, "same-folder", "it is a link to the very folder that the message lies in"));
        }
        Ok(TakenNames::read(folder)?)
    }

    /// Moves a file to another file system: copy, sync, compare, put in place, sync the folder, and
    /// only then remove the original – the one place that removes a message. Whatever fails before
    /// that leaves the original alone and no copy behind.
    fn copy_across(
        &self,
        taken: &mut TakenNames,
        from: &Path,
        folder: &Path,
        wanted: &OsStr,
        expect: &Stamp,
    ) -> Result<Done, CommitError> {
        let (source, facts) = read::open_regular(from)?;
        if read::stamp_of(&facts) != *expect {
            return Err(changed(from));
        }
        if facts.len() > read::LARGEST {
            // A file of holes may be larger than any disk.
            return Err(ReadError::TooLarge { path: from.to_owned(), len: facts.len(), cap: read::LARGEST }.into());
        }
        let mut warnings = Vec::new();
        // A run that died between copy and removal left one: finish its work.
        let mut finished = (1..MOST_SUFFIXES)
            .map(|n| numbered(&folder.join(wanted), n, |n| format!(" ({n})")))
            .take_while(|path| path.file_name().is_some_and(|name| taken.is_taken(name)))
            .filter(|path| is_copy_of(&source, &facts, path));
        let (to, own_copy) = if let Some(copy) = finished.next() {
            (copy, None)
        } else {
            let (to, stamp) = self.copy_into(taken, from, (&source, &facts), folder, wanted, &mut warnings)?;
            (to, Some(stamp))
        };
        let take_back = |error: CommitError| match &own_copy {
            Some(copy) => match self.disk.remove_if(&to, copy) {
                Ok(_) => error,
                Err(fault) => CommitError::InBoth { from: from.to_owned(), to: to.clone(), source: fault.source },
            },
            None => error,
        };
        if let Err(e) = self.disk.sync_folder(folder) {
            return Err(take_back(e.into()));
        }
        match self.disk.remove_if(from, expect) {
            Ok(true) => Ok(Done { from: Some(from.to_owned()), path: to, warnings }),
            Ok(false) => Err(take_back(changed(from))),
            // The original lies out of sight, so the copy is what people find: it stays.
            Err(e) if e.step == Step::PutBack => Err(e.into()),
            Err(e) => Err(take_back(e.into())),
        }
    }

    /// Makes the copy and puts it in place; gives its path and stamp.
    fn copy_into(
        &self,
        taken: &mut TakenNames,
        from: &Path,
        (source, facts): (&File, &Metadata),
        folder: &Path,
        wanted: &OsStr,
        warnings: &mut Vec<Warning>,
    ) -> Result<(PathBuf, Stamp), CommitError> {
        let disk = self.disk;
        let mut temp = disk.temp(folder, Leftover::Copy, true)?;
        disk.step(Step::Copy, from, || {
            let mut source = source;
            source.rewind()?;
            io::copy(&mut source, temp.as_file_mut())
        })?;
        warnings.extend(disk.copy_rights(&temp, (source, facts), from)?);
        disk.step(Step::CopyTimes, from, || {
            let mut times = FileTimes::new();
            if let Ok(modified) = facts.modified() {
                times = times.set_modified(modified);
            }
            if let Ok(accessed) = facts.accessed() {
                times = times.set_accessed(accessed);
            }
            temp.as_file().set_times(times)
        })?;
        disk.sync_temp(&temp, from)?;
        let is_same = disk.step(Step::Compare, from, || same_bytes(source, temp.as_file()))?;
        if !is_same || read::stamp(from).ok() != Some(read::stamp_of(facts)) {
            return Err(changed(from));
        }
        let copy = disk.step(Step::Compare, from, || temp.as_file().metadata())?;
        loop {
            let name = taken.free_name(wanted);
            let to = folder.join(&name);
            if disk.place_temp(&mut temp, &to)? == Placed::There {
                return Ok((to, read::stamp_of(&copy)));
            }
            taken.add(&name);
        }
    }
}

/// Checks that a file is still the one that was looked at, and one that may be moved.
pub(super) fn check_movable(at: At<'_>, expect: &Stamp) -> Result<(), CommitError> {
    let path = at.path;
    if let Ok(Some(stamp)) = at.stamp() {
        return if stamp == *expect { Ok(()) } else { Err(changed(path)) };
    }
    let facts = match path.symlink_metadata() {
        Ok(facts) => facts,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Err(changed(path)),
        Err(e) => return Err(ReadError::from_io(path, e).into()),
    };
    if facts.is_symlink() {
        let target = fs::read_link(path).map(|t| t.display().to_string()).unwrap_or_default();
        return Err(refused(path, "symlink", &format!("it is a link to {target}; move that file instead")));
    }
    if !facts.is_file() {
        let text = format!("it is {}, not a file", read::describe(facts.file_type()));
        return Err(refused(path, "not-a-file", &text));
    }
    if read::stamp_of(&facts) == *expect { Ok(()) } else { Err(changed(path)) }
}

/// Whether a file is what a copy of another one would be: same size, time of change, mode and bytes.
/// The file itself, reached by another way (a bind mount), is no copy; nor is anything where the
/// system can't tell the two apart.
fn is_copy_of(source: &File, facts: &Metadata, path: &Path) -> bool {
    let Ok((copy, copied)) = read::open_regular(path) else { return false };
    let (own, other) = (read::stamp_of(facts), read::stamp_of(&copied));
    own.node.is_some()
        && own.node != other.node
        && own.len == other.len
        && own.modified == other.modified
        && copied.permissions() == facts.permissions()
        && same_bytes(source, &copy).unwrap_or(false)
}

/// Compares two files from their start to their ends.
fn same_bytes(mut a: &File, mut b: &File) -> io::Result<bool> {
    const BLOCK: u64 = 64 * 1024;
    a.rewind()?;
    b.rewind()?;
    let (mut left, mut right) = (Vec::new(), Vec::new());
    loop {
        left.clear();
        right.clear();
        a.by_ref().take(BLOCK).read_to_end(&mut left)?;
        b.by_ref().take(BLOCK).read_to_end(&mut right)?;
        if left != right {
            return Ok(false);
        }
        if left.is_empty() {
            return Ok(true);
        }
    }
}

fn changed(path: &Path) -> CommitError {
    CommitError::Changed { path: path.to_owned() }
}

fn refused(path: &Path, kind: &'static str, text: &str) -> CommitError {
    CommitError::Refused { path: path.to_owned(), refusal: Refusal::new(kind, text) }
}

impl From<Fault> for CommitError {
    fn from(fault: Fault) -> Self {
        let after = if fault.step == Step::PutBack { After::SetAside } else { After::Unchanged };
        Self::Io { step: fault.step, path: fault.path, after, source: fault.source }
    }
}
