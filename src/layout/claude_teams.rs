//! Layout `teams`: the mailboxes of a running Claude Code team, `~/.claude/teams/<team>/inboxes/<agent>.json`.
//!
//! One JSON array a reader, which the host rewrites whole, under a lock that it does not document, and
//! deletes when its session ends. So this form is only ever read, from a copy in memory: nothing is
//! marked, pruned or answered here. An entry is `{from, text, timestamp, read, summary?, color?}`;
//! `read` says that the host has picked it up. Entries of its own protocol are JSON in the text; they
//! are shown by their type.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::files::{self, folder_in};
use super::json_inbox::{count_date, raw_field};
use super::{
    Beginning, Blueprint, Change, Context, Dialect, Entry, Head, Layout, Listing, Need, Probe, RawField, Site, Spot, Which, bare,
};
use crate::model::inbox::{Capabilities, Inbox, LayoutId};
use crate::model::message::{Message, Warning};
use crate::model::name::{AgentName, MessageId};
use crate::model::plan::{EditPlan, Refusal};
use crate::model::status::Status;
use crate::text::body::title_of;
use crate::text::json::{self, Document, JsonError, Kind, Member, Node};

/// What is read before the whole file is, in bytes.
const SMALL: usize = 64 * 1024;
/// Entries that are read of a file.
const MOST_ENTRIES: usize = 100_000;
/// Entries of the wrong shape that are told one by one.
const MOST_BAD: usize = 1_000;
/// The longest text that is looked into for an entry of the protocol, in bytes.
const MOST_PROTOCOL: usize = 64 * 1024;

const WHY_NOT: &str = "the file belongs to a running host, whose lock is not documented";

/// The layout.
pub struct ClaudeTeams;

impl Layout for ClaudeTeams {
    fn id(&self) -> LayoutId {
        LayoutId::Teams
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { mark: false, send: false, archive: false, why_not: WHY_NOT }
    }

    fn probe(&self, level: &Path) -> Probe {
        let mut found = Probe::default();
        let teams = match folder_in(&level.join(".claude"), "teams").map(|t| t.map(|t| files::subfolders(&t).map_err(|e| (t, e))))
        {
            Ok(Some(Ok(teams))) => teams,
            Ok(None) => return found,
            Ok(Some(Err(problem))) | Err(problem) => {
                found.problems.push(problem);
                return found;
            }
        };
        for team in teams {
            match folder_in(&team, "inboxes") {
                Ok(Some(inboxes)) => look_into(&mut found, &inboxes, level),
                Ok(None) => {}
                Err(problem) => found.problems.push(problem),
            }
        }
        found
    }

    fn recognise(&self, path: &Path) -> Option<Spot> {
        if !is_named_so(path.file_name()?) || !fs::metadata(path).ok()?.is_file() {
            return None;
        }
        let folder = path.parent()?;
        let at_home = folder.file_name() == Some(OsStr::new("inboxes"));
        if !at_home && !starts_a_list(path) {
            return None;
        }
        let owner = owner_of(path)?;
        let project = folder.ancestors().nth(4).filter(|home| folder.starts_with(home.join(".claude/teams")));
        Some(Spot { path: path.to_owned(), owner, project: project.unwrap_or(folder).to_owned() })
    }

    fn list(&self, inbox: &Inbox, which: Which, _: Beginning<'_>) -> io::Result<Listing> {
        let entries = if which == Which::Live { self.entry(inbox, &inbox.path).into_iter().collect() } else { Vec::new() };
        Ok(Listing { entries, ..Listing::default() })
    }

    fn id_of(&self, name: &str) -> MessageId {
        MessageId::of(name.strip_suffix(".json").filter(|stem| !stem.is_empty()).unwrap_or(name))
    }

    fn has_ids_inside(&self) -> bool {
        true
    }

    fn entry(&self, inbox: &Inbox, path: &Path) -> Option<Entry> {
        let (folder, name) = (path.parent()?, path.file_name()?);
        let file = path.symlink_metadata().map_or(super::FileKind::Regular, |meta| files::file_kind(meta.file_type()));
        let entry = Entry {
            folder: Arc::from(folder),
            name: name.to_owned(),
            archived: false,
            file,
            node: None,
            state: None,
            shares_id: false,
        };
        (path == inbox.path).then_some(entry)
    }

