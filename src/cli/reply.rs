//! `reply`: an answer into the sender's inbox, then – if asked for – a mark on what it answers.

use super::Run;
use super::args::ReplyArgs;
use super::compose::{self, Composed, Given};
use super::out::{Fail, Out, Outcome};
use crate::model::event::EventKind;
use crate::model::name::Recipient;
use crate::ops::compose::into_inbox;
use crate::ops::refs::Want;
use crate::ops::reply::Wanted;
use crate::ops::{advance, deliver, reply};

pub fn run(run: &Run<'_>, args: &ReplyArgs, out: &mut Out) -> Outcome {
    let target = run.target(&args.reference, Want::Live)?;
    let wanted = Wanted { from: args.letter.from.clone(), to: args.to.clone(), all: args.all, subject: args.subject.clone() };
    let into = if args.to.is_empty() { None } else { into_inbox(&run.standpoint.inbox, &run.inboxes())? };
    let answer = reply::prepare(&run.session, &run.reachable(), into, &target, &wanted)?;
    let names = |list: &[Recipient]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    let given = Given {
        args: &args.letter,
        to: &names(&answer.to.to),
        cc: &names(&answer.to.cc),
        bcc: &[],
        subject: Some(&answer.subject),
        in_reply_to: Some(answer.in_reply_to),
        kind: "reply",
        thread: answer.thread,
        sender: answer.sender,
    };
    let Composed { letter, .. } = compose::compose(run, given)?;
    compose::lint(&letter, args.letter.strict, out)?;
    let delivery = deliver::deliver(&run.session, &letter, &answer.copies, EventKind::Reply, args.letter.dry_run)?;
    let delivered = delivery.failed.is_empty();
    let exit = compose::tell(run, &delivery, args.letter.dry_run, out)?;
    let Some(status) = args.mark.filter(|_| delivered) else { return Ok(exit) };
    let options = advance::Options { dry_run: args.letter.dry_run, ..advance::Options::default() };
    match advance::mark(&run.session, &target, status, &options) {
        Ok(marked) => {
            out.remark(format!("{}: {} → {}", marked.message.id, marked.before, marked.message.status));
            super::say(out, &marked.warnings);
            Ok(exit)
        }
        // The answer is delivered: that stands, and what did not work is said beside it.
        Err(report) => {
            out.failure(&report);
            out.flush().map_err(Fail::Output)?;
            Ok(exit.worst(report.exit))
        }
    }
}
