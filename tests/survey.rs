//! A first look at a message says what the whole message says, and a survey of an inbox, whatever
//! the number of its threads, meets every message that a plain scan meets.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test says what must not be by panicking.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use postroom::layout::{self, Context, Dialect, Entry, FileKind, Head, Which};
use postroom::model::date::Clock;
use postroom::model::inbox::{Inbox, Label, LayoutId};
use postroom::model::message::Message;
use postroom::model::name::AgentName;
use postroom::model::status::Status;
use postroom::ops::summary::{Collector, Order};
use postroom::store::scan::Scan;
use proptest::prelude::*;

fn inbox(path: &Path, layout: LayoutId) -> Inbox {
    Inbox {
        name: "ben@x".to_owned(),
        path: path.to_owned(),
        layout,
        owner: AgentName::parse("ben").unwrap(),
        aliases: Vec::new(),
        label: Label::Project,
        project: path.to_owned(),
    }
}

fn clock() -> Clock {
    Clock::utc("2026-05-20T09:00:00Z".parse().unwrap())
}

/// A project's own words, in one of two runs.
fn dialect(own: bool) -> Dialect {
    let mut dialect = Dialect::default();
    if own {
        dialect.words.add("injected", Status::Read);
        dialect.keys = vec![("state".to_owned(), "status".to_owned()), ("sent-on".to_owned(), "date".to_owned())];
    }
    dialect
}

/// Whether there was a look; it is held to the message.
fn look_agrees(id: LayoutId, name: &str, state: Option<Status>, bytes: &[u8], complete: bool, dialect: &Dialect) -> bool {
    let inbox = inbox(Path::new("/w/x"), id);
    let context = Context { inbox: &inbox, dialect };
    let folder: Arc<Path> = Arc::from(Path::new("/w/x"));
    let entry =
        Entry { folder, name: name.into(), archived: false, file: FileKind::Regular, node: None, state, shares_id: false };
    let head = Head { bytes, complete };
    let layout = layout::of(id);
    let Some(glance) = layout.glance(&context, &entry, head) else { return false };
    let mut out = Vec::new();
    layout.parse(&context, &entry, head, &mut out).unwrap();
    let [message] = &out[..] else { panic!("{} messages", out.len()) };
    assert_eq!(glance, message.glance(), "{:?}", String::from_utf8_lossy(bytes));
    true
}

fn looks_agree(name: &str, bytes: &[u8], complete: bool) -> bool {
    let mut looked = true;
    for own in [false, true] {
        for (id, state) in
            [(LayoutId::Soma, None), (LayoutId::Soma, Some(Status::Read)), (LayoutId::Agents, Some(Status::Unread))]
        {
            looked &= look_agrees(id, name, state, bytes, complete, &dialect(own));
        }
    }
    looked
}

/// Lines that count, lines that don't, and lines that need care.
fn header() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "status",
        "Status",
        "STATUS",
        "state",
        "date",
        "created",
        "timestamp",
        "createdAt",
        "sent-on",
        "priority",
        "importance",
        "from",
        "subject",
        "note",
        "x-y",
        "tags",
    ]);
    let value = prop_oneof![
        4 => prop::sample::select(vec![
            "unread", "UNREAD", "read", "done", "actioned", "injected", "wat", "", " ", "~", "null", "\"unread\"", "'read'", "\"\"",
            "\" read \"", "[read]", "read # why", "2026-05-02", "2026-05-04T08:15:00Z", "\"2026-05-02\"", "soon", "2026/5/2", "high",
            "P0", "urgent", "[a, b]", "[]", "[a, [b]]", "a: b", "{a: b}", "|", "&a b",
        ]).prop_map(str::to_owned),
        1 => "[ -~]{0,12}",
        1 => "\\PC{0,6}",
    ];
    let end =
        prop::sample::select(vec!["\n", "\n", "\n", "\n", "\n", "\n", "\n", "\n", "\r\n", "\n\n", "\n  more\n", "\n# note\n"]);
    prop::collection::vec((key, value, end).prop_map(|(k, v, e)| format!("{k}: {v}{e}")), 0..7).prop_map(|lines| lines.concat())
}

