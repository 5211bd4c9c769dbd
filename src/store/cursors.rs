//! Where a `watch` stopped, for the next one to go on from: which messages were known then.
//!
//! One small file a cursor in the state folder, `cursors/<name>.json`, where the name is a digest of
//! what is in it, so that the same knowledge is kept once. It holds digests, no text and no names. A
//! cursor that is gone, or damaged, is said to be so: whoever goes on then tells all that is unread.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::atomic::Disk;
use super::lock::{self, fnv1a};
use super::read::{self, Reach};

/// How many cursors are kept; the oldest go first.
pub const KEPT: usize = 500;

/// Larger files are none of ours, in bytes.
const LARGEST: u64 = 64 << 20;
const VERSION: u32 = 1;

/// A digest that is the same on every machine and in every version.
pub fn digest(bytes: &[u8]) -> u64 {
    fnv1a(bytes)
}

/// The known messages of each inbox, as digests, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cursor {
    /// By inbox.
    pub inboxes: BTreeMap<u64, Vec<u64>>,
}

/// The name of a cursor: 16 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CursorName(String);

impl CursorName {
    /// Reads a name.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        (text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit())).then_some(Self(text))
    }
}

impl fmt::Display for CursorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Serialize, Deserialize)]
struct Record {
    version: u32,
    inboxes: BTreeMap<String, Vec<String>>,
}

impl Cursor {
    /// Its name, by what it holds.
    pub fn name(&self) -> CursorName {
        let mut bytes = Vec::new();
        for (inbox, known) in &self.inboxes {
            bytes.extend_from_slice(&inbox.to_le_bytes());
            bytes.extend(known.iter().flat_map(|key| key.to_le_bytes()));
            bytes.push(b'\n');
        }
        CursorName(format!("{:016x}", fnv1a(&bytes)))
    }

    /// Keeps it, in the state folder, or, where that can't be written, in this user's own folder in
    /// `temporary`. Gives its name.
    ///
    /// # Errors
    /// Neither can be written: there is nothing to go on from then.
    pub fn save(&self, disk: &Disk<'_>, state: &Path, temporary: &Path) -> io::Result<CursorName> {
        let name = self.name();
        let keys = |known: &Vec<u64>| known.iter().map(|key| format!("{key:x}")).collect();
        let inboxes = self.inboxes.iter().map(|(inbox, known)| (format!("{inbox:x}"), keys(known))).collect();
        let bytes = serde_json::to_vec(&Record { version: VERSION, inboxes })?;
        let write = |folder: PathBuf| {
            disk.private_folder(&folder)?;
            disk.record(&folder.join(format!("{name}.json")), &bytes).map_err(io::Error::other)?;
            tidy(disk, &folder, &name);
            Ok(())
        };
        write(state.join("cursors")).or_else(|error: io::Error| {
            let folder = lock::fallback(temporary);
            lock::make_fallback(&folder).map_err(|_| error)?;
            write(folder.join("cursors"))
        })?;
        Ok(name)
    }

    /// The cursor of a name; `None` where it is gone or damaged.
    pub fn find(name: &CursorName, state: &Path, temporary: &Path) -> Option<Self> {
        let file = |folder: PathBuf| folder.join("cursors").join(format!("{name}.json"));
        let cursor = read_record(&file(state.to_owned())).or_else(|| {
            let folder = lock::fallback(temporary);
            lock::make_fallback(&folder).ok()?;
            read_record(&file(folder))
        })?;
        // What was changed since is not what the name stands for.
        (cursor.name() == *name).then_some(cursor)
    }
}

fn read_record(path: &Path) -> Option<Cursor> {
    let (source, _) = read::read_whole(path, Reach::Anywhere, LARGEST).ok()?;
    let record: Record = serde_json::from_slice(&source.bytes).ok()?;
    let hex = |text: &String| u64::from_str_radix(text, 16).ok();
    let mut inboxes = BTreeMap::new();
    for (inbox, known) in &record.inboxes {
        inboxes.insert(hex(inbox)?, known.iter().map(hex).collect::<Option<Vec<_>>>()?);
    }
    (record.version == VERSION).then_some(Cursor { inboxes })
}

/// Forgets the oldest cursors over the number that is kept.
fn tidy(disk: &Disk<'_>, folder: &Path, own: &CursorName) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let is_cursor = |name: &str| name.strip_suffix(".json").is_some_and(|stem| CursorName::parse(stem).is_some());
    let mut files: Vec<(SystemTime, PathBuf)> = entries
        .filter_map(Result::ok)
        .filter(|entry| is_cursor(&entry.file_name().to_string_lossy()))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    if files.len() <= KEPT {
        return;
    }
    files.sort_by(|a, b| b.cmp(a));
    for (_, path) in files.into_iter().skip(KEPT) {
        if !path.ends_with(format!("{own}.json")) {
            // One that can't be removed is tried again next time.
            let _ = disk.forget(&path);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn cursor(keys: &[u64]) -> Cursor {
        Cursor { inboxes: BTreeMap::from([(7, keys.to_vec()), (u64::MAX, Vec::new())]) }
    }

    #[test]
    fn what_was_kept_is_found_by_its_name_and_nothing_else_is() {
        let dir = tempfile::tempdir().unwrap();
        let (state, temp) = (dir.path().join("state"), dir.path().join("tmp"));
        std::fs::create_dir(&temp).unwrap();
        let name = cursor(&[1, 2, u64::MAX]).save(&Disk::new(), &state, &temp).unwrap();
        assert_eq!(Cursor::find(&name, &state, &temp), Some(cursor(&[1, 2, u64::MAX])));
        assert_eq!(CursorName::parse(&format!(" {name}\n")), Some(name.clone()));
        assert_eq!(Cursor::find(&cursor(&[1]).name(), &state, &temp), None);
        let file = state.join(format!("cursors/{name}.json"));
        for bytes in [&b""[..], b"{", b"\xff", br#"{"version":1,"inboxes":{"7":["1"]}}"#, br#"{"version":2,"inboxes":{}}"#] {
            std::fs::write(&file, bytes).unwrap();
            assert_eq!(Cursor::find(&name, &state, &temp), None);
        }
        for bad in ["", "x", "../../../../etc/x", "0123456789abcde", "0123456789abcdef0"] {
            assert_eq!(CursorName::parse(bad), None);
        }
    }

    #[test]
    fn without_a_state_folder_the_temporary_one_serves() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        std::fs::write(&state, "in the way").unwrap();
        let name = cursor(&[3]).save(&Disk::new(), &state, dir.path()).unwrap();
        assert_eq!(Cursor::find(&name, &state, dir.path()), Some(cursor(&[3])));
    }

    #[test]
    fn old_ones_go_and_other_files_stay() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("cursors");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("mine.json"), "x").unwrap();
        for n in 0..KEPT + 3 {
            std::fs::write(folder.join(format!("{n:016x}.json")), "x").unwrap();
        }
        let name = cursor(&[1]).save(&Disk::new(), dir.path(), dir.path()).unwrap();
        assert!(folder.join(format!("{name}.json")).exists() && folder.join("mine.json").exists());
        assert!(std::fs::read_dir(&folder).unwrap().count() <= KEPT + 2);
    }
}
