//! How long it takes to read the headers of whole inboxes, and to make a summary of them:
//! `cargo bench --bench scan`.

#![allow(clippy::expect_used)] // A measurement that can't be set up has nothing to tell.

use std::fs;
use std::path::Path;

use divan::counter::ItemsCount;
use postroom::layout::{Dialect, Which};
use postroom::model::date::Clock;
use postroom::model::inbox::{Inbox, Label, LayoutId};
use postroom::model::name::AgentName;
use postroom::ops::summary::{Collector, Order};
use postroom::store::scan::Scan;

fn main() {
    divan::main();
}

/// An inbox of ordinary messages of about 700 bytes, every third of them unread.
fn mailbox(folder: &Path, messages: usize) -> Inbox {
    let path = folder.join(".soma/inbox");
    fs::create_dir_all(&path).expect("a folder for the messages");
    let body = "A line of ordinary length, as people and agents write it.\n".repeat(8);
    for n in 0..messages {
        let status = ["unread", "read", "resolved"][n % 3];
        let text = format!(
            "---\nfrom: ava\nto: ben\ndate: 2026-05-{:02}\ntype: note\npriority: normal\nstatus: {status}\n\
             subject: \"A subject of usual length, number {n}\"\ntags: [build, ci]\n---\n\n{body}",
            n % 28 + 1
        );
        fs::write(path.join(format!("2026-05-{:02}-m{n:06}.md", n % 28 + 1)), text).expect("a message");
    }
    let owner = AgentName::parse("soma").expect("a name");
    let name = "soma@bench".to_owned();
    let project = folder.to_path_buf();
    Inbox { name, path, layout: LayoutId::Soma, owner, aliases: Vec::new(), label: Label::Project, project }
}

fn clock() -> Clock {
    let now = chrono::DateTime::parse_from_rfc3339("2026-05-20T09:00:00Z").expect("a time");
    Clock::utc(now.with_timezone(&chrono::Utc))
}

#[divan::bench(args = [1_000, 10_000], sample_count = 20)]
fn scan(bencher: divan::Bencher<'_, '_>, messages: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let inbox = mailbox(folder.path(), messages);
    let (dialect, clock) = (Dialect::default(), clock());
    let scan = Scan { inbox: &inbox, dialect: &dialect, clock: &clock, stamps: false };
    bencher.counter(ItemsCount::new(messages)).bench_local(|| {
        let mut seen = 0;
        let problems = scan.each(&[Which::Live], &mut |message| seen += divan::black_box(message).id.as_str().len());
        assert!(problems.is_empty());
        seen
    });
}

#[divan::bench(args = [1_000, 10_000], sample_count = 20)]
fn summarise(bencher: divan::Bencher<'_, '_>, messages: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let inbox = mailbox(folder.path(), messages);
    let (dialect, clock) = (Dialect::default(), clock());
    let scan = Scan { inbox: &inbox, dialect: &dialect, clock: &clock, stamps: false };
    bencher.counter(ItemsCount::new(messages)).bench_local(|| {
        let mut collector = Collector::new(&clock, 10, Order::Urgent);
        let problems = scan.each(&[Which::Live], &mut |message| collector.push(&message));
        assert!(problems.is_empty());
        collector.finish().unread
    });
}