/// Members that count, members that don't, and members that need care.
fn envelope() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "status",
        "Status",
        "state",
        "date",
        "timestamp",
        "createdAt",
        "sent-on",
        "priority",
        "importance",
        "from",
        "subject",
        "body",
        "id",
        "st\\u0061tus",
    ]);
    let value = prop_oneof![
        6 => prop::sample::select(vec![
            "\"unread\"", "\"UNREAD\"", "\"read\"", "\"done\"", "\"actioned\"", "\"injected\"", "\"wat\"", "\"\"", "\" \"", "null", "true",
            "[\"read\"]", "{}", "\"re\\u0061d\"", "\"2026-05-02\"", "\"2026-05-04T08:15:00Z\"", "\"soon\"", "1777000000", "1777000000123",
            "1777000000.5", "\"1777000000\"", "17", "\"high\"", "\"P0\"", "\"urgent\"", "2", "[]", "[1, [2, [3]]]", "{\"title\": \"x\"}", "\"a\\n b\"",
        ]).prop_map(str::to_owned),
        1 => "\"[ !#-\\[\\]-~]{0,12}\"",
        1 => "[ -~]{0,6}",
    ];
    prop::collection::vec((key, value).prop_map(|(k, v)| format!("\"{k}\": {v}")), 0..7).prop_map(|members| members.join(", "))
}

/// Whether there was a look at a JSON message in each of the places it may lie in.
fn json_looks_agree(name: &str, bytes: &[u8], complete: bool) -> bool {
    let mut looked = true;
    for own in [false, true] {
        for state in [None, Some(Status::Read)] {
            looked &= look_agrees(LayoutId::Json, name, state, bytes, complete, &dialect(own));
        }
    }
    looked
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_look_says_what_the_message_says(
        header in header(),
        name in prop::sample::select(vec!["2026-05-03-x.md", "x.md", "X.MD", "msg-2026-05-24-063000-k.md.read", "20260430T100000Z-x.aB.md", ".md"]),
        tail in prop::sample::select(vec!["---\n", "---\n\nbody\n", "...\n", "--- \n", "", "---\n---\nfrom: a\nstatus: read\n---\n"]),
        complete in any::<bool>(),
    ) {
        looks_agree(name, format!("---\n{header}{tail}").as_bytes(), complete);
    }

    #[test]
    fn a_look_says_what_the_json_message_says(
        envelope in envelope(),
        name in prop::sample::select(vec!["msg-20260503-081500-ab12.json", "x.json", "X.JSON", "x.json.read", "2026-05-03-x.json.READ", ".json"]),
        tail in prop::sample::select(vec!["}", "}\n", "", "} x", ", \"status\": \"read\"}"]),
        complete in any::<bool>(),
    ) {
        json_looks_agree(name, format!("{{{envelope}{tail}").as_bytes(), complete);
    }

    #[test]
    fn a_look_is_safe_for_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200), fenced in any::<bool>()) {
        let bytes = if fenced { [b"---\n".as_slice(), &bytes, b"\n---\n"].concat() } else { bytes };
        looks_agree("x.md", &bytes, true);
        json_looks_agree("x.json", &bytes, true);
    }
}

#[test]
fn a_look_says_what_the_message_says_of_every_fixture() {
    let (mut files, mut looked) = (0, 0);
    let mut folders = vec![PathBuf::from("tests/fixtures/messages"), PathBuf::from("examples")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                files += 1;
                let name = path.file_name().unwrap().to_str().unwrap();
                looked += usize::from(looks_agree(name, &fs::read(&path).unwrap(), true));
            }
        }
    }
    assert!(files > 100 && looked * 3 > files, "{looked} looks at {files} files");
}

#[test]
fn ordinary_messages_are_looked_at() {
    for text in [
        "---\nfrom: ava\nto: ben\ndate: 2026-05-02\ntype: note\npriority: high\nstatus: unread\nsubject: \"x: y\"\ntags: [a, b]\n---\n\nx\n",
        "---\nfrom: ava\nto: ben\ntimestamp: 2026-05-02T10:00:00Z\nsubject: x\n---\n",
        "---\nstatus: read   # unread | read\ncreated: '2026-05-02'\n---\n",
    ] {
        assert!(looks_agree("2026-05-02-x.md", text.as_bytes(), true), "{text}");
    }
}

