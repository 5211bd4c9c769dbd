//! The shapes of DESIGN §8.1, key by key.

use std::ffi::OsStr;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::*;
use crate::model::event::EventKind;
use crate::model::inbox::{Label, LayoutId};
use crate::model::message::DateSource;
use crate::model::name::AgentName;
use crate::model::plan::{FileOp, IfTaken};
use crate::model::status::Status;
use crate::ops::summary::{Collector, Order};
use crate::render::samples::{clock, inbox, message, priority, status, with};

/// The text on the wire and what a parser makes of it. Every document says its schema, on one line.
fn document(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> (String, Value) {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value.get("schema"), Some(&json!("postroom/1")));
    assert_eq!(text.lines().count(), 1);
    (text, value)
}

#[test]
fn a_message_has_every_key_and_null_where_nothing_was_written() {
    let bare = with(message("note", "", ""), |m| {
        m.header = crate::model::message::Header::default();
        m.shown.subject = "note".to_owned();
        m.shown.date = "2026-04-30".to_owned();
        m.shown.date_source = Some(DateSource::Mtime);
        m.raw_status = None;
        m.warnings.push(Warning::new("status-missing", "it has no status"));
    });
    let (_, value) = document(|out| list(out, [&bare], 1, 0, &[]));
    assert_eq!(
        value,
        json!({"schema": "postroom/1", "total": 1, "more": 0, "messages": [{
            "id": "note", "ref": "soma@work:note", "inbox": "soma@work", "layout": "soma",
            "path": "/home/u/work/.soma/inbox/note.md", "status": "unread", "raw_status": null, "archived": false,
            "from": null, "to": null, "cc": null, "subject": null, "date": null, "type": null, "priority": null,
            "thread": null, "in_reply_to": null, "origin": null, "tags": [],
            "shown": {"subject": "note", "date": "2026-04-30", "date_source": "mtime", "type": "note", "priority": "normal"},
            "warnings": [{"kind": "status-missing", "text": "it has no status"}],
        }]})
    );
}

#[test]
fn one_is_a_string_and_several_are_a_list() {
    let full = with(priority(status(message("a", "2026-04-30 10:00", "s"), Status::Actioned), "P1"), |m| {
        m.archived = true;
        m.header.cc = vec!["cy".to_owned(), "dee".to_owned()];
        m.header.in_reply_to = vec!["x.md".to_owned()];
        m.header.tags = vec!["one".to_owned()];
        m.header.kind = Some("task".to_owned());
        m.header.thread = Some("t".to_owned());
        m.header.origin = Some("o".to_owned());
    });
    let (_, value) = document(|out| show(out, &full, "line\r\n"));
    let m = &value["message"];
    assert_eq!((&m["to"], &m["cc"]), (&json!("ben"), &json!(["cy", "dee"])));
    assert_eq!((&m["in_reply_to"], &m["tags"]), (&json!("x.md"), &json!(["one"])));
    assert_eq!((&m["status"], &m["archived"], &m["raw_status"]), (&json!("actioned"), &json!(true), &json!("actioned")));
    assert_eq!((&m["priority"], &m["shown"]["priority"]), (&json!("P1"), &json!("high")));
    assert_eq!(
        (&m["date"], &m["thread"], &m["origin"], &m["type"]),
        (&json!("2026-04-30 10:00"), &json!("t"), &json!("o"), &json!("task"))
    );
    assert_eq!(value["body"], json!("line\r\n"));
}

#[test]
fn hidden_characters_are_kept_but_not_seen() {
    let subject = "ok \u{202e}abc\u{200b} <\u{200b}|im_start|> \u{e0041}\u{fe0f}\u{fe0f} \u{1b}[2J \u{9b}31m caf\u{e9}";
    let hostile = with(message("a", "2026-04-30", subject), |m| m.header.from = Some("ava\u{2066}".to_owned()));
    let (text, value) = document(|out| list(out, [&hostile], 1, 0, &[]));
    assert_eq!(value["messages"][0]["subject"], json!(subject));
    assert_eq!(value["messages"][0]["from"], json!("ava\u{2066}"));
    assert!(text.contains("caf\u{e9}") && !text.contains('<'));
    assert!(
        !text
            .chars()
            .any(|c| (c.is_control() && c != '\n') || matches!(u32::from(c), 0x200B..=0x206F | 0xFE0F | 0xE0000..=0xE01EF))
    );
}

