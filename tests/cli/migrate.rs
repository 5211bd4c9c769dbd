//! Messages that go from one inbox into another: nothing is lost, nothing is doubled unasked, threads
//! hold, and the originals are archived, never removed.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{World, files, letter, snapshot};

const AGENTS: &str = ".agents/inbox/ben";
const JSON: &str = ".workspace/agents/wren/inbox";
const OTHER: &str = "../other/.soma/inbox";

fn world() -> World {
    let world = World::with_inbox();
    for folder in [".agents/inbox/ben/new", ".agents/inbox/ben/tmp", ".agents/inbox/ben/archive", JSON, OTHER] {
        fs::create_dir_all(world.project().join(folder)).unwrap();
    }
    world
}

/// Two messages that belong together, one with everything a header may hold.
fn fill(world: &World) {
    world.file(
        ".soma/inbox/2026-05-01-cache-key.md",
        "---\nfrom: ava\nto: [soma, ben]\ndate: 2026-05-01\ntype: bug-report\npriority: P1   # soon\nstatus: read\nsubject: 'Cache key: \"x\" #1'\n\
         thread: cache\ntags: [a, b]\nX-Weight: 3\ncontext: [docs/a.md, docs/b.md]\n---\n\nIt drops the locale.\n\n- one\n",
    );
    world.file(
        ".soma/inbox/2026-05-02-re-cache-key.md",
        "---\nfrom: ben\nto: ava\ndate: 2026-05-02\ntype: reply\nstatus: unread\nsubject: \"Re: Cache key\"\n\
         in-reply-to: .soma/inbox/2026-05-01-cache-key.md  # the report\n---\n\nSeen.\n",
    );
}

fn migrate(world: &World, args: &[&str]) -> Value {
    world.run(&[&["migrate"], args, &["--json"]].concat()).ok().document()
}

