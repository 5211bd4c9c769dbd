//! From what a person typed to one message: a path, a file name, an id, or a unique part of one,
//! with `INBOX:` before it when needed.
//!
//! Names decide first, so that finding one among 100,000 reads one folder and one header. An exact
//! name wins over a part; what fits several messages changes nothing and lists them.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::advance::quoted;
use super::find::{self, Part, Query};
use super::session::Session;
use crate::error::{Exit, Report};
use crate::layout::{self, Beginning, Entry, Spot, Which};
use crate::model::inbox::{Inbox, Label};
use crate::model::message::Message;
use crate::render::shown::Shower;
use crate::store::census;
use crate::store::discover;
use crate::store::scan::Scan;
use crate::text::nearest::likely;
use crate::text::neutral::{self, Target as Shown};
use crate::text::percent;

/// A message and the inbox it is in. The inbox is borrowed where it was discovered, owned where
/// the ref named a path beyond those.
#[derive(Debug, Clone)]
pub struct Target {
    /// The inbox.
    pub inbox: Inbox,
    /// The message.
    pub message: Message,
}

/// Whether archived messages are wanted too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// Live ones; an archived one is found only where no live one fits (and the caller refuses it by name).
    Live,
    /// Archived ones first.
    Archived,
}

/// A message as a command line names it, for commands that can be run as they stand.
pub fn typed(message: &Message) -> String {
    quoted(&Shower::new(Shown::Terminal).reference(message))
}

/// One way to read a ref: a part of a name, looked for in some inboxes.
#[derive(Debug)]
pub(super) struct Reading<'s, 't> {
    /// Where.
    pub inboxes: Vec<&'s Inbox>,
    /// What.
    pub part: Cow<'t, str>,
    /// Bytes of a name that need be no text, instead.
    bytes: Option<Vec<u8>>,
    /// Whether the name must be whole.
    whole: bool,
}

impl Reading<'_, '_> {
    /// What all names begin with that this may be as a whole. Of a hundred thousand others nothing is
    /// made then.
    fn beginning(&self) -> Beginning<'_> {
        match (&self.bytes, self.part.rsplit('/').next()) {
            (None, Some(name)) => Beginning::of(stem(name)),
            _ => Beginning::ANY,
        }
    }
}

/// Finds the one message that a ref means.
///
/// # Errors
/// Nothing fits, or several do ([`Exit::NotFound`]), or a folder on the way can't be read.
pub fn resolve(session: &Session<'_>, inboxes: &[&Inbox], text: &str, want: Want) -> Result<Target, Report> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Report::new(
            "empty-ref",
            Exit::Usage,
            "a message must be named: a path, a file name, an id, or a part of one",
        ));
    }
    let unquoted = neutral::unquote(text);
    let text = unquoted.as_deref().unwrap_or(text);
    let mut readings = prefixed(session, text);
    if readings.iter().all(|r| !r.whole) {
        // An id may hold a colon itself.
        readings.push(Reading { inboxes: inboxes.to_vec(), part: text.into(), bytes: None, whole: false });
    }
    let mut looked: Vec<(Reading<'_, '_>, Vec<Report>)> = Vec::new();
    for reading in readings {
        if let Some(found) = by_path(session, &reading)? {
            return one(session, text, found, want);
        }
        let found = by_old_path(session, &reading);
        if !found.is_empty() {
            return one(session, text, found, want);
        }
        let (entries, problems) = entries(&reading.inboxes, reading.beginning());
        let found = by_whole_name(session, &reading, &entries);
        if !found.is_empty() {
            return one(session, text, found, want);
        }
        looked.push((reading, problems));
    }
    let lists: Vec<_> = looked.iter().map(|(reading, _)| entries(&reading.inboxes, Beginning::ANY).0).collect();
    // A whole name wins over a part of one, however the ref is read.
    for ((reading, _), entries) in looked.iter().zip(&lists).filter(|((reading, _), _)| !reading.whole) {
        let part = &*reading.part;
        let mut found = read(session, entries, |_, _, name| partly(name, part));
        if found.is_empty() {
            found = by_header(session, reading.inboxes.iter().copied(), part);
        }
        if !found.is_empty() {
            return one(session, text, found, want);
        }
    }
    if let Some(problem) = looked.iter_mut().find_map(|(_, problems)| problems.pop()) {
        return Err(problem);
    }
    let inboxes = looked.first().map_or(&[][..], |(reading, _)| &reading.inboxes);
    Err(not_found(inboxes, text, lists.first().map_or(&[], Vec::as_slice)))
}