#[cfg(unix)]
#[test]
fn a_path_that_is_no_utf8_is_shown_with_a_replacement() {
    use std::os::unix::ffi::OsStrExt;
    let odd = with(message("a", "2026-04-30", "s"), |m| m.path = PathBuf::from(OsStr::from_bytes(b"/i/caf\xe9.md")));
    let (_, value) = document(|out| list(out, [&odd], 1, 0, &[]));
    assert_eq!(value["messages"][0]["path"], json!("/i/caf\u{fffd}.md"));
    let event = Event::new(EventKind::Mark, "2026-05-01T12:00:00Z".to_owned(), "i", "caf\u{fffd}", odd.path);
    let (_, value) = document(|out| event_lines(out, [&event]));
    assert_eq!(value["path"], json!("/i/caf\u{fffd}.md"));
}

#[test]
fn what_could_not_be_looked_at_is_in_the_document() {
    let trouble = Trouble { kind: "permission-denied", path: Some(Path::new("/x/.soma/inbox")), text: "permission denied" };
    let (_, value) = document(|out| list(out, [], 0, 0, &[trouble]));
    assert_eq!(value["problems"], json!([{"kind": "permission-denied", "path": "/x/.soma/inbox", "text": "permission denied"}]));
}

#[test]
fn changes_tell_what_failed_and_what_is_planned() {
    let plan = EditPlan {
        inbox: PathBuf::from("/i"),
        ops: vec![
            FileOp::Replace { path: PathBuf::from("/i/a.md"), before: b"".as_slice().into(), after: Vec::new() },
            FileOp::Create {
                path: PathBuf::from("/i/b.md"),
                bytes: Vec::new(),
                staging: None,
                if_taken: IfTaken::Number(Vec::new()),
            },
        ],
    };
    let report = Report::failed("status-duplicate", "two status lines").hint("keep one").next("postroom show b");
    let failed = Failure { reference: "b", report: &report };
    let one = message("a", "2026-04-30", "s");
    let (_, value) = document(|out| changed(out, [&one], &[failed], Some(&[plan])));
    assert_eq!(value["plan"], json!([{"op": "replace", "path": "/i/a.md"}, {"op": "create", "path": "/i/b.md"}]));
    let whole = json!({"kind": "status-duplicate", "message": "two status lines", "path": null, "hints": ["keep one"], "next": ["postroom show b"]});
    let mut told = whole.clone();
    told["ref"] = json!("b");
    assert_eq!((&value["failed"], &value["error"]), (&json!([told]), &json!(null)));
    // Where nothing was done there is one error for all of it, too.
    let (_, value) = document(|out| changed(out, [], &[failed], None));
    assert_eq!((&value["failed"], &value["error"]), (&json!([told]), &whole));
    let (_, value) = document(|out| shows(out, &[(one.clone(), "b\n".to_owned())], &[failed]));
    assert_eq!((&value["messages"][0]["message"]["id"], &value["messages"][0]["body"]), (&json!("a"), &json!("b\n")));
    let (_, value) = document(|out| changed(out, [&one], &[], None));
    assert_eq!(
        value.as_object().map(|o| o.keys().cloned().collect::<Vec<_>>()),
        Some(vec!["messages".to_owned(), "schema".to_owned()])
    );
}

#[test]
fn inboxes_have_counts_or_null() {
    let inbox = Inbox {
        name: "soma@work".to_owned(),
        path: PathBuf::from("/home/u/work/.soma/inbox"),
        layout: LayoutId::Soma,
        owner: AgentName::parse("soma").unwrap(),
        aliases: vec!["ben".to_owned()],
        label: Label::Project,
        project: PathBuf::from("/home/u/work"),
    };
    let warnings = [Warning::new("unreadable", "permission denied")];
    let row = InboxRow { inbox: &inbox, unread: Some(1), open: Some(2), live: Some(3), archived: None, warnings: &warnings };
    let (_, value) = document(|out| inboxes(out, &[row], &[]));
    assert_eq!(
        value["inboxes"],
        json!([{"name": "soma@work", "path": "/home/u/work/.soma/inbox", "layout": "soma", "owner": "soma", "aliases": ["ben"],
            "label": "project", "project": "/home/u/work", "unread": 1, "open": 2, "live": 3, "archived": null,
            "warnings": [{"kind": "unreadable", "text": "permission denied"}]}])
    );
}

