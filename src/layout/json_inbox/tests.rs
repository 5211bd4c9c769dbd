#![cfg(unix)]

use std::cell::OnceCell;
use std::sync::Arc;

use super::super::{Dialect, unique};
use super::*;
use crate::model::inbox::Label;
use crate::model::letter::Letter;
use crate::model::plan::{Source, Stamp};

const SNAKE: &str = r#"{
  "id": "msg-2026-05-24-063000-k3xa",
  "from": "ember",
  "to": "wren",
  "type": "task",
  "priority": "urgent",
  "thread": "warm-start",
  "timestamp": "2026-05-24T06:30:00Z",
  "body": "Read the retry part.\nstatus: read",
  "context": ["docs/retry.md"],
  "reply_to": "msg-2026-05-20-101500-ab12"
}"#;

fn tree(paths: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for path in paths {
        let at = dir.path().join(path);
        if path.ends_with('/') {
            fs::create_dir_all(at).unwrap();
        } else {
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            fs::write(at, SNAKE).unwrap();
        }
    }
    dir
}

fn inbox(path: &Path) -> Inbox {
    Inbox {
        name: "wren@x".to_owned(),
        path: path.to_owned(),
        layout: LayoutId::Json,
        owner: AgentName::parse("wren").unwrap(),
        aliases: Vec::new(),
        label: Label::Project,
        project: path.to_owned(),
    }
}

fn read_as(name: &str, text: &str, dialect: &Dialect) -> Message {
    let inbox = inbox(Path::new("/i"));
    let context = Context { inbox: &inbox, dialect };
    let entry = JsonInbox.entry(&inbox, &Path::new("/i").join(name)).unwrap();
    let mut out = Vec::new();
    JsonInbox.parse(&context, &entry, Head { bytes: text.as_bytes(), complete: true }, &mut out).unwrap();
    out.pop().unwrap()
}

fn read(name: &str, text: &str) -> Message {
    read_as(name, text, &Dialect::default())
}

fn kinds(message: &Message) -> Vec<&'static str> {
    message.warnings.iter().map(|w| w.kind).collect()
}

/// What marking does to a file: its bytes and its path afterwards.
fn mark_as(name: &str, text: &str, to: Status, dialect: &Dialect) -> Result<(String, PathBuf), &'static str> {
    let inbox = inbox(Path::new("/i"));
    let context = Context { inbox: &inbox, dialect };
    let message = read_as(name, text, dialect);
    let stamp = Stamp { len: 0, modified: None, node: None };
    let source = Source { path: message.path.clone(), bytes: Arc::from(text.as_bytes()), stamp };
    let change = Change::Status { message: &message, source: &source, to };
    let plan = JsonInbox.plan(&context, &change).map_err(|r| r.kind)?;
    let (mut bytes, mut path) = (text.to_owned(), message.path.clone());
    for op in plan.ops {
        match op {
            FileOp::Replace { after, .. } => bytes = String::from_utf8(after).unwrap(),
            FileOp::Move { to, .. } => path = to,
            FileOp::Create { .. } => panic!("a mark makes no file"),
        }
    }
    Ok((bytes, path))
}

fn mark(name: &str, text: &str, to: Status) -> Result<(String, PathBuf), &'static str> {
    mark_as(name, text, to, &Dialect::default())
}

#[test]
fn inboxes_lie_with_the_agents_of_a_workspace_or_team() {
    let dir = tree(&[
        ".workspace/agents/wren/inbox/",
        ".workspace/agents/ember/notes/",
        ".workspace/agents/.hidden/inbox/",
        ".team/agents/lead/inbox/",
    ]);
    let found = JsonInbox.probe(dir.path());
    let spots: Vec<_> = found.spots.iter().map(|s| (s.owner.as_str(), s.path.strip_prefix(dir.path()).unwrap())).collect();
    let at = |p: &'static str| Path::new(p);
    assert_eq!(spots, [("wren", at(".workspace/agents/wren/inbox")), ("lead", at(".team/agents/lead/inbox"))]);
    assert!(found.spots.iter().all(|s| s.project == dir.path()) && found.problems.is_empty());
}

