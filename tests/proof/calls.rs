//! What the system is asked for, counted: the speed of `docs/speed.md` is that of the system calls,
//! and these don't change with the machine or its load.
//!
//! Needs `strace`; where it is missing or may not trace, that is said and nothing is shown.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::never_deletes::can_trace;
use crate::support::{World, letter};

/// So many that several threads share them.
const MESSAGES: usize = 700;

/// One call that succeeded, with the file that its first argument means, and what it gave.
#[derive(Debug)]
struct Call {
    name: String,
    path: PathBuf,
    gave: i64,
    line: String,
}

/// The calls of one run.
struct Calls(Vec<Call>);

impl Calls {
    fn of(world: &World, args: &[&str]) -> Self {
        let folder = world.top().join("traces");
        fs::create_dir_all(&folder).unwrap();
        let inner = world.command(args);
        let mut command = Command::new("strace");
        // A file for each thread, so that no line is cut by another one's.
        command.args(["-ff", "-qq", "-y", "-s", "0", "-e", "trace=file,desc,fsync", "-o"]).arg(folder.join("t"));
        command.arg(inner.get_program()).args(inner.get_args()).current_dir(world.project()).env_clear();
        command.envs(inner.get_envs().filter_map(|(k, v)| Some((k, v?))));
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert!(status.success(), "{args:?}");
        let mut calls = Vec::new();
        for trace in fs::read_dir(&folder).unwrap() {
            calls.extend(fs::read_to_string(trace.unwrap().path()).unwrap().lines().filter_map(call));
        }
        fs::remove_dir_all(folder).unwrap();
        Self(calls)
    }

    /// The calls that are about a file or folder.
    fn on(&self, path: &Path) -> Vec<&Call> {
        self.0.iter().filter(|call| call.path == path).collect()
    }

    /// How often a folder was listed: each listing ends with a call that gives nothing.
    fn listings(&self, folder: &Path) -> usize {
        self.on(folder).iter().filter(|call| call.name.starts_with("getdents") && call.gave == 0).count()
    }

    /// How often each call came, of those that are about messages in a folder.
    fn below(&self, folder: &Path) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        let is_message = |path: &Path| path.parent() == Some(folder) && path.extension().is_some_and(|e| e == "md");
        for call in self.0.iter().filter(|call| is_message(&call.path)) {
            *counts.entry(call.name.as_str()).or_default() += 1;
        }
        counts
    }

    fn count(&self, name: &str) -> usize {
        self.0.iter().filter(|call| call.name == name).count()
    }
}

/// Reads a line such as `openat(3</a/inbox>, "x.md", O_RDONLY) = 4</a/inbox/x.md>`.
fn call(line: &str) -> Option<Call> {
    let (name, rest) = line.split_once('(')?;
    let (arguments, gave) = rest.rsplit_once(" = ")?;
    if name == "fcntl" {
        return None; // what a debug build asks before it closes anything
    }
    let number = gave.split(|c: char| !c.is_ascii_digit() && c != '-').next()?.parse().ok()?;
    let folder = arguments.split_once('<').and_then(|(before, rest)| {
        before.chars().all(|c| c.is_ascii_alphanumeric() || c == '_').then(|| rest.split_once('>').map(|(path, _)| path))?
    });
    let named = arguments.split('"').nth(1).filter(|name| !name.is_empty());
    let path = match (name.contains("at") || name == "statx", folder, named) {
        (true, Some(folder), Some(name)) => Path::new(folder).join(name),
        (_, Some(folder), _) => folder.into(),
        (_, None, Some(name)) => name.into(),
        (_, None, None) => return None,
    };
    (number >= 0).then(|| Call { name: name.to_owned(), path, gave: number, line: line.to_owned() })
}

fn full(world: &World) -> Vec<PathBuf> {
    let status = ["unread", "read", "actioned", "resolved"];
    for n in 0..200 {
        world.file(&format!(".soma/inbox/_archive/2026-03-01-old-{n:04}.md"), letter("resolved", "2026-03-01", "old"));
    }
    let message = |n: usize| {
        let date = format!("2026-05-{:02}", n % 20 + 1);
        world.message(&format!("{date}-topic-{n:04}.md"), status[n % 4], &date, &format!("subject {n}"))
    };
    (0..MESSAGES).map(message).collect()
}

