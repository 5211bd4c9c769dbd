//! `send`: a new message, one copy for each inbox it is for.

use super::Run;
use super::args::SendArgs;
use super::compose::{self, Composed, Given};
use super::out::{Out, Outcome};
use crate::error::{Exit, Report};
use crate::model::event::EventKind;
use crate::model::inbox::Inbox;
use crate::ops::refs::Want;
use crate::ops::{deliver, reply};

pub fn run(run: &Run<'_>, args: &SendArgs, out: &mut Out) -> Outcome {
    let sender = compose::sender(run, &args.letter, None)?;
    let given = Given {
        args: &args.letter,
        to: &args.to,
        cc: &args.cc,
        bcc: &args.bcc,
        subject: args.subject.as_deref(),
        in_reply_to: args.in_reply_to.clone(),
        kind: "note",
        thread: None,
        sender,
    };
    let Composed { mut letter, to } = compose::compose(run, given)?;
    let inboxes = run.reachable();
    let into = named(run)?;
    let copies = deliver::address(&run.session, &inboxes, &to, &|_| into)?;
    // What answers a message names it by the convention; what names none is passed on as written.
    if let Some(reference) = &args.in_reply_to
        && let Ok(target) = run.target(reference, Want::Live)
    {
        letter.in_reply_to = Some(reply::reference(&run.session, &target, copies.first().map(deliver::Copy::inbox)));
    }
    compose::lint(&letter, args.letter.strict, out)?;
    let delivery = deliver::deliver(&run.session, &letter, &copies, EventKind::Send, args.letter.dry_run)?;
    compose::tell(run, &delivery, args.letter.dry_run, out)
}

/// The one inbox that `--inbox` names outright.
pub fn named<'r>(run: &'r Run<'_>) -> Result<Option<&'r Inbox>, Report> {
    if run.globals.inbox.is_empty() {
        return Ok(None);
    }
    match run.inboxes().as_slice() {
        [inbox] => Ok(Some(inbox)),
        several => {
            let text = format!("--inbox names {} inboxes; a message is put into one", several.len());
            Err(Report::new("ambiguous-inbox", Exit::NotFound, text).next("postroom inboxes"))
        }
    }
}
