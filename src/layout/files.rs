//! Folders of messages: what the layouts share that keep one message a file.
//!
//! Where a layout's inboxes lie, and which of a folder's files are messages, which are known to be
//! none, and which somebody lost there (DESIGN §2, "What is not a message"). No file is opened.

use std::ffi::{OsStr, OsString};
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::folder::{self, Beginning, Named};
use super::{Entry, FileKind, Listing};
use crate::model::plan::{EditPlan, FileOp, Refusal, Stamp};
use crate::model::status::Status;
use crate::text::find;

/// What a name says about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameKind {
    /// A message. The state is what the name or the folder gives.
    Message { state: Option<Status> },
    /// No message, and in its place: a README, a dot file.
    Known,
    /// What an editor, a synchroniser or an unfinished write left behind, with the reason.
    Lost(&'static str),
    /// Anything else, with what a person should know about it.
    Other(&'static str),
}

/// The endings that make a file a message of a layout.
#[derive(Debug, Clone, Copy)]
pub(super) struct Endings {
    /// Of every message; in lower case, compared in any.
    pub plain: &'static str,
    /// Of one that is marked read by its name.
    pub read: &'static str,
    /// What is said of a file with another ending.
    pub other: fn(&[u8]) -> &'static str,
}

/// Markdown messages.
pub(super) const MARKDOWN: Endings = Endings {
    plain: ".md",
    read: ".md.read",
    other: |lower| {
        if lower.ends_with(b".json") || lower.ends_with(b".json.read") {
            "JSON is no message here, and Soma's router deletes it from its inbox"
        } else {
            "no message: its name does not end in .md"
        }
    },
};

/// One folder of messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    /// What its messages are called.
    pub endings: Endings,
    /// The state of a message whose name says nothing.
    pub state: Option<Status>,
    /// Whether it is an archive.
    pub archived: bool,
}

impl Kind {
    /// What a file's name says about it. Compared as bytes: a name need not be UTF-8.
    pub fn of(&self, name: &[u8]) -> NameKind {
        if self.is_ordinary(name) {
            return NameKind::Message { state: self.state };
        }
        let lower = name.to_ascii_lowercase();
        let ends = |end: &str| lower.ends_with(end.as_bytes());
        let is_message = ends(self.endings.plain) || ends(self.endings.read);
        if lower.starts_with(b".") {
            return hidden(&lower, is_message);
        }
        if lower.starts_with(b"readme") {
            let plain = matches!(lower.as_slice(), b"readme" | b"readme.md" | b"readme.txt");
            if plain || !is_message {
                return NameKind::Known;
            }
            // Written large it is about the folder; a letter may be about a readme.
            if name.starts_with(b"README") {
                return NameKind::Lost("a name that starts with README is no message");
            }
        }
        if name == b"MANIFEST.md" {
            return NameKind::Known;
        }
        if ends("~") || ends(".bak") || (lower.starts_with(b"#") && ends("#")) {
            return NameKind::Lost("a copy that an editor left behind");
        }
        if holds(&lower, b".sync-conflict-") || holds(&lower, b"conflicted copy") {
            return NameKind::Lost("the other side of a synchroniser's conflict: compare it with the message");
        }
        if [".tmp", ".part", ".partial", ".swp", ".swo", ".crdownload"].iter().any(|end| ends(end)) {
            return NameKind::Lost("an unfinished write");
        }
        if ends(self.endings.read) {
            return NameKind::Message { state: self.state.max(Some(Status::Read)) };
        }
        if ends(self.endings.plain) {
            return NameKind::Message { state: self.state };
        }
        NameKind::Other((self.endings.other)(&lower))
    }

    /// Whether a name is plainly that of a message: nearly every name of a folder, and each is asked.
    fn is_ordinary(&self, name: &[u8]) -> bool {
        let stem = name.strip_suffix(self.endings.plain.as_bytes()).unwrap_or_default();
        // Dot files, `#x#`, READMEs and MANIFEST.md begin otherwise; copies of a conflict have an `f`.
        stem.first().is_some_and(|first| first.is_ascii_digit() || matches!(first, b'a'..=b'q' | b's'..=b'z'))
            && (find::first_of([b'f', b'F'], stem).is_none() || !holds(&stem.to_ascii_lowercase(), b"onflict"))
    }

    /// What a path in such a folder stands for.
    pub fn entry(&self, path: &Path) -> Option<Entry> {
        let (folder, name) = (path.parent()?, path.file_name()?);
        let NameKind::Message { state } = self.of(name.as_encoded_bytes()) else { return None };
        let file = path.symlink_metadata().map_or(FileKind::Regular, |meta| file_kind(meta.file_type()));
        Some(Entry {
            folder: Arc::from(folder),
            name: name.to_owned(),
            archived: self.archived,
            file,
            node: None,
            state,
            shares_id: false,
        })
    }

