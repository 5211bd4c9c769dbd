//! Putting new messages into inboxes: `send`, `broadcast`, and the last step of `reply`.
//!
//! Every recipient is resolved before the first file is written, so a wrong name leaves nothing
//! half done; every copy is a file of its own, made by a rename that replaces nothing.

use super::advance;
use super::book::{self, Address};
use super::session::Session;
use crate::error::{Exit, Report};
use crate::layout::{self, Change};
use crate::model::event::{Event, EventKind};
use crate::model::inbox::Inbox;
use crate::model::letter::Letter;
use crate::model::message::{Message, Warning, subject_from_name};
use crate::model::name::{MessageId, Recipient};
use crate::model::plan::FileOp;
use crate::text::body;

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

/// Finds the inbox of each recipient. Nothing is written.
///
/// # Errors
/// All names that have no inbox, or several, in one report.
pub fn address(session: &Session<'_>, inboxes: &[&Inbox], to: &Recipients, into: Option<&Inbox>) -> Result<Vec<Copy>, Report> {
    if to.to.is_empty() && to.cc.is_empty() && to.bcc.is_empty() {
        return Err(Report::new("no-recipient", Exit::Usage, "a message needs somebody it is for: --to NAME"));
    }
    let mut copies: Vec<Copy> = Vec::new();
    let mut faults: Vec<Report> = Vec::new();
    let groups = [(&to.to, false), (&to.cc, false), (&to.bcc, true)];
    for (recipient, blind) in groups.into_iter().flat_map(|(list, blind)| list.iter().map(move |r| (r, blind))) {
        let found = match into {
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
    let change = Change::Deliver { letter, recipient: &address.name };
    let plan = layout::of(inbox.layout)
        .plan(&session.context(inbox), &change)
        .map_err(|refusal| Report::failed(refusal.kind, format!("{}: {refusal}", inbox.name)).at(&inbox.path))?;
    let planned = plan.ops.iter().find_map(FileOp::new_path).unwrap_or(&inbox.path).to_path_buf();
    if dry_run {
        let message = preview(session, inbox, letter, planned);
        return Ok((Delivered { name: address.name.clone(), inbox: inbox.clone(), message }, None));
    }
    // A new file needs no lock: its name is taken by a rename that replaces nothing.
    let done = session.disk.carry_out_unlocked(&plan)?;
    let path = done.last().map_or(planned, |done| done.path.clone());
    let before = preview(session, inbox, letter, path.clone());
    let message = advance::again(session, inbox, &before, path.clone());
    let mut event = Event::new(kind, session.stamp(), &inbox.name, message.id.as_str(), path);
    event.sender = Some(letter.from.clone());
    event.recipient = Some(address.name.clone());
    event.subject = Some(letter.subject.clone());
    event.in_reply_to.clone_from(&letter.in_reply_to);
    let warning = session.record(vec![event]);
    Ok((Delivered { name: address.name.clone(), inbox: inbox.clone(), message }, warning))
}

/// The message as the letter foresees it.
fn preview(session: &Session<'_>, inbox: &Inbox, letter: &Letter, path: std::path::PathBuf) -> Message {
    use crate::model::date::When;
    use crate::model::message::{DateSource, Header, Shown};
    use crate::model::status::Status;
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let _ = session;
    Message {
        id: MessageId::of(name.strip_suffix(".md").unwrap_or(&name)),
        inbox: inbox.name.clone(),
        layout: inbox.layout,
        path,
        archived: false,
        status: Status::Unread,
        raw_status: Some(Status::Unread.word().to_owned()),
        header: Header {
            from: Some(letter.from.clone()),
            to: letter.to.clone(),
            cc: letter.cc.clone(),
            subject: Some(letter.subject.clone()),
            date: Some(letter.day.clone()),
            kind: Some(letter.kind.clone()),
            priority: Some(letter.priority.as_str().to_owned()),
            thread: letter.thread.clone(),
            in_reply_to: letter.in_reply_to.iter().cloned().collect(),
            origin: letter.origin.clone(),
            tags: letter.tags.clone(),
            ..Header::default()
        },
        shown: Shown {
            subject: if letter.subject.is_empty() { subject_from_name(&name) } else { letter.subject.clone() },
            date: letter.day.clone(),
            when: When::parse(&letter.day),
            date_source: Some(DateSource::Header),
            kind: letter.kind.clone(),
            priority: letter.priority,
        },
        warnings: Vec::new(),
        stamp: None,
        readable: true,
    }
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
