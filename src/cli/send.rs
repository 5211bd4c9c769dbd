//! `send`: a new message, one copy for each inbox it is for.

use super::Run;
use super::args::{LetterArgs, SendArgs};
use super::compose::{self, Composed, Given};
use super::out::{Out, Outcome};
use crate::error::{Exit, Report};
use crate::model::event::EventKind;
use crate::ops::compose::{into_inbox, sender};
use crate::ops::{deliver, reply};

pub fn run(run: &Run<'_>, args: &SendArgs, out: &mut Out) -> Outcome {
    let sender = sender(&run.session, args.letter.from.as_deref(), None)?;
    let (to, text) = split(args)?;
    let given = Given {
        args: &text,
        to: &to,
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
