//! `sweep`: what is handled and old goes to the archive. Only looks, unless told to do it.

use serde::Serialize;
use serde_json::json;

use super::{Call, Consent, Hints, SCOPE, STATUSES, Tool, day, statuses};
use crate::error::{Exit, Report};
use crate::mcp::answer::Answer;
use crate::mcp::arguments::{Kind, may};
use crate::mcp::ask;
use crate::mcp::shapes::{flag, list, number, object, text};
use crate::model::message::Message;
use crate::ops::sweep::{self, Options};
use crate::render::agent::{self, line, path, reference, remark};
use crate::render::shown;

/// How many messages of each kind are named.
const NAMED: usize = 40;

pub const TOOL: Tool = Tool {
    name: "sweep",
    title: "Sweep old messages",
    about: "Archives handled (actioned or resolved) messages older than two weeks, and says what stays and why. Unless dryRun is \
            false it only says what it would do. Nothing is deleted: restore brings each back.",
    params: &[
        may("dryRun", Kind::Flag, "only say what would be done (the default); false: do it"),
        may(
            "olderThan",
            Kind::Text,
            "how old: an age such as 14d or 2w, or a day YYYY-MM-DD (default: the configuration's, 14d)",
        ),
        may("before", Kind::Text, "everything handled that is dated before this day"),
        may("status", Kind::Words(STATUSES), "only messages with these statuses (default: actioned, resolved)"),
        SCOPE,
    ],
    hints: Hints { read_only: false, idempotent: true, open_world: false },
    output: || {
        let moved = object(
            json!({"ref": text(), "subject": text(), "fromPath": text(), "toPath": text()}),
            &["ref", "subject", "fromPath", "toPath"],
        );
        let stays = object(json!({"ref": text(), "reason": text()}), &["ref", "reason"]);
        object(
            json!({
                "dryRun": flag(), "archivedCount": number(), "keptCount": number(), "failedCount": number(),
                "archived": list(moved), "kept": list(stays.clone()), "failed": list(stays), "problems": list(text()),
                "warnings": list(text()),
            }),
            &["dryRun", "archivedCount", "keptCount", "failedCount", "archived", "kept", "failed"],
        )
    },
    run,
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Doc {
    dry_run: bool,
    archived_count: usize,
    kept_count: usize,
    failed_count: usize,
    archived: Vec<Swept>,
    kept: Vec<Stays>,
    failed: Vec<Stays>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Swept {
    r#ref: String,
    subject: String,
    from_path: String,
    to_path: String,
}

#[derive(Serialize)]
struct Stays {
    r#ref: String,
    reason: String,
}

fn run(call: &Call<'_>) -> Result<Answer, Report> {
    let args = &call.args;
    let (older, before) = (day(call, "olderThan")?, day(call, "before")?);
    if older.is_some() && before.is_some() {
        return Err(Report::new("bad-arguments", Exit::Usage, "olderThan and before say the same thing; give one of them"));
    }
    let dry_run = args.flag("dryRun").unwrap_or(true);
    let options = Options::new(before.or(older), statuses(call, "status"), dry_run);
    let inboxes = call.run.inboxes();
    if !dry_run && call.consent != Consent::CantAsk {
        let foreseen = sweep::sweep(&call.run.session, &inboxes, &Options { dry_run: true, ..options.clone() });
        if let Some(question) = ask::bulk(call, &foreseen.archived.iter().map(|s| &*s.message).collect::<Vec<_>>()) {
            return Ok(question);
        }
    }
    let mut swept = sweep::sweep(&call.run.session, &inboxes, &options);
    swept.unlooked.extend(call.run.places().0);
    let stays = |message: &Message, why: &str| Stays { r#ref: reference(message), reason: remark(why) };
    let doc = Doc {
        dry_run,
        archived_count: swept.archived.len(),
        kept_count: swept.kept.len(),
        failed_count: swept.failed.len(),
        archived: swept.archived.iter().take(NAMED).map(|s| told(&s.message, &s.to_path)).collect(),
        kept: swept.kept.iter().take(NAMED).map(|k| stays(&k.message, &k.reason)).collect(),
        failed: swept.failed.iter().take(NAMED).map(|(message, report)| stays(message, &report.message)).collect(),
        warnings: swept.warnings.iter().take(5).map(|w| remark(&w.text)).collect(),
        problems: agent::problems(&crate::mcp::troubles(&swept.unlooked)),
    };
    Answer::of(&doc)
}

fn told(message: &Message, to: &std::path::Path) -> Swept {
    Swept {
        r#ref: reference(message),
        subject: line(&message.shown.subject, shown::SUBJECT),
        from_path: path(&message.path),
        to_path: path(to),
    }
}
