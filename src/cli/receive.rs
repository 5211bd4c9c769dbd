//! `receive`: every unread message of one's own inboxes, printed and then marked read.

use super::Run;
use super::args::{ReceiveArgs, ReceiveFormat};
use super::out::{Out, Outcome, troubles};
use super::read::{self, Form};
use crate::error::{Exit, Report};
use crate::model::inbox::Inbox;
use crate::model::message::Message;
use crate::model::status::Status;
use crate::ops::find::{self, Query, Sort};
use crate::render::view;

pub fn run(run: &Run<'_>, args: &ReceiveArgs, out: &mut Out) -> Outcome {
    let query = Query {
        status: vec![Status::Unread],
        kind: args.kind.clone(),
        priority: args.priority,
        thread: args.thread.clone(),
        ..Query::default()
    };
    let mine = mine(run)?;
    let mut found = find::list(&run.session, &mine, &query, Sort::Oldest, args.limit);
    found.unlooked.extend(run.problems(out));
    let exit = out.unlooked(&found.unlooked);
    let form = match args.format {
        ReceiveFormat::Raw => Form::Raw,
        ReceiveFormat::Pretty if !out.json => Form::Usual,
        ReceiveFormat::Pretty | ReceiveFormat::Json => Form::Document,
    };
    if found.messages.is_empty() {
        if form == Form::Document {
            view::list(out.data(), &found.messages, 0, 0, &troubles(&found.unlooked))?;
        } else {
            out.remark("nothing unread");
        }
        return Ok(exit);
    }
    let refs: Vec<String> = found.messages.iter().map(Message::path_ref).collect();
    let done = read::print(run, &refs, form, out)?;
    if found.more > 0 {
        out.remark(format!("+{} more; `postroom receive` again prints them", found.more));
    }
    Ok(Exit::worst(exit, done))
}

/// One's own inboxes: those that were named outright, else those of the agent that acts. Whose mail
/// is printed and marked is never a guess.
fn mine<'r>(run: &'r Run<'_>) -> Result<Vec<&'r Inbox>, Report> {
    let inboxes = run.inboxes();
    if !run.standpoint.inbox.is_empty() {
        return Ok(inboxes);
    }
    let mut owners: Vec<String> = inboxes.iter().map(|i| i.owner.to_string()).collect();
    owners.sort();
    owners.dedup();
    let known = format!("inboxes here belong to {}", owners.join(", "));
    let Some(actor) = &run.session.actor else {
        return Err(Report::new("no-agent", Exit::Usage, "nobody knows whose mail is to be received")
            .hint(known)
            .hint("say it with --agent NAME, POSTROOM_AGENT, or `agent = \"NAME\"` in the configuration; or name an --inbox"));
    };
    let mine: Vec<_> = inboxes.into_iter().filter(|i| i.is_owned_by(actor.as_str())).collect();
    if mine.is_empty() {
        let text = format!("{actor} owns no inbox here, so there is no mail to receive");
        return Err(Report::new("no-such-agent", Exit::NotFound, text).hint(known).next("postroom inboxes"));
    }
    Ok(mine)
}
