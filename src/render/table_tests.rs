//! Terminal output, colours stripped: what people see.

use std::path::PathBuf;

use insta::assert_snapshot;

use super::*;
use crate::model::event::EventKind;
use crate::model::inbox::{Inbox, Label, LayoutId};
use crate::model::name::AgentName;
use crate::model::status::Status;
use crate::render::grid::width;
use crate::render::samples::{clock, inbox, message, priority, status, with};
use crate::render::view::{Moved, Stayed};

fn screen(clock: &Clock, width: Option<usize>) -> Screen<'_> {
    Screen { width, clock, base: Some(Path::new("/home/u/work")), home: Some(Path::new("/home/u")) }
}

/// What the terminal shows, without colours.
fn plain(write: impl FnOnce(&mut Vec<u8>, Screen<'_>) -> io::Result<()>, width: Option<usize>) -> String {
    let (mut out, clock) = (Vec::new(), clock());
    write(&mut out, screen(&clock, width)).unwrap();
    anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string()
}

fn mixed() -> Vec<Message> {
    vec![
        priority(message("2026-05-01-now", "2026-05-01T11:57:00Z", "Schema change: please check"), "urgent"),
        priority(message("2026-04-28-cjk", "2026-04-28", "日本語の件名 caf\u{e9} 👩‍🔬"), "high"),
        status(priority(message("2026-04-01-low", "2026-04-01", "Some day"), "low"), Status::Actioned),
        with(message("undated", "", "no date"), |m| {
            (m.shown.when, m.shown.date_source) =
                (Some(crate::render::samples::when("2026-04-29T12:00:00Z")), Some(DateSource::Mtime));
            m.header.from = None;
        }),
        message("2031-01-01-future", "2031-01-01", "ahead"),
        message("soon", "before \u{202e}the end of it", "odd date"),
    ]
}

#[test]
fn a_list() {
    assert_snapshot!(plain(|out, s| list(out, &mixed(), &s), None), @r"
            AGE  STATUS    FROM  SUBJECT                      ID
!!           3m  unread    ava   Schema change: please check  2026-05-01-now
!            3d  unread    ava   日本語の件名 café 👩‍🔬         2026-04-28-cjk
↓            4w  actioned  ava   Some day                     2026-04-01-low
            ~2d  unread          no date                      undated
    2031-01-01!  unread    ava   ahead                        2031-01-01-future
     before th…  unread    ava   odd date                     soon
");
}

#[test]
fn a_list_of_several_inboxes_some_archived() {
    let mut messages = mixed();
    messages.truncate(2);
    messages.push(with(inbox(message("-x\u{202e}", "2026-04-30", "hostile \u{1b}[2J\nname"), "lib"), |m| m.archived = true));
    assert_snapshot!(plain(|out, s| list(out, &messages, &s), None), @r"
    AGE  STATUS  FROM  SUBJECT                      INBOX                ID
!!   3m  unread  ava   Schema change: please check  soma@work            2026-05-01-now
!    3d  unread  ava   日本語の件名 café 👩‍🔬         soma@work            2026-04-28-cjk
     1d  unread  ava   hostile name                 soma@lib   archived  $'-x\u202e'
");
}

#[test]
fn a_list_on_a_narrow_terminal() {
    assert_snapshot!(plain(|out, s| list(out, &mixed(), &s), Some(60)), @r#"
                AGE  STATUS    FROM  SUBJECT           ID
    !!           3m  unread    ava   Schema change:…   2026-05-01-now
    !            3d  unread    ava   日本語の件名 ca…  2026-04-28-cjk
    ↓            4w  actioned  ava   Some day          2026-04-01-low
                ~2d  unread          no date           undated
        2031-01-01!  unread    ava   ahead             2031-01-01-future
         before th…  unread    ava   odd date          soon
    "#);
    for room in [20, 30, 40, 80, 100] {
        let text = plain(|out, s| list(out, &mixed(), &s), Some(room));
        for (line, message) in text.lines().skip(1).zip(&mixed()) {
            // What is to be typed again is never cut, also where the line grows too long.
            let rest = line.strip_suffix(message.id.as_str()).map(str::trim_end);
            assert!(rest.is_some_and(|rest| width(rest) <= room), "{room}: {line:?}");
        }
    }
}

#[test]
fn nothing_prints_nothing() {
    assert_eq!(plain(|out, s| list(out, &[], &s), None), "");
    assert_eq!(plain(|out, s| inboxes(out, &[], &s), None), "");
}

#[test]
fn a_thread() {
    let messages = [
        message("2026-04-28-a", "2026-04-28", "Cache keys"),
        message("2026-04-29-b", "2026-04-29", "Re: Cache keys"),
        with(message("2026-04-30-c", "2026-04-30", "Re: Re: Cache keys"), |m| m.archived = true),
        message("2026-05-01-d", "2026-05-01", "deep"),
    ];
    let depths = [0, 1, 2, 4_000];
    let nodes: Vec<_> = messages.iter().zip(depths).map(|(message, depth)| Node { message, parent_path: None, depth }).collect();
    assert_snapshot!(plain(|out, s| thread(out, &nodes, &s), None), @r"
  AGE  STATUS    FROM  SUBJECT                         ID
   3d  unread    ava   Cache keys                      2026-04-28-a
   2d  unread    ava   └ Re: Cache keys                2026-04-29-b
   1d  archived  ava     └ Re: Re: Cache keys          2026-04-30-c
today  unread    ava                           └ deep  2026-05-01-d
");
}

#[test]
fn inboxes_and_counts() {
    let inbox = |name: &str, path: &str, label| Inbox {
        name: name.to_owned(),
        path: PathBuf::from(path),
        layout: LayoutId::Soma,
        owner: AgentName::parse("soma").unwrap(),
        aliases: Vec::new(),
        label,
        project: PathBuf::from("/home/u/work"),
    };
    let (one, two) =
        (inbox("soma@work", "/home/u/work/.soma/inbox", Label::Project), inbox("soma@~", "/home/u/.soma/inbox", Label::Global));
    let rows = [
        InboxRow { inbox: &one, unread: Some(12), open: Some(3), live: Some(20), archived: Some(1044), warnings: &[] },
        InboxRow { inbox: &two, unread: None, open: None, live: None, archived: None, warnings: &[] },
    ];
    assert_snapshot!(plain(|out, s| inboxes(out, &rows, &s), None), @r"
INBOX      WHERE    LAYOUT  UNREAD  OPEN  LIVE  ARCHIVED  PATH
soma@work  project  soma        12     3    20      1044  .soma/inbox
soma@~     global   soma         ?     ?     ?         ?  ~/.soma/inbox
");
}

#[test]
fn events() {
    let new = |kind, id: &str| {
        Event::new(kind, "2026-05-01T12:00:00Z".to_owned(), "soma@work", id, PathBuf::from("/home/u/work/.soma/inbox/a.md"))
    };
    let mut marked = new(EventKind::Mark, "a");
    (marked.actor, marked.from, marked.to) = (Some("ben".to_owned()), Some("unread".to_owned()), Some("actioned".to_owned()));
    marked.passed = vec!["read".to_owned()];
    marked.note = Some("because\u{1b}[31m".to_owned());
    let mut moved = new(EventKind::Archive, "b");
    moved.to_path = Some(PathBuf::from("/home/u/work/.soma/inbox/_archive/a.md"));
    let mut sent = new(EventKind::Send, "c");
    (sent.sender, sent.recipient, sent.subject) = (Some("ava".to_owned()), Some("ben".to_owned()), Some("Hello".to_owned()));
    let text = plain(|out, s| [marked, moved, sent].iter().try_for_each(|e| event(out, e, &s)), None);
    assert_snapshot!(text, @r"
2026-05-01T12:00:00Z  mark      ben  soma@work:a  unread → actioned (through read)  (because)
2026-05-01T12:00:00Z  archive   soma@work:b  → .soma/inbox/_archive/a.md
2026-05-01T12:00:00Z  send      soma@work:c  ava → ben  Hello
");
}

#[test]
fn a_sweep() {
    let (a, b) = (message("a", "2026-04-01", "s"), message("b", "2026-04-01", "t"));
    let mut report = SweepReport {
        archived: &[Moved { message: &a, to_path: Path::new("/home/u/work/.soma/inbox/_archive/a.md") }],
        kept: &[Stayed { message: &b, why: "unread, 30 days old" }],
        failed: &[Stayed { message: &b, why: "no space left" }],
        dry_run: false,
    };
    assert_snapshot!(plain(|out, s| sweep(out, &report, &s), None), @r"
archived .soma/inbox/a.md → .soma/inbox/_archive/a.md
kept .soma/inbox/b.md: unread, 30 days old
failed .soma/inbox/b.md: no space left
1 archived, 1 kept, 1 failed
");
    report.dry_run = true;
    assert!(plain(|out, s| sweep(out, &report, &s), None).contains("1 would be archived, 1 kept, 1 failed\n"));
}

#[test]
fn remarks() {
    let odd = Warning::new("hidden", "it holds \u{202e} hidden\ncharacters");
    assert_eq!(plain(|out, _| warning(out, "soma@work:a", &odd), None), "warning: soma@work:a: it holds hidden characters\n");
    let hints = ["known are: ava".to_owned()];
    assert_eq!(plain(|out, _| error(out, "no inbox \"x\"", &hints), None), "error: no inbox \"x\"\n  known are: ava\n");
}

#[test]
fn colours_say_what_matters() {
    let (mut out, clock) = (Vec::new(), clock());
    list(&mut out, &mixed(), &screen(&clock, None)).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains(&format!("{0}!!{0:#}", palette::ALARM)));
    assert!(text.contains(&format!("{0}unread{0:#}", palette::NEW)));
}
