//! A project's own settings: they govern its inboxes, from wherever a command is started, and no other.

use std::fs;

use crate::support::{World, letter};

/// A project with rules of its own, one beside it, and the home folder's inbox.
fn world() -> World {
    let world = World::with_inbox();
    let rules = "lifecycle = \"strict\"\n[sweep]\nolder_than = \"3d\"\nread_types = [\"note\"]\n[status-words]\nparked = \"resolved\"\n[keys]\nstatus_of = \"status\"\n";
    world.file(".postroom.toml", rules);
    for place in [".soma/inbox", "../.soma/inbox", "../site/.soma/inbox"] {
        world.file(&format!("{place}/2026-05-10-read.md"), letter("read", "2026-05-10", "read"));
        world.file(&format!("{place}/2026-05-10-parked.md"), letter("parked", "2026-05-10", "parked"));
        world.file(&format!("{place}/2026-05-19-new.md"), letter("unread", "2026-05-19", "new"));
    }
    fs::create_dir_all(world.top().join("config/postroom")).unwrap();
    fs::write(world.top().join("config/postroom/config.toml"), "projects = [\"~/work\", \"~/site\"]\n").unwrap();
    world
}

fn swept(world: &World, args: &[&str]) -> Vec<String> {
    let doc = world.json(&[args, &["sweep", "--dry-run", "--json"]].concat());
    let paths = doc["archived"].as_array().unwrap().iter().map(|m| m["from_path"].as_str().unwrap().to_owned());
    let home = world.home().to_string_lossy().into_owned();
    let mut paths: Vec<_> = paths.map(|p| p.replace(&home, "~")).collect();
    paths.sort();
    paths
}

#[test]
fn a_sweep_goes_by_the_rules_of_each_inbox() {
    let world = world();
    let own = ["~/work/.soma/inbox/2026-05-10-parked.md", "~/work/.soma/inbox/2026-05-10-read.md"];
    assert_eq!(swept(&world, &[]), own);
    assert_eq!(swept(&world, &["-C", "../site"]), Vec::<String>::new());
    assert_eq!(swept(&world, &["-C", ".."]), own, "from above, too");
}

#[test]
fn words_and_the_lifecycle_are_those_of_the_inbox() {
    let world = world();
    let statuses = |args: &[&str]| -> Vec<(String, String)> {
        let doc = world.json(&[args, &["search", "--json", "parked"]].concat());
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        doc["messages"].as_array().unwrap().iter().map(|m| (text(&m["inbox"]), text(&m["status"]))).collect()
    };
    for start in [&[][..], &["-C", ".."]] {
        let all = statuses(start);
        assert!(all.contains(&("soma@work".into(), "resolved".into())), "{all:?}");
        assert!(all.contains(&("soma@~".into(), "unread".into())), "{all:?}");
        let mark = |reference: &str| world.run(&[start, &["mark", "actioned", reference, "-n"]].concat()).code;
        assert_eq!((mark("soma@work:2026-05-19-new"), mark("soma@~:2026-05-19-new")), (1, 0), "{start:?}");
    }
    let doc = world.json(&["doctor", "status-unknown", "--json"]);
    let found: Vec<&str> = doc["findings"].as_array().unwrap().iter().map(|f| f["path"].as_str().unwrap()).collect();
    assert!(found.len() == 1 && found[0].contains("home/.soma/inbox"), "{doc}");
}

#[test]
fn a_faulty_file_of_another_project_is_told_and_in_nobodys_way() {
    let world = World::with_inbox();
    world.message("2026-05-10-a.md", "unread", "2026-05-10", "a");
    world.file("../.soma/inbox/2026-05-10-b.md", letter("unread", "2026-05-10", "b"));
    world.file("../.postroom.toml", "nonsense = 1\n");
    let ran = world.run(&["list"]).ok();
    assert!(ran.out.contains("2026-05-10-a") && ran.out.contains("2026-05-10-b"), "{ran:?}");
    assert!(ran.err.contains("another project") && ran.err.contains("nonsense"), "{ran:?}");
    world.file("../.postroom.toml", "[sweep]\nolder_than = \"1d\"\n[status-words]\nunread = \"resolved\"\n");
    assert_eq!(world.run(&["list"]).code, 0);
}
