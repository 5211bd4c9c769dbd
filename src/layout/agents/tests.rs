#![cfg(unix)]

use std::os::unix::fs::symlink;

use super::super::{Dialect, bare, unique};
use super::*;
use crate::model::inbox::Label;

fn tree(paths: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for path in paths {
        let at = dir.path().join(path);
        if path.ends_with('/') {
            fs::create_dir_all(at).unwrap();
        } else {
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            fs::write(at, "---\nfrom: ava\n---\n\nhi\n").unwrap();
        }
    }
    dir
}

fn inbox(path: &Path) -> Inbox {
    Inbox {
        name: "ben@x".to_owned(),
        path: path.to_owned(),
        layout: LayoutId::Agents,
        owner: AgentName::parse("ben").unwrap(),
        aliases: Vec::new(),
        label: Label::Project,
        project: path.to_owned(),
    }
}

fn names(dir: &Path, which: Which) -> Vec<(String, Option<Status>)> {
    let listing = Agents.list(&inbox(dir), which, Beginning::ANY).unwrap();
    let mut out: Vec<_> = listing.entries.iter().map(|e| (e.name.to_string_lossy().into_owned(), e.state)).collect();
    out.sort();
    out
}

fn deliver(dir: &Path, letter: &Letter, sender: Option<&Inbox>) -> (PathBuf, String, Option<PathBuf>) {
    let inbox = inbox(dir);
    let context = Context { inbox: &inbox, dialect: &Dialect::default() };
    let plan = Agents.plan(&context, &Change::Deliver { letter, recipient: "ben", sender }).unwrap();
    let [FileOp::Create { path, bytes, staging, .. }] = plan.ops.as_slice() else { panic!("{plan:?}") };
    (path.clone(), String::from_utf8(bytes.clone()).unwrap(), staging.clone())
}

#[test]
fn inboxes_are_the_folders_that_hold_new() {
    let dir = tree(&[
        ".agents/inbox/ben/new/",
        ".agents/inbox/ben/tmp/",
        ".agents/inbox/API Review/new/",
        ".agents/inbox/drafts/tmp/",
        ".agents/inbox/.hidden/new/",
        ".agents/inbox/-bad/new/",
        ".agents/inbox/file",
    ]);
    symlink("ben", dir.path().join(".agents/inbox/linked")).unwrap();
    let found = Agents.probe(dir.path());
    let owners: Vec<_> = found.spots.iter().map(|s| s.owner.as_str()).collect();
    assert_eq!(owners, ["API Review", "ben", "linked"]);
    assert!(found.spots.iter().all(|s| s.project == dir.path()));
    let told: Vec<_> = found.problems.iter().map(|(p, _)| p.file_name().unwrap()).collect();
    assert_eq!(told, ["-bad"]);
    assert!(Agents.probe(&dir.path().join(".agents")).spots.is_empty());
}

#[test]
fn a_folder_of_an_inbox_stands_for_it() {
    let dir = tree(&[".agents/inbox/ben/new/", ".agents/inbox/ben/tmp/", "post/cal/new/", "mail/new/", "mail/cur/"]);
    let at = |p: &str| dir.path().join(p);
    for path in [".agents/inbox/ben", ".agents/inbox/ben/new", ".agents/inbox/ben/tmp", ".agents/inbox/ben/archive"] {
        let spot = Agents.recognise(&at(path)).unwrap();
        assert_eq!((spot.path, spot.owner.as_str(), spot.project), (at(".agents/inbox/ben"), "ben", dir.path().to_owned()));
    }
    let spot = Agents.recognise(&at("post/cal")).unwrap();
    assert_eq!((spot.owner.as_str(), spot.project), ("cal", at("post")));
    for path in ["mail", ".agents/inbox", ".agents", "nowhere"] {
        assert_eq!(Agents.recognise(&at(path)), None, "{path}");
    }
}