#[test]
fn ordinary_json_messages_are_looked_at() {
    for text in [
        r#"{"id": "m1", "from": "ava", "to": "ben", "subject": "x", "timestamp": "2026-05-02T10:00:00Z", "body": "a\nb", "priority": "high"}"#,
        r#"{"createdAt": 1777000000123, "status": "read", "body": {"text": "x"}}"#,
    ] {
        assert!(json_looks_agree("msg-x.json", text.as_bytes(), true), "{text}");
    }
}

/// An inbox of many messages, ordinary ones and others.
fn mailbox(folder: &Path, messages: usize) {
    for n in 0..messages {
        let status = ["unread", "read", "resolved", "actioned", "UNREAD", "wat"][n % 6];
        let date = format!("2026-0{}-{:02}", n % 5 + 1, n % 28 + 1);
        let priority = ["normal", "high", "urgent", "low"][n / 6 % 4];
        let header = match n % 11 {
            0 => format!("status: {status}\n"),
            1 => format!("to:\n  - ben\nstatus: \"{status}\"\ndate: {date}\n"),
            2 => format!("status: {status}\nstatus: {status}\ndate: {date}\n"),
            _ => format!("from: ava\ndate: {date}\nstatus: {status}\npriority: {priority}\nsubject: s {n}\n"),
        };
        let name = if n % 11 == 0 { format!("m{n:05}.md") } else { format!("{date}-m{n:05}.md") };
        fs::write(folder.join(name), format!("---\n{header}---\n\nbody\n")).unwrap();
    }
    fs::write(folder.join("broken.md"), "---\nstatus: read\n").unwrap();
    fs::write(folder.join("empty.md"), "").unwrap();
    fs::write(folder.join("README.md"), "no message").unwrap();
}

#[test]
fn a_survey_meets_what_a_scan_meets() {
    for messages in [0, 40, 1_500] {
        let dir = tempfile::tempdir().unwrap();
        mailbox(dir.path(), messages);
        let inbox = inbox(dir.path(), LayoutId::Soma);
        let scan = Scan { inbox: &inbox, dialect: &Dialect::default(), clock: &clock(), stamps: true };

        let mut plain: Vec<Message> = Vec::new();
        assert!(scan.each(&[Which::Live], &mut |message| plain.push(message)).is_empty());
        let by_path = |list: Vec<Message>| list.into_iter().map(|m| (m.path.clone(), m)).collect::<BTreeMap<_, _>>();

        let (parts, problems) = scan.survey(&[Which::Live], Vec::new, |part: &mut Vec<(u64, Message)>, look| {
            let message = look.whole();
            assert_eq!(look.glance, message.glance());
            part.push((look.place, message));
        });
        assert!(problems.is_empty());
        let mut surveyed = parts.concat();
        surveyed.sort_by_key(|(place, _)| *place);
        assert_eq!(surveyed.len(), plain.len());
        assert!(surveyed.windows(2).all(|w| w[0].0 < w[1].0));
        // In the order of the folder, as a scan.
        assert!(surveyed.iter().map(|(_, m)| m).eq(&plain));
        assert_eq!(by_path(plain).len(), messages + 2);
    }
}

#[test]
fn a_summary_is_the_same_however_it_is_gathered() {
    let dir = tempfile::tempdir().unwrap();
    mailbox(dir.path(), 1_500);
    let inbox = inbox(dir.path(), LayoutId::Soma);
    let clock = clock();
    let scan = Scan { inbox: &inbox, dialect: &Dialect::default(), clock: &clock, stamps: false };
    for order in [Order::Urgent, Order::DateText] {
        for limit in [0, 1, 10, 2_000] {
            let mut pushed = Collector::new(&clock, limit, order);
            scan.each(&[Which::Live], &mut |message| pushed.push(&message));
            let mut looked = Collector::new(&clock, limit, order);
            let (parts, _) = scan.survey(&[Which::Live], || looked.part(), |part, look| part.look(&inbox, &look));
            for part in parts {
                looked.join(part);
            }
            let (pushed, looked) = (pushed.finish(), looked.finish());
            assert!(pushed.unread > 500 && pushed.stale > 100);
            assert_eq!(pushed, looked, "{order:?} {limit}");
        }
    }
}
