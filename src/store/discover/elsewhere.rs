//! Inboxes that no walk leads to: configured ones, those that a command names by a path, and aliases.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::git::Repo;
use super::glob::{Part, fits_name, is_pattern, name};
use super::select::{Match, find};
use super::{Found, Ground, Hunt, Named, ProblemKind, Sought, add_alias, below, naming, why};
use crate::config::{Config, ConfiguredInbox, looks_like_path};
use crate::layout::{Layout, Spot, recognise, soma};
use crate::model::inbox::{Label, LayoutId};
use crate::model::name::{Recipient, same};

/// How many folders one pattern may look into.
const MAX_FOLDERS: usize = 4_096;
/// How many folders the known places have at most between the project and the reader's own
/// (`.workspace/agents/NAME/inbox`).
const KNOWN_DEPTH: usize = 4;

/// Adds the inboxes that the configuration names; what it says of one that was found already holds
/// for that one.
pub(super) fn configured(hunt: &mut Hunt<'_>, config: &Config) {
    for entry in &config.inboxes {
        let pattern = entry.path.iter().filter_map(|part| part.to_str()).any(is_pattern);
        let paths = if pattern { expand(hunt, &entry.path, &entry.origin) } else { vec![entry.path.clone()] };
        for path in paths {
            if let Err((kind, why)) = configure(hunt, entry, &path)
                && (!pattern || kind != ProblemKind::Missing)
            {
                let text = format!("{}: {why}: {}", entry.origin, path.display());
                hunt.problem(Label::Configured, path, kind, text);
            }
        }
    }
}

fn configure(hunt: &mut Hunt<'_>, entry: &ConfiguredInbox, path: &Path) -> Result<(), (ProblemKind, String)> {
    let canonical = match fs::canonicalize(path) {
        Ok(canonical) => canonical,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err((ProblemKind::Missing, "no such inbox".to_owned()));
        }
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Err((ProblemKind::Denied, why(&error))),
        Err(error) => return Err((ProblemKind::Io, why(&error))),
    };
    if let Some(root) = &entry.within
        && !fs::canonicalize(root).is_ok_and(|root| canonical.starts_with(root))
    {
        let why = "a link leads out of the project, which a project's file must not";
        return Err((ProblemKind::Outside, why.to_owned()));
    }
    let path = hunt.ground.absolute(path);
    let (layout, spot) = match entry.layout {
        None => recognise(hunt.layouts, &path).ok_or((ProblemKind::Missing, "no folder".to_owned()))?,
        Some(id) => {
            let layout = hunt.layouts.iter().find(|l| l.id() == id);
            let layout = layout.ok_or_else(|| (ProblemKind::Setting, format!("layout {id} can't be read yet")))?;
            // A layout that was asked for holds wherever it is asked for.
            let spot = layout.recognise(&path).or_else(|| soma::Soma.recognise(&path));
            (id, spot.ok_or((ProblemKind::Missing, "no folder".to_owned()))?)
        }
    };
    let number = hunt.add(layout, settle(hunt.ground, spot), Label::Configured);
    if let Some(inbox) = hunt.inboxes.get_mut(number) {
        if let Some(owner) = &entry.owner {
            inbox.owner = owner.clone();
        }
        inbox.layout = entry.layout.unwrap_or(inbox.layout);
        for alias in &entry.aliases {
            add_alias(inbox, alias);
        }
    }
    Ok(())
}

/// The project of an inbox at no known place: the one that the command stands in, if it lies there,
/// else its repository, else the folder around it.
pub(super) fn settle(ground: &Ground, mut spot: Spot) -> Spot {
    let below = spot.path.strip_prefix(&spot.project).ok().and_then(|p| p.iter().next());
    if below.is_some_and(|first| first.as_encoded_bytes().starts_with(b".")) {
        return spot;
    }
    if spot.path.starts_with(&ground.project_root) {
        spot.project.clone_from(&ground.project_root);
    } else if let Some(repo) = Repo::around(&spot.path, ground.home.as_deref()) {
        spot.project = repo.root;
    }
    spot
}

