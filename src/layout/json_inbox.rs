//! Layout `json`: one JSON file a message, the state in its name.
//!
//! The form of `.workspace/agents/<agent>/inbox/`, of `.team/agents/<agent>/inbox/`, and of folders
//! that look like them. `x.json` is unread; `x.json.read`, and whatever lies in `processed/`, is at
//! least read. What comes after that has no name, so it stands in a `status` member; the later of the
//! two counts. `archive/` lies beside.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::files::{self, Endings, Kind, NameKind, folder_in};
use super::{
    Beginning, Blueprint, Change, Context, Dialect, Entry, Head, Layout, Listing, Need, Probe, RawField, Site, Spot, Which, soma,
};
use crate::model::inbox::{Capabilities, Inbox, LayoutId};
use crate::model::message::{Glance, Message};
use crate::model::name::{AgentName, MessageId};
use crate::model::plan::{EditPlan, FileOp, Refusal};
use crate::model::status::Status;
use crate::text::file_name::LONGEST;

mod envelope;
mod letter;
mod look;

pub(super) use envelope::{count_date, raw_field};

/// The folders in which teams keep their agents.
const PLACES: [&str; 2] = [".workspace", ".team"];
/// Where some tools put what they have read.
const PROCESSED: &str = "processed";
/// Where archived messages go.
const ARCHIVE: &str = "archive";
/// What the name of a message that was read ends in.
const READ: &str = ".read";

/// How many names of a folder are looked at to tell what form it has.
const MOST_LOOKED_AT: usize = 500;

const ENDINGS: Endings = Endings { plain: ".json", read: ".json.read", other: |_| "no message: its name does not end in .json" };

const LIVE: Kind = Kind { endings: ENDINGS, state: None, archived: false };
const SEEN: Kind = Kind { state: Some(Status::Read), ..LIVE };
const ARCHIVED: Kind = Kind { archived: true, ..LIVE };

/// The layout.
pub struct JsonInbox;

impl Layout for JsonInbox {
    fn id(&self) -> LayoutId {
        LayoutId::Json
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { mark: true, send: true, archive: true, why_not: "" }
    }

    fn probe(&self, level: &Path) -> Probe {
        let mut found = Probe::default();
        for place in PLACES {
            match folder_in(&level.join(place), "agents") {
                Ok(Some(agents)) => match files::subfolders(&agents) {
                    Ok(folders) => folders.iter().for_each(|folder| look_into(&mut found, folder, level)),
                    Err(error) => found.problems.push((agents, error)),
                },
                Ok(None) => {}
                Err(problem) => found.problems.push(problem),
            }
        }
        found
    }

    fn recognise(&self, path: &Path) -> Option<Spot> {
        recognise(path)
    }

    fn list(&self, inbox: &Inbox, which: Which, wanted: Beginning<'_>) -> io::Result<Listing> {
        let mut out = Listing::default();
        match which {
            Which::Live => {
                LIVE.sort(&mut out, &inbox.path, wanted)?;
                SEEN.sort_if_there(&mut out, &inbox.path.join(PROCESSED), wanted);
                tell_apart(&mut out.entries);
            }
            Which::Archived => ARCHIVED.sort_archive(&mut out, &inbox.path.join(ARCHIVE), wanted),
        }
        Ok(out)
    }

    fn id_of(&self, name: &str) -> MessageId {
        MessageId::of(id_in(name))
    }

    fn has_ids_inside(&self) -> bool {
        true
    }

