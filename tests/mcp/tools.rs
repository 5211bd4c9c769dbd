//! The other tools: what they say of themselves, and what they do.

use std::fs;

use serde_json::{Value, json};

use crate::client::Client;
use crate::support::World;

fn two_agents() -> World {
    let world = World::with_inbox();
    fs::create_dir_all(world.project().join(".claude/inbox")).unwrap();
    world
}

/// The part of JSON Schema that the tools use.
fn fits(schema: &Value, value: &Value, at: &str) {
    let kind = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64(),
        "null" => value.is_null(),
        other => panic!("{at}: {other}"),
    };
    match &schema["type"] {
        Value::String(name) => assert!(kind(name), "{at} is no {name}: {value}"),
        Value::Array(names) => assert!(names.iter().any(|n| kind(n.as_str().unwrap())), "{at}: {value}"),
        _ => assert!(schema.get("const").is_some(), "{at} has no type"),
    }
    if let Some(fixed) = schema.get("const") {
        assert_eq!(fixed, value, "{at}");
    }
    if let Some(words) = schema["enum"].as_array() {
        assert!(words.contains(value), "{at}: {value}");
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(value.get(name.as_str().unwrap()).is_some(), "{at} has no {name}");
    }
    if let (Some(members), Some(properties)) = (value.as_object(), schema["properties"].as_object()) {
        for (name, member) in members {
            let schema = properties.get(name).unwrap_or_else(|| panic!("{at}.{name} is not in the schema"));
            fits(schema, member, &format!("{at}.{name}"));
        }
    }
    if let Some(items) = value.as_array() {
        for item in items {
            fits(&schema["items"], item, at);
        }
    }
}

#[test]
fn every_tool_keeps_to_what_it_says_of_itself() {
    let world = two_agents();
    world.message("2026-03-01-old.md", "actioned", "2026-03-01", "Old");
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "Hello");
    let mut client = Client::open_with(&world, &["--agent", "soma"], json!({}));
    let listed = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let tools = listed.as_array().unwrap();
    assert_eq!(client.request("tools/list", json!({}))["result"]["tools"], listed);
    let calls = [
        ("check_inbox", json!({"agentId": "soma"}), false),
        ("send_message", json!({"to": ["claude"], "content": {"type": "text", "text": "Hi"}, "threadTag": "t"}), false),
        ("read_thread", json!({"threadTag": "t", "scope": "default"}), true),
        ("list_agents", json!({"includeFederated": true}), true),
        ("read_message", json!({"ref": "2026-05-01-a"}), true),
        ("mark_status", json!({"refs": "2026-05-01-a", "status": "actioned"}), false),
        ("reply", json!({"ref": "2026-05-01-a", "to": "claude", "body": "Done", "mark": "resolved"}), false),
        ("archive", json!({"refs": ["2026-05-01-a", "nope"]}), false),
        ("restore", json!({"refs": ["2026-05-01-a"]}), false),
        ("sweep", json!({}), false),
        ("search_messages", json!({"words": ["hello"]}), true),
        ("list_inboxes", json!({}), true),
        ("doctor", json!({}), true),
    ];
    let names: Vec<_> = tools.iter().map(|t| t["name"].as_str().unwrap()).collect();
    for name in &names {
        assert!(calls.iter().any(|(tool, _, _)| tool == name), "{name} is not tried here");
    }
    for (name, arguments, read_only) in calls {
        let tool = tools.iter().find(|t| t["name"] == name).unwrap_or_else(|| panic!("there is no {name}"));
        let hints = &tool["annotations"];
        assert_eq!(hints["readOnlyHint"], read_only, "{name}");
        assert_eq!(hints["destructiveHint"], false, "{name}");
        assert!(hints["idempotentHint"].is_boolean() && hints["openWorldHint"].is_boolean() && hints["title"].is_string());
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
        let before = world.snapshot();
        let doc = client.done(name, arguments);
        if read_only || name == "sweep" {
            assert_eq!(world.snapshot(), before, "{name} changed something");
        }
        fits(&tool["outputSchema"], &doc, name);
    }
}

