//! Changing: one word or one place, never more; refusals that say why; the same plan shown and done.

use std::fs;

use crate::support::{World, letter, snapshot};

#[test]
fn marking_one_of_many_touches_one_file() {
    let world = World::with_inbox();
    for n in 0..200 {
        world.message(&format!("2026-05-01-m{n:03}.md"), "unread", "2026-05-01", "x");
    }
    let before = world.snapshot();
    world.run(&["mark", "read", "m077"]).ok();
    let after = world.snapshot();
    let changed: Vec<_> = before.iter().zip(&after).filter(|(a, b)| a != b).map(|(a, _)| a.0.clone()).collect();
    assert_eq!(changed, ["work/.soma/inbox/2026-05-01-m077.md"]);
    assert_eq!(before.len(), after.len());
}

#[test]
fn forward_is_free_backward_needs_a_word_and_the_journal_knows() {
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "a");
    let ran = world.run(&["mark", "resolved", "a.md"]).ok();
    assert_eq!(ran.out, "2026-05-01-a: unread → resolved (through read, actioned)\n");
    let ran = world.run(&["mark", "read", "a.md"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("--reopen"), "{ran:?}");
    world.run(&["mark", "read", "--reopen", "--note", "not done after all", "a.md"]).ok();
    assert!(world.read(".soma/inbox/2026-05-01-a.md").contains("status: read\n"));
    let log = world.run(&["log", "--json"]).ok().out;
    let events: Vec<serde_json::Value> = log.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(events[0]["passed"], serde_json::json!(["read", "actioned"]));
    assert_eq!((events[1]["event"].as_str(), events[1]["note"].as_str()), (Some("reopen"), Some("not done after all")));
    assert_eq!(world.run(&["log", "--last", "1", "--json"]).ok().out.lines().count(), 1);
}

#[test]
fn what_is_there_already_is_not_written() {
    let world = World::with_inbox();
    let path = world.message("2026-05-01-a.md", "DONE", "2026-05-01", "a");
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    let ran = world.run(&["mark", "resolved", "a.md"]).ok();
    assert!(ran.out.contains("already"), "{ran:?}");
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), time);
}

#[test]
fn strict_lifecycle_goes_one_step_at_a_time() {
    let world = World::with_inbox();
    world.file(".postroom.toml", "lifecycle = \"strict\"\n");
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "a");
    let ran = world.run(&["mark", "actioned", "a.md"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("mark read"), "{ran:?}");
    world.run(&["mark", "read", "a.md"]).ok();
    world.run(&["mark", "actioned", "a.md"]).ok();
}

#[test]
fn a_message_that_is_named_twice_is_worked_on_once() {
    let world = World::with_inbox();
    let path = world.message("2026-05-01-a.md", "unread", "2026-05-01", "subject a");
    let path = path.to_string_lossy().into_owned();
    let both = ["2026-05-01-a", &path, "soma:2026-05-01-a.md"];
    let run = |command: &[&str]| world.run(&[command, &both].concat()).ok();
    assert_eq!(run(&["read"]).out.matches("subject a").count(), 1);
    assert_eq!(run(&["read", "--json"]).document()["messages"].as_array().unwrap().len(), 1);
    assert_eq!(run(&["mark", "actioned", "-n"]).out.lines().count(), 1);
    assert_eq!(run(&["mark", "actioned"]).out.lines().count(), 1);
    assert_eq!(run(&["archive", "-n"]).out.lines().count(), 1);
    assert_eq!(run(&["archive"]).out.lines().count(), 1);
    let archived = ["2026-05-01-a", "soma:_archive/2026-05-01-a.md"];
    assert_eq!(world.run(&[&["restore"][..], &archived].concat()).ok().out.lines().count(), 1);
}

#[test]
fn a_dry_run_shows_the_plan_and_writes_nothing() {
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "actioned", "2026-05-01", "a");
    let before = snapshot(&world.top());
    for args in [&["mark", "resolved", "a.md", "-n"][..], &["archive", "a.md", "-n"], &["sweep", "-n"]] {
        let ran = world.run(args).ok();
        assert!(ran.out.contains("2026-05-01-a"), "{args:?}: {ran:?}");
        assert_eq!(snapshot(&world.top()), before, "{args:?}");
    }
}

#[test]
fn several_refs_are_all_tried_and_the_worst_exit_counts() {
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "a");
    world.message("2026-05-02-b.md", "resolved", "2026-05-02", "b");
    let ran = world.run(&["mark", "read", "nothing", "b.md", "a.md"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("nothing") && ran.err.contains("step back"), "{ran:?}");
    assert!(world.read(".soma/inbox/2026-05-01-a.md").contains("status: read\n"));
}

#[test]
fn read_prints_and_then_marks() {
    let world = World::with_inbox();
    let path = world.message("2026-05-01-a.md", "unread", "2026-05-01", "a");
    let ran = world.run(&["read", "a.md"]).ok();
    assert!(ran.out.contains("hello"), "{ran:?}");
    assert!(fs::read_to_string(&path).unwrap().contains("status: read\n"));
    let doc = world.json(&["read", "--json", "a.md"]);
    assert_eq!(doc["messages"][0]["status"], "read");
}