#[test]
fn a_folder_is_recognised_by_its_place_or_by_its_messages() {
    let dir = tree(&[
        ".workspace/agents/wren/inbox/processed/",
        "post/cal/inbox/a.json",
        "post/dee/msg-2026-05-24-063000-aaaa.json",
        "post/eve/x.json.read",
        "app/package.json",
        "mixed/inbox/a.json",
        "mixed/inbox/b.md",
        ".soma/inbox/signal.json",
        "teams/t/inboxes/wren.json",
        "teams/t/inboxes/msg-x.json",
    ]);
    let owner = |p: &str| JsonInbox.recognise(&dir.path().join(p)).map(|s| s.owner.as_str().to_owned());
    for (path, wanted) in [
        (".workspace/agents/wren/inbox", Some("wren")),
        (".workspace/agents/wren/inbox/processed", Some("wren")),
        (".workspace/agents/wren/inbox/archive", Some("wren")),
        ("post/cal/inbox", Some("cal")),
        ("post/dee", Some("dee")),
        ("post/eve", Some("eve")),
        ("app", None),
        ("mixed/inbox", None),
        (".soma/inbox", None),
        ("teams/t/inboxes", None),
        ("nowhere", None),
    ] {
        assert_eq!(owner(path).as_deref(), wanted, "{path}");
    }
    let spot = JsonInbox.recognise(&dir.path().join(".workspace/agents/wren/inbox")).unwrap();
    assert_eq!(spot.project, dir.path());
}

#[test]
fn the_name_and_the_folder_are_the_state() {
    let dir = tree(&[
        "a.json",
        "b.json.read",
        "c.JSON.READ",
        "processed/d.json",
        "archive/e.json",
        "archive/2026/f.json.read",
        "note.md",
        ".g.json.tmp",
        "h.json~",
    ]);
    let list = |which| {
        let mut names: Vec<_> = JsonInbox
            .list(&inbox(dir.path()), which, Beginning::ANY)
            .unwrap()
            .entries
            .iter()
            .map(|e| (e.name.to_string_lossy().into_owned(), e.state, e.archived))
            .collect();
        names.sort();
        names
    };
    let read = Some(Status::Read);
    let live = [("a.json", None), ("b.json.read", read), ("c.JSON.READ", read), ("d.json", read)];
    assert_eq!(list(Which::Live), live.map(|(n, s)| (n.to_owned(), s, false)));
    let archived = [("e.json", None), ("f.json.read", read)];
    assert_eq!(list(Which::Archived), archived.map(|(n, s)| (n.to_owned(), s, true)));
    for (name, id) in [
        ("a.json", "a"),
        ("b.json.read", "b"),
        ("c.json.READ", "c"),
        ("c.JSON.READ", "c.JSON"),
        ("c.JSON", "c.JSON"),
        (".json", ".json"),
        ("x", "x"),
    ] {
        assert_eq!(JsonInbox.id_of(name).as_str(), id);
    }
}

