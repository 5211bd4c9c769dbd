//! Files that are renamed, moved and marked between listing and reading: each is met once.
#![allow(clippy::unwrap_used, clippy::panic)] // A test says what must not be by panicking.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::layout::Dialect;
use crate::model::date::Clock;
use crate::model::inbox::{Label, LayoutId};
use crate::model::name::AgentName;
use crate::store::scan::Scan;

const BOTH: [Which; 2] = [Which::Live, Which::Archived];

fn inbox(path: &Path, layout: LayoutId) -> Inbox {
    Inbox {
        name: "ben@x".to_owned(),
        path: path.to_owned(),
        layout,
        owner: AgentName::parse("ben").unwrap(),
        aliases: Vec::new(),
        label: Label::Project,
        project: path.to_owned(),
    }
}

fn clock() -> Clock {
    Clock::utc("2026-05-20T09:00:00Z".parse().unwrap())
}

fn fill(dir: &Path, count: usize) {
    for n in 0..count {
        fs::write(dir.join(format!("m{n:05}.md")), format!("---\nstatus: unread\nsubject: s{n}\n---\nx\n")).unwrap();
    }
}

/// How often each subject is met by a scan, while `meanwhile` is called with every path that is read.
fn met(inbox: &Inbox, parts: &[Which], mut meanwhile: impl FnMut(&Path)) -> BTreeMap<String, usize> {
    let mut out = BTreeMap::new();
    let scan = Scan { inbox, dialect: &Dialect::default(), clock: &clock(), stamps: false };
    let problems = scan.each(parts, &mut |message| {
        *out.entry(message.shown.subject.clone()).or_default() += 1;
        meanwhile(&message.path);
    });
    assert!(problems.is_empty(), "{problems:?}");
    out
}

fn each_once(met: &BTreeMap<String, usize>, count: usize) {
    assert!(met.len() == count && met.values().all(|n| *n == 1), "{met:?}");
}

#[test]
fn what_was_read_and_is_renamed_then_is_not_read_again() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), 6);
    let mut read = 0;
    let seen = met(&inbox(dir.path(), LayoutId::Soma), &[Which::Live], |path| {
        read += 1;
        if read <= 3 {
            // One that was read, and one that was not: only the second is looked for.
            fs::rename(path, dir.path().join(format!("read-{read}.md"))).unwrap();
            let names = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().path());
            let other = names.filter(|p| p.file_name().unwrap().to_string_lossy().starts_with('m')).max().unwrap();
            fs::rename(other, dir.path().join(format!("other-{read}.md"))).unwrap();
        }
    });
    assert_eq!(read, 6, "{seen:?}");
    each_once(&seen, 6);
}

#[test]
fn what_gets_its_old_name_back_is_read_and_what_moves_on_is_followed() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), 40);
    // Every file that is still unread is given another name at every step, back and forth.
    let (mut flip, mut left) = (false, 8);
    let seen = met(&inbox(dir.path(), LayoutId::Soma), &[Which::Live], |_| {
        if left == 0 {
            return;
        }
        left -= 1;
        for n in 0..40 {
            let (a, b) = (dir.path().join(format!("m{n:05}.md")), dir.path().join(format!("y{n:05}.md")));
            let _ = if flip { fs::rename(&b, &a) } else { fs::rename(&a, &b) };
        }
        flip = !flip;
    });
    each_once(&seen, 40);
}

