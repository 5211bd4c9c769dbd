//! Moving a message along its lifecycle: one word of one file changes, or nothing does.

use std::path::{Path, PathBuf};

use super::refs::{self, Target};
use super::session::Session;
use super::show;
use crate::error::{Exit, Report};
use crate::layout::{self, Change};
use crate::model::event::{Event, EventKind};
use crate::model::inbox::Inbox;
use crate::model::message::{Message, Warning};
use crate::model::name::MessageId;
use crate::model::plan::{EditPlan, FileOp, Source};
use crate::model::status::{Illegal, Status, Transition};
use crate::store::scan::Scan;

/// How a mark is meant.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Allow a step back.
    pub reopen: bool,
    /// Why; kept in the journal.
    pub note: Option<String>,
    /// Only plan.
    pub dry_run: bool,
}

/// What became of one message.
#[derive(Debug, Clone)]
pub struct Marked {
    /// The message as it is afterwards (as it would be, for a dry run).
    pub message: Message,
    /// The status before.
    pub before: Status,
    /// The states passed on the way.
    pub passed: Vec<Status>,
    /// Whether anything was, or would be, written.
    pub changed: bool,
    /// The plan that was, or would be, carried out.
    pub plan: EditPlan,
    /// What is worth saying though it is done.
    pub warnings: Vec<Warning>,
}

/// A mark that is decided and planned, but not carried out.
#[derive(Debug, Clone)]
pub struct Planned {
    /// The message, as the bytes say that the plan was made on.
    pub message: Message,
    /// The status to come.
    pub to: Status,
    /// The move; none where it is there already.
    pub transition: Option<Transition>,
    /// The steps.
    pub plan: EditPlan,
}

/// Decides on a mark and plans it, by the bytes given alone: those that were shown, or read just now.
///
/// # Errors
/// The lifecycle or the layout refuses.
pub fn plan(session: &Session<'_>, target: &Target, source: &Source, to: Status, options: &Options) -> Result<Planned, Report> {
    may_be_marked(target)?;
    let inbox = &target.inbox;
    let message = as_in(session, target, source);
    let steps = layout::of(inbox.layout)
        .plan(&session.context(inbox), &Change::Status { message: &message, source, to })
        .map_err(|refusal| Report::failed(refusal.kind, format!("{}: {refusal}", message.id)).at(&message.path));
    if message.status == to && message.raw_status.is_some() {
        // The word stands, in whatever spelling. A run that was stopped may have left the name behind it.
        let mut plan = steps.unwrap_or_else(|_| EditPlan { inbox: inbox.path.clone(), ops: Vec::new() });
        plan.ops.retain(|op| matches!(op, FileOp::Move { .. }));
        return Ok(Planned { message, to, transition: None, plan });
    }
    let moved = Transition::plan(message.status, to, session.rules(inbox).lifecycle, options.reopen);
    let transition = moved.map_err(|e| illegal(&message, to, e))?;
    // The layout has its say even where nothing would change: what it can't read it can't vouch for.
    let plan = steps?;
    Ok(Planned { message, to, transition, plan })
}

/// Marks one message.
///
/// # Errors
/// The lifecycle or the layout refuses, the file was changed underneath, or the disk fails; in each
/// case the file is as it was.
pub fn mark(session: &Session<'_>, target: &Target, to: Status, options: &Options) -> Result<Marked, Report> {
    may_be_marked(target)?;
    carry_out(session, target, plan(session, target, &show::source(target)?, to, options)?, options)
}

/// Marks a message read that was unread when it was shown; nothing is to be done for others.
///
/// `source` is what was shown: a message that was changed since keeps its status, because nobody has
/// seen what it says now.
///
/// # Errors
/// As [`mark`].
pub fn seen(session: &Session<'_>, target: &Target, source: &Source, options: &Options) -> Result<Option<Marked>, Report> {
    if target.message.archived || as_in(session, target, source).status != Status::Unread {
        return Ok(None);
    }
    carry_out(session, target, plan(session, target, source, Status::Read, options)?, options).map(Some)
}

