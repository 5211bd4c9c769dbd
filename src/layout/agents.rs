//! Layout `agents`: `.agents/inbox/<agent>/` with `tmp/`, `new/` and `archive/`, one Markdown file a
//! message, delivered by a rename from `tmp/` into `new/`.
//!
//! The folder is the state: what lies in `new/` is unread, what lies in `archive/` is handled. A
//! status that postroom marked stands in the header and comes first; where none was marked, none is
//! missing. Other users of the form have a shell and nothing else, so what is written here reads
//! back with `awk '/^from:/{print $2}'`.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::adopt;
use super::files::{self, Kind, folder_in};
use super::markdown::{self, NoStatus};
use super::{
    Beginning, Blueprint, Change, Context, Dialect, Entry, Head, Layout, Listing, Need, Parcel, Probe, RawField, Site, Spot,
    Which, glance, unique,
};
use crate::model::date::When;
use crate::model::inbox::{Capabilities, Inbox, LayoutId};
use crate::model::letter::Letter;
use crate::model::message::{Glance, Message};
use crate::model::name::{AgentName, MessageId, Recipient};
use crate::model::plan::{EditPlan, FileOp, IfTaken, Refusal};
use crate::model::status::Status;
use crate::text::compose::{self, Entry as Item};

/// Where drafts lie until they are whole.
const DRAFTS: &str = "tmp";
/// Where messages arrive. A folder that holds it is an inbox.
const NEW: &str = "new";
/// Where handled messages go.
const ARCHIVE: &str = "archive";

const LIVE: Kind = Kind { endings: files::MARKDOWN, state: Some(Status::Unread), archived: false };
/// By this convention a message is archived once it is handled.
const ARCHIVED: Kind = Kind { state: Some(Status::Actioned), archived: true, ..LIVE };

/// How many names are tried for one message.
const MOST_NAMES: u32 = 10_000;

/// The layout.
pub struct Agents;

impl Layout for Agents {
    fn id(&self) -> LayoutId {
        LayoutId::Agents
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { mark: true, send: true, archive: true, why_not: "" }
    }

    fn probe(&self, level: &Path) -> Probe {
        let mut found = Probe::default();
        let root = match folder_in(&level.join(".agents"), "inbox") {
            Ok(Some(root)) => root,
            Ok(None) => return found,
            Err(problem) => {
                found.problems.push(problem);
                return found;
            }
        };
        match files::subfolders(&root) {
            Ok(folders) => folders.iter().for_each(|folder| look_into(&mut found, folder, level)),
            Err(error) => found.problems.push((root, error)),
        }
        found
    }

    fn recognise(&self, path: &Path) -> Option<Spot> {
        // A folder of the inbox stands for it.
        let inside = path.file_name().is_some_and(|n| [DRAFTS, NEW, ARCHIVE].iter().any(|own| n == *own));
        let inbox = [Some(path), path.parent().filter(|_| inside)].into_iter().flatten().find(|folder| is_inbox(folder))?;
        let owner = AgentName::parse(&inbox.file_name()?.to_string_lossy()).ok()?;
        let root = inbox.parent()?;
        let project = if root.ends_with(".agents/inbox") { root.ancestors().nth(2)? } else { root };
        Some(Spot { path: inbox.to_owned(), owner, project: project.to_owned() })
    }

    fn list(&self, inbox: &Inbox, which: Which, wanted: Beginning<'_>) -> io::Result<Listing> {
        let mut out = Listing::default();
        match which {
            Which::Live => {
                let new = inbox.path.join(NEW);
                LIVE.sort(&mut out, &new, wanted)?;
                lost_beside(&mut out, &inbox.path);
            }
            Which::Archived => ARCHIVED.sort_archive(&mut out, &inbox.path.join(ARCHIVE), wanted),
        }
        Ok(out)
    }

    fn id_of(&self, name: &str) -> MessageId {
        markdown::id_of(name)
    }

    fn answer_address(&self, context: &Context<'_>, message: &Message) -> Result<Option<PathBuf>, Refusal> {
        let header = &message.header;
        let Some(address) = header.reply_to.as_deref().map(str::trim).filter(|a| !a.is_empty()) else { return Ok(None) };
        let from = header.from.as_deref().unwrap_or_default().trim().trim_start_matches('@');
        answer_inbox(&context.inbox.path, address, from).map(Some)
    }

    fn entry(&self, inbox: &Inbox, path: &Path) -> Option<Entry> {
        let folder = path.parent()?;
        let archive = inbox.path.join(ARCHIVE);
        if folder == archive || folder.parent() == Some(&archive) {
            return ARCHIVED.entry(path);
        }
        (folder == inbox.path.join(NEW)).then(|| LIVE.entry(path)).flatten()
    }