#[test]
fn a_look_at_a_message_is_one_open_one_read_one_close() {
    if !can_trace() {
        return;
    }
    let world = World::with_inbox();
    let messages = full(&world);
    for args in [&["summary"][..], &["list", "--unread"], &["inboxes"]] {
        let calls = Calls::of(&world, args);
        for message in &messages {
            let on = calls.on(message);
            let names: Vec<&str> = on.iter().map(|call| call.name.as_str()).collect();
            assert_eq!(names, ["openat", "pread64", "close"], "{args:?}: {on:?}");
            assert!(on[1].gave <= 4096 && on[1].line.contains(", 4096, 0)"), "{args:?}: {}", on[1].line);
        }
        assert_eq!(calls.listings(&world.inbox()), 1, "{args:?}");
        assert!(calls.below(&world.inbox().join("_archive")).is_empty(), "{args:?}");
        // Nothing is written by looking.
        assert_eq!(calls.count("fsync") + calls.count("renameat2"), 0, "{args:?}");
    }
}

#[test]
fn a_path_leads_to_its_message_without_a_listing() {
    if !can_trace() {
        return;
    }
    let world = World::with_inbox();
    let messages = full(&world);
    let archive = world.inbox().join("_archive");
    let path = messages[101].to_string_lossy().into_owned();
    for (reference, listings) in [(&*path, 0), ("2026-05-19-topic-0118", 1)] {
        let calls = Calls::of(&world, &["mark", "resolved", reference]);
        assert_eq!([calls.listings(&world.inbox()), calls.listings(&archive)], [listings; 2], "{reference}");
        let others = messages.iter().filter(|m| m.to_string_lossy() != path && !m.ends_with("2026-05-19-topic-0118.md"));
        for other in others {
            assert!(calls.on(other).is_empty(), "{reference}: {:?}", calls.on(other));
        }
        // The new text, and the folder.
        assert_eq!(calls.count("fsync"), 2, "{reference}");
    }
}

#[test]
fn a_sweep_renames_each_and_syncs_once() {
    if !can_trace() {
        return;
    }
    let world = World::with_inbox();
    for n in 0..MESSAGES {
        world.message(&format!("2026-04-01-topic-{n:04}.md"), "resolved", "2026-04-01", "s");
    }
    let calls = Calls::of(&world, &["sweep"]);
    assert_eq!(calls.count("renameat2"), MESSAGES);
    let below = calls.below(&world.inbox());
    // Its stamp is taken with its text, and looked at again on either side of the move.
    assert_eq!([below["openat"], below["pread64"], below["close"]], [MESSAGES; 3], "{below:?}");
    let stats: usize = below.iter().filter(|(name, _)| name.contains("stat")).map(|(_, count)| count).sum();
    assert!(stats <= 2 * MESSAGES, "{below:?}");
    // Nothing is walked to, neither to be read nor to be moved.
    let inbox = format!("\"{}/", world.inbox().display());
    let walks: Vec<_> = calls.0.iter().filter(|call| call.line.contains(&inbox) && call.line.contains(".md\"")).collect();
    assert!(walks.is_empty(), "{walks:?}");
    assert_eq!([calls.listings(&world.inbox()), calls.listings(&world.inbox().join("_archive"))], [1, 1]);
    // The two folders, and the one that the archive was made in is the inbox itself.
    assert_eq!(calls.count("fsync"), 2);
    let journal = world.top().join("state/postroom/journal.jsonl");
    let writes = calls.on(&journal).iter().filter(|call| call.name == "write").count();
    assert!((1..=MESSAGES / 100).contains(&writes), "{writes} writes to the journal");
}

#[test]
fn a_delivery_syncs_the_message_and_its_folder() {
    if !can_trace() {
        return;
    }
    let world = World::with_inbox();
    world.file(".agents/inbox/ben/new/20260401T000000Z-x.abc123.md", "---\nfrom: ava\nsubject: s\n---\nhello\n");
    world.file(".agents/inbox/ben/tmp/.gitkeep", "");
    for to in ["ben", "soma"] {
        let calls = Calls::of(&world, &["send", "--from", "ava", "--to", to, "--subject", "s", "--body", "b"]);
        let synced: Vec<_> = calls.0.iter().filter(|call| call.name == "fsync").map(|call| &call.path).collect();
        let [message, folder] = &synced[..] else { panic!("{to}: {synced:?}") };
        assert!(message.extension().is_some_and(|e| e == "tmp") && folder.is_dir(), "{to}: {synced:?}");
    }
}