    /// Sorts what lies in a folder into messages, leftovers and folders, which are given back. No file is
    /// opened or asked for its state: with 100,000 messages each call would show.
    ///
    /// # Errors
    /// The folder can't be opened, or is none.
    pub fn sort(&self, out: &mut Listing, folder: &Path, wanted: Beginning<'_>) -> io::Result<Vec<OsString>> {
        let shared: Arc<Path> = Arc::from(folder);
        // Asked before the first name is read.
        let before = changed(folder);
        let mut folders = Vec::new();
        folder::each(folder, wanted, |named| {
            let Named { name, file, node } = match named {
                Ok(named) => named,
                Err(error) => return out.problems.push((folder.to_owned(), error)),
            };
            let kind = self.of(name.as_encoded_bytes());
            let Some(file) = file else {
                if matches!(kind, NameKind::Message { .. }) {
                    out.leftovers.push((shared.join(name), "a folder with the name of a message"));
                } else if !name.as_encoded_bytes().starts_with(b".") {
                    folders.push(name.to_owned());
                }
                return;
            };
            match kind {
                NameKind::Message { state } => out.entries.push(Entry {
                    folder: Arc::clone(&shared),
                    name: name.to_owned(),
                    archived: self.archived,
                    file,
                    node,
                    state,
                    shares_id: false,
                }),
                NameKind::Lost(why) => out.leftovers.push((shared.join(name), why)),
                // A link of any other name may well be a folder's.
                NameKind::Other(why) if file == FileKind::Regular || shared.join(name).is_file() => {
                    out.leftovers.push((shared.join(name), why));
                }
                NameKind::Other(_) | NameKind::Known => {}
            }
        })?;
        out.folders.push((shared, before));
        Ok(folders)
    }

    /// [`Kind::sort`] for a folder that need not be there. Gives the folders in it.
    pub fn sort_if_there(&self, out: &mut Listing, folder: &Path, wanted: Beginning<'_>) -> Vec<OsString> {
        match self.sort(out, folder, wanted) {
            Ok(folders) => folders,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !is_dangling(folder) => Vec::new(),
            Err(error) => {
                out.problems.push((folder.to_owned(), error));
                Vec::new()
            }
        }
    }

    /// An archive, and one level of folders in it: people sort archives by year or month.
    pub fn sort_archive(&self, out: &mut Listing, archive: &Path, wanted: Beginning<'_>) {
        for folder in self.sort_if_there(out, archive, wanted) {
            self.sort_if_there(out, &archive.join(folder), wanted);
        }
    }
}

/// When something was last added to a folder, renamed in it or taken out of it.
pub fn changed(folder: &Path) -> Option<SystemTime> {
    fs::metadata(folder).and_then(|facts| facts.modified()).ok()
}

/// Dot files are never mail. Those that stand for a message are named to the doctor.
fn hidden(lower: &[u8], is_message: bool) -> NameKind {
    let ends = |end: &str| lower.ends_with(end.as_bytes());
    if lower.starts_with(b".postroom-") || lower.starts_with(b".syncthing.") || ends(".tmp") {
        return NameKind::Lost("an unfinished write");
    }
    if ends(".icloud") {
        return NameKind::Lost("a message that iCloud has not fetched yet");
    }
    if ends(".swp") || ends(".swo") || lower.starts_with(b".#") {
        return NameKind::Lost("an editor has it open, or was ended in the middle");
    }
    if is_message {
        return NameKind::Lost("hidden: a name that starts with a dot is no message");
    }
    NameKind::Known
}

fn holds(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|w| w == part)
}

/// What a directory entry is.
pub(super) fn file_kind(kind: FileType) -> FileKind {
    if kind.is_file() {
        FileKind::Regular
    } else if kind.is_symlink() {
        FileKind::Link
    } else {
        FileKind::Special
    }
}

/// Whether a path is a link to nothing.
pub(super) fn is_dangling(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|m| m.is_symlink()) && fs::metadata(path).is_err()
}

/// The folder `below` in a tool's own folder such as `.soma`, if it is there. A link to a folder is
/// one as well.
///
/// One system call where there is nothing, which is the case at most levels.
///
/// # Errors
/// What could not be looked into, and why.
pub(super) fn folder_in(dot: &Path, below: &str) -> Result<Option<PathBuf>, (PathBuf, io::Error)> {
    if let Err(error) = dot.symlink_metadata() {
        return match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
            io::ErrorKind::PermissionDenied => Err((dot.parent().unwrap_or(dot).to_owned(), error)),
            _ => Err((dot.to_owned(), error)),
        };
    }
    let folder = dot.join(below);
    match fs::metadata(&folder) {
        Ok(meta) => Ok(meta.is_dir().then_some(folder)),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(None),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err((folder, error)),
        // Nothing there – or a link to nothing, behind which there may be mail on another day.
        Err(error) => match [folder.as_path(), dot].into_iter().find(|p| is_dangling(p)) {
            Some(link) => Err((link.to_owned(), error)),
            None => Ok(None),
        },
    }
}

/// The visible folders in a folder, links to folders among them, by name.
///
/// # Errors
/// It can't be read.
pub(super) fn subfolders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let is_folder = kind.is_dir() || (kind.is_symlink() && entry.path().is_dir());
        if is_folder && !entry.file_name().as_encoded_bytes().starts_with(b".") {
            out.push(entry.path());
        }
    }
    out.sort();
    Ok(out)
}

/// The plan to move a message's file into a folder, under `name`.
pub(super) fn moving(inbox: &Path, from: &Path, folder: &Path, name: &OsStr, expect: Stamp) -> EditPlan {
    let op = FileOp::Move { from: from.to_owned(), to: folder.join(name), expect };
    EditPlan { inbox: inbox.to_owned(), ops: vec![op] }
}

/// The name of a message's file.
///
/// # Errors
/// Its path has none.
pub(super) fn name_of(path: &Path) -> Result<&OsStr, Refusal> {
    path.file_name().ok_or_else(|| Refusal::new("no-name", "its path has no file name"))
}
