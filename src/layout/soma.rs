//! Layout `soma`: Markdown files in one folder, the status in their headers, `_archive/` beside them.
//!
//! The form of `.soma/inbox/` and `.claude/inbox/`, and of any folder that somebody names and that
//! has no other form. Here is where its inboxes lie and which of their files are messages.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::adopt;
use super::files::{self, Kind, NameKind, folder_in, is_dangling};
use super::markdown::{self, NoStatus};
use super::{
    Beginning, Blueprint, Change, Context, Dialect, Entry, Head, Layout, Listing, Need, Probe, RawField, Site, Spot, Which,
    glance,
};
use crate::model::inbox::{Capabilities, Inbox, LayoutId};
use crate::model::message::{Glance, Message};
use crate::model::name::{AgentName, MessageId};
use crate::model::plan::{EditPlan, FileOp, IfTaken, Refusal};

/// The folders that hold an `inbox`, each with the agent that reads it.
const PLACES: [(&str, &str); 2] = [(".soma", "soma"), (".claude", "claude")];

/// The archive folder's name, and the spellings of it that an archive may have already. Not every
/// mixture of letters: looking for those would mean to read the whole inbox for each message moved.
const ARCHIVES: [&str; 3] = ["_archive", "_Archive", "_ARCHIVE"];

