//! `broadcast`: one message to every owner in scope but the sender.

use super::Run;
use super::args::BroadcastArgs;
use super::compose::{self, Composed, Given};
use super::out::{Out, Outcome};
use crate::model::event::EventKind;
use crate::ops::compose::sender;
use crate::ops::deliver;

pub fn run(run: &Run<'_>, args: &BroadcastArgs, out: &mut Out) -> Outcome {
    let sender = sender(&run.session, args.letter.from.as_deref(), None)?;
    let inboxes = if run.standpoint.inbox.is_empty() { run.reachable() } else { run.inboxes() };
    let copies = deliver::everyone(&run.session, &inboxes, &sender)?;
    let given = Given {
        args: &args.letter,
        to: &[],
        cc: &[],
        bcc: &[],
        subject: args.subject.as_deref(),
        in_reply_to: None,
        kind: "note",
        thread: None,
        sender,
    };
    let Composed { mut letter, .. } = compose::compose(run, given)?;
    letter.to = deliver::names(&copies);
    letter.to.dedup();
    compose::lint(&letter, args.letter.strict, out)?;
    let delivery = deliver::deliver(&run.session, &letter, &copies, EventKind::Send, args.letter.dry_run)?;
    compose::tell(run, &delivery, args.letter.dry_run, out)
}
