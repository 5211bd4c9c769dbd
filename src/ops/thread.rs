//! Conversations: which message answers which, across inboxes and archives.
//!
//! References are resolved against the messages that are known, by name and place alone: nothing a
//! message points at is ever opened for it, so a reference can't lead out of the inboxes. A parent
//! that was archived (or brought back) meanwhile is still found.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

use super::find::{self, Part, Query, Unlooked};
use super::refs;
use super::session::Session;
use crate::model::inbox::Inbox;
use crate::model::message::{Message, Warning};
use crate::model::name::{is_balanced, same};
use crate::model::thread::{Place, arrange};

/// The most parents of one message that are told to lead nowhere.
const MOST_PARENTS: usize = 10;

/// One message of a conversation, in reading order.
#[derive(Debug, Clone)]
pub struct Node {
    /// The message.
    pub message: Message,
    /// The file of its parent, where that is known.
    pub parent_path: Option<PathBuf>,
    /// How deep it stands; roots are 0.
    pub depth: usize,
    /// Whether its link to the parent was cut because the answers run in a circle.
    pub cycle: bool,
    /// A reference to a parent that leads to no known message, as it was written.
    pub dangling: Vec<String>,
}

/// A conversation.
#[derive(Debug, Default)]
pub struct Conversation {
    /// Its messages, each parent before its answers.
    pub nodes: Vec<Node>,
    /// What is odd: circles, missing parents, references that leave the known inboxes.
    pub warnings: Vec<Warning>,
    /// Inboxes that could not be looked into.
    pub unlooked: Vec<Unlooked>,
}

/// Every message that is known, with the parents they name.
pub struct Index {
    messages: Vec<Message>,
    parents: Vec<Option<usize>>,
    /// What each reference of each message leads to.
    links: Vec<Vec<Option<usize>>>,
    loose: Vec<Vec<Loose>>,
    unlooked: Vec<Unlooked>,
}

/// A reference that leads to no known message.
#[derive(Debug, Clone)]
struct Loose {
    text: String,
    kind: &'static str,
}

impl Index {
    /// Reads the headers of every discovered inbox and archive.
    pub fn read(session: &Session<'_>) -> Self {
        let inboxes: Vec<&Inbox> = session.found.inboxes.iter().collect();
        let query = Query { part: Part::All, ..Query::default() };
        let mut messages = Vec::new();
        let unlooked = find::each(session, &inboxes, &query, &mut |_, message| messages.push(message));
        Self::of(session, messages, unlooked)
    }

    /// The same, of messages that were read already.
    pub fn of(session: &Session<'_>, mut messages: Vec<Message>, unlooked: Vec<Unlooked>) -> Self {
        messages.sort_by_cached_key(|m| (m.shown.when.map(|w| session.clock.sort_key(w)), m.path.clone(), m.id.clone()));
        let known = Known::new(session, &messages);
        let mut parents = Vec::with_capacity(messages.len());
        let mut links = Vec::with_capacity(messages.len());
        let mut loose = Vec::with_capacity(messages.len());
        for message in &messages {
            let mut led = Vec::new();
            let mut lost = Vec::new();
            for reference in &message.header.in_reply_to {
                let found = known.resolve(session, message, reference);
                led.push(found.ok());
                lost.extend(found.err().map(|kind| Loose { text: reference.clone(), kind }));
            }
            parents.push(led.iter().copied().flatten().next());
            links.push(led);
            loose.push(lost);
        }
        Self { messages, parents, links, loose, unlooked }
    }

    /// The references that lead to no known message: whose, as written, and a stable word for why
    /// (`parent-missing`, `parent-ambiguous`, `parent-outside-root`).
    pub fn loose(&self) -> impl Iterator<Item = (&Message, &str, &'static str)> {
        let pairs = self.messages.iter().zip(&self.loose);
        pairs.flat_map(|(message, lost)| lost.iter().map(move |l| (message, l.text.as_str(), l.kind)))
    }