#[cfg(target_os = "linux")]
#[test]
fn read_that_could_not_print_does_not_mark() {
    let world = World::with_inbox();
    let path = world.message("2026-05-01-a.md", "unread", "2026-05-01", "a");
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = world.command(&["read", "a.md"]).stdout(full).stderr(std::process::Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(1));
    assert!(fs::read_to_string(&path).unwrap().contains("status: unread\n"));
}

#[test]
fn only_handled_messages_are_archived_and_restore_brings_them_back() {
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "read", "2026-05-01", "a");
    let before = world.read(".soma/inbox/2026-05-01-a.md");
    let ran = world.run(&["archive", "a.md"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("--mark actioned"), "{ran:?}");
    assert_eq!(world.run(&["archive", "--force", "a.md"]).code, 1);
    world.run(&["archive", "--force", "--note", "wrong inbox", "a.md"]).ok();
    assert_eq!(world.read(".soma/inbox/_archive/2026-05-01-a.md"), before);
    let ran = world.run(&["archive", "2026-05-01-a.md"]);
    assert_eq!((ran.code, ran.err.contains("already")), (1, true), "{ran:?}");
    let ran = world.run(&["mark", "actioned", "2026-05-01-a.md"]);
    assert_eq!((ran.code, ran.err.contains("restore")), (1, true), "{ran:?}");
    world.run(&["restore", "2026-05-01-a.md"]).ok();
    assert_eq!(world.read(".soma/inbox/2026-05-01-a.md"), before);
    world.run(&["archive", "--mark", "actioned", "2026-05-01-a.md"]).ok();
    assert!(world.read(".soma/inbox/_archive/2026-05-01-a.md").contains("status: actioned\n"));
}

#[test]
fn a_taken_name_gets_a_number_and_nothing_is_replaced() {
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "resolved", "2026-05-01", "new");
    world.file(".soma/inbox/_archive/2026-05-01-A.md", letter("resolved", "2026-05-01", "old"));
    let doc = world.json(&["archive", "2026-05-01-a.md", "--json"]);
    assert!(doc["messages"][0]["path"].as_str().unwrap().ends_with("_archive/2026-05-01-a (2).md"), "{doc}");
    assert!(world.read(".soma/inbox/_archive/2026-05-01-A.md").contains("old"));
}

#[test]
fn a_sweep_takes_what_is_handled_and_old_and_says_what_stays() {
    let world = World::with_inbox();
    world.message("2026-05-05-edge.md", "resolved", "2026-05-05", "15 days");
    world.message("2026-05-06-young.md", "resolved", "2026-05-06", "14 days");
    world.message("2026-01-01-unread.md", "unread", "2026-01-01", "u");
    world.message("2026-01-01-read.md", "read", "2026-01-01", "r");
    world.message("2026-01-01-odd.md", "wontfix", "2026-01-01", "o");
    world.message("nodate.md", "actioned", "", "n");
    world.file(".soma/inbox/2026-01-01-plain.md", "# just text\n");
    let foreseen = world.json(&["sweep", "--dry-run", "--json"]);
    let doc = world.json(&["sweep", "--json"]);
    assert_eq!(foreseen["archived"], doc["archived"]);
    let name = |v: &serde_json::Value, key: &str| v[key].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let archived: Vec<_> = doc["archived"].as_array().unwrap().iter().map(|a| name(a, "from_path")).collect();
    assert_eq!(archived, ["2026-05-05-edge.md"]);
    let mut kept: Vec<_> =
        doc["kept"].as_array().unwrap().iter().map(|a| format!("{}: {}", name(a, "path"), a["reason"])).collect();
    kept.sort();
    insta::assert_snapshot!(kept.join("\n"), @r#"
    2026-01-01-odd.md: "old, but the status \"wontfix\" is no word that is known; it counts as unread"
    2026-01-01-plain.md: "old, but no header: the first line is not `---`; put the header first, between two `---` lines"
    2026-01-01-read.md: "old, but only read, not handled"
    2026-01-01-unread.md: "old, but nobody has read it"
    nodate.md: "nobody knows how old it is: neither its header nor its name has a date"
    "#);
    let again = world.json(&["sweep", "--json"]);
    assert_eq!(again["archived"].as_array().unwrap().len(), 0);
    assert_eq!(world.run(&["sweep", "--older-than=-3d"]).code, 2);
}

#[test]
fn read_messages_of_types_that_need_no_action_may_be_swept() {
    let world = World::with_inbox();
    world.message("2026-01-01-a.md", "read", "2026-01-01", "a");
    world.file(".postroom.toml", "[sweep]\nread_types = [\"note\"]\n");
    assert_eq!(world.json(&["sweep", "--json"])["archived"].as_array().unwrap().len(), 1);
}

#[test]
fn a_message_changed_by_its_author_meanwhile_is_left_as_it_is() {
    // The unit tests of the store hold the races; here: what the command says.
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "a");
    let before = world.snapshot();
    let ran = world.run(&["mark", "read", "b.md"]);
    assert_eq!(ran.code, 3);
    assert_eq!(world.snapshot(), before);
}

#[test]
fn bad_settings_are_told_with_the_line_and_the_nearest_key() {
    let world = World::with_inbox();
    world.file(".postroom.toml", "\n[sweep]\nolder_then = \"3d\"\n");
    let ran = world.run(&["list"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("older_than") && ran.err.contains('3') && ran.err.contains(".postroom.toml"), "{ran:?}");
}
