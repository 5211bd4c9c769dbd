//! What is there twice in one inbox: messages, ids, and names that some disks take for one.
//!
//! Copies in other inboxes are no twins: that is how a message reaches several readers.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::path::{Path, PathBuf};

use super::look::Look;
use super::rules::{self, Rule};
use super::{Exam, Finding};
use crate::text::file_name;

/// What is known of a message when its turn is over.
struct Seen {
    inbox: String,
    path: PathBuf,
    id: Option<(String, Option<usize>)>,
    /// The id that its name gives, where that is another's as well.
    by_name: Option<String>,
    content: Option<u64>,
}

/// Gathers what may be there twice.
#[derive(Default)]
pub(super) struct Twins {
    seen: Vec<Seen>,
}

impl Twins {
    pub fn add(&mut self, look: &Look<'_>) {
        if !look.is_alone() {
            return;
        }
        let message = look.message;
        self.seen.push(Seen {
            inbox: message.inbox.clone(),
            path: message.path.clone(),
            id: message
                .header
                .id
                .as_deref()
                .map(str::trim)
                .filter(|id| !id.is_empty())
                .map(|id| (id.to_owned(), look.line_of("id"))),
            by_name: look.id_by_name(),
            content: message.readable.then(|| content(look)),
        });
    }

    /// Tells of each group once, at its last member; copies have the longer names as a rule.
    pub fn judge(mut self, exam: &mut Exam<'_>) {
        self.seen.sort_by(|a, b| (a.path.as_os_str().len(), &a.path).cmp(&(b.path.as_os_str().len(), &b.path)));
        self.seen.dedup_by(|a, b| a.path == b.path);
        let mut told: HashSet<PathBuf> = HashSet::new();
        for group in groups(&self.seen, |s| s.content) {
            tell(exam, &rules::DUPLICATE_MESSAGE, &group, "it says the same as", |_| None);
            told.extend(group.iter().map(|s| s.path.clone()));
        }
        // A message that is there twice has its id twice.
        let others: Vec<&Seen> = self.seen.iter().filter(|s| !told.contains(&s.path)).collect();
        for group in groups(others.iter().copied(), |s| s.id.as_ref().map(|(id, _)| id.clone())) {
            let id = group.first().and_then(|s| s.id.as_ref()).map(|(id, _)| id.as_str()).unwrap_or_default();
            tell(exam, &rules::DUPLICATE_ID, &group, &format!("its id, {id:?}, is also that of"), |s| {
                s.id.as_ref().and_then(|(_, line)| *line)
            });
            told.extend(group.iter().map(|s| s.path.clone()));
        }
        // One message may be called `x.json`, and `x.json.read` later; two at once are in each other's way.
        let by_name = |s: &Seen| s.by_name.clone().filter(|_| !told.contains(&s.path));
        for group in groups(&self.seen, by_name) {
            tell(exam, &rules::DUPLICATE_ID, &group, "but for its state it is called as", |_| None);
        }
        let place = |s: &Seen| Some((s.path.parent().map(Path::to_path_buf), s.path.file_name().map(file_name::fold)));
        for group in groups(&self.seen, place) {
            tell(exam, &rules::NAMES_MEET, &group, "on some disks its name is that of", |_| None);
        }
    }
}

/// Those of one inbox that have the same key, two or more of them.
fn groups<'s, K: Hash + Eq>(seen: impl IntoIterator<Item = &'s Seen>, key: impl Fn(&Seen) -> Option<K>) -> Vec<Vec<&'s Seen>> {
    let mut by_key: HashMap<(&str, K), Vec<&Seen>> = HashMap::new();
    for one in seen {
        if let Some(key) = key(one) {
            by_key.entry((&one.inbox, key)).or_default().push(one);
        }
    }
    by_key.into_values().filter(|group| group.len() > 1).collect()
}

fn tell(exam: &mut Exam<'_>, rule: &'static Rule, group: &[&Seen], text: &str, line: impl Fn(&Seen) -> Option<usize>) {
    let Some((last, others)) = group.split_last() else { return };
    let name = |s: &&Seen| s.path.file_name().map(OsString::from).unwrap_or_default().to_string_lossy().into_owned();
    let names: Vec<String> = others.iter().take(3).map(name).collect();
    let more = others.len().saturating_sub(names.len());
    let more = if more > 0 { format!(" (+{more} more)") } else { String::new() };
    exam.push(Finding::new(rule, &last.inbox, &last.path, format!("{text} {}{more}", names.join(", "))).line(line(last)));
}

/// What a message says, whatever became of it: all but its status. Of a large file, its first part
/// and its size.
fn content(look: &Look<'_>) -> u64 {
    let header = &look.message.header;
    let mut hasher = DefaultHasher::new();
    (&header.id, &header.from, &header.to, &header.cc, &header.subject, &header.date, &header.kind).hash(&mut hasher);
    (&header.thread, &header.in_reply_to, &header.origin, &header.tags).hash(&mut hasher);
    look.body().hash(&mut hasher);
    look.body_len().hash(&mut hasher);
    hasher.finish()
}