    fn parse(&self, context: &Context<'_>, entry: &Entry, head: Head<'_>, out: &mut Vec<Message>) -> Result<(), Need> {
        if !head.complete && head.bytes.len() <= json::MAX_BYTES {
            return Err(Need::Bytes(if head.bytes.len() < SMALL { SMALL } else { json::MAX_BYTES + 1 }));
        }
        let why = match read_file(context, entry, head.bytes, out) {
            Ok(Whole::All) => return Ok(()),
            Ok(Whole::NoList) => {
                out.push(bare::by_name(context, entry, Warning::new("bad-json", "it is no list of messages")));
                return Ok(());
            }
            Ok(Whole::Start(fault)) => format!("its mailbox file is not whole: {fault}; there may be more mail in it"),
            Err(error) => format!("its mailbox file can't be read as JSON: {error}; nothing is known of the mail in it"),
        };
        let warning = Warning::new("bad-json", why);
        if head.complete {
            // Its host may be writing it this very moment.
            return Err(Need::Later(warning));
        }
        out.push(bare::by_name(context, entry, warning));
        Ok(())
    }

    fn body<'a>(&self, message: &Message, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let (Some(index), Ok(text)) = (index_of(message), json::lossy(bytes)) else { return Cow::Borrowed(bytes) };
        let Some(element) = element(&text, index) else { return Cow::Borrowed(b"") };
        let document = Document::outline(element, 1, MOST_ENTRIES).ok();
        let body = document.as_ref().and_then(|document| member(document.root(), "text")?.as_str());
        Cow::Owned(body.unwrap_or(element).as_bytes().to_vec())
    }

    fn raw_fields(&self, dialect: &Dialect, message: &Message, bytes: &[u8]) -> Vec<RawField> {
        let (Some(index), Ok(text)) = (index_of(message), json::lossy(bytes)) else { return Vec::new() };
        let document = element(&text, index).and_then(|element| Document::outline(element, 2, MOST_ENTRIES).ok());
        let Some(document) = document else { return Vec::new() };
        document.root().members().iter().map(|member| raw_field(&document, member, dialect)).collect()
    }

    fn blueprint(&self, _: &Site<'_>, _: Option<&AgentName>) -> Result<Blueprint, Refusal> {
        Err(Refusal::new("owned-by-another-program", "a running host makes these, for the time of its session"))
    }

    fn plan(&self, _: &Context<'_>, _: &Change<'_>) -> Result<EditPlan, Refusal> {
        Err(Refusal::new("owned-by-another-program", WHY_NOT))
    }
}

/// Which entry of its file a message is.
fn index_of(message: &Message) -> Option<usize> {
    message.id.as_str().rsplit_once('#').and_then(|(_, index)| index.parse().ok())
}

/// Adds the mailboxes of one team.
fn look_into(found: &mut Probe, inboxes: &Path, level: &Path) {
    let entries = match fs::read_dir(inboxes) {
        Ok(entries) => entries,
        Err(error) => return found.problems.push((inboxes.to_owned(), error)),
    };
    let mut paths: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .filter(|e| is_named_so(&e.file_name()))
        .map(|e| e.path())
        .filter(|p| !p.is_dir())
        .collect();
    paths.sort();
    for path in paths {
        if let Some(owner) = owner_of(&path) {
            found.spots.push(Spot { path, owner, project: level.to_owned() });
        }
    }
}

/// Whether a name is a mailbox's; locks and temporaries lie beside them.
fn is_named_so(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.ends_with(b".json") && !name.starts_with(b".")
}

fn owner_of(path: &Path) -> Option<AgentName> {
    AgentName::parse(&path.file_stem()?.to_string_lossy()).ok()
}

/// Whether a file that lies elsewhere, such as a copy, starts like a mailbox.
fn starts_a_list(path: &Path) -> bool {
    let mut start = [0_u8; 64];
    let read = File::open(path).and_then(|mut file| file.read(&mut start)).unwrap_or(0);
    start.get(..read).unwrap_or_default().trim_ascii_start().starts_with(b"[")
}

/// How much of a file was read.
enum Whole {
    All,
    /// What stands before this fault.
    Start(JsonError),
    /// Nothing: it is JSON of another shape.
    NoList,
}

fn read_file(context: &Context<'_>, entry: &Entry, bytes: &[u8], out: &mut Vec<Message>) -> Result<Whole, JsonError> {
    let text = json::lossy(bytes)?;
    let Some(found) = json::elements(&text, MOST_ENTRIES)? else {
        return Document::outline(&text, 1, 1).map(|_| Whole::NoList);
    };
    read_all(context, entry, &text, &found.spans, out);
    Ok(found.fault.map_or(Whole::All, Whole::Start))
}

