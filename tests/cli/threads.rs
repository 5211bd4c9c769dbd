//! Conversations: made with `send` and `reply` alone, and the same after half of them was archived.

use std::fs;

use serde_json::Value;

use crate::support::World;

fn shape(doc: &Value) -> Vec<String> {
    let name = |v: &Value| v.as_str().map_or("-".to_owned(), |p| p.rsplit('/').next().unwrap().to_owned());
    let nodes = doc["nodes"].as_array().unwrap();
    nodes
        .iter()
        .map(|n| {
            format!(
                "{}{} < {}",
                "  ".repeat(usize::try_from(n["depth"].as_u64().unwrap()).unwrap()),
                name(&n["path"]),
                name(&n["parent_path"])
            )
        })
        .collect()
}

#[test]
fn a_conversation_survives_the_archiving_of_half_of_it() {
    let world = World::with_inbox();
    world.file(".claude/inbox/README.md", "");
    fs::create_dir_all(world.home().join(".soma/inbox")).unwrap();
    let sent = |ran: crate::support::Ran| ran.ok().document()["messages"][0]["path"].as_str().unwrap().to_owned();
    let one = sent(world.run(&["send", "--to", "claude", "--from", "soma", "--subject", "Plan", "--body", "1", "--json"]));
    let two = sent(world.run(&["reply", &one, "--body", "2", "--json"]));
    let three = sent(world.run(&["reply", &two, "--body", "3", "--json"]));
    let four = sent(world.run(&["reply", &three, "--to", "soma (~)", "--from", "claude", "--body", "4", "--json"]));
    let five = sent(world.run(&["reply", &four, "--body", "5", "--json"]));
    let six = sent(world.run(&["reply", &two, "--to", "claude", "--from", "soma", "--body", "6", "--json"]));
    let before = shape(&world.json(&["thread", &six, "--json"]));
    insta::assert_snapshot!(before.join("\n"), @r#"
    2026-05-20-plan.md < -
      2026-05-20-re-plan.md < 2026-05-20-plan.md
        2026-05-20-re-plan-3.md < 2026-05-20-re-plan.md
        2026-05-20-re-plan.md < 2026-05-20-re-plan.md
          2026-05-20-re-plan.md < 2026-05-20-re-plan.md
            2026-05-20-re-plan-2.md < 2026-05-20-re-plan.md
    "#);
    for path in [&one, &three, &four] {
        world.run(&["archive", "--mark", "resolved", path]).ok();
    }
    let after = shape(&world.json(&["thread", &six, "--json"]));
    assert_eq!(before, after);
    for path in [&two, &five] {
        assert_eq!(shape(&world.json(&["thread", path, "--json"])), after);
    }
    let tree = world.run(&["thread", &six]).ok();
    insta::assert_snapshot!(tree.out, @r#"
      AGE  STATUS    FROM           SUBJECT           ID
    today  archived  soma           Plan              _archive/2026-05-20-plan.md
    today  unread    claude         └ Re: Plan        2026-05-20-re-plan
    today  unread    soma             └ Re: Plan      2026-05-20-re-plan-3
    today  archived  soma             └ Re: Plan      _archive/2026-05-20-re-plan.md
    today  archived  claude (work)      └ Re: Plan    _archive/2026-05-20-re-plan.md
    today  unread    soma (~)             └ Re: Plan  2026-05-20-re-plan-2
    "#);
    let list = world.json(&["list", "--all", "--thread", &six, "--json"]);
    assert_eq!(list["messages"].as_array().unwrap().len(), 6);
}

#[test]
fn references_never_lead_out_and_circles_end() {
    let world = World::with_inbox();
    fs::write(world.top().join("outside.md"), "---\nsubject: SECRET\n---\nSECRET\n").unwrap();
    let reply = |name: &str, parent: &str| {
        world.file(
            &format!(".soma/inbox/{name}.md"),
            format!("---\nfrom: a\nstatus: unread\nsubject: {name}\nin-reply-to: {parent}\n---\n"),
        )
    };
    reply("2026-05-01-rel", "../../../../outside.md");
    reply("2026-05-01-abs", &world.top().join("outside.md").to_string_lossy());
    reply("2026-05-01-hen", ".soma/inbox/2026-05-01-egg.md");
    reply("2026-05-01-egg", "2026-05-01-hen (see there)");
    reply("2026-05-01-self", "2026-05-01-self.md");
    reply("2026-05-01-gone", "[2026-04-01-none.md, ~/nowhere.md]");
    for name in ["rel", "abs", "hen", "egg", "self", "gone"] {
        let ran = world.run(&["thread", &format!("2026-05-01-{name}.md")]).ok();
        assert!(!format!("{}{}", ran.out, ran.err).contains("SECRET"), "{ran:?}");
        assert!(!ran.err.is_empty(), "{name}: nothing said");
    }
    let doc = world.json(&["thread", "2026-05-01-rel.md", "--json"]);
    assert_eq!(doc["warnings"][0]["kind"], "parent-outside-root");
    assert_eq!(doc["nodes"][0]["parent_path"], Value::Null);
}

#[test]
fn messages_of_one_thread_name_belong_together() {
    let world = World::with_inbox();
    for n in 1..4 {
        world.file(
            &format!(".soma/inbox/2026-05-0{n}-m.md"),
            format!("---\nstatus: unread\nthread_tag: build\nsubject: m{n}\n---\n"),
        );
    }
    assert_eq!(world.json(&["thread", "2026-05-02-m", "--json"])["nodes"].as_array().unwrap().len(), 3);
}