/// Finds what `--inbox` names by a path. Names are left to the selection.
pub(super) fn named(hunt: &mut Hunt<'_>, config: &Config, names: &[String]) {
    for text in names {
        let target = config.alias(text).unwrap_or(text);
        let known = !matches!(find(&hunt.inboxes, target), Match::None);
        let is_path = looks_like_path(target);
        let inboxes = if known && !is_path {
            continue;
        } else if is_path || hunt.ground.dir.join(target).symlink_metadata().is_ok() {
            by_path(hunt, target)
        } else {
            let (owner, project) = match (Recipient::parse(target), target.rsplit_once('@')) {
                (Ok(Recipient { name, project: Some(project), .. }), _) => (name.to_string(), project.to_string()),
                (_, Some((owner, project))) => (owner.to_owned(), project.to_owned()),
                _ => continue,
            };
            match by_project(hunt, config, &owner, &project) {
                numbers if numbers.is_empty() => continue,
                numbers => Ok(numbers),
            }
        };
        hunt.named.push(Named { text: text.clone(), inboxes });
    }
    naming::assign(&mut hunt.inboxes);
}

/// The inboxes that a path stands for: an inbox, a message in one, or a project that holds some.
fn by_path(hunt: &mut Hunt<'_>, text: &str) -> Result<Vec<usize>, String> {
    let path = hunt.ground.absolute(Path::new(text));
    let meta = match fs::metadata(&path) {
        Ok(meta) => meta,
        // A message may be a link to nothing, and lie in an inbox all the same.
        Err(_) if is_link(&path) && path.file_name().is_some_and(soma::is_message_name) => {
            return in_folder_of(hunt, &path);
        }
        Err(error) => return Err(why(&error)),
    };
    if meta.is_dir() {
        return folder(hunt, &path);
    }
    let file = hunt.layouts.iter().find_map(|l| Some((l.id(), l.recognise(&path)?)));
    match file {
        Some((layout, spot)) => {
            // What lies at a place of the home folder bears the name that it has when it is looked for.
            let at_home = hunt.ground.home.as_ref() == Some(&spot.project);
            Ok(vec![hunt.add(layout, spot, if at_home { Label::Global } else { Label::Configured })])
        }
        None => in_folder_of(hunt, &path),
    }
}

fn in_folder_of(hunt: &mut Hunt<'_>, file: &Path) -> Result<Vec<usize>, String> {
    match file.parent() {
        Some(parent) => folder(hunt, parent),
        None => Err("it lies in no folder".to_owned()),
    }
}

fn folder(hunt: &mut Hunt<'_>, path: &Path) -> Result<Vec<usize>, String> {
    if let Some(number) = hunt.seen.number(path) {
        return Ok(vec![number]);
    }
    // A project's folder, or its `.soma` or `.agents/inbox`, stands for the inboxes at the known
    // places in it: its own files are no messages.
    for level in path.ancestors().take(KNOWN_DEPTH) {
        let mut spots = hunt.spots(level, Label::Configured, Sought::All);
        spots.retain(|(_, spot)| spot.path != path && spot.path.starts_with(path));
        if !spots.is_empty() {
            return Ok(spots.into_iter().map(|(layout, spot)| hunt.add(layout, spot, Label::Configured)).collect());
        }
    }
    let (layout, spot) = recognise(hunt.layouts, path).ok_or("it is no folder")?;
    if layout == LayoutId::Soma && !looks_like_inbox(&spot) {
        return Err("it lies at no known place of inboxes; `[[inbox]]` in the configuration names such a folder".to_owned());
    }
    Ok(vec![hunt.add(layout, settle(hunt.ground, spot), Label::Configured)])
}

/// Whether a folder that somebody named is an inbox by more than that: any folder could hold Markdown
/// files, and a slip of the hand must not turn one into an inbox.
fn looks_like_inbox(spot: &Spot) -> bool {
    let name = spot.path.file_name().unwrap_or_default();
    name.eq_ignore_ascii_case("inbox") || soma::archive_folder(&spot.path).is_dir()
}

