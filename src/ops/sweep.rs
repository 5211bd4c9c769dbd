//! The scheduled clean-up: handled mail older than a limit goes to the archive; what stays and why
//! is told. It asks nothing, because nothing is lost: `restore` brings each one back.

use std::path::PathBuf;

use chrono::{Days, NaiveDate};

use super::archive::{self, Taken, Way};
use super::find::{self, Query, Unlooked};
use super::refs::Target;
use super::session::{self, Session};
use crate::error::Report;
use crate::layout;
use crate::model::inbox::Inbox;
use crate::model::message::{Message, Warning};
use crate::model::status::Status;
use crate::store::read::Reach;

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
    /// The message, as it was before.
    pub message: Message,
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
    for &inbox in inboxes {
        let (mut old, settings) = (Vec::new(), &session.rules(inbox).sweep);
        let limit = || Options::day_limit(session.clock.today(), u64::from(settings.older_than_days));
        let before = options.before.unwrap_or_else(limit);
        let is_handled = |message: &Message| {
            let fits = |kind: &String| kind.eq_ignore_ascii_case(&message.shown.kind);
            options.status.contains(&message.status) || message.status == Status::Read && settings.read_types.iter().any(fits)
        };
        let unlooked = find::each(session, &[inbox], &query, &mut |_, message| match judge(
            session,
            inbox,
            &message,
            before,
            is_handled(&message),
        ) {
            Verdict::Go => old.push(message),
            Verdict::Young => {}
            Verdict::Stay(kind, reason) => out.kept.push(Kept { message, kind, reason }),
        });
        out.unlooked.extend(unlooked);
        old.sort_by(|a, b| a.path.cmp(&b.path));
        carry_out(session, inbox, old, options, &mut out);
    }
    out.kept.sort_by(|a, b| a.message.path.cmp(&b.message.path));
    out
}

enum Verdict {
    Go,
    Young,
    Stay(&'static str, String),
}

fn judge(session: &Session<'_>, inbox: &Inbox, message: &Message, before: NaiveDate, handled: bool) -> Verdict {
    let Some(when) = message.dated() else {
        let telling = handled || !message.readable;
        return if telling { Verdict::Stay("no-date", undated(message)) } else { Verdict::Young };
    };
    if session.clock.is_future(when) || session.clock.day_of(when) >= before {
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
fn carry_out(session: &Session<'_>, inbox: &Inbox, old: Vec<Message>, options: &Options, out: &mut Sweep) {
    if old.is_empty() {
        return;
    }
    if options.dry_run {
        return foresee(session, inbox, old, out);
    }
    let lock = match session.lock(inbox) {
        Ok(lock) => lock,
        Err(report) => return out.failed.extend(old.into_iter().map(|message| (message, report.clone()))),
    };
    let mut batch = session.disk.batch(Reach::Within(&inbox.project));
    let mut events = Vec::with_capacity(old.len());
    for message in old {
        let target = Target { inbox: inbox.clone(), message };
        let moved = archive::plan(session, &target, Way::Out).and_then(|plan| session::step(&mut batch, &lock, &plan));
        match moved {
            Ok(done) => {
                let to_path = done.path().unwrap_or_else(|| target.message.path.clone());
                events.push(archive::event(session, &target, Way::Out, &to_path, Some("sweep".to_owned())));
                out.warnings.extend(done.warnings);
                out.archived.push(Swept { message: target.message, to_path });
            }
            Err(report) => out.failed.push((target.message, report)),
        }
    }
    if let Err(error) = batch.finish() {
        out.warnings.push(Warning::new("not-synced", error.to_string()));
    }
    out.warnings.extend(session.record(events));
}

fn foresee(session: &Session<'_>, inbox: &Inbox, old: Vec<Message>, out: &mut Sweep) {
    let mut taken = Taken::default();
    for message in old {
        let target = Target { inbox: inbox.clone(), message };
        match archive::plan_move(session, &target, Way::Out, &mut taken) {
            Ok((_, to_path)) => out.archived.push(Swept { message: target.message, to_path }),
            Err(report) => out.failed.push((target.message, report)),
        }
    }
}
