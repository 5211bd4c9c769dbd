//! `reply`: an answer into the sender's inbox, then – if asked for – a mark on what it answers.

use super::send::{letter, sent, sent_shape, text};
use super::{Call, Hints, IMPORTANCES, STATUSES, Tool};
use crate::error::Report;
use crate::mcp::answer::Answer;
use crate::mcp::arguments::{Kind, may, must};
use crate::model::event::EventKind;
use crate::model::letter::Letter;
use crate::model::status::Status;
use crate::ops::refs::Want;
use crate::ops::reply::Wanted;
use crate::ops::{advance, deliver, reply};
use crate::render::agent::remark;

pub const TOOL: Tool = Tool {
    name: "reply",
    title: "Reply to a message",
    about: "Answers a message: the answer goes to its sender's inbox and names what it answers, in the same thread. mark then sets \
            a status on the message answered, such as actioned.",
    params: &[
        must("ref", Kind::Text, "the message to answer: a ref or id of another result, a file name, path or URI"),
        may("body", Kind::Text, "the text, Markdown"),
        may("content", Kind::Content, "the text in the structured form of MAP clients, instead of body"),
        may("from", Kind::Text, "who answers; left out: the agent this server acts for, else the owner of the inbox"),
        may("all", Kind::Flag, "answer everybody the message was for"),
        may("to", Kind::Texts, "answer these instead of the sender"),
        may("subject", Kind::Text, "another subject than Re: and the old one"),
        may("importance", Kind::Word(IMPORTANCES), "how urgent it is (default normal)"),
        may("type", Kind::Text, "its type (default reply)"),
        may("threadTag", Kind::Text, "another thread than that of the message"),
        may("tags", Kind::Texts, "tags"),
        may("mark", Kind::Word(STATUSES), "set this status on the message once the answer is delivered"),
        may("inbox", Kind::Text, "with to: put it into this inbox outright, a name of list_inboxes"),
        may("dryRun", Kind::Flag, "only say what would be sent, and where"),
    ],
    hints: Hints { read_only: false, idempotent: false, open_world: false },
    output: sent_shape,
    run,
};

fn run(call: &Call<'_>) -> Result<Answer, Report> {
    let (run, args) = (&call.run, &call.args);
    let target = call.target(args.text("ref").unwrap_or_default(), Want::Live)?;
    let body = text(call)?;
    let wanted = Wanted {
        from: args.text("from").map(str::to_owned),
        to: args.texts("to"),
        all: args.flag("all").unwrap_or(false),
        subject: args.text("subject").map(str::to_owned),
        ..Wanted::default()
    };
    let into = if wanted.to.is_empty() { None } else { super::into(call)? };
    let answer = reply::prepare(&run.session, &run.reachable(), into, &target, &wanted)?;
    let parts = letter(call, answer.subject, body, "reply");
    let letter = Letter {
        from: answer.sender,
        to: answer.addressed.to,
        cc: answer.addressed.cc,
        in_reply_to: Some(answer.in_reply_to),
        thread: parts.thread.clone().or(answer.thread),
        ..parts
    };
    let dry_run = args.flag("dryRun").unwrap_or(false);
    let delivery = deliver::deliver(&run.session, &letter, &answer.addressed.copies, EventKind::Reply, dry_run)?;
    let status = args.text("mark").and_then(Status::from_word).filter(|_| delivery.failed.is_empty());
    let marked = status.map(|status| {
        let options = advance::Options { dry_run, ..advance::Options::default() };
        // The answer is delivered: that stands, and what did not work is said beside it.
        match advance::mark(&run.session, &target, status, &options) {
            Ok(marked) => format!("{} is {}", remark(marked.message.id.as_str()), marked.message.status),
            Err(report) => remark(&format!("not marked: {}", report.message)),
        }
    });
    sent(&letter, &delivery, dry_run, marked)
}
