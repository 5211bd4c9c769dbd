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

use super::read::ReadError;
use crate::text::file_name::{fold, parts, with_suffix};

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

    /// Notes the names in a folder, as far as they can be read, that may meet the one wanted or one
    /// that is made of it by a suffix. To fold all names of a large folder takes longer than a send.
    pub fn add_near(&mut self, folder: &Path, wanted: &OsStr) {
        let start = beginning(wanted);
        for entry in std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
            let name = entry.file_name();
            let bytes = name.as_encoded_bytes();
            // Among ASCII names letter case is all that folding changes there.
            let may_meet = bytes.get(..start.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(start));
            if may_meet || !bytes.is_ascii() {
                self.add(&name);
            }
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

    /// Which of `name.md`, `name-2.md`, `name-3.md`, … is the first that meets no other; 1 is the name
    /// itself. Names that are not plain and short are left to be tried one by one, from 1.
    pub fn first_free(&self, wanted: &OsStr) -> usize {
        const SHORT: usize = 200;
        let (stem, ending) = parts(wanted);
        if !wanted.is_ascii() || wanted.len() > SHORT || ending.is_empty() {
            return 1;
        }
        let (stem, ending) = (String::from_utf8_lossy(stem), String::from_utf8_lossy(ending));
        let (stem, ending) = (stem.to_ascii_lowercase(), ending.to_ascii_lowercase());
        // As `fold` has them, without the cost of taking each apart.
        let mut name = format!("{stem}{ending}");
        let mut n = 1;
        while self.names.contains_key(&name) {
            n += 1;
            name.clear();
            // Writing to a text can't fail.
            let _ = write!(name, "{stem}-{n}{ending}");
        }
        n
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

/// What all names begin with, but for letter case, that are made of one by a suffix: some ASCII bytes
/// before its ending.
fn beginning(name: &OsStr) -> &[u8] {
    const ENOUGH: usize = 64;
    let (stem, _) = parts(name);
    let ascii = stem.iter().take(ENOUGH).take_while(|b| b.is_ascii()).count();
    stem.get(..ascii).unwrap_or_default().trim_ascii_end()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

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
    fn the_first_free_number_is_found() {
        let mut taken = TakenNames::default();
        for (name, first) in [("A.md", 1), ("a-2.MD", 2), ("a-4.md", 3), ("a-3.md", 3)] {
            assert_eq!(taken.first_free(OsStr::new("a.md")), first);
            taken.add(OsStr::new(name));
        }
        assert_eq!(taken.first_free(OsStr::new("A.md")), 5);
        assert_eq!(taken.first_free(OsStr::new("b.md")), 1);
        assert_eq!(taken.first_free(OsStr::new("a")), 1);
        for name in ["m.json.read", "m-2.json.read"] {
            taken.add(OsStr::new(name));
        }
        assert_eq!(taken.first_free(OsStr::new("M.json.read")), 3);
    }

    #[test]
    fn what_may_meet_a_name_is_noted() {
        let dir = tempfile::tempdir().unwrap();
        let there = [
            "2026-05-20-A.md",
            "2026-05-20-a-2.MD",
            "2026-05-19-b.md",
            "2026-05-20-\u{212a}.md",
            "x\u{200d}y.md",
            "xy.md",
            "m-2.json.read",
        ];
        for name in there {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        let all = TakenNames::read(dir.path()).unwrap();
        for wanted in [
            "2026-05-20-a.md",
            "2026-05-20-a-2.md",
            "2026-05-20-k.md",
            "x\u{200d}y.md",
            "XY.md",
            "b",
            ".md",
            "2026-05-2",
            "M.json.read",
        ] {
            let mut near = TakenNames::default();
            near.add_near(dir.path(), OsStr::new(wanted));
            assert_eq!(near.is_taken(OsStr::new(wanted)), all.is_taken(OsStr::new(wanted)), "{wanted}");
            assert_eq!(near.first_free(OsStr::new(wanted)), all.first_free(OsStr::new(wanted)), "{wanted}");
            assert!(near.names.len() < there.len(), "{wanted}");
        }
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