#[test]
fn both_envelopes_are_read() {
    let message = read("msg-2026-05-24-063000-k3xa.json", SNAKE);
    let header = &message.header;
    assert_eq!((message.status, message.raw_status.as_deref()), (Status::Unread, None));
    assert_eq!((header.from.as_deref(), header.to.as_slice()), (Some("ember"), &["wren".to_owned()][..]));
    assert_eq!((header.subject.as_deref(), message.shown.subject.as_str()), (None, "Read the retry part."));
    assert_eq!(header.in_reply_to, ["msg-2026-05-20-101500-ab12"]);
    assert_eq!((header.reply_to.as_deref(), header.date.as_deref()), (None, Some("2026-05-24T06:30:00Z")));
    assert!(message.warnings.is_empty() && message.readable);

    let camel = r#"{"id":"x1","from":"a","to":["b","c"],"subject":"Hi","createdAt":"2026-05-24T06:30:00Z","replyTo":null,
        "priority":3,"body":{"task":"retry","files":["a.rs"],"n":1.50}}"#;
    let message = read("x1.json", camel);
    assert_eq!((message.header.to.len(), message.shown.subject.as_str()), (2, "Hi"));
    assert_eq!((message.header.priority.as_deref(), message.header.in_reply_to.len()), (Some("3"), 0));
    let body = JsonInbox.body(&message, camel.as_bytes());
    let pretty = "{\n  \"task\": \"retry\",\n  \"files\": [\n    \"a.rs\"\n  ],\n  \"n\": 1.50\n}";
    assert_eq!(String::from_utf8_lossy(&body), pretty);
}

