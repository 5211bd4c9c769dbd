//! Messages for tests: built as a layout would hand them over.

use std::path::PathBuf;

use chrono::DateTime;

use crate::model::date::{Clock, When};
use crate::model::inbox::LayoutId;
use crate::model::message::{DateSource, Header, Message, Priority, Shown};
use crate::model::name::MessageId;
use crate::model::status::Status;

/// Noon UTC on 2026-05-01.
pub(crate) fn clock() -> Clock {
    Clock::utc(DateTime::parse_from_rfc3339("2026-05-01T12:00:00Z").unwrap().to_utc())
}

/// A date that can be read.
pub(crate) fn when(text: &str) -> When {
    When::parse(text).unwrap()
}

/// An unread message of `/home/u/work/.soma/inbox`, from `ava`, with that date and subject.
pub(crate) fn message(stem: &str, date: &str, subject: &str) -> Message {
    Message {
        id: MessageId::of(stem),
        inbox: "soma@work".to_owned(),
        layout: LayoutId::Soma,
        path: PathBuf::from(format!("/home/u/work/.soma/inbox/{stem}.md")),
        archived: false,
        status: Status::Unread,
        raw_status: Some("unread".to_owned()),
        header: Header {
            from: Some("ava".to_owned()),
            to: vec!["ben".to_owned()],
            subject: Some(subject.to_owned()),
            date: Some(date.to_owned()),
            ..Header::default()
        },
        shown: Shown {
            subject: subject.to_owned(),
            date: date.to_owned(),
            when: When::parse(date),
            date_source: Some(DateSource::Header),
            kind: "note".to_owned(),
            priority: Priority::Normal,
        },
        warnings: Vec::new(),
        stamp: None,
        readable: true,
    }
}

/// The same message, changed.
pub(crate) fn with(mut message: Message, change: impl FnOnce(&mut Message)) -> Message {
    change(&mut message);
    message
}

/// The same message with another status.
pub(crate) fn status(message: Message, status: Status) -> Message {
    with(message, |m| {
        m.status = status;
        m.raw_status = Some(status.word().to_owned());
    })
}

/// The same message with a priority.
pub(crate) fn priority(message: Message, word: &str) -> Message {
    with(message, |m| {
        m.header.priority = Some(word.to_owned());
        m.shown.priority = Priority::parse(word);
    })
}

/// The same message in another inbox of another project.
pub(crate) fn inbox(message: Message, project: &str) -> Message {
    with(message, |m| {
        m.inbox = format!("soma@{project}");
        m.path = PathBuf::from(format!("/home/u/{project}/.soma/inbox/{}.md", m.id));
    })
}