#[test]
fn sending_is_as_map_clients_know_it() {
    let world = two_agents();
    let mut client = Client::open(&world);
    let sent = client.done(
        "send_message",
        json!({"to": ["claude", "soma"], "from": "ava", "body": "# Cache keys\n\nSee src/keys.rs:41.", "importance": "high", "threadTag": "keys"}),
    );
    assert_eq!(sent["ok"], true);
    assert_eq!(sent["messages"].as_array().unwrap().len(), 2);
    let file = world.read(".claude/inbox/2026-05-20-keys-cache-keys.md");
    for line in ["from: ava", "subject: \"Cache keys\"", "priority: high", "thread: keys", "status: unread"] {
        assert!(file.contains(&format!("{line}\n")), "{line:?} is not in {file}");
    }
    let answer = client.done(
        "send_message",
        json!({"to": "ava (x)", "from": "claude", "body": "x", "inReplyTo": sent["messageId"], "inbox": "soma@work", "subject": "Re: keys"}),
    );
    assert!(answer["messages"][0]["inReplyTo"].as_str().unwrap().contains("2026-05-20-keys-cache-keys"), "{answer}");
    let thread = client.done("read_thread", json!({"threadTag": "keys"}));
    assert_eq!((thread["threadTag"].clone(), thread["count"].clone()), (json!("keys"), json!(3)));
    assert_eq!(thread["messages"][0]["content"]["type"], "text");

    let text = client.refused("send_message", json!({"to": "clade", "from": "ava", "body": "x"}));
    assert!(text.contains("nobody here is called clade") && text.contains("claude"), "{text}");
    assert!(client.refused("send_message", json!({"to": "claude", "from": "ava"})).contains("no text"));
    assert!(client.refused("send_message", json!({"to": "claude", "body": "x"})).contains("`from`"));
    assert!(client.refused("send_message", json!({"to": "../../x", "from": "ava", "body": "x"})).contains("recipient"));
    assert!(client.refused("read_thread", json!({"threadTag": "nope"})).contains("no thread and no message"));
}

#[test]
fn marks_and_moves_follow_the_rules() {
    let world = two_agents();
    for name in ["a", "b"] {
        world.message(&format!("2026-05-01-{name}.md"), "unread", "2026-05-01", "Hello");
    }
    let mut client = Client::open(&world);
    assert!(client.refused("archive", json!({"refs": "2026-05-01-a"})).contains("only handled messages"));
    let done = client
        .done("mark_status", json!({"refs": ["2026-05-01-a", "inbox://soma%40work/2026-05-01-b", "zz"], "status": "actioned"}));
    assert_eq!((done["changed"].clone(), done["failed"][0]["kind"].clone()), (json!(2), json!("no-such-message")));
    let text = client.refused("mark_status", json!({"refs": "2026-05-01-a", "status": "read"}));
    assert!(text.contains("`reopen`") && text.contains("mark_status"), "{text}");
    let back = client.done("mark_status", json!({"refs": "2026-05-01-a", "status": "read", "reopen": true, "note": "again"}));
    assert_eq!(back["messages"][0]["status"], "read");
    let look = client.done("archive", json!({"refs": ["2026-05-01-b"], "dryRun": true}));
    assert!(look["moved"][0]["toPath"].as_str().unwrap().ends_with("/_archive/2026-05-01-b.md"));
    assert!(world.inbox().join("2026-05-01-b.md").exists());
    // Named twice, it is moved once.
    let moved = client.done("archive", json!({"refs": ["2026-05-01-b", "soma@work:2026-05-01-b"]}));
    assert!(moved.get("failed").is_none_or(|failed| failed.as_array().is_none_or(Vec::is_empty)), "{moved}");
    assert!(world.inbox().join("_archive/2026-05-01-b.md").exists());
    assert_eq!(client.done("read_message", json!({"ref": "2026-05-01-b"}))["message"]["archived"], true);
    client.done("restore", json!({"refs": ["2026-05-01-b"]}));
    assert!(world.inbox().join("2026-05-01-b.md").exists());
}

#[test]
fn a_person_is_asked_before_several_are_archived() {
    let world = two_agents();
    let plant = |n: u32| world.message(&format!("2026-03-0{n}-old.md"), "resolved", &format!("2026-03-0{n}"), "Old");
    (1..=3).for_each(|n| _ = plant(n));
    let live = || fs::read_dir(world.inbox()).unwrap().filter(|e| e.as_ref().unwrap().path().is_file()).count();
    let mut client = Client::open_with(&world, &[], json!({"elicitation": {}}));
    // The first answer is no, the second an empty box, the third a yes.
    let answers = [
        (json!({"action": "decline"}), 3),
        (json!({"action": "accept", "content": {"archive": false}}), 3),
        (json!({"action": "accept", "content": {"archive": true}}), 0),
    ];
    for (answer, left) in answers {
        let id = client.send("tools/call", json!({"name": "sweep", "arguments": {"dryRun": false}}));
        let question = client.hear("elicitation/create");
        assert!(question["params"]["message"].as_str().unwrap().starts_with("Archive 3 messages?"), "{question}");
        assert_eq!(question["params"]["requestedSchema"]["type"], "object");
        assert_eq!(live(), 3);
        client.raw(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}).to_string());
        let result = client.answer(id)["result"].clone();
        assert_eq!(result["isError"] == true, left == 3, "{result}");
        assert_eq!(live(), left);
    }
    // One alone is not asked about, nor is a dry run, nor anything where nobody can be asked.
    plant(4);
    assert_eq!(client.done("sweep", json!({"dryRun": false}))["archivedCount"], 1);
    (5..=6).for_each(|n| _ = plant(n));
    assert_eq!(client.done("sweep", json!({}))["archivedCount"], 2);
    let mut client = Client::open(&world);
    assert_eq!(client.done("sweep", json!({"dryRun": false}))["archivedCount"], 2);
    assert_eq!(live(), 0);
}

