//! Proof that no failing step loses a message: every step of every commit is made to fail in turn,
//! the process is ended before every step, many threads race, and random faults hit random changes.
//!
//! After each of these, every message is whole in exactly one place, and no temporary is left by a
//! run that could still clean up.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use postroom::model::plan::{EditPlan, FileOp, IfTaken};
use postroom::store::atomic::{After, CommitError, Disk, Done, Failed, Step};
use postroom::store::lock::{InboxLock, LockPlace};
use postroom::store::read::{self, LARGEST, Reach};
use proptest::prelude::*;

/// An inbox with its lock, on a file system where syncing is cheap, if there is one.
struct Room {
    dir: PathBuf,
    inbox: PathBuf,
    _keep: Option<tempfile::TempDir>,
}

impl Room {
    fn new() -> Self {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let room = Self { _keep: None, ..Self::at(dir.path()) };
        fs::create_dir_all(room.inbox.join("tmp")).unwrap();
        Self { _keep: Some(dir), ..room }
    }

    fn at(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), inbox: dir.join("inbox"), _keep: None }
    }

    fn lock(&self) -> InboxLock {
        InboxLock::take(&LockPlace::new(self.dir.join("state"), &self.dir), &self.inbox).unwrap()
    }

    fn plan(&self, ops: Vec<FileOp>) -> EditPlan {
        EditPlan { inbox: self.inbox.clone(), ops }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.inbox.join(name)
    }

    fn replace(&self, name: &str, after: &str) -> FileOp {
        let (source, _) = read::read_whole(&self.path(name), Reach::Anywhere, LARGEST).unwrap();
        FileOp::Replace { path: self.path(name), before: source.bytes, after: after.into() }
    }

    fn shift(&self, from: &str, to: &str) -> FileOp {
        FileOp::Move { from: self.path(from), to: self.path(to), expect: read::stamp(&self.path(from)).unwrap() }
    }

    /// Every file below the inbox and its text; folders left out.
    fn files(&self) -> BTreeMap<String, String> {
        walkdir::WalkDir::new(&self.inbox)
            .into_iter()
            .map(Result::unwrap)
            .filter(|entry| !entry.file_type().is_dir())
            .map(|entry| {
                let name = entry.path().strip_prefix(&self.inbox).unwrap().to_str().unwrap().to_owned();
                (name, fs::read_to_string(entry.path()).unwrap())
            })
            .collect()
    }
}

fn is_temporary(name: &str) -> bool {
    name.rsplit('/').next().unwrap().starts_with(".postroom-")
}

/// The ways in which a system can be poor: each answers a step that others take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum System {
    /// It can do everything.
    Able,
    /// The two folders lie on different file systems.
    TwoDisks,
    /// It can't exchange two names.
    NoExchange,
    /// It can't rename without replacing.
    NoNoReplace,
    /// It can't make hard links either.
    NoLinks,
}

/// Counts steps, plays a system, and does something before the n-th step.
struct Script<'a> {
    system: System,
    at: usize,
    act: &'a (dyn Fn() -> io::Result<()> + Sync),
    log: Mutex<Vec<Step>>,
}

impl<'a> Script<'a> {
    fn new(system: System, at: usize, act: &'a (dyn Fn() -> io::Result<()> + Sync)) -> Self {
        Self { system, at, act, log: Mutex::default() }
    }

    fn before(&self, step: Step) -> io::Result<()> {
        let mut log = self.log.lock().unwrap();
        log.push(step);
        let renames = log.iter().filter(|s| **s == Step::Rename).count();
        let is_claimed = log.iter().rev().nth(1) == Some(&Step::Claim);
        if log.len() - 1 == self.at {
            (self.act)()?;
        }
        let errno = |code| Err(io::Error::from_raw_os_error(code));
        match (self.system, step) {
            (System::TwoDisks, Step::Rename) if renames == 1 => Err(io::ErrorKind::CrossesDevices.into()),
            (System::NoNoReplace | System::NoLinks, Step::Rename | Step::PutBack) if !is_claimed => errno(22), // EINVAL
            (System::NoExchange, Step::Exchange) => errno(22),
            (System::NoLinks, Step::Link) => Err(io::ErrorKind::PermissionDenied.into()),
            _ => Ok(()),
        }
    }

    fn steps(self) -> Vec<Step> {
        self.log.into_inner().unwrap()
    }
}

