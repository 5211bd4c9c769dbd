//! `mark_status`: moves messages along their lifecycle.

use serde::Serialize;
use serde_json::json;

use super::{Call, Hints, STATUSES, Tool, each};
use crate::error::Report;
use crate::mcp::answer::Answer;
use crate::mcp::arguments::{Kind, may, must};
use crate::mcp::shapes;
use crate::model::status::Status;
use crate::ops::advance::{self, Options};
use crate::ops::refs::Want;
use crate::render::agent::{FailedDoc, MessageDoc, remark};

pub const TOOL: Tool = Tool {
    name: "mark_status",
    title: "Mark messages",
    about: "Sets the status of messages: unread, read (seen), actioned (done what it asked for) or resolved (closed). Forward \
            steps are free; a step back needs reopen. Only the status word in the file changes.",
    params: &[
        must("refs", Kind::Texts, "the messages: refs or ids of other results, file names, paths or URIs"),
        must("status", Kind::Word(STATUSES), "the status to set"),
        may("reopen", Kind::Flag, "allow a step back, such as from actioned to read"),
        may("note", Kind::Text, "why; kept in the journal"),
        may("dryRun", Kind::Flag, "only say what would be done"),
    ],
    hints: Hints { read_only: false, idempotent: true, open_world: false },
    output: || shapes::changed(json!({"changed": shapes::number()})),
    run,
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Doc {
    messages: Vec<MessageDoc>,
    changed: usize,
    failed: Vec<FailedDoc>,
    dry_run: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

fn run(call: &Call<'_>) -> Result<Answer, Report> {
    let args = &call.args;
    let to = args.text("status").and_then(Status::from_word).unwrap_or(Status::Read);
    let options = Options {
        reopen: args.flag("reopen").unwrap_or(false),
        note: args.text("note").map(str::to_owned),
        dry_run: args.flag("dryRun").unwrap_or(false),
    };
    let mark = |target: &_| advance::mark(&call.run.session, target, to, &options);
    let (done, failed) = each(call, &args.texts("refs"), Want::Live, mark)?;
    let doc = Doc {
        messages: done.iter().map(|m| MessageDoc::of(&m.message)).collect(),
        changed: done.iter().filter(|m| m.changed).count(),
        failed,
        dry_run: options.dry_run,
        warnings: done.iter().flat_map(|m| &m.warnings).take(5).map(|w| remark(&w.text)).collect(),
    };
    Answer::of(&doc)
}