fn carry_out(session: &Session<'_>, target: &Target, planned: Planned, options: &Options) -> Result<Marked, Report> {
    let inbox = &target.inbox;
    let Planned { mut message, to, transition, plan } = planned;
    let before = message.status;
    let passed = transition.as_ref().map(Transition::passed).unwrap_or_default();
    let changed = transition.is_some() || !plan.ops.is_empty();
    if options.dry_run || !changed {
        message.status = to;
        return Ok(Marked { message, before, passed, changed, plan, warnings: Vec::new() });
    }
    let done = |path: &Path| match &transition {
        Some(transition) => event(session, inbox, &message, transition, path, options.note.clone()),
        None => finished(session, inbox, &message, path),
    };
    let committed = match session.commit_steps(inbox, &plan) {
        Ok(committed) => committed,
        Err(stopped) if !stopped.any_done => return Err(*stopped.report),
        Err(stopped) => {
            // The word was written, and only the file's new name is missing: that stands, and is said.
            let _ = session.record(vec![done(&message.path)]);
            let text = format!("it is {to} now, but its file did not get its new name: {}", stopped.report.message);
            return Err(Report { message: text, ..*stopped.report });
        }
    };
    let path = committed.path().unwrap_or_else(|| message.path.clone());
    let mut warnings = committed.warnings;
    warnings.extend(session.record(vec![done(&path)]));
    let message = again(session, inbox, &message, path);
    Ok(Marked { message, before, passed, changed, plan, warnings })
}

/// The journal's record of a mark whose word stood already, and whose new name was still missing.
fn finished(session: &Session<'_>, inbox: &Inbox, message: &Message, path: &Path) -> Event {
    let mut event = Event::new(EventKind::Fix, session.stamp(), &inbox.name, message.id.as_str(), message.path.clone());
    event.to_path = Some(path.to_path_buf());
    event.note = Some("the name follows the status".to_owned());
    event
}

/// The journal's record of a mark.
pub fn event(
    session: &Session<'_>,
    inbox: &Inbox,
    message: &Message,
    transition: &Transition,
    path: &Path,
    note: Option<String>,
) -> Event {
    let kind = if transition.is_reopening() { EventKind::Reopen } else { EventKind::Mark };
    let mut event = Event::new(kind, session.stamp(), &inbox.name, message.id.as_str(), message.path.clone());
    event.from = Some(transition.from().to_string());
    event.to = Some(transition.to().to_string());
    event.passed = transition.passed().iter().map(ToString::to_string).collect();
    event.to_path = (path != message.path).then(|| path.to_path_buf());
    event.note = note;
    event
}

fn may_be_marked(target: &Target) -> Result<(), Report> {
    let Target { inbox, message } = target;
    if message.archived {
        return Err(Report::failed("archived", format!("{} is archived, and archived messages can't be marked", message.id))
            .at(&message.path)
            .next(format!("postroom restore {}", refs::typed(message))));
    }
    capable(inbox)
}

/// The message as the bytes given say it is: what was read before may be of another moment.
fn as_in(session: &Session<'_>, target: &Target, source: &Source) -> Message {
    let scan =
        Scan { inbox: &target.inbox, dialect: &session.rules(&target.inbox).dialect, clock: &session.clock, stamps: false };
    let entry = layout::of(target.inbox.layout).entry(&target.inbox, &target.message.path);
    let mut messages = entry.map(|entry| scan.of_bytes(&entry, &source.bytes)).unwrap_or_default();
    match messages.iter().position(|m| m.id == target.message.id) {
        Some(at) => Message { stamp: target.message.stamp, ..messages.swap_remove(at) },
        None => target.message.clone(),
    }
}

/// The message as it lies on disk after a change; what was known before, where it is gone again.
pub fn again(session: &Session<'_>, inbox: &Inbox, before: &Message, path: PathBuf) -> Message {
    let scan = Scan { inbox, dialect: &session.rules(inbox).dialect, clock: &session.clock, stamps: true };
    let entry = layout::of(inbox.layout).entry(inbox, &path);
    let mut messages = entry.map(|entry| scan.one(&entry)).unwrap_or_default();
    let same = messages.iter().position(|m| m.id == before.id).unwrap_or(0);
    if same < messages.len() {
        return messages.swap_remove(same);
    }
    let id = path.file_name().map_or_else(|| before.id.clone(), |n| MessageId::of(n.to_string_lossy().into_owned()));
    Message { id, path, ..before.clone() }
}

fn capable(inbox: &Inbox) -> Result<(), Report> {
    let can = layout::of(inbox.layout).capabilities();
    if can.mark {
        return Ok(());
    }
    Err(Report::failed("owned-by-another-program", format!("{} can't be marked: {}", inbox.name, can.why_not)).at(&inbox.path))
}

fn illegal(message: &Message, to: Status, error: Illegal) -> Report {
    let reference = refs::typed(message);
    let report = Report::new("illegal-move", Exit::Failed, format!("{}: {error}", message.id)).at(&message.path);
    match error {
        Illegal::Backward { .. } => Report { kind: "backward-move", ..report }
            .hint("a step back needs --reopen, with --note for the reason")
            .next(format!("postroom mark {to} --reopen {reference}")),
        Illegal::Skips { next, .. } => {
            Report { kind: "strict-lifecycle", ..report }.next(format!("postroom mark {next} {reference}"))
        }
    }
}

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@+=,#".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}
