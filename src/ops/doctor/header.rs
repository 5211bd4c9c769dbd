//! What is wrong with a header: what its reader remarked on, and keys and words of the convention.

use super::look::Look;
use super::rules::{self, Rule};
use super::{Exam, Finding, Repair};
use crate::layout::markdown;
use crate::model::date::When;
use crate::model::inbox::LayoutId;
use crate::model::message::{Priority, Warning};
use crate::model::status::Status;
use crate::text::status_edit::edit_status;
use crate::text::{body, nearest};

/// The types of the convention, then those that tools beside it write: `report` is that of Soma's children.
const TYPES: [&str; 9] = ["bug-report", "review", "request", "fyi", "reply", "note", "question", "review-request", "report"];

pub(super) fn judge(exam: &mut Exam<'_>, look: &Look<'_>) {
    let told = by_rule(&look.message.warnings, look.message.readable);
    let has = |wanted: &Rule| told.iter().any(|(rule, _)| *rule == wanted);
    let (merging, unclear) = (has(&rules::CONFLICT_MARKERS), has(&rules::STATUS_FAULTY));
    let somas_blank_lines = look.is_somas() && !look.message.archived;
    for (rule, warnings) in &told {
        let rule = *rule;
        // In an archive only what keeps a file from being read still matters; `life` tells of the rest.
        if look.message.archived && ![&rules::FILE_UNREADABLE, &rules::LINK_TRAP].contains(&rule) {
            continue;
        }
        // Two status lines, or marks of a merge, are faults of the YAML too, but it is the same one.
        let explained =
            rule == &rules::HEADER_FAULTY && unclear || merging && [&rules::HEADER_FAULTY, &rules::STATUS_FAULTY].contains(&rule);
        if explained {
            continue;
        }
        // Blank lines above the header are a trap of Soma's, and told as one.
        let mut warnings = warnings.iter().filter(|w| !(somas_blank_lines && w.kind == "leading-blank-lines"));
        let Some(first) = warnings.next() else { continue };
        let (line, text) = split_line(&first.text);
        let more = warnings.count();
        let text = if more > 0 { format!("{text} (+{more} more)") } else { text.to_owned() };
        let line = line.or_else(|| line_of(look, first));
        let mut finding = Finding::of(rule, look.message, text).line(line);
        if look.inbox.layout == LayoutId::Soma && [&rules::STATUS_MISSING, &rules::STATUS_EMPTY].contains(&rule) {
            match edit_status(look.bytes, Status::Unread.word(), markdown::is_status_key(&look.rules().dialect)) {
                Ok(_) => finding.repair = Some(Repair::WriteUnread),
                Err(refusal) => finding.text = format!("{}; none can be written: {refusal}", finding.text),
            }
        }
        exam.push(finding);
    }
    if look.message.readable && !look.message.archived {
        keys(exam, look);
        // Only links come without a stamp: it would be that of another file.
        if look.is_alone() && look.message.stamp.is_none() {
            exam.push(Finding::of(&rules::LINK_MESSAGE, look.message, "it is a link to another file of the project"));
        }
    }
}

/// The rule that a remark of the reader falls under. `readable`: a header was read all the same.
fn rule_of(kind: &str, readable: bool) -> &'static Rule {
    match kind {
        "not-utf8" if !readable => &rules::HEADER_UNREADABLE,
        "no-frontmatter"
        | "unclosed-frontmatter"
        | "toml-frontmatter"
        | "json-frontmatter"
        | "header-too-large"
        | "empty-file"
        | "unreadable"
        | "bad-json" => &rules::HEADER_UNREADABLE,
        "permission-denied" | "not-a-file" | "too-large" | "io" | "vanished" => &rules::FILE_UNREADABLE,
        "dangling-link" | "link-outside" | "link-loop" => &rules::LINK_TRAP,
        "conflict-markers" => &rules::CONFLICT_MARKERS,
        "several-messages" => &rules::SEVERAL_MESSAGES,
        "yaml-invalid" | "duplicate-key" | "header-not-clean" | "leading-blank-lines" | "not-utf8" => &rules::HEADER_FAULTY,
        "hidden-characters" => &rules::HIDDEN_CHARACTERS,
        "status-missing" => &rules::STATUS_MISSING,
        "status-empty" => &rules::STATUS_EMPTY,
        "status-duplicate" | "status-unreadable" => &rules::STATUS_FAULTY,
        "status-unknown" => &rules::STATUS_UNKNOWN,
        "date-unreadable" => &rules::DATE_UNREADABLE,
        "date-in-future" => &rules::DATE_IN_FUTURE,
        _ => &rules::MESSAGE_ODD,
    }
}

