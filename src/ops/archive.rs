//! Moving messages to their archive and back. A move is a rename that replaces nothing; no message
//! is ever removed.

use std::path::{Path, PathBuf};

use super::advance::{self, Marked, quoted};
use super::refs::Target;
use super::session::Session;
use crate::error::Report;
use crate::layout::{self, Change};
use crate::model::event::{Event, EventKind};
use crate::model::inbox::Inbox;
use crate::model::message::{Message, Warning};
use crate::model::plan::{EditPlan, FileOp};
use crate::model::status::Status;
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
    /// The mark that went before, where one was asked for.
    pub marked: Option<Box<Marked>>,
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
    // Refused before anything is marked, not after.
    let mut taken = Taken::default();
    plan_move(session, target, Way::Out, &mut taken)?;
    let mut target = target.clone();
    let mut marked = None;
    if let Some(to) = options.mark {
        let mark = advance::Options { reopen: false, note: options.note.clone(), dry_run: options.dry_run };
        let done = advance::mark(session, &target, to, &mark)?;
        if !options.dry_run {
            target.message = done.message.clone();
        }
        marked = Some(Box::new(done));
    }
    let mut moved = move_one(session, &target, Way::Out, options, &mut taken)?;
    moved.marked = marked;
    Ok(moved)
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
    move_one(session, target, Way::Back, options, &mut Taken::default())
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
    /// The folder's names, read at the first call.
    fn of(&mut self, folder: &Path) -> Result<&mut TakenNames, Report> {
        let at = match self.folders.iter().position(|(f, _)| f == folder) {
            Some(at) => at,
            None => {
                self.folders.push((folder.to_path_buf(), TakenNames::read(folder)?));
                self.folders.len() - 1
            }
        };
        self.folders.get_mut(at).map(|(_, names)| names).ok_or_else(|| Report::failed("internal", "no folder was read"))
    }
}

/// Plans the move of one message, to a name that meets none in the folder it goes to.
///
/// # Errors
/// The layout refuses, the message is a link or gone, or a folder can't be read.
pub fn plan_move(session: &Session<'_>, target: &Target, way: Way, taken: &mut Taken) -> Result<(EditPlan, PathBuf), Report> {
    let Target { inbox, message } = target;
    let stamp = read::stamp(&message.path)?;
    let change = match way {
        Way::Out => Change::Archive { message, stamp },
        Way::Back => Change::Restore { message, stamp },
    };
    let mut plan = layout::of(inbox.layout)
        .plan(&session.context(inbox), &change)
        .map_err(|refusal| Report::failed(refusal.kind, format!("{}: {refusal}", message.id)).at(&message.path))?;
    let mut goal = message.path.clone();
    for op in &mut plan.ops {
        if let FileOp::Move { to, .. } = op
            && let (Some(folder), Some(name)) = (to.parent(), to.file_name())
        {
            let folder = folder.to_path_buf();
            *to = folder.join(taken.of(&folder)?.claim(name));
            goal.clone_from(to);
        }
    }
    Ok((plan, goal))
}

fn move_one(session: &Session<'_>, target: &Target, way: Way, options: &Options, taken: &mut Taken) -> Result<Moved, Report> {
    let Target { inbox, message } = target;
    let (plan, goal) = plan_move(session, target, way, taken)?;
    let from_path = message.path.clone();
    if options.dry_run {
        let message = Message { path: goal.clone(), archived: way == Way::Out, ..message.clone() };
        return Ok(Moved { message, from_path, to_path: goal, marked: None, warnings: Vec::new() });
    }
    let lock = session.lock(inbox)?;
    let done = session.disk.carry_out(&lock, &plan)?;
    drop(lock);
    let to_path = done.last().cloned().unwrap_or(goal);
    let event = event(session, target, way, &to_path, options.note.clone());
    let warnings = session.record(event).into_iter().collect();
    let message = advance::again(session, inbox, message, to_path.clone());
    Ok(Moved { message, from_path, to_path, marked: None, warnings })
}

/// The journal's record of a move.
pub fn event(session: &Session<'_>, target: &Target, way: Way, to_path: &Path, note: Option<String>) -> Event {
    let kind = if way == Way::Out { EventKind::Archive } else { EventKind::Restore };
    let Target { inbox, message } = target;
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
    let reference = quoted(&message.full_ref());
    Report::failed("not-handled", format!("{} stays: {why}", message.id))
        .at(&message.path)
        .hint("--force archives it all the same, with a --note that says why")
        .next(format!("postroom archive --mark actioned {reference}"))
}
