//! `receive`: every unread message of one's own inboxes, printed and then marked read.

use super::Run;
use super::args::{ReadArgs, ReceiveArgs, Refs};
use super::out::{Out, Outcome, troubles};
use crate::error::Exit;
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
    let actor = run.session.actor.as_ref();
    let mine: Vec<_> = run.inboxes().into_iter().filter(|i| actor.is_none_or(|a| i.is_owned_by(a.as_str()))).collect();
    let mut found = find::list(&run.session, &mine, &query, Sort::Oldest, args.limit);
    found.unlooked.extend(run.problems(out));
    let exit = out.unlooked(&found.unlooked);
    if found.messages.is_empty() {
        if out.json {
            view::list(out.data(), &found.messages, 0, 0, &troubles(&found.unlooked))?;
        } else {
            out.remark("nothing unread");
        }
        return Ok(exit);
    }
    let refs = found.messages.iter().map(super::super::model::message::Message::path_ref).collect();
    let done = super::read::run(run, &ReadArgs { refs: Refs { refs } }, out)?;
    if found.more > 0 {
        out.remark(format!("+{} more; `postroom receive` again prints them", found.more));
    }
    Ok(Exit::worst(exit, done))
}