/// What is done to an inbox that holds `a.md` (text `a0`) and, as bystanders, `b.md` and `_archive/b.md`.
#[derive(Debug, Clone, Copy)]
enum Job {
    Mark,
    Send,
    SendTaken,
    SendStaged,
    Archive,
    ArchiveTaken,
    MarkAndArchive,
    WriteNew,
    WriteAgain,
}

use Job::{Archive, ArchiveTaken, Mark, MarkAndArchive, Send, SendStaged, SendTaken, WriteAgain, WriteNew};

const JOBS: [(Job, &[System]); 9] = [
    (Mark, &[System::Able, System::NoExchange]),
    (Send, &[System::Able, System::NoNoReplace, System::NoLinks]),
    (SendTaken, &[System::Able, System::NoNoReplace, System::NoLinks]),
    // Between two disks it is refused: nothing arrives there but by a rename.
    (SendStaged, &[System::Able, System::NoNoReplace]),
    (Archive, &[System::Able, System::TwoDisks, System::NoNoReplace]),
    (ArchiveTaken, &[System::Able, System::TwoDisks, System::NoNoReplace]),
    (MarkAndArchive, &[System::Able, System::NoExchange]),
    (WriteNew, &[System::Able, System::NoNoReplace]),
    (WriteAgain, &[System::Able, System::NoExchange]),
];

impl Job {
    fn prepare(self, room: &Room) {
        fs::write(room.path("a.md"), "a0").unwrap();
        fs::write(room.path("b.md"), "b").unwrap();
        if matches!(self, ArchiveTaken) {
            fs::create_dir(room.path("_archive")).unwrap();
            fs::write(room.path("_archive/A.md"), "old").unwrap();
        }
    }

    fn run(self, room: &Room, disk: Disk<'_>) -> Result<Vec<Done>, Failed> {
        let reach = Reach::Within(&room.dir);
        let create = |name: &str, staging: Option<PathBuf>| {
            let op =
                FileOp::Create { path: room.path(name), bytes: b"new".to_vec(), staging, if_taken: IfTaken::Number(Vec::new()) };
            disk.carry_out_unlocked(&room.plan(vec![op]))
        };
        let under_lock = |ops| disk.carry_out(&room.lock(), &room.plan(ops), reach);
        match self {
            Mark => under_lock(vec![room.replace("a.md", "a1")]),
            Send => create("new.md", None),
            SendTaken => create("a.md", None),
            SendStaged => create("new.md", Some(room.path("tmp"))),
            Archive | ArchiveTaken => under_lock(vec![room.shift("a.md", "_archive/a.md")]),
            MarkAndArchive => under_lock(vec![room.replace("a.md", "a1"), room.shift("a.md", "_archive/a.md")]),
            WriteNew => disk.write_file(&room.path("new.md"), None, b"new", reach).map(|done| vec![done]),
            WriteAgain => disk.write_file(&room.path("a.md"), Some(b"a0"), b"a1", reach).map(|done| vec![done]),
        }
    }

    fn is_done(self, room: &Room) -> bool {
        let files = room.files();
        match self {
            Mark | WriteAgain => files["a.md"] == "a1",
            Send | SendStaged | WriteNew => files.get("new.md").is_some_and(|text| text == "new"),
            SendTaken => files.get("a-2.md").is_some_and(|text| text == "new"),
            Archive => files.get("_archive/a.md").is_some_and(|text| text == "a0"),
            ArchiveTaken => files.get("_archive/a (2).md").is_some_and(|text| text == "a0"),
            MarkAndArchive => files.get("_archive/a.md").is_some_and(|text| text == "a1"),
        }
    }
}

/// Checks that the messages are where they should be, once each. Gives how often `a.md` was found.
fn check(room: &Room, context: &str) -> usize {
    let files: BTreeMap<_, _> = room.files().into_iter().filter(|(name, _)| !is_temporary(name)).collect();
    assert_eq!(files["b.md"], "b", "{context}");
    let mut places = 0;
    for (name, text) in &files {
        match text.as_str() {
            "a0" | "a1" => places += 1,
            "b" => assert_eq!(name, "b.md", "{context}"),
            "old" => assert_eq!(name, "_archive/A.md", "{context}"),
            "new" => {}
            other => panic!("{context}: {name} holds {other:?}"),
        }
    }
    assert!(files.values().filter(|text| *text == "new").count() <= 1, "{context}: {files:?}");
    places
}