fn depths(world: &World, reference: &str) -> Vec<(String, u64)> {
    let doc = world.json(&["thread", reference, "--json"]);
    let row = |n: &Value| {
        (n["path"].as_str().unwrap().replace(&format!("{}/", world.home().display()), ""), n["depth"].as_u64().unwrap())
    };
    doc["nodes"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn a_dry_run_tells_what_the_real_one_does() {
    for (to, layout) in [(OTHER, "soma"), (AGENTS, "agents"), (JSON, "json")] {
        let world = world();
        fill(&world);
        let before = snapshot(&world.home());
        let dry = migrate(&world, &[".soma/inbox", to, "--dry-run"]);
        assert_eq!(snapshot(&world.home()), before, "{to}");
        let done = migrate(&world, &[".soma/inbox", to]);
        assert_eq!(done["migrated"].as_array().unwrap().len(), 2, "{done}");
        for (would, did) in dry["migrated"].as_array().unwrap().iter().zip(done["migrated"].as_array().unwrap()) {
            for key in ["id", "from_path", "to_path", "archived_path", "references"] {
                assert_eq!(would[key], did[key], "{to}: {key}");
            }
            assert_eq!(did["message"]["layout"], layout);
        }
    }
}

#[test]
fn the_same_form_keeps_every_byte() {
    let world = world();
    fill(&world);
    let first = world.read(".soma/inbox/2026-05-01-cache-key.md");
    let second = world.read(".soma/inbox/2026-05-02-re-cache-key.md");
    let doc = migrate(&world, &[".soma/inbox", OTHER]);
    assert_eq!(doc["failed"].as_array().unwrap().len(), 0, "{doc}");
    assert_eq!(world.read(&format!("{OTHER}/2026-05-01-cache-key.md")), first);
    // The reference means the same place in the new project.
    assert_eq!(world.read(&format!("{OTHER}/2026-05-02-re-cache-key.md")), second);
    assert_eq!(files(&world, ".soma/inbox/_archive"), ["2026-05-01-cache-key.md", "2026-05-02-re-cache-key.md"]);
    assert_eq!(world.read(".soma/inbox/_archive/2026-05-01-cache-key.md"), first);
    assert!(files(&world, ".soma/inbox").iter().all(|n| n == "_archive"));
}

#[test]
fn a_taken_name_gets_a_suffix_and_references_follow() {
    let world = world();
    fill(&world);
    world.file(&format!("{OTHER}/2026-05-01-cache-key.md"), letter("unread", "2026-05-01", "another"));
    migrate(&world, &[".soma/inbox", OTHER]);
    assert_eq!(files(&world, OTHER), ["2026-05-01-cache-key (2).md", "2026-05-01-cache-key.md", "2026-05-02-re-cache-key.md"]);
    let text = world.read(&format!("{OTHER}/2026-05-02-re-cache-key.md"));
    assert!(text.contains("in-reply-to: .soma/inbox/2026-05-01-cache-key (2).md  # the report\n"), "{text}");
    assert!(world.read(&format!("{OTHER}/2026-05-01-cache-key.md")).contains("another"));
}

#[test]
fn another_form_says_the_same() {
    for to in [AGENTS, JSON] {
        let world = world();
        fill(&world);
        let before = world.json(&["list", "--sort", "oldest", "--json"]);
        let doc = migrate(&world, &[".soma/inbox", to]);
        assert_eq!(doc["failed"].as_array().unwrap().len(), 0, "{doc}");
        let after = world.json(&["list", "--sort", "oldest", "--json"]);
        for (old, new) in before["messages"].as_array().unwrap().iter().zip(after["messages"].as_array().unwrap()) {
            for key in ["status", "from", "to", "type", "priority", "thread", "date", "tags"] {
                assert_eq!(old[key], new[key], "{to}: {key}");
            }
            assert_eq!(old["shown"]["subject"], new["shown"]["subject"]);
            assert_eq!(new["warnings"].as_array().unwrap().len(), 0, "{new}");
        }
        let path = doc["migrated"][0]["to_path"].as_str().unwrap();
        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains("Weight") && text.contains("docs/b.md") && text.contains("It drops the locale."), "{text}");
        // The answer still answers, in its new place; the archived originals stand beside.
        let answer = doc["migrated"][1]["to_path"].as_str().unwrap();
        let rows = depths(&world, answer);
        let at = rows.iter().position(|(p, _)| answer.ends_with(p)).unwrap();
        assert_eq!(rows[at].1, 1, "{rows:?}");
        let parent =
            world.json(&["thread", answer, "--json"])["nodes"].as_array().unwrap().iter().find(|n| n["path"] == answer).unwrap()
                ["parent_path"]
                .clone();
        assert_eq!(parent, doc["migrated"][0]["to_path"]);
        assert_eq!(doc["migrated"][1]["references"], 1);
    }
}

#[test]
fn json_goes_into_markdown_and_back() {
    let world = world();
    let put = |name: &str, text: &str| {
        world.file(&format!("{JSON}/{name}"), text);
    };
    put(
        "msg-1.json",
        r#"{"id":"msg-1","from":"ember","to":"wren","type":"task","priority":"urgent","thread":"t","timestamp":"2026-05-01T10:00:00Z","body":"Retry\n\nSee src/a.rs:1","context":["docs/r.md"],"reply_to":null,"n":1.50,"deep":{"a":[1,2]}}"#,
    );
    put(
        "msg-2.json.read",
        r#"{"id":"msg-2","from":"wren","to":"ember","timestamp":"2026-05-02T10:00:00Z","body":{"ok":true},"reply_to":"msg-1","status":"actioned"}"#,
    );
    put("broken.json", r#"{"id":"#);
    let before = world.json(&["--inbox", JSON, "list", "--sort", "oldest", "--json"]);
    let ran = world.run(&["migrate", JSON, AGENTS, "--json"]);
    assert_eq!(ran.code, 1, "what can't be read stays: {ran:?}");
    let doc = ran.document();
    assert_eq!((doc["migrated"].as_array().unwrap().len(), doc["failed"][0]["id"].as_str()), (2, Some("broken")));
    assert_eq!(files(&world, JSON), ["archive", "broken.json"]);
    assert_eq!(files(&world, &format!("{JSON}/archive")), ["msg-1.json", "msg-2.json.read"]);
    let text = fs::read_to_string(doc["migrated"][0]["to_path"].as_str().unwrap()).unwrap();
    for line in [
        "id: msg-1",
        "from: ember",
        "timestamp: 2026-05-01T10:00:00Z",
        "priority: urgent",
        "context: [docs/r.md]",
        "\"n\": \"1.50\"",
    ] {
        assert!(text.lines().any(|l| l == line), "{line}: {text}");
    }
    assert!(!text.contains("status:") && text.ends_with("---\n\nRetry\n\nSee src/a.rs:1\n"), "{text}");

    // Back again: the ids are the old ones, so what refers to them holds.
    fs::remove_dir_all(world.project().join(format!("{JSON}/archive"))).unwrap();
    let doc = migrate(&world, &[AGENTS, JSON]);
    assert_eq!(files(&world, JSON), ["broken.json", "msg-1.json", "msg-2.json.read"], "{doc}");
    let value: Value = serde_json::from_str(&world.read(&format!("{JSON}/msg-1.json"))).unwrap();
    assert_eq!(
        (&value["id"], &value["body"], &value["context"]),
        (&"msg-1".into(), &"Retry\n\nSee src/a.rs:1".into(), &serde_json::json!(["docs/r.md"]))
    );
    let after = world.json(&["--inbox", JSON, "list", "--sort", "oldest", "--json"]);
    for (old, new) in before["messages"].as_array().unwrap().iter().zip(after["messages"].as_array().unwrap()) {
        for key in ["id", "status", "from", "to", "date", "thread", "in_reply_to"] {
            assert_eq!(old[key], new[key], "{key}");
        }
    }
}

#[test]
fn a_copy_leaves_the_original_alone_and_an_archive_goes_along_if_asked() {
    let world = world();
    fill(&world);
    world.file(".soma/inbox/_archive/2026-04-01-old.md", letter("resolved", "2026-04-01", "old"));
    let before = snapshot(&world.inbox());
    let doc = migrate(&world, &[".soma/inbox", AGENTS, "--copy", "--all"]);
    assert_eq!(snapshot(&world.inbox()), before);
    assert_eq!((doc["migrated"].as_array().unwrap().len(), files(&world, &format!("{AGENTS}/archive")).len()), (3, 1));
    assert!(files(&world, &format!("{AGENTS}/tmp")).is_empty());
    let text = world.read(&format!("{AGENTS}/archive/{}", files(&world, &format!("{AGENTS}/archive"))[0]));
    assert!(text.contains("status: resolved"), "{text}");
    let events = world.run(&["log", "--json"]).ok().out;
    let kinds: Vec<_> =
        events.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()["event"].as_str().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["migrate"; 3]);
    // A move tells of both.
    migrate(&world, &[".soma/inbox", OTHER]);
    let events = world.run(&["log", "--last", "4", "--json"]).ok().out;
    let kinds: Vec<_> =
        events.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()["event"].as_str().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["migrate", "migrate", "archive", "archive"]);
}

