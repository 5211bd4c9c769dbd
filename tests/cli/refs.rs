//! What is printed for a message is taken back, and means that message.

use std::fs;

use crate::support::{World, letter};

fn subject(world: &World, reference: &str) -> String {
    let ran = world.run(&["show", "--json", reference]);
    if ran.code == 0 { ran.document()["message"]["subject"].as_str().unwrap().to_owned() } else { format!("exit {}", ran.code) }
}

#[test]
fn an_archived_message_is_not_mistaken_for_a_live_one_of_its_name() {
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "live");
    world.file(".soma/inbox/_archive/2026-05-01-a.md", letter("resolved", "2026-05-01", "archived"));
    world.file(".soma/inbox/_archive/2026/2026-05-01-a.md", letter("resolved", "2026-05-01", "deeper"));
    for folder in ["new", "archive"] {
        let text =
            "---\nfrom: ava\ntimestamp: 2026-05-01T10:00:00Z\nstatus: read\nsubject: FOLDER\n---\n".replace("FOLDER", folder);
        world.file(&format!(".agents/inbox/ben/{folder}/2026-05-01-a.md"), text);
    }
    let doc = world.json(&["list", "--all", "--json"]);
    let rows = doc["messages"].as_array().unwrap();
    assert_eq!(rows.len(), 5);
    for row in rows {
        assert_eq!(subject(&world, row["ref"].as_str().unwrap()), row["subject"].as_str().unwrap(), "{row}");
    }
    // The same for what a person sees.
    let table = world.run(&["--inbox", "soma@work", "list", "--all"]).ok().out;
    for row in rows.iter().filter(|r| r["inbox"] == "soma@work") {
        let line = table.lines().find(|l| l.contains(row["subject"].as_str().unwrap())).unwrap();
        let doc = world.json(&["--inbox", "soma@work", "show", "--json", line.split_whitespace().last().unwrap()]);
        assert_eq!(doc["message"]["subject"], row["subject"], "{table}");
    }
    let archived = rows.iter().find(|r| r["subject"] == "deeper").unwrap()["ref"].as_str().unwrap();
    assert_eq!(archived, "soma@work:_archive/2026/2026-05-01-a.md");
    world.run(&["restore", archived]).ok();
    // Its old place leads to where it is now.
    assert_eq!(subject(&world, "soma@work:_archive/2026-05-01-a.md"), "archived");
    assert_eq!(world.json(&["list", "--json"])["total"], 3);
}

#[test]
fn no_two_files_have_one_id() {
    let world = World::with_inbox();
    let names = ["x.md", "x.MD", "x.md.read", "x.md.md", "x.md.read.md", "x.MD.md", ".md.md", "x.READ.md"];
    let made: Vec<_> = names.iter().filter(|n| !n.starts_with('.')).collect();
    for name in &made {
        world.message(name, "unread", "2026-05-01", name);
    }
    let doc = world.json(&["list", "--json"]);
    let rows = doc["messages"].as_array().unwrap();
    assert_eq!(rows.len(), made.len());
    let mut ids: Vec<&str> = rows.iter().map(|r| r["id"].as_str().unwrap()).collect();
    for row in rows {
        for reference in [&row["id"], &row["ref"], &row["path"], &row["subject"]] {
            assert_eq!(subject(&world, reference.as_str().unwrap()), row["subject"].as_str().unwrap(), "{reference} of {row}");
        }
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), made.len(), "{ids:?}");
}

#[test]
fn an_id_may_hold_a_colon() {
    let world = World::with_inbox();
    world.file(".claude/inbox/2026-05-01-y.md", letter("unread", "2026-05-01", "y"));
    world.message("claude: fix the cache.md", "unread", "2026-05-01", "colon");
    world.message("2026-05-02T10:00:00-z.md", "unread", "2026-05-02", "time");
    for reference in [
        "claude: fix the cache",
        "claude: fix the cache.md",
        "claude: fix",
        "soma@work:claude: fix the cache",
        "soma:claude: fix",
    ] {
        assert_eq!(subject(&world, reference), "colon", "{reference}");
    }
    assert_eq!(subject(&world, "2026-05-02T10:00:00-z"), "time");
    assert_eq!(subject(&world, "claude:y"), "y");
    // A whole name wins over a part of another, however the ref is read.
    world.file(".claude/inbox/2026-05-03-about-fix.md", letter("unread", "2026-05-03", "about"));
    world.message("claude:fix.md", "unread", "2026-05-03", "whole");
    assert_eq!(subject(&world, "claude:fix"), "whole");
    assert_eq!(subject(&world, "claude:nothing"), "exit 3");
}

