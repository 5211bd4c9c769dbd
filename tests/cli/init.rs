//! Making inboxes, and explaining other people's mailboxes.

use std::fs;

use crate::support::{World, files, snapshot};

fn made(world: &World, args: &[&str]) -> Vec<String> {
    let doc = world.run(&[args, &["--json"]].concat()).ok().document();
    let project = world.project().to_string_lossy().into_owned();
    let paths = doc["made"].as_array().unwrap().iter().map(|p| p.as_str().unwrap().replace(&format!("{project}/"), ""));
    let mut out: Vec<_> = paths.collect();
    out.sort();
    out
}

#[test]
fn an_inbox_is_made_with_what_belongs_to_it() {
    let world = World::new();
    let soma = [".soma", ".soma/inbox", ".soma/inbox/README.md"];
    assert_eq!(made(&world, &["init", "--dry-run"]), soma);
    assert!(!world.project().join(".soma").exists());
    assert_eq!(made(&world, &["init"]), soma);
    let agents = [
        ".agents",
        ".agents/inbox",
        ".agents/inbox/.gitignore",
        ".agents/inbox/README.md",
        ".agents/inbox/auth-rewrite",
        ".agents/inbox/auth-rewrite/archive",
        ".agents/inbox/auth-rewrite/new",
        ".agents/inbox/auth-rewrite/tmp",
    ];
    assert_eq!(made(&world, &["--agent", "auth-rewrite", "init", "--gitignore"]), agents);
    assert_eq!(made(&world, &["init", "--layout", "agents", "--agent", "api-review"]).len(), 4, "what is shared is there");
    let json = [
        ".workspace",
        ".workspace/agents",
        ".workspace/agents/wren",
        ".workspace/agents/wren/inbox",
        ".workspace/agents/wren/inbox/README.md",
        ".workspace/agents/wren/inbox/archive",
    ];
    assert_eq!(made(&world, &["init", "--layout", "json", "--agent", "wren"]), json);
    assert_eq!(made(&world, &["init", "--agent", "claude"]), [".claude", ".claude/inbox", ".claude/inbox/README.md"]);

    // Each is found, is empty, and takes mail.
    let doc = world.json(&["inboxes", "--json"]);
    let mut owners: Vec<_> = doc["inboxes"].as_array().unwrap().iter().map(|i| i["owner"].as_str().unwrap().to_owned()).collect();
    owners.sort();
    assert_eq!(owners, ["api-review", "auth-rewrite", "claude", "soma", "wren"]);
    assert_eq!(world.json(&["list", "--json"])["total"], 0);
    for owner in owners {
        world.run(&["send", "--to", &owner, "--from", "x", "--subject", "s", "--body", "b"]).ok();
    }
    assert_eq!(world.json(&["list", "--json"])["total"], 5);
    assert_eq!(world.read(".agents/inbox/.gitignore"), "*\n");
}

#[test]
fn what_is_there_is_not_doubled_nor_changed() {
    let world = World::with_inbox();
    world.file(".soma/inbox/readme.md", "ours");
    world.file(".team/agents/wren/inbox/README.md", "ours");
    fs::create_dir_all(world.project().join(".agents/inbox/Ben/new")).unwrap();
    let before = snapshot(&world.project());
    for args in [&["init"][..], &["init", "--agent", "soma"], &["init", "--agent", "ben"]] {
        let ran = world.run(args);
        assert_eq!(ran.code, 1, "{args:?}: {ran:?}");
        assert!(ran.err.contains("already"), "{ran:?}");
    }
    assert_eq!(snapshot(&world.project()), before);
    // What is half there is completed.
    fs::create_dir_all(world.project().join(".agents/inbox/cal/tmp")).unwrap();
    world.run(&["init", "--agent", "cal"]).ok();
    assert_eq!(files(&world, ".agents/inbox/cal"), ["archive", "new", "tmp"]);
    world.run(&["init", "--agent", "wren", "--layout", "json"]).ok();
    assert_eq!(world.read(".team/agents/wren/inbox/README.md"), "ours");
    assert_eq!(files(&world, ".team/agents/wren/inbox"), ["README.md", "archive"]);
}

#[test]
fn a_name_that_shells_stumble_over_is_refused() {
    let world = World::new();
    let before = snapshot(&world.top());
    for args in [
        &["init", "--layout", "agents"][..],
        &["init", "--layout", "json"],
        &["init", "--agent", "API Review"],
        &["init", "--agent", "Ben"],
        &["init", "--agent", "ben-"],
        &["init", "--agent=../ben"],
        &["init", "--layout", "soma", "--agent", "ben"],
        &["init", "--layout", "teams", "--agent", "ben"],
        &["init", "--layout", "maildir"],
    ] {
        let ran = world.run(args);
        assert!(matches!(ran.code, 1..=2), "{args:?}: {ran:?}");
    }
    assert_eq!(snapshot(&world.top()), before);
}