/// The inbox itself.
const LIVE: Kind = Kind { endings: files::MARKDOWN, state: None, archived: false };
/// Its archive.
const ARCHIVED: Kind = Kind { archived: true, ..LIVE };

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

    fn list(&self, inbox: &Inbox, which: Which, wanted: Beginning<'_>) -> io::Result<Listing> {
        match which {
            Which::Live => list_live(&inbox.path, wanted),
            Which::Archived => Ok(list_archived(&inbox.path, wanted)),
        }
    }

    fn id_of(&self, name: &str) -> MessageId {
        markdown::id_of(name)
    }

    fn entry(&self, inbox: &Inbox, path: &Path) -> Option<Entry> {
        entry(&inbox.path, path)
    }

    fn parse(&self, context: &Context<'_>, entry: &Entry, head: Head<'_>, out: &mut Vec<Message>) -> Result<(), Need> {
        markdown::parse(context, entry, head, NoStatus::Warn, out)
    }

    fn glance<'m>(&self, context: &Context<'_>, entry: &'m Entry, head: Head<'m>) -> Option<Glance<'m>> {
        glance::of(context, entry, head)
    }

    fn body<'a>(&self, _: &Message, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        Cow::Borrowed(markdown::body_of(bytes))
    }

    fn raw_fields(&self, dialect: &Dialect, _: &Message, bytes: &[u8]) -> Vec<RawField> {
        markdown::raw_fields(dialect, bytes)
    }

    fn blueprint(&self, site: &Site<'_>, agent: Option<&AgentName>) -> Result<Blueprint, Refusal> {
        let wanted = agent.map_or(PLACES[0].1, AgentName::as_str);
        let Some((dot, _)) = PLACES.iter().find(|(_, owner)| agent.is_none_or(|a| a.matches(owner))) else {
            let text = format!("an inbox of this form is soma's or claude's by its place, not {wanted}'s");
            return Err(Refusal::new("bad-agent-name", text));
        };
        let inbox = site.project.join(dot).join("inbox");
        Ok(Blueprint {
            folders: vec![inbox.clone()],
            readme: (inbox.join("README.md"), include_str!("../../templates/readme/soma.md")),
            gitignore: inbox.join(".gitignore"),
            inbox,
        })
    }

    fn plan(&self, context: &Context<'_>, change: &Change<'_>) -> Result<EditPlan, Refusal> {
        let inbox = &context.inbox.path;
        match change {
            Change::Status { message, source, to } => markdown::plan_status(context, message.raw_status.as_deref(), source, *to),
            Change::Archive { message, stamp, archive } => {
                let folder = archive.get_or_init(|| archive_folder(inbox));
                Ok(files::moving(inbox, &message.path, folder, files::name_of(&message.path)?, *stamp))
            }
            Change::Restore { message, stamp } => {
                Ok(files::moving(inbox, &message.path, inbox, files::name_of(&message.path)?, *stamp))
            }
            Change::Adopt { parcel } => {
                let folder = if parcel.message.archived { archive_folder(inbox) } else { inbox.clone() };
                let (name, bytes) = match parcel.whole {
                    Some(whole) => (parcel.name().to_owned(), adopt::with_references(parcel, whole, context.dialect)?),
                    None => (markdown::file_name_for(parcel).into(), adopt::anew(parcel, "date", Some(parcel.status()))?),
                };
                let path = adopt::free_place(parcel, &folder, &name, &bytes);
                Ok(EditPlan {
                    inbox: inbox.clone(),
                    ops: vec![FileOp::Create { path, bytes, staging: None, if_taken: IfTaken::Refuse }],
                })
            }
            Change::Deliver { letter, .. } => {
                let path = inbox.join(markdown::file_name(letter));
                let bytes = markdown::compose(letter, &letter.day()).into_bytes();
                Ok(EditPlan {
                    inbox: inbox.clone(),
                    ops: vec![FileOp::Create { path, bytes, staging: None, if_taken: IfTaken::Number(archives(inbox)) }],
                })
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

/// The folders in which archived messages of an inbox lie: its archive, and those in it.
fn archives(inbox: &Path) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = ARCHIVES.iter().map(|name| inbox.join(name)).filter(|folder| folder.is_dir()).collect();
    let inside: Vec<PathBuf> = out.iter().flat_map(|folder| files::subfolders(folder).unwrap_or_default()).collect();
    out.extend(inside);
    out
}

/// Whether a path is one of the places that are Soma's by their name, whatever lies there.
pub fn is_known_place(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    path.file_name() == Some(OsStr::new("inbox")) && PLACES.iter().any(|(dot, _)| folder == Some(OsStr::new(dot)))
}

/// Whether a file's name makes it a message of this layout: `*.md`, `*.md.read`, in any letter case.
pub fn is_message_name(name: &OsStr) -> bool {
    matches!(LIVE.of(name.as_encoded_bytes()), NameKind::Message { .. })
}

fn probe(level: &Path) -> Probe {
    let mut found = Probe::default();
    for (dot, owner) in PLACES {
        match folder_in(&level.join(dot), "inbox") {
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

fn recognise(path: &Path) -> Option<Spot> {
    // A folder in the archive stands for the inbox around it.
    let path =
        path.ancestors().take(2).find(|p| p.file_name().is_some_and(is_archive_name)).and_then(Path::parent).unwrap_or(path);
    for (dot, owner) in PLACES {
        if path.file_name() == Some(OsStr::new(dot))
            && let Ok(Some(inbox)) = folder_in(path, "inbox")
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
    let folder = path.parent()?;
    let is_archive = |f: &Path| f.parent() == Some(inbox) && f.file_name().is_some_and(is_archive_name);
    if is_archive(folder) || folder.parent().is_some_and(is_archive) {
        return ARCHIVED.entry(path);
    }
    (folder == inbox).then(|| LIVE.entry(path)).flatten()
}

fn is_archive_name(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case("_archive")
}

fn list_live(inbox: &Path, wanted: Beginning<'_>) -> io::Result<Listing> {
    let mut out = Listing::default();
    let folders = LIVE.sort(&mut out, inbox, wanted)?;
    let why = "spelt almost like the archive folder, but not read as one: rename it to _archive";
    let misspelt = |name: &OsStr| is_archive_name(name) && !ARCHIVES.iter().any(|a| name == *a);
    out.leftovers.extend(folders.into_iter().filter(|name| misspelt(name)).map(|name| (inbox.join(name), why)));
    Ok(out)
}

/// The archive, and one level of folders in it.
///
/// Where the disk tells letter case apart and both `_archive` and `_Archive` are there, both are
/// read: no message is out of reach because of its folder's spelling.
fn list_archived(inbox: &Path, wanted: Beginning<'_>) -> Listing {
    let mut out = Listing::default();
    let mut seen = Vec::new();
    for archive in ARCHIVES.iter().map(|name| inbox.join(name)) {
        match identity(&archive) {
            Some(identity) if seen.contains(&identity) => {}
            Some(identity) => {
                seen.push(identity);
                ARCHIVED.sort_archive(&mut out, &archive, wanted);
            }
            None => {
                if let Err(error) = archive.symlink_metadata().and_then(|_| fs::metadata(&archive))
                    && (error.kind() != io::ErrorKind::NotFound || is_dangling(&archive))
                    // What closes one spelling closes them all.
                    && !out.problems.iter().any(|(_, told)| told.kind() == error.kind())
                {
                    out.problems.push((archive, error));
                }
            }
        }
    }
    out
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
