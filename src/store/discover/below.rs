//! The members of a workspace: folders at most two levels below the working folder.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::git::Repo;
use super::ignored::Ignored;
use super::{Hunt, ProblemKind, Sought};
use crate::model::inbox::Label;

/// Folders that hold other people's code or what was built: never members.
const SKIPPED: [&str; 3] = ["node_modules", "target", "vendor"];

/// How many folders are looked into before discovery stops and says so. Tests make do with fewer.
const MAX_FOLDERS: usize = if cfg!(test) { 256 } else { 4_096 };
/// How many entries of folders are read before it stops and says so.
const MAX_ENTRIES: usize = 100_000;

/// Whether a name below is passed over: hidden, or one of [`SKIPPED`].
pub(super) fn is_skipped(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".") || SKIPPED.iter().any(|s| name == *s)
}

/// What may still be spent on looking down.
struct Budget {
    folders: usize,
    entries: usize,
}

/// Looks for members below the working folder.
pub(super) fn look(hunt: &mut Hunt<'_>) {
    let ground = hunt.ground;
    let mut budget = Budget { folders: MAX_FOLDERS, entries: MAX_ENTRIES };
    let Some(top) = read(hunt, &ground.dir, &mut budget) else { return };
    let rules = ground.repo.as_ref().map(|repo| Ignored::in_folder(repo, &ground.dir)).unwrap_or_default();
    for folder in top.folders {
        // The home folder has a label of its own, and what lies in it is not this workspace's.
        if ground.home.as_deref() == Some(&*folder) || rules.covers(&folder) {
            continue;
        }
        let Some(inside) = read(hunt, &folder, &mut budget) else { continue };
        let nested = inside.has_git.then(|| Repo::at(&folder)).flatten();
        if nested.as_ref().is_some_and(|repo| is_ours(hunt, repo)) {
            continue;
        }
        hunt.probe(&folder, Label::Workspace, Sought::All);
        // The rules of a repository end where another one begins.
        let rules = match &nested {
            Some(repo) => Ignored::in_folder(repo, &folder),
            None if inside.has_rules && ground.repo.is_some() => rules.and_in(&folder),
            None => rules.clone(),
        };
        for folder in inside.folders {
            if budget.folders == 0 {
                break;
            }
            budget.folders -= 1;
            if ground.home.as_deref() == Some(&*folder) || rules.covers(&folder) {
                continue;
            }
            // One question for each place; that of a checkout only where there is an inbox.
            hunt.probe_unless(&folder, Label::Workspace, Sought::All, |hunt| {
                Repo::at(&folder).is_some_and(|r| is_ours(hunt, &r))
            });
        }
    }
    if budget.folders == 0 || budget.entries == 0 {
        let text = format!(
            "too much below to look for workspace members ({MAX_FOLDERS} folders, {MAX_ENTRIES} entries): name their inboxes under [[inbox]]"
        );
        hunt.problem(Label::Workspace, ground.dir.clone(), ProblemKind::Limit, text);
    }
}

/// Whether a checkout below is one more of the repository that the command stands in: another
/// branch's copy of the same inboxes, with readers of its own.
fn is_ours(hunt: &Hunt<'_>, repo: &Repo) -> bool {
    hunt.ground.repo.as_ref().is_some_and(|ours| ours.common == repo.common)
}

/// What matters of a folder's entries.
struct Inside {
    /// Folders that could be members, by name.
    folders: Vec<PathBuf>,
    has_git: bool,
    has_rules: bool,
}

fn read(hunt: &mut Hunt<'_>, folder: &Path, budget: &mut Budget) -> Option<Inside> {
    budget.folders = budget.folders.checked_sub(1)?;
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            if error.kind() != io::ErrorKind::NotFound {
                hunt.io_problem(Label::Workspace, folder.to_owned(), &error);
            }
            return None;
        }
    };
    let mut inside = Inside { folders: Vec::new(), has_git: false, has_rules: false };
    for entry in entries {
        let Some(left) = budget.entries.checked_sub(1) else { break };
        budget.entries = left;
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                hunt.io_problem(Label::Workspace, folder.to_owned(), &error);
                break;
            }
        };
        let name = entry.file_name();
        inside.has_git |= name == ".git";
        inside.has_rules |= name == ".gitignore";
        // Links are not followed: what they lead to lies elsewhere, and may lie above.
        if !is_skipped(&name) && entry.file_type().is_ok_and(|t| t.is_dir()) {
            inside.folders.push(entry.path());
        }
    }
    inside.folders.sort();
    Some(inside)
}
