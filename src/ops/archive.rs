//! Moving messages to their archive and back. A move is a rename that replaces nothing; no message
//! is ever removed.

use std::cell::OnceCell;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::advance::{self, Planned};
use super::refs::{self, Target};
use super::session::Session;
use super::show;
use crate::error::Report;
use crate::layout::{self, Change};
use crate::model::event::{Event, EventKind};
use crate::model::inbox::Inbox;
use crate::model::message::{Message, Warning};
use crate::model::plan::{EditPlan, FileOp};
use crate::model::status::{Status, Transition};
use crate::store::names::TakenNames;
use crate::store::read;

/// How an archiving is meant.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Mark it first, in the same plan.
    pub mark: Option<Status>,
    /// Archive what is not handled.
    pub force: bool,
    /// Why; kept in the journal. Needed with `force`.
    pub note: Option<String>,
    /// Only plan.
    pub dry_run: bool,
}

/// What became of one message.
#[derive(Debug, Clone)]
pub struct Moved {
    /// The message as it is afterwards.
    pub message: Message,
    /// Where it was.
    pub from_path: PathBuf,
    /// Where it is, or would be.
    pub to_path: PathBuf,
    /// The mark that went before, where one was asked for and anything was to be done.
    pub marked: Option<Transition>,
    /// The plan that was, or would be, carried out.
    pub plan: EditPlan,
    /// What is worth saying though it is done.
    pub warnings: Vec<Warning>,
}

/// Archives one message.
///
/// # Errors
/// It is archived already, not handled, a link, in an inbox without an archive, or the disk fails.
pub fn archive(session: &Session<'_>, target: &Target, options: &Options) -> Result<Moved, Report> {
    let Target { inbox, message } = target;
    if message.archived {
        let text = format!("{} is archived already; nothing was moved", message.id);
        return Err(Report::failed("archived-already", text).at(&message.path));
    }
    capable(inbox)?;
    if !message.readable && !options.force {
        return Err(unhandled(message, "its header can't be read, so nobody knows whether it is handled"));
    }
    let after = options.mark.unwrap_or(message.status);
    if !after.is_handled() && !options.force {
        return Err(unhandled(message, &format!("it is {after}, and only handled messages are archived")));
    }
    if !after.is_handled() && options.note.as_deref().is_none_or(|n| n.trim().is_empty()) {
        let text = format!("{}: --force needs a --note that says why", message.id);
        return Err(Report::failed("note-missing", text).at(&message.path));
    }
    let Some(to) = options.mark else { return move_one(session, target, Way::Out, options) };
    let mark = advance::Options { reopen: false, note: options.note.clone(), dry_run: options.dry_run };
    let source = show::source(target)?;
    let planned = advance::plan(session, target, &source, to, &mark)?;
    mark_and_move(session, target, planned, options)
}

