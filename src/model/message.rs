//! One thing sent, as far as a listing needs it: who, to whom, when, about what, how far along.
//!
//! A message never holds its body. Header values stand as written; what postroom shows in their
//! place when they are missing is in [`Shown`].

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::date::When;
use super::inbox::LayoutId;
use super::name::MessageId;
use super::plan::Stamp;
use super::status::Status;

/// A remark on a message or an inbox: what is odd about it. Never a reason to hide it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// A stable word for programs, such as `status-missing`.
    pub kind: &'static str,
    /// One line for people, naming what is odd and what to do.
    pub text: String,
}

impl Warning {
    /// Makes a warning.
    pub fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

/// Header values as they were written, comments and quotes undone; nothing is typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// `id:`, where the header has one of its own.
    pub id: Option<String>,
    /// `from:` – a claim, never a proof.
    pub from: Option<String>,
    /// `to:`, one or several.
    pub to: Vec<String>,
    /// `cc:`, one or several.
    pub cc: Vec<String>,
    /// `bcc:`, in a blind copy its reader.
    pub bcc: Vec<String>,
    /// `subject:`, `title:` or `topic:`.
    pub subject: Option<String>,
    /// `date:`, `created:`, `timestamp:`, `created_at:` or `createdAt:`.
    pub date: Option<String>,
    /// `type:`.
    pub kind: Option<String>,
    /// `priority:` or `importance:`.
    pub priority: Option<String>,
    /// `thread:` or `thread_tag:`.
    pub thread: Option<String>,
    /// `in-reply-to:`, `in_reply_to:` or `ref:`: references to parents, best first.
    pub in_reply_to: Vec<String>,
    /// `origin:`: the session or run it came from.
    pub origin: Option<String>,
    /// `tags:`.
    pub tags: Vec<String>,
    /// `reply_to:` of the `agents` layout: an address for the answer.
    pub reply_to: Option<String>,
}

/// Where the date shown comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateSource {
    /// The header.
    Header,
    /// The file's name.
    Name,
    /// The file's modification time: for display only, it never makes a message old.
    Mtime,
}

impl DateSource {
    /// The word in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Name => "name",
            Self::Mtime => "mtime",
        }
    }
}

/// What is shown for a message where its header says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The header's subject, else the first heading or line of the body, else the file's name
    /// without date and dashes.
    pub subject: String,
    /// The header's date as written, else the name's, else the file's time; empty if none is known.
    pub date: String,
    /// The same, understood; `None` where it is no date that can be read.
    pub when: Option<When>,
    /// Where the date comes from; `None` where there is none.
    pub date_source: Option<DateSource>,
    /// The header's type, else `note`.
    pub kind: String,
    /// The header's priority, else `normal`.
    pub priority: Priority,
}

/// How urgent a message says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// Can wait.
    Low,
    /// The ordinary case, and every word that is not one of the others.
    Normal,
    /// Soon.
    High,
    /// At once.
    Urgent,
}

impl Priority {
    /// Reads a priority word in any letter case, with the spellings tools use (`P0`…`P3`,
    /// `critical`, `medium`). An unknown word is [`Priority::Normal`].
    pub fn parse(text: &str) -> Self {
        Self::from_word(text).unwrap_or(Self::Normal)
    }

    /// The same, but `None` for an unknown word.
    pub fn from_word(text: &str) -> Option<Self> {
        const WORDS: [(&str, Priority); 12] = [
            ("low", Priority::Low),
            ("p3", Priority::Low),
            ("minor", Priority::Low),
            ("normal", Priority::Normal),
            ("medium", Priority::Normal),
            ("p2", Priority::Normal),
            ("high", Priority::High),
            ("p1", Priority::High),
            ("important", Priority::High),
            ("urgent", Priority::Urgent),
            ("critical", Priority::Urgent),
            ("p0", Priority::Urgent),
        ];
        let text = text.trim();
        WORDS.iter().find(|(w, _)| w.eq_ignore_ascii_case(text)).map(|&(_, p)| p)
    }

    /// The word in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
            Self::Urgent => "urgent",
        }
    }
}

/// One message, without its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its name in its inbox.
    pub id: MessageId,
    /// The name of its inbox.
    pub inbox: String,
    /// The form of its inbox.
    pub layout: LayoutId,
    /// The file it is in; absolute. Several messages may share one (`teams`).
    pub path: PathBuf,
    /// Whether it lies in the archive.
    pub archived: bool,
    /// How far it has come; `unread` where that can't be read.
    pub status: Status,
    /// The status word as written; `None` where there is none.
    pub raw_status: Option<String>,
    /// The header's values as written.
    pub header: Header,
    /// What is shown in their place.
    pub shown: Shown,
    /// What is odd about it.
    pub warnings: Vec<Warning>,
    /// What its file was before its header was read, where that was asked for: what a move made
    /// because of that header goes by.
    pub stamp: Option<Stamp>,
    /// Whether its header could be read at all. A message without is never moved unasked.
    pub readable: bool,
}

impl Message {
    /// How commands and output name it from anywhere: `INBOX:ID`; an archived one with its place,
    /// `INBOX:_archive/NAME`, because a live one may have its id.
    pub fn full_ref(&self) -> String {
        format!("{}:{}", self.inbox, self.name())
    }

