//! File names that may meet: what one disk keeps apart, another takes for the same name.
//!
//! Used where a message gets a name it did not have before (archive, restore, new messages), so
//! that no name is given out that would be somebody else's after a copy to a case-blind or
//! normalising disk.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use unicode_normalization::UnicodeNormalization;

use super::read::ReadError;

/// The longest file name that the usual file systems take, in bytes.
const LONGEST: usize = 255;

/// Endings of messages; the longer ones first. A suffix goes before them, so that the file stays
/// what it is.
const ENDINGS: [&str; 4] = [".json.read", ".md.read", ".json", ".md"];

/// A name as the least discerning of the usual disks sees it: letter case, Unicode composition,
/// invisible characters, and blanks and dots at the end make no difference. Two names that are one
/// name on some such disk fold to the same text; a few that would be kept apart do, too.
pub fn fold(name: &OsStr) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Bytes that are no text are compared as they are.
            let _ = write!(text, "\u{fffd}{byte:02x}");
        }
    }
    if text.is_ascii() {
        text.make_ascii_lowercase();
    } else {
        // Down, up and down again is Unicode's case folding, but for letters nobody uses in names:
        // ẞ → ß → SS → ss, ς → Σ → σ.
        text = text
            .nfd()
            .filter(|&c| !is_ignorable(c))
            .flat_map(char::to_lowercase)
            .flat_map(char::to_uppercase)
            .flat_map(char::to_lowercase)
            .nfc()
            .collect();
    }
    text.truncate(text.trim_end_matches([' ', '.']).len());
    text
}

/// Characters that HFS+ and case-folding ext4 skip when they compare names.
fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// A name with a suffix before its ending: `note.md.read` and ` (2)` give `note (2).md.read`. A
/// name that would become too long for a disk loses the end of its stem.
pub fn with_suffix(name: &OsStr, suffix: &str) -> OsString {
    let bytes = name.as_encoded_bytes();
    let (stem, ending) = bytes.split_at(stem_len(bytes));
    let room = LONGEST.saturating_sub(suffix.len() + ending.len());
    let mut cut = stem.len().min(room);
    while cut < stem.len() && stem.get(cut).is_some_and(|b| b & 0b1100_0000 == 0b1000_0000) && cut > 0 {
        cut -= 1; // not in the middle of a character
    }
    let mut out = stem.get(..cut).unwrap_or(stem).to_vec();
    out.extend_from_slice(suffix.as_bytes());
    out.extend_from_slice(ending);
    name_from(out)
}

