//! Putting new messages into inboxes: `send`, `broadcast`, and the last step of `reply`.
//!
//! Every recipient is resolved before the first file is written, so a wrong name leaves nothing
//! half done; every copy is a file of its own, made by a rename that replaces nothing.

use std::path::{Path, PathBuf};

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
use crate::store::atomic::{self, CommitError};
use crate::text::{body, soma};

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

impl Recipients {
    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.to.is_empty() && self.cc.is_empty() && self.bcc.is_empty()
    }
}

/// The copies of a message, and the names that each of them shows: each person once, by the first
/// name that was said.
#[derive(Debug, Clone, Default)]
pub struct Addressed {
    /// Where it goes.
    pub copies: Vec<Copy>,
    /// Whom it is for.
    pub to: Vec<String>,
    /// Who gets a copy.
    pub cc: Vec<String>,
}

impl Addressed {
    /// Puts the names into a letter.
    pub fn name_in(&self, letter: &mut Letter) {
        letter.to.clone_from(&self.to);
        letter.cc.clone_from(&self.cc);
    }

    /// Says whose inbox the sender's own is, where that does not follow from where the command stands.
    #[must_use]
    pub fn sent_from(mut self, own: &Inbox) -> Self {
        for copy in &mut self.copies {
            copy.own = Some(own.clone());
        }
        self
    }
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
    /// Copies that could not be delivered: for whom, and why.
    pub failed: Vec<(String, Report)>,
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
    /// The sender's own inbox, where that is known better than by name.
    own: Option<Inbox>,
}

impl Copy {
    /// The inbox it goes to.
    pub fn inbox(&self) -> &Inbox {
        &self.address.inbox
    }
}

/// Nobody was named.
pub fn no_recipient() -> Report {
    Report::new("no-recipient", Exit::Usage, "a message needs somebody it is for: --to NAME; nothing was sent")
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
) -> Result<Addressed, Report> {
    address_by(to, &|recipient| match into(recipient) {
        Some(inbox) => Ok(Address { name: recipient.to_string(), inbox: inbox.clone(), remark: None }),
        None => book::find(session, inboxes, recipient),
    })
}

/// The same, by any way to find the inbox of one recipient.
///
/// # Errors
/// As [`address`].
pub fn address_by(to: &Recipients, find: &dyn Fn(&Recipient) -> Result<Address, Report>) -> Result<Addressed, Report> {
    if to.is_empty() {
        return Err(no_recipient());
    }
    let mut out = Addressed::default();
    let mut seen: Vec<(Recipient, Inbox)> = Vec::new();
    let mut faults: Vec<Report> = Vec::new();
    for (list, kind) in [(&to.to, 0), (&to.cc, 1), (&to.bcc, 2)] {
        for recipient in list {
            let address = match find(recipient).and_then(|address| sendable(&address.inbox).map(|()| address)) {
                Ok(address) => address,
                Err(mut report) => {
                    // Who there is needs to be said once.
                    if faults.iter().any(|f| f.kind == report.kind) {
                        report.hints.retain(|hint| !hint.starts_with(book::KNOWN_NAMES));
                    }
                    faults.push(report);
                    continue;
                }
            };
            // One person once, however often and by whichever name it was named.
            let is_known = |(other, inbox): &(Recipient, Inbox)| {
                let owns = |r: &Recipient| inbox.is_owned_by(r.name.as_str());
                inbox.path == address.inbox.path
                    && (other.name.matches(recipient.name.as_str()) || (owns(other) && owns(recipient)))
            };
            if seen.iter().any(is_known) {
                continue;
            }
            seen.push((recipient.clone(), address.inbox.clone()));
            match kind {
                0 => out.to.push(address.name.clone()),
                1 => out.cc.push(address.name.clone()),
                _ => {}
            }
            // Two names of one inbox get one copy between them, but for a reader whom it may not name.
            let blind = kind == 2;
            if blind || !out.copies.iter().any(|c| c.address.inbox.path == address.inbox.path) {
                out.copies.push(Copy { address, blind, own: None });
            }
        }
    }
    Report::together(faults).map_or(Ok(out), Err)
}

