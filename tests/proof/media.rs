//! Disks that are full, or may only be read, or are lost to their owner's rights: real ones, mounted for the
//! test alone. Whatever does not fit is said; no message is lost, cut off or there twice.
//!
//! Needs root and `unshare`; where they are missing, that is said and nothing is shown.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Ran, World, letter, snapshot};
use crate::world::token_of;

/// Runs one of the tests below as a process with mounts of its own.
fn apart(test: &str) -> bool {
    let mut command = Command::new("unshare");
    command.arg("-m").arg(std::env::current_exe().unwrap()).args(["--exact", test, "--nocapture", "--test-threads=1"]);
    let can = Command::new("unshare").args(["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).stderr(Stdio::null()).status();
    if !can.is_ok_and(|status| status.success()) {
        eprintln!("skipped: nothing can be mounted here");
        return false;
    }
    let output = command.env("POSTROOM_TEST_MEDIA", "1").output().unwrap();
    let told = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{told}");
    told.lines().filter_map(|line| line.split_once("media: ")).for_each(|(_, figures)| println!("{figures}"));
    true
}

fn is_child() -> bool {
    std::env::var_os("POSTROOM_TEST_MEDIA").is_some()
}

fn mount(args: &[&str], at: &Path) {
    let status = Command::new("mount").args(args).arg(at).status().unwrap();
    assert!(status.success(), "mount {args:?}");
}

/// A project on a small disk of its own.
fn small(size: &str) -> World {
    let world = World::new();
    mount(&["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"], &world.project());
    world
}

fn fill(world: &World) {
    for (token, name, status) in
        [(1, "one", "unread"), (2, "two", "actioned"), (3, "three", "resolved"), (4, "four", "read # soon")]
    {
        let text = format!("{}token={token};\n", letter(status, "2026-04-01", name));
        world.file(&format!(".soma/inbox/2026-04-01-{name}.md"), text);
    }
    world.file(".soma/inbox/_archive/2026-03-01-old.md", format!("{}token=5;\n", letter("resolved", "2026-03-01", "old")));
    world.file(".agents/inbox/ben/new/.keep", "");
    world.file(".agents/inbox/ben/tmp/.keep", "");
    world.file("CLAUDE.md", "# Rules\n");
}

/// Where each token is; every file that has one is whole.
fn places(world: &World) -> BTreeMap<u32, usize> {
    let mut out = BTreeMap::new();
    for entry in walkdir::WalkDir::new(world.project()).into_iter().map(Result::unwrap) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !entry.file_type().is_file() || Path::new(&name).extension().is_none_or(|x| x != "md") || name == "CLAUDE.md" {
            assert!(!name.starts_with(".postroom-"), "{name} is left");
            continue;
        }
        let text = fs::read_to_string(entry.path()).unwrap();
        let token = token_of(text.as_bytes()).unwrap_or_else(|| panic!("{name} is cut off: {text:?}"));
        assert!(text.ends_with(&format!("token={token};\n")) && text.contains("\nsubject: "), "{name}: {text:?}");
        *out.entry(token).or_default() += 1;
    }
    out
}

const CHANGES: [&[&str]; 10] = [
    &["mark", "actioned", "2026-04-01-one"],
    &["send", "--from", "ava", "--to", "soma", "--subject", "new", "--body", "token=9;"],
    &["send", "--from", "ava", "--to", "ben", "--subject", "new", "--body", "token=9;"],
    &["archive", "2026-04-01-two"],
    &["archive", "--mark", "resolved", "2026-04-01-one"],
    &["restore", "2026-03-01-old"],
    &["sweep"],
    &["migrate", "soma", "ben"],
    &["inject", "CLAUDE.md"],
    &["doctor", "--fix"],
];

fn said(ran: &Ran, why: &str) -> bool {
    let told = format!("{}{}", ran.out, ran.err).to_lowercase();
    !told.contains("panicked") && told.contains(why)
}

#[test]
fn child_on_a_full_disk() {
    if !is_child() {
        return;
    }
    let (mut runs, mut failed) = (0, 0);
    for args in CHANGES {
        for free in [0_usize, 1, 2, 3] {
            let world = small("200k");
            fill(&world);
            let before = places(&world);
            // All pages but a few are somebody else's.
            let hog = world.project().join("hog");
            let mut size = 0;
            while fs::write(&hog, vec![b'x'; size + 4096]).is_ok() {
                size += 4096;
            }
            fs::write(&hog, vec![b'x'; size.saturating_sub(free * 4096)]).unwrap();
            let ran = world.run(args);
            runs += 1;
            failed += usize::from(ran.code != 0);
            // What the doctor can't mend it says as well.
            let told = said(&ran, "no space left") || args[0] == "doctor";
            assert!(ran.code == 0 || told, "{args:?}, {free} pages free: {ran:?}");
            let now = places(&world);
            let migrates = args[0] == "migrate";
            assert!(before.keys().all(|token| now.contains_key(token)), "{args:?}, {free} pages free: lost of {now:?}");
            assert!(now.values().all(|n| *n == 1 || migrates), "{args:?}: {now:?}");
            assert_eq!(now.contains_key(&9), args[0] == "send" && ran.code == 0, "{args:?}: {ran:?}");
            assert!(world.read("CLAUDE.md").starts_with("# Rules\n"), "{args:?}");
            // With room again, it is done.
            fs::remove_file(&hog).unwrap();
            if ran.code != 0 {
                let again = world.run(args);
                assert!(again.code == 0 || matches!(args[0], "doctor" | "sweep"), "{args:?}: {again:?}");
                let now = places(&world);
                assert!(before.keys().all(|token| now[token] == if migrates && *token < 5 { 2 } else { 1 }), "{args:?}: {now:?}");
            }
        }
    }
    println!("media: {runs} runs on a disk with 0 to 3 free pages, {failed} failed, 0 losses");
}

#[test]
fn on_a_full_disk_nothing_is_lost_and_what_did_not_fit_is_said() {
    apart("media::child_on_a_full_disk");
}

#[test]
fn child_without_room_for_the_state() {
    if !is_child() {
        return;
    }
    let world = World::with_inbox();
    world.message("2026-04-01-one.md", "unread", "2026-04-01", "one");
    let state = world.top().join("state");
    fs::create_dir_all(&state).unwrap();
    mount(&["-t", "tmpfs", "-o", "size=4k,nr_inodes=4", "tmpfs"], &state);
    fs::create_dir_all(state.join("postroom")).unwrap();
    fs::write(state.join("hog"), vec![b'x'; 4096]).unwrap();
    for (status, code) in [("read", 0), ("actioned", 0)] {
        let ran = world.run(&["mark", status, "2026-04-01-one"]);
        // History is lost, the change is not; and that is said.
        assert!(ran.code == code && said(&ran, "journal"), "{ran:?}");
        assert_eq!(world.read(".soma/inbox/2026-04-01-one.md"), letter(status, "2026-04-01", "one"));
    }
    assert!(world.run(&["list"]).ok().out.contains("one"));
    let event = format!("{{\"hook_event_name\":\"SessionStart\",\"session_id\":\"s\",\"cwd\":{:?}}}", world.project());
    let ran = world.run_with(&["hook", "--host", "claude"], event.as_bytes());
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn without_room_for_the_state_changes_are_made_all_the_same() {
    apart("media::child_without_room_for_the_state");
}

#[test]
fn child_on_a_read_only_disk() {
    if !is_child() {
        return;
    }
    let world = small("2m");
    fill(&world);
    mount(&["-o", "remount,ro"], &world.project());
    let before = snapshot(&world.project());
    for args in CHANGES.iter().filter(|args| args[0] != "doctor") {
        let ran = world.run(args);
        assert!(ran.code == 1 && said(&ran, "read-only"), "{args:?}: {ran:?}");
    }
    assert_eq!(snapshot(&world.project()), before);
    for args in [&["list", "--all"][..], &["summary"], &["show", "2026-04-01-one"], &["search", "one"], &["doctor"], &["inboxes"]]
    {
        let ran = world.run(args);
        assert!(matches!(ran.code, 0 | 1) && !ran.out.is_empty(), "{args:?}: {ran:?}");
    }
    // Read, but not marked: said, and it can be read again.
    let ran = world.run(&["read", "2026-04-01-one"]);
    assert!(ran.out.contains("hello") && said(&ran, "read-only"), "{ran:?}");
    // In the middle of a sweep.
    mount(&["-o", "remount,rw"], &world.project());
    assert_eq!(world.run(&["sweep"]).code, 0);
    assert_eq!(places(&world).len(), 5);
}

#[test]
fn on_a_read_only_disk_nothing_is_changed_and_that_is_said() {
    apart("media::child_on_a_read_only_disk");
}
