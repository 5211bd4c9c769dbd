//! Mending: from findings to plans, and the plans carried out.
//!
//! Only what DESIGN §4 calls safe: no word of a message is lost, a header that is read again says the
//! same, and a file that was changed meanwhile stays as it is. What can't be mended so is told.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{Checkup, Order, Repair};
use crate::error::{Exit, Report};
use crate::layout::{self, Change, markdown};
use crate::model::event::{Event, EventKind};
use crate::model::inbox::Inbox;
use crate::model::message::Warning;
use crate::model::name::MessageId;
use crate::model::plan::{EditPlan, FileOp, Source};
use crate::model::status::Status;
use crate::ops::session::Session;
use crate::store::atomic::Disk;
use crate::store::read::{self, LARGEST, Reach};
use crate::store::scan::Scan;
use crate::text::tidy;

/// What is going to be done to one file.
#[derive(Debug, Clone)]
pub struct Mending {
    /// The inbox, by name.
    pub inbox: String,
    /// The file.
    pub path: PathBuf,
    /// The rules that it breaks no longer.
    pub rules: Vec<&'static str>,
    /// What is done, in words.
    pub what: Vec<&'static str>,
    work: Work,
}

#[derive(Debug, Clone)]
enum Work {
    Edit(Box<Inbox>, EditPlan),
    /// An old copy of postroom's own.
    Remove,
}

/// The plans for all findings that can be mended, and why others that look like it can't.
pub fn plan(session: &Session<'_>, order: &Order<'_>, checkup: &Checkup) -> (Vec<Mending>, Vec<Report>) {
    let mut files: BTreeMap<&Path, Vec<(Repair, &'static str, &str)>> = BTreeMap::new();
    for finding in &checkup.findings {
        if let Some(repair) = finding.repair {
            files.entry(&finding.path).or_default().push((repair, finding.rule.id, &finding.inbox));
        }
    }
    let (mut plans, mut refused) = (Vec::new(), Vec::new());
    for (path, mut repairs) in files {
        repairs.sort_unstable();
        let planned = match repairs.first() {
            Some((Repair::RemoveCopies, rule, inbox)) => removal(session, path, rule, inbox).map(Some),
            Some((_, _, name)) => match inbox_of(session, order, name) {
                Some(inbox) => edit(session, inbox, path, &repairs, &mut refused),
                None => Ok(None),
            },
            None => Ok(None),
        };
        match planned {
            Ok(mending) => plans.extend(mending),
            Err(report) => refused.push(report),
        }
    }
    (plans, refused)
}

/// Carries out one plan. Gives what is odd though it is done.
///
/// # Errors
/// The file was changed meanwhile, or the disk fails; it is as it was then.
pub fn carry_out(session: &Session<'_>, mending: &Mending) -> Result<Vec<Warning>, Report> {
    let (inbox, plan) = match &mending.work {
        Work::Edit(inbox, plan) => (inbox, plan),
        Work::Remove => {
            let folder = mending.path.parent().unwrap_or(&mending.path);
            let removed = session.disk.tidy(folder, now(session)).map_err(|e| failed(&mending.path, &e.to_string()))?;
            // The folder is tidied as a whole: an earlier plan may have taken this one with it.
            let gone = removed.contains(&mending.path) || mending.path.symlink_metadata().is_err();
            return if gone { Ok(Vec::new()) } else { Err(failed(&mending.path, "it could not be removed")) };
        }
    };
    let committed = session.commit(inbox, plan)?;
    let id = id(&mending.path);
    let mut event = Event::new(EventKind::Fix, session.stamp(), &inbox.name, id.as_str(), mending.path.clone());
    event.note = Some(mending.rules.join(", "));
    let mut warnings = committed.warnings;
    warnings.extend(session.record(vec![event]));
    Ok(warnings)
}

fn inbox_of<'a>(session: &'a Session<'_>, order: &Order<'a>, name: &str) -> Option<&'a Inbox> {
    session.inbox(name).or_else(|| order.inboxes.iter().copied().find(|i| i.name == name))
}

