//! `list`: the messages that fit, in order.

use super::args::ListArgs;
use super::out::{Fail, Out, Outcome, troubles};
use super::{Run, day};
use crate::error::{Exit, Report};
use crate::model::status::Status;
use crate::ops::find::{self, Found, Part, Query};
use crate::ops::refs::{Target, Want};
use crate::ops::thread;
use crate::render::{table, view};

pub fn run(run: &mut Run<'_>, args: &ListArgs, out: &mut Out) -> Outcome {
    let mut query = query(run, args)?;
    let mut members = None;
    if let Some(thread) = &args.thread {
        match whose(run, thread)? {
            Whose::Thread => query.thread = Some(thread.trim().to_owned()),
            Whose::Message(target) => {
                let index = thread::Index::read(&run.session);
                members = Some(index.members(&target.message.path, target.message.id.as_str()));
            }
        }
    }
    let limit = if members.is_some() { None } else { args.limit };
    let mut found = find::list(&run.session, &run.inboxes(), &query, args.sort.into(), limit);
    if let Some(members) = members {
        found.messages.retain(|m| members.iter().any(|(path, id)| *path == m.path && id == m.id.as_str()));
        let keep = args.limit.unwrap_or(usize::MAX).min(found.messages.len());
        found.more = found.messages.len() - keep;
        found.messages.truncate(keep);
    }
    found.unlooked.extend(run.problems(out));
    if run.session.found.inboxes.is_empty() && found.unlooked.is_empty() {
        out.remark("there is no inbox here; `postroom inboxes` shows where one is looked for");
    }
    print(run, &found, args.json_lines, out)
}

/// What names a conversation.
enum Whose {
    /// Its name.
    Thread,
    /// A message of it.
    Message(Box<Target>),
}

/// Whose conversation a text means: a message's, by its whole name; the thread of that name; a
/// message's, by a part of its name.
///
/// # Errors
/// Nobody's, or several messages'.
fn whose(run: &Run<'_>, text: &str) -> Result<Whose, Report> {
    let target = run.target(text, Want::Live);
    if let Ok(target) = &target
        && is_whole_name(text, target)
    {
        return Ok(Whose::Message(Box::new(target.clone())));
    }
    let query = Query { part: Part::All, thread: Some(text.trim().to_owned()), ..Query::default() };
    let mut is_thread = false;
    let unlooked = find::each(&run.session, &run.inboxes(), &query, &mut |_, _| is_thread = true);
    match target {
        // Its messages may lie where nobody could look, which the list will say.
        _ if is_thread || (target.is_err() && !unlooked.is_empty()) => Ok(Whose::Thread),
        Ok(target) => Ok(Whose::Message(Box::new(target))),
        Err(report) if report.kind == "no-such-message" => {
            let text = format!("no thread is called {text:?}, and no message");
            Err(Report { message: text, kind: "no-such-thread", ..report })
        }
        Err(report) => Err(report),
    }
}

fn is_whole_name(text: &str, target: &Target) -> bool {
    let message = &target.message;
    let file = message.path.file_name().unwrap_or_default().to_string_lossy();
    let names = [message.id.as_str(), &*file, &*message.name(), message.header.id.as_deref().unwrap_or_default()];
    text.contains(['/', ':']) || names.iter().any(|name| *name == text.trim())
}

/// Prints what a query found: a table, one document, or one a line.
pub fn print(run: &Run<'_>, found: &Found, lines: bool, out: &mut Out) -> Outcome {
    let Found { messages, more, unlooked } = found;
    if lines {
        view::message_lines(out.data(), messages)?;
    } else if out.json {
        view::list(out.data(), messages, messages.len() + more, *more, &troubles(unlooked))?;
    } else {
        let screen = run.screen();
        table::list(out.data(), messages, &screen)?;
        if *more > 0 {
            out.remark(format!("+{more} more; --limit {} shows them", messages.len() + more));
        }
        warnings(messages, out);
    }
    Ok(out.unlooked(unlooked))
}

/// Warnings on stderr, a few of them: a list of thousands must not drown its reader.
fn warnings(messages: &[crate::model::message::Message], out: &Out) {
    const SHOWN: usize = 20;
    let all = messages.iter().flat_map(|m| m.warnings.iter().map(move |w| (m, w)));
    let count = all.clone().count();
    for (message, warning) in all.take(SHOWN) {
        out.warn_of(&message.id, warning);
    }
    if count > SHOWN {
        out.remark(format!("+{} more warnings; --json has them all", count - SHOWN));
    }
}

fn query(run: &Run<'_>, args: &ListArgs) -> Result<Query, Fail> {
    let mut status = args.status.clone();
    if args.unread {
        status.push(Status::Unread);
    }
    let mut faults = Vec::new();
    let mut fault = |text: &str| faults.push(Report::new("usage", Exit::Usage, text));
    if args.open && args.archived {
        fault("--open and --archived exclude each other: archived messages are not open");
    }
    if args.open && (args.unread || status.iter().any(|s| !s.is_open())) {
        fault("--open is read or actioned; it excludes --unread and other statuses");
    }
    let mut at = |option, text: Option<&str>| {
        day(run, option, text).unwrap_or_else(|report| {
            faults.push(report);
            None
        })
    };
    let (since, before) = (at("--since", args.since.as_deref()), at("--before", args.before.as_deref()));
    if let Some(report) = Report::together(faults) {
        return Err(report.into());
    }
    Ok(Query {
        part: if args.all {
            Part::All
        } else if args.archived {
            Part::Archived
        } else {
            Part::Live
        },
        status,
        open: args.open,
        to: args.to.clone(),
        from: args.from.clone(),
        kind: args.kind.clone(),
        priority: args.priority,
        tags: args.tag.clone(),
        thread: None,
        since,
        before,
        words: Vec::new(),
        stamps: false,
    })
}
