//! Which files of an inbox are to be read, each once, also while other programs rename them.
//!
//! Before the first step of a message's journey: folders → **entries** → read. A folder that is changed
//! while its names are read may give a renamed file twice, or not at all, so it is read again until it
//! holds still. A file that is renamed between listing and reading is looked for under its new name; one
//! that was read already and is renamed then is known again by its number in the file system, or by its
//! id, and is not read twice.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::layout::{self, Beginning, Entry, Listing, Which, changed};
use crate::model::inbox::Inbox;
use crate::model::name::MessageId;

/// How often a folder that is being changed is read.
const MOST_LISTINGS: usize = 4;

/// How often files that are gone are looked for.
const MOST_ROUNDS: usize = 32;

/// The files of some parts of an inbox.
pub(super) struct Census<'a> {
    inbox: &'a Inbox,
    parts: &'a [Which],
    read: Vec<Entry>,
    rounds: usize,
}

impl<'a> Census<'a> {
    /// Starts with what lies there now.
    pub fn take(inbox: &'a Inbox, parts: &'a [Which]) -> (Self, Listing) {
        (Self { inbox, parts, read: Vec::new(), rounds: 0 }, listing(inbox, parts, Beginning::ANY))
    }

    /// The files to be read next: those of `entries` that were `gone` when their turn came (by number),
    /// as far as they are there under another name now, and what came since.
    pub fn next(&mut self, entries: Vec<Entry>, gone: &[usize]) -> Vec<Entry> {
        if gone.is_empty() || self.rounds == MOST_ROUNDS {
            return Vec::new();
        }
        self.rounds += 1;
        let gone: HashSet<usize> = gone.iter().copied().collect();
        self.read.extend(entries.into_iter().enumerate().filter(|(n, _)| !gone.contains(n)).map(|(_, entry)| entry));
        let now = listing(self.inbox, self.parts, Beginning::ANY).entries;
        unread(self.inbox, &self.read, now)
    }
}

/// What lies in some parts of an inbox, by name, as it was at one moment – or, where somebody renames
/// things all the time, as nearly as can be told. What closes an inbox closes its archive, and is said
/// once.
pub fn listing(inbox: &Inbox, parts: &[Which], wanted: Beginning<'_>) -> Listing {
    let mut last = list_once(inbox, parts, wanted);
    for look in 2..=MOST_LISTINGS {
        if is_still(&last) {
            break;
        }
        let earlier = std::mem::replace(&mut last, list_once(inbox, parts, wanted));
        if look == MOST_LISTINGS && !is_still(&last) {
            // What the last look may have missed; what is gone by now is found to be so.
            let lacking = unread(inbox, &last.entries, earlier.entries);
            last.entries.extend(lacking);
        }
    }
    last
}

fn list_once(inbox: &Inbox, parts: &[Which], wanted: Beginning<'_>) -> Listing {
    let mut out = Listing::default();
    for &which in parts {
        if out.problems.iter().any(|(path, _)| *path == inbox.path) {
            continue;
        }
        match layout::of(inbox.layout).list(inbox, which, wanted) {
            Ok(listing) => {
                out.entries.extend(listing.entries);
                out.leftovers.extend(listing.leftovers);
                out.problems.extend(listing.problems);
                out.folders.extend(listing.folders);
            }
            Err(error) => out.problems.push((inbox.path.clone(), error)),
        }
    }
    if out.folders.len() > 1 {
        // An archive that is a link to its inbox shows what lies there once more.
        let mut real = HashSet::new();
        let is_twin = |folder: &Arc<Path>| identity(folder).is_some_and(|identity| !real.insert(identity));
        let twins: Vec<Arc<Path>> = out.folders.iter().map(|(folder, _)| Arc::clone(folder)).filter(is_twin).collect();
        if !twins.is_empty() {
            out.entries.retain(|entry| !twins.contains(&entry.folder));
        }
    }
    out
}

/// Whether no folder was changed since its names were read.
fn is_still(listing: &Listing) -> bool {
    listing.folders.iter().all(|(folder, before)| changed(folder) == *before)
}

/// The files of a later look that are none of those `read`, under whatever name.
fn unread(inbox: &Inbox, read: &[Entry], now: Vec<Entry>) -> Vec<Entry> {
    let there: HashSet<Place<'_>> = now.iter().map(place).collect();
    let names: HashSet<Place<'_>> = read.iter().map(place).collect();
    let moved: Vec<&Entry> = read.iter().filter(|entry| !there.contains(&place(entry))).collect();
    let new: Vec<bool> = now.iter().map(|entry| !names.contains(&place(entry))).collect();
    let new: Vec<Entry> = now.into_iter().zip(new).filter_map(|(entry, new)| new.then_some(entry)).collect();
    // A rename keeps the file; a mark by exchange makes another one, whose id is the same.
    let mut devices = Devices::default();
    let (moved, new) = without_pairs(moved, new, |entry| devices.node(entry));
    let layout = layout::of(inbox.layout);
    without_pairs(moved, new, |entry| Some::<MessageId>(layout.id_of(&entry.name.to_string_lossy()))).1
}

type Place<'e> = (&'e Path, &'e OsStr);

fn place(entry: &Entry) -> Place<'_> {
    (&entry.folder, &entry.name)
}

/// Two lists without what has the same key in both; each stands for one of the others.
fn without_pairs<K: Hash + Eq>(
    moved: Vec<&Entry>,
    new: Vec<Entry>,
    mut key: impl FnMut(&Entry) -> Option<K>,
) -> (Vec<&Entry>, Vec<Entry>) {
    let mut waiting: HashMap<K, Vec<&Entry>> = HashMap::new();
    let mut rest = Vec::new();
    for entry in moved {
        match key(entry) {
            Some(key) => waiting.entry(key).or_default().push(entry),
            None => rest.push(entry),
        }
    }
    let is_new = |entry: &Entry| key(entry).and_then(|key| waiting.get_mut(&key)?.pop()).is_none();
    let new = new.into_iter().filter(is_new).collect();
    (rest.into_iter().chain(waiting.into_values().flatten()).collect(), new)
}

/// Numbers of files are told apart by the file systems of their folders.
#[derive(Default)]
struct Devices {
    of: HashMap<PathBuf, Option<u64>>,
}

impl Devices {
    fn node(&mut self, entry: &Entry) -> Option<(u64, u64)> {
        let node = entry.node?;
        let device = match self.of.get(&*entry.folder) {
            Some(known) => *known,
            None => *self.of.entry(entry.folder.to_path_buf()).or_insert(identity(&entry.folder).map(|(device, _)| device)),
        };
        Some((device?, node))
    }
}

/// Device and inode of a folder.
#[cfg(unix)]
fn identity(folder: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    folder.metadata().ok().map(|facts| (facts.dev(), facts.ino()))
}

#[cfg(not(unix))]
fn identity(_folder: &Path) -> Option<(u64, u64)> {
    None
}

#[cfg(test)]
#[path = "census_tests.rs"]
mod tests;
