//! `send_message`: a new message, one copy for each inbox it is for.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{Call, Hints, IMPORTANCES, Tool};
use crate::error::{Exit, Report};
use crate::mcp::answer::Answer;
use crate::mcp::arguments::{Kind, may, must};
use crate::mcp::shapes;
use crate::model::event::EventKind;
use crate::model::letter::Letter;
use crate::model::message::Priority;
use crate::ops::compose::{People, settle};
use crate::ops::deliver::{self, Delivery};
use crate::ops::{lint, reply};
use crate::render::agent::{FailedDoc, MessageDoc, line, reference, remark};

pub const TOOL: Tool = Tool {
    name: "send_message",
    title: "Send a message",
    about: "Puts a message into the inboxes of one or more agents; list_agents says who there is. One topic a message, with file \
            references; no secrets. A name that nobody has is an error, and nothing is sent then.",
    params: &[
        must("to", Kind::Texts, "whom it is for: an agent's name, an alias, or NAME (PROJECT); one or a list"),
        may("body", Kind::Text, "the text, Markdown"),
        may("content", Kind::Content, "the text in the structured form of MAP clients, instead of body"),
        may("subject", Kind::Text, "what it is about, one line; left out: the first line of the text"),
        may("from", Kind::Text, "who sends it; left out: the agent this server acts for"),
        may("threadTag", Kind::Text, "the conversation it belongs to"),
        may("inReplyTo", Kind::Text, "the message it answers: a ref or id"),
        may("importance", Kind::Word(IMPORTANCES), "how urgent it is (default normal)"),
        may("type", Kind::Text, "bug-report, note (the default), question, reply, request, review-request, or another word"),
        may("cc", Kind::Texts, "who gets a copy"),
        may("bcc", Kind::Texts, "who gets a copy that the others don't see"),
        may("tags", Kind::Texts, "tags"),
        may("inbox", Kind::Text, "put it into this inbox outright: a name of list_inboxes"),
        may("dryRun", Kind::Flag, "only say what would be sent, and where"),
    ],
    hints: Hints { read_only: false, idempotent: false, open_world: false },
    output: sent_shape,
    run,
};

