//! What a host's session was told of: so that a hook repeats nothing while the agent still has it
//! in front of it.
//!
//! One small file a session in the state folder, `sessions/<hash of host and session>.json`, written
//! only after the text was handed over. It holds hashes, no text and no names. Lost or damaged, it
//! costs one repetition; what is unread is decided by the messages alone.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::atomic::Disk;
use super::lock::{self, fnv1a};
use super::read::{self, Reach};

/// How long a session that says nothing is remembered.
pub const KEPT_FOR: Duration = Duration::from_hours(7 * 24);
/// How many sessions are remembered.
pub const KEPT: usize = 200;

/// Larger files are none of ours, in bytes.
const LARGEST: u64 = 16 << 20;
/// How long one hook waits for another that is just telling the same news.
const PATIENCE: Duration = Duration::from_millis(300);
const VERSION: u32 = 1;

/// One thing that can be told: a message, or a place that could not be looked at.
pub fn key(place: &Path, what: &str) -> u64 {
    let mut bytes = place.as_os_str().as_encoded_bytes().to_vec();
    bytes.push(0);
    bytes.extend_from_slice(what.as_bytes());
    fnv1a(&bytes) & !FAILURE
}

/// The bit of a key that says that it is of a failure.
const FAILURE: u64 = 1;

/// A failure of the whole hook, as another thing that can be told.
pub fn failure_key(why: &str) -> u64 {
    key(Path::new("failure"), why) | FAILURE
}

/// Whether a key is of a failure.
pub fn is_failure(key: u64) -> bool {
    key & FAILURE != 0
}

/// The memory of one session, as it was read.
#[derive(Debug)]
pub struct Memory {
    state: Option<PathBuf>,
    temporary: PathBuf,
    name: String,
    told: BTreeSet<u64>,
}

#[derive(Serialize, Deserialize)]
struct Record {
    version: u32,
    told: Vec<String>,
}

impl Memory {
    /// Reads the memory of a session of a host. `state` is the state folder; where there is none, or
    /// none that can be written, this user's own folder in `temporary` serves. What can't be read is an
    /// empty memory.
    pub fn open(state: Option<&Path>, temporary: &Path, host: &str, session: &str) -> Self {
        let name = format!("{:016x}.json", key(Path::new(host), session));
        let (state, temporary) = (state.map(Path::to_path_buf), temporary.to_path_buf());
        let mut memory = Self { state, temporary, name, told: BTreeSet::new() };
        memory.told = memory.read().unwrap_or_default();
        memory
    }

    /// Whether something was told already.
    pub fn holds(&self, key: u64) -> bool {
        self.told.contains(&key)
    }

    /// All that was told.
    pub fn told(&self) -> impl Iterator<Item = u64> + '_ {
        self.told.iter().copied()
    }

    /// Whether nothing was told yet.
    pub fn is_empty(&self) -> bool {
        self.told.is_empty()
    }

    /// Remembers exactly these things from now on.
    ///
    /// # Errors
    /// No folder for it can be written: the session will be told again.
    pub fn save(&mut self, disk: &Disk<'_>, told: BTreeSet<u64>) -> io::Result<()> {
        let record = Record { version: VERSION, told: told.iter().map(|key| format!("{key:016x}")).collect() };
        self.told = told;
        let bytes = serde_json::to_vec(&record)?;
        let write = |folder: PathBuf| {
            let folder = folder.join("sessions");
            disk.private_folder(&folder)?;
            disk.record(&folder.join(&self.name), &bytes).map_err(io::Error::other)
        };
        match self.state.clone().map(write) {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) | None => write(self.fallback()?),
        }
    }

    /// Adds to what is remembered.
    ///
    /// # Errors
    /// As [`Memory::save`].
    pub fn add(&mut self, disk: &Disk<'_>, told: impl IntoIterator<Item = u64>) -> io::Result<()> {
        let told = self.told.iter().copied().chain(told).collect();
        self.save(disk, told)
    }

    /// Keeps other hooks of this user from telling at the same moment; `None` where that can't be
    /// had soon, and the worst is that two tell the same.
    pub fn lock(&self) -> Option<File> {
        let take = |folder: &Path| lock::lock_in(folder, "sessions.lock", PATIENCE).ok();
        self.state.as_deref().and_then(take).or_else(|| take(&self.fallback().ok()?))
    }

    /// Reads it again, after another hook may have written.
    pub fn refresh(&mut self) {
        self.told = self.read().unwrap_or_default();
    }

    /// Forgets sessions that are old, or too many. Called when a session starts.
    pub fn tidy(&self, disk: &Disk<'_>, now: SystemTime) {
        let Some(folder) = self.state.clone().or_else(|| self.fallback().ok()).map(|folder| folder.join("sessions")) else {
            return;
        };
        let Ok(entries) = fs::read_dir(&folder) else { return };
        let mut files: Vec<(SystemTime, PathBuf)> = entries
            .filter_map(Result::ok)
            .filter(|entry| is_record(&entry.file_name().to_string_lossy()))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        files.sort_by(|a, b| b.cmp(a));
        for (at, (modified, path)) in files.iter().enumerate() {
            let old = now.duration_since(*modified).is_ok_and(|age| age > KEPT_FOR);
            if (old || at >= KEPT) && !path.ends_with(&self.name) {
                // One that can't be removed is tried again next time.
                let _ = disk.forget(path);
            }
        }
        let _ = disk.tidy(&folder, now);
    }

    fn read(&self) -> Option<BTreeSet<u64>> {
        let path = |folder: &Path| folder.join("sessions").join(&self.name);
        let record = self.state.as_deref().and_then(|state| read_record(&path(state)));
        record.or_else(|| {
            let folder = lock::fallback(&self.temporary);
            let path = path(&folder);
            // Nearly always nothing is there, and nothing is made for it.
            path.symlink_metadata().ok()?;
            lock::check_fallback(&folder).ok()?;
            read_record(&path)
        })
    }

    fn fallback(&self) -> io::Result<PathBuf> {
        let folder = lock::fallback(&self.temporary);
        lock::make_fallback(&folder).map_err(io::Error::other)?;
        Ok(folder)
    }
}

