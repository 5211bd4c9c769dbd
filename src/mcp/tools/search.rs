//! `search_messages`: messages by words in their headers and by what they are, newest first. Changes nothing.

use serde::Serialize;
use serde_json::json;

use super::{Call, Hints, IMPORTANCES, SCOPE, STATUSES, Tool, cursor, day, statuses};
use crate::error::Report;
use crate::mcp::answer::{Answer, BUDGET};
use crate::mcp::arguments::{Kind, may};
use crate::mcp::shapes;
use crate::model::message::Priority;
use crate::ops::find::{self, Part, Query, Sort};
use crate::ops::page::Cursor;
use crate::render::agent::{self, MessageDoc, NOTE};

pub const TOOL: Tool = Tool {
    name: "search_messages",
    title: "Search messages",
    about: "Messages by words in their headers and by sender, thread, status or day, newest first, without their texts; archived \
            ones too unless told otherwise. Statuses stay as they are.",
    params: &[
        may("words", Kind::Texts, "words that must all stand in the header or the name of a message"),
        may("from", Kind::Text, "only messages from this agent"),
        may("to", Kind::Text, "only messages to this agent"),
        may("status", Kind::Words(STATUSES), "only messages with these statuses"),
        may("type", Kind::Text, "only messages of this type"),
        may("importance", Kind::Word(IMPORTANCES), "only messages of this importance"),
        may("tag", Kind::Texts, "only messages with all of these tags"),
        may("threadTag", Kind::Text, "only messages of this thread"),
        may("since", Kind::Text, "only messages of this day or later: YYYY-MM-DD, or an age such as 3d or 2w"),
        may("before", Kind::Text, "only messages before this day: YYYY-MM-DD, or an age such as 3d or 2w"),
        may("where", Kind::Word(&["live", "archived", "all"]), "live messages, archived ones, or all (the default)"),
        may("limit", Kind::Count(1_000), "at most this many messages (default 30)"),
        may("cursor", Kind::Text, "nextCursor of an earlier result, to go on from there"),
        SCOPE,
    ],
    hints: Hints { read_only: true, idempotent: true, open_world: true },
    output: || shapes::messages(json!({"total": shapes::number()})),
    run,
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Doc {
    note: &'static str,
    count: usize,
    total: usize,
    messages: Vec<MessageDoc>,
    more: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
}

fn run(call: &Call<'_>) -> Result<Answer, Report> {
    let args = &call.args;
    let own = |name: &str| args.text(name).map(str::to_owned);
    let query = Query {
        part: match args.text("where") {
            Some("live") => Part::Live,
            Some("archived") => Part::Archived,
            _ => Part::All,
        },
        status: statuses(call, "status"),
        to: own("to"),
        from: own("from"),
        kind: own("type"),
        priority: args.text("importance").map(Priority::parse),
        tags: args.texts("tag"),
        thread: own("threadTag"),
        since: day(call, "since")?,
        before: day(call, "before")?,
        words: args.texts("words").iter().flat_map(|w| w.split_whitespace()).map(str::to_owned).collect(),
        ..Query::default()
    };
    let session = &call.run.session;
    let mut found = find::list(session, &call.run.inboxes(), &query, Sort::Newest, None);
    found.unlooked.extend(call.run.places().0);
    let total = found.messages.len();
    if let Some(cursor) = cursor(call)? {
        found.messages.retain(|m| cursor.is_before(session, m, Sort::Newest));
    }
    let mut left = BUDGET;
    let mut messages = Vec::new();
    for message in found.messages.iter().take(args.count("limit").unwrap_or(30)) {
        let doc = MessageDoc::of(message);
        let size = doc.size();
        if size > left && !messages.is_empty() {
            break;
        }
        left = left.saturating_sub(size);
        messages.push(doc);
    }
    let more = found.messages.len() - messages.len();
    let last = found.messages.get(messages.len().wrapping_sub(1)).filter(|_| more > 0);
    let doc = Doc {
        note: NOTE,
        count: messages.len(),
        total,
        next_cursor: last.map(|m| Cursor::behind(session, m, 0).to_string()),
        messages,
        more,
        problems: agent::problems(&crate::mcp::troubles(&found.unlooked)),
    };
    Answer::of(&doc)
}
