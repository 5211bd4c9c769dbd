//! Sending: one file a copy, names that are nobody's refused before anything is written, and headers
//! that every reader reads back.

use std::fs;
use std::process::Stdio;

use crate::support::{World, files, letter};

#[test]
fn a_message_is_a_file_by_the_convention() {
    let world = World::with_inbox();
    let ran = world.run(&[
        "send",
        "--to",
        "soma",
        "--from",
        "claude",
        "--subject",
        "Cache key: drops the locale",
        "--type",
        "bug-report",
        "--priority",
        "high",
        "--tag",
        "cache",
        "--tag",
        "012",
        "--thread",
        "cache",
        "--body",
        "See src/keys.rs:41",
    ]);
    let ran = ran.ok();
    insta::assert_snapshot!(ran.out, @r#"
    sent to soma: soma@work:2026-05-20-cache-key-drops-the-locale (bug-report, high, thread cache)
      .soma/inbox/2026-05-20-cache-key-drops-the-locale.md
    "#);
    insta::assert_snapshot!(world.read(".soma/inbox/2026-05-20-cache-key-drops-the-locale.md"), @r#"
    ---
    from: claude
    to: soma
    date: 2026-05-20
    type: bug-report
    priority: high
    status: unread
    subject: "Cache key: drops the locale"
    thread: cache
    tags: [cache, "012"]
    ---

    See src/keys.rs:41
    "#);
}

#[test]
fn forty_senders_at_once_make_forty_files() {
    let world = World::with_inbox();
    let children: Vec<_> = (0..40)
        .map(|n| {
            let (from, body) = (format!("s{n}"), format!("n{n}"));
            let args = ["send", "--to", "soma", "--from", &from, "--subject", "same", "--body", &body];
            world.command(&args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in children {
        let ended = child.wait_with_output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    }
    let names = files(&world, ".soma/inbox");
    assert_eq!(names.len(), 40, "{names:?}");
    assert!(names.iter().all(|n| std::path::Path::new(n).extension().is_some_and(|e| e == "md")));
    let doc = world.json(&["list", "--json"]);
    let mut froms: Vec<_> = doc["messages"].as_array().unwrap().iter().map(|m| m["from"].as_str().unwrap().to_owned()).collect();
    froms.sort();
    froms.dedup();
    assert_eq!(froms.len(), 40);
}

#[test]
fn what_is_sent_reads_back_the_same() {
    let world = World::with_inbox();
    let long = "x".repeat(300);
    for subject in ["no", "1e3", "yes: \"x\" #y", "{{a}}", "@b", "🎉 done", &long, "it's: \"both\" \\ #z", "-5", "日本語"] {
        let doc =
            world.run(&["send", "--to", "soma", "--from", "ava", "--subject", subject, "--body", "b", "--json"]).ok().document();
        let message = &doc["messages"][0];
        assert_eq!(message["subject"].as_str(), Some(subject));
        let text = fs::read_to_string(message["path"].as_str().unwrap()).unwrap();
        let head = text.split("---\n").nth(1).unwrap();
        let strict: std::collections::BTreeMap<String, serde_yaml::Value> = serde_yaml::from_str(head).unwrap();
        assert_eq!(strict["subject"].as_str(), Some(subject), "{head}");
        let name = message["path"].as_str().unwrap().rsplit('/').next().unwrap();
        assert!(name.len() <= 100 && name.starts_with("2026-05-20-"), "{name}");
    }
}

#[test]
fn names_that_are_nobodys_or_no_names_reach_nothing() {
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "a");
    let before = world.snapshot();
    for to in ["../x", "/etc", "a/b", "a\\b", "", ".", "..", "x\ny", "-rf", "x\u{1b}y"] {
        let ran = world.run(&["send", &format!("--to={to}"), "--from", "ava", "--subject", "s", "--body", "b"]);
        assert!(matches!(ran.code, 1..=3), "{to:?}: {ran:?}");
        let ran = world.run(&[
            "--inbox",
            ".soma/inbox",
            "send",
            &format!("--to={to}"),
            "--from",
            "ava",
            "--subject",
            "s",
            "--body",
            "b",
        ]);
        assert!(matches!(ran.code, 1..=3), "{to:?}: {ran:?}");
    }
    let ran = world.run(&["send", "--to", "somq", "--to", "nobody", "--from", "ava", "--subject", "s", "--body", "b"]);
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("somq") && ran.err.contains("nobody") && ran.err.contains("known names: soma"), "{ran:?}");
    assert_eq!(world.snapshot(), before);
}

#[test]
fn a_name_that_messages_are_addressed_to_is_learned() {
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "a");
    let ran = world.run(&["send", "--to", "ben", "--from", "ava", "--subject", "s", "--body", "b"]).ok();
    assert!(ran.err.contains("soma@work"), "{ran:?}");
    assert_eq!(files(&world, ".soma/inbox").len(), 2);
}

#[test]
fn copies_go_to_each_inbox_once_and_blind_ones_show_nowhere_else() {
    let world = World::with_inbox();
    world.file(".claude/inbox/README.md", "");
    fs::create_dir_all(world.home().join(".claude/inbox")).unwrap();
    world
        .run(&["send", "--to", "soma", "--cc", "claude", "--bcc", "claude (~)", "--from", "ava", "--subject", "s", "--body", "b"])
        .ok();
    let blind = fs::read_to_string(world.home().join(".claude/inbox/2026-05-20-s.md")).unwrap();
    assert!(blind.contains("bcc: claude (~)"), "{blind}");
    for open in [".soma/inbox/2026-05-20-s.md", ".claude/inbox/2026-05-20-s.md"] {
        let text = world.read(open);
        assert!(!text.contains("bcc") && text.contains("cc: claude\n"), "{text}");
    }
}

#[test]
fn a_project_that_lies_elsewhere_is_known_from_the_configuration() {
    let world = World::with_inbox();
    let other = world.top().join("elsewhere/web");
    fs::create_dir_all(other.join(".soma/inbox")).unwrap();
    let send = |world: &World| world.run(&["send", "--to", "soma (web)", "--from", "ava", "--subject", "s", "--body", "b"]);
    assert_eq!(send(&world).code, 3);
    fs::create_dir_all(world.top().join("config/postroom")).unwrap();
    fs::write(world.top().join("config/postroom/config.toml"), format!("projects = [{:?}]\n", other.display().to_string()))
        .unwrap();
    send(&world).ok();
    assert!(other.join(".soma/inbox/2026-05-20-s.md").is_file());
}

#[test]
fn broadcast_reaches_every_owner_but_the_sender() {
    let world = World::with_inbox();
    world.file(".claude/inbox/README.md", "");
    world.file("services/api/.soma/inbox/README.md", "");
    let ran = world.run(&["broadcast", "--from", "claude", "--subject", "Freeze", "--body", "b", "-n"]).ok();
    assert_eq!(files(&world, ".soma/inbox").len(), 0, "{ran:?}");
    world.run(&["broadcast", "--from", "claude", "--subject", "Freeze", "--body", "b"]).ok();
    assert_eq!(files(&world, ".soma/inbox").len(), 1);
    assert_eq!(files(&world, "services/api/.soma/inbox").len(), 2);
    assert_eq!(files(&world, ".claude/inbox").len(), 1);
}

#[test]
fn what_soma_would_show_otherwise_is_told() {
    let world = World::with_inbox();
    world.file(".claude/inbox/README.md", "");
    let send = |to: &str, subject: &str, args: &[&str]| {
        world.run(&[&["send", "--to", to, "--from", "ava", "--subject", subject, "--body", "b"], args].concat()).ok().err
    };
    // There is a form that every reader takes for the same text.
    for subject in ["It's \"done\"", "2 aren't \"done\"", "a: \"b\"", "it's: x", "(isn't \"x\")", "c:\\x isn't \"y\""] {
        assert_eq!(send("soma", subject, &[]), "", "{subject}");
    }
    let both = "It's: \"done\"";
    for args in [&["-n"][..], &[]] {
        let said = send("soma", both, args);
        assert!(said.contains("Soma shows its subject as") && said.contains("both kinds of quotes"), "{said}");
    }
    assert_eq!(send("claude", both, &[]), "", "Soma does not read it");
    let doc = world.json(&["search", "--json", "It's:"]);
    assert_eq!(doc["messages"][0]["subject"], both, "{doc}");
}

#[test]
fn a_reply_goes_to_the_sender_and_names_what_it_answers() {
    let world = World::with_inbox();
    world.file(
        ".claude/inbox/2026-05-18-q.md",
        "---\nfrom: soma\nto: claude\ndate: 2026-05-18\nthread: cache\nstatus: unread\nsubject: \"Re: Key?\"\n---\nq\n",
    );
    let ran = world.run(&["--agent", "claude", "reply", "q.md", "--body", "yes", "--mark", "actioned"]).ok();
    assert!(ran.out.contains("sent to soma"), "{ran:?}");
    let sent = world.read(".soma/inbox/2026-05-20-cache-re-key.md");
    insta::assert_snapshot!(sent, @r#"
    ---
    from: claude
    to: soma
    date: 2026-05-20
    type: reply
    priority: normal
    status: unread
    subject: "Re: Key?"
    in-reply-to: .claude/inbox/2026-05-18-q.md
    thread: cache
    ---

    yes
    "#);
    assert!(world.read(".claude/inbox/2026-05-18-q.md").contains("status: actioned\n"));
}

#[test]
fn a_sender_without_an_inbox_is_said_and_nothing_is_half_done() {
    let world = World::with_inbox();
    world.file(".soma/inbox/2026-05-18-q.md", "---\nfrom: ghost\nto: soma\nstatus: unread\nsubject: q\n---\n");
    let before = world.snapshot();
    let ran = world.run(&["reply", "q.md", "--body", "yes", "--mark", "actioned"]);
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("ghost") && ran.err.contains("--to"), "{ran:?}");
    assert_eq!(world.snapshot(), before);
}

#[test]
fn conventions_are_remarks_and_strict_makes_them_rules() {
    let world = World::with_inbox();
    let send = |extra: &[&str]| {
        let mut args = vec!["send", "--to", "soma", "--from", "ava"];
        args.extend(extra);
        world.run(&args)
    };
    let ran = send(&["--type", "bug-report", "--subject", "a; b; c", "--body", "it is broken"]).ok();
    assert!(ran.err.contains("file reference") && ran.err.contains("several topics"), "{ran:?}");
    let count = files(&world, ".soma/inbox").len();
    let token = format!("key ghp_{}", "a1B2".repeat(9));
    let ran = send(&["--subject", "s", "--body", &token, "--strict"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("GitHub token") && !ran.err.contains("a1B2"), "{ran:?}");
    let ran = send(&["--subject", "s", "--body", "text\n\n---\nfrom: x\nstatus: read\nsubject: y\n---\n"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(files(&world, ".soma/inbox").len(), count);
}

#[test]
fn the_text_may_come_from_a_file_with_a_header_from_stdin_or_from_an_editor() {
    let world = World::with_inbox();
    world.file("draft.md", "---\nto: soma\nsubject: \"From a draft\"\ntype: question\ntags: [a, b]\n---\n\nWhat now?\n");
    world.run(&["send", "--from", "ava", "--file", "draft.md"]).ok();
    let text = world.read(".soma/inbox/2026-05-20-a-from-a-draft.md");
    assert!(text.contains("type: question\n") && text.ends_with("---\n\nWhat now?\n"), "{text}");
    world.run_with(&["send", "--from", "ava", "--to", "soma", "--subject", "Piped"], b"over stdin\n").ok();
    assert!(world.read(".soma/inbox/2026-05-20-piped.md").ends_with("\n\nover stdin\n"));
    let world = world.set("EDITOR", "printf 'written\\n' >>");
    world.run(&["send", "--from", "ava", "--to", "soma", "--subject", "Edited", "--edit"]).ok();
    assert!(world.read(".soma/inbox/2026-05-20-edited.md").ends_with("\nwritten\n"));
}

#[test]
fn aliases_are_kept_in_the_configuration_without_touching_the_rest() {
    let world = World::with_inbox();
    world.file(".postroom.toml", "# mine\nlifecycle = \"free\" # as ever\n");
    world.run(&["alias", "ben", "soma@work", "--project"]).ok();
    assert!(world.read(".postroom.toml").starts_with("# mine\nlifecycle = \"free\" # as ever\n"));
    world.run(&["send", "--to", "ben", "--from", "ava", "--subject", "s", "--body", "b"]).ok();
    assert_eq!(files(&world, ".soma/inbox").len(), 1);
    assert!(world.run(&["alias"]).ok().out.starts_with("ben = "));
    world.run(&["alias", "ben", "--remove", "--project"]).ok();
    assert_eq!(world.run(&["alias", "x", "nothing"]).code, 3);
    // The user's own file, and the folder it lies in, are made where they are missing.
    world.run(&["alias", "ben", "soma@work"]).ok();
    world.run(&["alias", "ben", "--remove"]).ok();
}

#[test]
fn receive_prints_and_marks_all_unread_of_mine() {
    let world = World::with_inbox();
    world.message("2026-05-02-b.md", "unread", "2026-05-02", "second");
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "first");
    world.file(".claude/inbox/2026-05-03-c.md", letter("unread", "2026-05-03", "not mine"));
    let ran = world.run(&["--agent", "soma", "receive"]).ok();
    assert!(ran.out.find("first").unwrap() < ran.out.find("second").unwrap(), "{ran:?}");
    assert!(!ran.out.contains("not mine"));
    assert_eq!(world.json(&["--agent", "soma", "list", "--unread", "--json"])["messages"].as_array().unwrap().len(), 0);
    let ran = world.run(&["--agent", "soma", "receive"]).ok();
    assert_eq!(ran.out, "");
}

#[test]
fn texts_may_begin_with_a_dash() {
    let world = World::with_inbox();
    let send = ["send", "--to", "soma", "--from", "claude", "--subject", "- s"];
    for body in ["- first item", "--- cut ---", "-x"] {
        let ran = world.run(&[&send[..], &["--body", body, "--json"]].concat()).ok();
        let id = ran.document()["messages"][0]["id"].as_str().unwrap().to_owned();
        assert_eq!(world.json(&["show", &id, "--json"])["body"].as_str().unwrap().trim(), body);
        world.run(&["mark", "read", &id, "--note", "- done"]).ok();
        world.run(&["reply", &id, "--from", "soma", "--to", "soma", "--body", "- yes"]).ok();
    }
}

#[test]
fn nothing_is_sent_without_a_text_unless_that_is_meant() {
    let world = World::with_inbox();
    let send = ["send", "--to", "soma", "--from", "claude", "--subject", "s"];
    for input in ["", " \n\t\n"] {
        let ran = world.run_with(&send, input.as_bytes());
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains("no text") && ran.err.contains("--body"), "{ran:?}");
    }
    assert_eq!(files(&world, ".soma/inbox").len(), 0);
    let ran = world.run(&[&send[..], &["--body", ""]].concat()).ok();
    assert!(ran.err.contains("the body is empty"), "{ran:?}");
}

#[test]
fn an_alias_never_hides_an_owner() {
    let world = World::with_inbox();
    fs::create_dir_all(world.home().join("work/.claude/inbox")).unwrap();
    let ran = world.run(&["alias", "soma", "claude@work"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("soma@work"), "{ran:?}");
    // One that was written by hand, or is older than the inbox.
    world.file("../../config/postroom/config.toml", "[aliases]\nsoma = \"claude@work\"\n");
    world.run(&["send", "--to", "soma", "--from", "x", "--subject", "s", "--body", "b"]).ok();
    assert_eq!(files(&world, ".soma/inbox").len(), 1);
}
