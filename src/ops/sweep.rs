//! The scheduled clean-up: handled mail older than a limit goes to the archive; what stays and why
//! is told. It asks nothing, because nothing is lost: `restore` brings each one back.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use chrono::{Days, NaiveDate};

use super::archive::{self, Taken, Way};
use super::find::{self, Query, Unlooked};
use super::session::{self, Session};
use crate::error::Report;
use crate::layout;
use crate::model::date::When;
use crate::model::inbox::Inbox;
use crate::model::message::{Message, Warning};
use crate::model::status::Status;
use crate::store::read::Reach;

/// How many moves are gathered before the journal is told of them.
const AT_ONCE: usize = 1_000;

/// What a sweep takes.
#[derive(Debug, Clone)]
pub struct Options {
    /// Messages dated before this day are old; `None`: as the settings of each inbox have it.
    pub before: Option<NaiveDate>,
    /// The statuses that count as handled: `actioned` and `resolved`, unless asked otherwise.
    pub status: Vec<Status>,
    /// Only plan.
    pub dry_run: bool,
}

impl Options {
    /// A sweep of what is older than the settings say, unless another day is named, and handled, unless
    /// other statuses are.
    pub fn new(before: Option<NaiveDate>, status: Vec<Status>, dry_run: bool) -> Self {
        let status = if status.is_empty() { vec![Status::Actioned, Status::Resolved] } else { status };
        Self { before, status, dry_run }
    }

    /// The day before which a message is older than `days` whole calendar days.
    pub fn day_limit(today: NaiveDate, days: u64) -> NaiveDate {
        today.checked_sub_days(Days::new(days)).unwrap_or(NaiveDate::MIN)
    }
}

/// A message that was, or would be, archived.
#[derive(Debug, Clone)]
pub struct Swept {
    /// The message, as it was before. Boxed, because there may be thousands, and they are put in order.
    pub message: Box<Message>,
    /// Where it is, or would be.
    pub to_path: PathBuf,
}

/// A message that stays though it is old, or because nobody knows how old it is.
#[derive(Debug, Clone)]
pub struct Kept {
    /// The message.
    pub message: Message,
    /// A stable word: `stale-unread`, `stale-read`, `unreadable`, `unknown-status`, `no-date`, `no-archive`, `link`.
    pub kind: &'static str,
    /// Why, for people.
    pub reason: String,
}

/// What a sweep did, or would do.
#[derive(Debug, Default)]
pub struct Sweep {
    /// What went, or would go, to the archive.
    pub archived: Vec<Swept>,
    /// What stays.
    pub kept: Vec<Kept>,
    /// What should have gone and did not, with the reason.
    pub failed: Vec<(Message, Report)>,
    /// Inboxes that could not be looked into.
    pub unlooked: Vec<Unlooked>,
    /// What is worth saying though it is done.
    pub warnings: Vec<Warning>,
}

/// Sweeps the inboxes given. One failure does not stop the rest.
pub fn sweep(session: &Session<'_>, inboxes: &[&Inbox], options: &Options) -> Sweep {
    let mut out = Sweep::default();
    let query = Query { stamps: true, ..Query::default() };
    let moment = session.clock.moment();
    for &inbox in inboxes {
        let settings = &session.rules(inbox).sweep;
        let limit = || Options::day_limit(session.clock.today(), u64::from(settings.older_than_days));
        let before = options.before.unwrap_or_else(limit);
        let is_young = |when| moment.is_future(when) || session.clock.day_of(when) >= before;
        let is_handled = |message: &Message| {
            let fits = |kind: &String| kind.eq_ignore_ascii_case(&message.shown.kind);
            options.status.contains(&message.status) || message.status == Status::Read && settings.read_types.iter().any(fits)
        };
        let start = || (Vec::new(), Vec::new());
        let (parts, unlooked) = find::survey_for(&query, session, inbox, start, |(old, kept), look| {
            // Most of a large inbox is young: what a look tells of is not made a message for it.
            if look.glance.dated().is_some_and(is_young) {
                return;
            }
            let message = look.whole();
            match judge(inbox, &message, is_young, is_handled(&message)) {
                Verdict::Go => old.push(Box::new(message)),
                Verdict::Young => {}
                Verdict::Stay(kind, reason) => kept.push(Kept { message, kind, reason }),
            }
        });
        out.unlooked.extend(unlooked);
        let mut old: Vec<Box<Message>> = Vec::new();
        for (of_part, kept) in parts {
            old.extend(of_part);
            out.kept.extend(kept);
        }
        old.sort_by(|a, b| part_by_part(&a.path, &b.path));
        carry_out(session, inbox, old.into_iter(), options, &mut out);
    }
    out.kept.sort_by(|a, b| part_by_part(&a.message.path, &b.message.path));
    out
}

