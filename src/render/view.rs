//! The JSON documents of DESIGN §8.1: what programs see of messages, inboxes and changes.
//!
//! Every function writes one document on one line. Header values stand as written, absent is null;
//! nothing invisible is on the wire (see [`json`]). A list is streamed, never held as text.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::fields::{
    Each, ErrorDoc, EventDoc, FailedDoc, InboxDoc, MessageDoc, MovedDoc, OpDoc, StayedDoc, TroubleDoc, WarningDoc,
};
use super::json;
use crate::error::Report;
use crate::model::event::Event;
use crate::model::inbox::Inbox;
use crate::model::message::{Message, Warning};
use crate::model::plan::EditPlan;
use crate::ops::summary::Summary;

/// The name and version of all these shapes.
pub const SCHEMA: &str = "postroom/1";

/// Something that could not be looked at, or a reference that could not be worked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trouble<'a> {
    /// A stable word for programs.
    pub kind: &'a str,
    /// Where, if it is anywhere on disk.
    pub path: Option<&'a Path>,
    /// One line for people.
    pub text: &'a str,
}

/// A reference that could not be worked on, and why.
#[derive(Debug, Clone, Copy)]
pub struct Failure<'a> {
    /// What was named.
    pub reference: &'a str,
    /// Why.
    pub report: &'a Report,
}

/// One inbox with its counts. A count that could not be made is `None`, never 0.
#[derive(Debug, Clone, Copy)]
pub struct InboxRow<'a> {
    /// The inbox.
    pub inbox: &'a Inbox,
    /// Live and unread.
    pub unread: Option<usize>,
    /// Live and read or actioned.
    pub open: Option<usize>,
    /// All live ones.
    pub live: Option<usize>,
    /// Those in its archive.
    pub archived: Option<usize>,
    /// What is odd about it.
    pub warnings: &'a [Warning],
}

/// Another name for an inbox.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct AliasRow<'a> {
    /// The name.
    pub name: &'a str,
    /// The inbox, as the configuration names it.
    pub inbox: &'a str,
}

/// A change of the aliases.
#[derive(Debug, Clone, Copy)]
pub struct AliasChange<'a> {
    /// The name that was taken away.
    pub removed: Option<&'a str>,
    /// The configuration file.
    pub path: &'a Path,
    /// Whether only a look was asked for.
    pub dry_run: bool,
}

/// A message that moved, or would move.
#[derive(Debug, Clone, Copy)]
pub struct Moved<'a> {
    /// The message as it was before.
    pub message: &'a Message,
    /// Its new place.
    pub to_path: &'a Path,
}

/// A message that stayed where it is, or could not be moved.
#[derive(Debug, Clone, Copy)]
pub struct Stayed<'a> {
    /// The message.
    pub message: &'a Message,
    /// Why, in one line.
    pub why: &'a str,
}

/// What a sweep did, or would do.
#[derive(Debug, Clone, Copy)]
pub struct SweepReport<'a> {
    /// Moved to the archive.
    pub archived: &'a [Moved<'a>],
    /// Left where they are, with the reason. Messages that are merely young need not be here.
    pub kept: &'a [Stayed<'a>],
    /// Could not be moved, with the error.
    pub failed: &'a [Stayed<'a>],
    /// Whether only a look was asked for, and nothing moved.
    pub dry_run: bool,
}

/// A message's place in its conversation.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a> {
    /// The message.
    pub message: &'a Message,
    /// The file of the message it answers, where that was found.
    pub parent_path: Option<&'a Path>,
    /// How deep it stands; roots are 0.
    pub depth: usize,
}

/// An error as programs see it.
#[derive(Debug, Clone, Copy)]
pub struct ErrorReport<'a> {
    /// A stable word for programs.
    pub kind: &'a str,
    /// What went wrong and why, one or two lines.
    pub message: &'a str,
    /// Where.
    pub path: Option<&'a Path>,
    /// What a person may do.
    pub hints: &'a [String],
    /// Commands that can be run as they stand.
    pub next: &'a [String],
}

/// `list`, `search`: `{messages, total, more}`, and `problems` where something could not be looked at.
///
/// `total` counts all that match; `more` those of them that are not in `messages`.
///
/// # Errors
/// What the writer says.
pub fn list<'a, M>(out: impl Write, messages: M, total: usize, more: usize, problems: &[Trouble<'_>]) -> io::Result<()>
where
    M: IntoIterator<Item = &'a Message> + Clone,
{
    #[derive(Serialize)]
    struct Doc<M, P> {
        schema: &'static str,
        messages: M,
        total: usize,
        more: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        problems: Option<P>,
    }
    let messages = Each(messages, MessageDoc::of);
    json::line(out, &Doc { schema: SCHEMA, messages, total, more, problems: troubles(problems) })
}