/// An owner's inboxes in a project that the configuration names.
pub(super) fn by_project(hunt: &mut Hunt<'_>, config: &Config, owner: &str, project: &str) -> Vec<usize> {
    let mut out = Vec::new();
    for folder in &config.projects {
        if !folder.file_name().is_some_and(|n| same(&n.to_string_lossy(), project)) {
            continue;
        }
        let folder = hunt.ground.absolute(folder);
        for (layout, spot) in hunt.spots(&folder, Label::Configured, Sought::All) {
            if spot.owner.matches(owner) {
                out.push(hunt.add(layout, spot, Label::Configured));
            }
        }
    }
    out
}

/// Gives each inbox the names that `[aliases]` has for it. An alias for an inbox that is not around
/// here is no fault: the same file serves every project.
pub(super) fn add_aliases(found: &mut Found, config: &Config) {
    for (alias, target) in &config.aliases {
        let number = if looks_like_path(target) {
            let canonical = fs::canonicalize(target).unwrap_or_else(|_| PathBuf::from(target));
            found.inboxes.iter().position(|i| fs::canonicalize(&i.path).is_ok_and(|p| p == canonical))
        } else if let Match::One(number) = find(&found.inboxes, target) {
            Some(number)
        } else {
            None
        };
        if let Some(inbox) = number.and_then(|n| found.inboxes.get_mut(n)) {
            add_alias(inbox, alias);
        }
    }
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|m| m.is_symlink())
}

/// The paths that fit a pattern, in order. As in a shell, a star does not stand for a leading dot;
/// `**` enters no hidden folders, no links, and none that discovery passes over.
fn expand(hunt: &mut Hunt<'_>, pattern: &Path, origin: &str) -> Vec<PathBuf> {
    let mut left = MAX_FOLDERS;
    let mut paths = vec![PathBuf::new()];
    for part in pattern.components() {
        let text = part.as_os_str().to_str().filter(|t| matches!(part, Component::Normal(_)) && is_pattern(t));
        paths = match text.map(|t| (t, name(t))) {
            None => paths.into_iter().map(|p| p.join(part)).collect(),
            Some((_, Part::Folders)) => paths.into_iter().flat_map(|p| folders_below(hunt, p, &mut left)).collect(),
            Some((text, Part::Name(tokens))) => {
                let hidden = text.starts_with('.');
                let fits = |n: &[u8]| (hidden || !n.starts_with(b".")) && fits_name(&tokens, n);
                paths.iter().flat_map(|p| entries(hunt, p, &mut left, &fits)).map(|(path, _)| path).collect()
            }
        };
    }
    paths.retain(|p| p.symlink_metadata().is_ok());
    if left == 0 {
        let text = format!("{origin}: the pattern leads through more than {MAX_FOLDERS} folders: {}", pattern.display());
        hunt.problem(Label::Configured, pattern.to_owned(), ProblemKind::Limit, text);
    }
    paths
}

/// A folder and all folders below it.
fn folders_below(hunt: &mut Hunt<'_>, top: PathBuf, left: &mut usize) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut waiting = vec![top];
    while let Some(folder) = waiting.pop() {
        let inside = entries(hunt, &folder, left, &|n| !n.starts_with(b"."));
        out.push(folder);
        let enter = |path: &PathBuf| !path.file_name().is_some_and(below::is_skipped);
        waiting.extend(inside.into_iter().rev().filter(|(_, is_dir)| *is_dir).map(|(path, _)| path).filter(enter));
    }
    out
}

/// What lies in a folder under fitting names, sorted, and whether each is a folder itself.
fn entries(hunt: &mut Hunt<'_>, folder: &Path, left: &mut usize, fits: &dyn Fn(&[u8]) -> bool) -> Vec<(PathBuf, bool)> {
    let Some(less) = left.checked_sub(1) else { return Vec::new() };
    *left = less;
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
                hunt.io_problem(Label::Configured, folder.to_owned(), &error);
            }
            return Vec::new();
        }
    };
    let mut out: Vec<(PathBuf, bool)> = entries
        .filter_map(Result::ok)
        .filter(|e| fits(e.file_name().as_encoded_bytes()))
        .map(|e| (e.path(), e.file_type().is_ok_and(|t| t.is_dir())))
        .collect();
    out.sort();
    out
}