fn every_step(mut each: impl FnMut(Job, System, usize, Step)) {
    for (job, systems) in JOBS {
        for &system in systems {
            let room = Room::new();
            job.prepare(&room);
            let nothing = || Ok(());
            let script = Script::new(system, usize::MAX, &nothing);
            let hook = |step: Step, _: &Path| script.before(step);
            job.run(&room, Disk::with_hook(&hook)).unwrap_or_else(|e| panic!("{job:?} on {system:?}: {e}"));
            assert!(job.is_done(&room), "{job:?} on {system:?}: {:?}", room.files());
            assert_eq!(check(&room, "no fault"), 1);
            assert!(!room.files().keys().any(|name| is_temporary(name)), "{job:?} on {system:?}");
            for (n, step) in script.steps().into_iter().enumerate() {
                each(job, system, n, step);
            }
        }
    }
}

#[test]
fn steps_come_in_the_order_that_survives_a_power_cut() {
    use Step::{
        Compare, Copy, CopyAttributes, CopyMode, CopyTimes, CreateTemp, Exchange, MakeFolder, Rename, SetAside, SyncFile,
        SyncFolder, Unlink, Write,
    };
    let mut orders: BTreeMap<String, Vec<Step>> = BTreeMap::new();
    every_step(|job, system, _, step| orders.entry(format!("{job:?} {system:?}")).or_default().push(step));
    let exchanged = [CreateTemp, Write, CopyMode, CopyAttributes, SyncFile, CreateTemp, Exchange, Compare, Unlink, SyncFolder];
    assert_eq!(orders["Mark Able"], exchanged);
    let renamed = [CreateTemp, Write, CopyMode, CopyAttributes, SyncFile, CreateTemp, Exchange, Rename, SyncFolder];
    assert_eq!(orders["Mark NoExchange"], renamed);
    assert_eq!(orders["Send Able"], [CreateTemp, Write, SyncFile, Rename, SyncFolder]);
    assert_eq!(orders["Archive Able"], [MakeFolder, Rename, SyncFolder, SyncFolder]);
    let copied = [Copy, CopyMode, CopyAttributes, CopyTimes, SyncFile, Compare, Compare, Rename, SyncFolder, SetAside, Unlink];
    assert_eq!(orders["ArchiveTaken TwoDisks"][..2], [Rename, CreateTemp]);
    assert_eq!(orders["ArchiveTaken TwoDisks"][2..13], copied);
}

#[test]
fn whichever_step_fails_each_message_is_whole_in_one_place() {
    let mut faults = 0;
    every_step(|job, system, n, step| {
        for code in [28, 5, 13, 1] {
            // ENOSPC, EIO, EACCES, EPERM
            let context = format!("{job:?} on {system:?}: error {code} before step {n}, {step:?}");
            let room = Room::new();
            job.prepare(&room);
            let fail = || Err(io::Error::from_raw_os_error(code));
            let script = Script::new(system, n, &fail);
            let hook = |step: Step, _: &Path| script.before(step);
            let result = job.run(&room, Disk::with_hook(&hook));
            faults += 1;
            assert_eq!(check(&room, &context), 1, "{context}");
            assert!(!room.files().keys().any(|name| is_temporary(name)), "{context}: {:?}", room.files());
            match result {
                // A lost mode or owner, and a link that can't be made, are no reason to fail.
                Ok(_) => {
                    assert!(
                        matches!(step, Step::CopyMode | Step::CopyOwner | Step::CopyAttributes | Step::Link)
                            && code != 28
                            && code != 5,
                        "{context}"
                    );
                    assert!(job.is_done(&room), "{context}");
                }
                Err(failed) => {
                    let CommitError::Io { step: named, after, .. } = &failed.error else { panic!("{context}: {failed}") };
                    assert_eq!(*named, step, "{context}");
                    let all = if matches!(job, MarkAndArchive) { 2 } else { 1 };
                    match after {
                        After::Unchanged if failed.done.is_empty() => {
                            let expected = match job {
                                ArchiveTaken => "a.md a0 b.md b _archive/A.md old",
                                _ => "a.md a0 b.md b",
                            };
                            let files = room.files();
                            let mut found: Vec<_> = files.iter().map(|(name, text)| format!("{name} {text}")).collect();
                            found.sort_by_key(|line| line.starts_with('_'));
                            assert_eq!(found.join(" "), expected, "{context}");
                        }
                        After::Unchanged => assert_eq!(failed.done.len(), 1, "{context}"),
                        After::InPlace => {
                            assert_eq!(failed.done.len(), all, "{context}");
                            assert!(job.is_done(&room), "{context}");
                        }
                        After::SetAside => panic!("{context}"),
                    }
                }
            }
            // What failed once can be done again.
            if !job.is_done(&room) && !matches!((job, room.files()["a.md"].as_str()), (MarkAndArchive, "a1")) {
                job.run(&room, Disk::new()).unwrap_or_else(|e| panic!("{context}, again: {e}"));
                assert!(job.is_done(&room), "{context}, again");
            }
        }
    });
    assert!(faults > 400, "{faults}");
}

