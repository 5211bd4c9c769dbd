//! What `setup` made that was not there before: so that `unsetup` can take away the file and the
//! folders, too, and not only what stands in them.
//!
//! One small file a settings file, in the state folder (`setup/<hash of its path>.json`). Lost, it
//! costs an empty settings file that stays.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::atomic::Disk;
use super::lock::fnv1a;
use super::read::{self, Reach};

/// Larger files are none of ours, in bytes.
const LARGEST: u64 = 64 << 10;

/// What was made for a settings file. There is one only where the file itself was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    path: PathBuf,
    /// The folders that were made for it, outermost first.
    pub folders: Vec<PathBuf>,
}

impl Receipt {
    /// Reads the receipt for a settings file.
    pub fn find(state: &Path, settings: &Path) -> Option<Self> {
        let (source, _) = read::read_whole(&place(state, settings), Reach::Anywhere, LARGEST).ok()?;
        let receipt: Self = serde_json::from_slice(&source.bytes).ok()?;
        (receipt.path == settings).then_some(receipt)
    }

    /// Writes down that a settings file was made, and these folders for it.
    ///
    /// # Errors
    /// The state folder can't be written.
    pub fn write(disk: &Disk<'_>, state: &Path, settings: &Path, folders: Vec<PathBuf>) -> io::Result<()> {
        let receipt = Self { path: settings.to_owned(), folders };
        let place = place(state, settings);
        disk.private_folder(&state.join("setup"))?;
        disk.record(&place, &serde_json::to_vec(&receipt)?).map_err(io::Error::other)
    }

    /// Throws the receipt for a settings file away.
    pub fn forget(disk: &Disk<'_>, state: &Path, settings: &Path) {
        // One that can't be removed says what was once so; it is checked against the file before use.
        let _ = disk.forget(&place(state, settings));
    }
}

fn place(state: &Path, settings: &Path) -> PathBuf {
    state.join("setup").join(format!("{:016x}.json", fnv1a(settings.as_os_str().as_encoded_bytes())))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_is_found_until_it_is_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let (disk, settings) = (Disk::new(), Path::new("/p/.claude/settings.json"));
        assert_eq!(Receipt::find(dir.path(), settings), None);
        Receipt::write(&disk, dir.path(), settings, vec!["/p/.claude".into()]).unwrap();
        assert_eq!(Receipt::find(dir.path(), settings).unwrap().folders, [Path::new("/p/.claude")]);
        assert_eq!(Receipt::find(dir.path(), Path::new("/q")), None);
        Receipt::forget(&disk, dir.path(), settings);
        assert_eq!(Receipt::find(dir.path(), settings), None);
    }
}