/// The first of these that any message meets counts: its place in the inbox; its file's name; its id; its name without its ending; that in another letter case; an id that stands inside.
fn by_whole_name(session: &Session<'_>, reading: &Reading<'_, '_>, entries: &[(&Inbox, Entry)]) -> Vec<Target> {
    let part = &*reading.part;
    if let Some(bytes) = &reading.bytes {
        let is_it = |name: &OsStr| name.as_encoded_bytes() == bytes;
        return read(session, entries, |inbox, entry, _| is_it(&entry.name) || is_it(place_in(inbox, entry).as_os_str()));
    }
    let by_id = || by_header(session, reading.inboxes.iter().copied().filter(|i| layout::of(i.layout).has_ids_inside()), part);
    let steps: [&dyn Fn() -> Vec<Target>; 7] = [
        &|| read(session, entries, |inbox, entry, name| is_place(inbox, entry, part) || entry.archived && name == part),
        &|| read(session, entries, |_, _, name| name == part),
        &|| read(session, entries, |inbox, _, name| layout::of(inbox.layout).id_of(name).as_str() == part),
        &|| read(session, entries, |_, _, name| stem(name) == part),
        // A file name whose ending has changed with its state.
        &|| read(session, entries, |_, _, name| stem(name) == stem(part)),
        &|| read(session, entries, |_, _, name| exact_blind(name, part)),
        // An exact id wins over a part of a name.
        &by_id,
    ];
    steps.iter().map(|step| step()).find(|found| !found.is_empty()).unwrap_or_default()
}

/// The ways in which a text may be read as `INBOX:rest` – INBOX being the name of an inbox, or of the
/// owner of one or several – and as the URI of a message, `inbox://INBOX/NAME`.
pub(super) fn prefixed<'s, 't>(session: &'s Session<'_>, text: &'t str) -> Vec<Reading<'s, 't>> {
    let inboxes = &session.found.inboxes;
    if let Some((name, rest)) = text.strip_prefix("inbox://").and_then(|rest| rest.split_once('/')) {
        let named = percent::decode(name).and_then(|name| inboxes.iter().find(|i| i.name == name));
        let bytes = percent::decode_bytes(rest);
        return match (named, bytes.map(String::from_utf8)) {
            (Some(inbox), Some(Ok(part))) => vec![Reading { inboxes: vec![inbox], part: part.into(), bytes: None, whole: true }],
            (Some(inbox), Some(Err(odd))) => {
                let bytes = odd.into_bytes();
                let part = String::from_utf8_lossy(&bytes).into_owned();
                vec![Reading { inboxes: vec![inbox], part: part.into(), bytes: Some(bytes), whole: true }]
            }
            // It can be nothing else: no other name holds two slashes behind a colon.
            _ => vec![Reading { inboxes: Vec::new(), part: text.into(), bytes: None, whole: true }],
        };
    }
    let reading = |(at, _): (usize, &str)| {
        let (name, rest) = (text.get(..at)?, text.get(at + 1..).filter(|rest| !rest.is_empty())?);
        let mut found: Vec<_> = inboxes.iter().filter(|i| i.name == name).collect();
        if found.is_empty() {
            found = inboxes.iter().filter(|i| i.is_owned_by(name)).collect();
        }
        if found.is_empty() {
            // A name that was printed when other inboxes were around.
            found.extend(discover::resolve(&session.found, name).ok());
        }
        (!found.is_empty()).then(|| Reading { inboxes: found, part: rest.into(), bytes: None, whole: false })
    };
    // Nobody's name has more colons in it; a hostile reference may.
    text.match_indices(':').take(8).filter_map(reading).collect()
}

