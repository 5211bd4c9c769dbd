//! Messages that nobody handles: unread or open for long, or put away unread.

use super::look::Look;
use super::rules::{self, Rule};
use super::{Exam, Finding};
use crate::model::status::Status;
use crate::ops::summary::STALE_DAYS;

pub(super) fn judge(exam: &mut Exam<'_>, look: &Look<'_>, told: &[&'static Rule]) {
    let message = look.message;
    let line = look.line_of("status");
    if message.archived {
        if message.status == Status::Unread && told.is_empty() {
            let text = if message.readable {
                "it lies in the archive and is unread"
            } else {
                "it lies in the archive and can't be read"
            };
            exam.push(Finding::of(&rules::ARCHIVED_UNREAD, message, text).line(line));
        }
        return;
    }
    // What can't be read, or says no status, is told by that.
    let known = [&rules::STATUS_UNKNOWN, &rules::STATUS_FAULTY, &rules::CONFLICT_MARKERS].iter().all(|rule| !told.contains(rule));
    if !message.readable || !known {
        return;
    }
    let Some(when) = message.dated() else { return };
    let days = (exam.today - look.session.clock.day_of(when)).num_days();
    if days <= STALE_DAYS {
        return;
    }
    let (rule, text) = match message.status {
        Status::Unread => (&rules::STALE_UNREAD, format!("unread for {days} days")),
        Status::Read => (&rules::STALE_OPEN, format!("read, and open for {days} days")),
        Status::Actioned => (&rules::STALE_OPEN, format!("actioned, {days} days old and not yet archived")),
        Status::Resolved => return,
    };
    exam.push(Finding::of(rule, message, text).line(line));
}
