//! Who a message is for, who it is from, and which name its file gets.

use std::fs;

use crate::support::{World, files, letter, snapshot};

/// A workspace `work` with a member `api`, each with an inbox of `soma`.
fn workspace() -> World {
    let world = World::with_inbox();
    world.file("services/api/.soma/inbox/README.md", "");
    world
}

#[test]
fn a_new_name_is_free_in_the_archive_too() {
    let world = World::with_inbox();
    world.file(".soma/inbox/_archive/2026-05-20-plan.md", letter("resolved", "2026-05-20", "Plan"));
    world.file(".soma/inbox/_archive/2026/2026-05-20-PLAN-2.md", letter("resolved", "2026-05-20", "Plan"));
    let send = ["send", "--to", "soma", "--from", "ava", "--subject", "Plan", "--body", "b", "--json"];
    let path = |doc: &serde_json::Value| doc["messages"][0]["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let foreseen = world.json(&[&send[..], &["--dry-run"]].concat());
    assert_eq!(path(&foreseen), "2026-05-20-plan-3.md");
    assert_eq!(files(&world, ".soma/inbox").len(), 1);
    let doc = world.json(&send);
    assert_eq!((path(&doc), &doc["messages"][0]["id"]), ("2026-05-20-plan-3.md".to_owned(), &"2026-05-20-plan-3".into()));
    assert_eq!(path(&world.json(&[&send[..], &["--dry-run"]].concat())), "2026-05-20-plan-4.md");
    assert_eq!(path(&world.json(&send)), "2026-05-20-plan-4.md");
}

#[test]
fn an_answer_to_another_project_finds_back() {
    let world = workspace();
    let doc = world.json(&["--agent", "soma", "send", "--to", "soma (api)", "--subject", "Limits", "--body", "b", "--json"]);
    let path = doc["messages"][0]["path"].as_str().unwrap().to_owned();
    assert_eq!((&doc["messages"][0]["inbox"], &doc["messages"][0]["from"]), (&"soma@api".into(), &"soma (work)".into()));
    // From the member, and from above: the answer is the member's, and reaches who wrote.
    for args in [&["-C", "services/api"][..], &[]] {
        let doc = world.json(&[args, &["reply", &path, "--body", "ok", "--json"]].concat());
        let message = &doc["messages"][0];
        assert_eq!((&message["inbox"], &message["to"]), (&"soma@work".into(), &"soma (work)".into()), "{args:?}");
        assert_eq!(message["from"], "soma (api)", "{args:?}");
    }
    // And back again.
    let again = world.json(&["reply", ".soma/inbox/2026-05-20-re-limits.md", "--body", "fine", "--json"]);
    assert_eq!((&again["messages"][0]["inbox"], &again["messages"][0]["from"]), (&"soma@api".into(), &"soma (work)".into()));
    let tree = world.json(&["thread", &path, "--json"]);
    assert_eq!(tree["nodes"].as_array().unwrap().len(), 4, "{tree}");
    // Within one project nothing is added.
    world.file(".claude/inbox/README.md", "");
    let doc = world.json(&["--agent", "claude", "send", "--to", "soma", "--subject", "Hi", "--body", "b", "--json"]);
    assert_eq!(doc["messages"][0]["from"], "claude");
    assert_eq!(world.json(&["list", "--from", "soma", "--json"])["total"], 4);
}

#[test]
fn a_sender_is_looked_for_from_where_the_message_lies_and_never_in_its_own_inbox() {
    let world = workspace();
    // Written by hand, by the name alone.
    world.file("services/api/.soma/inbox/2026-05-18-q.md", "---\nfrom: soma\nto: soma\nstatus: unread\nsubject: q\n---\n");
    for args in [&["-C", "services/api"][..], &[], &["--scope", "project"], &["--inbox", "soma@api"]] {
        let doc = world.json(&[args, &["reply", "2026-05-18-q", "--body", "ok", "--json"]].concat());
        assert_eq!(doc["messages"][0]["inbox"], "soma@work", "{args:?}: {doc}");
    }
    // Of its own project first.
    world.file("services/api/.claude/inbox/2026-05-18-r.md", "---\nfrom: soma\nto: claude\nstatus: unread\nsubject: r\n---\n");
    let doc = world.json(&["reply", "2026-05-18-r", "--body", "ok", "--json"]);
    assert_eq!(doc["messages"][0]["inbox"], "soma@api");
    // From above it may be any below: that is said, not guessed.
    world.file("services/web/.soma/inbox/README.md", "");
    world.file(".soma/inbox/2026-05-18-s.md", "---\nfrom: soma\nto: soma\nstatus: unread\nsubject: s\n---\n");
    let ran = world.run(&["reply", "2026-05-18-s", "--body", "ok"]);
    assert!(ran.code == 3 && ran.err.contains("soma@api") && ran.err.contains("soma@web"), "{ran:?}");
    // A note to oneself is answered where it lies.
    let world = World::with_inbox();
    world.file(".soma/inbox/2026-05-18-q.md", "---\nfrom: soma\nto: soma\nstatus: unread\nsubject: q\n---\n");
    let doc = world.json(&["reply", "2026-05-18-q", "--body", "ok", "--json"]);
    assert_eq!(doc["messages"][0]["inbox"], "soma@work");
}

#[test]
fn the_home_folder_is_called_the_same_from_everywhere() {
    let world = World::with_inbox();
    fs::create_dir_all(world.home().join(".claude/inbox")).unwrap();
    let home = world.home().to_string_lossy().into_owned();
    let doc =
        world.json(&["-C", &home, "--agent", "claude", "send", "--to", "soma (work)", "--subject", "a", "--body", "b", "--json"]);
    assert_eq!(doc["messages"][0]["from"], "claude (~)", "{doc}");
    let path = doc["messages"][0]["path"].as_str().unwrap().to_owned();
    for folder in [&*world.project().to_string_lossy(), &*home] {
        let doc = world.json(&["-C", folder, "reply", &path, "--body", "ok", "--json"]);
        assert_eq!(doc["messages"][0]["inbox"], "claude@~", "{folder}: {doc}");
    }
}

#[test]
fn a_message_to_two_names_teaches_nothing_wrong() {
    let world = World::with_inbox();
    world.file(".claude/inbox/2026-05-01-a.md", "---\nfrom: x\nto: cal\nstatus: unread\nsubject: a\n---\n");
    world.file(".soma/inbox/2026-05-01-b.md", "---\nfrom: x\nto: ben\nstatus: unread\nsubject: b\n---\n");
    let send = |to: &[&str]| {
        let mut args = vec!["send", "--from", "ava", "--subject", "s", "--body", "b", "--json"];
        for name in to {
            args.extend(["--to", name]);
        }
        let doc = world.json(&args);
        let inboxes: Vec<String> =
            doc["messages"].as_array().unwrap_or(&Vec::new()).iter().map(|m| m["inbox"].as_str().unwrap().to_owned()).collect();
        inboxes
    };
    assert_eq!(send(&["ben", "cal"]), ["soma@work", "claude@work"]);
    assert_eq!(send(&["ben"]), ["soma@work"]);
    assert_eq!(send(&["cal"]), ["claude@work"]);
    // A blind copy is its reader's.
    world.file(".claude/inbox/2026-05-02-c.md", "---\nfrom: x\nto: soma\nbcc: dee\nstatus: unread\nsubject: c\n---\n");
    assert_eq!(send(&["dee"]), ["claude@work"]);
    // The copy of an owner is the owner's, whoever else is named.
    world.file(".soma/inbox/2026-05-02-d.md", "---\nfrom: x\nto: [soma, eve]\nstatus: unread\nsubject: d\n---\n");
    assert_eq!(send(&["eve"]), Vec::<String>::new());
    // Nor is a name known that nothing can be sent to.
    let ran = world.run(&["send", "--to", "eve", "--from", "ava", "--subject", "s", "--body", "b"]);
    assert!(ran.err.contains("known names: ben, cal, claude, dee, soma\n"), "{ran:?}");
}

#[test]
fn a_broadcast_names_each_owner_once() {
    let world = workspace();
    world.file(".claude/inbox/README.md", "");
    fs::create_dir_all(world.project().join(".agents/inbox/claude/new")).unwrap();
    let doc = world.json(&["broadcast", "--from", "ava", "--subject", "Freeze", "--body", "b", "--json"]);
    assert_eq!(doc["messages"].as_array().unwrap().len(), 4, "{doc}");
    for message in doc["messages"].as_array().unwrap() {
        let mut to: Vec<&str> = message["to"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
        to.sort_unstable();
        assert_eq!(to, ["claude", "soma (api)", "soma (work)"]);
    }
}

#[test]
fn a_broadcast_leaves_out_the_senders_own_inbox_and_no_namesakes() {
    let world = workspace();
    fs::create_dir_all(world.home().join(".soma/inbox")).unwrap();
    fs::create_dir_all(world.project().join(".claude/inbox")).unwrap();
    let reached = |args: &[&str]| {
        let doc = world.json(&[args, &["broadcast", "--subject", "Freeze", "--body", "b", "--json", "-n"]].concat());
        let all = doc["messages"].as_array().unwrap().iter().map(|m| m["inbox"].as_str().unwrap().to_owned());
        let mut all: Vec<String> = all.collect();
        all.sort();
        (all, doc["messages"][0]["to"].to_string())
    };
    let names = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
    let (all, to) = reached(&["--agent", "soma"]);
    assert_eq!(all, names(&["claude@work", "soma@api", "soma@~"]));
    assert!(to.contains("soma (api)") && to.contains("soma (~)") && !to.contains("soma (work)"), "{to}");
    assert_eq!(reached(&["-C", "services/api", "--agent", "soma"]).0, names(&["claude@work", "soma@work", "soma@~"]));
    assert_eq!(reached(&["--agent", "claude"]).0, names(&["soma@api", "soma@work", "soma@~"]));
    // The sender may say which of the namesakes it is.
    let doc = world.json(&["broadcast", "--from", "soma (api)", "--subject", "x", "--body", "b", "--json", "-n"]);
    assert!(doc["messages"].as_array().unwrap().iter().all(|m| m["inbox"] != "soma@api"), "{doc}");
    assert_eq!(doc["messages"].as_array().unwrap().len(), 3);
}

#[test]
fn a_name_said_often_gets_one_copy_and_stands_there_once() {
    let world = World::with_inbox();
    let doc = world.json(&[
        "send",
        "--to",
        "soma",
        "--to",
        "Soma",
        "--to",
        "soma@work",
        "--to",
        "soma (work)",
        "--cc",
        "soma",
        "--bcc",
        "soma",
        "--from",
        "ava",
        "--subject",
        "s",
        "--body",
        "b",
        "--json",
    ]);
    let [message] = doc["messages"].as_array().unwrap().as_slice() else { panic!("{doc}") };
    assert_eq!((&message["to"], &message["cc"]), (&"soma".into(), &serde_json::Value::Null));
    assert!(!world.read(".soma/inbox/2026-05-20-s.md").contains("bcc"));
    for option in ["--tag", "--thread", "--origin", "--type", "--in-reply-to"] {
        let ran = world.run(&["send", "--to", "soma", "--from", "ava", "--subject", "t", "--body", "b", option, " "]);
        assert_eq!(ran.code, 2, "{option}: {ran:?}");
    }
    assert_eq!(files(&world, ".soma/inbox").len(), 1);
}

#[test]
fn a_dry_run_foresees_every_name() {
    let world = World::with_inbox();
    world.message("2026-05-20-s.md", "unread", "2026-05-20", "s");
    world.file(".soma/inbox/2026-05-01-x.md", "---\nto: ben\nstatus: unread\nsubject: x\n---\n");
    let args = ["send", "--to", "soma", "--bcc", "ben", "--from", "ava", "--subject", "s", "--body", "b", "--json"];
    let before = snapshot(&world.top());
    let foreseen = world.json(&[&args[..], &["-n"]].concat());
    assert_eq!(snapshot(&world.top()), before);
    let sent = world.json(&args);
    assert_eq!(foreseen["messages"], sent["messages"]);
    assert_eq!(foreseen["messages"][1]["id"], "2026-05-20-s-3");
}

#[test]
fn a_recipient_may_be_the_name_of_an_inbox_or_have_its_sign_before_it() {
    let world = workspace();
    let other = world.top().join("elsewhere/web");
    fs::create_dir_all(other.join(".soma/inbox")).unwrap();
    fs::create_dir_all(world.top().join("config/postroom")).unwrap();
    fs::write(world.top().join("config/postroom/config.toml"), format!("projects = [{:?}]\n", other.display().to_string()))
        .unwrap();
    for (to, inbox, named) in [
        ("soma@api", "soma@api", "soma (api)"),
        ("soma@work", "soma@work", "soma"),
        ("@soma", "soma@work", "soma"),
        ("@soma (api)", "soma@api", "soma (api)"),
        ("soma@services/api", "soma@api", "soma (api)"),
        ("soma@web", "soma@web", "soma (web)"),
    ] {
        let doc = world.json(&["send", "--to", to, "--from", "ava", "--subject", "s", "--body", "b", "--json"]);
        assert_eq!((&doc["messages"][0]["inbox"], &doc["messages"][0]["to"]), (&inbox.into(), &named.into()), "{to}: {doc}");
    }
    for to in ["soma@nowhere", "@nobody", "soma@../../etc", "@", "/x@y"] {
        let ran = world.run(&["send", "--to", to, "--from", "ava", "--subject", "s", "--body", "b"]);
        assert!(matches!(ran.code, 2 | 3), "{to}: {ran:?}");
    }
    // An answer to one of these names, too.
    world.file(
        "services/api/.soma/inbox/2026-05-18-q.md",
        "---\nfrom: \"@soma@work\"\nto: soma\nstatus: unread\nsubject: q\n---\n",
    );
    let doc = world.json(&["reply", "2026-05-18-q", "--body", "ok", "--json"]);
    assert_eq!(doc["messages"][0]["inbox"], "soma@work", "{doc}");
}