    /// Every message with what each of its references leads to.
    pub fn links(&self) -> impl Iterator<Item = (&Message, Vec<Option<&Message>>)> {
        let led = |links: &Vec<Option<usize>>| links.iter().map(|at| at.and_then(|at| self.messages.get(at))).collect();
        self.messages.iter().zip(&self.links).map(move |(message, links)| (message, led(links)))
    }

    /// The circles of answers, each once: the members, from the one that is shown as the start.
    pub fn circles(&self) -> Vec<Vec<&Message>> {
        let starts = arrange(&self.parents).into_iter().filter(|place| place.cut).map(|place| place.index);
        let circle = |start: usize| {
            let next = |&at: &usize| self.parent(at).filter(|&at| at != start);
            std::iter::successors(Some(start), next).filter_map(|at| self.messages.get(at)).collect()
        };
        starts.map(circle).collect()
    }

    /// The conversation of the message that lies at a path.
    pub fn conversation(&self, path: &Path, id: &str) -> Conversation {
        let start = self.messages.iter().position(|m| m.path == path && m.id.as_str() == id);
        let Some(start) = start.or_else(|| self.messages.iter().position(|m| m.path == path)) else {
            return Conversation::default();
        };
        let mut members = self.group_of(start);
        members.sort_unstable();
        let local: HashMap<usize, usize> = members.iter().enumerate().map(|(at, &i)| (i, at)).collect();
        let parents: Vec<Option<usize>> = members.iter().map(|&i| self.parent(i).and_then(|p| local.get(&p).copied())).collect();
        let mut out = Conversation { unlooked: self.unlooked.clone(), ..Conversation::default() };
        for Place { index, depth, cut } in arrange(&parents) {
            let Some(&at) = members.get(index) else { continue };
            let Some(message) = self.messages.get(at) else { continue };
            let lost = self.loose.get(at).map(Vec::as_slice).unwrap_or_default();
            for Loose { text, kind } in lost.iter().take(MOST_PARENTS) {
                let why = match *kind {
                    "parent-outside-root" => "leads out of the known inboxes; it was not opened",
                    "parent-ambiguous" => "fits several messages; none was chosen",
                    _ => "leads to no message that is known",
                };
                out.warnings.push(Warning::new(kind, format!("{}: the parent {text:?} {why}", message.id)));
            }
            if let Some(more) = lost.len().checked_sub(MOST_PARENTS).filter(|more| *more > 0) {
                let text = format!("{}: {more} more parents that lead to no message", message.id);
                out.warnings.push(Warning::new("parent-missing", text));
            }
            if cut {
                let text = format!("{} takes part in a circle of answers; it is shown as the start", message.id);
                out.warnings.push(Warning::new("thread-cycle", text));
            }
            let parent = self.parent(at).and_then(|p| self.messages.get(p));
            out.nodes.push(Node {
                message: message.clone(),
                parent_path: parent.map(|p| p.path.clone()),
                depth,
                cycle: cut,
                dangling: lost.iter().map(|l| l.text.clone()).collect(),
            });
        }
        out
    }

    /// The first message of a thread by its name, in any letter case: its file and id.
    pub fn tagged(&self, thread: &str) -> Option<(&Path, &str)> {
        let is_it = |m: &&Message| m.header.thread.as_deref().is_some_and(|t| same(t.trim(), thread.trim()));
        self.messages.iter().find(is_it).map(|m| (m.path.as_path(), m.id.as_str()))
    }

    /// The files and ids of a conversation, for filtering a list.
    pub fn members(&self, path: &Path, id: &str) -> Vec<(PathBuf, String)> {
        let nodes = self.conversation(path, id).nodes;
        nodes.into_iter().map(|n| (n.message.path, n.message.id.to_string())).collect()
    }

    fn parent(&self, at: usize) -> Option<usize> {
        self.parents.get(at).copied().flatten()
    }

