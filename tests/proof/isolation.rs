//! Nothing outside known inboxes, postroom's own folders and files named outright is written: shown by
//! another user at work in a tree that is read-only to it but for the inboxes.
//!
//! Needs root, `setpriv` and a second user; where they are missing, that is said and nothing is shown.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{World, letter};

/// Nobody's numbers.
const NOBODY: u32 = 65_534;

fn give(path: &Path) {
    for entry in walkdir::WalkDir::new(path) {
        chown(entry.unwrap().path(), Some(NOBODY), Some(NOBODY)).unwrap();
    }
}

/// What tells whether anything was written anywhere, the folders given apart.
fn facts(top: &Path, but: &[PathBuf]) -> Vec<String> {
    let walk = walkdir::WalkDir::new(top).sort_by_file_name().into_iter();
    walk.filter_entry(|e| !but.iter().any(|folder| e.path() == folder))
        .map(|entry| {
            let entry = entry.unwrap();
            let facts = entry.metadata().unwrap();
            format!("{} {} {}.{}", entry.path().display(), facts.len(), facts.ctime(), facts.ctime_nsec())
        })
        .collect()
}

fn as_nobody(world: &World, args: &[&str]) -> (i32, String) {
    let inner = world.command(args);
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(inner.get_program()).args(inner.get_args());
    command.current_dir(world.project()).env_clear().envs(inner.get_envs().filter_map(|(k, v)| Some((k, v?))));
    let output = match command.stdin(Stdio::null()).output() {
        Ok(output) => output,
        Err(error) => return (-1, error.to_string()),
    };
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn in_a_read_only_tree_only_inboxes_and_state_are_written() {
    let world = World::with_inbox();
    let outside = world.top().join("outside/.soma/inbox");
    fs::create_dir_all(&outside).unwrap();
    world.message("2026-04-01-one.md", "unread", "2026-04-01", "one");
    world.message("2026-04-02-two.md", "actioned", "2026-04-02", "two");
    world.message("2026-04-03-three.md", "resolved", "2026-04-03", "three");
    world.file(".agents/inbox/ben/new/20260401T000000Z-x.abc123.md", "---\nfrom: ava\nsubject: s\n---\nhello\n");
    world.file(".agents/inbox/ben/tmp/.keep", "");
    world.file("CLAUDE.md", "# Rules\n");
    fs::write(outside.join("2026-04-01-out.md"), letter("actioned", "2026-04-01", "out")).unwrap();
    // Even where the other user may write there, a project's file must not lead there.
    let writable = [world.inbox(), world.project().join(".agents/inbox/ben"), world.top().join("state"), outside.clone()];
    fs::create_dir_all(world.top().join("state")).unwrap();
    fs::set_permissions(world.top(), fs::Permissions::from_mode(0o755)).unwrap();
    let can = as_nobody(&world, &["--version"]);
    if can.0 != 0 {
        eprintln!("skipped: no other user can be had here: {}", can.1);
        return;
    }
    for folder in &writable {
        give(folder);
    }
    let but = &writable[..3];
    let before = facts(&world.top(), but);
    for (args, code) in [
        (&["list", "--all"][..], Some(0)),
        (&["mark", "read", "2026-04-01-one"], Some(0)),
        (&["send", "--from", "ava", "--to", "ben", "--subject", "s", "--body", "b"], Some(0)),
        (&["archive", "2026-04-02-two"], Some(0)),
        (&["sweep"], None),
        (&["restore", "2026-04-02-two"], Some(0)),
        (&["doctor", "--fix"], None),
        (&["hook", "--host", "claude"], Some(0)),
        (&["summary"], Some(0)),
        // What may not be written says so, and leaves nothing half done.
        (&["inject", "CLAUDE.md"], Some(1)),
        (&["setup", "claude", "--project"], Some(1)),
        (&["alias", "--project", "benny", "ben"], Some(1)),
        (&["init", "--agent", "eve"], Some(1)),
        (&["init", "--agent", "fay", "--layout", "json"], Some(1)),
        (&["schedule", "install", "--systemd"], Some(1)),
        (&["migrate", "--copy", "soma", "ben"], None),
        (&["broadcast", "--from", "ava", "--subject", "s", "--body", "b"], None),
        (&["receive", "--agent", "ben"], Some(0)),
        (&["read", "2026-04-03-three"], None),
        (&["watch", "--timeout", "200ms"], Some(0)),
    ] {
        let (got, err) = as_nobody(&world, args);
        assert!(code.is_none_or(|code| got == code), "{args:?}: {got} {err}");
        assert!(!err.contains("panicked"), "{args:?}: {err}");
    }
    assert_eq!(facts(&world.top(), but), before);
    // A project's file that would widen it.
    for text in [
        format!("[[inbox]]\npath = {outside:?}\nlayout = \"soma\"\nowner = \"out\"\n"),
        "[[inbox]]\npath = \"../../outside/.soma/inbox\"\nlayout = \"soma\"\nowner = \"out\"\n".to_owned(),
        format!("[aliases]\nout = {outside:?}\n"),
        "projects = [\"../../outside\"]\n".to_owned(),
    ] {
        world.file(".postroom.toml", &text);
        let before = facts(&world.top(), but);
        for args in [
            &["sweep"][..],
            &["send", "--from", "ava", "--to", "out", "--subject", "s", "--body", "b"],
            &["mark", "resolved", "2026-04-01-out"],
            &["doctor", "--fix"],
        ] {
            let (_, err) = as_nobody(&world, args);
            assert!(!err.contains("panicked"), "{args:?}: {err}");
        }
        assert_eq!(facts(&world.top(), but), before, "{text}");
    }
    // Nor does a link inside the project.
    fs::remove_file(world.project().join(".postroom.toml")).unwrap();
    std::os::unix::fs::symlink(outside.join("2026-04-01-out.md"), world.inbox().join("2026-04-01-link.md")).unwrap();
    let before = facts(&world.top(), but);
    for args in [&["mark", "resolved", "2026-04-01-link"][..], &["sweep"], &["archive", "--mark", "resolved", "2026-04-01-link"]]
    {
        as_nobody(&world, args);
    }
    assert_eq!(facts(&world.top(), but), before);
}