#[test]
fn the_newer_era_carries_the_question_in_the_result() {
    let world = two_agents();
    for n in 1..=2 {
        world.message(&format!("2026-03-0{n}-old.md"), "resolved", &format!("2026-03-0{n}"), "Old");
    }
    let mut client = Client::start(&world, &[]);
    let meta = crate::protocol::meta("2026-07-28", json!({"elicitation": {"form": {}}}));
    let mut params = json!({"name": "sweep", "arguments": {"dryRun": false}, "_meta": meta});
    let asked = client.request("tools/call", params.clone())["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    params["requestState"] = asked["requestState"].clone();
    params["inputResponses"] = json!({"confirm": {"action": "cancel"}});
    assert_eq!(client.request("tools/call", params.clone())["result"]["isError"], true);
    // A yes to other messages than these is no yes.
    params["inputResponses"] = json!({"confirm": {"action": "accept", "content": {"archive": true}}});
    params["requestState"] = json!("0");
    assert_eq!(client.request("tools/call", params.clone())["result"]["resultType"], "input_required");
    params["requestState"] = asked["requestState"].clone();
    assert_eq!(client.request("tools/call", params)["result"]["structuredContent"]["archivedCount"], 2);
}

#[test]
fn the_doctor_looks_and_mends_nothing() {
    let world = World::with_inbox();
    let two = "---\nfrom: ava\nto: soma\ndate: 2026-05-01\nstatus: unread\nstatus: read\nsubject: Two\n---\n\nhello\n";
    world.file(".soma/inbox/2026-05-01-two.md", two);
    let before = world.snapshot();
    let mut client = Client::open(&world);
    let found = client.done("doctor", json!({}));
    assert!(found["errors"].as_u64().unwrap() + found["warnings"].as_u64().unwrap() > 0, "{found}");
    let named =
        |doc: &Value| doc["findings"].as_array().unwrap().iter().any(|f| f["path"].to_string().contains("2026-05-01-two"));
    assert!(named(&found), "{found}");
    let rule =
        found["findings"].as_array().unwrap().iter().find(|f| f["path"].to_string().contains("-two")).unwrap()["rule"].clone();
    assert!(named(&client.done("doctor", json!({"rules": rule}))));
    assert!(client.refused("doctor", json!({"rules": ["nope"]})).contains("no rule is called"));
    assert_eq!(world.snapshot(), before);
}

#[test]
fn searching_goes_on_by_cursor() {
    let world = World::with_inbox();
    for day in 1..=5 {
        world.message(&format!("2026-05-0{day}-m.md"), "read", &format!("2026-05-0{day}"), "Cache");
    }
    world.file(".soma/inbox/_archive/2026-04-01-z.md", crate::support::letter("resolved", "2026-04-01", "Cache, archived"));
    let mut client = Client::open(&world);
    let (mut found, mut arguments) = (Vec::new(), json!({"words": "cache", "limit": 4}));
    loop {
        let doc = client.done("search_messages", arguments.clone());
        assert_eq!(doc["total"], 6);
        found.extend(doc["messages"].as_array().unwrap().iter().map(|m| m["id"].as_str().unwrap().to_owned()));
        match doc.get("nextCursor") {
            Some(cursor) => arguments["cursor"] = cursor.clone(),
            None => break,
        }
    }
    assert_eq!(found, ["2026-05-05-m", "2026-05-04-m", "2026-05-03-m", "2026-05-02-m", "2026-05-01-m", "2026-04-01-z"]);
    let live = client.done("search_messages", json!({"where": "live", "since": "2026-05-04", "status": ["read", "unread"]}));
    assert_eq!(live["count"], 2);
}
