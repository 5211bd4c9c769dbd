//! What somebody could do to a message while postroom works on it: locks that are not seen, processes
//! that stop in the middle, names that are swapped for other files, for links and for pipes, archives
//! that are something else. Nothing is lost, hidden, or there twice; nothing else is touched.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::crash::Dice;
use crate::support::{World, files, letter, snapshot};
use crate::world::token_of;

/// How many messages there are in the worlds of this file.
const MESSAGES: u32 = 30;

fn world() -> World {
    let world = World::with_inbox();
    for token in 1..=MESSAGES {
        let text = format!("{}token={token};\n", letter("actioned", "2026-04-01", "x"));
        world.file(&format!(".soma/inbox/2026-04-01-{token}.md"), text);
    }
    world
}

fn spawn(mut command: Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Some change to one of the messages, or to all.
fn some_change(dice: &mut Dice) -> Vec<String> {
    let id = format!("2026-04-01-{}", 1 + dice.roll(u64::from(MESSAGES)));
    let words: &[&str] = match dice.roll(6) {
        0 => &["sweep"],
        1 => &["mark", "resolved", &id],
        2 => &["mark", "actioned", "--reopen", "--note", "again", &id],
        3 => &["archive", "--mark", "resolved", &id],
        4 => &["doctor", "--fix"],
        _ => &["restore", &id],
    };
    words.iter().map(|&word| word.to_owned()).collect()
}

fn command(world: &World, words: &[String]) -> Command {
    world.command(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Every message is there, once and whole; and nothing of ours is left beside them.
fn check(world: &World, context: &str) {
    let mut found: BTreeMap<u32, PathBuf> = BTreeMap::new();
    for entry in walkdir::WalkDir::new(world.home()).into_iter().map(Result::unwrap) {
        if !entry.file_type().is_file() {
            continue;
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(!name.starts_with(".postroom-"), "{context}: {name} is left");
        let text = fs::read_to_string(entry.path()).unwrap();
        if let Some(token) = token_of(text.as_bytes()) {
            assert!(text.starts_with("---\nfrom: ava\n") && text.ends_with(&format!("token={token};\n")), "{context}: {text:?}");
            let twin = found.insert(token, entry.into_path());
            assert!(twin.is_none(), "{context}: {token} is at {twin:?} and {}", found[&token].display());
        }
    }
    let lost: Vec<_> = (1..=MESSAGES).filter(|token| !found.contains_key(token)).collect();
    assert!(lost.is_empty(), "{context}: lost {lost:?}");
}

#[test]
fn without_each_others_locks_nothing_is_lost() {
    let world = world();
    let (mut dice, mut children, mut runs) = (Dice(11), Vec::new(), 0);
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(4) {
        children.retain_mut(|child: &mut Child| child.try_wait().unwrap().is_none());
        if children.len() < 6 {
            // Three users, machines or sandboxes: each has a state folder of its own.
            let state = world.top().join(format!("state-{}", dice.roll(3)));
            let mut command = command(&world, &some_change(&mut dice));
            command.env("XDG_STATE_HOME", state);
            children.push(spawn(command));
            runs += 1;
        } else {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    for child in &mut children {
        child.wait().unwrap();
    }
    check(&world, "three state folders");
    println!("{runs} processes that saw no lock of each other, 0 losses");
}

#[test]
fn a_process_that_stands_still_and_goes_on_finds_what_others_did() {
    let world = world();
    let mut dice = Dice(12);
    let mut stopped = 0;
    for round in 0..60 {
        let words = some_change(&mut dice);
        let mut child = spawn(command(&world, &words));
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        std::thread::sleep(Duration::from_micros(dice.roll(15_000)));
        stopped += usize::from(kill_process(pid, Signal::STOP).is_ok());
        let others = some_change(&mut dice);
        let mut other = command(&world, &others);
        other.env("XDG_STATE_HOME", world.top().join("state-2"));
        spawn(other).wait().unwrap();
        // A hand adds to one.
        let path = world.inbox().join(format!("2026-04-01-{}.md", 1 + dice.roll(u64::from(MESSAGES))));
        if let Ok(text) = fs::read_to_string(&path) {
            fs::write(&path, text.replace("\nhello\n", "\nhello again\n")).unwrap();
        }
        let _ = kill_process(pid, Signal::CONT);
        child.wait().unwrap();
        check(&world, &format!("round {round}: {words:?}, meanwhile {others:?}"));
    }
    println!("{stopped} processes stopped in the middle and sent on, 0 losses");
}

/// Renames as a careful program does: never onto what has the name by then, since the loss would be its own.
fn rename_new(from: &Path, to: &Path) -> std::io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
}

/// Gives a file a name that is free.
fn settle(from: &Path, wanted: &Path) {
    let mut to = wanted.to_owned();
    while let Err(error) = rename_new(from, &to) {
        assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists, "{} to {}", from.display(), to.display());
        to = to.with_extension("x.md");
    }
}

/// Takes away the link or pipe that has a name; a message that has it by then stays. A move that
/// postroom had begun may take it first, and bring it back.
fn take_away(path: &Path) {
    if path.symlink_metadata().is_ok_and(|facts| facts.is_file()) {
        return;
    }
    let taken = path.with_extension("taken~");
    if rename_new(path, &taken).is_err() {
        return;
    }
    if taken.symlink_metadata().unwrap().is_file() {
        settle(&taken, path);
    } else {
        fs::remove_file(&taken).unwrap();
    }
}

#[test]
fn names_that_are_swapped_for_links_pipes_and_each_other_mislead_nobody() {
    let world = world();
    let secret = world.home().join("secret/secret.md");
    fs::create_dir_all(secret.parent().unwrap()).unwrap();
    fs::write(&secret, letter("actioned", "2026-04-01", "secret")).unwrap();
    let before = snapshot(secret.parent().unwrap());
    let stop = AtomicBool::new(false);
    let runs = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut dice = Dice(13);
            while !stop.load(Ordering::Relaxed) {
                let at = |n: u64| world.inbox().join(format!("2026-04-01-{n}.md"));
                let path = at(1 + dice.roll(u64::from(MESSAGES)));
                let aside = path.with_extension("aside~");
                if rename_new(&path, &aside).is_err() {
                    continue;
                }
                match dice.roll(3) {
                    0 => drop(symlink(&secret, &path)),
                    1 => drop(rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o644.into(), 0)),
                    _ => drop(rename_new(&at(1 + dice.roll(u64::from(MESSAGES))), &path)),
                }
                std::thread::sleep(Duration::from_micros(300));
                take_away(&path);
                settle(&aside, &path);
            }
        });
        let (mut dice, mut children, mut runs) = (Dice(14), Vec::new(), 0);
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(5) {
            children.retain_mut(|child: &mut Child| child.try_wait().unwrap().is_none());
            if children.len() < 3 {
                children.push(spawn(command(&world, &some_change(&mut dice))));
                runs += 1;
            } else {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        stop.store(true, Ordering::Relaxed);
        for child in &mut children {
            child.wait().unwrap();
        }
        runs
    });
    check(&world, "swapped names");
    assert_eq!(snapshot(secret.parent().unwrap()), before);
    println!("{runs} processes among swapped names, 0 losses");
}

#[test]
fn an_archive_that_is_something_else_is_told() {
    let world = World::with_inbox();
    world.message("2026-04-01-a.md", "resolved", "2026-04-01", "a");
    let archive = world.inbox().join("_archive");
    let calls: [&[&str]; 3] = [&["sweep"], &["archive", "2026-04-01-a"], &["migrate", "soma", "ben"]];
    fs::create_dir_all(world.project().join(".agents/inbox/ben/new")).unwrap();
    // The inbox itself: a move would only give each message another name, night after night.
    symlink(".", &archive).unwrap();
    for args in &calls[..2] {
        let ran = world.run(args);
        assert!(ran.code == 1 && format!("{}{}", ran.out, ran.err).contains("very folder"), "{ran:?}");
    }
    assert_eq!(world.json(&["list", "--all", "--json"])["messages"].as_array().unwrap().len(), 1, "there once");
    fs::remove_file(&archive).unwrap();
    let fifo = rustix::fs::FileType::Fifo;
    for what in ["file", "pipe", "dangling link", "loop"] {
        match what {
            "file" => fs::write(&archive, "mine").unwrap(),
            "pipe" => rustix::fs::mknodat(rustix::fs::CWD, &archive, fifo, 0o644.into(), 0).unwrap(),
            "loop" => symlink("_archive", &archive).unwrap(),
            _ => symlink("nowhere", &archive).unwrap(),
        }
        let before = snapshot(&world.inbox());
        for args in calls {
            let ran = world.run(args);
            assert!(ran.code == 1 && !ran.err.contains("panicked"), "{what}: {args:?}: {ran:?}");
        }
        assert_eq!(snapshot(&world.inbox()), before, "{what}");
        assert!(world.run(&["list"]).out.contains("2026-04-01-a"), "{what}");
        fs::remove_file(&archive).unwrap();
    }
    world.run(&["sweep"]).ok();
    assert_eq!(files(&world, ".soma/inbox/_archive"), ["2026-04-01-a.md"]);
}

#[test]
fn a_file_of_holes_takes_neither_time_nor_room() {
    let world = World::with_inbox();
    let path = world.message("2026-04-01-big.md", "resolved", "2026-04-01", "big");
    let size = 1 << 40;
    if fs::File::options().write(true).open(&path).unwrap().set_len(size).is_err() {
        return; // a file system without holes
    }
    let run = |args: &[&str]| {
        let start = Instant::now();
        let ran = world.run(args);
        assert!(start.elapsed() < Duration::from_secs(10), "{args:?} took {:?}", start.elapsed());
        ran
    };
    for args in [&["list"][..], &["summary"], &["search", "big"], &["doctor"], &["thread", "2026-04-01-big"], &["inboxes"]] {
        assert!(matches!(run(args).code, 0 | 1), "{args:?}");
    }
    for args in [&["show", "2026-04-01-big"][..], &["mark", "read", "--reopen", "2026-04-01-big"]] {
        let ran = run(args);
        assert!(ran.code == 1 && ran.err.contains("too large"), "{args:?}: {ran:?}");
    }
    run(&["sweep"]).ok();
    run(&["restore", "2026-04-01-big"]).ok();
    // To another file system it would have to be copied.
    if let Ok(elsewhere) = tempfile::tempdir_in("/dev/shm") {
        fs::remove_dir(world.inbox().join("_archive")).unwrap();
        symlink(elsewhere.path(), world.inbox().join("_archive")).unwrap();
        let ran = run(&["sweep"]);
        let went_by_rename = elsewhere.path().join("2026-04-01-big.md").exists();
        assert!(went_by_rename || ran.out.contains("too large"), "{ran:?}");
        assert_eq!(path.metadata().map_or(size, |facts| facts.len()), size);
    }
}

#[test]
fn what_was_set_aside_is_named_with_what_to_do() {
    let world = World::with_inbox();
    let text = letter("unread", "2026-05-01", "set aside");
    world.file(".soma/inbox/.postroom-held-abcdefghijkl.tmp", &text);
    for args in [&["doctor"][..], &["doctor", "--fix"]] {
        let ran = world.run(args);
        assert!(ran.code == 1 && ran.out.contains(".postroom-held-abcdefghijkl.tmp"), "{ran:?}");
        assert!(ran.out.contains("give it back its name"), "{ran:?}");
    }
    assert_eq!(world.read(".soma/inbox/.postroom-held-abcdefghijkl.tmp"), text);
}

#[test]
fn an_inbox_that_is_taken_away_while_it_is_watched_is_watched_again() {
    let world = World::with_inbox();
    let mut command = world.command(&["watch", "--timeout", "9s"]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(800));
    fs::rename(world.inbox(), world.project().join("old")).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    fs::create_dir_all(world.inbox()).unwrap();
    world.message("2026-05-19-new.md", "unread", "2026-05-19", "in the new one");
    let told = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(told.matches("in the new one").count(), 1, "{told}");
}

#[test]
fn many_at_once_turn_the_page_of_the_journal_and_lose_no_line() {
    let world = world();
    let state = world.top().join("state/postroom");
    fs::create_dir_all(&state).unwrap();
    let line = format!(
        "{{\"v\":1,\"at\":\"2026-05-20T08:00:00Z\",\"event\":\"mark\",\"inbox\":\"x\",\"id\":\"{}\",\"path\":\"/x\"}}\n",
        "y".repeat(900)
    );
    // A few lines short of the size at which a new file is begun.
    let lines = (10 * 1024 * 1024 - 20_000) / line.len();
    fs::write(state.join("journal.jsonl"), line.repeat(lines)).unwrap();
    let note = "n".repeat(1500);
    let mark = |token: u32| spawn(world.command(&["mark", "resolved", "--note", &note, &format!("2026-04-01-{token}")]));
    let mut children: Vec<Child> = (1..=MESSAGES).map(mark).collect();
    assert!(children.iter_mut().all(|child| child.wait().unwrap().code() == Some(0)));
    let log = world.run(&["log", "--last", "1000000", "--json"]).ok().out;
    assert_eq!(log.lines().filter(|line| line.contains("\"2026-04-01-")).count(), MESSAGES as usize);
    let old = files_of(&state).into_iter().filter(|name| name.starts_with("journal-")).count();
    assert_eq!(old, 1, "{:?}", files_of(&state));
}

fn files_of(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect()
}
