//! How single things look in JSON: a message, an event, an inbox, a step of a plan.
//!
//! The documents around them are in [`super::view`]. All of them borrow what they show. Paths that
//! are no UTF-8 are shown with a replacement character, never an error.

use std::borrow::Cow;
use std::path::Path;

use serde::ser::{Serialize, Serializer};

use super::shown;
use super::view::{ErrorReport, Failure, InboxRow, Moved, Node, SCHEMA, Stayed, Trouble};
use crate::error::Report;
use crate::model::event::Event;
use crate::model::message::{DateSource, Message, Warning};
use crate::model::plan::FileOp;

/// A list, serialised as it is walked: `.1` makes a document of an element.
pub(super) struct Each<I, F>(pub(super) I, pub(super) F);

impl<I, F, D> Serialize for Each<I, F>
where
    I: IntoIterator + Clone,
    F: Fn(I::Item) -> D,
    D: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone().into_iter().map(&self.1))
    }
}

/// Values of which there may be several: none is null, one is a string, more are a list.
struct OneOrMany<'a>(&'a [String]);

impl Serialize for OneOrMany<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            [] => serializer.serialize_none(),
            [one] => serializer.serialize_str(one),
            many => serializer.collect_seq(many),
        }
    }
}

/// A path that is null where there is none; for keys that stand in some documents only.
#[derive(serde::Serialize)]
struct PathOrNull<'a>(Option<Cow<'a, str>>);

#[derive(serde::Serialize)]
pub(super) struct MessageDoc<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<&'static str>,
    id: &'a str,
    r#ref: String,
    inbox: &'a str,
    layout: &'static str,
    path: Cow<'a, str>,
    status: &'static str,
    raw_status: Option<&'a str>,
    archived: bool,
    from: Option<&'a str>,
    to: OneOrMany<'a>,
    cc: OneOrMany<'a>,
    subject: Option<&'a str>,
    date: Option<&'a str>,
    r#type: Option<&'a str>,
    priority: Option<&'a str>,
    thread: Option<&'a str>,
    in_reply_to: OneOrMany<'a>,
    origin: Option<&'a str>,
    tags: &'a [String],
    shown: ShownDoc<'a>,
    warnings: Vec<WarningDoc<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_path: Option<PathOrNull<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a str>,
}

#[derive(serde::Serialize)]
struct ShownDoc<'a> {
    subject: &'a str,
    date: &'a str,
    date_source: Option<&'static str>,
    r#type: &'a str,
    priority: &'static str,
}

impl<'a> MessageDoc<'a> {
    pub(super) fn of(message: &'a Message) -> Self {
        let Message { header, shown, .. } = message;
        Self {
            schema: None,
            id: message.id.as_str(),
            r#ref: shown::json_ref(message),
            inbox: &message.inbox,
            layout: message.layout.as_str(),
            path: message.path.to_string_lossy(),
            status: message.status.word(),
            raw_status: message.raw_status.as_deref(),
            archived: message.archived,
            from: header.from.as_deref(),
            to: OneOrMany(&header.to),
            cc: OneOrMany(&header.cc),
            subject: header.subject.as_deref(),
            date: header.date.as_deref(),
            r#type: header.kind.as_deref(),
            priority: header.priority.as_deref(),
            thread: header.thread.as_deref(),
            in_reply_to: OneOrMany(&header.in_reply_to),
            origin: header.origin.as_deref(),
            tags: &header.tags,
            shown: ShownDoc {
                subject: &shown.subject,
                date: &shown.date,
                date_source: shown.date_source.map(DateSource::as_str),
                r#type: &shown.kind,
                priority: shown.priority.as_str(),
            },
            warnings: message.warnings.iter().map(WarningDoc::of).collect(),
            parent_path: None,
            depth: None,
            body: None,
        }
    }

    /// A message with its text.
    pub(super) fn with_body((message, body): &'a (Message, String)) -> Self {
        Self { body: Some(body), ..Self::of(message) }
    }

    /// A message that is a document of its own.
    pub(super) fn alone(message: &'a Message) -> Self {
        Self { schema: Some(SCHEMA), ..Self::of(message) }
    }

    pub(super) fn in_thread(node: &Node<'a>) -> Self {
        Self {
            parent_path: Some(PathOrNull(node.parent_path.map(Path::to_string_lossy))),
            depth: Some(node.depth),
            ..Self::of(node.message)
        }
    }
}

#[derive(serde::Serialize)]
pub(super) struct WarningDoc<'a> {
    kind: &'a str,
    text: &'a str,
}

impl<'a> WarningDoc<'a> {
    pub(super) fn of(warning: &'a Warning) -> Self {
        Self { kind: warning.kind, text: &warning.text }
    }
}

#[derive(serde::Serialize)]
pub(super) struct TroubleDoc<'a> {
    kind: &'a str,
    path: Option<Cow<'a, str>>,
    text: &'a str,
}

impl<'a> TroubleDoc<'a> {
    pub(super) fn of(trouble: &Trouble<'a>) -> Self {
        Self { kind: trouble.kind, path: trouble.path.map(Path::to_string_lossy), text: trouble.text }
    }
}

#[derive(serde::Serialize)]
pub(super) struct InboxDoc<'a> {
    name: &'a str,
    path: Cow<'a, str>,
    layout: &'static str,
    owner: &'a str,
    aliases: &'a [String],
    label: &'static str,
    project: Cow<'a, str>,
    unread: Option<usize>,
    open: Option<usize>,
    live: Option<usize>,
    archived: Option<usize>,
    warnings: Vec<WarningDoc<'a>>,
}

