//! What a hostile or careless stranger tried, kept so that it stays mended.

use std::fs;

use crate::support::{World, letter};

#[test]
fn read_as_json_hands_over_the_text_and_tells_the_truth() {
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "a");
    world.file(".soma/inbox/2026-05-02-two.md", "---\nstatus: unread\nsubject: b\nstatus: read\n---\ntwice\n");
    let ran = world.run(&["read", "--json", "a.md", "two.md"]);
    let doc = ran.document();
    assert_eq!(doc["messages"][0]["body"], "\nhello\n");
    assert_eq!((&doc["messages"][0]["status"], &doc["messages"][0]["raw_status"]), (&"read".into(), &"read".into()));
    assert_eq!(doc["messages"][1]["status"], "unread");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(world.read(".soma/inbox/2026-05-01-a.md").contains("status: read\n"));
}

#[test]
fn receive_never_guesses_whose_mail_it_takes() {
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "a");
    let before = world.snapshot();
    let ran = world.run(&["receive"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("soma"), "{ran:?}");
    let world = world.set("AGENT_INBOX_NAME", "nope");
    assert_eq!(world.run(&["receive"]).code, 3);
    assert_eq!(world.snapshot(), before);
}

#[test]
fn a_slip_of_the_hand_makes_no_folder_an_inbox() {
    let world = World::with_inbox();
    world.file("docs/plan.md", "---\nstatus: done\ndate: 2026-01-01\n---\n");
    let before = world.snapshot();
    for inbox in ["", " ", "docs", "/etc"] {
        let ran = world.run(&["--inbox", inbox, "send", "--to", "zed", "--from", "ava", "--subject", "s", "--body", "b"]);
        assert!(ran.code == 2 || ran.code == 3, "{inbox:?}: {ran:?}");
        assert_ne!(world.run(&["--inbox", inbox, "sweep"]).code, 0, "{inbox:?}");
    }
    assert_eq!(world.snapshot(), before);
    world.file("docs/mailbox/wren/inbox/2026-05-01-a.md", letter("unread", "2026-05-01", "a"));
    assert_eq!(world.json(&["--inbox", "docs/mailbox/wren/inbox", "list", "--json"])["total"], 1);
}

