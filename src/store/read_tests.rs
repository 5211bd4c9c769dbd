//! Tests of reading: every odd thing is named with its reason, and nothing waits.
#![allow(clippy::unwrap_used)]

use std::ffi::OsString;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::*;

fn entry(folder: &Path, name: &str, file: FileKind) -> Entry {
    Entry {
        folder: Arc::from(folder),
        name: OsString::from(name),
        archived: false,
        file,
        node: None,
        state: None,
        shares_id: false,
    }
}

fn head(root: &Path, name: &str, file: FileKind, want: usize) -> Result<(Vec<u8>, bool), ReadError> {
    let folder = Folder::open(root)?;
    let mut buffer = Vec::new();
    let head = folder.read_head(&entry(root, name, file), want, Reach::Within(root), &mut buffer)?;
    Ok((head.bytes.to_vec(), head.complete))
}

fn kind_of<T>(result: Result<T, ReadError>) -> &'static str {
    result.err().map_or("", |e| {
        assert!(e.to_string().contains('/'), "no path in «{e}»");
        e.kind()
    })
}

#[test]
fn a_head_ends_where_the_file_ends() {
    let dir = tempfile::tempdir().unwrap();
    for (name, len) in [("empty", 0), ("short", 10), ("exact", HEAD), ("long", HEAD + 1), ("big", 300_000)] {
        fs::write(dir.path().join(name), vec![b'x'; len]).unwrap();
        let (bytes, complete) = head(dir.path(), name, FileKind::Regular, HEAD).unwrap();
        assert_eq!((bytes.len(), complete), (len.min(HEAD), len < HEAD), "{name}");
        let (bytes, complete) = head(dir.path(), name, FileKind::Regular, 1 << 40).unwrap();
        assert_eq!((bytes.len(), complete), (len, true), "{name}, whole");
    }
}

#[test]
fn one_buffer_serves_all_and_old_bytes_do_not_show() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a"), vec![b'a'; 9000]).unwrap();
    fs::write(dir.path().join("b"), "b").unwrap();
    let folder = Folder::open(dir.path()).unwrap();
    let mut buffer = Vec::new();
    for (name, want, len) in [("a", 8192, 8192), ("b", HEAD, 1), ("a", HEAD, HEAD)] {
        let entry = entry(dir.path(), name, FileKind::Regular);
        let (head, stamp) = folder.read_head_stamped(&entry, want, Reach::Anywhere, &mut buffer).unwrap();
        assert_eq!(head.bytes.len(), len);
        assert!(head.bytes.iter().all(|&b| b == name.as_bytes()[0]));
        assert_eq!(stamp, super::stamp(&dir.path().join(name)).unwrap());
    }
}

#[test]
fn what_is_missing_or_a_folder_is_named() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("d")).unwrap();
    assert_eq!(kind_of(head(dir.path(), "none", FileKind::Regular, HEAD)), "vanished");
    assert_eq!(kind_of(head(dir.path(), "d", FileKind::Regular, HEAD)), "not-a-file");
    assert_eq!(kind_of(head(dir.path(), "d", FileKind::Special, HEAD)), "not-a-file");
    assert_eq!(kind_of(read_whole(&dir.path().join("d"), Reach::Anywhere, 10)), "not-a-file");
    assert_eq!(kind_of(stamp(&dir.path().join("d"))), "not-a-file");
    assert_eq!(kind_of(Folder::open(&dir.path().join("none"))), "vanished");
}