#[test]
fn what_can_not_be_done_is_refused_before_anything_is() {
    let world = world();
    fill(&world);
    world.file(
        "../.claude/teams/t/inboxes/lead.json",
        r#"[{"from":"a","text":"hi","timestamp":"2026-05-01T10:00:00Z","read":true,"color":"blue"}]"#,
    );
    let lead = "../.claude/teams/t/inboxes/lead.json";
    let before = snapshot(&world.home());
    for (args, code) in [
        (&[".soma/inbox", ".soma/inbox"][..], 2),
        (&[".soma/inbox", "soma"], 2),
        (&[".soma/inbox", "nobody"], 3),
        (&[".soma/inbox", lead], 1),
        (&[lead, AGENTS], 1),
        (&[".soma/inbox", OTHER, "--copy", "--move"], 2),
    ] {
        let ran = world.run(&[&["migrate"], args].concat());
        assert_eq!(ran.code, code, "{args:?}: {ran:?}");
    }
    assert_eq!(snapshot(&world.home()), before);
    // A host's mailbox can be copied.
    let doc = migrate(&world, &[lead, AGENTS, "--copy"]);
    let text = fs::read_to_string(doc["migrated"][0]["to_path"].as_str().unwrap()).unwrap();
    assert!(text.contains("color: blue") && text.contains("status: read") && text.ends_with("\n\nhi\n"), "{text}");
}

#[test]
fn a_text_that_would_be_two_messages_stays() {
    let world = world();
    let body = "---\nfrom: x\nto: y\nstatus: unread\n---\nsecond";
    world.file(&format!("{JSON}/a.json"), serde_json::json!({"from":"a","body":body}).to_string());
    world.file(".soma/inbox/2026-05-01-bytes.md", b"---\nfrom: a\ndate: 2026-05-01\nstatus: unread\n---\n\nno \xff UTF-8\n");
    let ran = world.run(&["migrate", JSON, AGENTS, "--json"]);
    assert_eq!((ran.code, ran.document()["failed"].as_array().unwrap().len()), (1, 1));
    assert_eq!(files(&world, JSON), ["a.json"]);
    let ran = world.run(&["migrate", ".soma/inbox", JSON, "--json"]);
    assert_eq!((ran.code, ran.document()["failed"].as_array().unwrap().len()), (1, 1));
    // Markdown has no such scruples.
    migrate(&world, &[".soma/inbox", AGENTS]);
    let name = files(&world, &format!("{AGENTS}/new")).remove(0);
    let bytes = fs::read(world.project().join(format!("{AGENTS}/new/{name}"))).unwrap();
    assert!(bytes.ends_with(b"---\n\nno \xff UTF-8\n"));
    assert!(Path::new(&name).extension().is_some());
}

