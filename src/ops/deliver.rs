//! Putting new messages into inboxes: `send`, `broadcast`, and the last step of `reply`.
//!
//! Every recipient is resolved before the first file is written, so a wrong name leaves nothing
//! half done; every copy is a file of its own, made by a rename that replaces nothing.

use super::advance;
use super::book::{self, Address};
use super::session::Session;
use crate::error::{Exit, Report};
use crate::layout::{self, Change, Head};
use crate::model::event::{Event, EventKind};
use crate::model::inbox::Inbox;
use crate::model::letter::Letter;
use crate::model::message::{Message, Warning};
use crate::model::name::Recipient;
use crate::model::plan::{EditPlan, FileOp};
use crate::store::atomic::CommitError;
use crate::text::body;

/// How often another name is looked for when others take them at the same moment.
const MOST_TRIES: usize = 1_000;

/// Whom a message is for.
#[derive(Debug, Clone, Default)]
pub struct Recipients {
    /// Named in every copy.
    pub to: Vec<Recipient>,
    /// Named in every copy, as readers of a copy.
    pub cc: Vec<Recipient>,
    /// Named in their own copy only.
    pub bcc: Vec<Recipient>,
}

/// A copy that was, or would be, delivered.
#[derive(Debug, Clone)]
pub struct Delivered {
    /// Whom it is for.
    pub name: String,
    /// Its inbox.
    pub inbox: Inbox,
    /// The message as it lies there; for a dry run, as it would.
    pub message: Message,
}

/// What a delivery did.
#[derive(Debug, Default)]
pub struct Delivery {
    /// The copies that lie in their inboxes.
    pub delivered: Vec<Delivered>,
    /// Copies that could not be delivered.
    pub failed: Vec<Report>,
    /// How names were understood, where that is worth saying.
    pub remarks: Vec<String>,
    /// What is worth saying though it is done.
    pub warnings: Vec<Warning>,
}

/// A copy to deliver: one inbox, and whether its reader is named in the others' copies.
#[derive(Debug, Clone)]
pub struct Copy {
    address: Address,
    blind: bool,
}

impl Copy {
    /// The inbox it goes to.
    pub fn inbox(&self) -> &Inbox {
        &self.address.inbox
    }
}

/// Finds the inbox of each recipient: the one that `into` gives for it, else by its name. Nothing is
/// written.
///
/// # Errors
/// All names that have no inbox, or several, in one report.
pub fn address<'i>(
    session: &Session<'_>,
    inboxes: &[&Inbox],
    to: &Recipients,
    into: &dyn Fn(&Recipient) -> Option<&'i Inbox>,
) -> Result<Vec<Copy>, Report> {
    if to.to.is_empty() && to.cc.is_empty() && to.bcc.is_empty() {
        return Err(Report::new("no-recipient", Exit::Usage, "a message needs somebody it is for: --to NAME"));
    }
    let mut copies: Vec<Copy> = Vec::new();
    let mut faults: Vec<Report> = Vec::new();
    let groups = [(&to.to, false), (&to.cc, false), (&to.bcc, true)];
    for (recipient, blind) in groups.into_iter().flat_map(|(list, blind)| list.iter().map(move |r| (r, blind))) {
        let found = match into(recipient) {
            Some(inbox) => Ok(Address { name: recipient.to_string(), inbox: inbox.clone(), remark: None }),
            None => book::find(session, inboxes, recipient),
        };
        match found.and_then(|address| sendable(&address.inbox).map(|()| address)) {
            // Two names of one inbox get one copy between them.
            Ok(address) if copies.iter().any(|c| c.address.inbox.path == address.inbox.path && (!blind || c.blind == blind)) => {}
            Ok(address) => copies.push(Copy { address, blind }),
            Err(report) => faults.push(report),
        }
    }
    match faults.len() {
        0 => Ok(copies),
        1 => Err(faults.swap_remove(0)),
        _ => {
            let all: Vec<_> = faults.iter().map(|f| f.message.clone()).collect();
            let mut report = Report::new("unknown-recipient", Exit::NotFound, all.join("; "));
            report.hints = faults.into_iter().flat_map(|f| f.hints).collect();
            report.hints.dedup();
            Err(report.next("postroom inboxes"))
        }
    }
}

/// Copies for every owner in scope but the sender.
///
/// # Errors
/// There is nobody else: a message that would reach nobody is an error.
pub fn everyone(session: &Session<'_>, inboxes: &[&Inbox], sender: &str) -> Result<Vec<Copy>, Report> {
    let all = book::everyone(session, inboxes, sender);
    if all.is_empty() {
        let text = "there is no inbox in scope but the sender's; nothing was sent";
        return Err(Report::new("nobody", Exit::NotFound, text).next("postroom inboxes"));
    }
    Ok(all.into_iter().map(|address| Copy { address, blind: false }).collect())
}

/// The names that copies go to.
pub fn names(copies: &[Copy]) -> Vec<String> {
    copies.iter().map(|c| c.address.name.clone()).collect()
}

