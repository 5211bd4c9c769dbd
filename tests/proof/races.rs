//! Many at once: processes that mark, send and sweep, a third party that renames and edits, and an
//! editor that knows no lock. No update is lost, nothing is there twice, nobody waits for ever.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use postroom::model::status::Status;
use postroom::ops::{advance, refs};
use postroom::store::atomic::Disk;
use postroom::store::lock::{InboxLock, LockPlace};

use crate::crash::Dice;
use crate::support::{World, files, letter};
use crate::world::{Place, inboxes, token_of};

fn spawn(mut command: Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits for all of them, but not for ever: that would be a deadlock.
fn codes(children: Vec<Child>) -> Vec<i32> {
    let start = Instant::now();
    let wait = |mut child: Child| {
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                return status.code().unwrap_or(-1);
            }
            assert!(start.elapsed() < Duration::from_mins(2), "a deadlock");
            std::thread::sleep(Duration::from_millis(2));
        }
    };
    children.into_iter().map(wait).collect()
}

#[test]
fn of_many_marks_of_one_message_each_is_a_link_of_one_chain() {
    let world = World::with_inbox();
    for round in 0..5 {
        let id = format!("2026-05-01-{round}");
        let path = world.message(&format!("{id}.md"), "unread", "2026-05-01", "x");
        let words = ["read", "actioned", "resolved", "read", "actioned", "resolved", "read", "actioned"];
        let children: Vec<_> = words.iter().map(|word| spawn(world.command(&["mark", word, &id]))).collect();
        let codes = codes(children);
        assert!(codes.iter().all(|code| matches!(code, 0 | 1 | 4)), "{codes:?}");
        let log = world.run(&["log", "--last", "100", "--json"]).ok().out;
        let mut chain: Vec<(String, String)> = log
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
            .filter(|e| e["id"] == id.as_str())
            .map(|e| (e["from"].as_str().unwrap().to_owned(), e["to"].as_str().unwrap().to_owned()))
            .collect();
        assert!(!chain.is_empty());
        chain.sort_by_key(|(from, _)| Status::from_word(from));
        let mut at = "unread".to_owned();
        for (from, to) in chain {
            assert_eq!(from, at, "an update was lost");
            at = to;
        }
        assert_eq!(fs::read_to_string(path).unwrap(), letter(&at, "2026-05-01", "x"));
    }
}

#[test]
fn of_many_senders_to_one_inbox_each_leaves_one_message() {
    let world = World::with_inbox();
    let send = |n: u32| {
        let body = format!("token={n};");
        spawn(world.command(&["send", "--from", "ava", "--to", "soma", "--subject", "same", "--body", &body]))
    };
    assert!(codes((0..24).map(send).collect()).iter().all(|code| *code == 0));
    let names = files(&world, ".soma/inbox");
    let tokens: BTreeSet<_> = names.iter().map(|n| token_of(world.read(&format!(".soma/inbox/{n}")).as_bytes())).collect();
    assert_eq!((names.len(), tokens.len()), (24, 24), "{names:?}");
}

#[test]
fn sweeps_marks_and_a_third_party_lose_nothing() {
    let world = World::with_inbox();
    let mut additions: BTreeMap<u32, usize> = BTreeMap::new();
    for token in 1..=60 {
        let text = format!("{}token={token};\n", letter("actioned", "2026-04-01", "x"));
        world.file(&format!(".soma/inbox/2026-04-01-{token}.md"), text);
        additions.insert(token, 0);
    }
    let mut dice = Dice(77);
    let start = Instant::now();
    let mut children = Vec::new();
    let mut processes = 0;
    while start.elapsed() < Duration::from_secs(6) {
        if children.len() < 8 {
            let id = format!("2026-04-01-{}", 1 + dice.roll(60));
            let words: &[&str] = match dice.roll(4) {
                0 => &["sweep"],
                1 => &["mark", "resolved", &id],
                2 => &["restore", &id],
                _ => &["archive", "--mark", "resolved", &id],
            };
            children.push(spawn(world.command(words)));
            processes += 1;
        }
        // Somebody adds to a file in place, or gives it another name.
        let all: Vec<_> = walkdir::WalkDir::new(world.inbox()).into_iter().filter_map(Result::ok).collect();
        let messages: Vec<_> = all.iter().filter(|e| e.path().extension().is_some_and(|x| x == "md")).collect();
        let path = messages[usize::try_from(dice.roll(messages.len() as u64)).unwrap()].path();
        if dice.roll(2) == 0 {
            // An addition to a file that is moved goes with it; one to a file that was replaced since it
            // was opened is what the guarantees except, so this one looks whether it arrived.
            let Ok(mut file) = fs::OpenOptions::new().append(true).open(path) else { continue };
            let lock = world.top().join("state/postroom");
            let place = LockPlace::new(lock, &world.top());
            let Ok(_held) = InboxLock::take(&place, &world.inbox()) else { continue };
            let is_same = |file: &fs::File| same_file(file, path);
            if is_same(&file) {
                std::io::Write::write_all(&mut file, b"P.S.\n").unwrap();
                let token = token_of(&fs::read(path).unwrap()).unwrap();
                *additions.get_mut(&token).unwrap() += 1;
            }
        } else {
            let to = path.with_file_name(format!("2026-04-01-renamed-{}.md", dice.roll(u64::MAX)));
            let _ = fs::rename(path, to);
        }
        children.retain_mut(|child| child.try_wait().unwrap().is_none());
    }
    codes(children);
    let mut found: BTreeMap<u32, usize> = BTreeMap::new();
    for entry in walkdir::WalkDir::new(world.inbox()).into_iter().map(Result::unwrap) {
        if !entry.file_type().is_file() {
            continue;
        }
        let text = fs::read_to_string(entry.path()).unwrap();
        let token = token_of(text.as_bytes()).unwrap_or_else(|| panic!("{}: {text:?}", entry.path().display()));
        assert_eq!(found.insert(token, text.matches("P.S.\n").count()), None, "{token} is there twice");
    }
    assert_eq!(found, additions, "an addition, or a message, is lost");
    println!("{processes} processes and {} additions by hand, 0 losses", additions.values().sum::<usize>());
}

