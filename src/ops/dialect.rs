//! Looking at somebody else's mailbox: which words, keys and dates its messages use, and what they
//! most likely mean. Changes nothing; [`config`] makes a configuration of it.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::find::Unlooked;
use super::session::Session;
use crate::error::{Exit, Report};
use crate::layout::{self, ALL, Dialect, RawValue, Spot, Which, json_inbox, soma};
use crate::model::date::When;
use crate::model::inbox::{Inbox, Label, LayoutId};
use crate::model::status::Status;
use crate::store::read::{self, Reach};
use crate::store::scan::Scan;

pub mod config;
mod guess;

/// Folders below the one named that are looked into, and how deep.
const MOST_FOLDERS: usize = 10_000;
const DEEPEST: usize = 6;
/// Messages that are looked at.
const MOST_MESSAGES: usize = 20_000;
/// The largest message that is looked into, in bytes.
const LARGEST: u64 = 1 << 20;
/// Different values that are kept of a key; a key with more is no matter of words.
const MOST_VALUES: usize = 100;

/// What was found.
#[derive(Debug, Default)]
pub struct Survey {
    /// The folder looked at.
    pub top: PathBuf,
    /// The inboxes in it.
    pub inboxes: Vec<Found>,
    /// How many messages were looked at.
    pub messages: usize,
    /// How many of them had no header that could be read.
    pub unreadable: usize,
    /// Whether there were more than are looked at.
    pub more: bool,
    /// Status words, the most frequent first.
    pub words: Vec<Counted<Status>>,
    /// Header keys, the most frequent first.
    pub keys: Vec<Counted<&'static str>>,
    /// Forms of dates, the most frequent first.
    pub dates: Vec<DateForm>,
    /// What could not be looked into.
    pub unlooked: Vec<Unlooked>,
}

/// An inbox in a mailbox.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its place.
    pub spot: Spot,
    /// Its form.
    pub layout: LayoutId,
    /// How many messages it holds.
    pub messages: usize,
}

/// A word with its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted<M> {
    /// The word in its most frequent spelling.
    pub text: String,
    /// How often it stands there.
    pub count: usize,
    /// What it means.
    pub means: Means<M>,
}

/// What a word means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means<M> {
    /// That postroom knows already.
    BuiltIn(M),
    /// That is a guess.
    Guess(M),
    /// Nobody knows.
    Unknown,
}

impl<M: Copy> Means<M> {
    /// The meaning, known or guessed.
    pub fn get(&self) -> Option<M> {
        match self {
            Self::BuiltIn(means) | Self::Guess(means) => Some(*means),
            Self::Unknown => None,
        }
    }
}

/// A form of dates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateForm {
    /// One of them.
    pub example: String,
    /// How many have this form.
    pub count: usize,
    /// What they are read as: `day`, `local time`, `instant`; `None` where they can't be read.
    pub read_as: Option<&'static str>,
}

/// What is gathered of one key.
#[derive(Debug, Default)]
struct Key {
    spellings: HashMap<String, usize>,
    /// What it means without a setting.
    means: Option<&'static str>,
    count: usize,
    values: BTreeMap<String, HashMap<String, usize>>,
    /// Texts that were too many to be kept.
    overflow: usize,
}

/// Looks at a mailbox: a folder with an inbox in it, or with one for each agent.
///
/// # Errors
/// There is no such folder, or no message in it.
pub fn survey(session: &Session<'_>, top: &Path) -> Result<Survey, Report> {
    let top = session.dir().join(top);
    if !top.is_dir() {
        let text = format!("there is no folder {}", session.short(&top));
        return Err(Report::new("no-such-folder", Exit::NotFound, text).at(&top));
    }
    let mut out = Survey { top, ..Survey::default() };
    let mut keys: BTreeMap<String, Key> = BTreeMap::new();
    let spots = spots(&mut out);
    for (id, spot) in spots {
        let inbox = inbox_at(id, &spot);
        let before = out.messages;
        look_at(session, &inbox, &mut out, &mut keys);
        if out.messages > before {
            out.inboxes.push(Found { spot, layout: id, messages: out.messages - before });
        }
    }
    if out.messages == 0 {
        let text = format!("there are no messages in {}", session.short(&out.top));
        return Err(Report::new("no-messages", Exit::NotFound, text).at(&out.top));
    }
    judge(&mut out, &keys);
    Ok(out)
}

/// The inboxes below the folder, each once: an archive or a `new/` stands for the inbox around it.
fn spots(out: &mut Survey) -> Vec<(LayoutId, Spot)> {
    let mut spots: Vec<(LayoutId, Spot)> = Vec::new();
    let enter = |entry: &walkdir::DirEntry| {
        let name = entry.file_name();
        entry.depth() == 0 || !["node_modules", "target", "vendor", ".git"].iter().any(|skipped| name == *skipped)
    };
    let walk = WalkDir::new(&out.top).max_depth(DEEPEST).sort_by_file_name().into_iter().filter_entry(enter);
    let mut folders = 0;
    let mut last = PathBuf::new();
    for entry in walk {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let path = error.path().unwrap_or(&out.top).to_owned();
                out.unlooked.push(Unlooked { inbox: "mailbox".to_owned(), path, why: error.to_string() });
                continue;
            }
        };
        if entry.file_type().is_dir() {
            folders += 1;
            out.more |= folders > MOST_FOLDERS;
            if out.more {
                break;
            }
            continue;
        }
        let Some(folder) = entry.path().parent().filter(|folder| *folder != last) else { continue };
        if !soma::is_message_name(entry.file_name()) && !json_inbox::is_message_name(entry.file_name()) {
            continue;
        }
        folder.clone_into(&mut last);
        if let Some(found) = layout::recognise(&ALL, folder)
            && found.0 != LayoutId::Teams
            && !spots.iter().any(|(_, spot)| spot.path == found.1.path)
        {
            spots.push(found);
        }
    }
    spots
}