/// Copies for every owner in scope but the sender.
///
/// # Errors
/// There is nobody else: a message that would reach nobody is an error.
pub fn everyone(session: &Session<'_>, inboxes: &[&Inbox], sender: &str) -> Result<Addressed, Report> {
    let all = book::everyone(session, inboxes, sender);
    if all.is_empty() {
        let text = "there is no inbox in scope but the sender's; nothing was sent";
        return Err(Report::new("nobody", Exit::NotFound, text).next("postroom inboxes"));
    }
    let mut out = Addressed::default();
    for address in all {
        if !out.to.contains(&address.name) {
            out.to.push(address.name.clone());
        }
        out.copies.push(Copy { address, blind: false, own: None });
    }
    Ok(out)
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
    for copy in copies {
        out.remarks.extend(copy.address.remark.clone());
        let mut letter = letter.clone();
        letter.bcc = copy.blind.then(|| copy.address.name.clone());
        let foreseen: Vec<PathBuf> = out.delivered.iter().map(|d| d.message.path.clone()).collect();
        match one(session, &mut letter, copy, kind, dry_run.then_some(foreseen.as_slice())) {
            Ok((delivered, warnings)) => {
                out.delivered.push(delivered);
                // What is odd about the letter is so in every copy.
                let is_new = |warning: &Warning| !out.warnings.contains(warning);
                let warnings: Vec<_> = warnings.into_iter().filter(is_new).collect();
                out.warnings.extend(warnings);
            }
            Err(report) => out.failed.push((copy.address.name.clone(), report)),
        }
    }
    Ok(out)
}

/// Delivers one copy. `foreseen`: for a dry run, where the copies before it would lie.
fn one(
    session: &Session<'_>,
    letter: &mut Letter,
    copy: &Copy,
    kind: EventKind,
    foreseen: Option<&[PathBuf]>,
) -> Result<(Delivered, Vec<Warning>), Report> {
    let address = &copy.address;
    let inbox = &address.inbox;
    let mut own = None;
    if let Ok(from) = Recipient::parse(&letter.from) {
        let home = copy.own.as_ref().filter(|own| own.is_owned_by(from.name.as_str()));
        let home = home.or_else(|| book::own_inbox(session, &from));
        letter.from = book::sender_for(session, &from, home, inbox);
        let owned = session.found.inboxes.iter().filter(|i| i.layout == inbox.layout && i.is_owned_by(from.name.as_str()));
        // For an address: its own inbox, else the one beside the recipient's.
        let is_home = |i: &Inbox| home.is_some_and(|home| home.path == i.path);
        own = owned.min_by_key(|i| (!is_home(i), i.project != inbox.project));
    }
    let letter = &*letter;
    let change = Change::Deliver { letter, recipient: &address.name, sender: own };
    let delivered = |message| Delivered { name: address.name.clone(), inbox: inbox.clone(), message };
    let mut tries = 0;
    let (done, plan) = loop {
        let plan = layout::of(inbox.layout)
            .plan(&session.context(inbox), &change)
            .map_err(|refusal| Report::failed(refusal.kind, format!("{}: {refusal}", inbox.name)).at(&inbox.path))?;
        if let Some(claimed) = foreseen {
            let path = plan.ops.iter().find_map(|op| atomic::foreseen(op, claimed));
            let warnings = shown_otherwise(inbox, letter, &plan).into_iter().collect();
            let message = preview(session, inbox, &plan, path.as_deref()).ok_or_else(|| {
                let text = format!("{}: the message could not be read again; nothing was sent", inbox.name);
                Report::failed("unreadable", text).at(&inbox.path)
            })?;
            return Ok((delivered(message), warnings));
        }
        // A new file needs no lock: its name is taken by a rename that replaces nothing.
        match session.disk.carry_out_unlocked(&plan) {
            Ok(done) => break (done, plan),
            // Somebody else's message took the name that this one tells about itself.
            Err(failed) if matches!(failed.error, CommitError::Taken { .. }) && tries < MOST_TRIES => tries += 1,
            Err(failed) => return Err(failed.into()),
        }
    };
    let otherwise = shown_otherwise(inbox, letter, &plan);
    let path = done.last().map(|done| done.path.as_path());
    let written = preview(session, inbox, &plan, path).ok_or_else(|| {
        let text = format!("{}: the message was sent, and can't be read again", inbox.name);
        Report::failed("unreadable", text).at(path.unwrap_or(&inbox.path))
    })?;
    let mut event = Event::new(kind, session.stamp(), &inbox.name, written.id.as_str(), written.path.clone());
    event.sender = Some(letter.from.clone());
    event.recipient = Some(address.name.clone());
    event.subject = Some(letter.subject.clone());
    event.in_reply_to.clone_from(&letter.in_reply_to);
    let unrecorded = session.record(vec![event]);
    Ok((delivered(written), otherwise.into_iter().chain(unrecorded).collect()))
}

