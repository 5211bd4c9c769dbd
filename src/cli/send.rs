//! `send`: a new message, one copy for each inbox it is for.

use super::Run;
use super::args::{LetterArgs, SendArgs};
use super::compose::{self, Given};
use super::draft::{Sent, Text};
use super::out::{Fail, Out, Outcome};
use crate::error::{Exit, Report};
use crate::model::event::EventKind;
use crate::ops::compose::{People, into_inbox};
use crate::ops::{deliver, reply};
use crate::text::draft::Key;

pub fn run(run: &Run<'_>, args: &SendArgs, out: &mut Out) -> Outcome {
    let (to, letter_args) = split(args)?;
    let given = Given {
        people: People { from: letter_args.from.clone(), to, cc: args.cc.clone(), bcc: args.bcc.clone() },
        subject: args.subject.as_deref(),
        in_reply_to: args.in_reply_to.as_deref(),
        kind: "note",
        thread: None,
    };
    let text = compose::text(run, &letter_args, &given, &Key::ALL)?;
    let sent = send(run, &letter_args, &given, &text, out);
    text.settle("send", sent, run, out)
}

fn send(run: &Run<'_>, args: &LetterArgs, given: &Given<'_>, text: &Text, out: &mut Out) -> Result<Sent, Fail> {
    let mut letter = given.letter(run, args, text)?;
    let into = into_inbox(&run.standpoint.inbox, &run.inboxes())?;
    let copies = compose::settle(run, into, &given.people(text), &mut letter)?.copies;
    let mut odd = None;
    if let Some(parent) = letter.in_reply_to.take() {
        let (parent, remark) = reply::named(&run.session, &run.inboxes(), &parent, &copies)?;
        letter.in_reply_to = Some(parent);
        odd = remark;
    }
    compose::lint(&letter, odd, args.strict, out)?;
    let delivery = deliver::deliver(&run.session, &letter, &copies, EventKind::Send, args.dry_run)?;
    compose::tell(run, &delivery, args.dry_run, out)
}

/// What the words behind the command are: `send TARGET MESSAGE`, or with `--to` the message alone.
fn split(args: &SendArgs) -> Result<(Vec<String>, LetterArgs), Report> {
    let mut letter = args.letter.clone();
    match (&args.target, args.to.is_empty()) {
        (None, _) => Ok((args.to.clone(), letter)),
        (Some(target), true) => Ok((vec![target.clone()], letter)),
        (Some(text), false) => {
            let given = [letter.message.is_some(), letter.body.is_some(), letter.file.is_some(), letter.edit];
            if given.contains(&true) {
                let why = format!("with --to, {text:?} would be the message, and there is another one");
                return Err(Report::new("usage", Exit::Usage, why).hint("send TARGET MESSAGE, or send --to NAME MESSAGE"));
            }
            letter.message = Some(text.clone());
            Ok((args.to.clone(), letter))
        }
    }
}
