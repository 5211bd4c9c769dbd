#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::layout::FileKind;
use crate::model::inbox::Label;
use crate::model::status::Status;

fn tree(files: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for file in files {
        let path = dir.path().join(file);
        if file.ends_with('/') {
            fs::create_dir_all(path).unwrap();
        } else {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
    }
    dir
}

fn inbox(path: &Path) -> Inbox {
    Inbox {
        name: "x@y".to_owned(),
        path: path.to_owned(),
        layout: LayoutId::Soma,
        owner: AgentName::parse("x").unwrap(),
        aliases: Vec::new(),
        label: Label::Project,
        project: path.to_owned(),
    }
}

fn listing(dir: &Path, which: Which) -> Listing {
    Soma.list(&inbox(dir), which, Beginning::ANY).unwrap()
}

fn names(listing: &Listing) -> Vec<String> {
    let mut names: Vec<_> = listing.entries.iter().map(|e| e.name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn lost(listing: &Listing) -> Vec<String> {
    let mut names: Vec<_> =
        listing.leftovers.iter().map(|(p, _)| p.file_name().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn places_of_a_level_are_found() {
    let dir = tree(&[".soma/inbox/", ".claude/inbox/", ".codex/inbox/"]);
    let probe = Soma.probe(dir.path());
    let spots: Vec<_> = probe.spots.iter().map(|s| (s.path.clone(), s.owner.as_str(), s.project.clone())).collect();
    let at = |p: &str| dir.path().join(p);
    assert_eq!(
        spots,
        [(at(".soma/inbox"), "soma", dir.path().to_owned()), (at(".claude/inbox"), "claude", dir.path().to_owned())]
    );
    assert!(probe.problems.is_empty());
}

#[test]
fn what_is_no_folder_is_no_inbox() {
    for files in [&[".soma"][..], &[".soma/inbox", ".claude/x"], &["soma/inbox/"]] {
        let dir = tree(files);
        let probe = Soma.probe(dir.path());
        assert!(probe.spots.is_empty() && probe.problems.is_empty(), "{files:?}");
    }
}

#[test]
fn links_are_followed_and_broken_ones_told() {
    let dir = tree(&["shared/", ".soma/", ".claude/"]);
    symlink(dir.path().join("shared"), dir.path().join(".soma/inbox")).unwrap();
    symlink("nowhere", dir.path().join(".claude/inbox")).unwrap();
    let probe = Soma.probe(dir.path());
    assert_eq!(probe.spots.len(), 1);
    assert_eq!(probe.problems[0].0, dir.path().join(".claude/inbox"));
    assert_eq!(probe.problems[0].1.kind(), io::ErrorKind::NotFound);

    let dir = tree(&["x"]);
    symlink("nowhere", dir.path().join(".soma")).unwrap();
    symlink(".claude", dir.path().join(".claude")).unwrap();
    let paths: Vec<_> = Soma.probe(dir.path()).problems.into_iter().map(|(p, _)| p).collect();
    assert_eq!(paths, [dir.path().join(".soma"), dir.path().join(".claude/inbox")]);
}

#[test]
fn named_folders_belong_to_whom_the_place_says() {
    let dir = tree(&[
        "p/.soma/inbox/_archive/2026/",
        "p/.claude/inbox/",
        "p/docs/mailbox/wren/inbox/",
        "p/mail/ava/",
        "p/mail/-odd/Inbox/",
        "p/file.md",
    ]);
    let at = |p: &str| dir.path().join(p);
    let spot = |p: &str| Soma.recognise(&at(p)).map(|s| (s.path, s.owner.as_str().to_owned(), s.project));
    let soma = Some((at("p/.soma/inbox"), "soma".to_owned(), at("p")));
    assert_eq!(spot("p/.soma/inbox"), soma);
    assert_eq!(spot("p/.soma"), soma);
    assert_eq!(spot("p/.soma/inbox/_archive"), soma);
    assert_eq!(spot("p/.soma/inbox/_archive/2026"), soma);
    assert_eq!(spot("p/.claude/inbox"), Some((at("p/.claude/inbox"), "claude".to_owned(), at("p"))));
    assert_eq!(
        spot("p/docs/mailbox/wren/inbox"),
        Some((at("p/docs/mailbox/wren/inbox"), "wren".to_owned(), at("p/docs/mailbox/wren")))
    );
    assert_eq!(spot("p/mail/ava"), Some((at("p/mail/ava"), "ava".to_owned(), at("p/mail"))));
    assert_eq!(spot("p/mail/-odd/Inbox").map(|s| s.1), Some("mail".to_owned()));
    assert_eq!(spot("p/file.md"), None);
    assert_eq!(spot("p/none"), None);
}

#[test]
fn messages_are_told_from_what_lies_beside_them() {
    let messages = ["2026-05-02-a.md", "b.MD", "c.Md", "d.md.read", "e.md.READ", "manifest.md", "with space.md", "a.bak.md"];
    let known = [".gitignore", ".token", ".DS_Store", "README", "README.md", "readme.MD", "Readme.txt", "MANIFEST.md"];
    let leftovers = [
        "link.txt",
        "notes.txt",
        "sig.json",
        "x.md~",
        "x.md.bak",
        "#x.md#",
        ".x.md.swp",
        ".#x.md",
        "x.sync-conflict-20260501-101500-ABCDEFG.md",
        "x (Ava's Conflicted Copy 2026-05-01).md",
        "x.md.tmp",
        ".postroom-1f.tmp",
        ".hidden.md",
        "README-first.md",
        "x.md.processed",
        ".2026-05-01-x.md.icloud",
        "noext",
    ];
    let all: Vec<&str> = messages.iter().chain(&known).chain(&leftovers).copied().collect();
    let dir = tree(&all);
    fs::create_dir(dir.path().join("folder.md")).unwrap();
    fs::create_dir_all(dir.path().join("folder/tmp")).unwrap();
    fs::create_dir(dir.path().join("_aRchive")).unwrap();
    let live = listing(dir.path(), Which::Live);
    let sorted = |names: &[&str]| {
        let mut names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&live), sorted(&messages));
    assert_eq!(lost(&live), sorted(&[&leftovers[..], &["folder.md", "_aRchive"]].concat()));
    assert!(live.entries.iter().all(|e| !e.archived && e.file == FileKind::Regular));
    let state = |name: &str| live.entries.iter().find(|e| e.name == name).unwrap().state;
    assert_eq!((state("b.MD"), state("e.md.READ")), (None, Some(Status::Read)));
}

#[test]
fn links_and_special_files_are_listed_as_such() {
    let dir = tree(&["a.md", "_archive/"]);
    symlink("nowhere.md", dir.path().join("link.md")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("socket.md")).unwrap();
    let live = listing(dir.path(), Which::Live);
    let kind = |name: &str| live.entries.iter().find(|e| e.name == name).unwrap().file;
    assert_eq!((kind("link.md"), kind("socket.md"), kind("a.md")), (FileKind::Link, FileKind::Special, FileKind::Regular));
}

#[test]
#[cfg(target_os = "linux")]
fn names_that_are_no_text_are_listed() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tree(&[]);
    let name = OsStr::from_bytes(b"2026-\xff\xfe.md");
    fs::write(dir.path().join(name), "").unwrap();
    assert_eq!(listing(dir.path(), Which::Live).entries[0].name, name);
}

#[test]
fn the_archive_is_one_folder_deep() {
    let dir = tree(&["_archive/a.md", "_archive/2026-04/b.md", "_archive/2026-04/deep/c.md", "_archive/README.md", "live.md"]);
    let archived = listing(dir.path(), Which::Archived);
    assert_eq!(names(&archived), ["a.md", "b.md"]);
    assert!(archived.entries.iter().all(|e| e.archived));
    assert!(archived.entries.iter().any(|e| e.path() == dir.path().join("_archive/2026-04/b.md")));
    assert_eq!(names(&listing(dir.path(), Which::Live)), ["live.md"]);
    assert_eq!(archive_folder(dir.path()), dir.path().join("_archive"));
}

#[test]
fn an_archive_of_another_spelling_is_used() {
    let dir = tree(&["_Archive/a.md"]);
    assert!(archive_folder(dir.path()).symlink_metadata().is_ok());
    assert_eq!(names(&listing(dir.path(), Which::Archived)), ["a.md"]);
    // Both spellings: both are read, each message once, whatever the disk thinks of letter case.
    fs::create_dir_all(dir.path().join("_archive")).unwrap();
    fs::write(dir.path().join("_archive/b.md"), "").unwrap();
    assert_eq!(names(&listing(dir.path(), Which::Archived)), ["a.md", "b.md"]);
}

#[test]
fn a_linked_archive_is_followed_and_a_missing_one_is_empty() {
    let dir = tree(&["elsewhere/a.md", "inbox/"]);
    let inbox = dir.path().join("inbox");
    let none = listing(&inbox, Which::Archived);
    assert!(none.entries.is_empty() && none.problems.is_empty());
    symlink("../elsewhere", inbox.join("_archive")).unwrap();
    assert_eq!(names(&listing(&inbox, Which::Archived)), ["a.md"]);
    assert!(lost(&listing(&inbox, Which::Live)).is_empty());
    fs::remove_file(inbox.join("_archive")).unwrap();
    symlink("gone", inbox.join("_archive")).unwrap();
    let broken = listing(&inbox, Which::Archived);
    assert_eq!(broken.problems.len(), 1);
    assert_eq!(archive_folder(&inbox), inbox.join("_archive"));
}

#[test]
fn an_inbox_that_is_gone_is_an_error() {
    let dir = tree(&[]);
    assert!(Soma.list(&inbox(&dir.path().join("none")), Which::Live, Beginning::ANY).is_err());
}