fn inbox_at(layout: LayoutId, spot: &Spot) -> Inbox {
    Inbox {
        name: spot.path.display().to_string(),
        path: spot.path.clone(),
        layout,
        owner: spot.owner.clone(),
        aliases: Vec::new(),
        label: Label::Configured,
        project: spot.project.clone(),
    }
}

fn look_at(session: &Session<'_>, inbox: &Inbox, out: &mut Survey, keys: &mut BTreeMap<String, Key>) {
    let layout = layout::of(inbox.layout);
    // The built-in words only: what the configuration says already is part of what is to be found.
    let dialect = Dialect::default();
    let scan = Scan { inbox, dialect: &dialect, clock: &session.clock, stamps: false };
    let problems = scan.each(&[Which::Live, Which::Archived], &mut |message| {
        if out.messages >= MOST_MESSAGES {
            out.more = true;
            return;
        }
        out.messages += 1;
        let source = read::read_whole(&message.path, Reach::Within(&inbox.project), LARGEST);
        let fields = source.map(|(source, _)| layout.raw_fields(&dialect, &message, &source.bytes)).unwrap_or_default();
        out.unreadable += usize::from(fields.is_empty());
        for field in fields {
            let key = keys.entry(field.key.to_lowercase()).or_default();
            key.means = field.meaning;
            key.add(&field.key, &field.value);
        }
    });
    out.unlooked.extend(problems.into_iter().map(|(path, error)| Unlooked {
        inbox: inbox.name.clone(),
        path,
        why: error.to_string(),
    }));
}

impl Key {
    fn add(&mut self, spelling: &str, value: &RawValue) {
        self.count += 1;
        *self.spellings.entry(spelling.to_owned()).or_default() += 1;
        let Some(text) = value.as_text().map(str::trim).filter(|t| !t.is_empty() && t.len() <= 80) else { return };
        let folded = text.to_lowercase();
        if self.values.len() >= MOST_VALUES && !self.values.contains_key(&folded) {
            self.overflow += 1;
            return;
        }
        *self.values.entry(folded).or_default().entry(text.to_owned()).or_default() += 1;
    }

    fn texts(&self) -> impl Iterator<Item = (String, usize)> {
        self.values.values().map(|spellings| (most(spellings), spellings.values().sum()))
    }
}

/// The most frequent spelling.
fn most(spellings: &HashMap<String, usize>) -> String {
    let best = spellings.iter().max_by_key(|&(text, count)| (*count, std::cmp::Reverse(text)));
    best.map(|(text, _)| text.clone()).unwrap_or_default()
}

/// Says what the keys, words and dates mean.
fn judge(out: &mut Survey, keys: &BTreeMap<String, Key>) {
    let said = |means: &str| keys.values().filter(|key| key.means == Some(means)).map(|key| key.count).max().unwrap_or(0);
    for (name, key) in keys {
        let means = match (key.means, guess::key(name)) {
            (Some(means), _) => Means::BuiltIn(means),
            // Another key says it more often: then this one says something else.
            (None, Some(means)) if said(means) < key.count && fits(means, key) => Means::Guess(means),
            _ => Means::Unknown,
        };
        match means.get() {
            Some("status") => out.words.extend(key.texts().map(|(text, count)| word(text, count))),
            Some("date") => key.texts().for_each(|(text, count)| date(&mut out.dates, text, count)),
            _ => {}
        }
        out.keys.push(Counted { text: most(&key.spellings), count: key.count, means });
    }
    out.words.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.text.cmp(&b.text)));
    out.keys.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.text.cmp(&b.text)));
    out.dates.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.example.cmp(&b.example)));
}

/// Whether a key's values are such as its guessed meaning has.
fn fits(means: &str, key: &Key) -> bool {
    let share = |is: &dyn Fn(&str) -> bool| {
        let all: usize = key.texts().map(|(_, count)| count).sum();
        let some: usize = key.texts().filter(|(text, _)| is(text)).map(|(_, count)| count).sum();
        all > 0 && some * 2 >= all
    };
    match means {
        "status" => key.overflow == 0 && share(&|text| Status::from_word(text).or_else(|| guess::word(text)).is_some()),
        "date" => share(&|text| When::parse(text).is_some()),
        _ => true,
    }
}

fn word(text: String, count: usize) -> Counted<Status> {
    let means = match (Status::from_word(&text), guess::word(&text)) {
        (Some(status), _) => Means::BuiltIn(status),
        (None, Some(status)) => Means::Guess(status),
        (None, None) => Means::Unknown,
    };
    Counted { text, count, means }
}

fn date(forms: &mut Vec<DateForm>, text: String, count: usize) {
    let form: String = text.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
    let same = |f: &&mut DateForm| f.example.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).eq(form.chars());
    if let Some(known) = forms.iter_mut().find(same) {
        known.count += count;
        return;
    }
    let read_as = When::parse(&text).map(|when| match when {
        When::Day(_) => "day",
        When::Local(_) => "local time",
        When::Instant(_) => "instant",
    });
    forms.push(DateForm { example: text, count, read_as });
}
