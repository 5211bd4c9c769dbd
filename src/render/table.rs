//! What a person at a terminal sees: lists of messages, threads and inboxes, the journal, the report
//! of a sweep. (One message whole is in [`super::page`].)
//!
//! Everything is written with colours in it; the output stream strips them where they are not
//! wanted. Every text of a message is made safe on the way (see [`super::shown`]).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use super::age::age;
use super::grid::{self, Cell, Column};
use super::palette;
use super::shown::{self, Shower};
use super::view::{InboxRow, Node, SweepReport};
use crate::model::date::Clock;
use crate::model::event::Event;
use crate::model::message::{DateSource, Message, Priority, Warning};
use crate::text::neutral::Target;

/// What output depends on beside what is shown.
#[derive(Debug, Clone, Copy)]
pub struct Screen<'a> {
    /// The terminal's width in columns; `None` where it is none, and nothing is cut.
    pub width: Option<usize>,
    /// The clock that ages are counted from.
    pub clock: &'a Clock,
    /// Paths below this folder are shown relative to it.
    pub base: Option<&'a Path>,
    /// Other paths below this one are shown as `~/…`.
    pub home: Option<&'a Path>,
}

impl Screen<'_> {
    /// A path as short as it can be named, made safe.
    pub fn path(&self, path: &Path) -> String {
        Shower::new(Target::Terminal).path(path, self.base, self.home)
    }
}

/// A list of messages: priority, age, status, sender, subject, inbox (if there are several), id.
///
/// An age with `~` is that of the file, because the message has no date. Prints nothing for none.
///
/// # Errors
/// What the writer says.
pub fn list<'a>(out: impl Write, messages: impl IntoIterator<Item = &'a Message>, screen: &Screen<'_>) -> io::Result<()> {
    const COLUMNS: [Column; 8] = [
        Column::whole(""),
        Column::right("AGE"),
        Column::whole("STATUS"),
        Column::cut("FROM", 6, 20),
        Column::cut("SUBJECT", 16, usize::MAX),
        Column::cut("INBOX", 8, 30),
        Column::whole(""),
        Column::kept("ID"),
    ];
    let messages: Vec<&Message> = messages.into_iter().collect();
    let inboxes: BTreeSet<&str> = messages.iter().map(|m| m.inbox.as_str()).collect();
    let several = inboxes.len() > 1;
    // Where all are archived, that was asked for.
    let mixed = messages.iter().any(|m| m.archived) && messages.iter().any(|m| !m.archived);
    let rows: Vec<_> = messages
        .iter()
        .map(|m| {
            let look = palette::status(m.status);
            let from = m.header.from.as_deref().unwrap_or_default();
            [
                Cell::new(mark(m.shown.priority), palette::priority(m.shown.priority)),
                Cell::new(age_of(m, screen.clock), palette::FAINT),
                Cell::new(m.status.word(), look),
                Cell::new(Shower::new(Target::Terminal).sender(from), palette::NAME),
                Cell::new(safe(&m.shown.subject, shown::SUBJECT), look),
                Cell::new(if several { safe(&m.inbox, shown::REMARK) } else { "".into() }, palette::NAME),
                Cell::new(if mixed && m.archived { "archived" } else { "" }, palette::FAINT),
                Cell::new(Shower::new(Target::Terminal).id(m), palette::FAINT),
            ]
        })
        .collect();
    grid::print(out, &COLUMNS, &rows, screen.width)
}

/// A conversation as a tree: answers stand below what they answer, further in.
///
/// # Errors
/// What the writer says.
pub fn thread(out: impl Write, nodes: &[Node<'_>], screen: &Screen<'_>) -> io::Result<()> {
    // Deeper ones stay at this depth: a chain of answers must not push its text out of sight.
    const DEEPEST: usize = 12;
    const COLUMNS: [Column; 6] = [
        Column::whole(""),
        Column::right("AGE"),
        Column::whole("STATUS"),
        Column::cut("FROM", 6, 20),
        Column::cut("SUBJECT", 16, usize::MAX),
        Column::kept("ID"),
    ];
    let row = |node: &Node<'_>| {
        let Node { message, depth, .. } = *node;
        let look = palette::status(message.status);
        let stem = "  ".repeat(depth.saturating_sub(1).min(DEEPEST));
        let branch = if depth > 0 { "└ " } else { "" };
        let from = message.header.from.as_deref().unwrap_or_default();
        [
            Cell::new(mark(message.shown.priority), palette::priority(message.shown.priority)),
            Cell::new(age_of(message, screen.clock), palette::FAINT),
            Cell::new(if message.archived { "archived" } else { message.status.word() }, look),
            Cell::new(Shower::new(Target::Terminal).sender(from).into_owned(), palette::NAME),
            Cell::new(format!("{stem}{branch}{}", safe(&message.shown.subject, shown::SUBJECT)), look),
            Cell::new(Shower::new(Target::Terminal).id(message), palette::FAINT),
        ]
    };
    let rows: Vec<_> = nodes.iter().map(row).collect();
    grid::print(out, &COLUMNS, &rows, screen.width)
}

