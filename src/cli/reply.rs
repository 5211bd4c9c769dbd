//! `reply`: an answer into the sender's inbox, then – if asked for – a mark on what it answers.

use super::Run;
use super::args::ReplyArgs;
use super::compose::{self, Composed, Given};
use super::out::{Fail, Out, Outcome};
use super::send::named;
use crate::model::event::EventKind;
use crate::ops::advance;
use crate::ops::refs::Want;
use crate::ops::{deliver, reply};

pub fn run(run: &Run<'_>, args: &ReplyArgs, out: &mut Out) -> Outcome {
    let target = run.target(&args.reference, Want::Live)?;
    let sender = compose::sender(run, &args.letter, Some(target.inbox.owner.as_str()))?;
    let (mut to, cc) = if args.to.is_empty() {
        reply::recipients(&target, &sender, args.all)?
    } else {
        (compose::parsed(&args.to)?, Vec::new())
    };
    let names = |list: &[crate::model::name::Recipient]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    let inboxes = run.reachable();
    let all = deliver::Recipients { to: std::mem::take(&mut to), cc, bcc: Vec::new() };
    // A ref narrowed to one inbox says where the message lies, not where the answer goes.
    let (into, address) = if args.to.is_empty() { (None, reply::address(&run.session, &target)?) } else { (named(run)?, None) };
    let copies = deliver::address(&run.session, &inboxes, &all, &|to| into.or(address.filter(|_| all.to.contains(to))))
        .map_err(|report| report.hint("name the inbox of the answer with --to NAME, or --to NAME --inbox INBOX"))?;
    let original = target.message.header.subject.as_deref().unwrap_or(&target.message.shown.subject);
    let subject = args.subject.clone().unwrap_or_else(|| reply::subject(original));
    let given = Given {
        args: &args.letter,
        to: &names(&all.to),
        cc: &names(&all.cc),
        bcc: &[],
        subject: Some(&subject),
        in_reply_to: Some(reply::reference(&run.session, &target, copies.first().map(deliver::Copy::inbox))),
        kind: "reply",
        thread: target.message.header.thread.clone(),
        sender,
    };
    let Composed { letter, .. } = compose::compose(run, given)?;
    compose::lint(&letter, args.letter.strict, out)?;
    let delivery = deliver::deliver(&run.session, &letter, &copies, EventKind::Reply, args.letter.dry_run)?;
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