    /// All that hang together with a message, by parent links or by the same `thread:`.
    fn group_of(&self, start: usize) -> Vec<usize> {
        let mut links: Vec<Vec<usize>> = vec![Vec::new(); self.messages.len()];
        let mut link = |a: usize, b: usize| {
            if let Some(list) = links.get_mut(a) {
                list.push(b);
            }
            if let Some(list) = links.get_mut(b) {
                list.push(a);
            }
        };
        let mut tags: HashMap<String, usize> = HashMap::new();
        for (at, message) in self.messages.iter().enumerate() {
            if let Some(parent) = self.parent(at) {
                link(at, parent);
            }
            if let Some(tag) = message.header.thread.as_deref().map(|t| t.trim().to_lowercase()).filter(|t| !t.is_empty()) {
                let first = *tags.entry(tag).or_insert(at);
                if first != at {
                    link(at, first);
                }
            }
        }
        let mut seen = vec![false; self.messages.len()];
        let mut stack = vec![start];
        let mut group = Vec::new();
        while let Some(at) = stack.pop() {
            if let Some(seen) = seen.get_mut(at)
                && !std::mem::replace(seen, true)
            {
                group.push(at);
                stack.extend(links.get(at).into_iter().flatten());
            }
        }
        group
    }
}

/// The ways in which a reference may name a message.
struct Known<'a> {
    messages: &'a [Message],
    by_path: HashMap<PathBuf, usize>,
    by_place: HashMap<(&'a str, String), usize>,
    by_name: HashMap<String, Vec<usize>>,
    folders: HashMap<PathBuf, &'a str>,
}

impl<'a> Known<'a> {
    fn new(session: &'a Session<'_>, messages: &'a [Message]) -> Self {
        let mut known = Self {
            messages,
            by_path: HashMap::new(),
            by_place: HashMap::new(),
            by_name: HashMap::new(),
            folders: HashMap::new(),
        };
        for inbox in &session.found.inboxes {
            for folder in [Some(inbox.path.clone()), inbox.path.canonicalize().ok()].into_iter().flatten() {
                known.folders.insert(folder, &inbox.name);
            }
        }
        for (at, message) in messages.iter().enumerate() {
            known.by_path.insert(message.path.clone(), at);
            if let Some(folder) = message.path.parent() {
                known.folders.entry(folder.to_path_buf()).or_insert(&message.inbox);
            }
            let name = message.path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            known.by_place.entry((&message.inbox, name.clone())).or_insert(at);
            let mut names = vec![name.clone(), stem(&name).to_owned(), message.id.to_string()];
            names.extend(message.header.id.clone());
            names.sort();
            names.dedup();
            for name in names {
                known.by_name.entry(name).or_default().push(at);
            }
        }
        known
    }

    /// The message that a reference means: of all ways to read it, the longest that leads to one.
    fn resolve(&self, session: &Session<'_>, message: &Message, reference: &str) -> Result<usize, &'static str> {
        let mut outside = false;
        for text in readings(reference) {
            for path in places(session, message, text) {
                match self.at(&path) {
                    At::Found(found) => return Ok(found),
                    At::Nothing => {}
                    At::Outside => outside |= text.contains('/') || text.contains('\\'),
                }
            }
            for reading in refs::prefixed(session, text) {
                let named =
                    |i: usize| self.messages.get(i).is_some_and(|m| reading.inboxes.iter().any(|inbox| inbox.name == m.inbox));
                let by_place = reading.inboxes.iter().find_map(|inbox| match self.at(&inbox.path.join(&*reading.part)) {
                    At::Found(found) => Some(found),
                    _ => None,
                });
                let by_name: Vec<usize> = self.by_name(&reading.part).iter().copied().filter(|&i| named(i)).collect();
                match (by_place, by_name.as_slice()) {
                    (Some(found), _) => return Ok(found),
                    (None, [found]) => return Ok(*found),
                    (None, []) => {}
                    (None, several) => return self.nearest(session, message, several).ok_or("parent-ambiguous"),
                }
            }
            let found = self.by_name(text.rsplit(['/', '\\']).next().unwrap_or(text));
            if !found.is_empty() {
                return self.nearest(session, message, found).ok_or("parent-ambiguous");
            }
        }
        Err(if outside && Self::leaves(session, message, reference) { "parent-outside-root" } else { "parent-missing" })
    }

    /// The message that a path means: the file there, or the one of its name in the inbox or its
    /// archive – threads survive archiving.
    fn at(&self, path: &Path) -> At {
        if let Some(&found) = self.by_path.get(path) {
            return At::Found(found);
        }
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return At::Nothing };
        let Some(&inbox) = self.folders.get(folder) else { return At::Outside };
        self.by_place.get(&(inbox, name.to_string_lossy().into_owned())).map_or(At::Nothing, |&found| At::Found(found))
    }

