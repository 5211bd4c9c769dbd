//! Which projects the nightly sweep visits: `projects` in the reader's own configuration. What
//! `schedule install` added there is remembered, so that `schedule remove` can take just that out again.

use std::path::{Path, PathBuf};

use crate::error::Report;
use crate::model::message::Warning;
use crate::ops::session::Session;
use crate::ops::settings::Settings;
use crate::store::read::{self, Reach};

/// Larger files are none of ours, in bytes.
const LARGEST: u64 = 1 << 20;

/// What becomes of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Became {
    /// It was, or would be, added.
    Added,
    /// It was there.
    Known,
    /// Nothing in it can be swept: the home folder, whose inboxes are swept anyway, or no inbox at all.
    NotNeeded(&'static str),
}

/// Adds the project that the session stands in, unless there is no need to.
///
/// # Errors
/// The configuration can't be read or written.
pub fn add(session: &Session<'_>, config: &Path, dry_run: bool) -> Result<(Became, Vec<Warning>), Report> {
    let root = &session.ground.project_root;
    if session.home() == Some(root) {
        return Ok((Became::NotNeeded("the home folder is swept in any case"), Vec::new()));
    }
    if !session.found.inboxes.iter().any(|inbox| inbox.path.starts_with(root)) {
        return Ok((Became::NotNeeded("there is no inbox in it"), Vec::new()));
    }
    let same = |known: &PathBuf| known == root || known.canonicalize().is_ok_and(|known| known == *root);
    if session.config.projects.iter().any(same) {
        return Ok((Became::Known, Vec::new()));
    }
    let Some(text) = root.to_str() else {
        return Err(
            Report::failed("not-utf8", "the project's path is not UTF-8, and a configuration file can't name it").at(root)
        );
    };
    let mut settings = Settings::read(config)?;
    settings.add_project(text)?;
    if dry_run {
        return Ok((Became::Added, Vec::new()));
    }
    let warnings = settings.write(session)?;
    let mut added = added(session);
    added.push(text.to_owned());
    remember(session, &added);
    Ok((Became::Added, warnings))
}

/// Takes out what [`add`] added, and gives it.
///
/// # Errors
/// As [`add`].
pub fn remove(session: &Session<'_>, config: &Path, dry_run: bool) -> Result<Vec<String>, Report> {
    let added = added(session);
    if added.is_empty() {
        return Ok(added);
    }
    let mut settings = Settings::read(config)?;
    for project in &added {
        settings.remove_project(project);
    }
    if !dry_run {
        settings.write(session)?;
        remember(session, &[]);
    }
    Ok(added)
}

fn place(session: &Session<'_>) -> PathBuf {
    session.state.join("schedule.json")
}

fn added(session: &Session<'_>) -> Vec<String> {
    let read = read::read_whole(&place(session), Reach::Anywhere, LARGEST).ok();
    read.and_then(|(source, _)| serde_json::from_slice(&source.bytes).ok()).unwrap_or_default()
}

/// Without that record the projects stay in the configuration when the schedule goes: that is all.
fn remember(session: &Session<'_>, added: &[String]) {
    let path = place(session);
    if added.is_empty() {
        let _ = session.disk.forget(&path);
    } else if session.disk.private_folder(&session.state).is_ok()
        && let Ok(bytes) = serde_json::to_vec(added)
    {
        let _ = session.disk.record(&path, &bytes);
    }
}
