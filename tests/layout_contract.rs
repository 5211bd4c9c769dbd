//! The contract that every layout keeps: the laws at the trait `Layout`, held for each of them.
//! A new layout gets one row in [`PLACES`].

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test says what must not be by panicking.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use postroom::layout::{self, ALL, Beginning, Change, Context, Dialect, Entry, FileKind, Head, Layout, Need, Which};
use postroom::model::date::Clock;
use postroom::model::inbox::{Inbox, Label, LayoutId};
use postroom::model::letter::Letter;
use postroom::model::message::{Message, Priority};
use postroom::model::name::AgentName;
use postroom::model::plan::{EditPlan, FileOp, Source, Stamp};
use postroom::model::status::Status;
use postroom::store::atomic::Disk;
use postroom::store::lock::{InboxLock, LockPlace};
use postroom::store::read::{self, Reach};
use postroom::store::scan::Scan;
use proptest::prelude::*;

/// Where an inbox of each layout lies, what has to be there, and a message in it.
const PLACES: [(LayoutId, &str, &[&str], &str); 4] = [
    (LayoutId::Soma, ".soma/inbox", &[".soma/inbox/"], "x.md"),
    (LayoutId::Agents, ".agents/inbox/ben", &[".agents/inbox/ben/new/", ".agents/inbox/ben/tmp/"], "new/x.md"),
    (LayoutId::Json, ".workspace/agents/wren/inbox", &[".workspace/agents/wren/inbox/"], "x.json"),
    (LayoutId::Teams, ".claude/teams/t/inboxes/lead.json", &[".claude/teams/t/inboxes/lead.json"], ""),
];

struct World {
    dir: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (.., made, _) in PLACES {
            for path in made {
                let at = dir.path().join(path);
                if path.ends_with('/') {
                    fs::create_dir_all(at).unwrap();
                } else {
                    fs::create_dir_all(at.parent().unwrap()).unwrap();
                    fs::write(at, "[]").unwrap();
                }
            }
        }
        Self { dir }
    }

    fn inboxes(&self) -> Vec<(&'static dyn Layout, Inbox, PathBuf)> {
        let of = |(id, place, _, message): (LayoutId, &str, &[&str], &str)| {
            let path = self.dir.path().join(place);
            let message = if message.is_empty() { path.clone() } else { path.join(message) };
            let inbox = Inbox {
                name: format!("x@{id}"),
                path,
                layout: id,
                owner: AgentName::parse("ben").unwrap(),
                aliases: Vec::new(),
                label: Label::Project,
                project: self.dir.path().to_owned(),
            };
            (layout::of(id), inbox, message)
        };
        PLACES.into_iter().map(of).collect()
    }

    fn lock(&self, inbox: &Inbox) -> InboxLock {
        InboxLock::take(&LockPlace::new(self.dir.path().join("state"), &self.dir.path().join("temp")), &inbox.path).unwrap()
    }

    fn carry_out(&self, inbox: &Inbox, plan: &EditPlan) -> PathBuf {
        let done = Disk::new().carry_out(&self.lock(inbox), plan, Reach::Within(&inbox.project)).unwrap();
        done.last().unwrap().path.clone()
    }
}

fn clock() -> Clock {
    Clock::utc("2026-05-20T09:00:00Z".parse().unwrap())
}

fn letter(subject: &str, body: &str) -> Letter {
    Letter {
        from: "ava".to_owned(),
        to: vec!["ben".to_owned()],
        cc: Vec::new(),
        bcc: None,
        subject: subject.to_owned(),
        sent: clock(),
        kind: "note".to_owned(),
        priority: Priority::High,
        tags: vec!["a".to_owned(), "b".to_owned()],
        thread: Some("t".to_owned()),
        in_reply_to: Some("x/y.md".to_owned()),
        origin: None,
        body: body.to_owned(),
    }
}

fn scan(inbox: &Inbox, which: Which) -> Vec<Message> {
    let mut out = Vec::new();
    let scan = Scan { inbox, dialect: &Dialect::default(), clock: &clock(), stamps: true };
    let problems = scan.each(&[which], &mut |message| out.push(message));
    assert!(problems.is_empty(), "{problems:?}");
    out
}

