#![cfg(unix)]

use super::super::Dialect;
use super::*;
use crate::model::inbox::Label;

const ARRAY: &str = r#"[
  {"from": "team-lead", "text": "Take the retry part first.", "summary": "retry first",
   "timestamp": "2026-05-24T06:30:00.000Z", "color": "blue", "read": true},
  {"from": "ember", "text": "{\"type\":\"idle_notification\",\"from\":\"ember\",\"read\": true}",
   "timestamp": "2026-05-24T06:31:02.119Z", "read": false},
  {"text": "no sender here", "read": false}
]"#;

fn read(text: &str) -> Result<Vec<Message>, Need> {
    let (out, need) = read_bytes(text.as_bytes());
    need.map_or(Ok(out), Err)
}

/// What was read, and what it was short of.
fn read_bytes(bytes: &[u8]) -> (Vec<Message>, Option<Need>) {
    let path = Path::new("/h/.claude/teams/night/inboxes/wren.json");
    let inbox = Inbox {
        name: "wren@~".to_owned(),
        path: path.to_owned(),
        layout: LayoutId::Teams,
        owner: AgentName::parse("wren").unwrap(),
        aliases: Vec::new(),
        label: Label::Global,
        project: PathBuf::from("/h"),
    };
    let context = Context { inbox: &inbox, dialect: &Dialect::default() };
    let entry = ClaudeTeams.entry(&inbox, path).unwrap();
    let mut out = Vec::new();
    let need = ClaudeTeams.parse(&context, &entry, Head { bytes, complete: true }, &mut out).err();
    (out, need)
}

#[test]
fn an_array_holds_many_messages() {
    let messages = read(ARRAY).unwrap();
    let row = |m: &Message| {
        (m.id.to_string(), m.status, m.header.from.clone(), m.header.kind.clone(), m.shown.subject.clone(), m.warnings.len())
    };
    let text = |s: &str| Some(s.to_owned());
    assert_eq!(
        messages.iter().map(row).collect::<Vec<_>>(),
        [
            ("wren#0".to_owned(), Status::Read, text("team-lead"), None, "retry first".to_owned(), 0),
            ("wren#1".to_owned(), Status::Unread, text("ember"), text("idle_notification"), "idle notification".to_owned(), 0),
            ("wren#2".to_owned(), Status::Unread, None, None, "no sender here".to_owned(), 0),
        ]
    );
    assert!(messages.iter().all(|m| m.header.to == ["wren"] && m.path.ends_with("wren.json")));
    assert_eq!(messages[1].path_ref(), "/h/.claude/teams/night/inboxes/wren.json#1");
    let body = ClaudeTeams.body(&messages[0], ARRAY.as_bytes());
    assert_eq!(&*body, b"Take the retry part first.");
}

