//! What is said when something can't be done: all of it, once, with commands that run as they stand.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{World, letter};

#[test]
fn each_of_several_failures_carries_all_that_is_known_of_it() {
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "actioned", "2026-05-01", "a");
    world.message("2026-05-02-b.md", "unread", "2026-05-02", "b");
    let ran = world.run(&["mark", "read", "a.md", "nothing", "b.md", "--json"]);
    let doc = ran.document();
    assert_eq!((ran.code, &doc["error"], doc["messages"].as_array().unwrap().len()), (1, &Value::Null, 1));
    let failed = doc["failed"].as_array().unwrap();
    let keys = |one: &Value| one.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&failed[0]), ["hints", "kind", "message", "next", "path", "ref"]);
    assert_eq!((&failed[0]["ref"], &failed[0]["kind"]), (&"a.md".into(), &"backward-move".into()));
    assert!(failed[0]["path"].as_str().unwrap().ends_with("2026-05-01-a.md"));
    assert_eq!(failed[0]["next"], json!(["postroom mark read --reopen soma@work:2026-05-01-a"]));
    assert_eq!(
        (&failed[1]["ref"], &failed[1]["kind"], &failed[1]["path"]),
        (&"nothing".into(), &"no-such-message".into(), &Value::Null)
    );
    for args in [
        &["mark", "read", "x1", "x2"][..],
        &["archive", "x1", "x2"],
        &["restore", "x1", "x2"],
        &["read", "x1", "x2"],
        &["show", "x1", "x2"],
        &["show", "x1"],
        &["mark", "read", "x1"],
    ] {
        let ran = world.run(&[args, &["--json"]].concat());
        let doc = ran.document();
        assert_eq!(ran.code, 3, "{args:?}: {ran:?}");
        assert_eq!(doc["messages"], json!([]), "{args:?}");
        assert_eq!(
            (&doc["error"]["kind"], &doc["failed"][0]["ref"]),
            (&"no-such-message".into(), &"x1".into()),
            "{args:?}: {doc}"
        );
        assert!(doc["error"]["message"].as_str().unwrap().contains("x1"), "{doc}");
    }
}

#[test]
fn several_messages_are_shown_in_one_document() {
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "a");
    world.message("2026-05-02-b.md", "unread", "2026-05-02", "b");
    let doc = world.json(&["show", "--json", "a.md", "b.md"]);
    let subjects: Vec<_> = doc["messages"].as_array().unwrap().iter().map(|m| (&m["message"]["subject"], &m["body"])).collect();
    assert_eq!(subjects, [(&json!("a"), &json!("\nhello\n")), (&json!("b"), &json!("\nhello\n"))]);
    assert_eq!(world.json(&["show", "--json", "a.md"])["message"]["subject"], "a");
    let ran = world.run(&["show", "--json", "a.md", "none"]);
    let doc = ran.document();
    assert_eq!((ran.code, doc["messages"].as_array().unwrap().len(), &doc["failed"][0]["ref"]), (3, 1, &"none".into()));
}

#[test]
fn a_fault_of_the_command_line_is_told_whole() {
    let world = World::with_inbox();
    let error = |args: &[&str]| {
        let ran = world.run(args);
        assert_eq!(ran.code, 2, "{args:?}: {ran:?}");
        ran.document()["error"].clone()
    };
    let text = error(&["--json", "mark"]);
    assert!(text["message"].as_str().unwrap().contains("<STATUS> <REF>..."), "{text}");
    assert_eq!(text["next"], json!(["postroom mark --help"]));
    let text = error(&["list", "--json", "--unraed"]);
    assert!(text.to_string().contains("--unread") && text["message"].as_str().unwrap().contains("--unraed"), "{text}");
    let text = error(&["--json", "lsit"]);
    assert!(text.to_string().contains("list"), "{text}");
    assert_eq!(text["next"], json!(["postroom --help"]));
    let text = error(&["--json"]);
    assert_eq!(text["kind"], "usage");
    let text = error(&["--json", "list", "--priority", "odd"]);
    assert!(text["message"].as_str().unwrap().contains("none of low, normal, high, urgent"), "{text}");
    assert_eq!(text["next"], json!(["postroom list --help"]));
}

#[test]
fn no_error_leaves_a_program_without_a_next_step() {
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "a");
    for args in [
        &["sweep", "--older-than", "x"][..],
        &["log", "--since", "x"],
        &["watch", "--timeout", "x"],
        &["send", "--to", "soma"],
        &["restore", "2026-05-01-a"],
        &["render", "nothing"],
        &["inject", "nothing/x.md"],
        &["init", "--layout", "odd"],
        &["setup", "odd"],
        &["schedule", "install", "--at", "25:00"],
        &["-q", "clear", "--before", "x"],
        &["completions", "tcsh"],
    ] {
        let ran = world.run(&[&["--json"], args].concat());
        let doc = ran.document();
        let next = &doc["error"]["next"];
        assert!(ran.code != 0 && next[0].as_str().is_some_and(|command| run_line(&world, command) == 0), "{args:?}: {doc}");
    }
    let world = world.at("yesterday");
    let doc = world.run(&["list", "--json"]).document();
    assert_eq!((&doc["error"]["kind"], &doc["error"]["next"]), (&"bad-clock".into(), &json!(["postroom list --help"])));
    let ran = World::with_inbox().run(&["sweep", "--older-than", "x"]);
    assert!(ran.code == 2 && ran.err.ends_with("  try: postroom sweep --help\n"), "{ran:?}");
}