fn source(inbox: &Inbox, path: &Path) -> Source {
    read::read_whole(path, Reach::Within(&inbox.project), read::LARGEST).unwrap().0
}

#[test]
fn every_layout_is_held_to_the_contract() {
    let held: BTreeSet<LayoutId> = PLACES.iter().map(|p| p.0).collect();
    assert_eq!(ALL.iter().map(|l| l.id()).collect::<BTreeSet<_>>(), held);
    for layout in ALL {
        assert_eq!(layout::of(layout.id()).id(), layout.id());
        let can = layout.capabilities();
        assert!(can.why_not.is_empty() == (can.mark && can.send && can.archive), "{}", layout.id());
    }
}

#[test]
fn no_two_layouts_claim_a_place() {
    let world = World::new();
    let mut seen = BTreeSet::new();
    for layout in ALL {
        let probe = layout.probe(world.dir.path());
        assert!(probe.problems.is_empty());
        let wanted = PLACES.iter().filter(|p| p.0 == layout.id()).map(|p| world.dir.path().join(p.1)).collect::<Vec<_>>();
        assert_eq!(probe.spots.iter().map(|s| s.path.clone()).collect::<Vec<_>>(), wanted, "{}", layout.id());
        for spot in probe.spots {
            assert!(seen.insert(spot.path.canonicalize().unwrap()), "{}", spot.path.display());
            let (id, again) = layout::recognise(&ALL, &spot.path).unwrap();
            assert_eq!((id, &again), (layout.id(), &spot), "what was found is recognised as the same");
        }
        assert!(layout.probe(&world.dir.path().join("nowhere")).problems.is_empty());
    }
}

#[test]
fn what_can_not_be_done_is_refused() {
    let world = World::new();
    for (layout, inbox, path) in world.inboxes() {
        let can = layout.capabilities();
        fs::write(&path, "[{\"from\":\"a\",\"text\":\"b\",\"read\":false}]").unwrap();
        let context = Context { inbox: &inbox, dialect: &Dialect::default() };
        let message = scan(&inbox, Which::Live).remove(0);
        let (source, stamp) = (source(&inbox, &path), read::stamp(&path).unwrap());
        let letter = letter("s", "b");
        let refused = |change: &Change<'_>| layout.plan(&context, change).is_err();
        if !can.mark {
            assert!(refused(&Change::Status { message: &message, source: &source, to: Status::Read }));
        }
        if !can.archive {
            assert!(refused(&Change::Archive { message: &message, stamp, archive: &OnceCell::new() }));
            assert!(refused(&Change::Restore { message: &message, stamp }));
        }
        if !can.send {
            assert!(refused(&Change::Deliver { letter: &letter, recipient: "ben", sender: None }));
        }
    }
}

