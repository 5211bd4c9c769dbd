//! What answers what: parents by every way to name them, threads by name.

use crate::support::World;

/// Which message a reference leads to.
fn parent(reference: &str, others: &[&str]) -> String {
    let world = World::with_inbox();
    for name in others {
        world.file(name, format!("---\nfrom: a\nstatus: unread\nsubject: {name}\n---\n"));
    }
    world.file(
        ".soma/inbox/2026-06-01-answer.md",
        format!("---\nfrom: a\nstatus: unread\nsubject: answer\nin-reply-to: {reference}\n---\n"),
    );
    let doc = world.json(&["thread", "2026-06-01-answer.md", "--json"]);
    let nodes = doc["nodes"].as_array().unwrap();
    let own = nodes.iter().find(|n| n["subject"] == "answer").unwrap();
    let project = world.project();
    own["parent_path"].as_str().map_or("-".to_owned(), |p| p.replace(&format!("{}/", project.display()), ""))
}

#[test]
fn a_parent_is_named_by_the_longest_reading_that_leads_somewhere() {
    let both = [".soma/inbox/2026-05-30-x.md", ".soma/inbox/2026-05-30-x (2).md"];
    for (reference, want) in [
        ("2026-05-30-x.md (see line 3)", both[0]),
        ("2026-05-30-x (2).md (see line 3)", both[1]),
        ("2026-05-30-x (2).md", both[1]),
        ("2026-05-30-x (2)", both[1]),
        (".soma/inbox/2026-05-30-x (2).md [the second] (line 3).", both[1]),
        ("2026-05-30-x (3).md (see line 3)", "-"),
        ("2026-05-30-x (3)", "-"),
        ("soma@work:2026-05-30-x", both[0]),
        ("soma:2026-05-30-x (2)", both[1]),
        ("soma@work:2026-05-30-x.md (there)", both[0]),
        ("inbox://soma%40work/2026-05-30-x", both[0]),
        ("\"[The plan](2026-05-30-x.md)\"", both[0]),
        ("[The plan](2026-05-30-x.md)", both[0]),
        ("\"[The plan](.soma/inbox/2026-05-30-x (2).md) (line 3)\"", both[1]),
        ("\"[2026-05-30-x](https://example.org/none)\"", both[0]),
        ("\"<2026-05-30-x.md>\"", both[0]),
        ("\"`2026-05-30-x.md`, line 3\"", "-"),
        ("\"`2026-05-30-x.md` (line 3)\"", both[0]),
        ("claude:2026-05-30-x", "-"),
    ] {
        assert_eq!(parent(reference, &both), want, "{reference}");
    }
}

#[test]
fn the_inbox_of_a_reference_decides_between_messages_of_one_name() {
    let both = [".claude/inbox/2026-05-30-x.md", ".soma/inbox/2026-05-30-x.md"];
    assert_eq!(parent("claude:2026-05-30-x", &both), both[0]);
    assert_eq!(parent("soma@work:2026-05-30-x", &both), both[1]);
    assert_eq!(parent("2026-05-30-x", &both), both[1]);
    let archived = [".soma/inbox/_archive/2026-05-30-x.md", ".soma/inbox/2026-05-30-x.md"];
    assert_eq!(parent("soma@work:_archive/2026-05-30-x.md", &archived), archived[0]);
    assert_eq!(parent("soma@work:2026-05-30-x", &archived), archived[1]);
}

#[test]
fn a_list_of_a_thread_that_is_none_or_several_says_so() {
    let world = World::with_inbox();
    for (name, thread) in [("2026-05-01-cache-a", "cache"), ("2026-05-02-cache-b", "other"), ("2026-05-03-c", "cache")] {
        world.file(
            &format!(".soma/inbox/{name}.md"),
            format!("---\nfrom: a\nstatus: unread\nthread: {thread}\nsubject: {name}\n---\n"),
        );
    }
    world.file(".soma/inbox/_archive/2026-01-01-old.md", "---\nstatus: resolved\nthread: gone\nsubject: old\n---\n");
    let total = |thread: &str| {
        let ran = world.run(&["list", "--thread", thread, "--json"]);
        if ran.code == 0 {
            ran.document()["total"].to_string()
        } else {
            format!("exit {}: {}", ran.code, ran.document()["error"]["kind"])
        }
    };
    // A thread's name wins over parts of messages' names; a message's whole name over a thread's.
    assert_eq!(total("cache"), "2");
    assert_eq!(total("Cache"), "2");
    assert_eq!(total("2026-05-01-cache-a"), "2");
    assert_eq!(total("cache-b"), "1");
    assert_eq!(total("2026-05-0"), "exit 3: \"ambiguous-ref\"");
    assert_eq!(total("nothing"), "exit 3: \"no-such-thread\"");
    assert_eq!(total("gone"), "0");
    let ran = world.run(&["list", "--thread", "2026-05-0"]);
    assert!(ran.err.contains("2026-05-01-cache-a") && ran.err.contains("2026-05-03-c"), "{ran:?}");
}

#[test]
fn what_a_new_message_answers_is_a_message_or_said_to_be_none() {
    let world = World::with_inbox();
    world.message("2026-05-01-one.md", "unread", "2026-05-01", "one");
    world.message("2026-05-02-two.md", "unread", "2026-05-02", "two");
    let send = |parent: &str, more: &[&str]| {
        let args = ["send", "--to", "soma", "--from", "ava", "--subject", "s", "--body", "b", "--json", "--in-reply-to", parent];
        world.run(&[&args[..], more].concat())
    };
    let parent = |ran: &crate::support::Ran| ran.document()["messages"][0]["in_reply_to"].as_str().unwrap().to_owned();
    let ran = send("one", &[]).ok();
    assert_eq!(parent(&ran), ".soma/inbox/2026-05-01-one.md");
    let ran = send("2026-05-0", &[]);
    assert_eq!((ran.code, &ran.document()["error"]["kind"]), (3, &"ambiguous-ref".into()));
    let ran = send("our talk on Monday", &[]).ok();
    assert_eq!(parent(&ran), "our talk on Monday");
    assert!(ran.err.contains("names no message"), "{ran:?}");
    let ran = send("our talk on Monday", &["--strict"]);
    assert_eq!((ran.code, &ran.document()["error"]["kind"]), (1, &"unknown-parent".into()));
    // With a remark it stays as written, and threads follow it.
    let ran = send("2026-05-01-one.md (line 3)", &["--strict"]).ok();
    assert_eq!(parent(&ran), "2026-05-01-one.md (line 3)");
    let tree = world.json(&["thread", "2026-05-01-one", "--json"]);
    assert_eq!(tree["nodes"].as_array().unwrap().len(), 3, "{tree}");
    world.file("draft.md", "---\nto: soma\nsubject: d\nin-reply-to: two\n---\nx\n");
    assert_eq!(
        parent(&world.run(&["send", "--from", "ava", "--file", "draft.md", "--json"]).ok()),
        ".soma/inbox/2026-05-02-two.md"
    );
}
