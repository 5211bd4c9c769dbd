//! A project whose agents use different tools: one list, one summary, one sweep, one conversation
//! across all layouts; and the mailboxes of a running host, which are only ever read.

use std::fs;

use serde_json::Value;

use crate::support::{World, copy_tree, files, letter, snapshot};

const TEAM: &str = "../.claude/teams/night-build/inboxes";

/// All four layouts, with one old handled message in each that can be archived.
fn world() -> World {
    let world = World::with_inbox();
    for agent in ["ava", "ben"] {
        for folder in ["tmp", "new", "archive"] {
            fs::create_dir_all(world.project().join(format!(".agents/inbox/{agent}/{folder}"))).unwrap();
        }
    }
    world.message("2026-05-18-cache.md", "unread", "2026-05-18", "Cache key");
    world.message("2026-04-01-old.md", "actioned", "2026-04-01", "Old soma");
    world.file(
        ".agents/inbox/ben/new/20260519T080000Z-api.aB12cD.md",
        "---\nfrom: ava\nto: ben\nreply_to: ../ava/tmp/\ntimestamp: 2026-05-19T08:00:00Z\n---\n\nAPI ready\n",
    );
    world.file(".agents/inbox/ben/new/20260401T080000Z-old.aB12cD.md", letter("resolved", "2026-04-01", "Old agents"));
    world.file(".workspace/agents/wren/inbox/msg-2026-05-19-080000-ab12.json", r#"{"id":"msg-2026-05-19-080000-ab12","from":"ember","to":"wren","type":"task","priority":"urgent","thread":null,"timestamp":"2026-05-19T08:00:00Z","body":"Retry part","context":[],"reply_to":null}"#);
    world.file(
        ".workspace/agents/wren/inbox/old.json.read",
        r#"{"from":"ember","timestamp":"2026-04-01T08:00:00Z","body":"Old json","status":"resolved"}"#,
    );
    world.file(&format!("{TEAM}/wren.json"), r#"[{"from":"team-lead","text":"Take it","timestamp":"2026-05-19T09:00:00.000Z","read":false},{"from":"x","text":"{\"type\":\"idle_notification\"}","timestamp":"2026-04-01T09:00:00.000Z","read":true}]"#);
    world
}

fn subjects(doc: &Value, key: &str) -> Vec<String> {
    let mut out: Vec<_> =
        doc[key].as_array().unwrap().iter().map(|m| m["shown"]["subject"].as_str().unwrap().to_owned()).collect();
    out.sort();
    out
}

#[test]
fn one_list_and_one_count_over_all_layouts() {
    let world = world();
    let doc = world.json(&["list", "--unread", "--json"]);
    assert_eq!(subjects(&doc, "messages"), ["API ready", "Cache key", "Retry part"]);
    let doc = world.json(&["list", "--unread", "--teams", "--json"]);
    assert_eq!(subjects(&doc, "messages"), ["API ready", "Cache key", "Retry part", "Take it"]);
    let doc = world.json(&["inboxes", "--teams", "--json"]);
    let mut rows: Vec<_> = doc["inboxes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| format!("{} {} {}/{}", i["layout"].as_str().unwrap(), i["owner"].as_str().unwrap(), i["unread"], i["live"]))
        .collect();
    rows.sort();
    assert_eq!(rows, ["agents ava 0/0", "agents ben 1/2", "json wren 1/2", "soma soma 1/2", "teams wren 1/2"]);
}

#[test]
fn one_summary_over_all_layouts() {
    let world = world();
    let text = world.run(&["summary", "--teams"]).ok().out;
    for subject in ["API ready", "Cache key", "Retry part", "Take it"] {
        assert!(text.contains(subject), "{subject}: {text}");
    }
    assert!(text.contains("4 unread"), "{text}");
    assert!(text.find("Retry part").unwrap() < text.find("Cache key").unwrap(), "urgent first: {text}");
}

#[test]
fn one_sweep_over_all_layouts() {
    let world = world();
    let dry = world.json(&["sweep", "--dry-run", "--teams", "--json"]);
    let doc = world.json(&["sweep", "--teams", "--json"]);
    assert_eq!(dry["archived"], doc["archived"]);
    assert_eq!(doc["archived"].as_array().unwrap().len(), 3, "{doc}");
    assert_eq!(doc["failed"].as_array().unwrap().len(), 0);
    assert_eq!(files(&world, ".soma/inbox/_archive"), ["2026-04-01-old.md"]);
    assert_eq!(files(&world, ".agents/inbox/ben/archive"), ["20260401T080000Z-old.aB12cD.md"]);
    assert_eq!(files(&world, ".workspace/agents/wren/inbox/archive"), ["old.json.read"]);
    assert_eq!(world.json(&["sweep", "--teams", "--json"])["archived"].as_array().unwrap().len(), 0);
}

#[test]
fn one_conversation_over_all_layouts() {
    let world = world();
    // From a Markdown inbox to an agent with a shell, from there to one with JSON, and back.
    let reply = |args: &[&str]| {
        let doc = world.run(args).ok().document();
        doc["messages"][0]["ref"].as_str().unwrap().to_owned()
    };
    let first = reply(&["reply", "2026-05-18-cache", "--to", "ben", "--from", "soma", "--body", "See src/keys.rs", "--json"]);
    let second = reply(&["reply", &first, "--to", "wren", "--from", "ben", "--body", "Passing it on", "--json"]);
    let third = reply(&["reply", &second, "--to", "soma", "--from", "wren", "--body", "Done", "--json"]);
    world.run(&["mark", "actioned", &first]).ok();
    world.run(&["mark", "actioned", &second]).ok();
    world.run(&["archive", &second]).ok();
    for start in [first.as_str(), &second, &third] {
        let doc = world.json(&["thread", start, "--json"]);
        let nodes = doc["nodes"].as_array().unwrap();
        let row = |n: &Value| format!("{} {}", n["layout"].as_str().unwrap(), n["depth"]);
        assert_eq!(nodes.iter().map(row).collect::<Vec<_>>(), ["soma 0", "agents 1", "json 2", "soma 3"], "{doc}");
        assert_eq!(doc["warnings"].as_array().unwrap().len(), 0);
    }
}

/// The example that comes with the documentation, as its README says.
#[test]
fn the_example_has_every_layout_and_a_dialect() {
    let world = World::new();
    let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/swarm");
    copy_tree(&example, &world.home());
    let project = world.home().join("project").to_string_lossy().into_owned();
    let run = |args: &[&str]| world.run(&[&["-C", &project], args].concat()).ok();
    let doc = run(&["list", "--teams", "--json"]).document();
    let rows = doc["messages"].as_array().unwrap();
    let count = |key: &str, value: &str| rows.iter().filter(|m| m[key] == value).count();
    assert_eq!(["soma", "agents", "json", "teams"].map(|layout| count("layout", layout)), [4, 2, 3, 2]);
    assert_eq!(["unread", "read", "actioned", "resolved"].map(|status| count("status", status)), [5, 3, 2, 1]);
    assert!(rows.iter().all(|m| m["warnings"].as_array().unwrap().is_empty()), "{doc}");
    let doc = run(&["thread", "2026-05-18-token-refresh", "--json"]).document();
    let depths: Vec<_> = doc["nodes"].as_array().unwrap().iter().map(|n| n["depth"].as_u64().unwrap()).collect();
    assert_eq!(depths, [0, 1, 2]);
    assert_eq!(run(&["sweep", "--json"]).document()["archived"].as_array().unwrap().len(), 3);
    run(&["mark", "read", "docs-build"]);
    let text = fs::read_to_string(world.home().join("project/docs/mailbox/moss/inbox/2026-05-16_001_docs-build.md")).unwrap();
    assert!(text.contains("\nSTATUS: READ\n"), "{text}");
}

#[test]
fn a_hosts_mailbox_is_shown_and_never_touched() {
    let world = world();
    let before = snapshot(&world.home().join(".claude"));
    let doc = world.json(&["list", "--teams", "--to", "wren", "--json"]);
    let idle = doc["messages"].as_array().unwrap().iter().find(|m| m["type"] == "idle_notification").unwrap();
    assert_eq!(idle["status"], "read");
    for id in [idle["id"].as_str().unwrap(), idle["ref"].as_str().unwrap(), &format!("{}#1", idle["path"].as_str().unwrap())] {
        for inbox in [&["--teams"][..], &["--inbox", &format!("{TEAM}/wren.json")]] {
            let run = |args: &[&str]| world.run(&[inbox, args].concat());
            assert!(run(&["show", id]).ok().out.contains("idle_notification"), "{id}");
            for change in [&["mark", "unread", "--reopen", id][..], &["archive", id], &["mark", "actioned", id, "--json"]] {
                let ran = run(change);
                assert_eq!(ran.code, 1, "{change:?}: {ran:?}");
                assert!(format!("{}{}", ran.out, ran.err).contains("host"), "{ran:?}");
            }
        }
    }
    let ran = world.run(&[
        "--inbox",
        &format!("{TEAM}/wren.json"),
        "send",
        "--to",
        "wren",
        "--from",
        "a",
        "--subject",
        "s",
        "--body",
        "b",
    ]);
    assert_eq!(ran.code, 1, "{ran:?}");
    // Reading prints, and says that it stays unread.
    let ran = world.run(&["--teams", "read", "wren#0"]).ok();
    assert!(ran.out.contains("Take it") && ran.err.contains("stays unread"), "{ran:?}");
    assert_eq!(snapshot(&world.home().join(".claude")), before);
}

#[test]
fn half_a_mailbox_is_said_and_the_others_are_there() {
    let world = world();
    world.file(&format!("{TEAM}/team-lead.json"), r#"[{"from":"a","te"#);
    let doc = world.json(&["list", "--teams", "--json"]);
    let row = doc["messages"].as_array().unwrap().iter().find(|m| m["id"] == "team-lead").unwrap();
    assert_eq!((row["status"].as_str(), row["warnings"][0]["kind"].as_str()), (Some("unread"), Some("bad-json")));
    assert!(subjects(&doc, "messages").contains(&"Take it".to_owned()));
}

#[test]
fn a_mailbox_that_is_whole_a_moment_later_is_read() {
    let world = world();
    let path = world.project().join(format!("{TEAM}/team-lead.json"));
    fs::write(&path, r#"[{"from":"a","te"#).unwrap();
    let writer = std::thread::spawn({
        let path = path.clone();
        move || {
            std::thread::sleep(std::time::Duration::from_millis(15));
            let temporary = path.with_extension("tmp");
            fs::write(&temporary, r#"[{"from":"a","text":"whole","read":false}]"#).unwrap();
            fs::rename(temporary, path).unwrap();
        }
    });
    // Whichever was first, the file was either whole or became so.
    let mut seen = subjects(&world.json(&["list", "--teams", "--json"]), "messages");
    writer.join().unwrap();
    if !seen.contains(&"whole".to_owned()) {
        seen = subjects(&world.json(&["list", "--teams", "--json"]), "messages");
    }
    assert!(seen.contains(&"whole".to_owned()), "{seen:?}");
}