/// Carries out a mark and the move behind it in one plan, where the layout's mark leaves the file
/// where it is; else one after the other.
fn mark_and_move(session: &Session<'_>, target: &Target, planned: Planned, options: &Options) -> Result<Moved, Report> {
    let in_place = planned.plan.ops.iter().all(|op| matches!(op, FileOp::Replace { .. }));
    let transition = planned.transition.clone();
    if !in_place && !options.dry_run {
        // Refused before anything is marked, not after.
        plan(session, &target.inbox, &target.message, Way::Out)?;
        let mark = advance::Options { reopen: false, note: options.note.clone(), dry_run: false };
        let marked = advance::mark(session, target, planned.to, &mark)?;
        let target = Target { inbox: target.inbox.clone(), message: marked.message };
        let mut moved = move_one(session, &target, Way::Out, options).map_err(|report| half_done(report, planned.to))?;
        moved.warnings.splice(..0, marked.warnings);
        return Ok(Moved { marked: transition, ..moved });
    }
    // Where nothing is written, the word stays the one that stands there, whatever it is worth.
    let written = transition.is_some().then(|| planned.to.to_string());
    let raw_status = written.or_else(|| planned.message.raw_status.clone());
    let message = Message { status: planned.to, raw_status, ..planned.message.clone() };
    let target = Target { inbox: target.inbox.clone(), message };
    let (moves, goal) = plan_move(session, &target.inbox, &target.message, Way::Out, &mut Taken::default())?;
    let mut steps = planned.plan;
    steps.ops.extend(moves.ops);
    let from_path = target.message.path.clone();
    if options.dry_run {
        let message = Message { path: goal.clone(), archived: true, ..target.message };
        return Ok(Moved { message, from_path, to_path: goal, marked: transition, plan: steps, warnings: Vec::new() });
    }
    let mark = |path: &Path| {
        let marked = transition.as_ref()?;
        Some(advance::event(session, &target.inbox, &planned.message, marked, path, options.note.clone()))
    };
    let done = match session.commit_steps(&target.inbox, &steps) {
        Ok(done) => done,
        Err(stopped) if !stopped.any_done => return Err(*stopped.report),
        Err(stopped) => {
            // The word was written, and only the move failed: that stands, and is said.
            let _ = session.record(mark(&from_path).into_iter().collect());
            return Err(half_done(*stopped.report, planned.to));
        }
    };
    let to_path = done.path().unwrap_or(goal);
    let mut warnings = done.warnings;
    let moved = event(session, &target.inbox, &target.message, Way::Out, &to_path, options.note.clone());
    warnings.extend(session.record(mark(&from_path).into_iter().chain([moved]).collect()));
    let message = advance::again(session, &target.inbox, &target.message, to_path.clone());
    Ok(Moved { message, from_path, to_path, marked: transition, plan: steps, warnings })
}

fn half_done(report: Report, to: Status) -> Report {
    let message = format!("it is {to} now, but was not archived: {}", report.message);
    Report { message, ..report }
}

/// Moves one message back from the archive, its status as it was.
///
/// # Errors
/// It is not archived, a link, or the disk fails.
pub fn restore(session: &Session<'_>, target: &Target, options: &Options) -> Result<Moved, Report> {
    let Target { inbox, message } = target;
    if !message.archived {
        let text = format!("{} is not archived; nothing was moved", message.id);
        return Err(Report::failed("not-archived", text).at(&message.path));
    }
    capable(inbox)?;
    move_one(session, target, Way::Back, options)
}

/// The direction of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Into the archive.
    Out,
    /// Back into the inbox.
    Back,
}

/// The names taken in the folders that a run of moves goes to, each folder read once.
#[derive(Debug, Default)]
pub struct Taken {
    folders: Vec<(PathBuf, TakenNames)>,
}

impl Taken {
    /// The name that a file would get in a folder; taken from then on.
    fn claim(&mut self, folder: &Path, wanted: &OsStr) -> OsString {
        self.names_in(folder).map_or_else(|| wanted.to_owned(), |names| names.claim(wanted))
    }

    /// Whether a name is taken in its folder.
    pub fn is_taken(&mut self, path: &Path) -> bool {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return true };
        self.names_in(folder).is_none_or(|names| names.is_taken(name))
    }

    /// Takes a name.
    pub fn add(&mut self, path: &Path) {
        if let (Some(folder), Some(name)) = (path.parent(), path.file_name())
            && let Some(names) = self.names_in(folder)
        {
            names.add(name);
        }
    }

    fn names_in(&mut self, folder: &Path) -> Option<&mut TakenNames> {
        if !self.folders.iter().any(|(f, _)| f == folder) {
            // A folder that is not there yet has no names; one that can't be read is refused by the move itself.
            self.folders.push((folder.to_path_buf(), TakenNames::read(folder).unwrap_or_default()));
        }
        self.folders.iter_mut().find(|(f, _)| f == folder).map(|(_, names)| names)
    }
}

