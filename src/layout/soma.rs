//! Layout `soma`: Markdown files in one folder, the status in their headers, `_archive/` beside them.
//!
//! The form of `.soma/inbox/` and `.claude/inbox/`, and of any folder that somebody names and that
//! has no other form. Here is where its inboxes lie and which of their files are messages.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::{self, FileType, ReadDir};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::markdown::{self, NoStatus};
use super::{Change, Context, Entry, FileKind, Head, Layout, Listing, Need, Probe, Spot, Which};
use crate::model::inbox::{Capabilities, Inbox, LayoutId};
use crate::model::message::Message;
use crate::model::name::AgentName;
use crate::model::plan::{EditPlan, FileOp, Refusal};
use crate::model::status::Status;

/// The folders that hold an `inbox`, each with the agent that reads it.
const PLACES: [(&str, &str); 2] = [(".soma", "soma"), (".claude", "claude")];

/// The archive folder's name, and the spellings of it that an archive may have already. Not every
/// mixture of letters: looking for those would mean to read the whole inbox for each message moved.
const ARCHIVES: [&str; 3] = ["_archive", "_Archive", "_ARCHIVE"];

/// The layout.
pub struct Soma;

impl Layout for Soma {
    fn id(&self) -> LayoutId {
        LayoutId::Soma
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { mark: true, send: true, archive: true, why_not: "" }
    }

    fn probe(&self, level: &Path) -> Probe {
        probe(level)
    }

    fn recognise(&self, path: &Path) -> Option<Spot> {
        recognise(path)
    }

    fn list(&self, inbox: &Inbox, which: Which) -> io::Result<Listing> {
        match which {
            Which::Live => list_live(&inbox.path),
            Which::Archived => Ok(list_archived(&inbox.path)),
        }
    }

    fn entry(&self, inbox: &Inbox, path: &Path) -> Option<Entry> {
        entry(&inbox.path, path)
    }

    fn parse(&self, context: &Context<'_>, entry: &Entry, head: Head<'_>, out: &mut Vec<Message>) -> Result<(), Need> {
        markdown::parse(context, entry, head, NoStatus::Warn, out)
    }

    fn body<'a>(&self, _: &Message, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        Cow::Borrowed(markdown::body_of(bytes))
    }

    fn plan(&self, context: &Context<'_>, change: &Change<'_>) -> Result<EditPlan, Refusal> {
        let inbox = &context.inbox.path;
        let moved = |from: &Path, folder: &Path, expect| {
            let name = from.file_name().ok_or_else(|| Refusal::new("no-name", "its path has no file name"))?;
            let op = FileOp::Move { from: from.to_owned(), to: folder.join(name), expect };
            Ok(EditPlan { inbox: inbox.clone(), ops: vec![op] })
        };
        match change {
            Change::Status { source, to, .. } => markdown::plan_status(context, source, *to),
            Change::Archive { message, stamp } => moved(&message.path, &archive_folder(inbox), *stamp),
            Change::Restore { message, stamp } => moved(&message.path, inbox, *stamp),
            Change::Deliver { letter, .. } => {
                let path = inbox.join(markdown::file_name(letter));
                let bytes = markdown::compose(letter, &letter.day).into_bytes();
                Ok(EditPlan { inbox: inbox.clone(), ops: vec![FileOp::Create { path, bytes, staging: None }] })
            }
        }
    }
}

/// The folder that messages of an inbox are archived in: `_archive`, or the one that is there under
/// another spelling. It need not exist yet.
pub fn archive_folder(inbox: &Path) -> PathBuf {
    ARCHIVES
        .iter()
        .map(|name| inbox.join(name))
        .find(|folder| folder.symlink_metadata().is_ok())
        .unwrap_or_else(|| inbox.join("_archive"))
}

/// Whether a file's name makes it a message of this layout: `*.md`, `*.md.read`, in any letter case.
pub fn is_message_name(name: &OsStr) -> bool {
    matches!(kind_of_name(name.as_encoded_bytes()), NameKind::Message { .. })
}

fn probe(level: &Path) -> Probe {
    let mut found = Probe::default();
    for (dot, owner) in PLACES {
        match inbox_in(&level.join(dot)) {
            Ok(None) => {}
            Ok(Some(path)) => {
                if let Ok(owner) = AgentName::parse(owner) {
                    found.spots.push(Spot { path, owner, project: level.to_owned() });
                }
            }
            Err(problem) => {
                found.problems.push(problem);
                // The level itself is closed: what holds for one place holds for the others.
                if found.problems.iter().any(|(path, _)| path == level) {
                    break;
                }
            }
        }
    }
    found
}