/// All repairs of one file as one edit.
fn edit(
    session: &Session<'_>,
    inbox: &Inbox,
    path: &Path,
    repairs: &[(Repair, &'static str, &str)],
    refused: &mut Vec<Report>,
) -> Result<Option<Mending>, Report> {
    let (before, _) = read::read_whole(path, Reach::Within(&inbox.project), LARGEST)?;
    let mut bytes = before.bytes.to_vec();
    let (mut rules, mut what) = (Vec::new(), Vec::new());
    for (repair, rule, _) in repairs {
        let mended = match repair {
            Repair::Header(how) => tidy::mend(&bytes, *how, markdown::is_status_key(&session.rules(inbox).dialect))
                .map(|after| after.map(|after| (after, how.as_str())))
                .map_err(|why| Report::failed(rule, format!("{} is left as it is: {why}", id(path))).at(path)),
            Repair::WriteUnread => write_unread(session, inbox, path, &bytes),
            Repair::RemoveCopies => Ok(None),
        };
        match mended {
            Ok(Some((after, done))) => {
                bytes = after;
                rules.push(*rule);
                what.push(done);
            }
            Ok(None) => {}
            Err(report) => refused.push(report),
        }
    }
    if *bytes == *before.bytes {
        return Ok(None);
    }
    let op = FileOp::Replace { path: path.to_owned(), before: before.bytes, after: bytes };
    let work = Work::Edit(Box::new(inbox.clone()), EditPlan { inbox: inbox.path.clone(), ops: vec![op] });
    Ok(Some(Mending { inbox: inbox.name.clone(), path: path.to_owned(), rules, what, work }))
}

/// The word `unread`, where there is none, by the layout's own status edit.
fn write_unread(
    session: &Session<'_>,
    inbox: &Inbox,
    path: &Path,
    bytes: &[u8],
) -> Result<Option<(Vec<u8>, &'static str)>, Report> {
    let scan = Scan { inbox, dialect: &session.rules(inbox).dialect, clock: &session.clock, stamps: false };
    let layout = layout::of(inbox.layout);
    let messages = layout.entry(inbox, path).map(|entry| scan.one(&entry)).unwrap_or_default();
    let Some(message) = messages.first() else {
        return Err(Report::new("vanished", Exit::Changed, format!("{} is not there any more", id(path))).at(path));
    };
    let source = Source { path: path.to_owned(), bytes: bytes.into(), stamp: read::stamp(path)? };
    let change = Change::Status { message, source: &source, to: Status::Unread };
    let plan = layout
        .plan(&session.context(inbox), &change)
        .map_err(|refusal| Report::failed(refusal.kind, format!("{}: {refusal}", id(path))).at(path))?;
    let after = plan.ops.into_iter().find_map(|op| match op {
        FileOp::Replace { after, .. } => Some(after),
        _ => None,
    });
    Ok(after.map(|after| (after, "write the status: unread")))
}

fn removal(session: &Session<'_>, path: &Path, rule: &'static str, inbox: &str) -> Result<Mending, Report> {
    let folder = path.parent().unwrap_or(path);
    let old = Disk::removable(folder, now(session)).map_err(|e| failed(path, &e.to_string()))?;
    if !old.iter().any(|p| p == path) {
        return Err(failed(path, "it is left where it is: younger than an hour, or another user's, so it may be in use"));
    }
    let what = vec!["remove this old copy of postroom's own"];
    Ok(Mending { inbox: inbox.to_owned(), path: path.to_owned(), rules: vec![rule], what, work: Work::Remove })
}

fn failed(path: &Path, why: &str) -> Report {
    Report::failed("unfinished-write", format!("{}: {why}", id(path))).at(path)
}

fn id(path: &Path) -> MessageId {
    markdown::id_of(&path.file_name().unwrap_or_default().to_string_lossy())
}

fn now(session: &Session<'_>) -> SystemTime {
    session.clock.now.into()
}