/// Plans the move of one message. The name it gets there is settled when the plan is carried out.
///
/// # Errors
/// The layout refuses, or the message is a link or gone.
pub fn plan(session: &Session<'_>, inbox: &Inbox, message: &Message, way: Way) -> Result<EditPlan, Report> {
    plan_one_of(session, inbox, message, way, &OnceCell::new())
}

/// Plans one of many moves of messages of an inbox; `archive` is the same for all.
///
/// # Errors
/// As [`plan`].
pub(super) fn plan_one_of(
    session: &Session<'_>,
    inbox: &Inbox,
    message: &Message,
    way: Way,
    archive: &OnceCell<PathBuf>,
) -> Result<EditPlan, Report> {
    let stamp = match message.stamp {
        Some(stamp) => stamp,
        None => read::stamp(&message.path)?,
    };
    let change = match way {
        Way::Out => Change::Archive { message, stamp, archive },
        Way::Back => Change::Restore { message, stamp },
    };
    layout::of(inbox.layout)
        .plan(&session.context(inbox), &change)
        .map_err(|refusal| Report::failed(refusal.kind, format!("{}: {refusal}", message.id)).at(&message.path))
}

/// Plans the move of one message and foresees the name it gets: the same that carrying it out
/// would choose now.
///
/// # Errors
/// As [`plan`].
pub fn plan_move(
    session: &Session<'_>,
    inbox: &Inbox,
    message: &Message,
    way: Way,
    taken: &mut Taken,
) -> Result<(EditPlan, PathBuf), Report> {
    let plan = plan(session, inbox, message, way)?;
    let mut goal = message.path.clone();
    for op in &plan.ops {
        if let FileOp::Move { to, .. } = op
            && let (Some(folder), Some(name)) = (to.parent(), to.file_name())
        {
            goal = folder.join(taken.claim(folder, name));
        }
    }
    Ok((plan, goal))
}

fn move_one(session: &Session<'_>, target: &Target, way: Way, options: &Options) -> Result<Moved, Report> {
    let Target { inbox, message } = target;
    let (plan, goal) = plan_move(session, inbox, message, way, &mut Taken::default())?;
    let from_path = message.path.clone();
    if options.dry_run {
        let message = Message { path: goal.clone(), archived: way == Way::Out, ..message.clone() };
        return Ok(Moved { message, from_path, to_path: goal, marked: None, plan, warnings: Vec::new() });
    }
    let committed = session.commit(inbox, &plan)?;
    let to_path = committed.path().unwrap_or(goal);
    let mut warnings = committed.warnings;
    warnings.extend(session.record(vec![event(session, inbox, message, way, &to_path, options.note.clone())]));
    let message = advance::again(session, inbox, message, to_path.clone());
    Ok(Moved { message, from_path, to_path, marked: None, plan, warnings })
}

/// The journal's record of a move.
pub fn event(session: &Session<'_>, inbox: &Inbox, message: &Message, way: Way, to_path: &Path, note: Option<String>) -> Event {
    let kind = if way == Way::Out { EventKind::Archive } else { EventKind::Restore };
    let mut event = Event::new(kind, session.stamp(), &inbox.name, message.id.as_str(), message.path.clone());
    event.to_path = Some(to_path.to_path_buf());
    event.from = Some(message.status.to_string());
    event.note = note;
    event
}

fn capable(inbox: &Inbox) -> Result<(), Report> {
    let can = layout::of(inbox.layout).capabilities();
    if can.archive {
        return Ok(());
    }
    Err(Report::failed("no-archive", format!("{} has no archive: {}", inbox.name, can.why_not)).at(&inbox.path))
}

fn unhandled(message: &Message, why: &str) -> Report {
    let reference = refs::typed(message);
    Report::failed("not-handled", format!("{} stays: {why}", message.id))
        .at(&message.path)
        .hint("--force archives it all the same, with a --note that says why")
        .next(format!("postroom archive --mark actioned {reference}"))
}