#[test]
fn an_owner_of_several_inboxes_is_looked_for_in_all() {
    let world = World::with_inbox();
    world.message("2026-05-01-here.md", "unread", "2026-05-01", "here");
    world.message("2026-05-01-both.md", "unread", "2026-05-01", "both");
    world.file("services/api/.soma/inbox/2026-05-02-away.md", letter("unread", "2026-05-02", "there"));
    world.file("services/api/.soma/inbox/2026-05-01-both.md", letter("unread", "2026-05-01", "both"));
    assert_eq!(subject(&world, "soma:here"), "here");
    assert_eq!(subject(&world, "soma:away"), "there");
    let ran = world.run(&["show", "soma:2026-05-01-both"]);
    assert_eq!(ran.code, 3);
    for candidate in ["soma@work:2026-05-01-both", "soma@api:2026-05-01-both"] {
        assert!(ran.err.contains(&format!("try: postroom show {candidate}")), "{ran:?}");
        assert_eq!(subject(&world, candidate), "both");
    }
}

#[cfg(unix)]
#[test]
fn what_a_summary_or_a_list_shows_of_odd_names_is_taken_back() {
    use std::os::unix::ffi::OsStrExt;
    let odd: [&[u8]; 9] = [
        b"2026-05-01-a\xe2\x80\xaeb.md",
        b"2026-05-01-tick`tock.md",
        b"2026-05-01-{{soul}}.md",
        b"2026-05-01-two  blanks.md",
        b"2026-05-01-@~import.md",
        b"2026-05-01-bytes\xff.md",
        b"2026-05-01-bytes\xfe.md",
        b"2026-05-01-quote'd \"x\".md",
        b"-dash <!-- x -->.md",
    ];
    for (at, name) in odd.iter().enumerate() {
        let world = World::with_inbox();
        for other in odd.iter().take(at + 1) {
            let text =
                if other == name { letter("unread", "2026-05-01", "Wanted") } else { letter("resolved", "2026-05-01", "Other") };
            fs::write(world.inbox().join(std::ffi::OsStr::from_bytes(other)), text).unwrap();
        }
        let shown = world.run(&["summary"]).ok().out;
        let place = shown.lines().find(|l| l.contains("\"Wanted\"")).unwrap().split('`').nth(1).unwrap().to_owned();
        assert_eq!(subject(&world, &place), "Wanted", "{place} in {shown}");
        let hook = world.run_with(&["hook", "--host", "plain"], b"{\"hook_event_name\":\"SessionStart\"}").ok().out;
        assert!(hook.contains(&place), "{hook}");
        let list = world.run(&["list", "--unread"]).ok().out;
        let line = list.lines().nth(1).unwrap();
        let id = line.split_once("Wanted").unwrap().1.trim();
        assert_eq!(subject(&world, id), "Wanted", "{id} in {list}");
        let doc = world.json(&["list", "--unread", "--json"]);
        assert_eq!(subject(&world, doc["messages"][0]["ref"].as_str().unwrap()), "Wanted", "{doc}");
        world.run(&["mark", "read", "--", &place]).ok();
        assert_eq!(world.json(&["list", "--unread", "--json"])["total"], 0);
    }
}

#[test]
fn ids_stay_whole_however_narrow_the_terminal_is() {
    let world = World::with_inbox();
    world.message("2026-05-01-a-rather-long-name-for-a-message-about-caches.md", "unread", "2026-05-01", "x");
    // No terminal here: the unit tests of the table hold the widths.
    assert!(world.run(&["list"]).ok().out.contains("2026-05-01-a-rather-long-name-for-a-message-about-caches\n"));
}
