//! Resources, prompts, and being told of changes.

use serde_json::{Value, json};

use crate::client::Client;
use crate::support::World;

#[test]
fn messages_are_resources_page_by_page() {
    let world = World::with_inbox();
    for n in 0..120 {
        world.message(&format!("2026-05-01-m{n:03}.md"), "unread", "2026-05-01", "Hello");
    }
    let before = world.snapshot();
    let mut client = Client::open(&world);
    let (mut uris, mut params) = (Vec::new(), json!({}));
    loop {
        let result = client.request("resources/list", params)["result"].clone();
        uris.extend(result["resources"].as_array().unwrap().iter().map(|r| r["uri"].as_str().unwrap().to_owned()));
        match result.get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => break,
        }
    }
    assert_eq!(uris[0], "inbox://summary");
    uris.sort();
    uris.dedup();
    assert_eq!(uris.len(), 121);
    let read = client.request("resources/read", json!({"uri": "inbox://soma%40work/2026-05-01-m007"}));
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("From: ava (a claim)\n") && text.contains("---- begin message "), "{text}");
    let summary = client.request("resources/read", json!({"uri": "inbox://summary"}));
    assert!(summary["result"]["contents"][0]["text"].as_str().unwrap().contains("120 unread"));
    let template = client.request("resources/templates/list", json!({}));
    assert_eq!(template["result"]["resourceTemplates"][0]["uriTemplate"], "inbox://{inbox}/{id}");
    for uri in ["inbox://soma%40work/m007", "inbox://x/y", "inbox://", "file:///etc/passwd", "inbox://soma%40work/..%2F..%2Fx"] {
        let gone = client.request("resources/read", json!({"uri": uri}));
        assert_eq!(gone["error"]["code"], -32002, "{uri}: {gone}");
    }
    assert_eq!(client.request("resources/list", json!({"cursor": "x"}))["error"]["code"], -32602);
    assert_eq!(world.snapshot(), before);
}

#[test]
fn prompts_start_from_what_there_is() {
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "Hello there");
    let before = world.snapshot();
    let mut client = Client::open(&world);
    let names: Vec<Value> = client.request("prompts/list", json!({}))["result"]["prompts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["name"].clone())
        .collect();
    assert_eq!(names, ["triage", "reply"]);
    let text = |answer: Value| answer["result"]["messages"][0]["content"]["text"].as_str().unwrap_or_default().to_owned();
    let triage = text(client.request("prompts/get", json!({"name": "triage", "arguments": {"agentId": "soma"}})));
    assert!(triage.contains("Hello there") && triage.contains("agentId soma"), "{triage}");
    let reply =
        text(client.request("prompts/get", json!({"name": "reply", "arguments": {"ref": "2026-05-01-a", "intent": "yes"}})));
    assert!(reply.contains("It should say: yes") && reply.contains("ref soma@work:2026-05-01-a"), "{reply}");
    for params in [json!({"name": "nope"}), json!({"name": "reply"}), json!({"name": "reply", "arguments": {"ref": "zz"}})] {
        assert_eq!(client.request("prompts/get", params)["error"]["code"], -32602);
    }
    assert_eq!(world.snapshot(), before);
}

#[test]
fn changes_are_told_to_those_who_asked() {
    let world = World::with_inbox();
    let path = world.message("2026-05-01-a.md", "unread", "2026-05-01", "Hello");
    let mut client = Client::open(&world);
    let uri = "inbox://soma%40work/2026-05-01-a";
    assert!(client.request("resources/subscribe", json!({"uri": uri}))["result"].is_object());
    assert_eq!(client.request("resources/subscribe", json!({"uri": "file:///x"}))["error"]["code"], -32002);
    std::fs::write(&path, crate::support::letter("actioned", "2026-05-01", "Hello")).unwrap();
    assert_eq!(client.hear("notifications/resources/updated")["params"]["uri"], uri);
    assert!(client.aside.is_empty(), "{:?}", client.aside);
    world.message("2026-05-02-b.md", "unread", "2026-05-02", "New");
    client.hear("notifications/resources/list_changed");
    client.request("resources/unsubscribe", json!({"uri": uri}));
    client.request("resources/subscribe", json!({"uri": "inbox://summary"}));
    std::fs::write(&path, crate::support::letter("resolved", "2026-05-01", "Hello")).unwrap();
    assert_eq!(client.hear("notifications/resources/updated")["params"]["uri"], "inbox://summary");
    assert_eq!(client.end().1, 0);
}

#[test]
fn the_newer_era_listens() {
    let world = World::with_inbox();
    let mut client = Client::start(&world, &[]);
    let meta = crate::protocol::meta("2026-07-28", json!({}));
    let wanted = json!({"resourcesListChanged": true, "resourceSubscriptions": ["inbox://summary", "file:///x"]});
    let id = client.send("subscriptions/listen", json!({"notifications": wanted, "_meta": meta}));
    let accepted = client.hear("notifications/subscriptions/acknowledged")["params"]["notifications"].clone();
    assert_eq!(accepted, json!({"resourcesListChanged": true, "resourceSubscriptions": ["inbox://summary"]}));
    world.message("2026-05-02-b.md", "unread", "2026-05-02", "New");
    let told = client.hear("notifications/resources/updated");
    assert_eq!(told["params"]["uri"], "inbox://summary");
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
    assert_eq!(client.end().1, 0);
}