#[test]
fn a_move_that_can_be_neither_finished_nor_taken_back_is_told() {
    let room = Room::new();
    Archive.prepare(&room);
    let crossed = AtomicUsize::new(0);
    let hook = |step: Step, _: &Path| match step {
        Step::Rename if crossed.fetch_add(1, Ordering::SeqCst) == 0 => Err(io::ErrorKind::CrossesDevices.into()),
        Step::Unlink => Err(io::ErrorKind::PermissionDenied.into()),
        _ => Ok(()),
    };
    let failed = Archive.run(&room, Disk::with_hook(&hook)).unwrap_err();
    assert!(matches!(failed.error, CommitError::InBoth { .. }), "{failed}");
    let files = room.files();
    assert_eq!((files["a.md"].as_str(), files["_archive/a.md"].as_str(), files.len()), ("a0", "a0", 3));
}

/// The process that is ended by [`whenever_it_is_killed_the_next_run_finishes`]; does nothing else.
#[test]
fn child_that_is_killed() {
    let Ok(order) = std::env::var("POSTROOM_TEST_CRASH") else { return };
    let mut words = order.splitn(4, ' ');
    let mut number = || words.next().unwrap().parse::<usize>().unwrap();
    let (job, system, at) = (number(), number(), number());
    let room = Room::at(Path::new(words.next().unwrap()));
    let (job, systems) = JOBS[job];
    // Like a kill: nothing is cleaned up, no destructor runs.
    let die = || std::process::exit(77);
    let script = Script::new(systems[system], at, &die);
    let hook = |step: Step, _: &Path| script.before(step);
    let _ = job.run(&room, Disk::with_hook(&hook));
}

#[test]
fn whenever_it_is_killed_the_next_run_finishes() {
    let mut kills = 0;
    every_step(|job, system, n, step| {
        let context = format!("{job:?} on {system:?}: killed before step {n}, {step:?}");
        let room = Room::new();
        job.prepare(&room);
        let index = JOBS.iter().position(|(other, _)| *other as usize == job as usize).unwrap();
        let which = JOBS[index].1.iter().position(|other| *other == system).unwrap();
        let status = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child_that_is_killed", "--nocapture", "--test-threads=1"])
            .env("POSTROOM_TEST_CRASH", format!("{index} {which} {n} {}", room.dir.display()))
            .stdout(std::process::Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(77), "{context}");
        kills += 1;
        // A claimed name is an empty file; everything else is whole.
        for (name, text) in room.files() {
            if text.is_empty() && !is_temporary(&name) {
                assert!(matches!(system, System::NoNoReplace | System::NoLinks), "{context}: {name}");
                fs::remove_file(room.path(&name)).unwrap();
            }
        }
        let places = check(&room, &context);
        // Between the durable copy and the removal of the original there are two, and never none.
        let may_be_two = system == System::TwoDisks && matches!(step, Step::SyncFolder | Step::SetAside);
        assert!(places == 1 || (places == 2 && may_be_two), "{context}: {:?}", room.files());
        let is_marked = matches!(job, MarkAndArchive | Mark | WriteAgain) && room.files().values().any(|text| text == "a1");
        if (!job.is_done(&room) && !is_marked) || places == 2 {
            let nothing = || Ok(());
            let script = Script::new(system, usize::MAX, &nothing);
            let hook = |step: Step, _: &Path| script.before(step);
            let again = job.run(&room, Disk::with_hook(&hook));
            again.unwrap_or_else(|e| panic!("{context}, again: {e}"));
            assert!(job.is_done(&room), "{context}, again: {:?}", room.files());
            assert_eq!(check(&room, &context), 1, "{context}, again");
        }
        // What the killed run left is told apart, and only copies are cleared away.
        for folder in [room.inbox.clone(), room.path("tmp"), room.path("_archive")] {
            if folder.is_dir() {
                let removed = Disk::new().tidy(&folder, SystemTime::now() + Duration::from_hours(2)).unwrap();
                assert!(removed.iter().all(|path| path.to_str().unwrap().contains(".postroom-copy-")), "{context}");
            }
        }
        assert_eq!(check(&room, &context), 1, "{context}, at the end");
    });
    assert!(kills > 100, "{kills}");
}

