//! What postroom made itself and takes away again: its records of sessions and set-ups, settings
//! that hold nothing but its own, and the folders that it made for them. Never a message.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::replace::check_unchanged;
use super::step::Step;
use super::temp::folder_of;
use super::{CommitError, Disk, Failed};
use crate::store::read::Reach;

impl Disk<'_> {
    /// Makes a folder, and those above it that are missing, each with the mode of the one it lies
    /// in. Gives the folders made, outermost first: for [`Disk::remove_empty_folder`].
    ///
    /// # Errors
    /// One can't be made; those made before it stay.
    pub fn shared_folder(&self, path: &Path) -> Result<Vec<PathBuf>, CommitError> {
        let missing = path.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.is_dir());
        let mut missing: Vec<PathBuf> = missing.map(Path::to_path_buf).collect();
        missing.reverse();
        for folder in &missing {
            self.make_folder_like_parent(folder)?;
        }
        Ok(missing)
    }

    /// Removes a file that postroom made, while it holds what was read: `before`, byte for byte.
    ///
    /// # Errors
    /// [`Failed`]; with [`CommitError::Changed`] when somebody was faster.
    pub fn take_away(&self, path: &Path, before: &[u8]) -> Result<(), Failed> {
        let (target, ..) = check_unchanged(path, before, Reach::Anywhere)?;
        // A link is somebody's own doing; what is behind it is not ours to remove.
        if path.symlink_metadata().is_ok_and(|facts| facts.is_symlink()) {
            return Err(CommitError::Changed { path: path.to_owned() }.into());
        }
        self.step(Step::Unlink, &target, || fs::remove_file(&target)).map_err(CommitError::from)?;
        self.sync_all([folder_of(&target)])?;
        Ok(())
    }

    /// Removes a folder that postroom made, if there is nothing in it (any more).
    pub fn remove_empty_folder(&self, path: &Path) -> bool {
        let is_link = path.symlink_metadata().is_ok_and(|facts| facts.is_symlink());
        !is_link && self.step(Step::Unlink, path, || fs::remove_dir(path)).is_ok()
    }

    /// Removes a record of postroom's own that has served its time, whatever it holds. Only for
    /// files in its state folder.
    pub(crate) fn forget(&self, path: &Path) -> io::Result<()> {
        self.step(Step::Unlink, path, || fs::remove_file(path)).map_err(|e| e.source)
    }

    /// Writes such a record anew (mode 600), whatever it held. Not synced: it is harmless when lost.
    pub(crate) fn record(&self, path: &Path, bytes: &[u8]) -> Result<(), CommitError> {
        let mut temp = self.temp(folder_of(path), super::Leftover::Copy, true)?;
        self.write_temp(&mut temp, bytes, path)?;
        self.step(Step::Rename, path, || fs::rename(temp.path(), path)).map_err(CommitError::from)?;
        temp.disable_cleanup(true);
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_made_and_taken_away_again() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b/c");
        let disk = Disk::new();
        let made = disk.shared_folder(&deep).unwrap();
        assert_eq!(made, [dir.path().join("a"), dir.path().join("a/b"), deep.clone()]);
        assert!(disk.shared_folder(&deep).unwrap().is_empty());
        std::fs::write(dir.path().join("a/keep"), "x").unwrap();
        let gone: Vec<bool> = made.iter().rev().map(|folder| disk.remove_empty_folder(folder)).collect();
        assert_eq!(gone, [true, true, false]);
    }

    #[test]
    fn a_file_is_removed_only_as_it_was_read() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("settings.json");
        std::fs::write(&file, "{}").unwrap();
        let disk = Disk::new();
        assert!(matches!(disk.take_away(&file, b"{ }").unwrap_err().error, CommitError::Changed { .. }));
        assert!(file.exists());
        disk.take_away(&file, b"{}").unwrap();
        assert!(!file.exists());
    }

    #[test]
    #[cfg(unix)]
    fn what_is_behind_a_link_is_not_removed() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("real"), "{}").unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("real", &link).unwrap();
        assert!(Disk::new().take_away(&link, b"{}").is_err());
        assert!(link.exists());
    }
}
