//! `read_message`: one message, whole; a long one in parts. Changes nothing.

use serde::Serialize;
use serde_json::json;

use super::{Call, Hints, Tool};
use crate::error::{Exit, Report};
use crate::mcp::answer::Answer;
use crate::mcp::arguments::{Kind, may, must};
use crate::mcp::{body, shapes};
use crate::ops::refs::Want;
use crate::ops::show;
use crate::render::agent::{MessageDoc, NOTE};

pub const TOOL: Tool = Tool {
    name: "read_message",
    title: "Read a message",
    about: "One message with its whole text, live or archived; a long text comes in parts, by nextCursor. Its status stays as it \
            is: mark_status says that it was read or dealt with.",
    params: &[
        must(
            "ref",
            Kind::Text,
            "the message: a ref or id of another result, a file name or path, a unique part of one, or its URI",
        ),
        may("cursor", Kind::Text, "nextCursor of an earlier result, for the next part"),
    ],
    hints: Hints { read_only: true, idempotent: true, open_world: true },
    output: || {
        shapes::object(
            json!({"note": shapes::text(), "message": shapes::message(), "bytes": shapes::number(), "nextCursor": shapes::text()}),
            &["note", "message", "bytes"],
        )
    },
    run,
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Doc {
    note: &'static str,
    message: MessageDoc,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

fn run(call: &Call<'_>) -> Result<Answer, Report> {
    let target = call.target(call.args.text("ref").unwrap_or_default(), Want::Live)?;
    let from = call.args.text("cursor").map_or(Ok(0), str::parse).map_err(|_| {
        Report::new("bad-cursor", Exit::Usage, "the cursor is none that this tool gave out; without it the text starts anew")
    })?;
    let source = show::source(&target)?;
    let part = body::Part::of(&show::body(&target, &source), from);
    let message = MessageDoc::of(&target.message).with_body(&part.text, &call.nonce);
    let next_cursor = part.next.map(|n| n.to_string());
    Answer::of(&Doc { note: NOTE, message, bytes: part.total, next_cursor })
}