impl<'a> InboxDoc<'a> {
    pub(super) fn of(row: &InboxRow<'a>) -> Self {
        Self {
            name: &row.inbox.name,
            path: row.inbox.path.to_string_lossy(),
            layout: row.inbox.layout.as_str(),
            owner: row.inbox.owner.as_str(),
            aliases: &row.inbox.aliases,
            label: row.inbox.label.as_str(),
            project: row.inbox.project.to_string_lossy(),
            unread: row.unread,
            open: row.open,
            live: row.live,
            archived: row.archived,
            warnings: row.warnings.iter().map(WarningDoc::of).collect(),
        }
    }
}

#[derive(serde::Serialize)]
pub(super) struct MovedDoc<'a> {
    id: &'a str,
    inbox: &'a str,
    status: &'static str,
    subject: &'a str,
    date: &'a str,
    from_path: Cow<'a, str>,
    to_path: Cow<'a, str>,
}

impl<'a> MovedDoc<'a> {
    pub(super) fn of(moved: &Moved<'a>) -> Self {
        let message = moved.message;
        Self {
            id: message.id.as_str(),
            inbox: &message.inbox,
            status: message.status.word(),
            subject: &message.shown.subject,
            date: &message.shown.date,
            from_path: message.path.to_string_lossy(),
            to_path: moved.to_path.to_string_lossy(),
        }
    }
}

#[derive(serde::Serialize)]
pub(super) struct StayedDoc<'a> {
    id: &'a str,
    inbox: &'a str,
    path: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

impl<'a> StayedDoc<'a> {
    pub(super) fn kept(stayed: &Stayed<'a>) -> Self {
        let Stayed { message, why } = *stayed;
        let (id, inbox, path) = (message.id.as_str(), message.inbox.as_str(), message.path.to_string_lossy());
        Self { id, inbox, path, reason: Some(why), error: None }
    }

    pub(super) fn failed(stayed: &Stayed<'a>) -> Self {
        Self { reason: None, error: Some(stayed.why), ..Self::kept(stayed) }
    }
}

/// A step of a plan: what `--dry-run` shows, and what the real run does.
#[derive(serde::Serialize)]
pub(super) struct OpDoc<'a> {
    op: &'static str,
    path: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_path: Option<Cow<'a, str>>,
}

impl<'a> OpDoc<'a> {
    pub(super) fn of(op: &'a FileOp) -> Self {
        match op {
            FileOp::Create { path, .. } => Self { op: "create", path: path.to_string_lossy(), to_path: None },
            FileOp::Replace { path, .. } => Self { op: "replace", path: path.to_string_lossy(), to_path: None },
            FileOp::Move { from, to, .. } => {
                Self { op: "move", path: from.to_string_lossy(), to_path: Some(to.to_string_lossy()) }
            }
        }
    }
}

#[derive(serde::Serialize)]
pub(super) struct ErrorDoc<'a> {
    kind: &'a str,
    message: &'a str,
    path: Option<Cow<'a, str>>,
    hints: &'a [String],
    next: &'a [String],
}

impl<'a> ErrorDoc<'a> {
    pub(super) fn of(report: &ErrorReport<'a>) -> Self {
        let ErrorReport { kind, message, path, hints, next } = *report;
        Self { kind, message, path: path.map(Path::to_string_lossy), hints, next }
    }

    pub(super) fn of_report(report: &'a Report) -> Self {
        let path = report.path.as_deref().map(Path::to_string_lossy);
        Self { kind: report.kind, message: &report.message, path, hints: &report.hints, next: &report.next }
    }
}

#[derive(serde::Serialize)]
pub(super) struct FailedDoc<'a> {
    r#ref: &'a str,
    kind: &'a str,
    message: &'a str,
    path: Option<Cow<'a, str>>,
    hints: &'a [String],
    next: &'a [String],
}

impl<'a> FailedDoc<'a> {
    pub(super) fn of(failure: &Failure<'a>) -> Self {
        let ErrorDoc { kind, message, path, hints, next } = ErrorDoc::of_report(failure.report);
        Self { r#ref: failure.reference, kind, message, path, hints, next }
    }
}

/// The journal's own keys ([`Event`]); those that do not apply are left out, as in the file.
#[derive(serde::Serialize)]
pub(super) struct EventDoc<'a> {
    schema: &'static str,
    v: u32,
    at: &'a str,
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    actor: Option<&'a str>,
    inbox: &'a str,
    id: &'a str,
    path: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_path: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    passed: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recipient: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_reply_to: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

impl<'a> EventDoc<'a> {
    pub(super) fn of(event: &'a Event) -> Self {
        Self {
            schema: SCHEMA,
            v: event.v,
            at: &event.at,
            event: event.event.as_str(),
            actor: event.actor.as_deref(),
            inbox: &event.inbox,
            id: &event.id,
            path: event.path.to_string_lossy(),
            to_path: event.to_path.as_deref().map(Path::to_string_lossy),
            from: event.from.as_deref(),
            to: event.to.as_deref(),
            passed: &event.passed,
            sender: event.sender.as_deref(),
            recipient: event.recipient.as_deref(),
            subject: event.subject.as_deref(),
            in_reply_to: event.in_reply_to.as_deref(),
            note: event.note.as_deref(),
        }
    }
}