/// Writes every copy. One that fails does not stop the rest.
///
/// # Errors
/// The letter itself can't be a message; nothing was written then.
pub fn deliver(
    session: &Session<'_>,
    letter: &Letter,
    copies: &[Copy],
    kind: EventKind,
    dry_run: bool,
) -> Result<Delivery, Report> {
    check(letter)?;
    let mut out = Delivery::default();
    for Copy { address, blind } in copies {
        out.remarks.extend(address.remark.clone());
        let mut letter = letter.clone();
        letter.bcc = blind.then(|| address.name.clone());
        match one(session, &letter, address, kind, dry_run) {
            Ok((delivered, warning)) => {
                out.delivered.push(delivered);
                out.warnings.extend(warning);
            }
            Err(report) => out.failed.push(report),
        }
    }
    Ok(out)
}

fn one(
    session: &Session<'_>,
    letter: &Letter,
    address: &Address,
    kind: EventKind,
    dry_run: bool,
) -> Result<(Delivered, Option<Warning>), Report> {
    let inbox = &address.inbox;
    let own = |i: &&Inbox| i.layout == inbox.layout && i.is_owned_by(&letter.from);
    let owned = session.found.inboxes.iter().filter(own);
    // Of several the one beside the recipient's, so that the two know each other's place.
    let sender = owned.min_by_key(|i| i.project != inbox.project);
    let change = Change::Deliver { letter, recipient: &address.name, sender };
    let mut tries = 0;
    let (done, plan) = loop {
        let plan = layout::of(inbox.layout)
            .plan(&session.context(inbox), &change)
            .map_err(|refusal| Report::failed(refusal.kind, format!("{}: {refusal}", inbox.name)).at(&inbox.path))?;
        if dry_run {
            return Ok((
                Delivered { name: address.name.clone(), inbox: inbox.clone(), message: preview(session, inbox, &plan)? },
                None,
            ));
        }
        // A new file needs no lock: its name is taken by a rename that replaces nothing.
        match session.disk.carry_out_unlocked(&plan) {
            Ok(done) => break (done, plan),
            // Somebody else's message took the name that this one tells about itself.
            Err(failed) if matches!(failed.error, CommitError::Taken { .. }) && tries < MOST_TRIES => tries += 1,
            Err(failed) => return Err(failed.into()),
        }
    };
    let mut foreseen = preview(session, inbox, &plan)?;
    if let Some(done) = done.last() {
        foreseen.path.clone_from(&done.path);
    }
    let path = foreseen.path.clone();
    let message = advance::again(session, inbox, &foreseen, path.clone());
    let mut event = Event::new(kind, session.stamp(), &inbox.name, message.id.as_str(), path);
    event.sender = Some(letter.from.clone());
    event.recipient = Some(address.name.clone());
    event.subject = Some(letter.subject.clone());
    event.in_reply_to.clone_from(&letter.in_reply_to);
    let warning = session.record(vec![event]);
    Ok((Delivered { name: address.name.clone(), inbox: inbox.clone(), message }, warning))
}

/// The message that a plan would make, as it will be read.
fn preview(session: &Session<'_>, inbox: &Inbox, plan: &EditPlan) -> Result<Message, Report> {
    let layout = layout::of(inbox.layout);
    let made = plan.ops.iter().find_map(|op| match op {
        FileOp::Create { path, bytes, .. } => Some((layout.entry(inbox, path)?, Head { bytes, complete: true })),
        _ => None,
    });
    let mut messages = Vec::new();
    if let Some((entry, head)) = made
        && layout.parse(&session.context(inbox), &entry, head, &mut messages).is_ok()
        && let Some(message) = messages.pop()
    {
        return Ok(message);
    }
    Err(Report::failed("unreadable", format!("{}: the message could not be read again; nothing was sent", inbox.name))
        .at(&inbox.path))
}

fn check(letter: &Letter) -> Result<(), Report> {
    if let Err(faults) = letter.check() {
        let all: Vec<_> = faults.iter().map(ToString::to_string).collect();
        return Err(Report::new("not-one-line", Exit::Usage, all.join("; ")));
    }
    if letter.subject.trim().is_empty() {
        return Err(Report::new("no-subject", Exit::Usage, "a message needs a subject: --subject TEXT"));
    }
    if let Some(line) = body::second_header(letter.body.as_bytes()) {
        let text = format!("line {line} of the body looks like the header of another message, so the file could not be marked");
        return Err(Report::failed("several-messages", text).hint("put it into a fenced code block, or quote it with `> `"));
    }
    Ok(())
}

fn sendable(inbox: &Inbox) -> Result<(), Report> {
    let can = layout::of(inbox.layout).capabilities();
    if can.send {
        return Ok(());
    }
    Err(Report::failed("no-sending", format!("{} takes no messages: {}", inbox.name, can.why_not)).at(&inbox.path))
}
