//! The JSON conventions: envelopes in files whose names are their state, and the verbs of the tool
//! that people know them from.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{World, files};

const WREN: &str = ".workspace/agents/wren/inbox";
const EMBER: &str = ".team/agents/ember/inbox";

fn world() -> World {
    let world = World::new();
    for inbox in [WREN, EMBER] {
        fs::create_dir_all(world.project().join(inbox)).unwrap();
    }
    world
}

/// Writes a message of the snake envelope.
fn put(world: &World, name: &str, id: &str, body: &str) {
    let text = json!({
        "id": id, "from": "ember", "to": "wren", "type": "task", "priority": "high", "thread": "warm-start",
        "timestamp": "2026-05-20T08:00:00Z", "body": body, "context": [], "reply_to": null
    });
    world.file(&format!("{WREN}/{name}"), text.to_string());
}

fn only(world: &World, folder: &str) -> (String, Value) {
    let mut names = files(world, folder);
    names.retain(|n| n.contains(".json"));
    assert_eq!(names.len(), 1, "{names:?}");
    let name = names.remove(0);
    let value = serde_json::from_str(&world.read(&format!("{folder}/{name}"))).unwrap();
    (name, value)
}

#[test]
fn the_verbs_of_the_convention_work_as_written_there() {
    let world = world().set("POSTROOM_AGENT", "wren");
    let ran = world.run(&[
        "send",
        "ember",
        "Cache is warm.\nStart with src/keys.rs:41",
        "--type",
        "task",
        "--priority",
        "urgent",
        "--thread",
        "warm",
    ]);
    let ran = ran.ok();
    let (name, envelope) = only(&world, EMBER);
    let id = name.strip_suffix(".json").unwrap();
    assert!(id.starts_with("msg-2026-05-20-090000-"), "{id}");
    for part in ["ember", id, "task", "urgent", "warm"] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    let want = json!({
        "id": id, "from": "wren", "to": "ember", "type": "task", "priority": "urgent", "thread": "warm",
        "timestamp": "2026-05-20T09:00:00Z", "body": "Cache is warm.\nStart with src/keys.rs:41", "context": [], "reply_to": null
    });
    assert_eq!(envelope, want);

    // Looking into another one's inbox changes nothing.
    let ran = world.run(&["peek", "ember"]).ok();
    assert!(ran.out.contains("Cache is warm."), "{ran:?}");
    assert_eq!(files(&world, EMBER), [name.as_str()]);
    assert_eq!(world.run(&["peek", "nobody"]).code, 3);

    let ember = |args: &[&str]| {
        let mut all = vec!["--agent", "ember"];
        all.extend(args);
        world.run(&all).ok()
    };
    assert!(ember(&["receive", "--type", "info"]).out.is_empty());
    let ran = ember(&["receive", "--unread", "--priority", "urgent", "--thread", "warm", "--format", "json"]);
    let doc = ran.document();
    assert_eq!(doc["messages"][0]["status"], "read");
    assert_eq!(doc["messages"][0]["body"], "Cache is warm.\nStart with src/keys.rs:41");
    assert_eq!(files(&world, EMBER), [format!("{name}.read")]);
    assert_eq!(serde_json::from_str::<Value>(&world.read(&format!("{EMBER}/{name}.read"))).unwrap(), want);

    ember(&["reply", id, "On it."]);
    let (_, answer) = only(&world, WREN);
    assert_eq!((&answer["reply_to"], &answer["thread"], &answer["to"]), (&json!(id), &json!("warm"), &json!("wren")));
    assert_eq!((&answer["subject"], &answer["body"]), (&json!("Re: Cache is warm."), &json!("On it.")));
    let ran = world.run(&["receive", "--format", "raw"]).ok();
    assert_eq!(serde_json::from_str::<Value>(&ran.out).unwrap(), answer);

    let events = world.run(&["log", "--last", "2", "--json"]).ok();
    let kinds: Vec<_> = events.out.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()["event"].clone()).collect();
    assert_eq!(kinds, ["reply", "mark"]);
    let doc = ember(&["thread", id, "--json"]).document();
    assert_eq!(doc["nodes"].as_array().unwrap().iter().map(|n| n["depth"].as_u64().unwrap()).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn a_message_may_be_given_in_words_or_by_options() {
    let world = world();
    let send = |args: &[&str]| {
        let mut all = vec!["send", "--from", "wren"];
        all.extend(args);
        world.run(&all)
    };
    send(&["--to", "ember", "only the text"]).ok();
    send(&["ember", "--body", "b", "--subject", "s"]).ok();
    send(&["ember", "text", "--subject", "Its subject"]).ok();
    for wrong in
        [&["ember", "text", "--body", "b"][..], &["--to", "ember", "one", "two"], &["--to", "ember", "one", "--body", "b"]]
    {
        assert_eq!(send(wrong).code, 2, "{wrong:?}");
    }
    assert_eq!(files(&world, EMBER).len(), 3);
    let subjects: Vec<_> = world.json(&["list", "--sort", "subject", "--json"])["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["shown"]["subject"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(subjects, ["Its subject", "only the text", "s"]);
}

#[test]
fn a_broadcast_reaches_everybody_else() {
    let world = world();
    fs::create_dir_all(world.project().join(".workspace/agents/moss/inbox")).unwrap();
    world.run(&["--agent", "wren", "broadcast", "Standup in five."]).ok();
    assert!(files(&world, WREN).is_empty());
    for inbox in [EMBER, ".workspace/agents/moss/inbox"] {
        let (_, envelope) = only(&world, inbox);
        assert_eq!(envelope["body"], "Standup in five.");
        assert_eq!(envelope["to"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn files_of_one_name_in_several_states_have_ids_of_their_own() {
    let world = world();
    for (place, text) in [("x.json", "one"), ("x.json.read", "two"), ("processed/x.json", "three"), ("y.json", "four")] {
        world.file(&format!("{WREN}/{place}"), format!("{{\"from\":\"ember\",\"to\":\"wren\",\"body\":\"{text}\"}}"));
    }
    let doc = world.json(&["--inbox", "wren", "list", "--json"]);
    let mut ids: Vec<(&str, &str)> = doc["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| (m["id"].as_str().unwrap(), m["shown"]["subject"].as_str().unwrap()))
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, [("processed/x.json", "three"), ("x.json", "one"), ("x.json.read", "two"), ("y", "four")]);
    for (id, text) in ids {
        for reference in [id.to_owned(), format!("wren:{id}")] {
            let ran = world.run(&["show", &reference]).ok();
            assert!(ran.out.contains(text), "{reference}: {ran:?}");
        }
    }
    let ran = world.run(&["show", "x"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    for hint in ran.err.lines().filter(|line| line.starts_with("  ") && !line.contains("try:")) {
        world.run(&["show", hint.split_whitespace().next().unwrap()]).ok();
    }
    let doc = world.json(&["doctor", "duplicate-id", "--json"]);
    assert_eq!(doc["findings"].as_array().unwrap().len(), 1, "{doc}");
    // Alone again, each goes by the short name, through whatever states.
    world.run(&["archive", "--force", "--note", "n", "x.json.read"]).ok();
    world.run(&["archive", "--force", "--note", "n", "processed/x.json"]).ok();
    assert_eq!(world.json(&["show", "x", "--json"])["message"]["id"], "x");
}

#[test]
fn a_message_goes_its_way_by_name_and_member() {
    let world = world();
    put(&world, "m1.json", "msg-1", "Read the retry part.");
    let before = world.read(&format!("{WREN}/m1.json"));
    // By the envelope's id, by the file's name, by the path that was printed first.
    world.run(&["mark", "read", "msg-1"]).ok();
    assert_eq!(world.read(&format!("{WREN}/m1.json.read")), before);
    world.run(&["mark", "actioned", "m1.json"]).ok();
    let after = before.replace('}', ",\"status\":\"actioned\"}");
    assert_eq!(world.read(&format!("{WREN}/m1.json.read")), after);
    let ran = world.run(&["mark", "unread", &format!("{WREN}/m1.json")]);
    assert_eq!(ran.code, 1, "{ran:?}");
    world.run(&["archive", &format!("{WREN}/m1.json")]).ok();
    assert_eq!(files(&world, &format!("{WREN}/archive")), ["m1.json.read"]);
    world.run(&["restore", "msg-1"]).ok();
    world.run(&["mark", "unread", "--reopen", "m1"]).ok();
    assert_eq!(world.read(&format!("{WREN}/m1.json")), after.replace("actioned", "unread"));
    let doc = world.json(&["list", "--unread", "--json"]);
    assert_eq!((&doc["messages"][0]["id"], &doc["messages"][0]["raw_status"]), (&json!("m1"), &json!("unread")));
}

#[test]
fn what_another_tool_processed_is_read_and_keeps_that() {
    let world = world();
    put(&world, "processed/m1.json", "msg-1", "b");
    assert_eq!(world.json(&["list", "--json"])["messages"][0]["status"], "read");
    world.run(&["archive", "--mark", "actioned", "m1"]).ok();
    assert_eq!(files(&world, &format!("{WREN}/archive")), ["m1.json"]);
    world.run(&["restore", "m1"]).ok();
    assert_eq!(world.json(&["list", "--json"])["messages"][0]["status"], "actioned");
}

#[test]
fn a_broken_file_is_named_and_left_alone() {
    let world = world();
    put(&world, "good.json", "msg-1", "b");
    world.file(&format!("{WREN}/bad.json"), "{\"id\":\"x\",\"from\":\"em");
    world.file(&format!("{WREN}/list.json"), "[1]");
    world.file(&format!("{WREN}/bytes.json"), b"{\"a\":\"\xff\"}");
    let doc = world.json(&["list", "--json"]);
    let warned: Vec<_> = doc["messages"].as_array().unwrap().iter().filter(|m| m["warnings"][0]["kind"] == "bad-json").collect();
    assert_eq!(warned.len(), 2, "{doc}");
    let before = world.snapshot();
    for name in ["bad.json", "list.json"] {
        assert_eq!(world.run(&["mark", "read", name]).code, 1);
        world.run(&["show", name]).ok();
    }
    assert_eq!(world.snapshot(), before);
    // Bytes that are not UTF-8 are no reason to leave a message alone: they stay.
    world.run(&["mark", "actioned", "bytes.json"]).ok();
    let marked = fs::read(world.project().join(format!("{WREN}/bytes.json.read"))).unwrap();
    assert_eq!(marked, b"{\"a\":\"\xff\",\"status\":\"actioned\"}");
}

#[test]
fn an_exact_id_wins_over_a_part_of_a_name() {
    let world = world();
    put(&world, "msg-1-first.json", "a", "the name");
    put(&world, "other.json", "msg-1", "the id");
    assert!(world.run(&["show", "msg-1"]).ok().out.contains("the id"));
}

#[test]
fn a_clear_archives_and_deletes_nothing() {
    let world = world();
    put(&world, "m1.json", "msg-1", "b");
    world.run(&["mark", "resolved", "m1"]).ok();
    world.run(&["clear", "--before", "2026-05-21"]).ok();
    assert_eq!(files(&world, &format!("{WREN}/archive")), ["m1.json.read"]);
}

#[test]
fn a_hundred_senders_at_once_make_a_hundred_files() {
    let world = world();
    let children: Vec<_> = (0..100)
        .map(|n| {
            let text = format!("n{}", n / 2);
            let args = ["--agent", "ember", "send", "wren", &text];
            world.command(&args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in children {
        let ended = child.wait_with_output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    }
    let names = files(&world, WREN);
    assert!(
        names.len() == 100
            && names.iter().all(|n| std::path::Path::new(n).extension().is_some_and(|e| e == "json") && !n.starts_with('.')),
        "{names:?}"
    );
    for name in names {
        let envelope: Value = serde_json::from_str(&world.read(&format!("{WREN}/{name}"))).unwrap();
        assert_eq!(format!("{}.json", envelope["id"].as_str().unwrap()), name);
    }
}