#[test]
fn soma_is_told_of_what_it_ignores() {
    let world = World::new();
    assert!(world.run(&["init"]).ok().err.contains("STATE.md"));
    let world = World::new();
    world.file(".soma/STATE.md", "");
    assert!(!world.run(&["init"]).ok().err.contains("STATE.md"));
}

#[test]
fn a_new_agent_may_be_named_by_its_environment() {
    let world = World::new().set("POSTROOM_AGENT", "auth-rewrite");
    world.run(&["init"]).ok();
    assert_eq!(files(&world, ".agents/inbox"), ["README.md", "auth-rewrite"]);
}

/// A mailbox of somebody else's convention.
fn mailbox() -> World {
    let world = World::new();
    let put = |agent: &str, n: usize, state: &str, more: &str| {
        let text = format!(
            "---\nsender: ember\nto: {agent}\nwritten: 2026-05-{:02} 09:00\nState: {state}\nsubject: s{n}\n{more}---\n\nbody {n}\n",
            n + 1
        );
        world.file(&format!("docs/mailbox/{agent}/inbox/2026-05-{:02}_{n:03}.md", n + 1), text);
    };
    for (n, (state, more)) in [
        ("UNREAD", ""),
        ("UNREAD", "ref: docs/mailbox/wren/inbox/2026-05-01_000.md\n"),
        ("READ", "weight: 3\n"),
        ("READ", ""),
        ("INJECTED", ""),
        ("PARKED", ""),
    ]
    .into_iter()
    .enumerate()
    {
        put(if n % 2 == 0 { "wren" } else { "moss" }, n, state, more);
    }
    world.file("docs/mailbox/moss/inbox/broken.md", "no header here\n");
    world
}