#[test]
fn a_sweep_tells_what_moved_what_stayed_and_what_failed() {
    let (a, b) = (status(message("a", "2026-04-01", "s"), Status::Resolved), message("b", "2026-04-01", "t"));
    let report = SweepReport {
        archived: &[Moved { message: &a, to_path: Path::new("/home/u/work/.soma/inbox/_archive/a.md") }],
        kept: &[Stayed { message: &b, why: "unread" }],
        failed: &[Stayed { message: &b, why: "disk full" }],
        dry_run: true,
    };
    let (_, value) = document(|out| sweep(out, &report, &[]));
    let path = "/home/u/work/.soma/inbox/b.md";
    assert_eq!(
        value,
        json!({"schema": "postroom/1", "dry_run": true,
            "archived": [{"id": "a", "inbox": "soma@work", "status": "resolved", "subject": "s", "date": "2026-04-01",
                "from_path": "/home/u/work/.soma/inbox/a.md", "to_path": "/home/u/work/.soma/inbox/_archive/a.md"}],
            "kept": [{"id": "b", "inbox": "soma@work", "path": path, "reason": "unread"}],
            "failed": [{"id": "b", "inbox": "soma@work", "path": path, "error": "disk full"}]})
    );
}

#[test]
fn a_thread_has_places() {
    let (root, answer) = (message("a", "2026-04-01", "s"), inbox(message("b", "2026-04-02", "Re: s"), "lib"));
    let nodes = [
        Node { message: &root, parent_path: None, depth: 0 },
        Node { message: &answer, parent_path: Some(&root.path), depth: 1 },
    ];
    let (_, value) = document(|out| thread(out, &nodes, &[Warning::new("thread-cycle", "cut")]));
    assert_eq!((&value["nodes"][0]["parent_path"], &value["nodes"][0]["depth"]), (&json!(null), &json!(0)));
    assert_eq!(value["nodes"][1]["parent_path"], json!("/home/u/work/.soma/inbox/a.md"));
    assert_eq!(value["nodes"][1]["id"], json!("b"));
    assert_eq!(value["warnings"][0]["kind"], json!("thread-cycle"));
}

#[test]
fn a_summary_is_counts_items_and_text() {
    let mut collector = Collector::new(&clock(), 1, Order::Urgent);
    collector.push(&message("a", "2026-04-01", "s"));
    collector.push(&message("b", "2026-04-30", "t"));
    let (_, value) = document(|out| summary(out, &collector.finish(), "the text", &[]));
    assert_eq!((&value["unread"], &value["open"], &value["stale"], &value["more"]), (&json!(2), &json!(0), &json!(1), &json!(1)));
    assert_eq!((&value["items"][0]["id"], &value["text"]), (&json!("b"), &json!("the text")));
}

#[test]
fn an_error_says_what_to_do_next() {
    let (hints, next) = (["known are: ava".to_owned()], ["postroom inboxes".to_owned()]);
    let report =
        ErrorReport { kind: "no-such-inbox", message: "there is no inbox \"x\"", path: None, hints: &hints, next: &next };
    let (_, value) = document(|out| error(out, &report));
    assert_eq!(
        value["error"],
        json!({"kind": "no-such-inbox", "message": "there is no inbox \"x\"", "path": null,
            "hints": ["known are: ava"], "next": ["postroom inboxes"]})
    );
}

#[test]
fn lines_are_documents_of_their_own() {
    let (one, two) = (message("a", "2026-04-01", "s"), message("b", "2026-04-01", "s"));
    let mut out = Vec::new();
    message_lines(&mut out, [&one, &two]).unwrap();
    let lines: Vec<Value> = String::from_utf8(out).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(
        lines.iter().map(|l| (&l["schema"], &l["id"])).collect::<Vec<_>>(),
        [(&json!("postroom/1"), &json!("a")), (&json!("postroom/1"), &json!("b"))]
    );
}

#[test]
fn an_event_keeps_the_keys_of_the_journal() {
    let mut event = Event::new(EventKind::Reply, "2026-05-01T12:00:00Z".to_owned(), "soma@work", "a", PathBuf::from("/i/a.md"));
    let text = |n: u8| Some(format!("v{n}"));
    (event.actor, event.from, event.to, event.sender, event.recipient) = (text(1), text(2), text(3), text(4), text(5));
    (event.subject, event.in_reply_to, event.note) = (text(6), text(7), text(8));
    event.passed = vec!["read".to_owned()];
    event.to_path = Some(PathBuf::from("/i/b.md"));
    let (_, mut value) = document(|out| event_lines(out, [&event]));
    value.as_object_mut().unwrap().remove("schema");
    assert_eq!(value, serde_json::to_value(&event).unwrap());
}
