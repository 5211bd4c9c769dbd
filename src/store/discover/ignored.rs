//! What git ignores below a folder, as far as discovery must know it: whole folders.
//!
//! Only member folders are tested, never inboxes: those are git-ignored by default and must be found
//! all the same. The `.gitignore` files from the repository's root down and `info/exclude` count; a
//! person's global exclude file is not looked for, as its place hangs on git's configuration.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::git::{Repo, small_file};
use super::glob::{Part, fits_path, git_name};

/// Whether git ignores what is put into an inbox: the folder itself, one around it, or every message
/// in it. What was added before the rule is kept by git all the same; that is not looked at.
pub fn ignores_messages_in(inbox: &Path, home: Option<&Path>) -> bool {
    let Ok(inbox) = std::fs::canonicalize(inbox) else { return false };
    let Some(repo) = Repo::around(&inbox, home) else { return false };
    let rules = Ignored::in_folder(&repo, &inbox);
    let message = inbox.join("2000-01-01-a-message.md");
    message.ancestors().take_while(|path| path.starts_with(&repo.root) && *path != repo.root).any(|path| rules.covers(path))
}

/// The rules that hold in a folder.
#[derive(Debug, Clone, Default)]
pub(super) struct Ignored {
    /// The files that were read, outermost first; the later one wins.
    files: Vec<Arc<RuleFile>>,
}

#[derive(Debug)]
struct RuleFile {
    /// The folder its rules start from.
    base: PathBuf,
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    /// Whether it takes an earlier rule back (`!`).
    keeps: bool,
    parts: Vec<Part>,
}

impl Ignored {
    /// The rules in a folder of a repository.
    pub(super) fn in_folder(repo: &Repo, folder: &Path) -> Self {
        let mut rules = Self::default();
        rules.read(&repo.root, &repo.common.join("info/exclude"));
        let mut levels: Vec<&Path> = folder.ancestors().take_while(|a| a.starts_with(&repo.root)).collect();
        levels.reverse();
        for level in levels {
            rules.read(level, &level.join(".gitignore"));
        }
        rules
    }

    /// These rules and those of a folder below.
    pub(super) fn and_in(&self, folder: &Path) -> Self {
        let mut rules = self.clone();
        rules.read(folder, &folder.join(".gitignore"));
        rules
    }

    /// Whether a folder is ignored.
    pub(super) fn covers(&self, folder: &Path) -> bool {
        self.files.iter().rev().find_map(|file| file.decides(folder)).unwrap_or(false)
    }

    fn read(&mut self, base: &Path, file: &Path) {
        // A file that can't be read ignores nothing: at worst some folders too many are looked at.
        let Some(bytes) = small_file(file) else { return };
        let rules: Vec<Rule> = bytes.split(|b| *b == b'\n').filter_map(rule).collect();
        if !rules.is_empty() {
            self.files.push(Arc::new(RuleFile { base: base.to_owned(), rules }));
        }
    }
}

impl RuleFile {
    /// What the last fitting rule says of a folder, if one fits.
    fn decides(&self, folder: &Path) -> Option<bool> {
        let path: Vec<&[u8]> = folder.strip_prefix(&self.base).ok()?.iter().map(OsStr::as_encoded_bytes).collect();
        self.rules.iter().rev().find(|rule| fits_path(&rule.parts, &path)).map(|rule| !rule.keeps)
    }
}

/// Reads a line by the rules of gitignore(5).
fn rule(line: &[u8]) -> Option<Rule> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = without_blanks(line);
    if line.first() == Some(&b'#') {
        return None;
    }
    let (keeps, line) = match line.strip_prefix(b"!") {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let line = line.strip_suffix(b"/").unwrap_or(line);
    // A slash at the start or inside ties a pattern to the file's folder; else it fits at any depth.
    let tied = line.contains(&b'/');
    let line = line.strip_prefix(b"/").unwrap_or(line);
    if line.is_empty() {
        return None;
    }
    let mut parts: Vec<Part> = if tied { Vec::new() } else { vec![Part::Folders] };
    parts.extend(line.split(|b| *b == b'/').map(git_name));
    // What `x/**` ignores is below x, at least one step.
    if tied && parts.last() == Some(&Part::Folders) {
        parts.push(git_name(b"*"));
    }
    Some(Rule { keeps, parts })
}

/// A line without the blanks at its end; one behind a backslash stays.
fn without_blanks(line: &[u8]) -> &[u8] {
    let mut line = line;
    while let Some(rest) = line.strip_suffix(b" ") {
        if rest.ends_with(b"\\") {
            break;
        }
        line = rest;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn covers(rules: &str, folder: &str) -> bool {
        let rules = rules.split('\n').filter_map(|l| rule(l.as_bytes())).collect();
        RuleFile { base: PathBuf::from("/r"), rules }.decides(&Path::new("/r").join(folder)).unwrap_or(false)
    }

    #[test]
    fn rules_fit_as_git_says() {
        for (rules, folder, right) in [
            ("build", "build", true),
            ("build", "a/build", true),
            ("build/", "a/build", true),
            ("/build", "a/build", false),
            ("/build", "build", true),
            ("a/build", "a/build", true),
            ("a/build", "x/a/build", false),
            ("**/a/build", "x/a/build", true),
            ("*\n!keep", "keep", false),
            ("*\n!keep", "other", true),
            ("# build\n\n", "build", false),
            ("\\#x", "#x", true),
            ("out  ", "out", true),
            ("out\r", "out", true),
            ("a/**", "a", false),
            ("a/**", "a/b", true),
            ("p*-[0-9]", "pkg-1", true),
            ("/", "x", false),
            ("**", "x", true),
        ] {
            assert_eq!(covers(rules, folder), right, "{rules:?} {folder}");
        }
    }

    #[test]
    fn an_inbox_is_ignored_by_its_own_rules_or_those_around_it() {
        let dir = tempfile::tempdir().unwrap();
        let inbox = dir.path().join("p/.soma/inbox");
        fs::create_dir_all(&inbox).unwrap();
        assert!(!ignores_messages_in(&inbox, None), "there is no repository");
        fs::create_dir_all(dir.path().join("p/.git")).unwrap();
        fs::write(dir.path().join("p/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        assert!(!ignores_messages_in(&inbox, None));
        fs::write(inbox.join(".gitignore"), "*\n").unwrap();
        assert!(ignores_messages_in(&inbox, None));
        fs::write(inbox.join(".gitignore"), "*.json\n").unwrap();
        fs::write(dir.path().join("p/.gitignore"), ".soma/\n").unwrap();
        assert!(ignores_messages_in(&inbox, None));
    }
}
