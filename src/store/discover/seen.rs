//! Which inboxes were found already, whatever path leads to them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::store::read;

/// The numbers of inboxes, by where they lie.
#[derive(Default)]
pub(super) struct Seen(BTreeMap<Place, Vec<(PathBuf, usize)>>);

/// What two paths to one inbox have in common. One question tells it, where a canonical path takes one for
/// each folder above.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Node(u64, u64),
    /// Where the system has no nodes, or doesn't tell.
    Canonical(PathBuf),
}

impl Seen {
    /// The number of the inbox at a path.
    pub(super) fn number(&self, path: &Path) -> Option<usize> {
        of(self.0.get(&place(path))?, path)
    }

    /// The number of the inbox at a path; one that is not known yet gets the next.
    pub(super) fn number_or(&mut self, path: &Path, next: usize) -> usize {
        let inboxes = self.0.entry(place(path)).or_default();
        of(inboxes, path).unwrap_or_else(|| {
            inboxes.push((path.to_owned(), next));
            next
        })
    }
}

/// Not every file system gives each folder a node of its own, so the paths have the last word.
fn of(inboxes: &[(PathBuf, usize)], path: &Path) -> Option<usize> {
    inboxes.iter().find(|(known, _)| canonical(known) == canonical(path)).map(|(_, number)| *number)
}

fn place(path: &Path) -> Place {
    match fs::metadata(path).ok().and_then(|facts| read::stamp_of(&facts).node) {
        Some((device, node)) => Place::Node(device, node),
        None => Place::Canonical(canonical(path)),
    }
}

fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
