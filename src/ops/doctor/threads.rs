//! References between messages: broken ones, those that lead out of the inboxes, and circles.

use super::rules;
use super::{Exam, Finding};
use crate::model::inbox::Inbox;
use crate::model::message::Message;
use crate::ops::thread::Index;

pub(super) fn judge(exam: &mut Exam<'_>, index: &Index, in_scope: &dyn Fn(&Inbox) -> bool) {
    let session = exam.session;
    let counts = |message: &Message| session.inbox(&message.inbox).is_none_or(in_scope);
    for (message, text, kind) in index.loose().filter(|(message, ..)| counts(message)) {
        let (rule, why) = match kind {
            "parent-outside-root" => (&rules::REPLY_ESCAPES, "leads out of the known inboxes"),
            // In an archive a lost parent is history, and nobody will mend it.
            _ if message.archived => continue,
            "parent-ambiguous" => (&rules::REPLY_AMBIGUOUS, "fits several messages"),
            _ => (&rules::REPLY_BROKEN, "leads to no message that is known"),
        };
        let line = exam.parent_lines.get(&message.path).copied();
        exam.push(Finding::of(rule, message, format!("the parent {text:?} {why}")).line(line));
    }
    for circle in index.circles() {
        let Some(first) = circle.first().filter(|_| circle.iter().any(|message| counts(message))) else { continue };
        let names: Vec<String> = circle.iter().take(5).map(|message| message.id.to_string()).collect();
        let more = circle.len().saturating_sub(names.len());
        let more = if more > 0 { format!(" → +{more} more") } else { String::new() };
        let text = format!("the answers run in a circle: {} answers {}{more}", names.join(" answers "), first.id);
        let line = exam.parent_lines.get(&first.path).copied();
        exam.push(Finding::of(&rules::THREAD_CYCLE, first, text).line(line));
    }
}
