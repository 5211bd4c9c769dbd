//! One message whole, for a person at a terminal: its header's fields and its body.
//!
//! The body may be any text: controls and hidden characters are taken out, and that is said. The
//! bytes as they are come from `show --raw`.

use std::borrow::Cow;
use std::io::{self, Write};

use super::palette;
use super::shown::{self, Shower};
use super::table::Screen;
use crate::model::message::{DateSource, Message};
use crate::text::neutral::{self, Target};

/// Prints the fields that the message has, its file, and its body.
///
/// # Errors
/// What the writer says.
pub fn message(out: &mut impl Write, message: &Message, body: &str, screen: &Screen<'_>) -> io::Result<()> {
    let Message { header, shown: about, .. } = message;
    let (faint, new) = (palette::FAINT, palette::NEW);
    let mut safe = Shower::new(Target::Terminal);
    writeln!(out, "{new}{}{new:#}", safe.field(&about.subject, shown::REMARK))?;

    let date = match about.date_source {
        Some(DateSource::Mtime) => format!("{} (of the file)", about.date),
        _ => about.date.clone(),
    };
    let status = match &message.raw_status {
        Some(raw) if raw != message.status.word() => format!("{} (written: {raw})", message.status),
        _ => message.status.to_string(),
    };
    let archived = if message.archived { format!("{status}, archived") } else { status };
    let names =
        |list: &[String], safe: &mut Shower| list.iter().map(|n| safe.sender(n).into_owned()).collect::<Vec<_>>().join(", ");
    let from = header.from.iter().map(|f| safe.sender(f).into_owned()).collect();
    let (to, cc) = (names(&header.to, &mut safe), names(&header.cc, &mut safe));
    let mut field = |raw: &str| safe.field(raw, shown::REMARK).into_owned();
    let rows: [(&str, String); 12] = [
        ("From", from),
        ("To", to),
        ("Cc", cc),
        ("Date", field(&date)),
        ("Type", field(&about.kind)),
        ("Priority", header.priority.as_deref().map(&mut field).unwrap_or_default()),
        ("Thread", header.thread.as_deref().map(&mut field).unwrap_or_default()),
        ("Answers", field(&header.in_reply_to.join(", "))),
        ("Tags", field(&header.tags.join(", "))),
        ("Origin", header.origin.as_deref().map(&mut field).unwrap_or_default()),
        ("Status", field(&archived)),
        ("File", screen.path(&message.path)),
    ];
    for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        writeln!(out, "{faint}{name:9}{faint:#}{value}")?;
    }

    let text = neutral::body(body, Target::Terminal);
    let text_of_body: Cow<'_, str> = text.text;
    let trimmed = text_of_body.trim_matches('\n');
    if !trimmed.is_empty() {
        writeln!(out, "\n{trimmed}")?;
    }
    match text.removed + safe.removed {
        0 => Ok(()),
        1 => writeln!(out, "{faint}[1 hidden character removed]{faint:#}"),
        n => writeln!(out, "{faint}[{n} hidden characters removed]{faint:#}"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use insta::assert_snapshot;

    use super::*;
    use crate::model::status::Status;
    use crate::render::samples::{self, clock, with};

    fn plain(shown: &Message, body: &str) -> String {
        let (mut out, clock) = (Vec::new(), clock());
        let screen = Screen { width: None, clock: &clock, base: Some(Path::new("/home/u/work")), home: None };
        message(&mut out, shown, body, &screen).unwrap();
        anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string()
    }

    #[test]
    fn a_plain_message() {
        let shown = samples::message("2026-04-30-a", "2026-04-30", "Cache keys");
        assert_snapshot!(plain(&shown, "\nHello,\n\n\ttabs stay.\n"), @r"
Cache keys
From     ava
To       ben
Date     2026-04-30
Type     note
Status   unread
File     .soma/inbox/2026-04-30-a.md

Hello,

	tabs stay.
");
    }

    #[test]
    fn a_full_and_hostile_one() {
        let shown = with(samples::status(samples::message("a", "2026-04-30", "S\u{202e}"), Status::Resolved), |m| {
            m.archived = true;
            m.raw_status = Some("Done".to_owned());
            m.header.cc = vec!["cy".to_owned(), "dee\u{1b}[2J".to_owned()];
            m.header.priority = Some("high".to_owned());
            m.header.thread = Some("t".to_owned());
            m.header.in_reply_to = vec!["x.md".to_owned()];
            m.header.tags = vec!["one".to_owned(), "two\nSubject: forged".to_owned()];
        });
        assert_snapshot!(plain(&shown, "a\u{1b}]0;title\u{7}b\u{200b}"), @r"
S
From     ava
To       ben
Cc       cy, dee
Date     2026-04-30
Type     note
Priority high
Thread   t
Answers  x.md
Tags     one, two Subject: forged
Status   resolved (written: Done), archived
File     .soma/inbox/a.md

ab
[16 hidden characters removed]
");
    }
}