#[cfg(unix)]
fn name_from(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(not(unix))]
#[allow(clippy::needless_pass_by_value)] // as on unix
fn name_from(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// How many bytes of a name come before its ending.
fn stem_len(name: &[u8]) -> usize {
    for ending in ENDINGS {
        if let Some(at) = name.len().checked_sub(ending.len())
            && at > 0
            && name.get(at..).is_some_and(|end| end.eq_ignore_ascii_case(ending.as_bytes()))
        {
            return at;
        }
    }
    name.iter().rposition(|&b| b == b'.').filter(|&at| at > 0).unwrap_or(name.len())
}

/// The names in one folder, folded.
#[derive(Debug, Clone, Default)]
pub struct TakenNames {
    /// How many names fold to each text: a case-sensitive disk may hold several.
    names: HashMap<String, usize>,
}

impl TakenNames {
    /// Reads a folder's names. Nothing in it is opened. A missing folder has none.
    ///
    /// # Errors
    /// The folder can't be read, or is none.
    pub fn read(folder: &Path) -> Result<Self, ReadError> {
        let named = |e| ReadError::from_io(folder, e);
        let mut names = Self::default();
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(names),
            Err(e) => return Err(named(e)),
        };
        for entry in entries {
            names.add(&entry.map_err(named)?.file_name());
        }
        Ok(names)
    }

    /// Notes the names in a folder as taken, as far as they can be read.
    pub fn add_all(&mut self, folder: &Path) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
            self.add(&entry.file_name());
        }
    }

    /// Notes a name as taken.
    pub fn add(&mut self, name: &OsStr) {
        *self.names.entry(fold(name)).or_default() += 1;
    }

    /// Notes that a name was given up.
    pub fn release(&mut self, name: &OsStr) {
        let folded = fold(name);
        match self.names.get_mut(&folded) {
            Some(count) if *count > 1 => *count -= 1,
            _ => {
                self.names.remove(&folded);
            }
        }
    }

    /// Whether a name would meet one that is there.
    pub fn is_taken(&self, name: &OsStr) -> bool {
        self.names.contains_key(&fold(name))
    }

    /// The name wanted, or the first of `name (2).md`, `name (3).md`, … that meets no other. It is
    /// not noted as taken yet.
    pub fn free_name(&self, wanted: &OsStr) -> OsString {
        let mut name = wanted.to_owned();
        let mut n = 1_usize;
        while self.is_taken(&name) {
            n += 1;
            name = with_suffix(wanted, &format!(" ({n})"));
        }
        name
    }

    /// Like [`TakenNames::free_name`], and notes it as taken.
    pub fn claim(&mut self, wanted: &OsStr) -> OsString {
        let name = self.free_name(wanted);
        self.add(&name);
        name
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn folded(name: &str) -> String {
        fold(OsStr::new(name))
    }

    #[test]
    fn names_that_are_one_on_some_disk_fold_alike() {
        for (a, b) in [
            ("Note.md", "note.MD"),
            ("cafe\u{301}.md", "caf\u{e9}.md"),
            ("CAFE\u{301}.md", "caf\u{e9}.md"),
            ("stra\u{df}e.md", "STRASSE.md"),
            ("\u{1e9e}.md", "ss.md"),
            ("\u{3c2}.md", "\u{3a3}.md"),
            ("a\u{200d}b.md", "ab.md"),
            ("a.md.", "a.md"),
            ("a.md ", "a.md"),
        ] {
            assert_eq!(folded(a), folded(b), "{a:?} {b:?}");
        }
        assert_ne!(folded("a.md"), folded("b.md"));
        assert_ne!(folded("cafe.md"), folded("caf\u{e9}.md"));
    }

    #[test]
    #[cfg(unix)]
    fn bytes_that_are_no_text_stay_apart() {
        use std::os::unix::ffi::OsStrExt as _;
        assert_ne!(fold(OsStr::from_bytes(b"a\xff.md")), fold(OsStr::from_bytes(b"a\xfe.md")));
        let name = with_suffix(OsStr::from_bytes(b"a\xff.md"), " (2)");
        assert_eq!(name.as_bytes(), b"a\xff (2).md");
    }

    #[test]
    fn a_suffix_goes_before_the_ending() {
        for (name, want) in [
            ("a.md", "a (2).md"),
            ("a.md.read", "a (2).md.read"),
            ("a.md.READ", "a (2).md.READ"),
            ("a.json", "a (2).json"),
            ("a.json.read", "a (2).json.read"),
            ("a.b.md", "a.b (2).md"),
            ("a", "a (2)"),
            (".md", ".md (2)"),
            ("a.txt", "a (2).txt"),
        ] {
            assert_eq!(with_suffix(OsStr::new(name), " (2)"), want);
        }
    }

    #[test]
    fn a_long_name_is_shortened_between_characters() {
        let long = format!("{}.md", "\u{e9}".repeat(126)); // 255 bytes
        let name = with_suffix(OsStr::new(&long), " (2)");
        let name = name.to_str().unwrap();
        assert_eq!(name.len(), 255);
        assert!(name.ends_with("\u{e9} (2).md"), "{name}");
        let odd = format!("x{}.md", "\u{e9}".repeat(125));
        assert!(with_suffix(OsStr::new(&odd), " (2)").to_str().unwrap().len() <= 255);
    }

    #[test]
    fn free_names_avoid_what_would_meet() {
        let mut taken = TakenNames::default();
        assert_eq!(taken.free_name(OsStr::new("A.md")), "A.md");
        taken.add(OsStr::new("a.md"));
        taken.add(OsStr::new("A.md"));
        assert_eq!(taken.free_name(OsStr::new("A.md")), "A (2).md");
        taken.add(OsStr::new("a (2).md"));
        assert_eq!(taken.free_name(OsStr::new("A.md")), "A (3).md");
        taken.release(OsStr::new("a.md"));
        assert!(taken.is_taken(OsStr::new("a.MD")));
        taken.release(OsStr::new("A.md"));
        assert_eq!(taken.free_name(OsStr::new("A.md")), "A.md");
    }

    #[test]
    fn a_folder_is_read() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.md"), "").unwrap();
        let mut taken = TakenNames::read(dir.path()).unwrap();
        assert_eq!(taken.claim(OsStr::new("a.md")), "a (2).md");
        assert_eq!(taken.claim(OsStr::new("A.md")), "A (3).md");
        assert!(TakenNames::read(&dir.path().join("a.md")).is_err());
        assert!(!TakenNames::read(&dir.path().join("none")).unwrap().is_taken(OsStr::new("a.md")));
    }
}