#[test]
fn a_file_beyond_the_cap_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    fs::write(&path, "12345").unwrap();
    assert_eq!(&*read_whole(&path, Reach::Anywhere, 5).unwrap().0.bytes, b"12345");
    assert_eq!(kind_of(read_whole(&path, Reach::Anywhere, 4)), "too-large");
    fs::File::create(&path).unwrap().set_len(LARGEST + 1).unwrap(); // sparse
    assert_eq!(kind_of(read_whole(&path, Reach::Anywhere, LARGEST)), "too-large");
    assert_eq!(kind_of(head(dir.path(), "a", FileKind::Regular, usize::MAX)), "too-large");
    assert_eq!(head(dir.path(), "a", FileKind::Regular, HEAD).unwrap().0.len(), HEAD);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;

    fn fifo(path: &Path) {
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
    }

    #[test]
    fn special_files_are_never_waited_for_even_when_taken_for_files() {
        let dir = tempfile::tempdir().unwrap();
        fifo(&dir.path().join("f"));
        let _socket = UnixListener::bind(dir.path().join("s")).unwrap();
        for name in ["f", "s"] {
            for kind in [FileKind::Regular, FileKind::Link, FileKind::Special] {
                assert_eq!(kind_of(head(dir.path(), name, kind, HEAD)), "not-a-file", "{name} {kind:?}");
            }
            assert_eq!(kind_of(read_whole(&dir.path().join(name), Reach::Anywhere, 10)), "not-a-file");
        }
        symlink("f", dir.path().join("to-f")).unwrap();
        assert_eq!(kind_of(head(dir.path(), "to-f", FileKind::Link, HEAD)), "not-a-file");
        symlink("/dev/zero", dir.path().join("zero")).unwrap();
        assert_eq!(kind_of(head(dir.path(), "zero", FileKind::Link, HEAD)), "link-outside");
        assert_eq!(kind_of(read_whole(&dir.path().join("zero"), Reach::Anywhere, 10)), "not-a-file");
    }

    #[test]
    fn links_are_followed_inside_the_project_only() {
        let dir = tempfile::tempdir().unwrap();
        let (project, outside) = (dir.path().join("p"), dir.path().join("p-outside"));
        fs::create_dir_all(project.join("sub/deep")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(project.join("sub/real"), "in").unwrap();
        fs::write(outside.join("real"), "out").unwrap();
        symlink("sub/real", project.join("near")).unwrap();
        symlink("../real", project.join("sub/deep/up")).unwrap();
        symlink("sub/deep/up", project.join("two-hops")).unwrap();
        symlink(&outside, project.join("away")).unwrap();
        symlink("away/real", project.join("by-folder")).unwrap();
        symlink(outside.join("real"), project.join("far")).unwrap();
        symlink(outside.join("back"), project.join("there-and-back")).unwrap();
        symlink(project.join("sub/real"), outside.join("back")).unwrap();
        symlink("sub/..", project.join("dots")).unwrap();
        symlink("nowhere", project.join("dangling")).unwrap();
        symlink("no/such/folder", project.join("dangling2")).unwrap();
        symlink("sub/real/x", project.join("dangling3")).unwrap();
        symlink("loop-b", project.join("loop-a")).unwrap();
        symlink("loop-a", project.join("loop-b")).unwrap();
        symlink("self", project.join("self")).unwrap();
        for name in ["near", "two-hops", "there-and-back"] {
            // Also when the listing took it for a file: it may have become a link since.
            for kind in [FileKind::Link, FileKind::Regular] {
                assert_eq!(head(&project, name, kind, HEAD).unwrap(), (b"in".to_vec(), true), "{name}");
            }
        }
        for (name, kind) in [
            ("by-folder", "link-outside"),
            ("far", "link-outside"),
            ("away", "link-outside"),
            ("dots", "not-a-file"),
            ("dangling", "dangling-link"),
            ("dangling2", "dangling-link"),
            ("dangling3", "dangling-link"),
            ("loop-a", "link-loop"),
            ("self", "link-loop"),
        ] {
            assert_eq!(kind_of(head(&project, name, FileKind::Link, HEAD)), kind, "{name}");
        }
        let (source, _) = read_whole(&project.join("far"), Reach::Anywhere, 10).unwrap();
        assert_eq!((&*source.bytes, source.path), (&b"out"[..], project.join("far")));
    }

    #[test]
    fn a_hundred_hops_are_no_circle() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("l0"), "end").unwrap();
        for n in 1..=100 {
            symlink(format!("l{}", n - 1), dir.path().join(format!("l{n}"))).unwrap();
        }
        assert_eq!(head(dir.path(), "l100", FileKind::Link, HEAD).unwrap().0, b"end");
    }

    #[test]
    fn a_project_reached_through_a_link_is_still_the_project() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("real")).unwrap();
        symlink("real", dir.path().join("alias")).unwrap();
        fs::write(dir.path().join("real/a"), "a").unwrap();
        symlink(dir.path().join("real/a"), dir.path().join("real/l")).unwrap();
        let alias = dir.path().join("alias");
        assert_eq!(head(&alias, "l", FileKind::Link, HEAD).unwrap().0, b"a");
    }

    #[test]
    fn a_locked_file_is_named() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        fs::write(&path, "a").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
        if fs::File::open(&path).is_err() {
            assert_eq!(kind_of(head(dir.path(), "a", FileKind::Regular, HEAD)), "permission-denied");
        } // else: root reads everything
    }

    #[test]
    fn names_may_be_any_bytes() {
        use std::os::unix::ffi::OsStrExt as _;
        let dir = tempfile::tempdir().unwrap();
        let name = std::ffi::OsStr::from_bytes(b"a\xff\n.md");
        fs::write(dir.path().join(name), "x").unwrap();
        let mut e = entry(dir.path(), "", FileKind::Regular);
        e.name = name.to_owned();
        let folder = Folder::open(dir.path()).unwrap();
        let mut buffer = Vec::new();
        assert_eq!(folder.read_head(&e, HEAD, Reach::Anywhere, &mut buffer).unwrap().bytes, b"x");
    }
}

#[test]
fn a_stamp_is_the_same_by_every_way() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.md");
    fs::write(&path, "text").unwrap();
    let folder = Folder::open(dir.path()).unwrap();
    let times =
        [SystemTime::now(), UNIX_EPOCH, UNIX_EPOCH - Duration::new(86_400, 500), UNIX_EPOCH + Duration::new(5_000_000_000, 7)];
    for time in times {
        let file = fs::File::options().write(true).open(&path).unwrap();
        if file.set_modified(time).is_err() {
            continue; // a file system without such times
        }
        let by_path = stamp(&path).unwrap();
        assert_eq!(folder.stamp_in("a.md".as_ref()).unwrap(), Some(by_path), "{time:?}");
        assert_eq!(stamp_of(&file.metadata().unwrap()), by_path);
    }
    fs::create_dir(dir.path().join("b.md")).unwrap();
    assert_eq!(folder.stamp_in("b.md".as_ref()).unwrap(), None);
    assert!(folder.stamp_in("c.md".as_ref()).is_err());
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a.md", dir.path().join("d.md")).unwrap();
        assert_eq!(folder.stamp_in("d.md".as_ref()).unwrap(), None, "a link is not its target");
    }
}
