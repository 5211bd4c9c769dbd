//! What postroom did, from the journal: history for people, never a source of truth.

use std::path::{Path, PathBuf};

use chrono::{DateTime, NaiveDate, Utc};

use super::session::Session;
use crate::error::Report;
use crate::model::event::Event;
use crate::store::journal::{Position, Reading};

/// Which events are wanted.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// At most this many, the latest.
    pub last: Option<usize>,
    /// On this day or later, where the reader is.
    pub since: Option<NaiveDate>,
    /// About messages whose id, path or new path holds this text.
    pub reference: Option<String>,
    /// In one of the inboxes that lie at these paths.
    pub inboxes: Option<Vec<PathBuf>>,
}

impl Query {
    /// Whether an event is one of those wanted.
    pub fn matches(&self, session: &Session<'_>, event: &Event) -> bool {
        let holds = |text: &str| {
            event.id.contains(text)
                || event.path.to_string_lossy().contains(text)
                || event.to_path.as_ref().is_some_and(|p| p.to_string_lossy().contains(text))
                || event.in_reply_to.as_ref().is_some_and(|p| p.contains(text))
        };
        self.inboxes.as_ref().is_none_or(|paths| lies_in(session, event, paths))
            && self.reference.as_deref().is_none_or(holds)
            && self.since.is_none_or(|since| {
                DateTime::parse_from_rfc3339(&event.at)
                    .is_ok_and(|at| (session.clock.to_local)(at.with_timezone(&Utc)).date() >= since)
            })
    }
}

/// Whether an event is about a message in one of the inboxes at these paths. Names of inboxes depend
/// on what else was around when the event was written; paths don't.
fn lies_in(session: &Session<'_>, event: &Event, paths: &[PathBuf]) -> bool {
    let files = [Some(&event.path), event.to_path.as_ref()];
    files.into_iter().flatten().any(|file| {
        let holds = |inbox: &Path| file.starts_with(inbox) || inbox.canonicalize().is_ok_and(|real| file.starts_with(real));
        let deepest = session.found.inboxes.iter().filter(|i| holds(&i.path)).max_by_key(|i| i.path.components().count());
        match deepest {
            // One inbox may lie in another one's folder.
            Some(inbox) => paths.contains(&inbox.path),
            None => paths.iter().any(|inbox| holds(inbox)),
        }
    })
}

/// The events wanted, and the place in the journal behind the last of them: what is done meanwhile is
/// among neither twice.
///
/// # Errors
/// As [`events`].
pub fn events_until(session: &Session<'_>, query: &Query) -> Result<(Reading, Position), Report> {
    let journal = session.journal();
    let mut end = journal.end()?;
    for _ in 0..10 {
        let reading = events(session, query)?;
        let now = journal.end()?;
        if now == end {
            return Ok((reading, end));
        }
        end = now;
    }
    // Somebody is very busy: what is told from here on is told at least once.
    Ok((events(session, query)?, end))
}

/// The events wanted that were added since a place, and the place behind them.
///
/// # Errors
/// As [`events`].
pub fn events_since(session: &Session<'_>, query: &Query, since: Position) -> Result<(Reading, Position), Report> {
    let (mut reading, next) = session.journal().since(since)?;
    reading.events.retain(|event| query.matches(session, event));
    Ok((reading, next))
}

/// The events wanted, oldest first, and how many records were damaged and passed over.
///
/// # Errors
/// The journal is there but can't be read.
pub fn events(session: &Session<'_>, query: &Query) -> Result<Reading, Report> {
    session.journal().last(query.last.unwrap_or(usize::MAX), |event| query.matches(session, event)).map_err(Into::into)
}
