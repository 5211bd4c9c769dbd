//! The `.agents` convention: postroom beside agents that have a shell and nothing else.

use std::fs;
use std::process::{Command, Stdio};

use crate::support::{Ran, World, files, shell, snapshot};

/// A project in which `ava` and `ben` have inboxes.
fn world() -> World {
    let world = World::new();
    for agent in ["ava", "ben"] {
        make(&world, agent);
    }
    world
}

fn make(world: &World, agent: &str) {
    for folder in ["tmp", "new", "archive"] {
        fs::create_dir_all(world.project().join(format!(".agents/inbox/{agent}/{folder}"))).unwrap();
    }
}

fn bait(world: &World, from: &str, reply_to: &str) -> String {
    let name = "20260520T080000Z-bait.aB12cD.md";
    let text = format!("---\nfrom: {from}\nto: ben\nreply_to: {reply_to}\ntimestamp: 2026-05-20T08:00:00Z\n---\n\nAnswer me\n");
    world.file(&format!(".agents/inbox/ben/new/{name}"), text);
    name.to_owned()
}

fn send(world: &World, args: &[&str]) -> Ran {
    let mut all = vec!["send", "--to", "ben", "--from", "ava", "--body", "It works.\n\nSee src/auth.rs:12"];
    all.extend(args);
    world.run(&all).ok()
}

