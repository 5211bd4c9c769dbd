//! The schemas of what tools give back, put together from a few parts; tests call every tool and
//! hold the results against them.

use serde_json::{Map, Value, json};

/// An object with these members; those in `needed` are always there.
pub fn object(members: Value, needed: &[&str]) -> Value {
    let required = Value::from(needed);
    Value::Object(Map::from_iter([kind("object"), ("properties".to_owned(), members), ("required".to_owned(), required)]))
}

/// A list.
pub fn list(of: Value) -> Value {
    Value::Object(Map::from_iter([kind("array"), ("items".to_owned(), of)]))
}

fn kind(name: &str) -> (String, Value) {
    ("type".to_owned(), name.into())
}

/// A string.
pub fn text() -> Value {
    json!({"type": "string"})
}

/// A whole number from 0.
pub fn number() -> Value {
    json!({"type": "integer", "minimum": 0})
}

/// Yes or no.
pub fn flag() -> Value {
    json!({"type": "boolean"})
}

/// A whole number, or null where it is not known.
pub fn maybe_number() -> Value {
    json!({"type": ["integer", "null"], "minimum": 0})
}

/// A message.
pub fn message() -> Value {
    object(
        json!({
            "id": text(), "ref": text(), "uri": text(), "inbox": text(), "from": text(),
            "to": list(text()), "cc": list(text()), "subject": text(), "createdAt": text(), "type": text(),
            "importance": {"type": "string", "enum": ["low", "normal", "high", "urgent"]},
            "status": {"type": "string", "enum": ["unread", "read", "actioned", "resolved"]},
            "archived": flag(), "threadTag": text(), "inReplyTo": text(), "tags": list(text()), "path": text(),
            "depth": number(), "warnings": list(text()),
            "content": object(json!({"type": {"const": "text"}, "text": text()}), &["type", "text"]),
        }),
        &["id", "ref", "uri", "inbox", "from", "to", "subject", "createdAt", "type", "importance", "status", "archived", "path"],
    )
}

/// Messages, with what belongs to every list of them; `more` are members beside.
pub fn messages(more: Value) -> Value {
    let mut members = json!({
        "note": text(), "count": number(), "messages": list(message()), "more": number(), "nextCursor": text(),
        "problems": list(text()),
    });
    let needed = ["note", "count", "messages", "more"];
    if let (Some(all), Value::Object(more)) = (members.as_object_mut(), more) {
        all.extend(more);
    }
    object(members, &needed)
}

/// What became of messages that were changed.
pub fn changed(more: Value) -> Value {
    let failed = object(json!({"ref": text(), "kind": text(), "text": text()}), &["ref", "kind", "text"]);
    let mut members: Map<String, Value> = Map::new();
    members.insert("messages".to_owned(), list(message()));
    members.insert("failed".to_owned(), list(failed));
    members.insert("warnings".to_owned(), list(text()));
    members.insert("dryRun".to_owned(), flag());
    if let Value::Object(more) = more {
        members.extend(more);
    }
    object(Value::Object(members), &["messages", "failed", "dryRun"])
}
