//! File names that may meet: what one disk keeps apart, another takes for the same name.
//!
//! Used where a message gets a name it did not have before (archive, restore, new messages), so
//! that no name is given out that would be somebody else's after a copy to a case-blind or
//! normalising disk.

use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use super::read::ReadError;
use crate::layout::{self, Beginning};
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

/// The names in some folders that may meet the one that a new file wants, or one made of it by a number:
/// `name.md`, `name-2.md`, `name-3.md`, …
///
/// To fold all names of a large folder takes longer than a send; so does folding a thousand letters of
/// one day and subject. Those are known by their numbers.
#[derive(Debug)]
pub struct NearNames {
    wanted: OsString,
    /// The wanted name before and from where a number goes; `None` where the name is not plain and short.
    plain: Option<(Vec<u8>, Vec<u8>)>,
    /// The numbers of names that are the wanted one but for a number and letter case; 1 is the name itself.
    numbers: BTreeSet<usize>,
    others: TakenNames,
}

impl NearNames {
    /// None yet.
    pub fn of(wanted: &OsStr) -> Self {
        const SHORT: usize = 200;
        let (stem, ending) = parts(wanted);
        let is_plain = wanted.is_ascii() && wanted.len() <= SHORT && ending.last().is_some_and(u8::is_ascii_alphanumeric);
        let plain = is_plain.then(|| (stem.to_owned(), ending.to_owned()));
        Self { wanted: wanted.to_owned(), plain, numbers: BTreeSet::new(), others: TakenNames::default() }
    }

    /// Notes the names in a folder, as far as they can be read.
    pub fn add_folder(&mut self, folder: &Path) {
        let wanted = self.wanted.clone();
        let beginning = std::str::from_utf8(beginning(&wanted)).unwrap_or_default();
        // A folder that can't be read takes no names: the rename tells.
        let _ = layout::each_name(folder, Beginning::of(beginning), |name| self.add(name));
    }

    /// Notes a name as taken.
    pub fn add(&mut self, name: &OsStr) {
        match self.number_of(name.as_encoded_bytes()) {
            Some(number) => drop(self.numbers.insert(number)),
            None => self.others.add(name),
        }
    }

    fn number_of(&self, name: &[u8]) -> Option<usize> {
        let (stem, ending) = self.plain.as_ref()?;
        let (start, rest) = name.split_at_checked(stem.len())?;
        let (middle, end) = rest.split_at_checked(rest.len().checked_sub(ending.len())?)?;
        if !start.eq_ignore_ascii_case(stem) || !end.eq_ignore_ascii_case(ending) {
            return None;
        }
        match middle {
            [] => Some(1),
            [b'-', first @ b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit) => {
                let digits = std::str::from_utf8(middle.get(1..)?).ok()?;
                digits.parse().ok().filter(|_| *first != b'1' || !rest.is_empty())
            }
            _ => None,
        }
    }

    /// Whether the wanted name with a number – `name` – would meet one that is there.
    pub fn is_taken(&self, number: usize, name: &OsStr) -> bool {
        self.numbers.contains(&number) || !self.others.names.is_empty() && self.others.is_taken(name)
    }

    /// The least number that may be free.
    pub fn first(&self) -> usize {
        let taken_in_a_row = self.numbers.iter().zip(1..).take_while(|(number, n)| *number == n).count();
        taken_in_a_row + 1
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

    /// The first number, from the one that may be free, whose name is: as whoever makes a file looks for it.
    fn first_free(near: &NearNames, wanted: &str) -> usize {
        let name = |n: usize| if n == 1 { wanted.into() } else { with_suffix(OsStr::new(wanted), &format!("-{n}")) };
        (near.first()..1_000).find(|&n| !near.is_taken(n, &name(n))).unwrap()
    }

    #[test]
    fn the_first_free_number_is_found() {
        let mut near = NearNames::of(OsStr::new("a.md"));
        for (name, first) in
            [("A.md", 1), ("a-2.MD", 2), ("a-4.md", 3), ("a-3.md", 3), ("a-05.md", 5), ("a-5.md.", 5), ("b-6.md", 6)]
        {
            assert_eq!(first_free(&near, "a.md"), first);
            near.add(OsStr::new(name));
        }
        assert_eq!(first_free(&near, "a.md"), 6);
        assert!(!near.is_taken(1_000, OsStr::new("a-1000.md")));
        let mut near = NearNames::of(OsStr::new("M.json.read"));
        for name in ["m.json.read", "m-2.json.read", "m-1.json.read", "m-3.json"] {
            near.add(OsStr::new(name));
        }
        assert_eq!(first_free(&near, "M.json.read"), 3);
        for wanted in ["a", "\u{e9}.md", "a.md ", ".md"] {
            let mut near = NearNames::of(OsStr::new(wanted));
            assert_eq!(first_free(&near, wanted), 1, "{wanted}");
            near.add(OsStr::new(wanted));
            assert_eq!(first_free(&near, wanted), 2, "{wanted}");
        }
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
            let mut near = NearNames::of(OsStr::new(wanted));
            near.add_folder(dir.path());
            assert_eq!(near.is_taken(1, OsStr::new(wanted)), all.is_taken(OsStr::new(wanted)), "{wanted}");
            let name = |n: usize| if n == 1 { wanted.into() } else { with_suffix(OsStr::new(wanted), &format!("-{n}")) };
            assert_eq!(Some(first_free(&near, wanted)), (1..1_000).find(|&n| !all.is_taken(&name(n))), "{wanted}");
            assert!(near.others.names.len() + near.numbers.len() < there.len(), "{wanted}");
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