#[test]
fn what_is_archived_or_restored_meanwhile_is_met_once() {
    let dir = tempfile::tempdir().unwrap();
    let archive = dir.path().join("_archive");
    fs::create_dir(&archive).unwrap();
    fill(dir.path(), 6);
    fill(&archive, 0);
    for n in 6..10 {
        fs::write(archive.join(format!("m{n:05}.md")), format!("---\nstatus: resolved\nsubject: s{n}\n---\n")).unwrap();
    }
    let mut step = 0;
    let seen = met(&inbox(dir.path(), LayoutId::Soma), &BOTH, |path| {
        step += 1;
        let name = path.file_name().unwrap();
        match step {
            // Read as live, archived then; read as archived, restored then; and others unread.
            1 => fs::rename(path, archive.join(name)).unwrap(),
            2 => {
                let live = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_file() && p != path);
                let other = live.max().unwrap();
                fs::rename(&other, archive.join(other.file_name().unwrap())).unwrap();
                fs::rename(archive.join("m00009.md"), dir.path().join("back.md")).unwrap();
            }
            _ => {}
        }
    });
    each_once(&seen, 10);
}

#[test]
#[cfg(unix)]
fn hard_links_are_messages_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), 1);
    for n in 0..5 {
        fs::hard_link(dir.path().join("m00000.md"), dir.path().join(format!("link{n}.md"))).unwrap();
    }
    let mut read = 0;
    let seen = met(&inbox(dir.path(), LayoutId::Soma), &[Which::Live], |_| {
        read += 1;
        if read == 1 {
            for n in 0..5 {
                fs::rename(dir.path().join(format!("link{n}.md")), dir.path().join(format!("moved{n}.md"))).unwrap();
            }
        }
    });
    assert_eq!(seen["s0"], 6, "{seen:?}");
}

#[test]
fn a_mark_that_makes_another_file_of_another_name_is_known_by_its_id() {
    let dir = tempfile::tempdir().unwrap();
    for n in 0..4 {
        let text = format!("{{\"id\":\"m{n}\",\"from\":\"a\",\"subject\":\"s{n}\",\"body\":\"b\"}}");
        fs::write(dir.path().join(format!("m{n}.json")), text).unwrap();
    }
    let mut read = 0;
    let seen = met(&inbox(dir.path(), LayoutId::Json), &[Which::Live], |path| {
        read += 1;
        if read == 1 {
            // As a mark does it: a new file takes the name, and gets the next.
            let new = dir.path().join(".new");
            fs::copy(path, &new).unwrap();
            fs::remove_file(path).unwrap();
            fs::rename(new, format!("{}.read", path.display())).unwrap();
            let names = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().path());
            let other = names.filter(|p| p.extension().is_some_and(|x| x == "json")).max().unwrap();
            fs::rename(other, dir.path().join("other.json")).unwrap();
        }
    });
    each_once(&seen, 4);
}

#[test]
fn a_large_folder_that_is_changed_all_the_time_is_met_whole() {
    let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    fill(dir.path(), 3000);
    let inbox = inbox(dir.path(), LayoutId::Soma);
    let stop = AtomicBool::new(false);
    let rounds = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for n in (0..3000).step_by(7) {
                    let (a, b) = (dir.path().join(format!("m{n:05}.md")), dir.path().join(format!("zz{n:05}.md")));
                    if fs::rename(&a, &b).is_err() {
                        let _ = fs::rename(&b, &a);
                    }
                }
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
        });
        let scan = Scan { inbox: &inbox, dialect: &Dialect::default(), clock: &clock(), stamps: false };
        let look = |part: &mut Vec<String>, look: crate::store::survey::Look<'_>| part.push(look.whole().shown.subject);
        let rounds: Vec<_> = (0..10)
            .map(|_| (met(&inbox, &[Which::Live], |_| {}), scan.survey(&[Which::Live], Vec::new, look).0.concat()))
            .collect();
        stop.store(true, Ordering::Relaxed);
        rounds
    });
    for (scanned, surveyed) in rounds {
        let wrong: Vec<_> = scanned.iter().filter(|(_, n)| **n != 1).collect();
        assert!(scanned.len() == 3000 && wrong.is_empty(), "{} met, {wrong:?}", scanned.len());
        let different: HashSet<&String> = surveyed.iter().collect();
        assert_eq!((surveyed.len(), different.len()), (3000, 3000));
    }
}