/// The order that paths have of themselves, without taking both apart for each comparison.
fn part_by_part(a: &Path, b: &Path) -> Ordering {
    let (a, b) = (a.as_os_str().as_encoded_bytes(), b.as_os_str().as_encoded_bytes());
    // Nearly all of it is the same: whole pieces are compared at once.
    let (pieces, others) = (a.as_chunks::<16>().0, b.as_chunks::<16>().0);
    let same = 16 * pieces.iter().zip(others).take_while(|(a, b)| a == b).count();
    let (a, b) = (a.get(same..).unwrap_or_default(), b.get(same..).unwrap_or_default());
    // What ends a part comes before whatever goes on.
    let rank = |&byte: &u8| if std::path::is_separator(byte.into()) { 0 } else { u16::from(byte) + 1 };
    match a.iter().zip(b).find(|(a, b)| a != b) {
        Some((a, b)) => rank(a).cmp(&rank(b)),
        None => a.len().cmp(&b.len()),
    }
}

enum Verdict {
    Go,
    Young,
    Stay(&'static str, String),
}

fn judge(inbox: &Inbox, message: &Message, is_young: impl Fn(When) -> bool, handled: bool) -> Verdict {
    let Some(when) = message.dated() else {
        let telling = handled || !message.readable;
        return if telling { Verdict::Stay("no-date", undated(message)) } else { Verdict::Young };
    };
    if is_young(when) {
        return Verdict::Young;
    }
    if !message.readable {
        return Verdict::Stay("unreadable", format!("old, but {}", first_warning(message)));
    }
    if !handled {
        if message.status.is_handled() {
            // Handled, but of a status that was not asked for.
            return Verdict::Young;
        }
        let unknown = message.warnings.iter().find(|w| w.kind.starts_with("status-"));
        return match (message.status, unknown) {
            (_, Some(warning)) => Verdict::Stay("unknown-status", format!("old, but {}", warning.text)),
            (Status::Unread, None) => Verdict::Stay("stale-unread", "old, but nobody has read it".to_owned()),
            (status, None) => Verdict::Stay("stale-read", format!("old, but only {status}, not handled")),
        };
    }
    let can = layout::of(inbox.layout).capabilities();
    if !can.archive {
        return Verdict::Stay("no-archive", format!("handled and old, but {}", can.why_not));
    }
    Verdict::Go
}

fn undated(message: &Message) -> String {
    match message.header.date.as_deref().map(str::trim).filter(|d| !d.is_empty()) {
        Some(date) => format!("nobody knows how old it is: its date, {date:?}, is none that is known"),
        None => "nobody knows how old it is: neither its header nor its name has a date".to_owned(),
    }
}

fn first_warning(message: &Message) -> String {
    message.warnings.first().map_or_else(|| "its header can't be read".to_owned(), |w| w.text.clone())
}

/// Moves the old messages of one inbox, in one go; folders are synced once, at the end.
fn carry_out(
    session: &Session<'_>,
    inbox: &Inbox,
    old: impl ExactSizeIterator<Item = Box<Message>>,
    options: &Options,
    out: &mut Sweep,
) {
    if old.len() == 0 {
        return;
    }
    if options.dry_run {
        return foresee(session, inbox, old, out);
    }
    let lock = match session.lock(inbox) {
        Ok(lock) => lock,
        Err(report) => return out.failed.extend(old.map(|message| (*message, report.clone()))),
    };
    let mut batch = session.disk.batch(Reach::Within(&inbox.project));
    let (mut events, folder) = (Vec::new(), OnceCell::new());
    out.archived.reserve(old.len());
    for message in old {
        let plan = archive::plan_one_of(session, inbox, &message, Way::Out, &folder);
        let moved = plan.and_then(|plan| session::step(&mut batch, &lock, &plan));
        match moved {
            Ok(done) => {
                let to_path = done.path().unwrap_or_else(|| message.path.clone());
                events.push(archive::event(session, inbox, &message, Way::Out, &to_path, Some("sweep".to_owned())));
                out.warnings.extend(done.warnings);
                out.archived.push(Swept { message, to_path });
            }
            Err(report) => out.failed.push((*message, report)),
        }
        if events.len() >= AT_ONCE {
            out.warnings.extend(session.record(std::mem::take(&mut events)));
        }
    }
    if let Err(error) = batch.finish() {
        out.warnings.push(Warning::new("not-synced", error.to_string()));
    }
    out.warnings.extend(session.record(events));
}

fn foresee(session: &Session<'_>, inbox: &Inbox, old: impl Iterator<Item = Box<Message>>, out: &mut Sweep) {
    let mut taken = Taken::default();
    for message in old {
        match archive::plan_move(session, inbox, &message, Way::Out, &mut taken) {
            Ok((_, to_path)) => out.archived.push(Swept { message, to_path }),
            Err(report) => out.failed.push((*message, report)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_in_their_own_order() {
        let paths = ["/a", "/a/b", "/a/b/c", "/a/b.md", "/a/b c", "/a-b", "/a.b/c", "/b", "/a/B", "/a/\u{e9}", "/a/b\u{1}"];
        let deep = paths.map(|path| format!("/a/path/of/some/length/with/parts{path}"));
        let paths: Vec<&str> = paths.into_iter().chain(deep.iter().map(String::as_str)).collect();
        for (a, b) in paths.iter().flat_map(|a| paths.iter().map(move |b| (Path::new(a), Path::new(b)))) {
            assert_eq!(part_by_part(a, b), a.cmp(b), "{a:?} {b:?}");
        }
    }
}
