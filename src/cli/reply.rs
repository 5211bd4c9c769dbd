//! `reply`: an answer into the sender's inbox, then – if asked for – a mark on what it answers.

use super::Run;
use super::args::ReplyArgs;
use super::compose::{self, Given};
use super::draft::{Sent, Text};
use super::out::{Fail, Out, Outcome};
use crate::model::event::EventKind;
use crate::ops::advance::quoted;
use crate::ops::compose::{People, into_inbox};
use crate::ops::refs::{Target, Want};
use crate::ops::reply::{Answer, Wanted};
use crate::ops::{advance, deliver, reply};
use crate::text::draft::Key;

/// What a draft may say: what it answers is settled.
const USABLE: [Key; 10] =
    [Key::From, Key::To, Key::Cc, Key::Bcc, Key::Subject, Key::Type, Key::Priority, Key::Tags, Key::Thread, Key::Origin];

pub fn run(run: &Run<'_>, args: &ReplyArgs, out: &mut Out) -> Outcome {
    let target = run.target(&args.reference, Want::Live)?;
    let wanted = Wanted {
        from: args.letter.from.clone(),
        to: args.to.clone(),
        all: args.all,
        subject: args.subject.clone(),
        ..Wanted::default()
    };
    // What is wrong with people must not cost a text; a file's own header may still put it right.
    let first = prepare(run, &target, &wanted);
    let may_be_mended = !args.letter.edit && !super::draft::is_given(&args.letter);
    let first = if may_be_mended { first.ok() } else { Some(first?) };
    let known = first.as_ref().map(known_of).unwrap_or_default();
    let given = Given {
        people: known.clone(),
        subject: first.as_ref().map(|answer| answer.subject.as_str()),
        in_reply_to: None,
        kind: "reply",
        thread: target.message.header.thread.clone().filter(|thread| !thread.trim().is_empty()),
    };
    let text = Text::read(run, &args.letter, &USABLE, &given.known(run, &args.letter, &USABLE))?;
    let wanted = with_header(wanted, &known, &text);
    let sent = send(run, args, &target, &given, &wanted, &text, out);
    text.settle(&format!("reply {}", quoted(&args.reference)), sent, run, out)
}

fn known_of(answer: &Answer) -> People {
    People {
        from: Some(answer.sender.clone()),
        to: answer.addressed.to.clone(),
        cc: answer.addressed.cc.clone(),
        bcc: Vec::new(),
    }
}

/// What is wanted once the header of the text was read. What an editor gave back as it stood in the
/// template says nothing new.
fn with_header(wanted: Wanted, known: &People, text: &Text) -> Wanted {
    let new = |values: &[String], known: &[String]| (values != known).then(|| values.to_vec());
    let (to, cc) = (text.draft.all(Key::To), text.draft.all(Key::Cc));
    let from = text.draft.get(Key::From).filter(|from| Some(*from) != known.from.as_deref());
    Wanted {
        from: if text.edited { from.map(str::to_owned).or(wanted.from) } else { text.or(wanted.from.as_deref(), Key::From) },
        to: match new(to, &known.to) {
            Some(to) if !to.is_empty() && (text.edited || wanted.to.is_empty()) => to,
            _ => wanted.to,
        },
        cc: if text.edited { new(cc, &known.cc) } else { new(cc, &[]) },
        bcc: text.draft.all(Key::Bcc).to_vec(),
        all: wanted.all,
        subject: text.or(wanted.subject.as_deref(), Key::Subject),
    }
}

fn prepare(run: &Run<'_>, target: &Target, wanted: &Wanted) -> Result<Answer, Fail> {
    let into = if wanted.to.is_empty() { None } else { into_inbox(&run.standpoint.inbox, &run.inboxes())? };
    Ok(reply::prepare(&run.session, &run.reachable(), into, target, wanted)?)
}

fn send(
    run: &Run<'_>,
    args: &ReplyArgs,
    target: &Target,
    given: &Given<'_>,
    wanted: &Wanted,
    text: &Text,
    out: &mut Out,
) -> Result<Sent, Fail> {
    let answer = prepare(run, target, wanted)?;
    let mut letter = given.letter(run, &args.letter, text)?;
    answer.addressed.name_in(&mut letter);
    letter.from = answer.sender;
    letter.subject = answer.subject;
    letter.in_reply_to = Some(answer.in_reply_to);
    compose::lint(&letter, None, args.letter.strict, out)?;
    let delivery = deliver::deliver(&run.session, &letter, &answer.addressed.copies, EventKind::Reply, args.letter.dry_run)?;
    let delivered = delivery.failed.is_empty();
    let sent = compose::tell(run, &delivery, args.letter.dry_run, out)?;
    let Some(status) = args.mark.filter(|_| delivered) else { return Ok(sent) };
    let options = advance::Options { dry_run: args.letter.dry_run, ..advance::Options::default() };
    match advance::mark(&run.session, target, status, &options) {
        Ok(marked) => {
            out.remark(format!("{}: {} → {}", marked.message.id, marked.before, marked.message.status));
            super::say(out, &marked.warnings);
            Ok(sent)
        }
        // The answer is delivered: that stands, and what did not work is said beside it.
        Err(report) => {
            out.failure(&report);
            out.flush().map_err(Fail::Output)?;
            Ok(Sent { exit: sent.exit.worst(report.exit), ..sent })
        }
    }
}
