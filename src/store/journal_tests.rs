//! Tests of the journal: nothing of it is lost to rotation, damage, or many writers.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::Write as _;

use super::*;
use crate::model::event::EventKind;

fn journal(dir: &tempfile::TempDir, rotate_at: u64) -> Journal {
    Journal { state: dir.path().join("state"), rotate_at }
}

fn event(n: usize) -> Event {
    Event::new(EventKind::Mark, format!("2026-05-01T00:00:{:02}Z", n % 60), "ava@p", &n.to_string(), "/p/a.md".into())
}

fn ids(reading: &Reading) -> Vec<usize> {
    reading.events.iter().map(|e| e.id.parse().unwrap()).collect()
}

fn all(journal: &Journal) -> Reading {
    journal.last(usize::MAX, |_| true).unwrap()
}

fn add(journal: &Journal, numbers: std::ops::Range<usize>) {
    for n in numbers {
        assert_eq!(journal.append(&Disk::new(), &[event(n)]), None);
    }
}

#[test]
fn no_journal_is_an_empty_one() {
    let dir = tempfile::tempdir().unwrap();
    let journal = journal(&dir, ROTATE_AT);
    assert_eq!(all(&journal), Reading::default());
    assert_eq!(journal.append(&Disk::new(), &[]), None);
    assert!(!dir.path().join("state").exists());
    let start = journal.end().unwrap();
    add(&journal, 0..3);
    let (reading, next) = journal.since(start).unwrap();
    assert_eq!(ids(&reading), [0, 1, 2]);
    assert_eq!(next, journal.end().unwrap());
}

#[test]
fn rotated_files_stay_and_are_read_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let journal = journal(&dir, 500);
    add(&journal, 0..100);
    let files = journal.files().unwrap();
    assert!(files.len() > 12, "{files:?}"); // and the clock went back meanwhile
    assert_eq!(ids(&all(&journal)), (0..100).collect::<Vec<_>>());
    assert_eq!(ids(&journal.last(7, |_| true).unwrap()), (93..100).collect::<Vec<_>>());
    assert_eq!(ids(&journal.last(2, |e| e.id.ends_with('5')).unwrap()), [85, 95]);
    assert_eq!(journal.last(0, |_| true).unwrap(), Reading::default());
}

#[test]
fn a_follower_misses_nothing_across_rotation() {
    let dir = tempfile::tempdir().unwrap();
    let journal = journal(&dir, 500);
    add(&journal, 0..5);
    let mut position = journal.end().unwrap();
    let mut seen = Vec::new();
    for (from, to) in [(5, 6), (6, 40), (40, 40), (40, 41), (41, 60)] {
        add(&journal, from..to);
        let (reading, next) = journal.since(position).unwrap();
        seen.extend(ids(&reading));
        position = next;
    }
    assert_eq!(seen, (5..60).collect::<Vec<_>>());
    assert_eq!(ids(&journal.since(Position::default()).unwrap().0), (0..60).collect::<Vec<_>>());
    for file in journal.files().unwrap() {
        fs::remove_file(file).unwrap();
    }
    add(&journal, 60..61);
    assert_eq!(ids(&journal.since(position).unwrap().0), [60]);
}

#[test]
fn a_torn_line_is_healed_and_damage_is_counted() {
    let dir = tempfile::tempdir().unwrap();
    let journal = journal(&dir, ROTATE_AT);
    add(&journal, 0..1);
    let position = journal.end().unwrap();
    let mut file = fs::File::options().append(true).open(journal.path()).unwrap();
    file.write_all(b"{\"v\":1,\"at\":\"20").unwrap();
    let (reading, position) = journal.since(position).unwrap();
    assert_eq!(reading, Reading::default()); // may still be being written
    add(&journal, 1..2);
    file.write_all(b"\n\0\xff\n[]\n{\"v\":1}\n").unwrap();
    file.write_all(&vec![b'['; 300_000]).unwrap();
    file.write_all(b"\n").unwrap();
    add(&journal, 2..3);
    let reading = all(&journal);
    assert_eq!((ids(&reading), reading.damaged), (vec![0, 1, 2], 5));
    let reading = journal.since(position).unwrap().0;
    assert_eq!((ids(&reading), reading.damaged), (vec![1, 2], 5));
}

#[test]
fn lines_of_every_length_are_found_across_blocks() {
    let dir = tempfile::tempdir().unwrap();
    let journal = journal(&dir, ROTATE_AT);
    let disk = Disk::new();
    for n in 0..400 {
        let mut event = event(n);
        event.note = Some("x".repeat(n * 7));
        assert_eq!(journal.append(&disk, &[event]), None);
    }
    let want: Vec<_> = (0..400).collect();
    assert_eq!(ids(&all(&journal)), want);
    assert_eq!(ids(&journal.since(Position::default()).unwrap().0), want);
}

#[test]
fn lines_are_bounded_and_one_line_each() {
    let mut event = event(1);
    event.note = Some("n\u{e9}\n".repeat(5000));
    event.recipient = Some("r".repeat(5000));
    event.passed = vec!["read".to_owned(); 9];
    let line = line(&event).unwrap();
    assert!(line.len() <= LONGEST);
    assert_eq!(line.iter().position(|&b| b == b'\n'), Some(line.len() - 1));
    let back: Event = serde_json::from_slice(&line).unwrap();
    assert_eq!((back.id, back.path), (event.id, event.path));
    assert!(back.note.unwrap().ends_with('…'));
}

#[test]
fn many_writers_do_not_mix() {
    let dir = tempfile::tempdir().unwrap();
    let journal = journal(&dir, 20_000);
    std::thread::scope(|scope| {
        for t in 0..8 {
            let journal = &journal;
            scope.spawn(move || {
                for n in 0..100 {
                    let events = [event(t * 1000 + n), event(t * 1000 + 500 + n)];
                    assert_eq!(journal.append(&Disk::new(), &events), None);
                }
            });
        }
    });
    let reading = all(&journal);
    let mut found = ids(&reading);
    found.sort_unstable();
    let want: Vec<_> = (0..8).flat_map(|t| (0..100).chain(500..600).map(move |n| t * 1000 + n)).collect();
    assert_eq!((found, reading.damaged), (want, 0));
}

#[test]
fn a_journal_that_cannot_be_written_is_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("state"), "in the way").unwrap();
    let journal = journal(&dir, ROTATE_AT);
    assert_eq!(journal.append(&Disk::new(), &[event(1)]).unwrap().kind, "journal-failed");
    assert!(journal.last(1, |_| true).is_err());
}

#[test]
#[cfg(unix)]
fn private_and_for_any_file_name() {
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::MetadataExt as _;
    let dir = tempfile::tempdir().unwrap();
    let journal = journal(&dir, ROTATE_AT);
    let mut event = event(1);
    event.path = std::ffi::OsStr::from_bytes(b"/p/a\xff.md").into();
    assert_eq!(journal.append(&Disk::new(), &[event]), None);
    assert_eq!(all(&journal).events[0].path.to_str(), Some("/p/a\u{fffd}.md"));
    assert_eq!(journal.path().metadata().unwrap().mode() & 0o777, 0o600);
}

#[test]
#[cfg(unix)]
fn a_pipe_in_its_place_is_not_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let journal = journal(&dir, ROTATE_AT);
    fs::create_dir(&journal.state).unwrap();
    let path = journal.path();
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
    assert!(journal.append(&Disk::new(), &[event(1)]).is_some());
    assert!(journal.last(1, |_| true).is_err());
}