/// The element of this index, as it stands.
fn element(text: &str, index: usize) -> Option<&str> {
    let found = json::elements(text, MOST_ENTRIES).ok()??;
    text.get(found.spans.get(index)?.clone())
}

fn read_all(context: &Context<'_>, entry: &Entry, text: &str, elements: &[Range<usize>], out: &mut Vec<Message>) {
    let mut bad = 0;
    for (index, span) in elements.iter().enumerate() {
        let mut message = bare::unread(context, entry);
        message.id = MessageId::of(format!("{}#{index}", message.id));
        let document = Document::outline(text.get(span.clone()).unwrap_or_default(), 1, MOST_ENTRIES);
        let filled = match &document {
            Ok(document) => fill(&mut message, document.root(), document).map_err(Cow::Borrowed),
            Err(error) => Err(Cow::Owned(format!("it can't be read as JSON: {}", error.fault))),
        };
        if let Err(why) = filled {
            bad += 1;
            if bad > MOST_BAD {
                continue;
            }
            message.shown.subject = format!("entry {index} of {}", entry.name.to_string_lossy());
            message.warnings.push(Warning::new("bad-entry", format!("entry {index} is no message: {why}")));
        }
        out.push(message);
    }
    let mut more = |text: String| out.push(bare::by_name(context, entry, Warning::new("bad-entry", text)));
    if bad > MOST_BAD {
        more(format!("{} more entries are no messages", bad - MOST_BAD));
    }
    if elements.len() == MOST_ENTRIES {
        more(format!("it has more than {MOST_ENTRIES} entries; the rest is not listed"));
    }
}

fn member<'n, 'a>(node: &'n Node<'a>, key: &str) -> Option<&'n Node<'a>> {
    node.members()
        .iter()
        .rev()
        .find(|Member { key: k, value, .. }| k == key && !matches!(value.kind, Kind::Null))
        .map(|m| &m.value)
}

/// Fills a message from an entry; why it is none, otherwise.
fn fill(message: &mut Message, node: &Node<'_>, document: &Document<'_>) -> Result<(), &'static str> {
    if !matches!(node.kind, Kind::Object(_)) {
        return Err("it is no object");
    }
    let text = member(node, "text").ok_or("it has no text")?.as_str().ok_or("its text is no text")?;
    let spelt = |key| member(node, key).map(|n| n.as_str().unwrap_or_else(|| document.raw(n)).to_owned());
    let mut warnings = Vec::new();
    message.readable = true;
    let header = &mut message.header;
    header.from = spelt("from");
    // Every entry of a reader's file is for that reader; none says so.
    header.to = vec![owner_name(&message.path)];
    header.subject = spelt("summary");
    header.date = spelt("timestamp");
    header.kind = protocol_type(text);
    match member(node, "read").map(|n| &n.kind) {
        Some(Kind::Bool(true)) => message.status = Status::Read,
        None | Some(Kind::Bool(false)) => {}
        Some(_) => {
            warnings
                .push(Warning::new("status-unreadable", "whether it was read is neither true nor false; it counts as unread"));
        }
    }
    let kind = message.header.kind.clone();
    let title = || {
        kind.map(|k| k.replace(['_', '-'], " ")).or_else(|| title_of(text.as_bytes())).or_else(|| Some("(no text)".to_owned()))
    };
    let name = message.path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    message.shown = bare::shown(&message.header, &name, title, &mut warnings);
    count_date(&message.header, &mut message.shown, &mut warnings);
    bare::warn_of_hidden(&message.header, &mut warnings);
    message.warnings = warnings;
    Ok(())
}

fn owner_name(path: &Path) -> String {
    path.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The type of an entry of the host's own protocol: a JSON object in the text that names one.
fn protocol_type(text: &str) -> Option<String> {
    let text = text.trim();
    if !text.starts_with('{') || text.len() > MOST_PROTOCOL {
        return None;
    }
    let document = Document::outline(text, 1, 100).ok()?;
    let kind = member(document.root(), "type")?.as_str()?.trim();
    let is_word = !kind.is_empty() && kind.len() <= 64 && kind.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:".contains(c));
    is_word.then(|| kind.to_owned())
}

#[cfg(test)]
mod tests;
