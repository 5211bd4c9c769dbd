//! The machine's record of what postroom did: one JSON line an event, added after the commit.
//!
//! History only. What is unread is decided by the messages alone, so a journal that can't be
//! written never fails a change, and damaged lines are passed over when it is read. The file grows
//! by single writes, which do not mix; at 10 MiB it gets another name and stays.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::atomic::Disk;
use super::lock::try_lock_in;
use super::read::{self, ReadError};
use crate::model::event::Event;
use crate::model::message::Warning;

mod scan;

pub use scan::{Position, Reading};

/// Size at which a new file is begun, in bytes.
pub const ROTATE_AT: u64 = 10 * 1024 * 1024;

/// The longest line that is written, in bytes, unless the paths in it alone are longer.
const LONGEST: usize = 4 * 1024;

/// Lines are gathered up to about this size before they are written, in bytes.
const AT_ONCE: usize = 64 * 1024;

/// The journal in a state folder.
#[derive(Debug, Clone)]
pub struct Journal {
    state: PathBuf,
    rotate_at: u64,
}

impl Journal {
    /// The journal of a state folder; nothing is opened or made yet.
    pub fn new(state: PathBuf) -> Self {
        Self { state, rotate_at: ROTATE_AT }
    }

    /// The file that is added to.
    pub fn path(&self) -> PathBuf {
        self.state.join("journal.jsonl")
    }

    /// Adds events, in order, by writes of whole lines: one, unless there are hundreds. A warning tells
    /// that it did not work: what the events report has been done all the same.
    pub fn append(&self, disk: &Disk<'_>, events: &[Event]) -> Option<Warning> {
        match self.try_append(disk, events) {
            Ok(()) => None,
            Err(e) => {
                let path = self.path();
                Some(Warning::new("journal-failed", format!("{}: can't add to the journal: {e}", path.display())))
            }
        }
    }

    fn try_append(&self, disk: &Disk<'_>, events: &[Event]) -> io::Result<()> {
        let Some(first) = events.first() else { return Ok(()) };
        disk.private_folder(&self.state)?;
        let path = self.path();
        let mut file = disk.open_growing(&path)?;
        let mut len = file.metadata()?.len();
        if len >= self.rotate_at && self.rotate(disk, &first.at) {
            file = disk.open_growing(&path)?;
            len = file.metadata()?.len();
        }
        let mut lines = Vec::new();
        if !ends_with_newline(&file, len)? {
            // A write that was cut short must not spoil the next line, too.
            lines.push(b'\n');
        }
        for event in events {
            lines.extend(line(event)?);
            if lines.len() >= AT_ONCE {
                disk.append(&file, &path, &lines)?;
                lines.clear();
            }
        }
        if lines.is_empty() { Ok(()) } else { disk.append(&file, &path, &lines) }
    }

    /// Gives the full file another name, unless somebody else is at it. One that can't be renamed
    /// is added to further.
    fn rotate(&self, disk: &Disk<'_>, at: &str) -> bool {
        let Some(_lock) = try_lock_in(&self.state, "journal.lock") else { return false };
        // Somebody else may have done it since we looked.
        if self.path().metadata().is_ok_and(|facts| facts.len() < self.rotate_at) {
            return true;
        }
        let mut stamp: String = at.chars().filter(char::is_ascii_alphanumeric).take(20).collect();
        // A clock that was set back must not put newer events before older ones.
        if let Some((_, (newest, _))) = self.old_files().ok().and_then(|mut old| old.pop())
            && newest > stamp
        {
            stamp = newest;
        }
        disk.retire(&self.path(), &self.state.join(format!("journal-{stamp}.jsonl"))).is_ok()
    }

    /// The last `n` events that `keep` holds on to, oldest first; `usize::MAX` for all. Reads
    /// backwards, and no more than needed. No journal is an empty one.
    ///
    /// # Errors
    /// A file of it can't be read: that is not the same as no events.
    pub fn last(&self, n: usize, keep: impl FnMut(&Event) -> bool) -> Result<Reading, ReadError> {
        scan::backwards(&self.files()?, n, keep)
    }

