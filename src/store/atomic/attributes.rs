//! What a file carries beside its bytes, owner and mode: a person's own attributes (`user.*`; tags,
//! checksums, where it came from) and its access list. A new version of the file keeps them.
//!
//! What the system itself puts there (security labels, capabilities, what a sandbox notes) is its own
//! to give to new files, and is not copied; nor are the access lists of macOS, which are no attributes.

use std::fs::File;
use std::io;

/// Gives a temporary the attributes and the access list of the file it stands for. One that it
/// inherited from its folder goes where that file has none: it may let others in.
///
/// # Errors
/// One can't be read or set. A system or file system without attributes is no error.
pub(super) fn copy(from: &File, to: &File) -> io::Result<()> {
    system::copy(from, to)
}

/// Takes an inherited access list from a temporary, before it gets its mode.
///
/// # Errors
/// It can't be taken away.
pub(super) fn clear(from: &File, to: &File) -> io::Result<()> {
    system::clear(from, to)
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
mod system {
    use std::fs::File;
    use std::io;

    use rustix::fs::{XattrFlags, fgetxattr, fgetxattr_query, flistxattr, flistxattr_query, fremovexattr, fsetxattr};
    use rustix::io::Errno;

    /// The access list, where it is an attribute.
    const ACCESS: &[u8] = b"system.posix_acl_access";

    pub fn copy(from: &File, to: &File) -> io::Result<()> {
        for name in names(from)?.split(|byte| *byte == 0).filter(|name| is_kept(name)) {
            if let Some(value) = value(from, name)? {
                fsetxattr(to, name, &value, XattrFlags::empty())?;
            }
        }
        Ok(())
    }

    pub fn clear(from: &File, to: &File) -> io::Result<()> {
        let has = |names: &[u8]| names.split(|byte| *byte == 0).any(|name| name == ACCESS);
        if has(&names(to)?) && !has(&names(from)?) {
            fremovexattr(to, ACCESS)?;
        }
        Ok(())
    }

    /// Whether an attribute is a person's, by its name.
    fn is_kept(name: &[u8]) -> bool {
        if cfg!(target_vendor = "apple") {
            // Its own are for the most part not to be set by others; a tag of the Finder is.
            return !name.is_empty() && (!name.starts_with(b"com.apple.") || name.starts_with(b"com.apple.metadata:"));
        }
        name.starts_with(b"user.") || name == ACCESS
    }

    /// The names of a file's attributes, each with a NUL behind it.
    fn names(file: &File) -> io::Result<Vec<u8>> {
        filled(|| flistxattr_query(file), |buffer| flistxattr(file, buffer)).map(Option::unwrap_or_default)
    }

    /// The value of an attribute; `None` where it is gone again.
    fn value(file: &File, name: &[u8]) -> io::Result<Option<Vec<u8>>> {
        filled(|| fgetxattr_query(file, name), |buffer| fgetxattr(file, name, buffer))
    }

    /// Asks for the size, then for the bytes; again where they grew in between.
    fn filled(
        size: impl Fn() -> Result<usize, Errno>,
        read: impl Fn(&mut [u8]) -> Result<usize, Errno>,
    ) -> io::Result<Option<Vec<u8>>> {
        for _ in 0..8 {
            let mut buffer = match size() {
                Ok(0) => return Ok(Some(Vec::new())),
                Ok(len) => vec![0; len],
                // No attributes here, or not this one any more.
                Err(e) if e == Errno::NOTSUP || e == Errno::NOSYS || is_absent(e) => return Ok(None),
                Err(e) => return Err(e.into()),
            };
            match read(&mut buffer) {
                Ok(len) => {
                    buffer.truncate(len);
                    return Ok(Some(buffer));
                }
                Err(Errno::RANGE) => {}
                Err(e) if is_absent(e) => return Ok(None),
                Err(e) => return Err(e.into()),
            }
        }
        Err(Errno::RANGE.into())
    }

    #[cfg(target_vendor = "apple")]
    fn is_absent(e: Errno) -> bool {
        e == Errno::NOATTR
    }

    #[cfg(not(target_vendor = "apple"))]
    fn is_absent(e: Errno) -> bool {
        e == Errno::NODATA
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
mod system {
    use std::fs::File;
    use std::io;

    #[allow(clippy::unnecessary_wraps)] // as elsewhere
    pub fn copy(_from: &File, _to: &File) -> io::Result<()> {
        Ok(())
    }

    #[allow(clippy::unnecessary_wraps)]
    pub fn clear(_from: &File, _to: &File) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::unwrap_used)] // A test says what must not be by panicking.
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use rustix::fs::{XattrFlags, fgetxattr, flistxattr_query, fsetxattr};

    use super::*;

    /// An access list as the system keeps it: version 2, then tag, rights and number of each entry.
    fn access_list(named_user: u32) -> Vec<u8> {
        let entry = |tag: u16, rights: u16, id: u32| [&tag.to_le_bytes()[..], &rights.to_le_bytes(), &id.to_le_bytes()].concat();
        let none = u32::MAX;
        [
            2_u32.to_le_bytes().to_vec(),
            entry(1, 6, none),
            entry(2, 4, named_user),
            entry(4, 0, none),
            entry(16, 4, none),
            entry(32, 0, none),
        ]
        .concat()
    }

    fn get(file: &File, name: &str) -> Option<Vec<u8>> {
        let mut buffer = vec![0; 1 << 16];
        let len = fgetxattr(file, name, &mut buffer[..]).ok()?;
        buffer.truncate(len);
        Some(buffer)
    }

    #[test]
    fn own_attributes_and_access_lists_go_along_and_inherited_ones_do_not() {
        let dir = tempfile::tempdir().unwrap();
        let make = |name: &str| File::create(dir.path().join(name)).unwrap();
        let (from, to, bare) = (make("from"), make("to"), make("bare"));
        if fsetxattr(&from, "user.tag", b"red", XattrFlags::empty()).is_err() {
            eprintln!("skipped: no attributes on this file system");
            return;
        }
        let large = vec![7; 3000];
        fsetxattr(&from, "user.large", &large, XattrFlags::empty()).unwrap();
        fsetxattr(&from, "user.empty", b"", XattrFlags::empty()).unwrap();
        let list = access_list(12_345);
        let has_lists = fsetxattr(&from, "system.posix_acl_access", &list, XattrFlags::empty()).is_ok();
        clear(&from, &to).unwrap();
        copy(&from, &to).unwrap();
        assert_eq!(get(&to, "user.tag"), Some(b"red".to_vec()));
        assert_eq!((get(&to, "user.large"), get(&to, "user.empty")), (Some(large), Some(Vec::new())));
        if has_lists {
            assert_eq!(get(&to, "system.posix_acl_access"), Some(list));
            assert_eq!(to.metadata().unwrap().permissions().mode() & 0o777, 0o640);
            // As if it had inherited one.
            clear(&bare, &to).unwrap();
            assert_eq!(get(&to, "system.posix_acl_access"), None);
        }
        copy(&bare, &bare).unwrap();
        assert_eq!(flistxattr_query(&bare).unwrap(), 0);
    }
}
