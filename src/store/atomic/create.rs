//! New files: written under a temporary name, synced, and put in place under a name that nothing
//! has. A reader sees a whole message or none.

use std::io;
use std::path::{Path, PathBuf};

use super::place::{MOST_SUFFIXES, Placed, numbered};
use super::temp::{Leftover, folder_of};
use super::{CommitError, Disk};
use crate::model::plan::{IfTaken, Refusal};

impl Disk<'_> {
    /// Makes a new file and gives its path. `staging` is the folder for the temporary, where it is
    /// there; the caller syncs both folders.
    pub(super) fn put_new(
        &self,
        path: &Path,
        bytes: &[u8],
        staging: Option<&Path>,
        if_taken: IfTaken,
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

    fn put_new_from(&self, staging: &Path, path: &Path, bytes: &[u8], if_taken: IfTaken) -> Result<PathBuf, CommitError> {
        let mut temp = self.temp(staging, Leftover::New, false)?;
        self.write_temp(&mut temp, bytes, path)?;
        self.sync_temp(&temp, path)?;
        let most = if if_taken == IfTaken::Number { MOST_SUFFIXES } else { 1 };
        for n in 1..=most {
            let to = numbered(path, n, |n| format!("-{n}"));
            if self.place_temp(&mut temp, &to)? == Placed::There {
                return Ok(to);
            }
        }
        Err(CommitError::Taken { path: path.to_owned() })
    }
}
