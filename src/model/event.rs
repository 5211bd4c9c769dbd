//! One line of the journal: something postroom did. History only – what is unread is decided by
//! the messages alone.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The version written into each record.
pub const VERSION: u32 = 1;

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// A status was changed forwards.
    Mark,
    /// A status was changed backwards.
    Reopen,
    /// A message was put into an inbox.
    Send,
    /// An answer was put into an inbox.
    Reply,
    /// A message was moved to an archive.
    Archive,
    /// A message was moved back from an archive.
    Restore,
    /// A message was moved or copied to another inbox.
    Migrate,
    /// A file was mended by `doctor --fix`.
    Fix,
}

impl EventKind {
    /// The word in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mark => "mark",
            Self::Reopen => "reopen",
            Self::Send => "send",
            Self::Reply => "reply",
            Self::Archive => "archive",
            Self::Restore => "restore",
            Self::Migrate => "migrate",
            Self::Fix => "fix",
        }
    }
}

/// One record. Fields that do not apply are left out; unknown ones from a later version are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The record's version, [`VERSION`].
    pub v: u32,
    /// When, RFC 3339 in UTC, whole seconds.
    pub at: String,
    /// What.
    pub event: EventKind,
    /// The agent that acted, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The inbox's name.
    pub inbox: String,
    /// The message's id.
    pub id: String,
    /// The file before; for new messages, the file itself.
    pub path: PathBuf,
    /// The file after, where it moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_path: Option<PathBuf>,
    /// The status before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The status after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The states passed on the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<String>,
    /// Who sent it, for `send` and `reply`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender: Option<String>,
    /// Whom it went to, for `send` and `reply`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipient: Option<String>,
    /// What it was about, for `send` and `reply`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What it answers, for `reply`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<String>,
    /// The reason given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Event {
    /// A record with only what every event has.
    pub fn new(event: EventKind, at: String, inbox: &str, id: &str, path: PathBuf) -> Self {
        Self {
            v: VERSION,
            at,
            event,
            actor: None,
            inbox: inbox.to_owned(),
            id: id.to_owned(),
            path,
            to_path: None,
            from: None,
            to: None,
            passed: Vec::new(),
            sender: None,
            recipient: None,
            subject: None,
            in_reply_to: None,
            note: None,
        }
    }
}