#[test]
fn what_a_shell_delivers_is_read() {
    let world = world();
    let script = r#"
        set -eu
        root=.agents/inbox
        draft=$(mktemp "$root/ben/tmp/20260520T081500Z-api-ready.XXXXXX")
        printf -- '---\nfrom: ava\nto: ben\nreply_to: ../ava/tmp/\ntimestamp: 2026-05-20T08:15:00Z\nthread: api\n---\n\nEndpoints are live.\n' > "$draft"
        mktemp "$root/ben/tmp/20260520T081500Z-unfinished.XXXXXX" > /dev/null
        mv "$draft" "$root/ben/new/$(basename "$draft").md"
    "#;
    shell(&world, script);
    let doc = world.json(&["--agent", "ben", "list", "--json"]);
    let [message] = doc["messages"].as_array().unwrap().as_slice() else { panic!("{doc}") };
    assert_eq!(message["status"], "unread");
    assert_eq!(message["from"], "ava");
    assert_eq!(message["date"], "2026-05-20T08:15:00Z");
    assert_eq!(message["thread"], "api");
    assert_eq!(message["shown"]["subject"], "Endpoints are live.");
    assert_eq!(message["warnings"].as_array().unwrap().len(), 0, "{message}");

    // The answer finds its way by reply_to, and a shell reads it.
    let id = message["id"].as_str().unwrap();
    world.run(&["--agent", "ben", "reply", id, "--body", "Thanks."]).ok();
    let out = shell(
        &world,
        r#"ls .agents/inbox/ava/new | wc -l
           f=$(ls .agents/inbox/ava/new/*.md)
           awk '/^from:/{print $2; exit}' "$f"
           awk '/^reply_to:/{print $2; exit}' "$f"
           awk '/^thread:/{print $2; exit}' "$f"
           awk '/^timestamp:/{print $2; exit}' "$f"
           awk 'BEGIN{head=0} /^---$/{head=!head; next} head{next} /^$/{next} {print; exit}' "$f"
           sed -n 's/^in-reply-to: //p' "$f"
           find .agents/inbox/ava/tmp -type f | wc -l"#,
    );
    let lines: Vec<_> = out.lines().map(str::trim).collect();
    assert_eq!(&lines[..6], ["1", "ben", "../ben/tmp/", "api", "2026-05-20T09:00:00Z", "Thanks."]);
    assert!(lines[6].starts_with(".agents/inbox/ben/new/20260520T081500Z-api-ready."), "{out}");
    assert_eq!(lines[7], "0");

    let doc = world.json(&["thread", id, "--json"]);
    let depths: Vec<_> = doc["nodes"].as_array().unwrap().iter().map(|n| n["depth"].as_u64().unwrap()).collect();
    assert_eq!(depths, [0, 1]);
}

#[test]
fn what_postroom_sends_is_a_file_by_the_convention() {
    let world = world();
    send(&world, &["--subject", "Auth ready", "--thread", "auth-v2", "--priority", "high"]);
    let names = files(&world, ".agents/inbox/ben/new");
    let [name] = names.as_slice() else { panic!("{names:?}") };
    let pattern = regex::Regex::new(r"^20260520T090000Z-auth-ready\.[0-9A-Za-z]{6}\.md$").unwrap();
    assert!(pattern.is_match(name), "{name}");
    assert_eq!(
        world.read(&format!(".agents/inbox/ben/new/{name}")),
        "---\nfrom: ava\nto: ben\nreply_to: ../ava/tmp/\ntimestamp: 2026-05-20T09:00:00Z\nthread: auth-v2\ntype: note\n\
         priority: high\nsubject: Auth ready\n---\n\nIt works.\n\nSee src/auth.rs:12\n"
    );
    assert_eq!(files(&world, ".agents/inbox/ben/tmp"), Vec::<String>::new());
}

#[test]
fn a_message_goes_its_way_through_the_folders() {
    let world = world();
    send(&world, &["--subject", "Auth ready"]);
    let name = files(&world, ".agents/inbox/ben/new").remove(0);
    let id = name.trim_end_matches(".md");
    let path = format!(".agents/inbox/ben/new/{name}");
    let before = world.read(&path);
    let doc = world.json(&["mark", "read", id, "--json"]);
    assert_eq!(doc["messages"][0]["status"], "read");
    assert_eq!(world.read(&path), before.replace("---\n\nIt", "status: read\n---\n\nIt"));
    // The place that was printed is accepted also after the message moved on.
    let doc = world.json(&["archive", "--mark", "actioned", &path, "--json"]);
    assert_eq!(doc["messages"][0]["archived"], true);
    assert_eq!(files(&world, ".agents/inbox/ben/archive"), std::slice::from_ref(&name));
    let doc = world.json(&["restore", &path, "--json"]);
    assert_eq!(doc["messages"][0]["status"], "actioned");
    assert_eq!(files(&world, ".agents/inbox/ben/new"), std::slice::from_ref(&name));
    assert_eq!(world.read(&path), before.replace("---\n\nIt", "status: actioned\n---\n\nIt"));
    world.run(&["mark", "unread", "--reopen", &name]).ok();
    let doc = world.json(&["--agent", "ben", "list", "--unread", "--json"]);
    assert_eq!(doc["messages"][0]["id"], id);
}

#[test]
fn what_a_shell_archives_is_handled_and_may_come_back() {
    let world = world();
    let name = bait(&world, "ava", "../ava/tmp/");
    shell(&world, "mv .agents/inbox/ben/new/*.md .agents/inbox/ben/archive/");
    let doc = world.json(&["list", "--archived", "--json"]);
    assert_eq!(doc["messages"][0]["status"], "actioned");
    assert_eq!(doc["messages"][0]["raw_status"], serde_json::Value::Null);
    world.run(&["restore", &name]).ok();
    assert_eq!(world.json(&["list", "--json"])["messages"][0]["status"], "unread");
}

#[test]
fn an_address_that_is_not_the_senders_makes_nothing() {
    for (from, reply_to) in [
        ("mallory", "../../../../../evil/tmp/"),
        ("mallory", "/evil/tmp/"),
        ("mallory", "../ava/tmp/"),
        ("ava", "../ava/new/"),
        ("ava", "../../elsewhere/ava/tmp/"),
        ("../ava", "../ava/tmp/"),
    ] {
        let world = world();
        let name = bait(&world, from, reply_to);
        let before = snapshot(&world.top());
        let ran = world.run(&["--agent", "ben", "reply", &name, "--body", "b"]);
        assert!(matches!(ran.code, 1..=3), "{from} {reply_to}: {ran:?}");
        assert!(!ran.err.trim().is_empty());
        assert_eq!(snapshot(&world.top()), before, "{from} {reply_to}");
        // Who answers may still say where to.
        world.run(&["--agent", "ben", "reply", &name, "--to", "ava", "--body", "b"]).ok();
        assert_eq!(files(&world, ".agents/inbox/ava/new").len(), 1);
    }
}

#[test]
fn without_an_address_the_name_decides() {
    let world = world();
    world.file(".agents/inbox/ben/new/20260520T080000Z-a.aB12cD.md", "---\nfrom: ava\nto: ben\n---\n\nhi\n");
    world.run(&["--agent", "ben", "reply", "20260520T080000Z-a", "--body", "b"]).ok();
    assert_eq!(files(&world, ".agents/inbox/ava/new").len(), 1);
}

#[test]
fn answers_between_two_places_carry_whole_paths() {
    let world = World::new();
    make(&world, "ben");
    let other = world.home().join("other/.agents/inbox/ava");
    for folder in ["tmp", "new", "archive"] {
        fs::create_dir_all(other.join(folder)).unwrap();
    }
    let inbox = other.to_string_lossy().into_owned();
    world.run(&["--inbox", &inbox, "send", "--to", "ava", "--from", "ben", "--subject", "s", "--body", "b"]).ok();
    let name = fs::read_dir(other.join("new")).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(name).unwrap();
    let own = world.project().join(".agents/inbox/ben/tmp/");
    assert!(text.contains(&format!("\nreply_to: {}\n", own.display())), "{text}");
}

#[test]
fn a_hundred_senders_at_once_make_a_hundred_files() {
    let world = world();
    let children: Vec<_> = (0..100)
        .map(|n| {
            // Every second one says the very same as the one before.
            let body = format!("n{}", n / 2);
            let args = ["send", "--to", "ben", "--from", "ava", "--subject", "same", "--body", &body];
            world.command(&args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in children {
        let ended = child.wait_with_output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    }
    let names = files(&world, ".agents/inbox/ben/new");
    assert_eq!(names.len(), 100, "{names:?}");
    assert_eq!(files(&world, ".agents/inbox/ben/tmp"), Vec::<String>::new());
    let doc = world.json(&["--agent", "ben", "list", "--json"]);
    assert_eq!(doc["total"], 100);
}

#[test]
fn a_linked_worktree_reads_and_writes_the_mail_of_all() {
    if Command::new("git").arg("--version").output().is_err() {
        return;
    }
    let world = world();
    shell(
        &world,
        "git -c init.defaultBranch=main init -q . && git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m i
         git worktree add -q ../wt -b wt 2>/dev/null
         mkdir -p ../wt/.agents/inbox/ben/{tmp,new,archive} 2>/dev/null || mkdir -p ../wt/.agents/inbox/ben/new",
    );
    let tree = world.home().join("wt").to_string_lossy().into_owned();
    world.run(&["-C", &tree, "send", "--to", "ben", "--from", "ava", "--subject", "s", "--body", "b"]).ok();
    assert_eq!(files(&world, ".agents/inbox/ben/new").len(), 1);
}

#[test]
fn identity_comes_from_the_environment() {
    let world = world().set("AGENT_INBOX_NAME", "ava");
    world.run(&["send", "--to", "ben", "--subject", "s", "--body", "b"]).ok();
    let name = files(&world, ".agents/inbox/ben/new").remove(0);
    assert!(world.read(&format!(".agents/inbox/ben/new/{name}")).starts_with("---\nfrom: ava\n"));
    // A session's title is no name that somebody chose.
    let world = self::world().set("CLAUDE_SESSION_NAME", "fix the login");
    let ran = world.run(&["send", "--to", "ben", "--subject", "s", "--body", "b"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    // A name that was chosen must be one.
    let world = self::world().set("AGENT_INBOX_NAME", "../ava");
    assert_eq!(world.run(&["list"]).code, 2);
}

#[test]
fn another_root_is_followed_where_it_is_absolute() {
    let world = World::new();
    make(&world, "ben");
    let root = world.top().join("shared");
    fs::create_dir_all(root.join("cal/new")).unwrap();
    let world = world.set("AGENT_INBOX_ROOT", &root.to_string_lossy());
    let doc = world.json(&["inboxes", "--json"]);
    let paths: Vec<_> = doc["inboxes"].as_array().unwrap().iter().map(|i| i["path"].as_str().unwrap().to_owned()).collect();
    assert_eq!(paths, [root.join("cal").to_string_lossy().into_owned()]);
    // Without tmp/ the message is made in new/ itself, under a name that nobody lists.
    world.run(&["send", "--to", "cal", "--from", "ben", "--subject", "s", "--body", "b"]).ok();
    assert_eq!(fs::read_dir(root.join("cal/new")).unwrap().count(), 1);
}
