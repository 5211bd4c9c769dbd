//! One change to an inbox at a time: a kernel lock on a side file in the state folder.
//!
//! Taken before the check of a commit, kept until its last step. The kernel gives it back when the
//! process ends, however it ends. The file itself stays: removing it while somebody waits on it
//! would give two the same lock. Nothing is ever put beside the messages.
//!
//! Processes that reach an inbox with different state folders (another user, a sandbox without a
//! home) do not see each other's locks; the comparison before each step is what guards then. The
//! same holds for an inbox that has two real paths (a bind mount).

use std::fs::{File, TryLockError};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::atomic::Disk;

/// How long is waited for a lock, unless the caller says otherwise.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// The longest pause between two tries.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Where locks are kept, and how long is waited for one.
#[derive(Debug, Clone)]
pub struct LockPlace {
    /// The state folder; locks go into `locks/` in it. Made with mode 700 when it is missing.
    state: PathBuf,
    /// For when the state folder can't be made or written.
    fallback: PathBuf,
    patience: Duration,
}

impl LockPlace {
    /// Locks are kept in `state`, or, where that can't be made or written (a sandbox, no home), in
    /// `postroom-<uid>` in `temporary`, the system's folder for temporary files. A folder of that
    /// name that is a link, another user's, or open to others is refused. One waits [`PATIENCE`].
    pub fn new(state: PathBuf, temporary: &Path) -> Self {
        Self { state, fallback: fallback(temporary), patience: PATIENCE }
    }

    /// The same, with another time to wait.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }
}

