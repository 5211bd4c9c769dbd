//! What this user, and everybody else, may do in a folder: for `doctor`, which tells of inboxes that
//! can't be written, and of those that anybody may write.

use std::path::Path;

/// Rights in a folder. Where the system doesn't tell, nothing is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    /// Whether files can be made and renamed in it.
    pub writable: bool,
    /// Whether every user of the machine may do so.
    pub open_to_all: bool,
}

/// Looks at a folder's rights; nothing is tried.
#[cfg(unix)]
pub fn of(folder: &Path) -> Rights {
    use rustix::fs::{Access, access};
    use rustix::io::Errno;
    use std::os::unix::fs::MetadataExt as _;
    let answer = access(folder, Access::WRITE_OK | Access::EXEC_OK);
    let writable = !matches!(answer, Err(Errno::ACCESS | Errno::ROFS | Errno::PERM));
    Rights { writable, open_to_all: std::fs::metadata(folder).is_ok_and(|facts| facts.mode() & 0o002 != 0) }
}

/// Looks at a folder's rights; nothing is tried.
#[cfg(not(unix))]
pub fn of(folder: &Path) -> Rights {
    Rights { writable: !std::fs::metadata(folder).is_ok_and(|facts| facts.permissions().readonly()), open_to_all: false }
}
