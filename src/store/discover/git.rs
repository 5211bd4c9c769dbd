//! Where a git repository starts, and what kind of checkout it is – read from its files.
//!
//! No git is run, and its environment (`GIT_DIR`) is not asked: what counts is the folder somebody
//! stands in.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The most that is read of a file of git's, in bytes.
const SMALL: u64 = 64 * 1024;

/// A checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repo {
    /// Its top folder, which holds the `.git`.
    pub(super) root: PathBuf,
    /// The folder that holds the history, shared by all checkouts of one repository; canonical.
    pub(super) common: PathBuf,
    /// Whether it is a linked worktree: one made by `git worktree add`.
    pub(super) linked: bool,
    /// Whether its `.git` file leads to a folder that is not there.
    pub(super) broken: bool,
}

impl Repo {
    /// The checkout whose top folder this is.
    pub(super) fn at(level: &Path) -> Option<Self> {
        let dot = level.join(".git");
        let meta = fs::metadata(&dot).ok()?;
        if meta.is_dir() {
            // git takes no notice of a `.git` folder without a HEAD; neither do we.
            let head = dot.join("HEAD").symlink_metadata();
            if head.is_err_and(|e| e.kind() == std::io::ErrorKind::NotFound) {
                return None;
            }
            return Some(Self::new(level, &dot, false));
        }
        let dir = level.join(path_after(b"gitdir:", &small_file(&dot)?)?);
        if !dir.is_dir() {
            return Some(Self { root: level.to_owned(), common: dir, linked: false, broken: true });
        }
        // A linked worktree's own folder says where the common one is; a submodule's has no such file.
        match small_file(&dir.join("commondir")).and_then(|text| path_after(b"", &text)) {
            Some(common) => Some(Self::new(level, &dir.join(common), true)),
            None => Some(Self::new(level, &dir, false)),
        }
    }

    /// The innermost checkout around a folder, looked for up to (not at) `stop`.
    pub(super) fn around(folder: &Path, stop: Option<&Path>) -> Option<Self> {
        folder.ancestors().take_while(|a| Some(*a) != stop).find_map(Self::at)
    }

    /// Where the checkouts of this repository meet: the folder beside its common git folder.
    ///
    /// The history of a submodule lies inside the `.git` of its parent, where no inbox is: there the
    /// submodule's main checkout is the place.
    pub(super) fn meeting_place(&self) -> Option<PathBuf> {
        let beside = self.common.parent()?;
        if !beside.iter().any(|name| name == ".git") {
            return Some(beside.to_owned());
        }
        let worktree = core_worktree(&small_file(&self.common.join("config"))?)?;
        fs::canonicalize(self.common.join(worktree)).ok()
    }

    fn new(level: &Path, common: &Path, linked: bool) -> Self {
        let common = fs::canonicalize(common).unwrap_or_else(|_| common.to_owned());
        Self { root: level.to_owned(), common, linked, broken: false }
    }
}

/// What a small ordinary file holds, at most 64 KiB of it; nothing where it can't be read. A FIFO of
/// that name is not waited for.
pub(super) fn small_file(path: &Path) -> Option<Vec<u8>> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(SMALL).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The path on the first line behind a word.
fn path_after(word: &[u8], text: &[u8]) -> Option<PathBuf> {
    let line = text.split(|b| *b == b'\n').next()?;
    let path = line.strip_prefix(word)?.trim_ascii();
    (!path.is_empty()).then(|| PathBuf::from(os_string(path)))
}

/// `worktree` under `[core]` of a git configuration.
fn core_worktree(config: &[u8]) -> Option<PathBuf> {
    let mut in_core = false;
    for line in config.split(|b| *b == b'\n').map(<[u8]>::trim_ascii) {
        if line.starts_with(b"[") {
            in_core = line.eq_ignore_ascii_case(b"[core]");
        } else if in_core
            && let Some((key, value)) = line.iter().position(|b| *b == b'=').map(|i| line.split_at(i))
            && key.trim_ascii().eq_ignore_ascii_case(b"worktree")
        {
            let value = value.strip_prefix(b"=").unwrap_or(value).trim_ascii();
            let bare = value.strip_prefix(b"\"").and_then(|v| v.strip_suffix(b"\"")).unwrap_or(value);
            return (!bare.is_empty()).then(|| PathBuf::from(os_string(bare)));
        }
    }
    None
}

/// A path's bytes as the system has them.
#[cfg(unix)]
fn os_string(bytes: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

/// A path's bytes as the system has them.
#[cfg(not(unix))]
fn os_string(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}
