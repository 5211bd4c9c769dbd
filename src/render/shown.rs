//! The short fields of a message as a prompt, a terminal or a template may show them: each through
//! [`neutral`], each bounded, in one place.

use std::borrow::Cow;
use std::path::Path;

use crate::text::neutral::{self, Target};

/// The most graphemes of a subject.
pub const SUBJECT: usize = 120;
/// The most graphemes of a sender's name, a project in brackets behind it included.
pub const NAME: usize = 64;
/// The most graphemes of a type, a date or another word.
pub const WORD: usize = 40;
/// The most graphemes of a remark (a warning, an error, a note), or of an inbox's name or an id,
/// which must stay whole to be of use.
pub const REMARK: usize = 300;
/// The most characters of a path; a longer one is shown from its end.
const PATH: usize = 300;

/// Where a text goes, and what was met on the way.
#[derive(Debug)]
pub struct Shower {
    target: Target,
    /// Hidden characters removed so far.
    pub removed: usize,
    /// Whether a name holds letters that look like others.
    pub lookalike: bool,
}

impl Shower {
    /// Starts with nothing met.
    pub fn new(target: Target) -> Self {
        Self { target, removed: 0, lookalike: false }
    }

    /// One line of at most `most` graphemes.
    pub fn field<'a>(&mut self, raw: &'a str, most: usize) -> Cow<'a, str> {
        let shown = neutral::field(raw, self.target, most);
        self.removed += shown.removed;
        shown.text
    }

    /// A name that somebody claims.
    pub fn sender<'a>(&mut self, raw: &'a str) -> Cow<'a, str> {
        let shown = neutral::sender(raw, self.target, NAME);
        self.removed += shown.removed;
        self.lookalike |= shown.lookalike;
        shown.text
    }

    /// A path, as short as it can be named from `base`: relative to it, else to the home folder
    /// (`~/…`), else absolute. No backtick is in it, so that it can stand in a code span.
    pub fn path(&mut self, path: &Path, base: Option<&Path>, home: Option<&Path>) -> String {
        let short = short_path(path, base, home);
        let bytes = as_bytes(&short);
        let shown = neutral::file_name(&bytes, self.target);
        let shown = if shown.contains('`') { Cow::Owned(shown.replace('`', "'")) } else { shown };
        match shown.char_indices().rev().nth(PATH) {
            // The file's name says most, and a unique part of it is a reference by itself.
            Some((at, _)) => format!("…{}", shown.get(at..).unwrap_or_default()),
            None => shown.into_owned(),
        }
    }
}

/// A path as it is named from `base`, not yet made safe to show.
fn short_path<'a>(path: &'a Path, base: Option<&Path>, home: Option<&Path>) -> Cow<'a, Path> {
    let below = |folder: Option<&Path>| folder.and_then(|f| path.strip_prefix(f).ok()).filter(|p| !p.as_os_str().is_empty());
    if let Some(rest) = below(base) {
        return Cow::Borrowed(rest);
    }
    match below(home) {
        Some(rest) => Cow::Owned(Path::new("~").join(rest)),
        None => Cow::Borrowed(path),
    }
}

#[cfg(unix)]
fn as_bytes(path: &Path) -> Cow<'_, [u8]> {
    use std::os::unix::ffi::OsStrExt;
    Cow::Borrowed(path.as_os_str().as_bytes())
}

#[cfg(not(unix))]
fn as_bytes(path: &Path) -> Cow<'_, [u8]> {
    Cow::Owned(path.to_string_lossy().into_owned().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(path: &str, base: &str) -> String {
        let (base, home) = (Path::new(base), Path::new("/home/u"));
        Shower::new(Target::Prompt).path(Path::new(path), Some(base), Some(home))
    }

    #[test]
    fn paths_are_named_from_where_one_stands() {
        assert_eq!(path("/home/u/work/.soma/inbox/a.md", "/home/u/work"), ".soma/inbox/a.md");
        assert_eq!(path("/home/u/.soma/inbox/a.md", "/home/u/work"), "~/.soma/inbox/a.md");
        assert_eq!(path("/home/u/workshop/a.md", "/home/u/work"), "~/workshop/a.md");
        assert_eq!(path("/srv/inbox/a.md", "/home/u/work"), "/srv/inbox/a.md");
    }

    #[test]
    fn paths_are_made_safe_and_bounded() {
        assert_eq!(path("/w/a\u{202e}b.md", "/w"), "$'a\\u202eb.md'");
        assert!(!path("/w/a`b.md", "/w").contains('`'));
        assert!(!path("/w/{{soul}}.md", "/w").contains("{{"));
        let long = path(&format!("/{}/end.md", "x/".repeat(2_000)), "/w");
        assert!(long.chars().count() < 310 && long.ends_with("/end.md"), "{long}");
    }

    #[test]
    fn what_was_met_is_remembered() {
        let mut shower = Shower::new(Target::Prompt);
        assert_eq!(shower.field("a\u{200b}b\u{e0041}", SUBJECT), "ab");
        assert_eq!(shower.removed, 2);
        assert_eq!(shower.sender("ava"), "ava");
        assert!(!shower.lookalike);
        shower.sender("\u{430}va");
        assert!(shower.lookalike);
    }
}
