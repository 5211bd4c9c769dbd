//! Where a command stands: its folder, the home folder, the project around it.
//!
//! Surveyed once, before the configuration is read, because a project's `.postroom.toml` lies at the
//! project root.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::FindError;
use super::git::Repo;
use crate::model::inbox::Label;

/// What makes a folder a project where there is no repository.
const MARKS: [&str; 6] = [".postroom.toml", ".soma", ".claude", ".agents", ".workspace", ".team"];

/// The ground a command stands on.
#[derive(Debug, Clone)]
pub struct Ground {
    /// The working folder, canonical where the system tells.
    pub dir: PathBuf,
    /// The home folder, likewise; `None` where there is none.
    pub home: Option<PathBuf>,
    /// The top of the project: of the repository around the working folder, else the nearest folder
    /// with a place of inboxes or a `.postroom.toml`, else the working folder.
    pub project_root: PathBuf,
    pub(super) repo: Option<Repo>,
}

impl Ground {
    /// Looks around from a working folder, given as an absolute path.
    ///
    /// A repository at the home folder or above it is not the project of what lies in the home: it
    /// holds somebody's settings.
    ///
    /// # Errors
    /// [`FindError::NoFolder`] when the folder is not there.
    pub fn survey(dir: &Path, home: Option<&Path>) -> Result<Self, FindError> {
        let dir = match fs::canonicalize(dir) {
            Ok(dir) => dir,
            // Somebody may stand where the folders above are closed to them; the levels will say so.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => dir.to_owned(),
            Err(error) => return Err(FindError::NoFolder { path: dir.to_owned(), why: super::why(&error) }),
        };
        if !dir.is_dir() {
            return Err(FindError::NoFolder { path: dir, why: "it is no folder".to_owned() });
        }
        let home = home.filter(|h| h.is_absolute()).and_then(|h| fs::canonicalize(h).ok());
        let below_home = |level: &&Path| Some(*level) != home.as_deref();
        let repo = Repo::around(&dir, home.as_deref());
        let marked = |level: &&Path| MARKS.iter().any(|mark| level.join(mark).symlink_metadata().is_ok());
        let project_root = match &repo {
            Some(repo) => repo.root.clone(),
            None => dir.ancestors().take_while(below_home).find(marked).unwrap_or(&dir).to_owned(),
        };
        Ok(Self { dir, home, project_root, repo })
    }

    /// Whether a folder lies in a linked worktree. The checkout around the working folder is known, and not
    /// looked for again from the folders between.
    pub(super) fn is_linked_worktree(&self, folder: &Path) -> bool {
        let home = self.home.as_deref();
        let looked_at = match &self.repo {
            Some(repo) => folder.starts_with(&repo.root),
            None => home.is_none_or(|home| !home.starts_with(folder)),
        };
        if looked_at && self.dir.starts_with(folder) {
            return self.repo.as_ref().is_some_and(|repo| repo.linked);
        }
        Repo::around(folder, home).is_some_and(|repo| repo.linked)
    }

    /// Whether a path lies in the repository around the working folder, in any of its checkouts.
    pub fn is_versioned(&self, path: &Path) -> bool {
        self.repo.as_ref().is_some_and(|repo| path.starts_with(&repo.root) || path.starts_with(self.meeting_place()))
    }

    /// The folder where all checkouts of the repository meet, and where their shared inboxes lie; the
    /// project's own where there is no repository.
    pub fn meeting_place(&self) -> PathBuf {
        self.repo.as_ref().and_then(Repo::meeting_place).unwrap_or_else(|| self.project_root.clone())
    }

    /// The top of the project that a folder with inboxes belongs to: what its `.postroom.toml` may
    /// govern. Seen from a project, its members and its other checkouts are part of it.
    pub fn root_of(&self, folder: &Path) -> PathBuf {
        if folder == self.project_root || Some(folder) == self.home.as_deref() {
            return folder.to_owned();
        }
        let is_home = |level: &Path| Some(level) == self.home.as_deref();
        match Repo::around(folder, self.home.as_deref()) {
            Some(repo) if self.repo.as_ref().is_some_and(|own| own.common == repo.common) => self.project_root.clone(),
            Some(repo) => repo.root,
            None if folder.starts_with(&self.project_root) && !is_home(&self.project_root) => {
                let has_own = |level: &&Path| level.join(MARKS[0]).symlink_metadata().is_ok();
                folder
                    .ancestors()
                    .find(has_own)
                    .filter(|own| own.starts_with(&self.project_root))
                    .unwrap_or(&self.project_root)
                    .to_owned()
            }
            None => folder.to_owned(),
        }
    }

    /// The folders from the working folder upwards whose inboxes count, nearest first: to the home
    /// folder (which is a matter of its own), or to `/` outside it.
    pub(super) fn levels(&self, parents: bool) -> impl Iterator<Item = (&Path, Label)> {
        self.dir
            .ancestors()
            .take_while(|level| Some(*level) != self.home.as_deref())
            .map(|level| (level, if level.starts_with(&self.project_root) { Label::Project } else { Label::Parent }))
            .take_while(move |(_, label)| parents || *label == Label::Project)
    }

    /// A path that somebody gave, made absolute without resolving its last name: an inbox may be a
    /// link, and is known by the place of that link.
    pub(super) fn absolute(&self, path: &Path) -> PathBuf {
        let path = match (path.strip_prefix("~"), &self.home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => self.dir.join(path),
        };
        match (path.file_name(), path.parent().map(fs::canonicalize)) {
            (Some(name), Some(Ok(parent))) => parent.join(name),
            _ => fs::canonicalize(&path).unwrap_or(path),
        }
    }
}