/// The `inbox` of a `.soma` or `.claude`, if there is one. A link to a folder is one as well.
///
/// One system call where there is nothing, which is the case at most levels.
fn inbox_in(dot: &Path) -> Result<Option<PathBuf>, (PathBuf, io::Error)> {
    if let Err(error) = dot.symlink_metadata() {
        return match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
            io::ErrorKind::PermissionDenied => Err((dot.parent().unwrap_or(dot).to_owned(), error)),
            _ => Err((dot.to_owned(), error)),
        };
    }
    let inbox = dot.join("inbox");
    match fs::metadata(&inbox) {
        Ok(meta) => Ok(meta.is_dir().then_some(inbox)),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(None),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err((inbox, error)),
        // Nothing there – or a link to nothing, behind which there may be mail on another day.
        Err(error) => match [inbox.as_path(), dot].into_iter().find(|p| is_dangling(p)) {
            Some(link) => Err((link.to_owned(), error)),
            None => Ok(None),
        },
    }
}

fn is_dangling(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|m| m.is_symlink()) && fs::metadata(path).is_err()
}

fn recognise(path: &Path) -> Option<Spot> {
    // A folder in the archive stands for the inbox around it.
    let path =
        path.ancestors().take(2).find(|p| p.file_name().is_some_and(is_archive_name)).and_then(Path::parent).unwrap_or(path);
    for (dot, owner) in PLACES {
        if path.file_name() == Some(OsStr::new(dot))
            && let Ok(Some(inbox)) = inbox_in(path)
        {
            return Some(Spot { path: inbox, owner: AgentName::parse(owner).ok()?, project: path.parent()?.to_owned() });
        }
    }
    if !fs::metadata(path).ok()?.is_dir() {
        return None;
    }
    spot_by_place(path)
}

/// Whose inbox a folder is, and of which project, going by its path alone.
///
/// `X/.soma/inbox` is `soma`'s and `X/.claude/inbox` `claude`'s, in project X. Any other `…/wren/inbox`
/// is `wren`'s; any other folder bears its reader's name. The project is then the folder around it.
fn spot_by_place(path: &Path) -> Option<Spot> {
    let parent = path.parent().unwrap_or(path);
    let is_inbox = path.file_name().is_some_and(|n| n.eq_ignore_ascii_case("inbox"));
    for (dot, owner) in PLACES {
        if is_inbox
            && parent.file_name() == Some(OsStr::new(dot))
            && let (Ok(owner), Some(project)) = (AgentName::parse(owner), parent.parent())
        {
            return Some(Spot { path: path.to_owned(), owner, project: project.to_owned() });
        }
    }
    // A folder's name may be none for an agent (`-x`, 200 letters): then the next one around it.
    let named = if is_inbox { parent } else { path };
    let owner = named.ancestors().filter_map(Path::file_name).find_map(|n| AgentName::parse(&n.to_string_lossy()).ok());
    let owner = owner.or_else(|| AgentName::parse("inbox").ok())?;
    Some(Spot { path: path.to_owned(), owner, project: parent.to_owned() })
}

/// What a path stands for in an inbox: a message in it, in its archive, or in a folder of that.
fn entry(inbox: &Path, path: &Path) -> Option<Entry> {
    let (folder, name) = (path.parent()?, path.file_name()?);
    let is_archive = |f: &Path| f.parent() == Some(inbox) && f.file_name().is_some_and(is_archive_name);
    let archived = is_archive(folder) || folder.parent().is_some_and(is_archive);
    if !archived && folder != inbox {
        return None;
    }
    let NameKind::Message { state } = kind_of_name(name.as_encoded_bytes()) else { return None };
    let file = path.symlink_metadata().map_or(FileKind::Regular, |meta| file_kind(meta.file_type()));
    Some(Entry { folder: Arc::from(folder), name: name.to_owned(), archived, file, state })
}

fn is_archive_name(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case("_archive")
}

fn list_live(inbox: &Path) -> io::Result<Listing> {
    let mut out = Listing::default();
    read_into(&mut out, fs::read_dir(inbox)?, inbox, false, &mut Vec::new());
    Ok(out)
}

/// The archive, and one level of folders in it: people sort archives by year or month.
///
/// Where the disk tells letter case apart and both `_archive` and `_Archive` are there, both are
/// read: no message is out of reach because of its folder's spelling.
fn list_archived(inbox: &Path) -> Listing {
    let mut out = Listing::default();
    let mut seen = Vec::new();
    for archive in ARCHIVES.iter().map(|name| inbox.join(name)) {
        let Some(identity) = identity(&archive) else {
            if let Err(error) = archive.symlink_metadata().and_then(|_| fs::metadata(&archive))
                && (error.kind() != io::ErrorKind::NotFound || is_dangling(&archive))
            {
                out.problems.push((archive, error));
            }
            continue;
        };
        if seen.contains(&identity) {
            continue;
        }
        seen.push(identity);
        let mut folders = Vec::new();
        read_folder(&mut out, &archive, &mut folders);
        for folder in folders {
            read_folder(&mut out, &archive.join(folder), &mut Vec::new());
        }
    }
    out
}