    fn reference_id<'m>(&self, message: &'m Message) -> Option<&'m str> {
        Some(message.header.id.as_deref().unwrap_or(message.id.as_str()))
    }

    fn entry(&self, inbox: &Inbox, path: &Path) -> Option<Entry> {
        let folder = path.parent()?;
        let archive = inbox.path.join(ARCHIVE);
        if folder == archive || folder.parent() == Some(&archive) {
            return ARCHIVED.entry(path);
        }
        let kind = if folder == inbox.path.join(PROCESSED) { SEEN } else { LIVE };
        let entry = kind.entry(path).filter(|_| kind.state.is_some() || folder == inbox.path)?;
        Some(Entry { shares_id: has_twin(&inbox.path, path), ..entry })
    }

    fn parse(&self, context: &Context<'_>, entry: &Entry, head: Head<'_>, out: &mut Vec<Message>) -> Result<(), Need> {
        out.push(envelope::read(context, entry, head)?);
        Ok(())
    }

    fn glance<'m>(&self, context: &Context<'_>, entry: &'m Entry, head: Head<'m>) -> Option<Glance<'m>> {
        look::of(context, entry, head)
    }

    fn body<'a>(&self, _: &Message, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        envelope::body(bytes)
    }

    fn raw_fields(&self, dialect: &Dialect, _: &Message, bytes: &[u8]) -> Vec<RawField> {
        envelope::raw_fields(dialect, bytes)
    }

    fn blueprint(&self, site: &Site<'_>, agent: Option<&AgentName>) -> Result<Blueprint, Refusal> {
        // Beside the agents that are there already.
        let place = PLACES.iter().find(|place| site.project.join(place).join("agents").is_dir()).unwrap_or(&PLACES[0]);
        let inbox = site.project.join(place).join("agents").join(super::plain_name(agent)?).join("inbox");
        Ok(Blueprint {
            folders: vec![inbox.clone(), inbox.join(ARCHIVE)],
            readme: (inbox.join("README.md"), include_str!("../../templates/readme/json.md")),
            gitignore: inbox.join(".gitignore"),
            inbox,
        })
    }

    fn plan(&self, context: &Context<'_>, change: &Change<'_>) -> Result<EditPlan, Refusal> {
        let inbox = &context.inbox.path;
        match change {
            Change::Status { message, source, to } => {
                let mut ops = Vec::new();
                if let Some(after) = envelope::with_status(context, &source.bytes, *to)? {
                    ops.push(FileOp::Replace { path: source.path.clone(), before: source.bytes.clone(), after });
                }
                let from = &message.path;
                let to = named_for(inbox, from, *to)?;
                if to != *from {
                    ops.push(FileOp::Move { from: from.clone(), to, expect: source.stamp });
                }
                Ok(EditPlan { inbox: inbox.clone(), ops })
            }
            Change::Archive { message, stamp, .. } => {
                let name = settled(context, message)?;
                Ok(files::moving(inbox, &message.path, &inbox.join(ARCHIVE), &name, *stamp))
            }
            Change::Restore { message, stamp } => {
                let name = settled(context, message)?;
                Ok(files::moving(inbox, &message.path, inbox, &name, *stamp))
            }
            Change::Adopt { parcel } => {
                Ok(EditPlan { inbox: inbox.clone(), ops: vec![letter::adopt(inbox, parcel, context.dialect)?] })
            }
            Change::Deliver { letter, recipient, .. } => {
                Ok(EditPlan { inbox: inbox.clone(), ops: vec![letter::deliver(inbox, letter, recipient)?] })
            }
        }
    }
}

/// Marks the live files that have one id: `x.json` beside `x.json.read` or `processed/x.json`. One
/// message goes through these names, but several may bear them at once.
fn tell_apart(entries: &mut [Entry]) {
    let ids: Vec<String> = entries.iter().map(|e| JsonInbox.id_of(&e.name.to_string_lossy()).to_string()).collect();
    let mut seen: HashMap<&str, usize> = HashMap::with_capacity(ids.len());
    for (at, id) in ids.iter().enumerate() {
        if let Some(first) = seen.insert(id, at) {
            for twin in [first, at] {
                if let Some(entry) = entries.get_mut(twin) {
                    entry.shares_id = true;
                }
            }
        }
    }
}

/// The same for one file, by the names that a message of its id may have.
fn has_twin(inbox: &Path, path: &Path) -> bool {
    let name = unread_name(path.file_name().unwrap_or_default());
    let read = read_name(&name);
    let places = [inbox.to_owned(), inbox.join(PROCESSED)];
    let mut files = places.iter().flat_map(|folder| [&name, &read].map(|name| folder.join(name)));
    files.any(|file| file != path && file.is_file())
}

/// Adds the inbox of an agent's folder, if it has one.
fn look_into(found: &mut Probe, agent: &Path, level: &Path) {
    let name = agent.file_name().unwrap_or_default().to_string_lossy();
    match folder_in(agent, "inbox") {
        Ok(Some(path)) => match AgentName::parse(&name) {
            Ok(owner) => found.spots.push(Spot { path, owner, project: level.to_owned() }),
            Err(error) => found.problems.push((path, io::Error::new(io::ErrorKind::InvalidInput, error))),
        },
        Ok(None) => {}
        Err(problem) => found.problems.push(problem),
    }
}

fn recognise(path: &Path) -> Option<Spot> {
    let inside = path.file_name().is_some_and(|n| n == PROCESSED || n == ARCHIVE);
    let path = path.parent().filter(|parent| inside && (at_known_place(parent) || looks_alike(parent))).unwrap_or(path);
    if !path.is_dir() || soma::is_known_place(path) || !(at_known_place(path) || looks_alike(path)) {
        return None;
    }
    let is_inbox = path.file_name().is_some_and(|n| n.eq_ignore_ascii_case("inbox"));
    let agent = if is_inbox { path.parent()? } else { path };
    let owner = AgentName::parse(&agent.file_name()?.to_string_lossy()).ok()?;
    let project = if at_known_place(path) { path.ancestors().nth(4)? } else { path.parent()? };
    Some(Spot { path: path.to_owned(), owner, project: project.to_owned() })
}

