//! A message that is still to be written: what `send` and `reply` hand to a layout.

use super::date::Clock;
use super::message::Priority;

/// The content of a new message. Every value is one line, but for the body.
#[derive(Debug, Clone)]
pub struct Letter {
    /// Who sends it.
    pub from: String,
    /// Whom it is for, as every copy shows it.
    pub to: Vec<String>,
    /// Who gets a copy, as every copy shows it.
    pub cc: Vec<String>,
    /// In a blind copy, its reader; nobody else's copy shows it.
    pub bcc: Option<String>,
    /// What it is about.
    pub subject: String,
    /// When it is sent, by the sender's clock.
    pub sent: Clock,
    /// Its type, such as `note`.
    pub kind: String,
    /// How urgent it is.
    pub priority: Priority,
    /// Its tags.
    pub tags: Vec<String>,
    /// The conversation it belongs to.
    pub thread: Option<String>,
    /// What it answers: a path by the convention, or an id.
    pub in_reply_to: Option<String>,
    /// The session or run it comes from.
    pub origin: Option<String>,
    /// The text.
    pub body: String,
}

/// Why a text can't be a header value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the {what} must be one line without control characters: {text:?}")]
pub struct NotOneLine {
    what: &'static str,
    text: String,
}

impl Letter {
    /// The calendar day it is sent, `YYYY-MM-DD`, where the sender is. Layouts that name no day don't
    /// ask, and the system's time zones need not be read.
    pub fn day(&self) -> String {
        self.sent.today().to_string()
    }

    /// The instant it is sent, RFC 3339 in UTC, whole seconds.
    pub fn instant(&self) -> String {
        self.sent.instant()
    }

    /// Checks that every header value is one line: a line break in a value would start another key.
    ///
    /// # Errors
    /// All values that are not.
    pub fn check(&self) -> Result<(), Vec<NotOneLine>> {
        let one = |what, text: &str| {
            let broken = text.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'));
            broken.then(|| NotOneLine { what, text: text.to_owned() })
        };
        let many = [("recipient", &self.to), ("recipient", &self.cc), ("tag", &self.tags)];
        let faults: Vec<_> = [one("sender", &self.from), one("subject", &self.subject), one("type", &self.kind)]
            .into_iter()
            .flatten()
            .chain(self.thread.as_deref().and_then(|t| one("thread", t)))
            .chain(self.in_reply_to.as_deref().and_then(|t| one("reference", t)))
            .chain(self.origin.as_deref().and_then(|t| one("origin", t)))
            .chain(many.into_iter().flat_map(|(what, texts)| texts.iter().filter_map(move |t| one(what, t))))
            .collect();
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }
}