#[cfg(unix)]
#[test]
fn a_mark_that_can_not_be_archived_is_told_as_what_it_is() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "a");
    let ran = world.run(&["archive", "a.md", "--mark", "actioned", "--dry-run", "--json"]).ok();
    let doc = ran.document();
    assert_eq!(doc["messages"][0]["status"], "actioned");
    let steps: Vec<_> = doc["plan"].as_array().unwrap().iter().map(|s| s["op"].as_str().unwrap()).collect();
    assert_eq!(steps, ["replace", "move"]);
    let archive = world.inbox().join("_archive");
    fs::create_dir(&archive).unwrap();
    fs::set_permissions(&archive, fs::Permissions::from_mode(0o555)).unwrap();
    let writable = fs::write(archive.join("probe"), "").is_ok();
    if !writable {
        let ran = world.run(&["archive", "a.md", "--mark", "actioned"]);
        assert_eq!(ran.code, 1);
        let marked = world.read(".soma/inbox/2026-05-01-a.md").contains("status: actioned");
        assert_eq!(marked, ran.err.contains("it is actioned now"), "{ran:?}");
    }
    fs::set_permissions(&archive, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_sweep_takes_nothing_unhandled_whatever_it_is_told() {
    let world = World::with_inbox();
    world.message("2026-01-01-a.md", "unread", "2026-01-01", "a");
    world.message("2026-01-02-b.md", "actioned", "2026-01-02", "b");
    assert_eq!(world.run(&["sweep", "--status", "unread"]).code, 2);
    let doc = world.json(&["sweep", "--status", "resolved", "--json"]);
    assert_eq!(doc["archived"].as_array().unwrap().len(), 0);
    assert!(!doc["kept"].to_string().contains("2026-01-02-b"), "{doc}");
}

#[test]
fn a_header_in_braces_is_never_edited() {
    for head in [
        "{from: ava, subject: {{x}} y, status: read}",
        "{\"from\":\"a\",\"status\":\"unread\", }}",
        "{from: a}\n{to: b}",
        "{from: ava}\nstatus: unread",
    ] {
        let world = World::with_inbox();
        let path = world.file(".soma/inbox/2026-05-01-a.md", format!("---\n{head}\n---\nbody\n"));
        let before = fs::read(&path).unwrap();
        let ran = world.run(&["mark", "actioned", "a.md"]);
        assert_eq!(ran.code, 1, "{head}: {ran:?}");
        assert_eq!(fs::read(&path).unwrap(), before, "{head}");
    }
}

#[test]
fn a_letter_about_a_readme_is_a_letter() {
    let world = World::with_inbox();
    world.file(".soma/inbox/readme-outdated.md", letter("unread", "2026-05-01", "a"));
    world.file(".soma/inbox/README-inbox.md", "about this folder\n");
    world.file(".soma/inbox/Readme.md", "about this folder\n");
    assert_eq!(world.json(&["list", "--json"])["total"], 1);
}

#[cfg(unix)]
#[test]
fn a_project_is_not_trusted_to_lead_out() {
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "a");
    let secret = world.top().join("secret");
    fs::write(&secret, "SECRET\n").unwrap();
    world.file(".postroom.toml", "[summary]\ntemplates = \".pt\"\nformat = \"pw\"\n");
    fs::create_dir(world.project().join(".pt")).unwrap();
    std::os::unix::fs::symlink(&secret, world.project().join(".pt/pw.j2")).unwrap();
    let told = |world: &World| {
        let ran = world.run(&["summary"]);
        assert!(!format!("{}{}", ran.out, ran.err).contains("SECRET"), "{ran:?}");
        ran.code
    };
    assert_ne!(told(&world), 0);
    fs::remove_dir_all(world.project().join(".pt")).unwrap();
    let outside = world.top().join("templates");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("pw.j2"), "SECRET").unwrap();
    std::os::unix::fs::symlink(&outside, world.project().join(".pt")).unwrap();
    assert_ne!(told(&world), 0);
    fs::remove_file(world.project().join(".postroom.toml")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(world.project().join(".postroom.toml")).status();
    assert!(made.unwrap().success());
    assert_eq!(world.run(&["list"]).code, 1);
    fs::remove_file(world.project().join(".postroom.toml")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", world.project().join(".postroom.toml")).unwrap();
    assert_eq!(world.run(&["list"]).code, 1);
}

#[test]
fn an_alias_of_a_project_never_bricks_it() {
    let world = World::with_inbox();
    fs::create_dir_all(world.home().join(".soma/inbox")).unwrap();
    assert_eq!(world.run(&["alias", "g", "soma@~", "--project"]).code, 1);
    world.run(&["alias", "boss", "soma@work", "--project"]).ok();
    assert!(world.read(".postroom.toml").contains("boss = \".soma/inbox\""), "{}", world.read(".postroom.toml"));
    world.run(&["send", "--to", "boss", "--from", "ava", "--subject", "s", "--body", "b"]).ok();
}

#[test]
fn the_block_of_soma_holds_what_soma_would_show() {
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "shown");
    world.message("2026-05-02-b.md", "Unread", "2026-05-02", "hidden by its letter case");
    world.file(".claude/inbox/2026-05-03-c.md", letter("unread", "2026-05-03", "not Soma's"));
    let block = world.run(&["summary", "--format", "soma"]).ok().out;
    assert!(block.starts_with("## Inbox (1 unread)\n"), "{block}");
    assert!(block.contains("shown") && !block.contains("hidden by") && !block.contains("not Soma's"), "{block}");
}

#[test]
fn a_subject_that_nobody_can_see_is_none() {
    let world = World::with_inbox();
    world.file(".soma/inbox/2026-05-01-x.md", "---\nstatus: unread\nsubject: \"\\u200b\"\n---\n# The title\n");
    assert_eq!(world.json(&["list", "--json"])["messages"][0]["shown"]["subject"], "The title");
}

#[test]
fn dates_that_are_not_understood_are_told_as_that() {
    let world = World::with_inbox();
    world.message("a.md", "actioned", "last spring", "a");
    world.message("b.md", "actioned", "\"Fri, 02 Jan 2026 10:00:00 +0200\"", "b");
    let doc = world.json(&["sweep", "--json"]);
    assert_eq!(doc["archived"].as_array().unwrap().len(), 1);
    assert!(doc["kept"][0]["reason"].as_str().unwrap().contains("last spring"), "{doc}");
}