/// The inboxes found: name, label, layout, counts, path. A count that could not be made is `?`.
///
/// # Errors
/// What the writer says.
pub fn inboxes(out: impl Write, rows: &[InboxRow<'_>], screen: &Screen<'_>) -> io::Result<()> {
    const COLUMNS: [Column; 8] = [
        Column::kept("INBOX"),
        Column::whole("WHERE"),
        Column::whole("LAYOUT"),
        Column::right("UNREAD"),
        Column::right("OPEN"),
        Column::right("LIVE"),
        Column::right("ARCHIVED"),
        Column::cut_start("PATH", 10),
    ];
    let count = |n: Option<usize>| n.map_or_else(|| "?".to_owned(), |n| n.to_string());
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            let unread = if row.unread == Some(0) { palette::FAINT } else { palette::NEW };
            [
                Cell::new(safe(&row.inbox.name, shown::REMARK), palette::NAME),
                Cell::new(row.inbox.label.as_str(), palette::PLAIN),
                Cell::new(row.inbox.layout.as_str(), palette::PLAIN),
                Cell::new(count(row.unread), unread),
                Cell::new(count(row.open), palette::PLAIN),
                Cell::new(count(row.live), palette::PLAIN),
                Cell::new(count(row.archived), palette::FAINT),
                Cell::new(screen.path(&row.inbox.path), palette::FAINT),
            ]
        })
        .collect();
    grid::print(out, &COLUMNS, &rows, screen.width)
}

/// One event of the journal, on one line: when, what, who, which message, what changed.
///
/// # Errors
/// What the writer says.
pub fn event(out: &mut impl Write, event: &Event, screen: &Screen<'_>) -> io::Result<()> {
    let (faint, name) = (palette::FAINT, palette::NAME);
    let at = safe(&event.at, shown::WORD);
    write!(out, "{faint}{at}{faint:#}  {:8}", event.event.as_str())?;
    if let Some(actor) = &event.actor {
        write!(out, "  {name}{}{name:#}", Shower::new(Target::Terminal).sender(actor))?;
    }
    write!(out, "  {}:{}", safe(&event.inbox, shown::REMARK), id(&event.id))?;
    if let (Some(from), Some(to)) = (&event.from, &event.to) {
        write!(out, "  {} → {}", safe(from, shown::WORD), safe(to, shown::WORD))?;
    }
    if !event.passed.is_empty() {
        write!(out, " (through {})", safe(&event.passed.join(", "), shown::REMARK))?;
    }
    if let (Some(sender), Some(recipient)) = (&event.sender, &event.recipient) {
        let mut names = Shower::new(Target::Terminal);
        write!(out, "  {} → {}", names.sender(sender).into_owned(), names.sender(recipient))?;
    }
    if let Some(subject) = &event.subject {
        write!(out, "  {}", safe(subject, shown::SUBJECT))?;
    }
    if let Some(to) = &event.to_path {
        write!(out, "  → {}", screen.path(to))?;
    }
    if let Some(note) = &event.note {
        write!(out, "  {faint}({}){faint:#}", safe(note, shown::REMARK))?;
    }
    writeln!(out)
}

/// What a sweep did, or would do: one line for each message, and the counts.
///
/// # Errors
/// What the writer says.
pub fn sweep(out: &mut impl Write, report: &SweepReport<'_>, screen: &Screen<'_>) -> io::Result<()> {
    let (good, faint, alarm) = (palette::GOOD, palette::FAINT, palette::ALARM);
    let verb = if report.dry_run { "would archive" } else { "archived" };
    for moved in report.archived {
        writeln!(out, "{good}{verb}{good:#} {} → {}", screen.path(&moved.message.path), screen.path(moved.to_path))?;
    }
    for stayed in report.kept {
        let why = safe(stayed.why, shown::REMARK);
        writeln!(out, "{faint}kept{faint:#} {}: {why}", screen.path(&stayed.message.path))?;
    }
    for failed in report.failed {
        let why = safe(failed.why, shown::REMARK);
        writeln!(out, "{alarm}failed{alarm:#} {}: {why}", screen.path(&failed.message.path))?;
    }
    let (archived, kept, failed) = (report.archived.len(), report.kept.len(), report.failed.len());
    writeln!(out, "{archived} {}, {kept} kept, {failed} failed", if report.dry_run { "would be archived" } else { verb })
}

/// The line for a warning, for the error stream: what it is about, and what is odd.
///
/// # Errors
/// What the writer says.
pub fn warning(out: &mut impl Write, about: &str, warning: &Warning) -> io::Result<()> {
    let style = palette::WARNING;
    writeln!(out, "{style}warning{style:#}: {}: {}", safe(about, shown::REMARK), safe(&warning.text, shown::REMARK))
}

/// The line for an error, for the error stream.
///
/// # Errors
/// What the writer says.
pub fn error(out: &mut impl Write, text: &str, hints: &[String]) -> io::Result<()> {
    let (alarm, faint) = (palette::ALARM, palette::FAINT);
    writeln!(out, "{alarm}error{alarm:#}: {}", safe(text, 2 * shown::REMARK))?;
    hints.iter().try_for_each(|hint| writeln!(out, "  {faint}{}{faint:#}", safe(hint, shown::REMARK)))
}

fn safe(raw: &str, most: usize) -> Cow<'_, str> {
    Shower::new(Target::Terminal).field(raw, most)
}

/// An id as the shell takes it back.
fn id(raw: &str) -> String {
    Shower::new(Target::Terminal).path(Path::new(raw), None, None)
}

fn mark(priority: Priority) -> &'static str {
    match priority {
        Priority::Urgent => "!!",
        Priority::High => "!",
        Priority::Normal => "",
        Priority::Low => "↓",
    }
}

/// Where the date can't be understood, its text says most.
fn age_of(message: &Message, clock: &Clock) -> Cow<'static, str> {
    match (message.shown.when, message.shown.date_source) {
        (Some(when), Some(DateSource::Mtime)) => format!("~{}", age(clock, when)).into(),
        (Some(when), _) => age(clock, when).into(),
        (None, _) => safe(&message.shown.date, 10).into_owned().into(),
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