#[test]
fn of_many_stale_marks_exactly_one_wins() {
    let room = Room::new();
    for round in 0..20 {
        fs::write(room.path("a.md"), "before").unwrap();
        let plans: Vec<_> = (0..16).map(|n| room.plan(vec![room.replace("a.md", &format!("after {n}"))])).collect();
        let wins: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = plans
                .iter()
                .map(|plan| {
                    scope.spawn(|| match Disk::new().carry_out(&room.lock(), plan, Reach::Anywhere) {
                        Ok(_) => true,
                        Err(Failed { error: CommitError::Changed { .. }, .. }) => false,
                        Err(e) => panic!("{e}"),
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(wins.iter().filter(|won| **won).count(), 1, "round {round}");
        let winner = wins.iter().position(|won| *won).unwrap();
        assert_eq!(room.files()["a.md"], format!("after {winner}"));
    }
}

#[test]
fn a_hundred_senders_of_one_name_all_succeed() {
    let room = Room::new();
    std::thread::scope(|scope| {
        for n in 0..100 {
            let room = &room;
            scope.spawn(move || {
                let bytes = format!("body {n}").into_bytes();
                let op = FileOp::Create {
                    path: room.path("2026-05-01-same.md"),
                    bytes,
                    staging: None,
                    if_taken: IfTaken::Number(Vec::new()),
                };
                Disk::new().carry_out_unlocked(&room.plan(vec![op])).unwrap();
            });
        }
    });
    let files = room.files();
    let texts: std::collections::BTreeSet<_> = files.values().collect();
    assert_eq!((files.len(), texts.len()), (100, 100));
}

#[test]
fn many_archivers_of_one_inbox_move_each_message_once() {
    let room = Room::new();
    for n in 0..60 {
        fs::write(room.path(&format!("{n}.md")), n.to_string()).unwrap();
    }
    let moved = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for n in 0..60 {
                    let from = room.path(&format!("{n}.md"));
                    let Ok(expect) = read::stamp(&from) else { continue };
                    let op = FileOp::Move { from, to: room.path("_archive/same.md"), expect };
                    match Disk::new().carry_out(&room.lock(), &room.plan(vec![op]), Reach::Anywhere) {
                        Ok(_) => drop(moved.fetch_add(1, Ordering::SeqCst)),
                        Err(e) => assert!(matches!(e.error, CommitError::Changed { .. }), "{e}"),
                    }
                }
            });
        }
    });
    assert_eq!(moved.into_inner(), 60);
    let texts: std::collections::BTreeSet<_> = room.files().into_values().collect();
    assert_eq!(texts.len(), 60);
    assert!(room.files().keys().all(|name| name.starts_with("_archive/")));
}