#[test]
fn the_folder_is_the_state_and_drafts_are_no_mail() {
    let dir = tree(&[
        "new/20260430T100000Z-a.aB12cD.md",
        "new/b.md.read",
        "new/.c.md.tmp",
        "new/README.md",
        "new/old/",
        "tmp/20260430T100000Z-draft.aB12cD.md",
        "tmp/x",
        "archive/d.md",
        "archive/2026/e.md",
        "stray.md",
    ]);
    let live = names(dir.path(), Which::Live);
    assert_eq!(
        live,
        [("20260430T100000Z-a.aB12cD.md".to_owned(), Some(Status::Unread)), ("b.md.read".to_owned(), Some(Status::Read))]
    );
    let archived = names(dir.path(), Which::Archived);
    assert_eq!(archived, [("d.md".to_owned(), Some(Status::Actioned)), ("e.md".to_owned(), Some(Status::Actioned))]);
    let lost = Agents.list(&inbox(dir.path()), Which::Live, Beginning::ANY).unwrap().leftovers;
    assert!(lost.iter().any(|(p, why)| p.ends_with("stray.md") && why.contains("beside new/")), "{lost:?}");
    let entry = |p: &str| Agents.entry(&inbox(dir.path()), &dir.path().join(p)).map(|e| (e.archived, e.state));
    assert_eq!(entry("new/x.md"), Some((false, Some(Status::Unread))));
    assert_eq!(entry("archive/2026/e.md"), Some((true, Some(Status::Actioned))));
    for none in ["tmp/x.md", "x.md", "new/deep/x.md", "new/x.txt", "archive/a/b/x.md"] {
        assert_eq!(entry(none), None, "{none}");
    }
}

#[test]
fn a_missing_archive_is_empty_and_a_missing_new_is_told() {
    let dir = tree(&["new/"]);
    assert!(names(dir.path(), Which::Archived).is_empty());
    fs::remove_dir(dir.path().join("new")).unwrap();
    assert!(Agents.list(&inbox(dir.path()), Which::Live, Beginning::ANY).is_err());
}

#[test]
fn a_new_message_reads_by_the_convention() {
    let dir = tree(&["ben/new/", "ben/tmp/", "ava/new/"]);
    let (ben, ava) = (dir.path().join("ben"), dir.path().join("ava"));
    let letter = Letter { thread: Some("auth-v2".to_owned()), ..unique::tests::letter() };
    let (path, text, staging) = deliver(&ben, &letter, Some(&inbox(&ava)));
    assert_eq!(path.parent(), Some(&*ben.join("new")));
    assert_eq!(staging, Some(ben.join("tmp")));
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    assert!(name.starts_with("20260430T100000Z-auth-ready.") && name.len() == "20260430T100000Z-auth-ready.aB12cD.md".len());
    assert_eq!(
        text,
        "---\nfrom: ava\nto: ben\nreply_to: ../ava/tmp/\ntimestamp: 2026-04-30T10:00:00Z\nthread: auth-v2\n\
         type: note\npriority: normal\nsubject: Auth ready\n---\n\nIt works.\n"
    );
    let (again, ..) = deliver(&ben, &letter, None);
    assert_eq!(again, path, "a dry run shows the name that the real run takes");
    fs::write(&path, &text).unwrap();
    let (second, text, _) = deliver(&ben, &letter, None);
    assert_ne!(second, path);
    assert!(!text.contains("reply_to"), "{text}");
}

#[test]
fn an_address_counts_only_where_it_is_the_senders() {
    let ben = inbox(Path::new("/w/.agents/inbox/ben"));
    let context = Context { inbox: &ben, dialect: &Dialect::default() };
    let answer = |from: &str, address: &str| {
        let entry = Entry {
            folder: Path::new("/w/.agents/inbox/ben/new").into(),
            name: "m.md".into(),
            archived: false,
            file: super::super::FileKind::Regular,
            node: None,
            state: None,
            shares_id: false,
        };
        let mut message = bare::unread(&context, &entry);
        message.header.from = Some(from.to_owned());
        message.header.reply_to = Some(address.to_owned());
        Agents.answer_address(&context, &message)
    };
    let ava = Some(PathBuf::from("/w/.agents/inbox/ava"));
    for address in ["../ava/tmp/", "../ava/tmp", " ../ava/./tmp// ", "/w/.agents/inbox/ava/tmp/", "../../inbox/ava/tmp/"] {
        assert_eq!(answer("ava", address).unwrap(), ava, "{address}");
    }
    assert_eq!(answer("@ava", "../ava/tmp/").unwrap(), ava);
    assert_eq!(answer("ava (web)", "../ava/tmp/").unwrap(), ava);
    assert_eq!(answer("ava", "  ").unwrap(), None);
    for (from, address) in [
        ("mallory", "../../../../../evil/tmp/"),
        ("mallory", "../ava/tmp/"),
        ("ava", "../ava/new/"),
        ("ava", "../ava/"),
        ("ava", "/"),
        ("ava", "../../../../../../../../../.."),
        ("ava", "../ava/tmp/../../.ssh"),
        ("ava", "tmp"),
        ("", "../ava/tmp/"),
        ("..", "../../tmp/"),
        ("ava", "../a\nva/tmp/"),
        ("ava", "msg-20260430-1"),
    ] {
        assert_eq!(answer(from, address).map_err(|r| r.kind), Err("bad-reply-address"), "{from:?} {address:?}");
    }
}
