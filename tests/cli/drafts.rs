//! Texts of new messages from files, standard input and an editor: nothing of them is lost.

use std::fs;

use crate::support::{Ran, World, files};

fn body_of(ran: &Ran) -> String {
    let text = fs::read_to_string(ran.document()["messages"][0]["path"].as_str().unwrap()).unwrap();
    text.splitn(3, "---\n").nth(2).unwrap().trim_start_matches('\n').to_owned()
}

#[test]
fn a_text_that_opens_with_a_rule_is_text() {
    let world = World::with_inbox();
    for text in [
        "---\n\nBetween two rules.\n\n---\nAnd after.\n",
        "---\nA line. No key.\n---\nrest\n",
        "---\nmood: fine\nplan: none\n---\nrest\n",
        "---\nnever closed\n",
        "--- dashes\n",
        "---\n---\nrest\n",
    ] {
        let args = ["send", "--to", "soma", "--from", "ava", "--subject", "s", "--json"];
        assert_eq!(body_of(&world.run_with(&args, text.as_bytes()).ok()), text, "{text:?}");
        world.file("draft.md", text);
        let args = ["send", "--to", "soma", "--from", "ava", "--subject", "s", "--json", "--file", "draft.md"];
        assert_eq!(body_of(&world.run(&args).ok()), text, "{text:?}");
    }
}

#[test]
fn a_header_is_read_as_headers_are() {
    let world = World::with_inbox();
    world.file(".claude/inbox/README.md", "");
    world.file(
        "draft.md",
        "\u{feff}---\r\nfrom: ava # me\r\nTo:\r\n  - soma\r\ncc: [ claude ]\r\ntitle: >\r\n  Folded\r\n  subject #1\r\n\
         importance: high\r\ntags: [a, 'b c']\r\nthread_tag: \"no\"\r\norigin: s1\r\n...\r\n\r\nText\r\n",
    );
    let doc = world.json(&["send", "--file", "draft.md", "--json"]);
    let message = &doc["messages"][0];
    assert_eq!(doc["messages"].as_array().unwrap().len(), 2);
    assert_eq!((&message["from"], &message["to"], &message["cc"]), (&"ava".into(), &"soma".into(), &"claude".into()));
    assert_eq!((&message["subject"], &message["priority"]), (&"Folded subject #1".into(), &"high".into()));
    assert_eq!((&message["thread"], &message["origin"]), (&"no".into(), &"s1".into()));
    assert_eq!(message["tags"], serde_json::json!(["a", "b c"]));
    // Options win.
    let doc = world.json(&["send", "--file", "draft.md", "--json", "--subject", "Other", "--priority", "normal", "--cc", "ava"]);
    assert_eq!(doc["error"]["kind"], "unknown-recipient", "{doc}");
    let doc = world.json(&["send", "--file", "draft.md", "--json", "--subject", "Other", "--priority", "normal"]);
    assert_eq!((&doc["messages"][0]["subject"], &doc["messages"][0]["priority"]), (&"Other".into(), &"normal".into()));
}

#[test]
fn what_a_draft_can_not_say_is_told_and_nothing_is_sent() {
    let world = World::with_inbox();
    for (draft, named) in [
        ("---\nto: soma\nsubject: a\nstatus: read\n---\nx\n", "\"status\""),
        ("---\nto: soma\nsubject: a\ndate: 2026-01-01\n---\nx\n", "\"date\""),
        ("---\nto: soma\nsubject: a\nmood: fine\n---\nx\n", "\"mood\""),
        ("---\nto: soma\nsubject: a\ntitle: b\n---\nx\n", "\"title\""),
        ("---\nto: {a: b}\nsubject: a\n---\nx\n", "\"to\""),
        ("---\nto: soma\nsubject: a\npriority: hihg\n---\nx\n", "hihg"),
        ("---\nto: soma\nsubject: a\n\nThe text, with a fence forgotten\n", "not closed"),
        ("---\nto: soma\nsubject: a\n\nThe text: with a fence forgotten\n\n---\nmore\n", "line 5"),
    ] {
        world.file("draft.md", draft);
        let ran = world.run(&["send", "--from", "ava", "--file", "draft.md"]);
        assert_eq!(ran.code, 1, "{draft:?}: {ran:?}");
        assert!(ran.err.contains(named) && ran.err.contains("nothing was sent"), "{draft:?}: {ran:?}");
    }
    world.file("draft.md", "---\nsubject: a\nto: soma\n---\nx\n");
    assert_eq!(world.run(&["broadcast", "--from", "ava", "--file", "draft.md"]).code, 1);
    assert_eq!(files(&world, ".soma/inbox"), Vec::<String>::new());
}