    /// The messages of a name, id or stem.
    fn by_name(&self, name: &str) -> &[usize] {
        self.by_name.get(name).or_else(|| self.by_name.get(stem(name))).map_or(&[], Vec::as_slice)
    }

    /// Of several messages of one name: that of the same inbox, else of the same project, else the only
    /// one; the live one, for an archived one has another name.
    fn nearest(&self, session: &Session<'_>, message: &Message, found: &[usize]) -> Option<usize> {
        let project = |name: &str| session.inbox(name).map(|i| i.project.clone());
        let own = project(&message.inbox);
        let of = |at: usize| self.messages.get(at);
        let tiers: [&dyn Fn(&Message) -> bool; 3] =
            [&|m| m.inbox == message.inbox, &|m| own.is_some() && project(&m.inbox) == own, &|_| true];
        tiers.into_iter().find_map(|tier| {
            let fitting: Vec<usize> = found.iter().copied().filter(|&i| of(i).is_some_and(tier)).collect();
            let live: Vec<usize> = fitting.iter().copied().filter(|&i| of(i).is_some_and(|m| !m.archived)).collect();
            match (fitting.as_slice(), live.as_slice()) {
                ([one], _) | (_, [one]) => Some(*one),
                _ => None,
            }
        })
    }

    /// Whether every way to read a reference as a path ends outside the projects that have inboxes.
    fn leaves(session: &Session<'_>, message: &Message, reference: &str) -> bool {
        let inside = |path: &PathBuf| session.found.inboxes.iter().any(|i| path.starts_with(&i.path));
        !readings(reference).iter().flat_map(|text| places(session, message, text)).any(|path| inside(&path))
    }
}

/// Where a path leads.
enum At {
    Found(usize),
    /// Into a known inbox, but to no message.
    Nothing,
    Outside,
}

/// The ways to read a reference, the longest first: as written; without the remarks in brackets at its
/// end; each of these without the quotes, brackets or link around it.
pub(super) fn readings(reference: &str) -> Vec<&str> {
    /// Nobody puts more remarks behind a name.
    const MOST_REMARKS: usize = 6;
    let mut out: Vec<&str> = Vec::new();
    let mut text = Some(reference.trim());
    for _ in 0..=MOST_REMARKS {
        let Some(reading) = text else { break };
        out.push(reading);
        out.extend(unwrapped(reading));
        text = without_remark(reading);
    }
    let mut seen = HashSet::new();
    out.retain(|text| !text.is_empty() && seen.insert(*text));
    out
}

/// A text without the remark in brackets at its end. A number in brackets is no remark: it is how names
/// that meet are told apart.
fn without_remark(text: &str) -> Option<&str> {
    const BRACKETS: [(char, char); 4] = [('(', ')'), ('[', ']'), ('<', '>'), ('{', '}')];
    let end = text.trim_end_matches(['.', ',', ';', ':', ' ']);
    let last = end.chars().next_back()?;
    let open = match BRACKETS.into_iter().find(|(_, close)| *close == last) {
        Some((open, close)) => {
            let mut depth = 0_usize;
            let opening = end.char_indices().rev().find(|&(_, c)| {
                depth = if c == close {
                    depth + 1
                } else if c == open {
                    depth.saturating_sub(1)
                } else {
                    depth
                };
                depth == 0
            });
            opening.map(|(at, _)| at)
        }
        // One that never closes.
        None => BRACKETS
            .into_iter()
            .filter_map(|(open, close)| end.rfind(open).filter(|&at| !end.get(at..).is_some_and(|t| t.contains(close))))
            .max(),
    }?;
    let (before, remark) = (end.get(..open)?, end.get(open..)?);
    let is_number = remark.trim_matches(|c| "()[]<>{}".contains(c)).bytes().all(|b| b.is_ascii_digit());
    (before.ends_with(' ') && !(is_number && remark.starts_with('('))).then(|| before.trim_end())
}

