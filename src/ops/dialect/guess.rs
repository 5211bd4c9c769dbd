//! What other people's words most likely mean. Guesses only: each is marked as one where it is shown.

use crate::model::status::Status;

/// The status that a word most likely means; `None` for words that nobody can guess. The built-in
/// words are not among them.
pub(super) fn word(text: &str) -> Option<Status> {
    const WORDS: [(Status, &[&str]); 4] = [
        (
            Status::Unread,
            &[
                "pending",
                "open",
                "todo",
                "to-do",
                "queued",
                "sent",
                "delivered",
                "waiting",
                "incoming",
                "unseen",
                "created",
                "fresh",
            ],
        ),
        (
            Status::Read,
            &[
                "injected",
                "received",
                "viewed",
                "opened",
                "processed",
                "processing",
                "in-progress",
                "in progress",
                "wip",
                "started",
                "accepted",
                "noted",
                "active",
                "claimed",
                "assigned",
            ],
        ),
        (Status::Actioned, &["handled", "answered", "replied", "responded", "fixed", "implemented", "addressed", "acted"]),
        (
            Status::Resolved,
            &[
                "archived",
                "finished",
                "cancelled",
                "canceled",
                "wontfix",
                "won't fix",
                "rejected",
                "declined",
                "obsolete",
                "expired",
                "superseded",
                "merged",
                "shipped",
            ],
        ),
    ];
    let text = text.trim().to_lowercase().replace('_', "-");
    WORDS.into_iter().find(|(_, words)| words.contains(&text.as_str())).map(|(status, _)| status)
}

/// The convention's key that another one most likely stands for.
pub(super) fn key(name: &str) -> Option<&'static str> {
    const KEYS: [(&str, &[&str]); 12] = [
        ("from", &["sender", "author", "source", "from-agent", "sent-by", "by"]),
        ("to", &["recipient", "recipients", "target", "dest", "destination", "assignee", "to-agent", "for"]),
        ("date", &["sent", "sent-at", "time", "datetime", "when", "ts", "written", "posted"]),
        ("subject", &["summary", "headline", "about"]),
        ("type", &["kind", "category", "msg-type", "message-type"]),
        ("priority", &["urgency", "severity", "prio"]),
        ("thread", &["conversation", "conversation-id", "thread-id", "topic-id", "threadid"]),
        (
            "in-reply-to",
            &[
                "reference",
                "references",
                "parent",
                "parent-id",
                "responds-to",
                "response-to",
                "in-response-to",
                "answers",
                "replying-to",
                "re",
            ],
        ),
        ("tags", &["labels", "label", "keywords"]),
        ("status", &["state", "stage", "read-status"]),
        ("id", &["message-id", "msg-id", "uid", "uuid"]),
        ("origin", &["session", "session-id", "run", "run-id"]),
    ];
    let name = name.to_lowercase().replace('_', "-");
    KEYS.into_iter().find(|(_, names)| names.contains(&name.as_str())).map(|(key, _)| key)
}
