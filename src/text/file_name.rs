//! What a file's name is to the disks it may come to: which names would meet there, and how one is told
//! apart without becoming too long.
//!
//! Used where a message gets a name that it did not have before: in an archive, in another inbox, as a
//! new message.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;

use unicode_normalization::UnicodeNormalization;

/// The longest file name that the usual file systems take, in bytes.
pub const LONGEST: usize = 255;

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
    let (stem, ending) = parts(name);
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

/// The bytes of a name before the place where a suffix goes, and its ending.
pub fn parts(name: &OsStr) -> (&[u8], &[u8]) {
    let bytes = name.as_encoded_bytes();
    bytes.split_at(stem_len(bytes))
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

#[cfg(test)]
#[allow(clippy::unwrap_used)] // A test says what must not be by panicking.
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
}