#[test]
fn aliases_and_inboxes_are_documents_too() {
    let world = World::with_inbox();
    assert_eq!(world.json(&["alias", "--json"])["aliases"], json!([]));
    fs::create_dir_all(world.top().join("config/postroom")).unwrap();
    let doc = world.json(&["alias", "boss", "soma@work", "--json", "-n"]);
    assert_eq!(doc["dry_run"], true);
    assert_eq!(world.json(&["alias", "--json"])["aliases"], json!([]));
    let doc = world.json(&["alias", "boss", "soma@work", "--json"]);
    let inbox = world.inbox().to_string_lossy().into_owned();
    assert_eq!(doc["aliases"], json!([{"name": "boss", "inbox": inbox}]));
    assert_eq!(world.json(&["alias", "--json"])["aliases"], doc["aliases"]);
    assert_eq!(world.json(&["alias", "boss", "--json"])["aliases"], doc["aliases"]);
    let doc = world.json(&["alias", "boss", "--remove", "--json"]);
    assert_eq!((&doc["aliases"], &doc["removed"]), (&json!([]), &"boss".into()));
    assert_eq!(world.json(&["alias", "boss", "--json"])["error"]["kind"], "no-such-alias");
    assert_eq!(world.json(&["inboxes", "--json"])["inboxes"][0]["project"], world.project().to_string_lossy().as_ref());
}

/// Runs a command line as a shell does.
fn run_line(world: &World, line: &str) -> i32 {
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_postroom")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let as_run = world.command(&[]);
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(world.project()).env_clear().envs(as_run.get_envs().filter_map(|(k, v)| Some((k, v?))));
    shell.env("PATH", path).output().unwrap().status.code().unwrap()
}

#[test]
fn commands_that_are_named_next_run_as_they_stand() {
    let world = World::with_inbox().set("POSTROOM_AGENT", "soma");
    let other = world.top().join("other place");
    for name in ["2026-05-01-a b.md", "2026-05-01-a c.md"] {
        world.message(name, "actioned", "2026-05-01", name);
        fs::create_dir_all(other.join(".soma/inbox/_archive")).unwrap();
        fs::write(other.join(".soma/inbox").join(name), letter("read", "2026-05-01", name)).unwrap();
    }
    fs::write(other.join(".soma/inbox/_archive/2026-05-01-z.md"), letter("resolved", "2026-05-01", "z")).unwrap();
    let place = other.to_string_lossy().into_owned();
    let inbox = other.join(".soma/inbox").to_string_lossy().into_owned();
    for args in [
        &["show", "2026-05-01-a"][..],
        &["-C", &place, "show", "2026-05-01-a"],
        &["-C", &place, "mark", "unread", "a b"],
        &["--inbox", &inbox, "mark", "unread", "a c"],
        &["--inbox", &inbox, "mark", "read", "z"],
        &["--inbox", &inbox, "archive", "a b"],
        &["-C", &place, "--scope", "project", "--agent", "soma", "show", "nothing"],
        &["--inbox", "nothing", "list"],
        &["--agent", "nobody", "list"],
        &["send", "--to", "nobody", "--subject", "s", "--body", "b"],
        &["alias", "nothing"],
    ] {
        let ran = world.run(&[args, &["--json"]].concat());
        assert_ne!(ran.code, 0, "{args:?}");
        let doc = ran.document();
        let next = doc["error"]["next"].as_array().unwrap();
        assert!(!next.is_empty(), "{args:?}: {doc}");
        for command in next {
            assert_eq!(run_line(&world, command.as_str().unwrap()), 0, "{args:?}: {command}");
        }
    }
    let world = world.set("POSTROOM_AGENT", "nobody");
    let ran = world.run(&["list", "--json"]);
    let doc = ran.document();
    assert_eq!(doc["error"]["next"], json!(["POSTROOM_AGENT= postroom inboxes"]), "{doc}");
    assert_eq!(run_line(&world, "POSTROOM_AGENT= postroom inboxes"), 0);
}