#[test]
fn the_header_of_an_answer_counts_too() {
    let world = World::with_inbox();
    world.file(
        ".claude/inbox/2026-05-18-q.md",
        "---\nfrom: ghost\nto: claude\nstatus: unread\nsubject: Key?\nthread: t\n---\nq\n",
    );
    world.file("answer.md", "---\nto: soma\nsubject: Another\nthread: u\n---\nyes\n");
    let doc = world.json(&["reply", "q.md", "--file", "answer.md", "--json"]);
    let message = &doc["messages"][0];
    assert_eq!((&message["to"], &message["subject"], &message["thread"]), (&"soma".into(), &"Another".into(), &"u".into()));
    assert_eq!(message["in_reply_to"], ".claude/inbox/2026-05-18-q.md");
    world.file("answer.md", "---\nin-reply-to: x\n---\nyes\n");
    assert_eq!(world.run(&["reply", "q.md", "--to", "soma", "--file", "answer.md"]).code, 1);
}

fn drafts(world: &World) -> Vec<std::path::PathBuf> {
    let folder = world.top().join("state/postroom/drafts");
    fs::read_dir(folder).map(|all| all.map(|e| e.unwrap().path()).collect()).unwrap_or_default()
}

#[test]
fn what_was_written_in_an_editor_is_kept_until_it_is_delivered() {
    // The editor fills in the subject and adds a line.
    let world = World::with_inbox().set("EDITOR", "sed -i -e 's/^subject:.*/subject: Filled in/' -e '$ a written'");
    let mode = |path: &std::path::Path| {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::metadata(path).unwrap().permissions().mode() & 0o777
        }
        #[cfg(not(unix))]
        {
            let _ = path;
            0o600
        }
    };
    let ran = world.run(&["send", "--from", "ava", "--to", "soma", "--edit"]).ok();
    assert!(ran.out.contains("2026-05-20-filled-in"), "{ran:?}");
    assert!(world.read(".soma/inbox/2026-05-20-filled-in.md").ends_with("\n\nwritten\n"));
    assert_eq!(drafts(&world), Vec::<std::path::PathBuf>::new());

    let ran = world.run(&["send", "--from", "ava", "--to", "nobody", "--edit"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    let kept = drafts(&world);
    let [path] = kept.as_slice() else { panic!("{kept:?}") };
    assert!(ran.err.contains(&*path.to_string_lossy()), "{ran:?}");
    assert_eq!(mode(path), 0o600);
    // What is named next sends it.
    let text = fs::read_to_string(path).unwrap().replace("to: nobody", "to: soma");
    fs::write(path, text).unwrap();
    world.run(&["send", "--file", &path.to_string_lossy()]).ok();
    assert!(world.read(".soma/inbox/2026-05-20-filled-in-2.md").contains("from: ava\n"));
    fs::remove_file(path).unwrap();

    let ran = world.run(&["send", "--from", "ava", "--to", "soma", "--edit", "--dry-run"]).ok();
    assert!(ran.err.contains("the draft is kept: postroom send --file "), "{ran:?}");
    assert_eq!(drafts(&world).len(), 1);

    let world = world.set("EDITOR", "true");
    let ran = world.run(&["send", "--from", "ava", "--to", "soma", "--edit"]);
    assert!(ran.code == 1 && ran.err.contains("empty"), "{ran:?}");
    let world = world.set("EDITOR", "false");
    let ran = world.run(&["send", "--from", "ava", "--to", "soma", "--edit"]);
    assert!(ran.code == 1 && ran.err.contains("the draft stays in"), "{ran:?}");
    assert_eq!(drafts(&world).len(), 2);
}

#[test]
fn an_editor_has_the_last_word_over_options_and_answers() {
    let world =
        World::with_inbox().set("EDITOR", "sed -i -e 's/^to:.*/to: claude/' -e 's/^priority:.*/priority: urgent/' -e '$ a x'");
    world.file(".claude/inbox/README.md", "");
    let doc = world.json(&["send", "--from", "ava", "--to", "soma", "--subject", "a: b #c", "--tag", "t", "--edit", "--json"]);
    let message = &doc["messages"][0];
    assert_eq!((&message["inbox"], &message["priority"]), (&"claude@work".into(), &"urgent".into()));
    assert_eq!((&message["subject"], &message["tags"]), (&"a: b #c".into(), &serde_json::json!(["t"])));
    world.file(".claude/inbox/2026-05-18-q.md", "---\nfrom: soma\nto: claude\nstatus: unread\nsubject: q\n---\nq\n");
    let world = world.set("EDITOR", "sed -i -e '$ a yes'");
    let doc = world.json(&["reply", "q.md", "--edit", "--json"]);
    assert_eq!((&doc["messages"][0]["inbox"], &doc["messages"][0]["to"]), (&"soma@work".into(), &"soma".into()));
    assert_eq!(doc["messages"][0]["subject"], "Re: q");
}
