//! What a message says: the conventions of a good one, and what must not be in it.

use super::look::Look;
use super::rules;
use super::{Exam, Finding};
use crate::ops::lint::{self, BODY_CAP};
use crate::text::shapes;

/// `first`: the message is the first one of its file, so that a file of many is looked at once.
pub(super) fn judge(exam: &mut Exam<'_>, look: &Look<'_>, first: bool) {
    let message = look.message;
    if first {
        secrets(exam, look);
    }
    if message.archived || !message.readable || !look.is_alone() {
        return;
    }
    if message.header.subject.as_deref().is_some_and(lint::bundles_topics) {
        let text = "its subject is about several things";
        exam.push(Finding::of(&rules::SEVERAL_TOPICS, message, text).line(look.line_of("subject")));
    }
    let len = look.body_len();
    if len > BODY_CAP as u64 {
        exam.push(Finding::of(&rules::NOVEL, message, format!("its body has {len} bytes; {BODY_CAP} are much for a message")));
    }
    let is_bug = message.header.kind.as_deref().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("bug-report"));
    if is_bug && !shapes::names_file(&String::from_utf8_lossy(&look.body())) {
        exam.push(Finding::of(&rules::NO_FILE_REFERENCE, message, "no file is named in it").line(look.line_of("type")));
    }
}

/// One finding for each line that looks like it holds a secret. The secret is never given back.
fn secrets(exam: &mut Exam<'_>, look: &Look<'_>) {
    let text = String::from_utf8_lossy(look.bytes);
    let mut last = 0;
    for (what, line) in lint::secrets(&text) {
        if line != last {
            let text = format!("it looks like it holds {what}");
            exam.push(Finding::of(&rules::POSSIBLE_SECRET, look.message, text).line(Some(line)));
            last = line;
        }
    }
}