/// What sending and answering give back.
pub fn sent_shape() -> Value {
    let mut shape = shapes::changed(json!({"ok": shapes::flag(), "messageId": shapes::text(), "marked": shapes::text()}));
    if let Some(needed) = shape.get_mut("required").and_then(Value::as_array_mut) {
        needed.extend(["ok", "messageId"].map(Value::from));
    }
    shape
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Doc {
    ok: bool,
    message_id: String,
    messages: Vec<MessageDoc>,
    failed: Vec<FailedDoc>,
    dry_run: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    marked: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

fn run(call: &Call<'_>) -> Result<Answer, Report> {
    let (run, args) = (&call.run, &call.args);
    let people =
        People { from: args.text("from").map(str::to_owned), to: args.texts("to"), cc: args.texts("cc"), bcc: args.texts("bcc") };
    let into = super::into(call)?;
    let body = text(call)?;
    let subject = args.text("subject").map_or_else(|| first_line(&body), str::to_owned);
    let mut letter = letter(call, subject, body, "note");
    let copies = settle(&run.session, &run.reachable(), into, &people, &mut letter)?.copies;
    let mut remarks = Vec::new();
    if let Some(text) = args.text("inReplyTo") {
        let (parent, odd) = reply::named(&run.session, &run.inboxes(), text, &copies)?;
        letter.in_reply_to = Some(parent);
        remarks.extend(odd);
    }
    let dry_run = args.flag("dryRun").unwrap_or(false);
    let mut delivery = deliver::deliver(&run.session, &letter, &copies, EventKind::Send, dry_run)?;
    delivery.warnings.extend(remarks);
    sent(&letter, &delivery, dry_run, None)
}

/// A letter with what the arguments say of it, still without people.
pub fn letter(call: &Call<'_>, subject: String, body: String, kind: &str) -> Letter {
    let args = &call.args;
    Letter {
        from: String::new(),
        to: Vec::new(),
        cc: Vec::new(),
        bcc: None,
        subject,
        sent: call.run.session.clock,
        kind: args.text("type").unwrap_or(kind).to_owned(),
        priority: args.text("importance").map_or(Priority::Normal, Priority::parse),
        tags: args.texts("tags"),
        thread: args.text("threadTag").map(str::to_owned),
        in_reply_to: None,
        origin: None,
        body,
    }
}

/// Tells what was delivered.
///
/// # Errors
/// Nothing was: the first failure.
pub fn sent(letter: &Letter, delivery: &Delivery, dry_run: bool, marked: Option<String>) -> Result<Answer, Report> {
    if let (Some((_, report)), true) = (delivery.failed.first(), delivery.delivered.is_empty()) {
        return Err(report.clone());
    }
    let remarks = delivery.remarks.iter().map(|r| remark(r));
    let lint = lint::remarks(letter);
    let warnings = lint.iter().chain(&delivery.warnings).map(|w| remark(&w.text));
    let doc = Doc {
        ok: delivery.failed.is_empty(),
        message_id: delivery.delivered.first().map(|d| reference(&d.message)).unwrap_or_default(),
        messages: delivery.delivered.iter().map(|d| MessageDoc::of(&d.message)).collect(),
        failed: delivery.failed.iter().map(|(name, r)| FailedDoc::of(name, r)).collect(),
        dry_run,
        marked,
        warnings: remarks.chain(warnings).take(8).collect(),
    };
    Answer::of(&doc)
}

/// The text of a new message: what `content` holds, else `body`.
///
/// # Errors
/// There is none.
pub fn text(call: &Call<'_>) -> Result<String, Report> {
    let args = &call.args;
    // Where both are given, the structured one counts, as with the MAP tools.
    let content = args.text("content").map(str::to_owned).or_else(|| args.object("content").map(structured));
    let text = content.or_else(|| args.text("body").map(str::to_owned));
    text.filter(|text| !text.trim().is_empty())
        .ok_or_else(|| Report::new("no-body", Exit::Usage, "the message has no text; nothing was sent").hint("give it as `body`"))
}

/// Structured content as text: its text, or the whole of it as JSON in a fenced block.
fn structured(content: &Map<String, Value>) -> String {
    match content.get("text").and_then(Value::as_str) {
        Some(text) if content.get("type").and_then(Value::as_str) == Some("text") => text.to_owned(),
        _ => {
            let json = serde_json::to_string_pretty(content).unwrap_or_default();
            // A fence longer than any run of backticks in it.
            let longest = json.split(|c| c != '`').map(str::len).max().unwrap_or(0);
            let fence = "`".repeat(longest.max(2) + 1);
            format!("{fence}json\n{json}\n{fence}\n")
        }
    }
}

/// A subject for a message that was given none.
fn first_line(body: &str) -> String {
    let first = body.lines().map(|l| l.trim().trim_start_matches(['#', '>', '-', '*', ' '])).find(|l| !l.is_empty());
    line(first.unwrap_or("(no subject)"), 80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_made_of_the_text() {
        assert_eq!(first_line("\n# Cache keys\n\nmore"), "Cache keys");
        assert_eq!(first_line("---"), "(no subject)");
        assert!(first_line(&"long ".repeat(100)).chars().count() <= 80);
    }

    #[test]
    fn structured_content_is_kept_whole() {
        let content = |value: Value| structured(value.as_object().unwrap());
        assert_eq!(content(json!({"type": "text", "text": "hi"})), "hi");
        let text = content(json!({"type": "event", "event": "a ``` b"}));
        assert!(text.starts_with("````json\n") && text.ends_with("\n````\n") && text.contains("a ``` b"), "{text}");
    }
}
