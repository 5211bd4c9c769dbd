//! The short fields of a message as a prompt, a terminal or a template may show them: each through
//! [`neutral`], each bounded, in one place.

use std::borrow::Cow;
use std::path::Path;

use crate::model::inbox::LayoutId;
use crate::model::message::Message;
use crate::text::neutral::{self, Target};
use crate::text::percent;

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

    /// What commands take for a message, from anywhere: `INBOX:ID`, or its URI where that could not be
    /// shown as it is.
    pub fn reference(&mut self, message: &Message) -> String {
        let raw = message.full_ref();
        if is_text(message) && neutral::field(&raw, self.target, REMARK).text == raw { raw } else { uri(message) }
    }

    /// What commands take for a message where one stands: its path; another reference where that could
    /// not be shown as it is, or leads to a file of several.
    pub fn place(&mut self, message: &Message, base: Option<&Path>, home: Option<&Path>) -> String {
        let shown = self.path(&message.path, base, home);
        let raw = short_path(&message.path, base, home);
        let is_it = message.layout != LayoutId::Teams && is_text(message) && says(&shown, &raw.to_string_lossy());
        if is_it { shown } else { self.reference(message) }
    }

    /// What commands take for a message among those of its inbox: its id; another reference where that
    /// could not be shown as it is.
    pub fn id(&mut self, message: &Message) -> String {
        let name = message.name();
        let shown = self.path(Path::new(&*name), None, None);
        if is_text(message) && says(&shown, &name) { shown } else { uri(message) }
    }

    /// A path, as short as it can be named from `base`: relative to it, else to the home folder
    /// (`~/…`), else absolute. No backtick is in it, so that it can stand in a code span.
    pub fn path(&mut self, path: &Path, base: Option<&Path>, home: Option<&Path>) -> String {
        let short = short_path(path, base, home);
        let bytes = as_bytes(&short);
        let shown = neutral::file_name(&bytes, self.target);
        let shown = if shown.contains('`') { Cow::Owned(shown.replace('`', "'")) } else { shown };
        if shown.len() <= PATH {
            return shown.into_owned();
        }
        match shown.char_indices().rev().nth(PATH) {
            // The file's name says most, and a unique part of it is a reference by itself.
            Some((at, _)) => format!("…{}", shown.get(at..).unwrap_or_default()),
            None => shown.into_owned(),
        }
    }
}

/// How JSON documents name a message from anywhere: `INBOX:ID`, its URI where its file's name is no text.
pub fn json_ref(message: &Message) -> String {
    if is_text(message) { message.full_ref() } else { uri(message) }
}

/// The URI of a message, `inbox://INBOX/NAME`, each part encoded: harmless whatever it holds, and every
/// command takes it.
pub fn uri(message: &Message) -> String {
    let place = message.place().as_os_str();
    let name = match place.to_str() {
        Some(_) => percent::encode(&message.name()),
        None => percent::encode_bytes(&as_bytes(Path::new(place))),
    };
    format!("inbox://{}/{name}", percent::encode(&message.inbox))
}

/// Whether the names of a message's file and folders are text at all.
fn is_text(message: &Message) -> bool {
    message.path.to_str().is_some()
}

/// Whether a text that is shown is the name itself, or the form of it that commands read.
fn says(shown: &str, name: &str) -> bool {
    shown == name || neutral::unquote(shown).is_some_and(|unquoted| unquoted == name)
}

/// A path as it is named from `base`, not yet made safe to show.
fn short_path<'a>(path: &'a Path, base: Option<&Path>, home: Option<&Path>) -> Cow<'a, Path> {
    let below = |folder: Option<&Path>| folder.and_then(|f| rest_below(path, f)).filter(|p| !p.as_os_str().is_empty());
    if let Some(rest) = below(base) {
        return Cow::Borrowed(rest);
    }
    match below(home) {
        Some(rest) => Cow::Owned(Path::new("~").join(rest)),
        None => Cow::Borrowed(path),
    }
}

/// What of a path is below a folder. Nearly all paths are the folder's own bytes, a slash and a name: those need
/// not be taken apart.
#[cfg(unix)]
fn rest_below<'a>(path: &'a Path, folder: &Path) -> Option<&'a Path> {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let bytes = path.as_os_str().as_bytes();
    match bytes.strip_prefix(folder.as_os_str().as_bytes()) {
        // A slash or a dot would be skipped by whoever takes the path apart, and so they would at its end.
        Some([b'/', rest @ ..])
            if !folder.as_os_str().is_empty() && !matches!(rest, [] | [b'/' | b'.', ..] | [.., b'/' | b'.']) =>
        {
            Some(Path::new(OsStr::from_bytes(rest)))
        }
        _ => path.strip_prefix(folder).ok(),
    }
}

#[cfg(not(unix))]
fn rest_below<'a>(path: &'a Path, folder: &Path) -> Option<&'a Path> {
    path.strip_prefix(folder).ok()
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

    #[test]
    fn what_is_below_a_folder_is_what_the_parts_of_the_path_say() {
        let folders = ["", "/", "/w", "/w/", "/w/p", "/w//p", "/w/./p", "w", "w/p", ".", "/w/p/."];
        let rests = ["", "/", "x", "/x", "//x", "/./x", "/.x", "/..", "/x/", "/x//", "/x/.", "/x/y", "q/x", "/.", "/x/../y"];
        for folder in folders {
            for path in folders.iter().flat_map(|from| rests.map(|rest| format!("{from}{rest}"))) {
                let (path, folder) = (Path::new(&path), Path::new(folder));
                let below = |found: Option<&Path>| found.map(|p| p.as_os_str().to_owned());
                assert_eq!(below(rest_below(path, folder)), below(path.strip_prefix(folder).ok()), "{path:?} {folder:?}");
            }
        }
    }

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