/// The remarks by rule, each rule once, in the order in which they were made. Remarks that belong to
/// no rule stay apart.
fn by_rule(warnings: &[Warning], readable: bool) -> Vec<(&'static Rule, Vec<&Warning>)> {
    let mut out: Vec<(&'static Rule, Vec<&Warning>)> = Vec::new();
    for warning in warnings {
        let rule = rule_of(warning.kind, readable);
        match out.iter_mut().find(|(known, _)| *known == rule && *rule != rules::MESSAGE_ODD) {
            Some((_, list)) => list.push(warning),
            None => out.push((rule, vec![warning])),
        }
    }
    out
}

/// The line that a remark starts with, and the rest of it.
fn split_line(text: &str) -> (Option<usize>, &str) {
    let parsed = text.strip_prefix("line ").and_then(|rest| rest.split_once(": "));
    match parsed.and_then(|(number, rest)| Some((number.parse().ok()?, rest))) {
        Some((line, rest)) => (Some(line), rest),
        None => (None, text),
    }
}

/// The line that a remark without one is about.
fn line_of(look: &Look<'_>, warning: &Warning) -> Option<usize> {
    match warning.kind {
        "status-empty" | "status-duplicate" | "status-unreadable" | "status-unknown" => look.line_of("status"),
        "date-unreadable" | "date-in-future" => look.line_of("date"),
        "several-messages" => {
            let (split, _) = look.header.as_ref()?;
            let above = look.bytes.get(..split.body)?.split(|b| *b == b'\n').count() - 1;
            body::second_header(&look.body()).map(|line| above + line)
        }
        _ => None,
    }
}

/// Keys that are missing, and words that nobody knows.
fn keys(exam: &mut Exam<'_>, look: &Look<'_>) {
    let message = look.message;
    let header = &message.header;
    let blank = |value: &Option<String>| value.as_deref().is_none_or(|v| v.trim().is_empty());
    // The form of other layouts is their own; only the one of the convention is held to it.
    if look.inbox.layout == LayoutId::Soma {
        let needed = [("from", &header.from), ("date", &header.date), ("type", &header.kind), ("subject", &header.subject)];
        let missing: Vec<&str> = needed.into_iter().filter(|(_, value)| blank(value)).map(|(key, _)| key).collect();
        if !missing.is_empty() {
            exam.push(Finding::of(&rules::KEY_MISSING, message, format!("no {}", missing.join(", no "))).line(Some(1)));
        }
    }
    let known_type = |kind: &str| {
        let read_types = &look.rules().sweep.read_types;
        TYPES.iter().copied().chain(read_types.iter().map(String::as_str)).any(|known| known.eq_ignore_ascii_case(kind))
    };
    if let Some(kind) = header.kind.as_deref().map(str::trim).filter(|kind| !kind.is_empty() && !known_type(kind)) {
        let near = nearest::likely(kind, TYPES);
        let hint = near.first().map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        exam.push(Finding::of(&rules::TYPE_UNKNOWN, message, format!("the type is {kind:?}{hint}")).line(look.line_of("type")));
    }
    if let Some(word) = header.priority.as_deref().map(str::trim).filter(|w| !w.is_empty() && Priority::from_word(w).is_none()) {
        let text = format!("the priority is {word:?}; it counts as normal");
        exam.push(Finding::of(&rules::PRIORITY_UNKNOWN, message, text).line(look.line_of("priority")));
    }
}

/// The calendar days that a date may be meant as: that of the reader, that of UTC, that as written.
pub(super) fn days_of(look: &Look<'_>, date: &str, when: When) -> Vec<chrono::NaiveDate> {
    let mut days = vec![look.session.clock.day_of(when)];
    if let When::Instant(instant) = when {
        days.push(instant.date_naive());
    }
    if let Some(When::Day(day)) = date.trim().get(..10).and_then(When::parse) {
        days.push(day);
    }
    days
}