/// Whether a path ends in `.workspace/agents/NAME/inbox`, or in `.team/…`.
fn at_known_place(path: &Path) -> bool {
    let mut parts = path.iter().rev();
    parts.next() == Some(OsStr::new("inbox"))
        && parts.next().is_some()
        && parts.next() == Some(OsStr::new("agents"))
        && parts.next().is_some_and(|place| PLACES.iter().any(|p| place == *p))
}

/// Whether a file's name makes it a message of this layout: `*.json`, `*.json.read`, in any letter case.
pub fn is_message_name(name: &OsStr) -> bool {
    matches!(LIVE.of(name.as_encoded_bytes()), NameKind::Message { .. })
}

/// Whether a folder holds JSON messages and no Markdown. A folder with any JSON in it is not enough:
/// most projects have some at their top.
fn looks_alike(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    let is_host = folder.file_name() == Some(OsStr::new("inboxes"));
    let mut telling = folder.file_name().is_some_and(|n| n.eq_ignore_ascii_case("inbox"));
    let mut any = false;
    for entry in entries.take(MOST_LOOKED_AT).filter_map(Result::ok) {
        let name = entry.file_name();
        if soma::is_message_name(&name) {
            return false;
        }
        let is_message = is_message_name(&name);
        any |= is_message;
        telling |= name == PROCESSED || (is_message && (is_read(&name) || name.as_encoded_bytes().starts_with(b"msg-")));
    }
    any && telling && !is_host
}

/// The path of a live message once it has a status: its name says whether it is unread.
fn named_for(inbox: &Path, path: &Path, status: Status) -> Result<PathBuf, Refusal> {
    let name = files::name_of(path)?;
    let processed = path.parent() == Some(&inbox.join(PROCESSED));
    Ok(match (status, is_read(name)) {
        (Status::Unread, _) => inbox.join(unread_name(name)),
        (_, false) if !processed => {
            let name = read_name(name);
            if name.len() > LONGEST {
                // Before anything is written: else the word would stand, and the name not.
                let text = format!(
                    "its name can't say that it is read: with {READ} it would be longer than {LONGEST} bytes; give it a shorter one"
                );
                return Err(Refusal::new("name-too-long", text));
            }
            path.with_file_name(name)
        }
        _ => path.to_owned(),
    })
}

/// The name under which a message keeps its status wherever it is moved: what a folder said of it,
/// the name has to say there.
fn settled(context: &Context<'_>, message: &Message) -> Result<OsString, Refusal> {
    files::name_of(&message.path).map(|_| settled_name(message, context.dialect))
}

fn settled_name(message: &Message, dialect: &Dialect) -> OsString {
    let name = message.path.file_name().unwrap_or_default();
    let member = message.raw_status.as_deref().and_then(|word| dialect.words.read(word));
    let seen = message.status >= Status::Read && member < Some(Status::Read);
    if seen && !is_read(name) { read_name(name) } else { name.to_owned() }
}

fn is_read(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    bytes
        .len()
        .checked_sub(READ.len())
        .and_then(|at| bytes.get(at..))
        .is_some_and(|end| end.eq_ignore_ascii_case(READ.as_bytes()))
}

fn read_name(name: &OsStr) -> OsString {
    let mut name = name.to_owned();
    name.push(READ);
    name
}

/// A name without `.read`. One that is no text stays as it is: then it can't be told apart, and the
/// move is none.
fn unread_name(name: &OsStr) -> OsString {
    match name.to_str() {
        Some(text) => without(text, READ).into(),
        None => name.to_owned(),
    }
}

/// What a file's name says besides a message's state: its id.
fn id_in(name: &str) -> &str {
    // `x.JSON` is another file than `x.json`, whatever state either is in.
    let rest = without(name, READ);
    match rest.strip_suffix(".json") {
        Some("") => name,
        Some(stem) => stem,
        None => rest,
    }
}

/// A text without an ending, in any letter case.
fn without<'a>(text: &'a str, ending: &str) -> &'a str {
    match text.len().checked_sub(ending.len()).and_then(|at| text.split_at_checked(at)) {
        Some((stem, end)) if end.eq_ignore_ascii_case(ending) => stem,
        _ => text,
    }
}

#[cfg(test)]
mod tests;