/// `show`: `{message, body}`.
///
/// # Errors
/// What the writer says.
pub fn show(out: impl Write, message: &Message, body: &str) -> io::Result<()> {
    #[derive(Serialize)]
    struct Doc<'a> {
        schema: &'static str,
        message: MessageDoc<'a>,
        body: &'a str,
    }
    json::line(out, &Doc { schema: SCHEMA, message: MessageDoc::of(message), body })
}

/// `show` of several: `{messages: [{message, body}]}`, and what failed as in [`changed`].
///
/// # Errors
/// What the writer says.
pub fn shows(out: impl Write, messages: &[(Message, String)], failed: &[Failure<'_>]) -> io::Result<()> {
    #[derive(Serialize)]
    struct Shown<'a> {
        message: MessageDoc<'a>,
        body: &'a str,
    }
    fn shown((message, body): &(Message, String)) -> Shown<'_> {
        Shown { message: MessageDoc::of(message), body }
    }
    #[derive(Serialize)]
    struct Doc<'a, M, F> {
        schema: &'static str,
        messages: M,
        #[serde(skip_serializing_if = "Option::is_none")]
        failed: Option<F>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<ErrorDoc<'a>>,
    }
    let whole = none_of(messages.is_empty(), failed);
    let error = whole.as_ref().map(ErrorDoc::of_report);
    json::line(out, &Doc { schema: SCHEMA, messages: Each(messages, shown), failed: failures(failed), error })
}

/// `read`, `receive`: `{messages}` as they are afterwards, each with its `body`; and what failed as in
/// [`changed`].
///
/// # Errors
/// What the writer says.
pub fn received(out: impl Write, messages: &[(Message, String)], failed: &[Failure<'_>]) -> io::Result<()> {
    #[derive(Serialize)]
    struct Doc<'a, M, F> {
        schema: &'static str,
        messages: M,
        #[serde(skip_serializing_if = "Option::is_none")]
        failed: Option<F>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<ErrorDoc<'a>>,
    }
    let whole = none_of(messages.is_empty(), failed);
    let error = whole.as_ref().map(ErrorDoc::of_report);
    let messages = Each(messages, MessageDoc::with_body);
    json::line(out, &Doc { schema: SCHEMA, messages, failed: failures(failed), error })
}

/// `send`, `reply`, `mark`, `archive`, `restore`: `{messages}` as they are afterwards; with `plan`
/// (`[{op, path, to_path}]`) where only a look was asked for, and `failed` (`[{ref, kind, message, path,
/// hints, next}]`) for what was refused. Where nothing else is in it, there is the `error` that all of
/// them make together, too.
///
/// # Errors
/// What the writer says.
pub fn changed<'a, M>(out: impl Write, messages: M, failed: &[Failure<'_>], plan: Option<&[EditPlan]>) -> io::Result<()>
where
    M: IntoIterator<Item = &'a Message> + Clone,
{
    #[derive(Serialize)]
    struct Doc<'a, M, P, F> {
        schema: &'static str,
        messages: M,
        #[serde(skip_serializing_if = "Option::is_none")]
        plan: Option<P>,
        #[serde(skip_serializing_if = "Option::is_none")]
        failed: Option<F>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<ErrorDoc<'a>>,
    }
    let whole = none_of(messages.clone().into_iter().next().is_none(), failed);
    let error = whole.as_ref().map(ErrorDoc::of_report);
    let messages = Each(messages, MessageDoc::of);
    let plan = plan.map(|plans| Each(plans.iter().flat_map(|p| &p.ops), OpDoc::of));
    json::line(out, &Doc { schema: SCHEMA, messages, plan, failed: failures(failed), error })
}

/// `inboxes`: `{inboxes}`, and `problems` where something could not be looked at.
///
/// # Errors
/// What the writer says.
pub fn inboxes(out: impl Write, rows: &[InboxRow<'_>], problems: &[Trouble<'_>]) -> io::Result<()> {
    #[derive(Serialize)]
    struct Doc<I, P> {
        schema: &'static str,
        inboxes: I,
        #[serde(skip_serializing_if = "Option::is_none")]
        problems: Option<P>,
    }
    json::line(out, &Doc { schema: SCHEMA, inboxes: Each(rows, InboxDoc::of), problems: troubles(problems) })
}