/// What stands in the quotes or brackets around a text; of a Markdown link its target and its text.
fn unwrapped(text: &str) -> Vec<&str> {
    const AROUND: [(&str, &str); 8] =
        [("[[", "]]"), ("`", "`"), ("\"", "\""), ("'", "'"), ("<", ">"), ("[", "]"), ("(", ")"), ("*", "*")];
    let link = text.strip_prefix('[').and_then(|t| t.strip_suffix(')')).and_then(|t| t.split_once("]("));
    if let Some((label, target)) = link.filter(|(_, target)| is_balanced(target)) {
        // A title may follow the target.
        let bare = target.split_once(" \"").or_else(|| target.split_once(" '")).map_or(target, |(bare, _)| bare);
        return vec![target.trim(), bare.trim().trim_matches(['<', '>']), label.trim()];
    }
    let inside = AROUND.into_iter().find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
    inside.map(str::trim).into_iter().collect()
}

/// Where a reference could lie, in the order of the convention: below the project root, the
/// message's folder, the inbox; from `~`; absolute.
fn places(session: &Session<'_>, message: &Message, text: &str) -> Vec<PathBuf> {
    if let Some(rest) = text.strip_prefix("~/") {
        return session.home().into_iter().map(|home| plain(&home.join(rest))).collect();
    }
    let path = Path::new(text);
    if path.is_absolute() {
        return vec![plain(path)];
    }
    let inbox = session.inbox(&message.inbox);
    let bases = [inbox.map(|i| i.project.as_path()), message.path.parent(), inbox.map(|i| i.path.as_path())];
    let mut out: Vec<PathBuf> = bases.into_iter().flatten().map(|base| plain(&base.join(path))).collect();
    out.dedup();
    out
}

/// A path without `.` and `..`, by its text alone: nothing is looked at on the way.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

fn stem(name: &str) -> &str {
    let name = name.strip_suffix(".read").or_else(|| name.strip_suffix(".READ")).unwrap_or(name);
    name.strip_suffix(".md").or_else(|| name.strip_suffix(".json")).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_read_the_longest_way_first() {
        for (text, want) in [
            ("x.md", &["x.md"][..]),
            ("x (2).md (see line 3)", &["x (2).md (see line 3)", "x (2).md"]),
            ("x (2)", &["x (2)"]),
            ("x.md (a (b) c) [d].", &["x.md (a (b) c) [d].", "x.md (a (b) c)", "x.md"]),
            ("x.md (never closed", &["x.md (never closed", "x.md"]),
            ("f(x).md", &["f(x).md"]),
            ("[The plan](a/x.md)", &["[The plan](a/x.md)", "a/x.md", "The plan"]),
            (
                "[The plan](x.md \"t\") (see there)",
                &["[The plan](x.md \"t\") (see there)", "[The plan](x.md \"t\")", "x.md \"t\"", "x.md", "The plan"],
            ),
            ("`x.md` (there)", &["`x.md` (there)", "`x.md`", "x.md"]),
            ("[[x]]", &["[[x]]", "x"]),
            ("<x.md>", &["<x.md>", "x.md"]),
            ("", &[]),
            ("(", &["("]),
            (" (x)", &["(x)", "x"]),
        ] {
            assert_eq!(readings(text), want, "{text:?}");
        }
    }

    #[test]
    fn hostile_references_end() {
        for text in ["(".repeat(20_000), ") ".repeat(20_000), "x (".repeat(10_000), "x (a)".repeat(10_000), "[](".repeat(9_000)] {
            let _ = readings(&text);
        }
    }
}
