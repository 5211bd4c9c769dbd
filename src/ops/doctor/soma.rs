//! Where the running Soma sees another mailbox than postroom does: it reads headers its own, stricter
//! way (docs/layouts.md, "Beside Soma").

use super::look::Look;
use super::rules::{self, Rule};
use super::{Exam, Finding, Repair};
use crate::layout::markdown;
use crate::model::status::Status;
use crate::text::soma;
use crate::text::tidy::{Mend, mend, status_comment};

/// `told`: the rules that the message is known to break already; what they explain is not told twice.
pub(super) fn judge(exam: &mut Exam<'_>, look: &Look<'_>, told: &[&'static Rule]) {
    let message = look.message;
    if !look.is_somas() || message.archived || !message.readable {
        return;
    }
    let Some((split, header)) = &look.header else { return };
    let mut explained = told.iter().any(|rule| is_about_the_status(rule));
    let mut trap = |rule, line, text: &str, mend| {
        exam.push(Finding::of(rule, message, text).line(Some(line)).repair(Repair::Header(mend)));
        explained = true;
    };
    if !split.bom.is_empty() {
        trap(&rules::SOMA_BOM, 1, "it starts with a byte order mark", Mend::Mark);
    }
    if !split.leading.is_empty() {
        trap(&rules::SOMA_BLANK_LINES, 1, "blank lines stand above its header", Mend::BlankLines);
    }
    if look.bytes.get(..split.body).is_some_and(|head| head.windows(2).any(|pair| pair == b"\r\n")) {
        trap(&rules::SOMA_LINE_ENDS, 1, "its header has CRLF line ends", Mend::LineEnds);
    }
    let is_status = markdown::is_status_key(&look.rules().dialect);
    let comment = status_comment(look.bytes, split, header, &is_status);
    if let Some(comment) = comment.filter(|_| message.status == Status::Unread && !told.contains(&&rules::STATUS_EMPTY)) {
        let text = String::from_utf8_lossy(look.bytes.get(comment.span.clone()).unwrap_or_default()).into_owned();
        trap(&rules::SOMA_COMMENT, comment.line, &format!("behind the status stands {text:?}"), Mend::Comment);
    }
    if explained {
        return;
    }
    let name = message.path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let status = soma::status(look.bytes);
    let shown = soma::is_listed(&name) && soma::is_unread(status.as_deref());
    let line = look.line_of("status");
    match (message.status == Status::Unread, shown) {
        (true, false) if soma::is_listed(&name) => {
            let finding =
                Finding::of(&rules::SOMA_HIDES, message, format!("Soma reads its status as {:?}", status.unwrap_or_default()));
            let word = message.raw_status.as_deref().unwrap_or_default();
            let is_word = word.eq_ignore_ascii_case(Status::Unread.word());
            let can = is_word && matches!(mend(look.bytes, Mend::LetterCase, &is_status), Ok(Some(_)));
            exam.push(if can { finding.line(line).repair(Repair::Header(Mend::LetterCase)) } else { finding.line(line) });
        }
        (true, false) => exam.push(Finding::of(&rules::SOMA_HIDES, message, "Soma looks only at files whose names end in .md")),
        (false, true) => {
            let text = format!(
                "it is {}, and Soma reads {}",
                message.status,
                status.map_or("no status".to_owned(), |s| format!("{s:?}"))
            );
            exam.push(Finding::of(&rules::SOMA_SHOWS, message, text).line(line));
        }
        (true, true) if told.is_empty() => shown_otherwise(exam, look),
        _ => {}
    }
}

/// A value that Soma's block would show in other words than ours.
fn shown_otherwise(exam: &mut Exam<'_>, look: &Look<'_>) {
    let header = &look.message.header;
    let shown = [
        ("from", &header.from),
        ("subject", &header.subject),
        ("date", &header.date),
        ("type", &header.kind),
        ("priority", &header.priority),
    ];
    let differs = |(key, ours): (&'static str, &Option<String>)| {
        let ours = ours.as_deref()?.trim();
        let read = soma::value(look.bytes, key);
        (read.as_deref() != Some(ours)).then_some((key, read))
    };
    if let Some((key, read)) = shown.into_iter().find_map(differs) {
        let text = match read {
            Some(read) => format!("Soma reads its {key} as {read:?}"),
            None => format!("Soma reads no {key}"),
        };
        exam.push(Finding::of(&rules::SOMA_READS, look.message, text).line(look.line_of(key)));
    }
}

fn is_about_the_status(rule: &Rule) -> bool {
    [&rules::STATUS_EMPTY, &rules::STATUS_FAULTY, &rules::STATUS_UNKNOWN, &rules::CONFLICT_MARKERS].contains(&rule)
}