#[cfg(unix)]
fn same_file(file: &fs::File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let own = file.metadata().unwrap();
    path.metadata().is_ok_and(|facts| (facts.dev(), facts.ino()) == (own.dev(), own.ino()))
}

#[cfg(not(unix))]
fn same_file(_file: &fs::File, _path: &Path) -> bool {
    true
}

/// Commits by exchange: what an editor saves in the very instant of a mark stays.
#[test]
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn what_an_editor_saves_in_the_instant_of_a_mark_stays() {
    let place = Place::new();
    let name = ".soma/inbox/2026-05-01-one.md";
    let (mut changed, mut marked) = (0, 0);
    let mut dice = Dice(5);
    for round in 0..1500 {
        let text = format!("---\nfrom: ben\nstatus: unread\n---\ntoken={round};\n");
        let path = place.put(name, &text);
        let pause = Duration::from_nanos(dice.roll(400_000));
        let ready = AtomicBool::new(false);
        let session = place.session(Disk::new());
        let target = refs::resolve(&session, &inboxes(&session), "2026-05-01-one", refs::Want::Live).unwrap();
        let saved = format!("{text}saved by an editor\n");
        let result = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !ready.load(Ordering::Acquire) {
                    std::hint::spin_loop();
                }
                let start = Instant::now();
                while start.elapsed() < pause {
                    std::hint::spin_loop();
                }
                // As editors save: a new file takes the name.
                let new = path.with_file_name(".saving");
                fs::write(&new, &saved).unwrap();
                fs::rename(&new, &path).unwrap();
            });
            ready.store(true, Ordering::Release);
            advance::mark(&session, &target, Status::Read, &advance::Options::default())
        });
        match result {
            Ok(_) => marked += 1,
            Err(report) => {
                assert_eq!(report.exit.code(), 4, "{report:?}");
                changed += 1;
            }
        }
        // Saved before the mark, it is marked; saved after it, it is as the editor had it.
        let now = fs::read_to_string(&path).unwrap();
        assert_eq!(now.replace("status: read", "status: unread"), saved, "round {round}");
        let others = fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(others, 1, "round {round}: something is left");
    }
    println!("{marked} marks, {changed} seen to be stale, 0 lost saves");
}

/// The process that holds a lock until it is killed; does nothing else.
#[test]
fn child_that_holds_a_lock() {
    let Ok(top) = std::env::var("POSTROOM_TEST_HOLD") else { return };
    let place = Place::at(Path::new(&top));
    let lock = LockPlace::new(place.state(), &place.top);
    let _held = InboxLock::take(&lock, &place.project().join(".soma/inbox")).unwrap();
    fs::write(place.top.join("held"), "").unwrap();
    std::thread::sleep(Duration::from_mins(1));
}

#[test]
fn a_lock_dies_with_its_process() {
    let place = Place::new();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "races::child_that_holds_a_lock", "--test-threads=1"]).env("POSTROOM_TEST_HOLD", &place.top);
    let mut child = spawn(command);
    let start = Instant::now();
    while !place.top.join("held").exists() {
        assert!(start.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    let inbox = place.project().join(".soma/inbox");
    let lock = LockPlace::new(place.state(), &place.top).with_patience(Duration::from_millis(50));
    assert!(InboxLock::take(&lock, &inbox).is_err());
    child.kill().unwrap();
    child.wait().unwrap();
    InboxLock::take(&lock, &inbox).unwrap();
}

/// Many threads with sessions of their own, in one process.
#[test]
fn sessions_in_one_process_keep_out_of_each_others_way() {
    let place = Place::new();
    place.put(".soma/inbox/2026-05-01-one.md", "---\nstatus: unread\n---\ntoken=1;\n");
    let done = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for n in 0..8 {
            let (place, done) = (&place, &done);
            scope.spawn(move || {
                for round in 0..20 {
                    let session = place.session(Disk::new());
                    let target = refs::resolve(&session, &inboxes(&session), "2026-05-01-one", refs::Want::Live).unwrap();
                    let options = advance::Options { reopen: true, ..advance::Options::default() };
                    match advance::mark(&session, &target, Status::ALL[(n + round) % 4], &options) {
                        Ok(_) => drop(done.fetch_add(1, Ordering::Relaxed)),
                        Err(report) => assert_eq!(report.exit.code(), 4, "{report:?}"),
                    }
                }
            });
        }
    });
    let (seen, hidden) = place.sightings();
    assert_eq!((seen[&1].len(), hidden.len()), (1, 0));
    assert!(done.into_inner() > 8);
}