    fn parse(&self, context: &Context<'_>, entry: &Entry, head: Head<'_>, out: &mut Vec<Message>) -> Result<(), Need> {
        markdown::parse(context, entry, head, NoStatus::ByPlace, out)
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
        let root = site.agents_root.map_or_else(|| site.shared.join(".agents/inbox"), Path::to_owned);
        let inbox = root.join(super::plain_name(agent)?);
        Ok(Blueprint {
            folders: [DRAFTS, NEW, ARCHIVE].map(|folder| inbox.join(folder)).to_vec(),
            readme: (root.join("README.md"), include_str!("../../templates/readme/agents.md")),
            gitignore: root.join(".gitignore"),
            inbox,
        })
    }

    fn plan(&self, context: &Context<'_>, change: &Change<'_>) -> Result<EditPlan, Refusal> {
        let inbox = &context.inbox.path;
        match change {
            Change::Status { message, source, to } => markdown::plan_status(context, message.raw_status.as_deref(), source, *to),
            Change::Archive { message, stamp, .. } => {
                Ok(files::moving(inbox, &message.path, &inbox.join(ARCHIVE), files::name_of(&message.path)?, *stamp))
            }
            Change::Restore { message, stamp } => {
                Ok(files::moving(inbox, &message.path, &inbox.join(NEW), files::name_of(&message.path)?, *stamp))
            }
            Change::Adopt { parcel } => {
                let folder = inbox.join(if parcel.message.archived { ARCHIVE } else { NEW });
                let (path, bytes) = if let Some(whole) = parcel.whole {
                    let bytes = adopt::with_references(parcel, whole, context.dialect)?;
                    (adopt::free_place(parcel, &folder, parcel.name(), &bytes), bytes)
                } else {
                    // What the folder says already needs no line.
                    let by_place = if parcel.message.archived { Status::Actioned } else { Status::Unread };
                    let status = Some(parcel.status()).filter(|status| *status != by_place);
                    let bytes = adopt::anew(parcel, "timestamp", status)?;
                    (adopted_place(parcel, &folder, &bytes), bytes)
                };
                let op = FileOp::Create { path, bytes, staging: Some(inbox.join(DRAFTS)), if_taken: IfTaken::Refuse };
                Ok(EditPlan { inbox: inbox.clone(), ops: vec![op] })
            }
            Change::Deliver { letter, recipient, sender } => {
                let bytes = write(letter, sender.and_then(|own| address_from(inbox, &own.path)).as_deref()).into_bytes();
                let path = free_path(inbox, letter, recipient)?;
                let staging = Some(inbox.join(DRAFTS));
                let op = FileOp::Create { path, bytes, staging, if_taken: IfTaken::Refuse };
                Ok(EditPlan { inbox: inbox.clone(), ops: vec![op] })
            }
        }
    }
}

/// Whether a folder is an inbox. One with a `cur/` is a mail program's Maildir.
fn is_inbox(folder: &Path) -> bool {
    folder.join(NEW).is_dir() && !folder.join("cur").is_dir()
}

/// Adds the inbox that a folder below `.agents/inbox` is, if it is one.
fn look_into(found: &mut Probe, folder: &Path, level: &Path) {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    match fs::metadata(folder.join(NEW)) {
        Ok(meta) if meta.is_dir() => match AgentName::parse(&name) {
            Ok(owner) => found.spots.push(Spot { path: folder.to_owned(), owner, project: level.to_owned() }),
            Err(error) => found.problems.push((folder.to_owned(), io::Error::new(io::ErrorKind::InvalidInput, error))),
        },
        Ok(_) => {}
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
        Err(error) => found.problems.push((folder.to_owned(), error)),
    }
}

/// Messages that lie beside `new/` instead of in it, where nobody looks.
fn lost_beside(out: &mut Listing, inbox: &Path) {
    let mut beside = Listing::default();
    LIVE.sort_if_there(&mut beside, inbox, Beginning::ANY);
    let lost = beside.entries.iter().map(|e| (e.path(), "lies beside new/, where nobody looks for mail: move it into new/"));
    out.leftovers.extend(lost);
}

/// The inbox that an address `…/<from>/tmp/` belongs to. It is relative to the inbox that holds the
/// message, and read by its text alone.
fn answer_inbox(inbox: &Path, address: &str, from: &str) -> Result<PathBuf, Refusal> {
    let refuse = |why: &str| Err(Refusal::new("bad-reply-address", format!("its reply_to {address:?} {why}; nothing was sent")));
    if address.chars().any(char::is_control) {
        return refuse("holds control characters");
    }
    let mut path = PathBuf::new();
    for part in inbox.join(address).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                path.pop();
            }
            other => path.push(other),
        }
    }
    let owner = path.parent().and_then(Path::file_name).map(OsStr::to_string_lossy);
    match owner {
        _ if path.file_name() != Some(OsStr::new(DRAFTS)) => refuse("does not end in tmp/, as the address of an inbox does"),
        Some(owner) if Recipient::parse(from).is_ok_and(|f| f.name.matches(&owner)) => {
            Ok(path.parent().unwrap_or(&path).to_owned())
        }
        _ => refuse(&format!("is not an inbox of {from:?}, who is named as the sender")),
    }
}