/// The messages of the file that a path names, where it names one that is there.
fn by_path(session: &Session<'_>, reading: &Reading<'_, '_>) -> Result<Option<Vec<Target>>, Report> {
    let (text, inboxes) = (&*reading.part, reading.inboxes.as_slice());
    let (path, fragment) = match text.rsplit_once('#') {
        Some((path, fragment)) if fragment.bytes().all(|b| b.is_ascii_digit()) && !fragment.is_empty() => (path, Some(fragment)),
        _ => (text, None),
    };
    for candidate in candidates(session, reading, path) {
        let Ok(metadata) = candidate.symlink_metadata() else { continue };
        if metadata.is_dir() {
            continue;
        }
        let Some((inbox, entry)) = home_of(session, inboxes, &candidate) else {
            if path.contains('/') {
                let text = format!("{} is in no inbox that is known, or no message", session.short(&candidate));
                return Err(Report::new("not-in-an-inbox", Exit::NotFound, text).at(&candidate).next("postroom inboxes"));
            }
            continue;
        };
        let scan = Scan { inbox: &inbox, dialect: &session.rules(&inbox).dialect, clock: &session.clock, stamps: true };
        let messages =
            scan.one(&entry).into_iter().filter(|m| fragment.is_none_or(|f| m.id.as_str().ends_with(&format!("#{f}"))));
        let found: Vec<_> = messages.map(|message| Target { inbox: inbox.clone(), message }).collect();
        if !found.is_empty() {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The messages of a file that is not any more where it was when its path was printed: marked by a
/// new name, archived, or restored. They are looked for in the inbox that the path leads into.
fn by_old_path(session: &Session<'_>, reading: &Reading<'_, '_>) -> Vec<Target> {
    for candidate in candidates(session, reading, &reading.part) {
        let Some((inbox, gone)) = home_of(session, &reading.inboxes, &candidate) else { continue };
        let layout = layout::of(inbox.layout);
        let id = layout.id_of(&gone.name.to_string_lossy());
        let (entries, _) = entries(&[&inbox], Beginning::of(id.as_str()));
        let found = read(session, &entries, |_, _, name| layout.id_of(name) == id);
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Where a path that was typed could lie: as it is, below the starting folder, below each project; of
/// an archived message, below its inbox.
fn candidates(session: &Session<'_>, reading: &Reading<'_, '_>, text: &str) -> Vec<PathBuf> {
    if let Some(rest) = text.strip_prefix("~/") {
        return session.home().into_iter().map(|home| home.join(rest)).collect();
    }
    let path = Path::new(text);
    if path.is_absolute() {
        return vec![path.to_path_buf()];
    }
    if !text.contains('/') {
        return Vec::new();
    }
    let mut out = vec![session.dir().join(path)];
    let projects = session.found.inboxes.iter().map(|inbox| inbox.project.join(path));
    for candidate in projects.chain(reading.inboxes.iter().map(|inbox| inbox.path.join(path))) {
        if !out.contains(&candidate) {
            out.push(candidate);
        }
    }
    out
}

/// The inbox that a file lies in, and the entry it is there.
fn home_of(session: &Session<'_>, inboxes: &[&Inbox], path: &Path) -> Option<(Inbox, Entry)> {
    let mut known = inboxes.iter().copied().chain(&session.found.inboxes);
    if let Some(found) = known.find_map(|inbox| entry_in(inbox, path).map(|entry| (inbox.clone(), entry))) {
        return Some(found);
    }
    // A path beyond what was discovered: its folder, or the one above an archive, may be an inbox all the same.
    let folders = path.parent().into_iter().chain(path.parent().and_then(Path::parent));
    for folder in folders {
        let Some((layout, spot)) = layout::recognise(&layout::ALL, folder).filter(|(_, spot)| is_known_place(spot)) else {
            continue;
        };
        let inbox = Inbox {
            name: format!("{}@{}", spot.owner, spot.project.file_name().unwrap_or_default().to_string_lossy()),
            path: spot.path,
            layout,
            owner: spot.owner,
            aliases: Vec::new(),
            label: Label::Configured,
            project: spot.project,
        };
        if let Some(entry) = entry_in(&inbox, path) {
            return Some((inbox, entry));
        }
    }
    None
}

/// Whether a place is an inbox by its name, not only because somebody called it one.
fn is_known_place(spot: &Spot) -> bool {
    let names = [".soma", ".claude", ".agents", ".workspace", ".team"];
    spot.path
        .strip_prefix(&spot.project)
        .is_ok_and(|rest| rest.iter().next().is_some_and(|first| names.iter().any(|name| first == *name)))
}

/// The entry that a path stands for in an inbox, also where the inbox was reached by another way.
fn entry_in(inbox: &Inbox, path: &Path) -> Option<Entry> {
    let layout = layout::of(inbox.layout);
    layout.entry(inbox, path).or_else(|| {
        let folder = path.parent()?.canonicalize().ok()?;
        let real = Inbox { path: inbox.path.canonicalize().ok()?, ..inbox.clone() };
        let entry = layout.entry(&real, &folder.join(path.file_name()?))?;
        let rest = entry.folder.strip_prefix(&real.path).ok()?.to_owned();
        // Told by the inbox's own path, so that one message has one name.
        let folder = if rest.as_os_str().is_empty() { inbox.path.clone() } else { inbox.path.join(rest) };
        Some(Entry { folder: folder.into(), ..entry })
    })
}

/// The entries of the inboxes whose names begin as wanted, live and archived.
fn entries<'i>(inboxes: &[&'i Inbox], wanted: Beginning<'_>) -> (Vec<(&'i Inbox, Entry)>, Vec<Report>) {
    let mut out = Vec::new();
    let mut problems = Vec::new();
    for &inbox in inboxes {
        let listing = census::listing(inbox, &[Which::Live, Which::Archived], wanted);
        out.extend(listing.entries.into_iter().map(|e| (inbox, e)));
        let closed = listing.problems.into_iter().filter(|(path, _)| *path == inbox.path);
        problems.extend(closed.map(|(path, error)| {
            Report::failed("inbox-unreadable", format!("could not look into {}: {error}", inbox.name)).at(path)
        }));
    }
    (out, problems)
}

fn read(session: &Session<'_>, entries: &[(&Inbox, Entry)], fits: impl Fn(&Inbox, &Entry, &str) -> bool) -> Vec<Target> {
    let mut out = Vec::new();
    for (inbox, entry) in entries {
        if !fits(inbox, entry, &entry.name.to_string_lossy()) {
            continue;
        }
        let scan = Scan { inbox, dialect: &session.rules(inbox).dialect, clock: &session.clock, stamps: true };
        out.extend(scan.one(entry).into_iter().map(|message| Target { inbox: (*inbox).clone(), message }));
    }
    out
}

/// Where a file lies in its inbox.
fn place_in(inbox: &Inbox, entry: &Entry) -> PathBuf {
    let path = entry.path();
    path.strip_prefix(&inbox.path).map(Path::to_path_buf).unwrap_or(path)
}

/// Whether a text is where a file lies in its inbox.
fn is_place(inbox: &Inbox, entry: &Entry, part: &str) -> bool {
    let ends = part.as_bytes().ends_with(entry.name.to_string_lossy().as_bytes());
    ends && place_in(inbox, entry).to_string_lossy() == part
}

fn exact_blind(name: &str, part: &str) -> bool {
    name.eq_ignore_ascii_case(part) || stem(name).eq_ignore_ascii_case(part)
}

fn partly(name: &str, part: &str) -> bool {
    name.to_lowercase().contains(&part.to_lowercase())
}

/// A name without the endings that layouts add.
fn stem(name: &str) -> &str {
    let name = name.strip_suffix(".read").or_else(|| name.strip_suffix(".READ")).unwrap_or(name);
    name.strip_suffix(".md").or_else(|| name.strip_suffix(".json")).unwrap_or(name)
}

/// By an id that stands in the header, or one that a layout makes of a part of a file.
fn by_header<'i>(session: &Session<'_>, inboxes: impl Iterator<Item = &'i Inbox>, part: &str) -> Vec<Target> {
    let mut found = Vec::new();
    let query = Query { part: Part::All, ..Query::default() };
    let inboxes: Vec<&Inbox> = inboxes.collect();
    let _unlooked = find::each(session, &inboxes, &query, &mut |inbox, message| {
        if message.id.as_str() == part || message.header.id.as_deref() == Some(part) {
            found.push(Target { inbox: inbox.clone(), message });
        }
    });
    found
}

fn one(session: &Session<'_>, text: &str, found: Vec<Target>, want: Want) -> Result<Target, Report> {
    let (archived, live): (Vec<_>, Vec<_>) = found.into_iter().partition(|t| t.message.archived);
    let (mut first, mut second) = match want {
        Want::Live => (live, archived),
        Want::Archived => (archived, live),
    };
    if first.is_empty() {
        std::mem::swap(&mut first, &mut second);
    }
    if first.len() == 1
        && let Some(target) = first.pop()
    {
        return Ok(target);
    }
    let mut report = Report::new("ambiguous-ref", Exit::NotFound, format!("{text:?} fits {} messages", first.len()));
    for target in first.iter().take(10) {
        report = report.hint(format!("{}  {}", target.message.full_ref(), session.short(&target.message.path)));
    }
    if first.len() > 10 {
        report = report.hint(format!("+{} more", first.len() - 10));
    }
    for target in first.iter().take(3) {
        let full = target.message.full_ref();
        let alike = first.iter().filter(|t| t.message.full_ref() == full).count() > 1;
        let reference = if alike { quoted(&target.message.path_ref()) } else { typed(&target.message) };
        report = report.next(format!("postroom show {reference}"));
    }
    Err(report)
}

fn not_found(inboxes: &[&Inbox], text: &str, entries: &[(&Inbox, Entry)]) -> Report {
    let where_ = match inboxes {
        [] => "no inbox is in scope".to_owned(),
        [one] => format!("in {}", one.name),
        many => format!("in {} inboxes", many.len()),
    };
    let mut report = Report::new("no-such-message", Exit::NotFound, format!("no message {text:?} ({where_})"));
    let names: Vec<String> = entries.iter().map(|(_, e)| stem(&e.name.to_string_lossy()).to_owned()).collect();
    for name in likely(stem(text), names.iter().map(String::as_str)).into_iter().take(3) {
        report = report.hint(format!("did you mean {name}?"));
    }
    report.next("postroom list --all")
}
