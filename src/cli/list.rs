//! `list`: the messages that fit, in order.

use super::args::ListArgs;
use super::out::{Fail, Out, Outcome, troubles};
use super::{Run, day};
use crate::error::{Exit, Report};
use crate::model::status::Status;
use crate::ops::find::{self, Found, Part, Query};
use crate::ops::refs::Want;
use crate::ops::thread;
use crate::render::{table, view};

pub fn run(run: &mut Run<'_>, args: &ListArgs, out: &mut Out) -> Outcome {
    let mut query = query(run, args)?;
    let mut members = None;
    if let Some(thread) = &args.thread {
        // A message's name stands for its whole conversation; anything else is a thread's name.
        if let Ok(target) = run.target(thread, Want::Live) {
            let index = thread::Index::read(&run.session);
            members = Some(index.members(&target.message.path, target.message.id.as_str()));
        } else {
            query.thread = Some(thread.clone());
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
    if args.open && args.archived {
        return Err(Report::new(
            "usage",
            Exit::Usage,
            "--open and --archived exclude each other: archived messages are not open",
        )
        .into());
    }
    if args.open && (args.unread || status.iter().any(|s| !s.is_open())) {
        let text = "--open is read or actioned; it excludes --unread and other statuses";
        return Err(Report::new("usage", Exit::Usage, text).into());
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
        since: day(run, "--since", args.since.as_deref())?,
        before: day(run, "--before", args.before.as_deref())?,
        words: Vec::new(),
        stamps: false,
    })
}