/// How a message in `inbox` names the drafts folder of its sender's own one: relative where both lie
/// side by side, as the convention writes it.
fn address_from(inbox: &Path, own: &Path) -> Option<String> {
    let text = if inbox.parent() == own.parent() {
        format!("../{}/{DRAFTS}/", own.file_name()?.to_str()?)
    } else {
        format!("{}/{DRAFTS}/", own.to_str()?)
    };
    (!text.chars().any(char::is_control)).then_some(text)
}

/// The text of a new message: the convention's keys first, each on its line, plain where that is
/// safe. No status: a message in `new/` is unread.
fn write(letter: &Letter, reply_to: Option<&str>) -> String {
    let instant = letter.instant();
    let mut entries = vec![("from", Item::Text(&letter.from))];
    entries.extend(markdown::one_or_list(&letter.to).map(|e| ("to", e)));
    entries.extend(reply_to.map(|address| ("reply_to", Item::Path(address))));
    entries.push(("timestamp", Item::Date(&instant)));
    entries.extend(letter.thread.as_deref().map(|t| ("thread", Item::Text(t))));
    entries.push(("type", Item::Text(&letter.kind)));
    entries.push(("priority", Item::Text(letter.priority.as_str())));
    entries.push(("subject", Item::Text(&letter.subject)));
    entries.extend(markdown::one_or_list(&letter.cc).map(|e| ("cc", e)));
    entries.extend(letter.bcc.as_deref().map(|name| ("bcc", Item::Text(name))));
    entries.extend(letter.in_reply_to.as_deref().map(|r| ("in-reply-to", Item::Text(r))));
    entries.extend(letter.origin.as_deref().map(|o| ("origin", Item::Text(o))));
    if !letter.tags.is_empty() {
        entries.push(("tags", Item::List(&letter.tags)));
    }
    markdown::with_body(compose::header(&entries), &letter.body)
}

/// The place of a message that comes from elsewhere: named by its own date, where it has one.
fn adopted_place(parcel: &Parcel<'_>, folder: &Path, bytes: &[u8]) -> PathBuf {
    let stamp = parcel.message.dated().map(|when| match when {
        When::Day(day) => format!("{}T000000Z-", day.format("%Y%m%d")),
        When::Local(time) => format!("{}Z-", time.format("%Y%m%dT%H%M%S")),
        When::Instant(instant) => format!("{}Z-", instant.format("%Y%m%dT%H%M%S")),
    });
    let slug =
        [&parcel.shown().subject, &parcel.shown().kind].into_iter().map(|text| compose::slug(text, 60)).find(|s| !s.is_empty());
    let start = format!("{}{}", stamp.unwrap_or_default(), slug.unwrap_or_else(|| "message".to_owned()));
    let mut attempt = 1;
    loop {
        let parts = [parcel.message.path.as_os_str().as_encoded_bytes(), parcel.message.id.as_str().as_bytes(), parcel.body];
        let suffix = unique::letters(unique::of(parts.into_iter(), attempt), 6);
        let path = folder.join(format!("{start}.{suffix}.md"));
        if !parcel.is_taken(&path, bytes) {
            return path;
        }
        attempt += 1;
    }
}

/// The first name for a letter that neither `new/` nor the archive has.
fn free_path(inbox: &Path, letter: &Letter, recipient: &str) -> Result<PathBuf, Refusal> {
    let slug = [&letter.subject, &letter.kind].into_iter().map(|text| compose::slug(text, 60)).find(|slug| !slug.is_empty());
    let slug = slug.unwrap_or_else(|| "message".to_owned());
    let stamp = unique::stamp(letter);
    for attempt in 1..=MOST_NAMES {
        let name = format!("{stamp}-{slug}.{}.md", unique::letters(unique::number(letter, recipient, attempt), 6));
        let [new, archived] = [NEW, ARCHIVE].map(|folder| inbox.join(folder).join(&name));
        if new.symlink_metadata().is_err() && archived.symlink_metadata().is_err() {
            return Ok(new);
        }
    }
    Err(Refusal::new("no-free-name", "no name is free for it in this second; send it again"))
}

#[cfg(test)]
mod tests;