/// `sweep`: `{archived, kept, failed, dry_run}`, and `problems` where something could not be looked at.
///
/// # Errors
/// What the writer says.
pub fn sweep(out: impl Write, report: &SweepReport<'_>, problems: &[Trouble<'_>]) -> io::Result<()> {
    #[derive(Serialize)]
    struct Doc<A, K, F, P> {
        schema: &'static str,
        archived: A,
        kept: K,
        failed: F,
        dry_run: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        problems: Option<P>,
    }
    let doc = Doc {
        schema: SCHEMA,
        archived: Each(report.archived, MovedDoc::of),
        kept: Each(report.kept, StayedDoc::kept),
        failed: Each(report.failed, StayedDoc::failed),
        dry_run: report.dry_run,
        problems: troubles(problems),
    };
    json::line(out, &doc)
}

/// `thread`: `{nodes, warnings}`; a node is a message with `parent_path` and `depth`.
///
/// # Errors
/// What the writer says.
pub fn thread(out: impl Write, nodes: &[Node<'_>], warnings: &[Warning]) -> io::Result<()> {
    #[derive(Serialize)]
    struct Doc<N, W> {
        schema: &'static str,
        nodes: N,
        warnings: W,
    }
    let (nodes, warnings) = (Each(nodes, MessageDoc::in_thread), Each(warnings, WarningDoc::of));
    json::line(out, &Doc { schema: SCHEMA, nodes, warnings })
}

/// `summary`: `{unread, open, stale, items, more, text}`, and `problems` where something could not
/// be looked at. `text` is the block as `summary` prints it.
///
/// # Errors
/// What the writer says.
pub fn summary(out: impl Write, summary: &Summary, text: &str, problems: &[Trouble<'_>]) -> io::Result<()> {
    #[derive(Serialize)]
    struct Doc<'a, I, P> {
        schema: &'static str,
        unread: usize,
        open: usize,
        stale: usize,
        items: I,
        more: usize,
        text: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        problems: Option<P>,
    }
    let Summary { unread, open, stale, ref items, more, .. } = *summary;
    let items = Each(items, MessageDoc::of);
    json::line(out, &Doc { schema: SCHEMA, unread, open, stale, items, more, text, problems: troubles(problems) })
}

/// `error`: `{error: {kind, message, path, hints, next}}`.
///
/// # Errors
/// What the writer says.
pub fn error(out: impl Write, report: &ErrorReport<'_>) -> io::Result<()> {
    #[derive(Serialize)]
    struct Doc<'a> {
        schema: &'static str,
        error: ErrorDoc<'a>,
    }
    json::line(out, &Doc { schema: SCHEMA, error: ErrorDoc::of(report) })
}

/// Events of the journal, one a line (`log`, `watch`): their own keys, those that do not apply left out.
///
/// # Errors
/// What the writer says.
pub fn event_lines<'a>(out: impl Write, events: impl IntoIterator<Item = &'a Event>) -> io::Result<()> {
    json::lines(out, events.into_iter().map(EventDoc::of))
}

/// Messages, one a line (`list --json-lines`): their keys, and the schema beside them.
///
/// # Errors
/// What the writer says.
pub fn message_lines<'a>(out: impl Write, messages: impl IntoIterator<Item = &'a Message>) -> io::Result<()> {
    json::lines(out, messages.into_iter().map(MessageDoc::alone))
}

/// `alias`: `{aliases: [{name, inbox}]}`; of a change those that it sets, what it `removed`, the file and
/// whether it was only looked at.
///
/// # Errors
/// What the writer says.
pub fn aliases(out: impl Write, rows: &[AliasRow<'_>], change: Option<&AliasChange<'_>>) -> io::Result<()> {
    #[derive(Serialize)]
    struct Doc<'a> {
        schema: &'static str,
        aliases: &'a [AliasRow<'a>],
        #[serde(skip_serializing_if = "Option::is_none")]
        removed: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<std::borrow::Cow<'a, str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        dry_run: Option<bool>,
    }
    let doc = Doc {
        schema: SCHEMA,
        aliases: rows,
        removed: change.and_then(|c| c.removed),
        path: change.map(|c| c.path.to_string_lossy()),
        dry_run: change.map(|c| c.dry_run),
    };
    json::line(out, &doc)
}

/// What all failures say together, where nothing was done beside them.
fn none_of(nothing: bool, failed: &[Failure<'_>]) -> Option<Report> {
    if nothing { Report::together(failed.iter().map(|f| f.report.clone()).collect()) } else { None }
}

/// Left out where there are none.
pub(super) fn failures<'a>(list: &'a [Failure<'a>]) -> Option<impl Serialize + 'a> {
    (!list.is_empty()).then_some(Each(list, FailedDoc::of))
}

/// Left out where there are none.
fn troubles<'a>(list: &'a [Trouble<'a>]) -> Option<impl Serialize + 'a> {
    (!list.is_empty()).then_some(Each(list, TroubleDoc::of))
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
