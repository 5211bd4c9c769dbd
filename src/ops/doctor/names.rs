//! File names of the convention: `YYYY-MM-DD-topic-subject.md`, with the date of the header.

use super::header::days_of;
use super::look::Look;
use super::rules;
use super::{Exam, Finding};
use crate::model::date::When;
use crate::model::inbox::LayoutId;
use crate::model::message::DateSource;

pub(super) fn judge(exam: &mut Exam<'_>, look: &Look<'_>) {
    let message = look.message;
    if look.inbox.layout != LayoutId::Soma || message.archived {
        return;
    }
    let name = message.path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    if !is_conventional(&name) {
        exam.push(Finding::of(&rules::NAME_UNCONVENTIONAL, message, "the name is not YYYY-MM-DD-topic-subject.md"));
    }
    let shown = &message.shown;
    if let (Some(DateSource::Header), Some(date), Some(When::Day(in_name))) =
        (shown.date_source, message.header.date.as_deref(), When::in_name(&name))
        && let Some(when) = When::parse(date)
        && !days_of(look, date, when).contains(&in_name)
    {
        let text = format!("the name says {in_name}, the header {date:?}");
        exam.push(Finding::of(&rules::NAME_DATE_DIFFERS, message, text).line(look.line_of("date")));
    }
}

/// A day, a dash, and at least one word without blanks. `.md.read` is the habit of another tool, and
/// told where it matters.
fn is_conventional(name: &str) -> bool {
    let stem = name.strip_suffix(".read").or_else(|| name.strip_suffix(".READ")).unwrap_or(name);
    let Some(stem) = stem.len().checked_sub(3).and_then(|at| stem.split_at_checked(at)) else { return false };
    let (Some((day, rest)), true) = (stem.0.split_at_checked(10), stem.1.eq_ignore_ascii_case(".md")) else { return false };
    let is_day = matches!(When::parse(day), Some(When::Day(parsed)) if parsed.to_string() == day);
    is_day && rest.len() > 1 && rest.starts_with('-') && !rest.chars().any(|c| c.is_whitespace() || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_convention() {
        for name in ["2026-05-02-cache-key.md", "2026-05-02-a.md", "2026-05-02-Café_x.MD", "2026-05-02-a.md.read"] {
            assert!(is_conventional(name), "{name}");
        }
        for name in [
            "cache.md",
            "2026-05-02.md",
            "2026-05-02-.md",
            "2026-5-2-a.md",
            "20260502-a.md",
            "2026-05-02-a b.md",
            "2026-13-02-a.md",
            ".md",
            "é",
        ] {
            assert!(!is_conventional(name), "{name}");
        }
    }
}
