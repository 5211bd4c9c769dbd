//! `archive` and `restore`: messages into their archive and back. Several at once are asked about first,
//! where the client can ask.

use serde::Serialize;
use serde_json::json;

use super::{Call, Consent, Hints, STATUSES, Tool, each};
use crate::error::Report;
use crate::mcp::answer::Answer;
use crate::mcp::arguments::{Kind, may, must};
use crate::mcp::{ask, shapes};
use crate::model::status::Status;
use crate::ops::archive::{self, Moved, Options};
use crate::ops::refs::Want;
use crate::render::agent::{self, FailedDoc, MessageDoc, remark};

pub const TOOL: Tool = Tool {
    name: "archive",
    title: "Archive messages",
    about: "Moves handled (actioned or resolved) messages to their archive; nothing is deleted, and restore brings each back. \
            mark first sets a status, such as actioned. Several at once are confirmed by a person where the client can ask.",
    params: &[
        must("refs", Kind::Texts, "the messages: refs or ids of other results, file names, paths or URIs"),
        may("mark", Kind::Word(STATUSES), "set this status first"),
        may("force", Kind::Flag, "archive messages that are not handled; needs note"),
        may("note", Kind::Text, "why; kept in the journal"),
        may("dryRun", Kind::Flag, "only say what would be done"),
    ],
    hints: Hints { read_only: false, idempotent: true, open_world: false },
    output: || shapes::changed(json!({"moved": moved()})),
    run,
};

pub const RESTORE: Tool = Tool {
    name: "restore",
    title: "Restore messages",
    about: "Moves archived messages back into their inbox, their status as it was.",
    params: &[
        must("refs", Kind::Texts, "the archived messages: refs or ids of other results, file names, paths or URIs"),
        may("note", Kind::Text, "why; kept in the journal"),
        may("dryRun", Kind::Flag, "only say what would be done"),
    ],
    hints: Hints { read_only: false, idempotent: true, open_world: false },
    output: || shapes::changed(json!({"moved": moved()})),
    run: restore,
};

fn moved() -> serde_json::Value {
    let one = shapes::object(json!({"fromPath": shapes::text(), "toPath": shapes::text()}), &["fromPath", "toPath"]);
    shapes::list(one)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Doc {
    messages: Vec<MessageDoc>,
    moved: Vec<MovedDoc>,
    failed: Vec<FailedDoc>,
    dry_run: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MovedDoc {
    from_path: String,
    to_path: String,
}

fn run(call: &Call<'_>) -> Result<Answer, Report> {
    let args = &call.args;
    let options = Options {
        mark: args.text("mark").and_then(Status::from_word),
        force: args.flag("force").unwrap_or(false),
        note: args.text("note").map(str::to_owned),
        dry_run: args.flag("dryRun").unwrap_or(false),
    };
    let refs = args.texts("refs");
    if !options.dry_run && call.consent != Consent::CantAsk {
        let dry = Options { dry_run: true, ..options.clone() };
        let (foreseen, _) = each(call, &refs, Want::Live, |target| archive::archive(&call.run.session, target, &dry))?;
        if let Some(question) = ask::bulk(call, &foreseen.iter().map(|m| &m.message).collect::<Vec<_>>()) {
            return Ok(question);
        }
    }
    let (done, failed) = each(call, &refs, Want::Live, |target| archive::archive(&call.run.session, target, &options))?;
    told(&done, failed, options.dry_run)
}

fn restore(call: &Call<'_>) -> Result<Answer, Report> {
    let args = &call.args;
    let options = Options {
        note: args.text("note").map(str::to_owned),
        dry_run: args.flag("dryRun").unwrap_or(false),
        ..Options::default()
    };
    let move_back = |target: &_| archive::restore(&call.run.session, target, &options);
    let (done, failed) = each(call, &args.texts("refs"), Want::Archived, move_back)?;
    told(&done, failed, options.dry_run)
}

fn told(done: &[Moved], failed: Vec<FailedDoc>, dry_run: bool) -> Result<Answer, Report> {
    let doc = Doc {
        messages: done.iter().map(|m| MessageDoc::of(&m.message)).collect(),
        moved: done.iter().map(|m| MovedDoc { from_path: agent::path(&m.from_path), to_path: agent::path(&m.to_path) }).collect(),
        failed,
        dry_run,
        warnings: done.iter().flat_map(|m| &m.warnings).take(5).map(|w| remark(&w.text)).collect(),
    };
    Answer::of(&doc)
}
