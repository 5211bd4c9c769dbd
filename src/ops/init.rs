//! Making an inbox: the one way in which a new one comes into being. Nothing that is there is changed.

use std::path::{Path, PathBuf};

use super::session::Session;
use crate::error::{Exit, Report};
use crate::host::soma;
use crate::layout::{self, Blueprint, Site};
use crate::model::inbox::LayoutId;
use crate::model::name::{AgentName, same};
use crate::store::read::Reach;

/// What is wanted.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// The form; by default `soma`, and `agents` for an agent that has no place of that form.
    pub layout: Option<LayoutId>,
    /// Whose it is to be.
    pub agent: Option<AgentName>,
    /// Where the `agents` inboxes lie, if the environment says so.
    pub agents_root: Option<PathBuf>,
    /// Keep it out of the history.
    pub gitignore: bool,
    /// Only plan.
    pub dry_run: bool,
}

/// What was, or would be, made.
#[derive(Debug, Clone)]
pub struct Made {
    /// The inbox.
    pub inbox: PathBuf,
    /// Its form.
    pub layout: LayoutId,
    /// Whose it is.
    pub owner: AgentName,
    /// The folders and files that were, or would be, made.
    pub made: Vec<PathBuf>,
    /// What is left to be done, or worth knowing.
    pub notes: Vec<String>,
}

/// Makes an inbox, with its folders and the file that explains it.
///
/// # Errors
/// It is there already, under this or another spelling; the layout can't have such an inbox; the disk fails.
pub fn init(session: &Session<'_>, wanted: &Wanted) -> Result<Made, Report> {
    let id = wanted.layout.unwrap_or_else(|| usual(wanted.agent.as_ref()));
    let shared = session.ground.meeting_place();
    let root = wanted.agents_root.as_deref().filter(|root| root.is_absolute());
    let site = Site { project: &session.ground.project_root, shared: &shared, agents_root: root };
    let blueprint = layout::of(id)
        .blueprint(&site, wanted.agent.as_ref())
        .map_err(|refusal| Report::new(refusal.kind, Exit::Usage, format!("{refusal}; nothing was made")))?;
    refuse_double(session, id, &blueprint)?;
    let mut made = make(session, &blueprint, wanted)?;
    made.sort();
    let owner = match layout::of(id).recognise(&blueprint.inbox) {
        Some(spot) => spot.owner,
        None => wanted
            .agent
            .clone()
            .or_else(|| AgentName::parse("soma").ok())
            .ok_or_else(|| Report::failed("no-agent", "nobody is named whose inbox it is to be"))?,
    };
    let notes = notes(session, &blueprint, wanted);
    Ok(Made { inbox: blueprint.inbox, layout: id, owner, made, notes })
}

/// The form for an agent where none is asked for.
fn usual(agent: Option<&AgentName>) -> LayoutId {
    let has_place = agent.is_none_or(|a| a.matches("soma") || a.matches("claude"));
    if has_place { LayoutId::Soma } else { LayoutId::Agents }
}

/// Refuses to make an inbox that is there, also where it is spelt in other letters: on some disks the
/// two would be one, and to people they are.
fn refuse_double(session: &Session<'_>, id: LayoutId, blueprint: &Blueprint) -> Result<(), Report> {
    let there = |path: &Path| {
        let text = format!("{} is an inbox already; nothing was made", session.short(path));
        Report::failed("inbox-exists", text).at(path).next("postroom inboxes")
    };
    // A folder that is there, but lacks what makes it an inbox, is completed.
    let whole = blueprint.folders.iter().all(|folder| folder.is_dir());
    if whole && layout::of(id).recognise(&blueprint.inbox).is_some() {
        return Err(there(&blueprint.inbox));
    }
    if blueprint.inbox.symlink_metadata().is_ok() && !blueprint.inbox.is_dir() {
        let text = format!("{} is in the way: it is no folder; nothing was made", session.short(&blueprint.inbox));
        return Err(Report::failed("not-a-folder", text).at(&blueprint.inbox));
    }
    // The part of the path that names the agent, compared with its neighbours.
    for path in missing(&blueprint.inbox) {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name().and_then(|n| n.to_str())) else { continue };
        let entries = std::fs::read_dir(parent).into_iter().flatten().filter_map(Result::ok);
        let twin =
            entries.map(|e| e.file_name()).find(|other| other.to_str().is_some_and(|other| other != name && same(other, name)));
        if let Some(twin) = twin {
            return Err(there(&parent.join(twin)).hint("its name differs in letter case only"));
        }
    }
    Ok(())
}

fn make(session: &Session<'_>, blueprint: &Blueprint, wanted: &Wanted) -> Result<Vec<PathBuf>, Report> {
    let mut made = Vec::new();
    for folder in blueprint.folders.iter().filter(|folder| !folder.is_dir()) {
        if wanted.dry_run {
            made.extend(missing(folder).map(Path::to_path_buf).filter(|f| !made.contains(f)).collect::<Vec<_>>());
        } else {
            made.extend(session.disk.shared_folder(folder)?);
        }
    }
    let mut files = vec![(&blueprint.readme.0, blueprint.readme.1)];
    if wanted.gitignore {
        files.push((&blueprint.gitignore, "*\n"));
    }
    for (path, text) in files {
        if has_file(path) {
            continue;
        }
        if !wanted.dry_run {
            session.disk.write_file(path, None, text.as_bytes(), Reach::Anywhere)?;
        }
        made.push(path.clone());
    }
    Ok(made)
}

/// A folder and those above it, as far as they are not there yet.
fn missing(folder: &Path) -> impl Iterator<Item = &Path> {
    folder.ancestors().take_while(|folder| !folder.is_dir())
}

/// Whether a file is there, under this spelling or another.
fn has_file(path: &Path) -> bool {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|n| n.to_str())) else { return true };
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.map(|e| e.file_name()).any(|other| other.to_str().is_some_and(|other| same(other, name)))
}

fn notes(session: &Session<'_>, blueprint: &Blueprint, wanted: &Wanted) -> Vec<String> {
    let mut notes = Vec::new();
    let folder = blueprint.inbox.parent().unwrap_or(&blueprint.inbox);
    let marked = soma::MARKERS.iter().any(|marker| folder.join(marker).symlink_metadata().is_ok());
    if folder.file_name().is_some_and(|n| n == ".soma") && !marked {
        notes.push(format!("Soma ignores {} until one of these is in it: {}", session.short(folder), soma::MARKERS.join(", ")));
    }
    if !wanted.gitignore && session.ground.is_versioned(&blueprint.inbox) {
        notes.push("its messages go into the history of the project, unless git ignores them: --gitignore".to_owned());
    }
    if wanted.agents_root.as_deref().is_some_and(|root| !root.is_absolute()) {
        notes.push("AGENT_INBOX_ROOT is not an absolute path and was not followed".to_owned());
    }
    notes
}