#[test]
fn entries_of_another_shape_are_told_by_their_index_and_stop_nothing() {
    let messages =
        read(r#"[{"from":"a","text":"one","read":false},{"from":7},"x",null,{"text":3},{"from":7,"text":"two","read":"yes"}]"#)
            .unwrap();
    let bad: Vec<_> = messages.iter().filter(|m| !m.readable).map(|m| m.id.to_string()).collect();
    assert_eq!(bad, ["wren#1", "wren#2", "wren#3", "wren#4"]);
    assert!(messages.iter().filter(|m| !m.readable).all(|m| m.warnings[0].kind == "bad-entry"));
    assert_eq!((messages[5].header.from.as_deref(), messages[5].warnings.len()), (Some("7"), 1));
    let many = format!("[{}]", vec!["1"; 5_000].join(","));
    let messages = read(&many).unwrap();
    assert_eq!(messages.len(), MOST_BAD + 1);
    assert!(messages.last().unwrap().warnings[0].text.contains("4000 more"));
}

#[test]
fn half_a_file_is_looked_at_again_before_it_is_told() {
    for text in ["", "[", r#"[{"from":"a","te"#, "[]]", "{\"a\":"] {
        assert!(matches!(read(text), Err(Need::Later(w)) if w.kind == "bad-json"), "{text}");
    }
    assert_eq!(read("[]").unwrap(), []);
    let messages = read(r#"{"messages":[]}"#).unwrap();
    assert_eq!((messages.len(), messages[0].warnings[0].kind), (1, "bad-json"));
}

#[test]
fn an_element_that_is_no_json_hides_no_other() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for bad in [
        r#"{"from":"x","text":"\x"}"#,
        "{\"from\":\"x\",\"text\":\"a\nb\"}",
        "{'from':'x'}",
        r#"{"text":NaN}"#,
        r#"{"text":"a",}"#,
        r#"{"text":"a"]"#,
        r#"{"text":"a"} {"text":"b"}"#,
        "undefined",
        "",
        &deep,
    ] {
        let text = format!(r#"[{{"from":"a","text":"one"}},{bad}, {{"from":"b","text":"two"}}]"#);
        let messages = read(&text).unwrap();
        let row = |m: &Message| (m.id.to_string(), m.readable, m.shown.subject.clone());
        assert_eq!(row(&messages[0]), ("wren#0".to_owned(), true, "one".to_owned()), "{bad}");
        assert!(!messages[1].readable && messages[1].warnings[0].kind == "bad-entry", "{bad}");
        assert_eq!(row(&messages[2]), ("wren#2".to_owned(), true, "two".to_owned()), "{bad}");
        assert_eq!(ClaudeTeams.body(&messages[2], text.as_bytes()), &b"two"[..]);
        assert_eq!(ClaudeTeams.body(&messages[1], text.as_bytes()), bad.trim().as_bytes());
    }
    let cut = r#"[{"from":"a","text":"cut \ud83d"},{"from":"b","text":"two"},{"from":"c","#;
    let (messages, need) = read_bytes(cut.as_bytes());
    assert!(matches!(need, Some(Need::Later(w)) if w.kind == "bad-json"));
    assert_eq!(messages.iter().map(|m| m.shown.subject.as_str()).collect::<Vec<_>>(), ["cut \u{fffd}", "two"]);
}

#[test]
fn bytes_that_are_not_text_hide_nothing() {
    let text = b"[{\"from\":\"a\",\"text\":\"one \xff\"},{\"from\":\"b\",\"text\":\"two\"}]";
    let (messages, need) = read_bytes(text);
    assert_eq!((messages.len(), need), (2, None));
    assert_eq!(ClaudeTeams.body(&messages[0], text), "one \u{fffd}".as_bytes());
}

#[test]
fn a_number_is_a_date() {
    let messages = read(r#"[{"text":"x","timestamp":1779000000000},{"text":"y","timestamp":"1779000000"}]"#).unwrap();
    for message in &messages {
        assert_eq!((message.shown.date.as_str(), message.warnings.len()), ("2026-05-17T06:40:00Z", 0));
        assert!(message.dated().is_some());
    }
}

#[test]
fn only_a_word_is_a_type() {
    for (text, kind) in [
        (r#"{"type":"shutdown_request"}"#, Some("shutdown_request")),
        (r#" {"a":1,"type":"x"} "#, Some("x")),
        (r#"{"type":"two words"}"#, None),
        (r#"{"type":7}"#, None),
        (r#"{"type":"x""#, None),
        (r#"["type"]"#, None),
        ("type", None),
    ] {
        assert_eq!(protocol_type(text).as_deref(), kind, "{text}");
    }
}

#[test]
fn mailboxes_lie_with_their_teams() {
    let dir = tempfile::tempdir().unwrap();
    let inboxes = dir.path().join(".claude/teams/night/inboxes");
    fs::create_dir_all(inboxes.join("folder.json")).unwrap();
    fs::create_dir_all(dir.path().join(".claude/teams/empty")).unwrap();
    for name in ["wren.json", "ember.json", "wren.json.lock", ".lock", "notes.txt"] {
        fs::write(inboxes.join(name), "[]").unwrap();
    }
    fs::write(dir.path().join("copy.json"), " [\n]").unwrap();
    fs::write(dir.path().join("settings.json"), "{}").unwrap();
    let owners: Vec<_> = ClaudeTeams.probe(dir.path()).spots.into_iter().map(|s| s.owner.to_string()).collect();
    assert_eq!(owners, ["ember", "wren"]);
    let spot = |p: &str| ClaudeTeams.recognise(&dir.path().join(p)).map(|s| (s.owner.to_string(), s.project));
    assert_eq!(spot(".claude/teams/night/inboxes/wren.json"), Some(("wren".to_owned(), dir.path().to_owned())));
    assert_eq!(spot("copy.json").map(|s| s.0).as_deref(), Some("copy"));
    for none in ["settings.json", ".claude/teams/night/inboxes", ".claude/teams/night/inboxes/wren.json.lock"] {
        assert_eq!(spot(none), None, "{none}");
    }
}
