//! Versions, eras, errors of the protocol, and how the server ends.

use serde_json::{Value, json};

use crate::client::Client;
use crate::support::World;

fn initialize(version: &str) -> Value {
    json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
}

/// The metadata that requests of the newer era carry.
pub fn meta(version: &str, capabilities: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

#[test]
fn versions_are_settled_by_the_rules() {
    let world = World::with_inbox();
    for (asked, given) in [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2020-01-01", "2025-11-25"),
        ("2031-01-01", "2025-11-25"),
        // This one has no such beginning any more.
        ("2026-07-28", "2025-11-25"),
    ] {
        let mut client = Client::start(&world, &[]);
        let answer = client.request("initialize", initialize(asked));
        assert_eq!(answer["result"]["protocolVersion"], given, "{asked}: {answer}");
        assert_eq!(answer["result"]["serverInfo"]["name"], "postroom");
        assert!(answer["result"]["instructions"].as_str().unwrap().contains("not instructions"));
        assert_eq!(client.end().1, 0);
    }
}

#[test]
fn the_newer_era_needs_no_beginning() {
    let world = World::with_inbox();
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "Hello");
    let mut client = Client::start(&world, &[]);
    let found = client.request("server/discover", json!({"_meta": meta("2026-07-28", json!({}))}));
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-06-18")), "{found}");
    assert!(found["result"]["capabilities"]["tools"].is_object());

    let wrong = client.request("tools/list", json!({"_meta": meta("2031-01-01", json!({}))}));
    assert_eq!(wrong["error"]["code"], -32022, "{wrong}");
    assert!(wrong["error"]["data"]["supported"].as_array().is_some_and(|all| !all.is_empty()));

    let params = json!({"name": "check_inbox", "arguments": {}, "_meta": meta("2026-07-28", json!({}))});
    let result = client.request("tools/call", params)["result"].clone();
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["structuredContent"]["count"], 1);
    let gone = client.request("resources/read", json!({"uri": "inbox://x/y", "_meta": meta("2026-07-28", json!({}))}));
    assert_eq!(gone["error"]["code"], -32602, "{gone}");
    assert_eq!(client.end().1, 0);
    assert!(world.read(".soma/inbox/2026-05-01-a.md").contains("status: read"));
}

#[test]
fn a_probe_may_be_followed_by_a_session() {
    let world = World::with_inbox();
    let mut client = Client::start(&world, &[]);
    client.request("server/discover", json!({"_meta": meta("2026-07-28", json!({}))}));
    let answer = client.request("initialize", initialize("2025-11-25"));
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    assert!(client.request("tools/list", json!({}))["result"]["tools"].is_array());
}

#[test]
fn what_is_no_message_does_no_harm() {
    let world = World::with_inbox();
    let mut client = Client::start(&world, &[]);
    // Before the beginning, too.
    client.raw("nonsense");
    client.notify("notifications/cancelled", json!({"requestId": 9}));
    client.raw(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#);
    client.request("initialize", initialize("2025-06-18"));
    client.notify("notifications/initialized", json!({}));
    for line in ["", "{", "[]", "null", "5", "\"x\"", r#"{"jsonrpc":"2.0"}"#, "\u{feff}", "{}{}"] {
        client.raw(line);
    }
    client.raw(&format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}", "[".repeat(100_000)));
    client.raw(&"[".repeat(100_000));
    client.raw(r#"{"jsonrpc":"2.0","id":"odd","method":7}"#);
    assert!(client.request("ping", json!({}))["result"].is_object());
    let unknown = client.request("no/such", json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    let (rest, code) = client.end();
    assert_eq!(code, 0);
    assert!(rest.iter().all(|m| m.get("error").is_some()), "{rest:?}");
}

#[test]
fn every_request_is_answered_once_whatever_is_in_it() {
    let world = World::with_inbox();
    let mut client = Client::open(&world);
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    for (line, id, code) in [
        ("nonsense".to_owned(), Value::Null, -32700),
        (r#"{"jsonrpc":"2.0","id":5,"method":"#.to_owned(), Value::Null, -32700),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#.to_owned(), json!(1.5), -32600),
        (format!(r#"{{"jsonrpc":"2.0","id":"d","method":"tools/call","params":{deep}}}"#), json!("d"), -32600),
        (
            r#"{"jsonrpc":"2.0","id":10000000000000000000,"method":"tools/list"}"#.to_owned(),
            json!(10_000_000_000_000_000_000_u64),
            -32600,
        ),
    ] {
        client.raw(&line);
        let answer = client.next();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{answer}");
    }
    client.raw(
        r#"{"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"search_messages","arguments":{"query":"cut \ud83d"}}}"#,
    );
    let answer = client.next();
    assert!(answer["id"] == "s" && answer["result"].is_object(), "{answer}");
    client.raw("{");
    let (rest, code) = client.end();
    assert_eq!((rest.len(), code), (1, 0), "{rest:?}");
}

#[test]
fn wrong_tools_and_wrong_arguments_are_told_apart() {
    let world = World::with_inbox();
    let mut client = Client::open(&world);
    let unknown = client.request("tools/call", json!({"name": "inbox_delete", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    assert!(unknown["error"]["message"].as_str().unwrap().contains("check_inbox"));
    let text = client.refused("check_inbox", json!({"lmit": 5, "limit": 0, "unreadOnly": "yes"}));
    for part in ["did you mean limit?", "whole number from 1 to 100", "unreadOnly must be true or false", "it takes agentId"] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    let list = client.request("tools/call", json!({"name": "check_inbox", "arguments": [1]}));
    assert_eq!(list["result"]["isError"], true, "{list}");
    let none = client.request("tools/call", json!({"name": "list_inboxes"}));
    assert_eq!(none["result"]["structuredContent"]["count"], 1);
    let text = client.refused("list_agents", json!({"scope": "everywhere"}));
    assert!(text.contains("project, global or all"), "{text}");
    assert!(client.refused("check_inbox", json!({"cursor": "x"})).contains("starts anew"));
}

#[test]
fn the_end_of_the_input_ends_it() {
    let world = World::with_inbox();
    assert_eq!(Client::start(&world, &[]).end(), (Vec::new(), 0));
    assert_eq!(Client::open(&world).end(), (Vec::new(), 0));
    // What was asked before the end is answered, and done.
    world.message("2026-05-01-a.md", "unread", "2026-05-01", "Hello");
    let mut client = Client::open(&world);
    let id = client.send("tools/call", json!({"name": "check_inbox", "arguments": {}}));
    let (rest, code) = client.end();
    assert!(code == 0 && rest.iter().any(|m| m["id"] == id && m["result"]["structuredContent"]["count"] == 1), "{rest:?}");
    assert!(world.read(".soma/inbox/2026-05-01-a.md").contains("status: read"));
}

#[test]
fn a_world_that_can_not_be_looked_at_is_said_call_by_call() {
    let world = World::with_inbox();
    let mut client = Client::open(&world);
    world.file(".postroom.toml", "nonsense = true\n");
    let text = client.refused("list_inboxes", json!({}));
    assert!(text.contains(".postroom.toml") && text.contains("nonsense"), "{text}");
    std::fs::remove_file(world.project().join(".postroom.toml")).unwrap();
    assert_eq!(client.done("list_inboxes", json!({}))["count"], 1);
    // An agent that has no inbox yet is told so by the calls; the server is there.
    let mut client = Client::open_with(&world, &["--agent", "nova"], json!({}));
    assert!(client.refused("check_inbox", json!({})).contains("no agent called"));
}
