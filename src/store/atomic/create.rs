//! New files: written under a temporary name, synced, and put in place under a name that nothing
//! has. A reader sees a whole message or none.

use std::io;
use std::path::{Path, PathBuf};

use super::place::{MOST_SUFFIXES, Placed, numbered};
use super::temp::{Leftover, folder_of};
use super::{CommitError, Disk};
use crate::model::plan::{FileOp, IfTaken, Refusal};
use crate::store::names::NearNames;

impl Disk<'_> {
    /// Makes a new file and gives its path. `staging` is the folder for the temporary, where it is
    /// there; the caller syncs both folders.
    pub(super) fn put_new(
        &self,
        path: &Path,
        bytes: &[u8],
        staging: Option<&Path>,
        if_taken: &IfTaken,
    ) -> Result<PathBuf, CommitError> {
        let staging = staging.filter(|folder| folder.is_dir());
        match self.put_new_from(staging.unwrap_or(folder_of(path)), path, bytes, if_taken) {
            // The layout promises its other users that a message passes through that folder.
            Err(CommitError::Io { source, .. }) if staging.is_some() && source.kind() == io::ErrorKind::CrossesDevices => {
                let text =
                    format!("{} lies on another file system, so nothing can be delivered by a rename", folder_of(path).display());
                let refusal = Refusal::new("other-file-system", text);
                Err(CommitError::Refused { path: staging.unwrap_or(path).to_owned(), refusal })
            }
            other => other,
        }
    }

    fn put_new_from(&self, staging: &Path, path: &Path, bytes: &[u8], if_taken: &IfTaken) -> Result<PathBuf, CommitError> {
        let mut temp = self.temp(staging, Leftover::New, false)?;
        self.write_temp(&mut temp, bytes, path)?;
        self.sync_temp(&temp, path)?;
        let IfTaken::Number(beside) = if_taken else {
            return match self.place_temp(&mut temp, path)? {
                Placed::There => Ok(path.to_owned()),
                Placed::Taken => Err(CommitError::Taken { path: path.to_owned() }),
            };
        };
        let near = names_around(path, beside);
        let first = near.first();
        for n in first..=first.max(MOST_SUFFIXES) {
            let to = numbered(path, n, |n| format!("-{n}"));
            // The names that were read are a help; the rename itself never replaces.
            if !is_in(&near, n, &to) && self.place_temp(&mut temp, &to)? == Placed::There {
                return Ok(to);
            }
        }
        Err(CommitError::Taken { path: path.to_owned() })
    }
}

/// Where a step that makes a new file would put it now; for a dry run. `claimed`: what other steps
/// would have made by then. `None` for other steps.
pub fn foreseen(op: &FileOp, claimed: &[PathBuf]) -> Option<PathBuf> {
    let FileOp::Create { path, if_taken, .. } = op else { return None };
    let IfTaken::Number(beside) = if_taken else { return Some(path.clone()) };
    let mut near = names_around(path, beside);
    for other in claimed.iter().filter(|other| other.parent() == path.parent()) {
        near.add(other.file_name().unwrap_or_default());
    }
    let first = near.first();
    let mut places = (first..=first.max(MOST_SUFFIXES)).map(|n| (n, numbered(path, n, |n| format!("-{n}"))));
    places.find(|(n, to)| !is_in(&near, *n, to)).map(|(_, to)| to)
}

/// The names in a file's folder and in those beside it that may meet its own. A folder that can't be read takes none: the
/// rename tells for its own.
fn names_around(path: &Path, beside: &[PathBuf]) -> NearNames {
    let mut near = NearNames::of(path.file_name().unwrap_or_default());
    for folder in std::iter::once(folder_of(path)).chain(beside.iter().map(PathBuf::as_path)) {
        near.add_folder(folder);
    }
    near
}

fn is_in(near: &NearNames, number: usize, path: &Path) -> bool {
    path.file_name().is_some_and(|name| near.is_taken(number, name))
}