    /// Where the journal ends now, for [`Journal::since`].
    ///
    /// # Errors
    /// The file can't be looked at.
    pub fn end(&self) -> Result<Position, ReadError> {
        scan::end(&self.path())
    }

    /// The events added since a position, and the position after them; across a change of files.
    /// A line that is still being written is left for the next call.
    ///
    /// # Errors
    /// A file of the journal can't be read.
    pub fn since(&self, position: Position) -> Result<(Reading, Position), ReadError> {
        // Twice, for the file may get its other name between the listing and the opening.
        for _ in 0..2 {
            if let Some(read) = scan::forwards(&self.files()?, position)? {
                return Ok(read);
            }
        }
        // Its file is gone: somebody removed it. What is in the newest is all that can be told.
        let read = scan::forwards(&[self.path()], Position::default())?;
        Ok(read.unwrap_or_default())
    }

    /// The files of the journal, oldest first; the one that is added to is the last.
    fn files(&self) -> Result<Vec<PathBuf>, ReadError> {
        let mut files: Vec<_> = self.old_files()?.into_iter().map(|(path, _)| path).collect();
        files.push(self.path());
        Ok(files)
    }

    /// The files that were full, oldest first, with what they are sorted by.
    fn old_files(&self) -> Result<Vec<(PathBuf, Age)>, ReadError> {
        let entries = match std::fs::read_dir(&self.state) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(ReadError::from_io(&self.state, e)),
        };
        let mut old = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|e| ReadError::from_io(&self.state, e))?;
            if let Some(key) = entry.file_name().to_str().and_then(age_key) {
                old.push((entry.path(), key));
            }
        }
        old.sort_by(|a, b| a.1.cmp(&b.1));
        Ok(old)
    }
}

/// What old journals are sorted by: the stamp, then the number behind a name that was taken.
type Age = (String, u64);

fn age_key(name: &str) -> Option<Age> {
    let name = name.strip_prefix("journal-")?.strip_suffix(".jsonl")?;
    match name.split_once('-') {
        None => Some((name.to_owned(), 1)),
        Some((stamp, n)) => Some((stamp.to_owned(), n.parse().ok()?)),
    }
}

/// Whether a file of that size ends with a whole line.
fn ends_with_newline(file: &File, len: u64) -> io::Result<bool> {
    let Some(last) = len.checked_sub(1) else { return Ok(true) };
    let mut byte = [0];
    Ok(read::read_at(file, &mut byte, last)? == 0 || byte == [b'\n'])
}

/// An event as its line. Long texts are cut; a path that is no text is written as well as it goes.
fn line(event: &Event) -> io::Result<Vec<u8>> {
    let is_text = |path: &Path| path.to_str().is_some();
    if is_text(&event.path) && event.to_path.as_deref().is_none_or(is_text) {
        let mut text = serde_json::to_vec(event)?;
        if text.len() < LONGEST {
            text.push(b'\n');
            return Ok(text);
        }
    }
    let mut event = event.clone();
    // serde refuses paths that are no text, and such a message must be recorded, too.
    event.path = event.path.to_string_lossy().into_owned().into();
    event.to_path = event.to_path.map(|path| path.to_string_lossy().into_owned().into());
    let mut text = serde_json::to_vec(&event)?;
    for most in [2048, 512, 128, 32] {
        if text.len() < LONGEST {
            break;
        }
        shorten(&mut event, most);
        text = serde_json::to_vec(&event)?;
    }
    text.push(b'\n');
    Ok(text)
}

/// Cuts every text but the paths and the id, which others look for.
fn shorten(event: &mut Event, most: usize) {
    let texts = [
        &mut event.note,
        &mut event.subject,
        &mut event.recipient,
        &mut event.sender,
        &mut event.in_reply_to,
        &mut event.actor,
        &mut event.from,
        &mut event.to,
    ];
    for text in texts.into_iter().flatten() {
        if text.len() > most {
            text.truncate(text.floor_char_boundary(most));
            text.push('…');
        }
    }
    event.passed.truncate(8);
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
