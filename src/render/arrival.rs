//! New mail as it lands: one line for people, one document for who waits once.

use std::io::{self, Write};

use serde::Serialize;

use super::fields::{Each, MessageDoc, TroubleDoc};
use super::json;
#[cfg(feature = "cli")]
use super::table::Screen;
use super::view::{SCHEMA, Trouble};
use crate::model::message::Message;

/// What a call that waits once ends with.
#[derive(Debug, Clone, Copy)]
pub struct Once<'a> {
    /// The new messages, oldest first, at most as many as asked for.
    pub messages: &'a [&'a Message],
    /// How many more there are.
    pub more: usize,
    /// Where the next call goes on; `None` where that can't be kept.
    pub cursor: Option<&'a str>,
    /// Whether the cursor given was not known any more, so that all unread mail counted as new.
    pub cursor_lost: bool,
    /// Whether the time was over before there was any.
    pub timed_out: bool,
    /// The command that waits again.
    pub next: &'a [String],
    /// What could not be looked at.
    pub problems: &'a [Trouble<'a>],
}

/// `watch --once`: `{messages, more, cursor, cursor_lost, timed_out, next}`, and `problems` where
/// something could not be looked at.
///
/// # Errors
/// What the writer says.
pub fn document(out: impl Write, once: &Once<'_>) -> io::Result<()> {
    #[derive(Serialize)]
    struct Doc<'a, M, P> {
        schema: &'static str,
        messages: M,
        more: usize,
        cursor: Option<&'a str>,
        cursor_lost: bool,
        timed_out: bool,
        next: &'a [String],
        #[serde(skip_serializing_if = "Option::is_none")]
        problems: Option<P>,
    }
    let Once { messages, more, cursor, cursor_lost, timed_out, next, problems } = *once;
    let messages = Each(messages.iter().copied(), MessageDoc::of);
    let problems = (!problems.is_empty()).then_some(Each(problems, TroubleDoc::of));
    json::line(out, &Doc { schema: SCHEMA, messages, more, cursor, cursor_lost, timed_out, next, problems })
}

/// One message that landed: urgency, ref, sender, type, subject.
///
/// # Errors
/// What the writer says.
#[cfg(feature = "cli")]
pub fn line(out: &mut impl Write, message: &Message, screen: &Screen<'_>) -> io::Result<()> {
    use super::palette;
    use super::shown::{self, Shower};
    use crate::model::message::Priority;
    use crate::text::neutral::Target;

    let safe = |raw: &str, most: usize| Shower::new(Target::Terminal).field(raw, most).into_owned();
    let (urgent, name, new, faint) = (palette::priority(message.shown.priority), palette::NAME, palette::NEW, palette::FAINT);
    let mark = match message.shown.priority {
        Priority::Urgent => "!! ",
        Priority::High => "! ",
        Priority::Normal | Priority::Low => "",
    };
    let from = message.header.from.as_deref().unwrap_or("?");
    let from = Shower::new(Target::Terminal).sender(from).into_owned();
    writeln!(
        out,
        "{urgent}{mark}{urgent:#}{name}{from}{name:#}: {new}{}{new:#} [{}] {faint}{}{faint:#}",
        safe(&message.shown.subject, shown::SUBJECT),
        safe(&message.shown.kind, shown::WORD),
        screen.path(&message.path)
    )
}