    /// How commands name it among those of its inbox: its id; of an archived one its place.
    pub fn name(&self) -> Cow<'_, str> {
        let place = self.place();
        if place.components().count() > 1 { place.to_string_lossy() } else { Cow::Borrowed(self.id.as_str()) }
    }

    /// Where its file lies in its inbox: its name, and of an archived one the archive's folders too.
    pub fn place(&self) -> &Path {
        let mut start = self.path.as_path();
        if self.archived {
            let archive = if self.layout == LayoutId::Soma { "_archive" } else { "archive" };
            let is_archive = |folder: &&Path| folder.file_name().is_some_and(|name| name.eq_ignore_ascii_case(archive));
            // Archives may hold folders, and those no more of them.
            start = self.path.ancestors().skip(1).take(2).find(is_archive).unwrap_or(start);
        }
        let above = start.parent().unwrap_or(start);
        self.path.strip_prefix(above).unwrap_or(&self.path)
    }

    /// How commands name exactly this message, whatever other inboxes hold: its path, with the part
    /// of the file behind `#` where a file holds several.
    pub fn path_ref(&self) -> String {
        let path = self.path.to_string_lossy();
        match self.id.as_str().rsplit_once('#') {
            Some((_, part)) if self.layout == LayoutId::Teams => format!("{path}#{part}"),
            _ => path.into_owned(),
        }
    }

    /// Whether it is live and seen, but not finished.
    pub fn is_open(&self) -> bool {
        !self.archived && self.status.is_open()
    }

    /// The date that counts for ages: the header's, else the one in the name; never the file's time.
    pub fn dated(&self) -> Option<When> {
        self.shown.when.filter(|_| counts_for_ages(self.shown.date_source))
    }

    /// A first look at it.
    pub fn glance(&self) -> Glance<'_> {
        Glance {
            id: self.id.as_str(),
            archived: self.archived,
            status: self.status,
            exactly_unread: match self.raw_status.as_deref() {
                Some(word) => word == Status::Unread.word(),
                None => !self.warnings.iter().any(|w| matches!(w.kind, "status-empty" | "status-unreadable")),
            },
            priority: self.shown.priority,
            when: self.shown.when,
            date_source: self.shown.date_source,
            date: self.header.date.as_deref().unwrap_or_default(),
            file: self.path.file_name().map_or(Cow::Borrowed(self.id.as_str()), |n| n.to_string_lossy()),
        }
    }
}

/// A first look at a message: what counts it and says whether it is wanted, borrowed from where it
/// was read. It agrees with the [`Message`] that is made of the same file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glance<'a> {
    /// Its name in its inbox.
    pub id: &'a str,
    /// Whether it lies in the archive.
    pub archived: bool,
    /// How far it has come.
    pub status: Status,
    /// Whether its status is the very word `unread`, or none is there at all.
    pub exactly_unread: bool,
    /// How urgent it says it is.
    pub priority: Priority,
    /// [`Shown::when`].
    pub when: Option<When>,
    /// [`Shown::date_source`].
    pub date_source: Option<DateSource>,
    /// The header's date as written; empty where it has none.
    pub date: &'a str,
    /// The name of its file.
    pub file: Cow<'a, str>,
}

impl Glance<'_> {
    /// Whether it is live and seen, but not finished.
    pub fn is_open(&self) -> bool {
        !self.archived && self.status.is_open()
    }

    /// The date that counts for ages, as [`Message::dated`].
    pub fn dated(&self) -> Option<When> {
        self.when.filter(|_| counts_for_ages(self.date_source))
    }
}

/// The file's time is for display only.
fn counts_for_ages(source: Option<DateSource>) -> bool {
    matches!(source, Some(DateSource::Header | DateSource::Name))
}

/// The file name without its date and ending, dashes as blanks: the last resort for a subject.
pub fn subject_from_name(name: &str) -> String {
    let stem = name.split_once(".md").map_or(name, |(stem, _)| stem);
    let stem = stem.split_once(".json").map_or(stem, |(stem, _)| stem);
    let rest = When::after_date(stem).trim_start_matches(['-', '_', ' ']);
    let text = if rest.is_empty() { stem } else { rest };
    let text = text.replace(['-', '_'], " ");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() { name.to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_made_from_a_name() {
        assert_eq!(subject_from_name("2026-05-02-cache-key.md"), "cache key");
        assert_eq!(subject_from_name("2026-05-03_014_count-handles.md"), "014 count handles");
        assert_eq!(subject_from_name("2026-04-03-404-page.md"), "404 page");
        assert_eq!(subject_from_name("2026-04-03-2026-review.md"), "2026 review");
        assert_eq!(subject_from_name("20260403T101112Z-x.md"), "x");
        assert_eq!(subject_from_name("2026-05-03.md"), "2026 05 03");
        assert_eq!(subject_from_name("note.md.read"), "note");
        assert_eq!(subject_from_name("---.md"), "---.md");
    }

    #[test]
    fn unknown_priorities_are_normal() {
        assert_eq!(Priority::parse("HIGH"), Priority::High);
        assert_eq!(Priority::parse("P0"), Priority::Urgent);
        assert_eq!(Priority::parse("1e3"), Priority::Normal);
        assert!(Priority::Urgent > Priority::High && Priority::Low < Priority::Normal);
    }
}