fn read_record(path: &Path) -> Option<BTreeSet<u64>> {
    let (source, _) = read::read_whole(path, Reach::Anywhere, LARGEST).ok()?;
    let record: Record = serde_json::from_slice(&source.bytes).ok()?;
    let told = record.told.iter().map(|key| u64::from_str_radix(key, 16)).collect::<Result<_, _>>().ok()?;
    (record.version == VERSION).then_some(told)
}

/// `<16 hexadecimal digits>.json`: nothing else in the folder is ours to remove.
fn is_record(name: &str) -> bool {
    name.strip_suffix(".json").is_some_and(|hash| hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn open(dir: &Path, session: &str) -> Memory {
        Memory::open(Some(&dir.join("state")), dir, "claude", session)
    }

    fn set(keys: &[u64]) -> BTreeSet<u64> {
        keys.iter().copied().collect()
    }

    #[test]
    fn what_was_told_is_known_in_that_session_only() {
        let dir = tempfile::tempdir().unwrap();
        let mut memory = open(dir.path(), "s1");
        assert!(memory.is_empty() && !memory.holds(7));
        memory.save(&Disk::new(), set(&[7, u64::MAX])).unwrap();
        memory.add(&Disk::new(), [9]).unwrap();
        let again = open(dir.path(), "s1");
        assert!(again.holds(7) && again.holds(9) && again.holds(u64::MAX) && !again.holds(8));
        assert!(open(dir.path(), "s2").is_empty());
        assert!(Memory::open(Some(&dir.path().join("state")), dir.path(), "codex", "s1").is_empty());
    }

    #[test]
    fn a_damaged_memory_is_an_empty_one() {
        let dir = tempfile::tempdir().unwrap();
        let mut memory = open(dir.path(), "s");
        memory.save(&Disk::new(), set(&[7])).unwrap();
        let file = dir.path().join("state/sessions").join(&memory.name);
        for bytes in [&b""[..], b"{", b"\xff\0", b"[]", br#"{"version":2,"told":[]}"#, br#"{"version":1,"told":["x"]}"#] {
            std::fs::write(&file, bytes).unwrap();
            assert!(open(dir.path(), "s").is_empty());
        }
        open(dir.path(), "s").save(&Disk::new(), set(&[8])).unwrap();
        assert!(open(dir.path(), "s").holds(8));
    }

    #[test]
    fn without_a_state_folder_the_temporary_one_serves() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("state"), "in the way").unwrap();
        open(dir.path(), "s").save(&Disk::new(), set(&[7])).unwrap();
        assert!(open(dir.path(), "s").holds(7));
        assert!(open(dir.path(), "s").lock().is_some());
        let homeless = |session| Memory::open(None, dir.path(), "claude", session);
        homeless("t").save(&Disk::new(), set(&[8])).unwrap();
        assert!(homeless("t").holds(8) && homeless("s").holds(7));
        homeless("t").tidy(&Disk::new(), SystemTime::now() + KEPT_FOR + Duration::from_mins(1));
        assert!(homeless("t").holds(8) && homeless("s").is_empty());
    }

    #[test]
    fn old_sessions_and_too_many_are_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("state/sessions");
        for n in 0..KEPT + 5 {
            open(dir.path(), &n.to_string()).save(&Disk::new(), set(&[1])).unwrap();
        }
        std::fs::write(folder.join("mine.json"), "x").unwrap();
        let count = || std::fs::read_dir(&folder).unwrap().count();
        open(dir.path(), "0").tidy(&Disk::new(), SystemTime::now());
        assert!((KEPT + 1..=KEPT + 2).contains(&count()), "{}", count());
        open(dir.path(), "0").tidy(&Disk::new(), SystemTime::now() + KEPT_FOR + Duration::from_mins(1));
        assert_eq!(count(), 2, "the session's own and what is not ours stay");
    }

    #[test]
    fn keys_tell_places_and_names_apart() {
        assert_ne!(key(Path::new("/a"), "b"), key(Path::new("/ab"), ""));
        assert_ne!(key(Path::new("/a"), "b"), key(Path::new("/a"), "c"));
    }
}