/// Why there is no lock. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has it. Try again.
    #[error("{inbox} is being changed by another process{}; nothing was written, try again", holder(*pid))]
    Held {
        /// The inbox.
        inbox: PathBuf,
        /// The process that noted itself as holding it, where that can be read.
        pid: Option<u32>,
    },
    /// The inbox can't be found, or no lock file can be made.
    #[error("{path}: can't lock: {source}")]
    Io {
        /// The inbox, or the lock file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

fn holder(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (process {pid})")).unwrap_or_default()
}

/// The right to change one inbox, until it is dropped. Plans are carried out only with it.
#[derive(Debug)]
pub struct InboxLock {
    /// The path it was asked for.
    asked: PathBuf,
    /// The same, without links.
    real: PathBuf,
    /// Holds the kernel's lock as long as it is open.
    _file: File,
}

impl InboxLock {
    /// Locks an inbox, waiting for others to finish, but not for ever.
    ///
    /// # Errors
    /// [`LockError::Held`] when they don't; [`LockError::Io`] when there is no such inbox, or
    /// neither folder of the place can be used.
    pub fn take(place: &LockPlace, inbox: &Path) -> Result<Self, LockError> {
        let real = inbox.canonicalize().map_err(|source| LockError::Io { path: inbox.to_owned(), source })?;
        let name = format!("{:016x}.lock", fnv1a(real.as_os_str().as_encoded_bytes()));
        let file = match lock_in(&place.state, &name, place.patience) {
            Err(LockError::Io { .. }) => {
                make_fallback(&place.fallback)?;
                lock_in(&place.fallback, &name, place.patience)
            }
            other => other,
        };
        let file = file.map_err(|e| match e {
            LockError::Held { pid, .. } => LockError::Held { inbox: inbox.to_owned(), pid },
            other @ LockError::Io { .. } => other,
        })?;
        // For the message of whoever waits in vain; the lock holds without it.
        let _ = Disk::note_holder(&file, std::process::id());
        Ok(Self { asked: inbox.to_owned(), real, _file: file })
    }

    /// Whether this is the lock of an inbox.
    pub fn covers(&self, inbox: &Path) -> bool {
        self.asked == inbox || inbox.canonicalize().is_ok_and(|real| real == self.real)
    }
}

/// Takes a lock file of this name in the `locks` folder of a folder.
pub(super) fn lock_in(folder: &Path, name: &str, patience: Duration) -> Result<File, LockError> {
    let folder = folder.join("locks");
    let path = folder.join(name);
    let named = |source| LockError::Io { path: path.clone(), source };
    let disk = Disk::new();
    disk.private_folder(&folder).map_err(named)?;
    let file = disk.open_lock(&path).map_err(named)?;
    // Time is counted by the pauses: this layer has no clock.
    let (mut waited, mut pause) = (Duration::ZERO, Duration::from_millis(1));
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if waited < patience => {}
            Err(TryLockError::WouldBlock) => return Err(LockError::Held { inbox: PathBuf::new(), pid: read_pid(&file) }),
            Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(TryLockError::Error(e)) => return Err(named(e)),
        }
        let now = pause.min(patience.saturating_sub(waited));
        std::thread::sleep(now);
        waited += now;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Tries, without waiting, to take a lock of this name in a state folder. For work that somebody
/// else does if we don't, such as starting a new journal.
pub(super) fn try_lock_in(state: &Path, name: &str) -> Option<File> {
    lock_in(state, name, Duration::ZERO).ok()
}

fn read_pid(file: &File) -> Option<u32> {
    let mut text = String::new();
    file.take(16).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// Makes this user's folder among the temporary files. Anybody may put something there under that
/// name, so it is looked at before it is used.
pub(super) fn make_fallback(folder: &Path) -> Result<(), LockError> {
    Disk::new().private_folder(folder).map_err(|source| LockError::Io { path: folder.to_owned(), source })?;
    check_fallback(folder)
}

/// Looks at this user's folder among the temporary files, before anything in it is read.
pub(super) fn check_fallback(folder: &Path) -> Result<(), LockError> {
    let named = |source| LockError::Io { path: folder.to_owned(), source };
    let facts = folder.symlink_metadata().map_err(named)?;
    if facts.is_dir() && is_private(&facts) {
        Ok(())
    } else {
        Err(named(io::Error::other("not a folder of this user alone (owner, mode 700, no link)")))
    }
}

/// The state folder of a user without a home: this user's own among the system's temporary files.
///
/// # Errors
/// Something else has that name (a link, another user's folder, one that is open to others): what
/// is kept there must not be read or planted by others.
pub fn homeless(temporary: &Path) -> Result<PathBuf, LockError> {
    let folder = fallback(temporary);
    if folder.symlink_metadata().is_ok() {
        make_fallback(&folder)?;
    }
    Ok(folder)
}

/// The folder in the system's one for temporary files that serves where the state folder can't be
/// written. To be looked at by [`make_fallback`] before each use.
pub(super) fn fallback(temporary: &Path) -> PathBuf {
    temporary.join(fallback_name())
}

#[cfg(unix)]
fn fallback_name() -> String {
    format!("postroom-{}", rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn fallback_name() -> String {
    "postroom".to_owned()
}

#[cfg(unix)]
fn is_private(facts: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    facts.uid() == rustix::process::geteuid().as_raw() && facts.mode() & 0o777 == 0o700
}

#[cfg(not(unix))]
fn is_private(_facts: &std::fs::Metadata) -> bool {
    true
}

/// The 64-bit FNV-1a hash: the same on every machine and in every version, as the name of a lock
/// file must be. Two inboxes that share one would merely wait for each other.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn place(dir: &Path, state: &str) -> (LockPlace, PathBuf) {
        let (temporary, inbox) = (dir.join("tmp"), dir.join("inbox"));
        std::fs::create_dir(&temporary).unwrap();
        std::fs::create_dir(&inbox).unwrap();
        (LockPlace::new(dir.join(state), &temporary).with_patience(Duration::from_millis(5)), inbox)
    }

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn one_at_a_time_and_the_holder_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let (place, inbox) = place(dir.path(), "state/postroom");
        let lock = InboxLock::take(&place, &inbox).unwrap();
        assert!(lock.covers(&inbox) && lock.covers(&inbox.join("../inbox")) && !lock.covers(dir.path()));
        let error = InboxLock::take(&place, &inbox.join(".")).unwrap_err();
        let LockError::Held { pid, .. } = &error else { panic!("{error}") };
        assert_eq!(*pid, Some(std::process::id()));
        assert!(error.to_string().contains("try again"), "{error}");
        drop(lock);
        InboxLock::take(&place, &inbox).unwrap();
        assert_eq!(std::fs::read_dir(&inbox).unwrap().count(), 0);
    }

    #[test]
    fn many_wait_for_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let (place, inbox) = place(dir.path(), "state/postroom");
        let place = place.with_patience(PATIENCE);
        let inside = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    let _lock = InboxLock::take(&place, &inbox).unwrap();
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    std::thread::sleep(Duration::from_millis(2));
                    inside.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
    }

    #[test]
    fn without_a_state_folder_the_temporary_one_serves() {
        let dir = tempfile::tempdir().unwrap();
        let (place, inbox) = place(dir.path(), "file");
        std::fs::write(dir.path().join("file"), "in the way").unwrap();
        let _lock = InboxLock::take(&place, &inbox).unwrap();
        assert!(matches!(InboxLock::take(&place, &inbox), Err(LockError::Held { .. })));
        assert!(place.fallback.join("locks").is_dir());
    }

    #[test]
    #[cfg(unix)]
    fn a_foreign_folder_among_the_temporary_files_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let (place, inbox) = place(dir.path(), "file");
        std::fs::write(dir.path().join("file"), "in the way").unwrap();
        let ours = place.fallback.clone();
        assert_eq!(homeless(&dir.path().join("tmp")).unwrap(), ours);
        let elsewhere = dir.path().join("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &ours).unwrap();
        assert!(matches!(InboxLock::take(&place, &inbox), Err(LockError::Io { .. })));
        assert!(homeless(&dir.path().join("tmp")).is_err());
        assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
        std::fs::remove_file(&ours).unwrap();
        std::fs::create_dir(&ours).unwrap();
        std::fs::set_permissions(&ours, std::fs::Permissions::from_mode(0o777)).unwrap();
        assert!(matches!(InboxLock::take(&place, &inbox), Err(LockError::Io { .. })));
    }

    #[test]
    #[cfg(unix)]
    fn state_folders_are_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let (place, inbox) = place(dir.path(), "state/postroom");
        let _lock = InboxLock::take(&place, &inbox).unwrap();
        for folder in [&place.state, &place.state.join("locks")] {
            assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        }
    }
}