#[test]
fn faults_of_one_input_are_told_together() {
    let world = World::with_inbox();
    let ran = world.run(&["send", "--to", "a/b", "--cc", "..", "--bcc", "-x", "--from", "c/d", "--to", "somq", "--body", "b"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    for part in ["a/b", "\"..\"", "-x", "c/d"] {
        assert!(ran.err.contains(part), "{part}: {ran:?}");
    }
    assert_eq!(ran.err.matches("nothing was sent").count(), 1, "{ran:?}");
    let ran = world.run(&["send", "--body", "b"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    for part in ["who sends", "somebody it is for", "a subject"] {
        assert!(ran.err.contains(part), "{part}: {ran:?}");
    }
    assert_eq!(ran.err.matches("nothing was sent").count(), 1, "{ran:?}");
    let ran = world.run(&["send", "--to", "somq", "--to", "nobody", "--body", "b", "--tag", ""]);
    for part in ["who sends", "somq", "nobody", "a subject", "an empty tag"] {
        assert!(ran.err.contains(part), "{part}: {ran:?}");
    }
    assert_eq!(ran.err.matches("nothing was sent").count(), 1, "{ran:?}");
    let ran = world.run(&["list", "--since", "x", "--before", "y", "--open", "--archived"]);
    for part in ["--since", "--before", "--open and --archived"] {
        assert!(ran.err.contains(part), "{part}: {ran:?}");
    }
}

#[test]
fn what_was_done_is_told_by_places_and_scopes() {
    let world = World::with_inbox();
    fs::create_dir_all(world.home().join(".soma/inbox")).unwrap();
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "a");
    fs::write(world.home().join(".soma/inbox/2026-05-01-h.md"), letter("unread", "2026-05-01", "h")).unwrap();
    let other = world.top().join("other/work");
    fs::create_dir_all(other.join(".soma/inbox")).unwrap();
    fs::write(other.join(".soma/inbox/2026-05-01-o.md"), letter("unread", "2026-05-01", "o")).unwrap();
    world.run(&["mark", "read", "soma@work:2026-05-01-a"]).ok();
    world.run(&["mark", "read", "soma@~:2026-05-01-h"]).ok();
    // Of the same name, from elsewhere.
    world.run(&["-C", &other.to_string_lossy(), "mark", "read", "soma@work:2026-05-01-o"]).ok();
    let told = |args: &[&str]| -> Vec<String> {
        let out = world.run(&[args, &["log", "--json"]].concat()).ok().out;
        out.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(told(&[]).len(), 3);
    assert_eq!(told(&["--inbox", "soma@work"]), ["2026-05-01-a"]);
    assert_eq!(told(&["--inbox", ".soma/inbox"]), ["2026-05-01-a"]);
    assert_eq!(told(&["--scope", "project"]), ["2026-05-01-a"]);
    assert_eq!(told(&["--scope", "global"]), ["2026-05-01-h"]);
    assert_eq!(told(&["-C", &other.to_string_lossy(), "--inbox", "soma@work"]), ["2026-05-01-o"]);
}

/// Whether this user is held back by permissions at all.
#[cfg(unix)]
fn may_read(path: &std::path::Path) -> bool {
    fs::read_dir(path).is_ok()
}

#[cfg(unix)]
#[test]
fn what_can_not_be_looked_into_is_said_once_in_plain_words() {
    use std::os::unix::fs::PermissionsExt;
    let close = |path: &std::path::Path| fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
    let open = |path: &std::path::Path| fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "a");
    world.file(".soma/inbox/_archive/2026-01-01-b.md", letter("resolved", "2026-01-01", "b"));
    world.file(".claude/inbox/2026-05-01-c.md", letter("unread", "2026-05-01", "c"));
    for (closed, said) in
        [(".claude", ".claude"), (".soma/inbox", "soma@work (.soma/inbox)"), (".soma/inbox/_archive", "soma@work")]
    {
        let path = world.project().join(closed);
        close(&path);
        let held_back = !may_read(&path);
        let runs: Vec<_> = [&["list", "--all"][..], &["inboxes"], &["inboxes", "--json"]].map(|args| world.run(args)).into();
        open(&path);
        if !held_back {
            return;
        }
        for ran in &runs {
            assert_eq!(ran.code, 1, "{closed}: {ran:?}");
            assert_eq!(ran.err.matches("could not look into").count(), 1, "{closed}: {ran:?}");
            assert!(ran.err.contains(said) && ran.err.contains("permission denied"), "{closed}: {ran:?}");
            assert!(!ran.err.contains("permission-denied"), "{closed}: {ran:?}");
        }
        let doc = runs[2].document();
        let soma = &doc["inboxes"][0];
        match closed {
            ".soma/inbox" => assert_eq!((&soma["live"], &soma["archived"]), (&Value::Null, &Value::Null)),
            ".soma/inbox/_archive" => assert_eq!((&soma["unread"], &soma["archived"]), (&json!(1), &Value::Null)),
            _ => assert_eq!((&soma["unread"], &soma["archived"]), (&json!(1), &json!(1))),
        }
    }
}