#[test]
fn a_missing_subject_comes_from_the_body() {
    for (body, subject) in [
        (r##""# Retry\n\ntext""##, "Retry"),
        (r#""""#, "x"),
        ("null", "x"),
        (r#"{"summary":"Short"}"#, "Short"),
        (r#"{"n":1}"#, r#"{"n":1}"#),
        ("[1,\n 2]", "[1, 2]"),
        ("12", "12"),
    ] {
        let message = read("x.json", &format!(r#"{{"from":"a","body":{body}}}"#));
        assert_eq!(message.shown.subject, subject, "{body}");
    }
}

#[test]
fn a_date_may_be_a_number() {
    for (date, shown) in [
        ("1716532200", "2024-05-24T06:30:00Z"),
        ("1716532200000", "2024-05-24T06:30:00Z"),
        ("1716532200.25", "2024-05-24T06:30:00Z"),
        ("\"1716532200\"", "2024-05-24T06:30:00Z"),
    ] {
        let message = read("x.json", &format!(r#"{{"from":"a","timestamp":{date},"body":"b"}}"#));
        assert_eq!((message.shown.date.as_str(), message.warnings.len()), (shown, 0), "{date}");
        assert!(message.dated().is_some());
    }
    assert_eq!(kinds(&read("x.json", r#"{"timestamp":7,"body":"b"}"#)), ["date-unreadable"]);
    assert_eq!(read("x.json", r#"{"timestamp":"2026-05-24","body":"b"}"#).shown.date, "2026-05-24");
}

#[test]
fn the_later_of_name_and_member_counts() {
    for (name, member, status, warned) in [
        ("x.json", "", Status::Unread, false),
        ("x.json", r#""status":"unread","#, Status::Unread, false),
        ("x.json", r#""status":"READ","#, Status::Read, false),
        ("x.json", r#""status":"actioned","#, Status::Actioned, false),
        ("x.json", r#""status":"pending","#, Status::Unread, true),
        ("x.json", r#""status":7,"#, Status::Unread, true),
        ("x.json", r#""status":null,"#, Status::Unread, false),
        ("x.json", r#""status":"read","Status":"unread","#, Status::Unread, true),
        ("x.json.read", "", Status::Read, false),
        ("x.json.read", r#""status":"unread","#, Status::Read, false),
        ("x.json.read", r#""status":"done","#, Status::Resolved, false),
        ("x.json.read", r#""status":"pending","#, Status::Read, true),
        ("processed/x.json", r#""status":"actioned","#, Status::Actioned, false),
        ("processed/x.json", "", Status::Read, false),
    ] {
        let message = read(name, &format!(r#"{{{member}"from":"a","body":"b"}}"#));
        assert_eq!((message.status, !message.warnings.is_empty()), (status, warned), "{name} {member}");
    }
}

#[test]
fn what_is_no_message_is_listed_by_its_name() {
    for text in ["", "{", r#"{"id":"a","to":"wr"#, "[]", "null", r#"{"a":1,}"#, "\u{0}", "{\"a\":\"\u{1}\"}", "{} x"] {
        let message = read("msg-2026-05-24-070000-zz81.json", text);
        assert_eq!((message.status, kinds(&message)), (Status::Unread, vec!["bad-json"]), "{text:?}");
        assert!(!message.readable);
        assert!(mark("x.json", text, Status::Read).is_err(), "{text:?}");
    }
}

#[test]
fn marking_read_renames_and_leaves_the_bytes() {
    let (bytes, path) = mark("x.json", SNAKE, Status::Read).unwrap();
    assert_eq!((bytes.as_str(), path.as_path()), (SNAKE, Path::new("/i/x.json.read")));
    let (bytes, path) = mark("processed/x.json", SNAKE, Status::Read).unwrap();
    assert_eq!((bytes.as_str(), path.as_path()), (SNAKE, Path::new("/i/processed/x.json")));
    let with = r#"{"status": "unread", "n": 1.0}"#;
    let (bytes, path) = mark("x.json", with, Status::Read).unwrap();
    assert_eq!((bytes.as_str(), path.as_path()), (r#"{"status": "read", "n": 1.0}"#, Path::new("/i/x.json.read")));
}

#[test]
fn what_has_no_name_stands_in_a_member() {
    let (bytes, path) = mark("x.json", SNAKE, Status::Actioned).unwrap();
    let want = SNAKE.replace("-ab12\"\n}", "-ab12\",\n  \"status\": \"actioned\"\n}");
    assert_eq!((bytes.as_str(), path.as_path()), (want.as_str(), Path::new("/i/x.json.read")));
    let (bytes, path) = mark("x.json.read", &bytes, Status::Resolved).unwrap();
    assert_eq!((bytes, path.as_path()), (want.replace("actioned", "resolved"), Path::new("/i/x.json.read")));
    let (bytes, path) = mark("x.json.read", &want, Status::Unread).unwrap();
    assert_eq!((bytes, path.as_path()), (want.replace("actioned", "unread"), Path::new("/i/x.json")));
    let (_, path) = mark("processed/x.json", SNAKE, Status::Unread).unwrap();
    assert_eq!(path, Path::new("/i/x.json"));
    let (bytes, _) = mark("x.json", r#"{"Status":"OPEN"}"#, Status::Resolved).unwrap();
    assert_eq!(bytes, r#"{"Status":"RESOLVED"}"#);
    let (bytes, _) = mark("x.json", r#"{"status":null}"#, Status::Resolved).unwrap();
    assert_eq!(bytes, r#"{"status":"resolved"}"#);
    for text in [r#"{"status":1}"#, r#"{"status":"a","status":"b"}"#, r#"{"status":{"a":1}}"#] {
        assert_eq!(mark("x.json", text, Status::Read), Err("status-not-plain"), "{text}");
    }
}

#[test]
fn a_dialects_words_and_keys_are_kept() {
    let mut dialect = Dialect { keys: vec![("state".to_owned(), "status".to_owned())], ..Dialect::default() };
    dialect.words.add("INJECTED", Status::Read);
    dialect.words.add("handled", Status::Actioned);
    let message = read_as("x.json", r#"{"state":"INJECTED"}"#, &dialect);
    assert_eq!(message.status, Status::Read);
    let (bytes, _) = mark_as("x.json", r#"{"state": "INJECTED"}"#, Status::Actioned, &dialect).unwrap();
    assert_eq!(bytes, r#"{"state": "HANDLED"}"#);
}

#[test]
fn a_folders_word_goes_with_the_message() {
    let inbox = inbox(Path::new("/i"));
    let context = Context { inbox: &inbox, dialect: &Dialect::default() };
    let stamp = Stamp { len: 0, modified: None, node: None };
    let moved = |name: &str, text: &str, back: bool| {
        let message = read(name, text);
        let change = if back {
            Change::Restore { message: &message, stamp }
        } else {
            Change::Archive { message: &message, stamp, archive: &OnceCell::new() }
        };
        let plan = JsonInbox.plan(&context, &change).unwrap();
        plan.ops[0].new_path().unwrap().strip_prefix("/i").unwrap().to_string_lossy().into_owned()
    };
    let actioned = r#"{"status":"actioned"}"#;
    assert_eq!(moved("x.json", "{}", false), "archive/x.json");
    assert_eq!(moved("x.json.read", "{}", false), "archive/x.json.read");
    assert_eq!(moved("processed/x.json", "{}", false), "archive/x.json.read");
    assert_eq!(moved("processed/x.json", actioned, false), "archive/x.json");
    assert_eq!(moved("archive/x.json.read", "{}", true), "x.json.read");
    assert_eq!(moved("archive/x.json", actioned, true), "x.json");
}

#[test]
fn a_new_message_is_an_envelope_whose_id_is_its_name() {
    let dir = tree(&["processed/", "archive/"]);
    let deliver = |letter: &Letter| {
        let inbox = inbox(dir.path());
        let context = Context { inbox: &inbox, dialect: &Dialect::default() };
        let change = Change::Deliver { letter, recipient: "ben", sender: None };
        let plan = JsonInbox.plan(&context, &change).unwrap();
        let [FileOp::Create { path, bytes, .. }] = plan.ops.as_slice() else { panic!("{plan:?}") };
        (path.file_name().unwrap().to_string_lossy().into_owned(), String::from_utf8(bytes.clone()).unwrap())
    };
    let letter = Letter { subject: "It works.".to_owned(), thread: Some("t".to_owned()), ..unique::tests::letter() };
    let (name, text) = deliver(&letter);
    let id = name.strip_suffix(".json").unwrap();
    assert!(id.starts_with("msg-2026-04-30-100000-") && id.len() == "msg-2026-04-30-100000-ab12".len(), "{id}");
    assert_eq!(
        text,
        format!(
            "{{\n  \"id\": \"{id}\",\n  \"from\": \"ava\",\n  \"to\": \"ben\",\n  \"type\": \"note\",\n  \"priority\": \"normal\",\n  \
             \"thread\": \"t\",\n  \"timestamp\": \"2026-04-30T10:00:00Z\",\n  \"body\": \"It works.\",\n  \"context\": [],\n  \
             \"reply_to\": null\n}}\n"
        )
    );
    assert!(deliver(&Letter { subject: "Other".to_owned(), ..letter.clone() }).1.contains("\n  \"subject\": \"Other\",\n"));
    // Whatever became of the first one, the second has another id.
    for place in [name.clone(), format!("{name}.read"), format!("processed/{name}"), format!("archive/{name}.read")] {
        fs::write(dir.path().join(&place), "{}").unwrap();
        assert_ne!(deliver(&letter).0, name, "{place}");
        fs::remove_file(dir.path().join(&place)).unwrap();
    }
}

#[test]
fn a_large_file_is_read_whole_and_a_huge_one_is_not() {
    let inbox = inbox(Path::new("/i"));
    let context = Context { inbox: &inbox, dialect: &Dialect::default() };
    let entry = JsonInbox.entry(&inbox, Path::new("/i/x.json")).unwrap();
    let need = |len: usize| JsonInbox.parse(&context, &entry, Head { bytes: &vec![b' '; len], complete: false }, &mut Vec::new());
    assert_eq!(need(4096), Err(Need::Bytes(64 * 1024)));
    assert_eq!(need(64 * 1024), Err(Need::Bytes(16 * 1024 * 1024 + 1)));
    assert_eq!(need(16 * 1024 * 1024 + 1), Ok(()));
    let many = format!("{{\"body\":[{}1],\"from\":\"a\"}}", "1,".repeat(200_000));
    assert_eq!(read("x.json", &many).header.from.as_deref(), Some("a"));
    let members: Vec<String> = (0..2_000).map(|n| format!("\"k{n}\":1,")).collect();
    let members = members.concat();
    assert_eq!(kinds(&read("x.json", &format!("{{{members}\"from\":\"a\"}}"))), ["bad-json"]);
}

#[test]
fn damaged_text_is_read_and_marked() {
    let half = r#"{"id":"m","from":"a","subject":"cut \ud83d","status":"unread","body":"x"}"#;
    let message = read("m.json", half);
    assert_eq!((message.shown.subject.as_str(), kinds(&message)), ("cut \u{fffd}", vec![]));
    let (marked, _) = mark("m.json", half, Status::Actioned).unwrap();
    assert_eq!(marked, half.replace("unread", "actioned"));

    let bytes = b"{\"from\":\"a\",\"status\":\"unread\",\"body\":\"caf\xe9\"}";
    let inbox = inbox(Path::new("/i"));
    let context = Context { inbox: &inbox, dialect: &Dialect::default() };
    let entry = JsonInbox.entry(&inbox, Path::new("/i/m.json")).unwrap();
    let head = Head { bytes, complete: true };
    assert!(JsonInbox.glance(&context, &entry, head).is_none(), "only the whole parse can tell");
    let mut out = Vec::new();
    JsonInbox.parse(&context, &entry, head, &mut out).unwrap();
    assert_eq!((out[0].readable, kinds(&out[0])), (true, vec!["not-utf8"]));
    assert_eq!(JsonInbox.body(&out[0], bytes), "caf\u{fffd}".as_bytes());
    let stamp = Stamp { len: 0, modified: None, node: None };
    let source = Source { path: out[0].path.clone(), bytes: Arc::from(&bytes[..]), stamp };
    let plan = JsonInbox.plan(&context, &Change::Status { message: &out[0], source: &source, to: Status::Resolved }).unwrap();
    let wanted = b"{\"from\":\"a\",\"status\":\"resolved\",\"body\":\"caf\xe9\"}";
    assert!(plan.ops.iter().any(|op| matches!(op, FileOp::Replace { after, .. } if after == wanted)), "{plan:?}");
    // Bytes that are not even in a text are what is wrong with it.
    out.clear();
    JsonInbox.parse(&context, &entry, Head { bytes: b"\xff{}", complete: true }, &mut out).unwrap();
    assert!(kinds(&out[0]) == ["bad-json"] && out[0].warnings[0].text.contains("not UTF-8"), "{out:?}");
}

#[test]
fn an_empty_status_is_told() {
    for (word, told) in [("\"\"", true), ("\" \"", true), ("null", false)] {
        let text = format!("{{\"from\":\"a\",\"status\":{word},\"body\":\"x\"}}");
        let message = read("m.json.read", &text);
        assert_eq!((message.status, kinds(&message).contains(&"status-empty")), (Status::Read, told), "{word}");
        let (marked, _) = mark("m.json.read", &text, Status::Actioned).unwrap();
        assert_eq!(marked, text.replace(word, "\"actioned\""));
    }
}

#[test]
fn a_dialect_is_written_only_where_it_is_spoken() {
    let mut dialect = Dialect::default();
    dialect.words.add("wontfix", Status::Resolved);
    dialect.words.add("in progress", Status::Read);
    for (old, new) in [("actioned", "resolved"), ("in progress", "wontfix"), ("IN PROGRESS", "WONTFIX"), ("odd", "resolved")] {
        let text = |word: &str| format!("{{\"from\":\"a\",\"status\":\"{word}\"}}");
        assert_eq!(mark_as("m.json.read", &text(old), Status::Resolved, &dialect).unwrap().0, text(new));
    }
    let none = "{\"from\":\"a\"}";
    assert!(mark_as("m.json", none, Status::Resolved, &dialect).unwrap().0.contains("\"resolved\""));
}