#[test]
fn a_message_goes_round_and_nothing_of_it_is_lost() {
    for body in ["It works.\n\nSee src/auth.rs:12\n", "---\nstatus: read\n", "", "{\"type\":\"x\"}", "tab\there é 日本 🎉\n"]
    {
        let world = World::new();
        for (layout, inbox, _) in world.inboxes().into_iter().filter(|(l, ..)| l.capabilities().send) {
            let id = layout.id();
            let context = Context { inbox: &inbox, dialect: &Dialect::default() };
            let letter = letter("Auth: \"ready\" #1", body);
            let change = Change::Deliver { letter: &letter, recipient: "ben", sender: None };
            let plan = layout.plan(&context, &change).unwrap();
            assert_eq!(layout.plan(&context, &change).unwrap(), plan, "{id}: a dry run shows what will be done");
            let path = Disk::new().carry_out_unlocked(&plan).unwrap().pop().unwrap().path;

            let [message] = scan(&inbox, Which::Live).try_into().unwrap();
            assert_eq!((&message.path, message.status, message.warnings.len()), (&path, Status::Unread, 0), "{id}: {message:?}");
            let header = &message.header;
            assert_eq!((header.from.as_deref(), header.to.as_slice()), (Some("ava"), &["ben".to_owned()][..]), "{id}");
            assert_eq!((message.shown.subject.as_str(), header.thread.as_deref()), ("Auth: \"ready\" #1", Some("t")), "{id}");
            assert_eq!((header.in_reply_to.as_slice(), message.shown.priority), (&["x/y.md".to_owned()][..], Priority::High));
            assert_eq!((header.kind.as_deref(), header.tags.len()), (Some("note"), 2), "{id}");
            let shown = |message: &Message, bytes: &[u8]| String::from_utf8(layout.body(message, bytes).into_owned()).unwrap();
            let sent = source(&inbox, &path);
            assert_eq!(shown(&message, &sent.bytes).trim(), body.trim(), "{id}");

            // Listing and naming agree.
            let listed: Vec<Entry> = layout.list(&inbox, Which::Live, Beginning::ANY).unwrap().entries;
            let entry = layout.entry(&inbox, &path).unwrap();
            assert_eq!((listed.len(), listed[0].path(), entry.state), (1, entry.path(), listed[0].state), "{id}");
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            assert_eq!(layout.id_of(&name), message.id, "{id}");
            // Whoever knows the id need not look at all names.
            assert!(name.starts_with(message.id.as_str()), "{id}: {name}");
            let shorter = layout.list(&inbox, Which::Live, Beginning::of(&message.id.as_str().to_uppercase())).unwrap().entries;
            assert_eq!((shorter.len(), &shorter[0].name), (1, &listed[0].name), "{id}");

            // A change that alters nothing plans nothing.
            if body != "---\nstatus: read\n" {
                let same = Change::Status { message: &message, source: &sent, to: Status::Unread };
                let plan = layout.plan(&context, &same).unwrap();
                assert!(plan.ops.is_empty() || message.raw_status.is_none(), "{id}: {plan:?}");
            }
            let mut message = message;
            for to in [Status::Read, Status::Actioned, Status::Resolved] {
                let now = source(&inbox, &message.path);
                let plan = layout.plan(&context, &Change::Status { message: &message, source: &now, to }).unwrap();
                let path = world.carry_out(&inbox, &plan);
                let [after] = scan(&inbox, Which::Live).try_into().unwrap();
                assert_eq!((&after.path, after.status, &after.id), (&path, to, &message.id), "{id}");
                assert_eq!(after.header, message.header, "{id}: only the status changes");
                let now = source(&inbox, &path);
                assert_eq!(shown(&after, &now.bytes).trim(), body.trim(), "{id}");
                let again = layout.plan(&context, &Change::Status { message: &after, source: &now, to }).unwrap();
                assert!(again.ops.is_empty(), "{id}: {again:?}");
                message = after;
            }
            let whole = source(&inbox, &message.path).bytes;
            let stamp = message.stamp.unwrap();
            let path = world.carry_out(
                &inbox,
                &layout.plan(&context, &Change::Archive { message: &message, stamp, archive: &OnceCell::new() }).unwrap(),
            );
            assert!(scan(&inbox, Which::Live).is_empty(), "{id}");
            let [archived] = scan(&inbox, Which::Archived).try_into().unwrap();
            assert_eq!((&archived.path, archived.archived, archived.status), (&path, true, Status::Resolved), "{id}");
            let stamp = archived.stamp.unwrap();
            let path = world.carry_out(&inbox, &layout.plan(&context, &Change::Restore { message: &archived, stamp }).unwrap());
            let [restored] = scan(&inbox, Which::Live).try_into().unwrap();
            assert_eq!((restored.id, restored.status, restored.header), (message.id, Status::Resolved, message.header), "{id}");
            assert_eq!(source(&inbox, &path).bytes, whole, "{id}: a move keeps every byte");
        }
    }
}

