//! `inboxes`: what was found from here, and what lies in it.

use super::Run;
use super::out::{Out, Outcome, troubles};
use crate::ops::find;
use crate::render::table;
use crate::render::view::{self, InboxRow};

pub fn run(run: &mut Run<'_>, out: &mut Out) -> Outcome {
    let mut unlooked = run.problems(out);
    let mut rows = Vec::new();
    for inbox in run.inboxes() {
        let (counts, failed) = find::counts(&run.session, inbox);
        unlooked.extend(failed);
        let count = |n: usize| counts.live_is_whole.then_some(n);
        rows.push(InboxRow {
            inbox,
            unread: count(counts.unread),
            open: count(counts.open),
            live: count(counts.live),
            archived: counts.archive_is_whole.then_some(counts.archived),
            warnings: &[],
        });
    }
    if out.json {
        view::inboxes(out.data(), &rows, &troubles(&unlooked))?;
    } else if rows.is_empty() && unlooked.is_empty() {
        out.remark(
            "no inbox here: neither .soma/inbox, .claude/inbox, .agents/inbox/NAME nor another known place, \
             in this folder, above it, two levels below it, or at home",
        );
    } else {
        let screen = run.screen();
        table::inboxes(out.data(), &rows, &screen)?;
    }
    Ok(out.unlooked(&unlooked))
}