/// A run that was stopped leaves copies whose originals still lie there. The next one takes them for
/// what they are; so does a second `--copy`.
#[test]
fn what_a_stopped_run_made_is_not_made_again() {
    for to in [OTHER, AGENTS, JSON] {
        let world = world();
        fill(&world);
        let names = |folder: &str| files(&world, &if folder == AGENTS { format!("{folder}/new") } else { folder.to_owned() });
        let first = migrate(&world, &[".soma/inbox", to, "--copy"]);
        let made = names(to);
        let again = migrate(&world, &[".soma/inbox", to, "--copy"]);
        assert_eq!(names(to), made, "{to}: {again}");
        let done = migrate(&world, &[".soma/inbox", to]);
        let paths = |doc: &Value| doc["migrated"].as_array().unwrap().iter().map(|m| m["to_path"].clone()).collect::<Vec<_>>();
        assert_eq!(paths(&done), paths(&first), "{to}");
        let left: Vec<_> = names(to).into_iter().filter(|n| n != "archive").collect();
        assert_eq!(left, made.iter().filter(|n| *n != "archive").cloned().collect::<Vec<_>>(), "{to}");
        assert_eq!(files(&world, ".soma/inbox/_archive").len(), 2, "{to}");
    }
}

/// Names that are no text, and names as long as disks take them.
#[test]
#[cfg(target_os = "linux")]
fn odd_names_go_along_as_they_are() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = world();
    let odd = std::ffi::OsStr::from_bytes(b"2026-04-01-\xff\xfe.md");
    fs::write(world.inbox().join(odd), letter("unread", "2026-04-01", "odd")).unwrap();
    let long = format!("2026-04-01-{}.md", "x".repeat(241));
    assert_eq!(long.len(), 255);
    world.message(&long, "unread", "2026-04-01", "long");
    world.message("2026-04-02-NOTE.md", "unread", "2026-04-02", "case");
    // Both names are taken, the third one only where letter case counts for nothing.
    world.file(&format!("{OTHER}/{long}"), letter("unread", "2026-04-01", "there already"));
    world.file(&format!("{OTHER}/2026-04-02-note.md"), letter("unread", "2026-04-02", "there already"));
    let doc = migrate(&world, &[".soma/inbox", OTHER]);
    assert_eq!(doc["migrated"].as_array().unwrap().len(), 3, "{doc}");
    let names: Vec<_> = fs::read_dir(world.project().join(OTHER)).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 5);
    assert!(names.iter().any(|n| n == odd), "{names:?}");
    let suffixed = |n: &&std::ffi::OsString| n.to_string_lossy().ends_with(" (2).md");
    assert!(names.iter().filter(suffixed).count() == 2 && names.iter().all(|n| n.len() <= 255), "{names:?}");
}

#[test]
fn a_mapping_in_a_header_is_an_object_in_json_and_comes_back() {
    let world = world();
    let header = "---\nfrom: ava\nto: soma\ndate: 2026-05-01\nstatus: unread\nsubject: nested\n";
    world
        .file(".soma/inbox/2026-05-01-a.md", format!("{header}nested:\n  a: 1\n  b:\n    c: [x, y]\nflow: {{k: v}}\n---\n\nx\n"));
    world.file(".soma/inbox/2026-05-02-b.md", format!("{header}odd:\n  a: 1  # why\n---\n\ny\n"));
    let doc = migrate(&world, &[".soma/inbox", JSON]);
    let json = |n: usize| -> Value {
        serde_json::from_str(&fs::read_to_string(doc["migrated"][n]["to_path"].as_str().unwrap()).unwrap()).unwrap()
    };
    assert_eq!(json(0)["nested"], serde_json::json!({"a": "1", "b": {"c": ["x", "y"]}}));
    assert_eq!(json(0)["flow"], serde_json::json!({"k": "v"}));
    assert_eq!(json(1)["odd"], "a: 1  # why");
    let back = migrate(&world, &[JSON, OTHER]);
    let mut texts: Vec<_> =
        (0..2).map(|n| fs::read_to_string(back["migrated"][n]["to_path"].as_str().unwrap()).unwrap()).collect();
    // Both are of one day, so their names in the JSON inbox are in no settled order.
    texts.sort_by_key(|text| text.contains("\nodd: "));
    assert!(texts[0].contains("\nnested: {\"a\": \"1\", \"b\": {\"c\": [\"x\", \"y\"]}}\n"), "{}", texts[0]);
    assert!(texts[1].contains("\nodd: \"a: 1  # why\"\n"), "{}", texts[1]);
}

#[test]
fn json_that_is_not_utf8_keeps_its_form() {
    let world = world();
    let bytes = b"{\"id\":\"m\",\"from\":\"ava\",\"to\":\"wren\",\"body\":\"x \xff\"}";
    world.file(&format!("{JSON}/m.json"), bytes);
    let ran = world.run(&["migrate", JSON, OTHER, "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(fs::read(world.project().join(JSON).join("m.json")).unwrap(), bytes);
    assert!(files(&world, OTHER).is_empty());
}
