//! `receive`: every unread message of one's own inboxes, printed and then marked read.

use super::Run;
use super::args::{ReceiveArgs, ReceiveFormat};
use super::out::{Out, Outcome, troubles};
use super::read::{self, Form};
use crate::error::Exit;
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
    let actor = run.session.actor.as_ref();
    let mine: Vec<_> = run.inboxes().into_iter().filter(|i| actor.is_none_or(|a| i.is_owned_by(a.as_str()))).collect();
    let mut found = find::list(&run.session, &mine, &query, Sort::Oldest, args.limit);
    found.unlooked.extend(run.problems(out));
    let exit = out.unlooked(&found.unlooked);
    let form = match args.format {
        ReceiveFormat::Raw => Form::Raw,
        ReceiveFormat::Pretty if !out.json => Form::Usual,
        ReceiveFormat::Pretty | ReceiveFormat::Json => Form::Texts,
    };
    if found.messages.is_empty() {
        if form == Form::Texts {
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