fn read_folder(out: &mut Listing, folder: &Path, folders: &mut Vec<OsString>) {
    match fs::read_dir(folder) {
        Ok(entries) => read_into(out, entries, folder, true, folders),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => out.problems.push((folder.to_owned(), error)),
    }
}

/// Sorts what lies in a folder into messages, leftovers and folders. No file is opened or asked for
/// its state: with 100,000 messages each call would show.
fn read_into(out: &mut Listing, entries: ReadDir, folder: &Path, archived: bool, folders: &mut Vec<OsString>) {
    let shared: Arc<Path> = Arc::from(folder);
    for entry in entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                out.problems.push((folder.to_owned(), error));
                continue;
            }
        };
        let name = entry.file_name();
        let kind = kind_of_name(name.as_encoded_bytes());
        let file_type = entry.file_type();
        if file_type.as_ref().is_ok_and(FileType::is_dir) {
            if let Some(why) = odd_folder(&name, kind) {
                out.leftovers.push((shared.join(&name), why));
            } else if !name.as_encoded_bytes().starts_with(b".") {
                folders.push(name);
            }
            continue;
        }
        // What can't be told is taken for a file: reading it will name what is wrong.
        let file = file_type.map_or(FileKind::Regular, file_kind);
        match kind {
            NameKind::Message { state } => {
                out.entries.push(Entry { folder: Arc::clone(&shared), name, archived, file, state });
            }
            NameKind::Lost(why) => out.leftovers.push((shared.join(&name), why)),
            NameKind::Other(why) if file == FileKind::Regular || !is_archive_name(&name) => {
                out.leftovers.push((shared.join(&name), why));
            }
            NameKind::Other(_) | NameKind::Known => {}
        }
    }
}

/// Why a folder looks as if something went wrong with it.
fn odd_folder(name: &OsStr, kind: NameKind) -> Option<&'static str> {
    if matches!(kind, NameKind::Message { .. }) {
        return Some("a folder with the name of a message");
    }
    let misspelt = is_archive_name(name) && !ARCHIVES.iter().any(|a| name == *a);
    misspelt.then_some("spelt almost like the archive folder, but not read as one: rename it to _archive")
}

fn file_kind(kind: FileType) -> FileKind {
    if kind.is_file() {
        FileKind::Regular
    } else if kind.is_symlink() {
        FileKind::Link
    } else {
        FileKind::Special
    }
}

/// What a name says about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameKind {
    /// A message. The state is what the name adds (`.read`); the header's own word comes first.
    Message { state: Option<Status> },
    /// No message, and in its place: a README, a dot file.
    Known,
    /// What an editor, a synchroniser or an unfinished write left behind, with the reason.
    Lost(&'static str),
    /// Anything else, with what a person should know about it.
    Other(&'static str),
}

/// Classes of DESIGN §2, "What is not a message". Compared as bytes: a name need not be UTF-8.
fn kind_of_name(name: &[u8]) -> NameKind {
    let lower = name.to_ascii_lowercase();
    let ends = |end: &str| lower.ends_with(end.as_bytes());
    let is_markdown = ends(".md") || ends(".md.read");
    if lower.starts_with(b".") {
        return hidden_name(&lower);
    }
    if lower.starts_with(b"readme") {
        let plain = matches!(lower.as_slice(), b"readme" | b"readme.md" | b"readme.txt");
        return if plain || !is_markdown {
            NameKind::Known
        } else {
            NameKind::Lost("a name that starts with README is no message")
        };
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
    if ends(".md") {
        return NameKind::Message { state: None };
    }
    if ends(".md.read") {
        return NameKind::Message { state: Some(Status::Read) };
    }
    if ends(".json") || ends(".json.read") {
        return NameKind::Other("JSON is no message here, and Soma's router deletes it from its inbox");
    }
    NameKind::Other("no message: its name does not end in .md")
}

/// Dot files are never mail. Those that stand for a message are named to the doctor.
fn hidden_name(lower: &[u8]) -> NameKind {
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
    if ends(".md") || ends(".md.read") {
        return NameKind::Lost("hidden: a name that starts with a dot is no message");
    }
    NameKind::Known
}

fn holds(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|w| w == part)
}

/// What tells two folders apart, whatever they are called; `None` where there is no folder.
#[cfg(unix)]
fn identity(folder: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(folder).ok().filter(fs::Metadata::is_dir).map(|m| (m.dev(), m.ino()))
}

/// What tells two folders apart, whatever they are called; `None` where there is no folder.
#[cfg(not(unix))]
fn identity(folder: &Path) -> Option<PathBuf> {
    fs::canonicalize(folder).ok().filter(|f| f.is_dir())
}

#[cfg(test)]
mod tests;