/// What the reader will see that was not written: Soma undoes no escapes, and where a text holds both
/// kinds of quotes there may be no form without them that YAML allows.
fn shown_otherwise(inbox: &Inbox, letter: &Letter, plan: &EditPlan) -> Option<Warning> {
    if !inbox.is_somas() {
        return None;
    }
    let bytes = plan.ops.iter().find_map(|op| match op {
        FileOp::Create { bytes, .. } => Some(bytes),
        _ => None,
    })?;
    let read = |(key, text): (&str, &str)| soma::value(bytes, key).filter(|read| read != text).map(|read| (key.to_owned(), read));
    let (key, read) =
        [("subject", &*letter.subject), ("from", &letter.from), ("type", &letter.kind)].into_iter().find_map(read)?;
    let text = format!("Soma shows its {key} as {read:?}: it can't read both kinds of quotes in one line; leave one kind out");
    Some(Warning::new("soma-shows", text))
}

/// The message that a plan would make, as it will be read at a path (else at the one wanted).
fn preview(session: &Session<'_>, inbox: &Inbox, plan: &EditPlan, at: Option<&Path>) -> Option<Message> {
    let layout = layout::of(inbox.layout);
    let (entry, head) = plan.ops.iter().find_map(|op| match op {
        FileOp::Create { path, bytes, .. } => Some((layout.entry(inbox, at.unwrap_or(path))?, Head { bytes, complete: true })),
        _ => None,
    })?;
    let mut messages = Vec::new();
    layout.parse(&session.context(inbox), &entry, head, &mut messages).ok()?;
    messages.pop()
}

/// Checks that a letter can be a message, whoever gets it.
///
/// # Errors
/// All its faults.
pub fn check(letter: &Letter) -> Result<(), Report> {
    let mut faults = Vec::new();
    if let Err(broken) = letter.check() {
        let all: Vec<_> = broken.iter().map(ToString::to_string).collect();
        faults.push(Report::new("not-one-line", Exit::Usage, format!("{}; nothing was sent", all.join("; "))));
    }
    if letter.subject.trim().is_empty() {
        faults.push(Report::new("no-subject", Exit::Usage, "a message needs a subject: --subject TEXT; nothing was sent"));
    }
    let optional = [("thread", &letter.thread), ("origin", &letter.origin), ("reference in --in-reply-to", &letter.in_reply_to)];
    let single = optional.into_iter().filter_map(|(what, text)| Some((what, text.as_deref()?)));
    let all = single.chain([("type", letter.kind.as_str())]).chain(letter.tags.iter().map(|tag| ("tag", tag.as_str())));
    for (what, _) in all.filter(|(_, text)| text.trim().is_empty()) {
        faults.push(Report::new(
            "empty-value",
            Exit::Usage,
            format!("an empty {what} says nothing: leave it out; nothing was sent"),
        ));
    }
    if let Some(line) = body::second_header(letter.body.as_bytes()) {
        let text = format!(
            "line {line} of the body looks like the header of another message, so the file could not be marked; nothing was sent"
        );
        faults.push(Report::failed("several-messages", text).hint("put it into a fenced code block, or quote it with `> `"));
    }
    Report::together(faults).map_or(Ok(()), Err)
}

fn sendable(inbox: &Inbox) -> Result<(), Report> {
    let can = layout::of(inbox.layout).capabilities();
    if can.send {
        return Ok(());
    }
    Err(Report::failed("no-sending", format!("{} takes no messages: {}", inbox.name, can.why_not)).at(&inbox.path))
}
