//! A message of which only the file is known: where every parse starts, and where it ends when
//! nothing can be read. Listed by its name, unread, with the reason.

use super::{Context, Entry, of};
use crate::model::date::When;
use crate::model::message::{DateSource, Header, Message, Priority, Shown, Warning, subject_from_name};
use crate::model::name::MessageId;
use crate::model::status::Status;
use crate::text::neutral::{self, Target};

/// A message of which only the file is known, with the reason.
pub fn by_name(context: &Context<'_>, entry: &Entry, warning: Warning) -> Message {
    let mut message = unread(context, entry);
    message.warnings.push(warning);
    message
}

/// A message of which nothing was read yet.
pub(super) fn unread(context: &Context<'_>, entry: &Entry) -> Message {
    let header = Header::default();
    let shown = shown(&header, &entry.name.to_string_lossy(), || None, &mut Vec::new());
    with(context, entry, header, shown)
}

/// A message with this header, not yet known to be more than unread.
pub(super) fn with(context: &Context<'_>, entry: &Entry, header: Header, shown: Shown) -> Message {
    let id = if entry.shares_id {
        let path = entry.path();
        MessageId::of(path.strip_prefix(&context.inbox.path).unwrap_or(&path).to_string_lossy())
    } else {
        of(context.inbox.layout).id_of(&entry.name.to_string_lossy())
    };
    Message {
        id,
        inbox: context.inbox.name.clone(),
        layout: context.inbox.layout,
        path: entry.path(),
        archived: entry.archived,
        status: Status::Unread,
        raw_status: None,
        header,
        shown,
        warnings: Vec::new(),
        stamp: None,
        readable: false,
    }
}

/// What is shown for a header; `title` stands in for a missing subject, the file's name for both,
/// and for a missing date.
pub(super) fn shown(header: &Header, name: &str, title: impl FnOnce() -> Option<String>, warnings: &mut Vec<Warning>) -> Shown {
    let subject = match header.subject.as_deref().filter(|s| says_something(s)) {
        Some(subject) => subject.to_owned(),
        None => title().unwrap_or_else(|| subject_from_name(name)),
    };
    let in_name = || When::in_name(name);
    let (date, when, date_source) = if let Some(date) = header.date.as_deref().filter(|d| !d.trim().is_empty()) {
        let when = When::parse(date);
        if when.is_none() {
            warnings.push(Warning::new("date-unreadable", format!("{date:?} is no date that is known")));
        }
        (date.to_owned(), when.or_else(in_name), Some(DateSource::Header))
    } else {
        let when = in_name();
        (when.map(date_text).unwrap_or_default(), when, when.map(|_| DateSource::Name))
    };
    Shown {
        subject,
        date,
        when,
        date_source,
        kind: header.kind.clone().unwrap_or_else(|| "note".to_owned()),
        priority: header.priority.as_deref().map_or(Priority::Normal, Priority::parse),
    }
}

fn date_text(when: When) -> String {
    match when {
        When::Day(day) => day.to_string(),
        When::Local(time) => time.format("%Y-%m-%dT%H:%M:%S").to_string(),
        When::Instant(instant) => instant.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
    }
}

/// Warns of characters in a header that people don't see.
pub(super) fn warn_of_hidden(header: &Header, warnings: &mut Vec<Warning>) {
    let single = [&header.from, &header.subject, &header.kind, &header.priority, &header.thread, &header.date, &header.origin];
    let texts = single.into_iter().flatten().chain(header.to.iter()).chain(&header.cc).chain(&header.tags);
    let hidden: usize = texts.map(|text| neutral::hidden_count(text)).sum();
    if hidden > 0 {
        let text = format!("the header holds {hidden} characters that people don't see; they are left out of what is shown");
        warnings.push(Warning::new("hidden-characters", text));
    }
}

/// Whether a text holds anything that people see.
fn says_something(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && (text.is_ascii() && !text.contains(|c: char| c.is_control())
            || !neutral::body(text, Target::Terminal).text.trim().is_empty())
}
