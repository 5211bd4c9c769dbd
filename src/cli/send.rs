//! `send`: a new message, one copy for each inbox it is for.

use super::Run;
use super::args::SendArgs;
use super::compose::{self, Composed, Given};
use super::out::{Out, Outcome};
use crate::model::event::EventKind;
use crate::ops::compose::{into_inbox, sender};
use crate::ops::{deliver, reply};

pub fn run(run: &Run<'_>, args: &SendArgs, out: &mut Out) -> Outcome {
    let sender = sender(&run.session, args.letter.from.as_deref(), None)?;
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
    let into = into_inbox(&run.standpoint.inbox, &run.inboxes())?;
    let copies = deliver::address(&run.session, &inboxes, &to, &|_| into)?;
    if let Some(text) = &args.in_reply_to {
        letter.in_reply_to = Some(reply::named(&run.session, &run.inboxes(), text, &copies));
    }
    compose::lint(&letter, args.letter.strict, out)?;
    let delivery = deliver::deliver(&run.session, &letter, &copies, EventKind::Send, args.letter.dry_run)?;
    compose::tell(run, &delivery, args.letter.dry_run, out)
}