/// A random change, and the errors that hit its steps.
#[derive(Debug, Clone)]
struct Change {
    kind: u8,
    pick: usize,
    faults: Vec<(usize, i32)>,
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    // ENOSPC, EIO, EACCES, EXDEV, EINVAL, EEXIST, ENOTSUP
    let code = prop::sample::select(vec![28, 5, 13, 18, 22, 17, 95]);
    let faults = prop::collection::vec((0..14_usize, code), 0..3);
    let change = (0..5_u8, 0..64_usize, faults).prop_map(|(kind, pick, faults)| Change { kind, pick, faults });
    prop::collection::vec(change, 1..25)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is done and whatever fails: every text that was ever acknowledged is still there,
    /// and in one place, but for a move that says it is in both.
    #[test]
    fn no_message_is_ever_lost(changes in changes()) {
        let room = Room::new();
        fs::create_dir(room.path("_archive")).unwrap();
        // By token: the text it must have. A text is «token version».
        let mut model: BTreeMap<usize, String> = BTreeMap::new();
        let doubled = RefCell::new(std::collections::BTreeSet::new());
        for (n, change) in changes.iter().enumerate() {
            let steps = AtomicUsize::new(0);
            let hook = |_: Step, _: &Path| {
                let at = steps.fetch_add(1, Ordering::SeqCst);
                let fault = change.faults.iter().find(|(when, _)| *when == at);
                fault.map_or(Ok(()), |(_, code)| Err(io::Error::from_raw_os_error(*code)))
            };
            let disk = Disk::with_hook(&hook);
            let files: Vec<_> = room.files().into_iter().filter(|(name, text)| !is_temporary(name) && !text.is_empty()).collect();
            let picked = files.get(change.pick % files.len().max(1)).cloned();
            let token = |text: &str| text.split(' ').next().unwrap().parse::<usize>().unwrap();
            let (ops, touched, after) = match (change.kind, picked) {
                (0, _) | (_, None) => {
                    let text = format!("{n} 0");
                    let name = ["a.md", "A.md", "b.json"][change.pick % 3];
                    let op = FileOp::Create { path: room.path(name), bytes: text.clone().into(), staging: None, if_taken: IfTaken::Number(Vec::new()) };
                    (vec![op], n, text)
                }
                (1, Some((name, text))) => {
                    let after = format!("{} {n}", token(&text));
                    (vec![room.replace(&name, &after)], token(&text), after)
                }
                (2, Some((name, text))) => {
                    let to = name.trim_start_matches("_archive/").to_owned();
                    let to = if name == to { format!("_archive/{to}") } else { to };
                    (vec![room.shift(&name, &to)], token(&text), text)
                }
                (3, Some((name, text))) => {
                    let after = format!("{} {n}", token(&text));
                    (vec![room.replace(&name, &after), room.shift(&name, "_archive/x.md")], token(&text), after)
                }
                (_, Some((name, text))) => {
                    // Somebody else writes first: the plan is stale, and theirs is the text that counts.
                    let op = room.replace(&name, "lost update");
                    let theirs = format!("{} {n} by another program", token(&text));
                    fs::write(room.path(&name), &theirs).unwrap();
                    if !doubled.borrow().contains(&token(&text)) {
                        model.insert(token(&text), theirs.clone());
                    }
                    (vec![op], token(&text), theirs)
                }
            };
            let is_new = matches!(ops[0], FileOp::Create { .. });
            let result = if is_new {
                disk.carry_out_unlocked(&room.plan(ops))
            } else {
                disk.carry_out(&room.lock(), &room.plan(ops), Reach::Anywhere)
            };
            match result {
                Ok(_) => drop(model.insert(touched, after)),
                Err(failed) if !failed.done.is_empty() => drop(model.insert(touched, after)),
                Err(Failed { error: CommitError::InBoth { .. } | CommitError::Io { after: After::SetAside, .. }, .. }) => {
                    doubled.borrow_mut().insert(touched);
                }
                Err(_) => {}
            }
            let mut found: BTreeMap<usize, Vec<String>> = BTreeMap::new();
            let mut hidden: BTreeMap<usize, Vec<String>> = BTreeMap::new();
            for (name, text) in room.files() {
                if text.is_empty() {
                    continue; // a name that was claimed, and whose removal failed
                }
                prop_assert!(text != "lost update");
                let list = if is_temporary(&name) { &mut hidden } else { &mut found };
                list.entry(token(&text)).or_default().push(text);
            }
            for (token, text) in &model {
                let places = found.get(token).map_or(0, Vec::len);
                if doubled.borrow().contains(token) {
                    prop_assert!(places + hidden.get(token).map_or(0, Vec::len) >= 1, "{token} is lost after {change:?}");
                } else {
                    prop_assert_eq!(places, 1, "{} in {} places after {:?}", token, places, change);
                    prop_assert_eq!(&found[token][0], text, "after {:?}", change);
                }
            }
            prop_assert!(found.keys().all(|token| model.contains_key(token)), "a message that nobody was told of");
            prop_assert!(!doubled.borrow().is_empty() || hidden.is_empty(), "temporaries left: {hidden:?} after {change:?}");
        }
    }
}
