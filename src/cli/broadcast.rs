//! `broadcast`: one message to every owner in scope but the sender.

use super::Run;
use super::args::BroadcastArgs;
use super::compose::{self, Given};
use super::draft::{Sent, Text};
use super::out::{Fail, Out, Outcome};
use crate::model::event::EventKind;
use crate::ops::compose::{People, sender};
use crate::ops::{deliver, reply};
use crate::text::draft::Key;

/// What a draft may say: whom it is for is settled.
const USABLE: [Key; 8] = [Key::From, Key::Subject, Key::Type, Key::Priority, Key::Tags, Key::Thread, Key::InReplyTo, Key::Origin];

pub fn run(run: &Run<'_>, args: &BroadcastArgs, out: &mut Out) -> Outcome {
    let people = People { from: args.letter.from.clone(), ..People::default() };
    let given = Given { people, subject: args.subject.as_deref(), kind: "note", ..Given::default() };
    let text = Text::read(run, &args.letter, &USABLE, &given.known(run, &args.letter, &USABLE))?;
    let sent = send(run, args, &given, &text, out);
    text.settle("broadcast", sent, run, out)
}

fn send(run: &Run<'_>, args: &BroadcastArgs, given: &Given<'_>, text: &Text, out: &mut Out) -> Result<Sent, Fail> {
    let mut letter = given.letter(run, &args.letter, text)?;
    letter.from = sender(&run.session, given.people(text).from.as_deref(), None)?;
    let inboxes = if run.standpoint.inbox.is_empty() { run.reachable() } else { run.inboxes() };
    let all = deliver::everyone(&run.session, &inboxes, &letter.from)?;
    all.name_in(&mut letter);
    let mut odd = None;
    if let Some(parent) = letter.in_reply_to.take() {
        let (parent, remark) = reply::named(&run.session, &run.inboxes(), &parent, &all.copies)?;
        letter.in_reply_to = Some(parent);
        odd = remark;
    }
    compose::lint(&letter, odd, args.letter.strict, out)?;
    let delivery = deliver::deliver(&run.session, &letter, &all.copies, EventKind::Send, args.letter.dry_run)?;
    compose::tell(run, &delivery, args.letter.dry_run, out)
}
