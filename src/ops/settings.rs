//! Edits of a configuration file that leave the rest of it alone, and files that postroom makes for
//! others (units of a timer): what was made is remembered, so that it can be taken away without a
//! trace.

use std::path::{Path, PathBuf};

use toml_edit::{Array, DocumentMut, Item, value};

use super::session::Session;
use crate::error::Report;
use crate::model::message::Warning;
use crate::store::read::{self, Reach, ReadError};
use crate::store::receipts::Receipt;

/// Larger files are no settings, in bytes.
const LARGEST: u64 = 16 << 20;

/// A configuration file in hand.
#[derive(Debug)]
pub struct Settings {
    /// The file.
    pub path: PathBuf,
    /// What it says; changed in place.
    pub document: DocumentMut,
    before: Option<Vec<u8>>,
}

impl Settings {
    /// Reads a file; a missing one is an empty one.
    ///
    /// # Errors
    /// It can't be read, or is no TOML.
    pub fn read(path: &Path) -> Result<Self, Report> {
        let before = read_if_there(path)?;
        let broken = |why: String| Report::failed("config-broken", format!("{}: {why}", path.display())).at(path);
        let text = std::str::from_utf8(before.as_deref().unwrap_or_default()).map_err(|e| broken(e.to_string()))?;
        let document = text.parse().map_err(|e: toml_edit::TomlError| broken(e.to_string()))?;
        Ok(Self { path: path.to_owned(), document, before })
    }

    /// Writes the file, if it says something else now. One that was made for postroom's sake, and
    /// says nothing any more, goes.
    ///
    /// # Errors
    /// It was changed meanwhile, or can't be written.
    pub fn write(&self, session: &Session<'_>) -> Result<Vec<Warning>, Report> {
        let after = self.text();
        match &self.before {
            Some(before) if before == after.as_bytes() => Ok(Vec::new()),
            None if after.is_empty() => Ok(Vec::new()),
            Some(before) if after.trim().is_empty() && Receipt::find(&session.state, &self.path).is_some() => {
                remove(session, &self.path, before).map(|()| Vec::new())
            }
            before => write(session, &self.path, before.as_deref(), after.as_bytes()),
        }
    }

    /// What the file says now. A last line without an end stays without one.
    fn text(&self) -> String {
        let mut text = self.document.to_string();
        if self.before.as_ref().is_some_and(|before| before.last().is_some_and(|byte| *byte != b'\n')) && text.ends_with('\n') {
            text.pop();
        }
        self.before.as_deref().map_or(text.clone(), |before| with_line_ends_of(before, &text))
    }

    /// Adds a folder to `projects`. Gives whether it was not there.
    ///
    /// # Errors
    /// `projects` is no list.
    pub fn add_project(&mut self, project: &str) -> Result<bool, Report> {
        let path = self.path.clone();
        let item = self.document.entry("projects").or_insert(value(Array::new()));
        let Some(list) = item.as_array_mut() else {
            return Err(Report::failed("config-broken", format!("{}: `projects` is no list", path.display())).at(path));
        };
        if list.iter().any(|known| known.as_str() == Some(project)) {
            return Ok(false);
        }
        list.push(project);
        Ok(true)
    }

    /// Takes a folder out of `projects`; a list that is empty then goes, too.
    pub fn remove_project(&mut self, project: &str) {
        let Some(list) = self.document.get_mut("projects").and_then(Item::as_array_mut) else { return };
        list.retain(|known| known.as_str() != Some(project));
        if list.is_empty() {
            self.document.remove("projects");
        }
    }
}

/// The text with the line ends that its untouched first and last lines had; new lines in between have
/// those of the first line. (The library knows one kind of line end.)
fn with_line_ends_of(before: &[u8], text: &str) -> String {
    let before = String::from_utf8_lossy(before);
    if !before.contains('\r') {
        return text.to_owned();
    }
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = text.split_inclusive('\n').collect();
    let parts = |line: &str| (line.trim_end_matches(['\r', '\n']).to_owned(), line.ends_with('\n'));
    let same = |a: &&str, b: &&str| parts(a) == parts(b);
    let shorter = old.len().min(new.len());
    let head = old.iter().zip(&new).take_while(|(a, b)| same(a, b)).count();
    let tail = old.iter().rev().zip(new.iter().rev()).take(shorter - head).take_while(|(a, b)| same(a, b)).count();
    let end = if old.first().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
    let mut out: String = old.iter().take(head).copied().collect();
    for line in new.iter().take(new.len() - tail).skip(head) {
        out.push_str(line.trim_end_matches(['\r', '\n']));
        out.push_str(if line.ends_with('\n') { end } else { "" });
    }
    out.extend(old.iter().skip(old.len() - tail).copied());
    out
}

