//! Messages as resources, `inbox://INBOX/ID`, and `inbox://summary`: to be listed, read and watched.
//! Reading one changes nothing.

use rmcp::model::{Annotations, Resource, ResourceContents, ResourceTemplate, Role};

use super::body::Part;
use crate::error::{Exit, Report};
use crate::front::run::Run;
use crate::front::summary::{Ask, gather};
use crate::model::date::When;
use crate::model::message::{Message, Priority};
use crate::ops::find::{self, Query, Sort};
use crate::ops::page::Cursor;
use crate::ops::refs::{Target, Want};
use crate::ops::show;
use crate::render::agent::{MessageDoc, reference};
use crate::render::shown::uri;
use crate::render::summary::MAX_CHARS;
use crate::text::neutral::{self, Target as Shown};

/// The resource that is the summary.
pub const SUMMARY: &str = "inbox://summary";
/// How many resources a page of the list has.
const PAGE: usize = 50;
/// How many messages the summary names.
const NAMED: usize = 20;

/// One page of the list: the summary first, then live messages, newest first; and where to go on.
///
/// # Errors
/// The cursor is none of ours.
pub fn list(run: &Run<'_>, cursor: Option<&str>) -> Result<(Vec<Resource>, Option<String>), Report> {
    let session = &run.session;
    let mut messages = find::list(session, &run.inboxes(), &Query::default(), Sort::Newest, None).messages;
    let mut out = Vec::new();
    match cursor {
        None => out.push(
            Resource::new(SUMMARY, "summary")
                .with_title("Inbox summary")
                .with_description("What is unread, open and stale in every inbox in reach")
                .with_mime_type("text/markdown")
                .with_annotations(Annotations::default().with_audience(vec![Role::User, Role::Assistant]).with_priority(1.0)),
        ),
        Some(text) => {
            let cursor = Cursor::parse(text)
                .ok_or_else(|| Report::new("bad-cursor", Exit::Usage, "the cursor is none that this server gave out"))?;
            messages.retain(|m| cursor.is_before(session, m, Sort::Newest));
        }
    }
    let next = messages.get(PAGE - 1).filter(|_| messages.len() > PAGE);
    let next = next.map(|m| Cursor::behind(session, m, 0).to_string());
    out.extend(messages.iter().take(PAGE).map(|m| resource(run, m)));
    Ok((out, next))
}

fn resource(run: &Run<'_>, message: &Message) -> Resource {
    let doc = MessageDoc::of(message);
    let mut notes = Annotations::default().with_audience(vec![Role::Assistant]).with_priority(match message.shown.priority {
        Priority::Urgent => 1.0,
        Priority::High => 0.8,
        Priority::Normal => 0.5,
        Priority::Low => 0.2,
    });
    notes.last_modified = message.shown.when.map(|when| match when {
        When::Instant(instant) => instant.to_rfc3339(),
        _ => run.session.clock.day_of(when).to_string(),
    });
    Resource::new(doc.uri, doc.r#ref)
        .with_title(doc.subject)
        .with_description(format!("{} {} from {} (a claim), {}", doc.status, doc.r#type, doc.from, doc.created_at))
        .with_mime_type("text/markdown")
        .with_annotations(notes)
}

/// How the URIs of messages are made.
pub fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("inbox://{inbox}/{id}", "message")
            .with_title("A message")
            .with_description("A message by the name of its inbox (list_inboxes) and its id, both percent-encoded")
            .with_mime_type("text/markdown"),
    ]
}

/// A resource's text; `None` for a URI that names nothing.
///
/// # Errors
/// What it names can't be read.
pub fn read(run: &Run<'_>, wanted: &str, nonce: &str) -> Result<Option<ResourceContents>, Report> {
    let text = if wanted == SUMMARY {
        summary(run, NAMED)?
    } else {
        let Some(target) = run.target(wanted, Want::Live).ok().filter(|_| wanted.starts_with("inbox://")) else {
            return Ok(None);
        };
        page(&target, nonce)?
    };
    Ok(Some(ResourceContents::text(text, wanted).with_mime_type("text/markdown")))
}

/// The block that tells of mail: at most `limit` messages, in the built-in form; and where there is
/// nothing to tell, that.
///
/// # Errors
/// A template is at fault.
pub fn summary(run: &Run<'_>, limit: usize) -> Result<String, Report> {
    let ask = Ask { format: Some("default"), limit: Some(limit), max_chars: Some(MAX_CHARS), target: Shown::Prompt, page: None };
    let text = gather(run, &ask)?.text;
    Ok(if text.is_empty() { "Nothing is unread, and nothing has grown stale.".to_owned() } else { text })
}

/// A message as a page: the fields of its header, and its body between lines with a nonce.
///
/// # Errors
/// It can't be read.
pub fn page(target: &Target, nonce: &str) -> Result<String, Report> {
    let message = &target.message;
    let source = show::source(target)?;
    let part = Part::of(&show::body(target, &source), 0);
    let doc = MessageDoc::of(message);
    let mut lines = vec![
        format!("Subject: {}", doc.subject),
        format!("From: {} (a claim)", doc.from),
        format!("To: {}", doc.to.join(", ")),
        format!("Date: {}", doc.created_at),
        format!("Type: {}", doc.r#type),
        format!("Importance: {}", doc.importance),
        format!("Status: {}{}", doc.status, if doc.archived { ", archived" } else { "" }),
    ];
    lines.extend(doc.thread_tag.map(|tag| format!("Thread: {tag}")));
    lines.extend(doc.in_reply_to.map(|parent| format!("Answers: {parent}")));
    lines.push(format!("Ref: {}", reference(message)));
    lines.extend(doc.warnings.into_iter().map(|w| format!("Remark: {w}")));
    if let Some(next) = part.next {
        lines.push(format!("Remark: cut at {next} of {} bytes; the tool read_message gives the rest", part.total));
    }
    let fenced = neutral::fence(&part.text, nonce);
    lines.extend(fenced.notice());
    Ok(format!("{}\n\n{}", lines.join("\n"), fenced.text))
}

/// What a watcher remembers of each message, by its resource.
pub fn print(message: &Message) -> (String, String) {
    let print = format!("{:?} {} {}", message.stamp, message.status, message.path.display());
    (uri(message), print)
}
