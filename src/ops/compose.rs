//! What is settled before a letter is written: who sends it, and whom it is for.
//! Shared by `send`, `reply` and `broadcast`.

use super::book;
use super::deliver::{self, Addressed, Recipients};
use super::session::Session;
use crate::error::{Exit, Report};
use crate::model::inbox::Inbox;
use crate::model::letter::Letter;
use crate::model::name::Recipient;
use crate::text::body;

/// The people of a letter, as somebody called them.
#[derive(Debug, Clone, Default)]
pub struct People {
    /// Who sends it, where that is not who acts.
    pub from: Option<String>,
    /// Whom it is for.
    pub to: Vec<String>,
    /// Who gets a copy.
    pub cc: Vec<String>,
    /// Who gets a copy that the others don't see.
    pub bcc: Vec<String>,
}

/// Who sends: the one named, else who acts, else `fallback`.
///
/// # Errors
/// Nobody is known, or the name can't be one.
pub fn sender(session: &Session<'_>, named: Option<&str>, fallback: Option<&str>) -> Result<String, Report> {
    let name = named.map(str::to_owned).or_else(|| session.actor.as_ref().map(ToString::to_string));
    match name.or_else(|| fallback.map(str::to_owned)) {
        Some(name) => book::recipient(session, &name)
            .map(|r| r.to_string())
            .map_err(|e| Report::new("bad-sender", Exit::Usage, format!("{name:?} can't be a sender: {e}; nothing was sent"))),
        None => Err(Report::new("no-sender", Exit::Usage, "nobody knows who sends this; nothing was sent")
            .hint("say it with --from NAME, --agent NAME, POSTROOM_AGENT, or `agent = \"NAME\"` in the configuration")),
    }
}

/// Recipients as people name them.
///
/// # Errors
/// All names that can't be one.
pub fn recipients(session: &Session<'_>, names: &[String]) -> Result<Vec<Recipient>, Report> {
    let (found, faults) = parsed(session, names);
    Report::together(faults).map_or(Ok(found), Err)
}

fn parsed(session: &Session<'_>, names: &[String]) -> (Vec<Recipient>, Vec<Report>) {
    let mut faults = Vec::new();
    let mut parse = |name: &String| match book::recipient(session, name) {
        Ok(recipient) => Some(recipient),
        Err(error) => {
            let text = format!("{name:?} can't be a recipient: {error}; nothing was sent");
            faults.push(Report::new("bad-recipient", Exit::Usage, text));
            None
        }
    };
    let found = names.iter().filter_map(&mut parse).collect();
    (found, faults)
}

/// Names that can't be one, of all kinds of people: told before a text is asked for.
///
/// # Errors
/// All of them.
pub fn check_names(session: &Session<'_>, people: &People) -> Result<(), Report> {
    let mut faults: Vec<Report> = [&people.to, &people.cc, &people.bcc].into_iter().flat_map(|n| parsed(session, n).1).collect();
    if let Some(Err(report)) = people.from.as_deref().map(|name| sender(session, Some(name), None)) {
        faults.push(report);
    }
    Report::together(faults).map_or(Ok(()), Err)
}

/// Puts people's names into a letter, and finds the inbox of each copy: `into`, where one was named,
/// else by the names, among those `reachable`.
///
/// # Errors
/// Every fault of the letter and of its people at once; nothing was written.
pub fn settle(
    session: &Session<'_>,
    reachable: &[&Inbox],
    into: Option<&Inbox>,
    people: &People,
    letter: &mut Letter,
) -> Result<Addressed, Report> {
    let mut faults = Vec::new();
    match sender(session, people.from.as_deref(), None) {
        Ok(name) => letter.from = name,
        Err(report) => faults.push(report),
    }
    let mut named = |names: &[String]| {
        let (found, bad) = parsed(session, names);
        faults.extend(bad);
        found
    };
    let recipients = Recipients { to: named(&people.to), cc: named(&people.cc), bcc: named(&people.bcc) };
    let some_are_bad = faults.iter().any(|f| f.kind == "bad-recipient");
    let addressed = if some_are_bad && recipients.is_empty() {
        None
    } else {
        match deliver::address(session, reachable, &recipients, &|_| into) {
            Ok(addressed) => {
                addressed.name_in(letter);
                Some(addressed)
            }
            Err(report) => {
                faults.push(report);
                None
            }
        }
    };
    if let Err(report) = deliver::check(letter) {
        faults.push(report);
    }
    match (Report::together(faults), addressed) {
        (None, Some(addressed)) => Ok(addressed),
        (report, _) => Err(report.unwrap_or_else(deliver::no_recipient)),
    }
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