#[test]
fn two_letters_that_are_the_same_are_two_files() {
    let world = World::new();
    for (layout, inbox, _) in world.inboxes().into_iter().filter(|(l, ..)| l.capabilities().send) {
        let context = Context { inbox: &inbox, dialect: &Dialect::default() };
        let letter = letter("same", "same");
        for _ in 0..5 {
            let plan = layout.plan(&context, &Change::Deliver { letter: &letter, recipient: "ben", sender: None }).unwrap();
            Disk::new().carry_out_unlocked(&plan).unwrap();
        }
        let ids: BTreeSet<_> = scan(&inbox, Which::Live).into_iter().map(|m| m.id).collect();
        assert_eq!(ids.len(), 5, "{}", layout.id());
    }
}

/// Reads bytes as the store does: first a part, then what was asked for.
fn read_in_parts(layout: &dyn Layout, context: &Context<'_>, entry: &Entry, bytes: &[u8]) -> Vec<Message> {
    let mut out = Vec::new();
    let mut want = 16;
    loop {
        let head = Head { bytes: bytes.get(..want).unwrap_or(bytes), complete: want > bytes.len() };
        match layout.parse(context, entry, head, &mut out) {
            Ok(()) => return out,
            Err(Need::Bytes(more)) => {
                assert!(out.is_empty() && more > want && !head.complete, "asks for more than there is, or not for more");
                want = more;
            }
            Err(Need::Later(warning)) => {
                assert!(head.complete);
                out.push(layout::bare::by_name(context, entry, warning));
                return out;
            }
        }
    }
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let pieces = prop::sample::select(vec![
        "---\n",
        "status: ",
        "unread",
        "READ\n",
        "from: ava\n",
        "\r\n",
        ": ",
        "#",
        "\"",
        "'",
        "{",
        "}",
        "[",
        "]",
        ",",
        "\\u00",
        "\\",
        "\"status\":",
        "\"read\"",
        "\"body\":",
        "\"text\":\"a\"",
        "null",
        "true",
        "\u{0}",
        "\u{feff}",
        "é",
        "- ",
        "|\n",
        "&a ",
        "\n\n",
    ]);
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        prop::collection::vec(pieces, 0..60).prop_map(|parts| parts.concat().into_bytes()),
        prop::collection::vec(any::<char>(), 0..100).prop_map(|chars| chars.into_iter().collect::<String>().into_bytes()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_are_a_message_and_none_panics(bytes in bytes(), name in "[^/\u{0}]{1,20}", to in 0_usize..4) {
        let project = Path::new("/nowhere");
        for layout in ALL {
            let inbox = Inbox {
                name: "x@y".to_owned(),
                path: project.join("i"),
                layout: layout.id(),
                owner: AgentName::parse("ben").unwrap(),
                aliases: Vec::new(),
                label: Label::Project,
                project: project.to_owned(),
            };
            let context = Context { inbox: &inbox, dialect: &Dialect::default() };
            let entry = Entry {
                folder: Arc::from(project.join("i")),
                name: name.clone().into(),
                archived: false,
                file: FileKind::Regular,
                node: None,
                state: None,
                shares_id: false,
            };
            let parts = read_in_parts(layout, &context, &entry, &bytes);
            // A file of its own is one message, whatever is in it; a list may be empty.
            prop_assert!(layout.id() == LayoutId::Teams || parts.len() == 1);
            let stamp = Stamp { len: 0, modified: None, node: None };
            for message in &parts {
                prop_assert!(message.readable || !message.warnings.is_empty());
                let _ = layout.body(message, &bytes);
                let _ = layout.answer_address(&context, message);
                let source = Source { path: message.path.clone(), bytes: Arc::from(bytes.as_slice()), stamp };
                let change = Change::Status { message, source: &source, to: Status::ALL[to] };
                if let Ok(plan) = layout.plan(&context, &change) {
                    // What is planned is a status, read back as such.
                    for op in &plan.ops {
                        if let FileOp::Replace { after, .. } = op {
                            let again = read_in_parts(layout, &context, &entry, after);
                            prop_assert_eq!(again[0].header.clone(), message.header.clone());
                            prop_assert!(again[0].status == Status::ALL[to], "{:?}", String::from_utf8_lossy(after));
                        }
                    }
                }
            }
        }
    }
}
