//! A bell that rings when something changes in a folder: by the system's notice (feature `watch`),
//! where it gives any. It is only a help to look sooner; whoever waits looks now and then all the
//! same, since some file systems are silent and a full queue forgets.

use std::path::PathBuf;
use std::time::Duration;

#[cfg(feature = "watch")]
use notified::Ear;

/// The bell.
pub struct Bell {
    #[cfg(feature = "watch")]
    ear: Option<Ear>,
}

impl Bell {
    /// A bell that hears of changes, where the system tells.
    pub fn new() -> Self {
        Self {
            #[cfg(feature = "watch")]
            ear: Ear::new(),
        }
    }

    /// A bell that never rings.
    pub fn silent() -> Self {
        Self {
            #[cfg(feature = "watch")]
            ear: None,
        }
    }

    /// Listens to these folders, with all in them, and to no others. Gives whether all can be heard.
    pub fn listen(&mut self, folders: &[PathBuf]) -> bool {
        #[cfg(feature = "watch")]
        if let Some(ear) = &mut self.ear {
            return ear.listen(folders);
        }
        folders.is_empty()
    }

    /// Waits until it rings, or that long. After the first stroke it waits for quiet, `settle` long,
    /// but no longer than four times that. Gives whether it rang.
    pub fn wait(&self, most: Duration, settle: Duration) -> bool {
        #[cfg(feature = "watch")]
        if let Some(ear) = &self.ear {
            return ear.wait(most, settle);
        }
        let _ = settle;
        std::thread::sleep(most);
        false
    }
}

impl Default for Bell {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(feature = "watch")]
mod notified {
    use std::collections::HashSet;
    use std::path::PathBuf;
    use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
    use std::time::Duration;

    use notify::event::{AccessKind, AccessMode};
    use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

    pub(super) struct Ear {
        watcher: RecommendedWatcher,
        strokes: Receiver<()>,
        heard: HashSet<PathBuf>,
    }

    impl Ear {
        pub fn new() -> Option<Self> {
            // One stroke is enough: who hears it looks at everything.
            let (send, strokes) = sync_channel(1);
            let handler = move |event: notify::Result<Event>| {
                if event.map_or(true, |event| tells(event.kind)) {
                    let _ = send.try_send(());
                }
            };
            let watcher = notify::recommended_watcher(handler).ok()?;
            Some(Self { watcher, strokes, heard: HashSet::new() })
        }

        pub fn listen(&mut self, folders: &[PathBuf]) -> bool {
            let wanted: HashSet<PathBuf> = folders.iter().cloned().collect();
            for gone in self.heard.difference(&wanted) {
                // One that is gone is heard no more in any case.
                let _ = self.watcher.unwatch(gone);
            }
            self.heard.retain(|folder| wanted.contains(folder));
            for new in wanted {
                if !self.heard.contains(&new) && self.watcher.watch(&new, RecursiveMode::Recursive).is_ok() {
                    self.heard.insert(new);
                }
            }
            folders.iter().all(|folder| self.heard.contains(folder))
        }

        pub fn wait(&self, most: Duration, settle: Duration) -> bool {
            match self.strokes.recv_timeout(most) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => {
                    std::thread::sleep(most);
                    return false;
                }
            }
            for _ in 0..4 {
                if self.strokes.recv_timeout(settle).is_err() {
                    break;
                }
            }
            true
        }
    }

    /// Reading is no change; our own looks would ring the bell for ever.
    fn tells(kind: EventKind) -> bool {
        !matches!(kind, EventKind::Access(access) if access != AccessKind::Close(AccessMode::Write))
    }
}

#[cfg(all(test, feature = "watch"))]
mod tests {
    use super::*;

    #[test]
    fn it_rings_for_what_is_written_and_not_for_what_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let (long, short) = (Duration::from_secs(20), Duration::from_millis(20));
        std::fs::write(dir.path().join("old.md"), "x").unwrap();
        let mut bell = Bell::new();
        if !bell.listen(&[dir.path().to_owned()]) {
            return; // this system tells nothing
        }
        assert_eq!(std::fs::read_to_string(dir.path().join("old.md")).unwrap(), "x");
        assert!(!bell.wait(Duration::from_millis(200), short), "reading is no change");
        std::fs::write(dir.path().join("new.md"), "x").unwrap();
        assert!(bell.wait(long, short));
        bell.listen(&[]);
        while bell.wait(short, short) {}
        std::fs::write(dir.path().join("later.md"), "x").unwrap();
        assert!(!bell.wait(Duration::from_millis(200), short));
        assert!(!Bell::silent().wait(short, short));
    }
}
