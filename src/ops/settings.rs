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
        text
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
}