/// Writes a file, and makes the folders it needs. What was not there before is remembered.
///
/// # Errors
/// It is not what was read (`None`: it was not there), or can't be written.
pub fn write(session: &Session<'_>, path: &Path, before: Option<&[u8]>, after: &[u8]) -> Result<Vec<Warning>, Report> {
    let disk = &session.disk;
    if before.is_some() {
        return Ok(disk.write_file(path, before, after, Reach::Anywhere)?.warnings);
    }
    let folders = disk.shared_folder(path.parent().unwrap_or(Path::new("/")))?;
    let done = disk.write_file(path, None, after, Reach::Anywhere)?;
    // Without a receipt an empty folder stays when the file goes: that is all.
    let _ = Receipt::write(disk, &session.state, path, folders);
    Ok(done.warnings)
}

/// Removes a file of postroom's own while it holds what was read, and the folders that were made for it.
///
/// # Errors
/// It was changed meanwhile, is a link, or can't be removed.
pub fn remove(session: &Session<'_>, path: &Path, before: &[u8]) -> Result<(), Report> {
    let disk = &session.disk;
    disk.take_away(path, before)?;
    let made = Receipt::find(&session.state, path).map(|receipt| receipt.folders).unwrap_or_default();
    for folder in made.iter().rev() {
        if !disk.remove_empty_folder(folder) {
            break;
        }
    }
    Receipt::forget(disk, &session.state, path);
    Ok(())
}

/// The bytes of a file that may be missing. A link that leads nowhere is an error, not a missing file.
///
/// # Errors
/// It is there and can't be read.
pub fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, Report> {
    match read::read_whole(path, Reach::Anywhere, LARGEST) {
        Ok((source, _)) => Ok(Some(source.bytes.to_vec())),
        Err(ReadError::Vanished { .. }) if path.symlink_metadata().is_err() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Settings {
        Settings { path: "/c.toml".into(), document: text.parse().unwrap(), before: Some(text.into()) }
    }

    #[test]
    fn projects_come_and_go_without_a_trace() {
        for text in [
            "",
            "# mine\n\n[sweep]\nolder_than = \"2w\" # why\n",
            "agent = \"ava\"\n",
            "projects = [\"/a\"]\n",
            "projects = [\n  \"/a\", # first\n  \"/b\",\n]\nagent=\"x\"",
            "[aliases]\na = \"b\"",
        ] {
            let mut settings = settings(text);
            assert!(settings.add_project("/new project").unwrap());
            assert!(!settings.add_project("/new project").unwrap());
            let now = settings.text();
            let parsed = crate::config::Config::parse_user(&now, Path::new("/c.toml"), None).unwrap();
            assert_eq!(parsed.projects.last().unwrap(), Path::new("/new project"), "{now}");
            settings.remove_project("/new project");
            assert_eq!(settings.text(), text);
        }
        assert!(settings("projects = 1").add_project("/a").is_err());
    }

    #[test]
    fn line_ends_stay_as_they_are() {
        for (before, after) in [
            ("agent = \"x\"\r\n", "agent = \"x\"\r\nprojects = [\"/new\"]\r\n"),
            ("a = 1\r\nb = 2\n[c]\r\nd = 1\n", "a = 1\r\nb = 2\nprojects = [\"/new\"]\r\n[c]\r\nd = 1\n"),
            ("a = 1\n[c]\r\n", "a = 1\nprojects = [\"/new\"]\n[c]\r\n"),
            ("[c]\r\nd = 1", "projects = [\"/new\"]\r\n[c]\r\nd = 1"),
        ] {
            let mut settings = settings(before);
            settings.add_project("/new").unwrap();
            assert_eq!(settings.text(), after);
            settings.remove_project("/new");
            assert_eq!(settings.text(), before);
        }
    }
}
