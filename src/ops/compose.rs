//! What is settled before a letter is written: who sends it, and whom it is for.
//! Shared by `send`, `reply` and `broadcast`.

use super::session::Session;
use crate::error::{Exit, Report};
use crate::model::inbox::Inbox;
use crate::model::name::Recipient;
use crate::text::body;

/// Who sends: the one named, else who acts, else `fallback`.
///
/// # Errors
/// Nobody is known, or the name can't be one.
pub fn sender(session: &Session<'_>, named: Option<&str>, fallback: Option<&str>) -> Result<String, Report> {
    let name = named.map(str::to_owned).or_else(|| session.actor.as_ref().map(ToString::to_string));
    match name.or_else(|| fallback.map(str::to_owned)) {
        Some(name) => Recipient::parse(&name)
            .map(|r| r.to_string())
            .map_err(|e| Report::new("bad-sender", Exit::Usage, format!("{name:?} can't be a sender: {e}"))),
        None => Err(Report::new("no-sender", Exit::Usage, "nobody knows who sends this")
            .hint("say it with --from NAME, --agent NAME, POSTROOM_AGENT, or `agent = \"NAME\"` in the configuration")),
    }
}

/// Recipients as people name them.
///
/// # Errors
/// The first name that can't be one.
pub fn recipients(names: &[String]) -> Result<Vec<Recipient>, Report> {
    let bad = |name: &str, error: &dyn std::fmt::Display| {
        Report::new("bad-recipient", Exit::Usage, format!("{name:?} can't be a recipient: {error}; nothing was sent"))
    };
    names.iter().map(|name| Recipient::parse(name).map_err(|e| bad(name, &e))).collect()
}

/// The subject of a message that was given as its text alone: its first line, as far as one line goes.
pub fn subject_of(text: &str) -> String {
    const MOST: usize = 100;
    let line = body::title_of(text.as_bytes()).unwrap_or_default();
    let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.chars().count() <= MOST {
        return line;
    }
    let cut: String = line.chars().take(MOST).collect();
    let words = cut.rsplit_once(' ').map_or(cut.as_str(), |(words, _)| words);
    format!("{}…", words.trim_end())
}

/// The one inbox that was named outright, of those `found` for the names; none where none was named.
///
/// # Errors
/// The names mean several.
pub fn into_inbox<'i>(names: &[String], found: &[&'i Inbox]) -> Result<Option<&'i Inbox>, Report> {
    match (names, found) {
        ([], _) => Ok(None),
        (_, [inbox]) => Ok(Some(inbox)),
        (_, several) => {
            let text = format!("--inbox names {} inboxes; a message is put into one", several.len());
            Err(Report::new("ambiguous-inbox", Exit::NotFound, text).next("postroom inboxes"))
        }
    }
}
