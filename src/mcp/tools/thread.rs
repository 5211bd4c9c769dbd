//! `read_thread`: a conversation in reading order, each message with its text. Changes nothing.

use serde::Serialize;
use serde_json::json;

use super::{Call, Hints, SCOPE, Tool, cursor};
use crate::error::{Exit, Report};
use crate::mcp::answer::{Answer, BUDGET};
use crate::mcp::arguments::{Kind, may, must};
use crate::mcp::{body, shapes};
use crate::model::inbox::Inbox;
use crate::ops::page::Cursor;
use crate::ops::refs::{Target, Want};
use crate::ops::show;
use crate::ops::thread::{Index, Node};
use crate::render::agent::{self, MessageDoc, NOTE, remark};

pub const TOOL: Tool = Tool {
    name: "read_thread",
    title: "Read a thread",
    about: "A conversation across inboxes and archives, each message before its answers, with their texts. It is named by its \
            tag, or by any message of it. Statuses stay as they are.",
    params: &[
        must("threadTag", Kind::Text, "the thread's tag, or the ref of any message of the conversation"),
        may("limit", Kind::Count(1_000), "at most this many messages (default 50)"),
        may("cursor", Kind::Text, "nextCursor of an earlier result, to go on from there"),
        SCOPE,
    ],
    hints: Hints { read_only: true, idempotent: true, open_world: true },
    output: || shapes::messages(json!({"threadTag": shapes::text(), "warnings": shapes::list(shapes::text())})),
    run,
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Doc {
    note: &'static str,
    thread_tag: String,
    count: usize,
    messages: Vec<MessageDoc>,
    more: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
}

fn run(call: &Call<'_>) -> Result<Answer, Report> {
    let session = &call.run.session;
    let tag = call.args.text("threadTag").unwrap_or_default();
    let index = Index::read(session);
    let conversation = if let Some((path, id)) = index.tagged(tag) {
        index.conversation(path, id)
    } else {
        let target = call.target(tag, Want::Live).map_err(|report| no_thread(tag, report))?;
        index.conversation(&target.message.path, target.message.id.as_str())
    };
    let inboxes = call.run.reachable();
    let nodes: Vec<&Node> =
        conversation.nodes.iter().filter(|node| inboxes.iter().any(|inbox| inbox.name == node.message.inbox)).collect();
    let start = match cursor(call)? {
        None => 0,
        Some(cursor) => nodes.iter().position(|n| cursor.is_behind(&n.message)).map(|at| at + 1).ok_or_else(|| {
            Report::new("bad-cursor", Exit::Changed, "the message that the cursor stands behind is gone; start anew without it")
        })?,
    };
    let limit = call.args.count("limit").unwrap_or(50);
    let mut messages = Vec::new();
    let mut left = BUDGET;
    for node in nodes.iter().skip(start).take(limit) {
        let doc = with_body(call, &inboxes, node);
        let size = doc.size();
        if size > left && !messages.is_empty() {
            break;
        }
        left = left.saturating_sub(size);
        messages.push(doc);
    }
    let end = start + messages.len();
    let more = nodes.len() - end;
    let last = nodes.get(end.wrapping_sub(1)).filter(|_| more > 0);
    let doc = Doc {
        note: NOTE,
        thread_tag: remark(tag),
        count: messages.len(),
        messages,
        more,
        next_cursor: last.map(|n| Cursor::behind(session, &n.message, 0).to_string()),
        warnings: conversation.warnings.iter().take(5).map(|w| remark(&w.text)).collect(),
        problems: agent::problems(&crate::mcp::troubles(&conversation.unlooked)),
    };
    Answer::of(&doc)
}

fn with_body(call: &Call<'_>, inboxes: &[&Inbox], node: &Node) -> MessageDoc {
    let mut doc = MessageDoc::of(&node.message);
    doc.depth = Some(node.depth);
    let Some(inbox) = inboxes.iter().find(|i| i.name == node.message.inbox) else { return doc };
    let target = Target { inbox: (*inbox).clone(), message: node.message.clone() };
    match show::source(&target) {
        Ok(source) => {
            let part = body::Part::of(&show::body(&target, &source), 0);
            if let Some(next) = part.next {
                doc.warnings.push(format!("cut: read_message with cursor {next} gives the rest"));
            }
            doc.with_body(&part.text, &call.nonce)
        }
        Err(report) => {
            doc.warnings.push(remark(&report.message));
            doc
        }
    }
}

fn no_thread(tag: &str, report: Report) -> Report {
    match report.kind {
        "no-such-message" => Report { message: format!("no thread and no message is called {tag:?}"), ..report },
        _ => report,
    }
}