#[test]
fn a_mailbox_is_explained_and_then_understood() {
    let world = mailbox();
    let before = snapshot(&world.project());
    let text = world.run(&["init", "--dialect-from", "docs/mailbox"]).ok().out;
    assert_eq!(snapshot(&world.project()), before);
    for part in [
        "7 messages, 2 inboxes",
        "1 message has no header",
        "UNREAD  ×2",
        "READ  ×2",
        "INJECTED  ×1  a guess: read",
        "PARKED  ×1  unknown",
        "sender  ×6  a guess: from",
        "State  ×6  a guess: status",
        "written  ×6  a guess: date",
        "ref  ×1  known as in-reply-to",
        "weight  ×1  kept as it is",
        "×6  read as a local time",
        "path = \"docs/mailbox/*/inbox\"",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let doc = world.json(&["init", "--dialect-from", "docs/mailbox", "--json"]);
    assert_eq!((doc["messages"].as_u64(), doc["config"].as_str()), (Some(7), Some(text.as_str())));

    // Taken as it is, it makes postroom read the mailbox.
    world.file(".postroom.toml", &text);
    let doc = world.json(&["list", "--sort", "subject", "--json"]);
    let rows: Vec<_> = doc["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|m| m["from"] == "ember")
        .map(|m| {
            format!(
                "{} {} {}",
                m["shown"]["subject"].as_str().unwrap(),
                m["status"].as_str().unwrap(),
                m["inbox"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            "s0 unread wren@work",
            "s1 unread moss@work",
            "s2 read wren@work",
            "s3 read moss@work",
            "s4 read wren@work",
            "s5 unread moss@work"
        ]
    );
    // What is written is spelt as the mailbox spells it, and nothing else changes.
    let path = "docs/mailbox/wren/inbox/2026-05-01_000.md";
    let old = world.read(path);
    world.run(&["mark", "read", path]).ok();
    assert_eq!(world.read(path), old.replace("UNREAD", "READ"));
    world.run(&["mark", "actioned", "2026-05-05_004"]).ok();
    assert!(world.read("docs/mailbox/wren/inbox/2026-05-05_004.md").contains("\nState: ACTIONED\n"));
    assert_eq!(world.json(&["thread", path, "--json"])["nodes"].as_array().unwrap().len(), 2);
}

#[test]
fn a_mailbox_of_the_convention_needs_no_settings() {
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "a");
    let text = world.run(&["init", "--dialect-from", ".soma"]).ok().out;
    assert!(text.contains("found without a setting") && !text.contains("[[inbox]]"), "{text}");
    assert!(!text.contains(" = "), "{text}");
    assert_eq!(world.run(&["init", "--dialect-from", "nowhere"]).code, 3);
    fs::create_dir_all(world.project().join("empty")).unwrap();
    assert_eq!(world.run(&["init", "--dialect-from", "empty"]).code, 3);
}

#[test]
fn hostile_words_stay_in_their_quotes() {
    let world = World::new();
    world.file("m/inbox/2026-05-01-a.md", "---\nfrom: a\n\"st\\\"x\": 1\nstatus: \"a\\\"b = 1\"\ndate: \"\\u001b[2J\"\n---\n");
    world.file("m/inbox/2026-05-02-b.json", r#"{"from":"a","x\n[keys]":"1","status":"x\"]\n[hook]\nblock_stop = true"}"#);
    let text = world.run(&["init", "--dialect-from", "m"]).ok().out;
    assert!(!text.contains('\u{1b}') && !text.lines().any(|l| l.starts_with("block_stop") || l.starts_with("[hook]")), "{text}");
    world.file(".postroom.toml", &text);
    world.run(&["list"]).ok();
}

#[test]
fn an_explained_mailbox_is_marked_in_its_own_words_as_far_as_they_can_be_written() {
    let world = World::new();
    let words = ["pending", "PENDING", "IN PROGRESS", "DONE!", "wontfix", "unread", "Unread", "READ", "actioned", "null"];
    for (n, word) in words.iter().enumerate() {
        world.file(
            &format!("m/inbox/2026-05-{:02}-s{n}.md", n + 1),
            format!("---\nfrom: a\nto: b\ndate: 2026-05-{:02}\nstatus: \"{word}\"\nsubject: s{n}\n---\nx\n", n + 1),
        );
        world.file(
            &format!("j/inbox/msg-2026-05-{:02}-s{n}.json", n + 1),
            format!("{{\"from\":\"a\",\"status\":\"{word}\",\"body\":\"s{n}\"}}"),
        );
    }
    let text = world.run(&["init", "--dialect-from", "."]).ok().out;
    let text = text.replace("[status-words]\n", "[status-words]\n\"DONE!\" = \"actioned\"\nnull = \"read\"\n");
    world.file(".postroom.toml", &text);
    for (n, word) in words.iter().enumerate() {
        for file in [format!("m/inbox/2026-05-{:02}-s{n}.md", n + 1), format!("j/inbox/msg-2026-05-{:02}-s{n}.json", n + 1)] {
            let mut file = file;
            for to in ["read", "actioned", "resolved"] {
                let ran = world.run(&["mark", to, &file, "--reopen", "--json"]).ok().document();
                assert_eq!(ran["messages"][0]["status"], to, "{word} of {file} to {to}");
                let path = ran["messages"][0]["path"].as_str().unwrap();
                file = path.strip_prefix(&format!("{}/", world.project().display())).unwrap().to_owned();
                let written = ran["messages"][0]["raw_status"].as_str().unwrap().to_owned();
                if ["unread", "Unread", "READ", "actioned"].contains(word) {
                    assert_eq!(written.to_lowercase(), to, "{word} of {file}: ours stay ours");
                }
            }
        }
    }
    // Nothing but the word was changed.
    for (n, word) in words.iter().enumerate() {
        let text = world.read(&format!("m/inbox/2026-05-{:02}-s{n}.md", n + 1));
        let status = text.lines().find(|l| l.starts_with("status:")).unwrap();
        assert_eq!(status.to_lowercase(), "status: \"resolved\"", "{word}");
    }
}

#[test]
fn words_of_the_table_leave_other_mail_alone() {
    let world = World::with_inbox();
    world.file(
        ".postroom.toml",
        "[status-words]\nwontfix = \"resolved\"\n\"IN PROGRESS\" = \"actioned\"\n\"DONE!\" = \"resolved\"\n",
    );
    let file = ".soma/inbox/2026-05-01-a.md";
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "a");
    let old = world.read(file);
    for to in ["read", "actioned", "resolved"] {
        world.run(&["mark", to, file]).ok();
        assert_eq!(world.read(file), old.replace("unread", to));
    }
    world.message("2026-05-02-b.md", "IN PROGRESS", "2026-05-02", "b");
    world.run(&["mark", "resolved", "2026-05-02-b"]).ok();
    assert!(world.read(".soma/inbox/2026-05-02-b.md").contains("status: WONTFIX\n"));
}

#[test]
fn what_git_will_see_is_told_where_there_is_git() {
    let world = World::new();
    let ran = world.run(&["init", "--agent", "claude", "-n"]).ok();
    assert!(!ran.err.contains("--gitignore"), "{ran:?}");
    world.file(".git/HEAD", "ref: refs/heads/main\n");
    assert!(world.run(&["init", "--agent", "claude", "-n"]).ok().err.contains("--gitignore"));
    assert!(!world.run(&["init", "--agent", "claude", "--gitignore"]).ok().err.contains("--gitignore"));
}
