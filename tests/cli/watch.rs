//! `watch`: new mail is told once, none is lost between two calls, and nothing is marked; `log --follow`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

use crate::support::{World, letter};

/// A command that runs beside the test; it is ended with it.
struct Beside {
    child: Child,
    lines: Receiver<String>,
}

impl Beside {
    fn start(world: &World, args: &[&str]) -> Self {
        let mut child = world.command(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let out = child.stdout.take().unwrap();
        let (send, lines) = channel();
        std::thread::spawn(move || BufReader::new(out).lines().map_while(Result::ok).for_each(|line| drop(send.send(line))));
        Self { child, lines }
    }

    /// The next line; nothing where none comes in that time.
    fn line(&self, seconds: u64) -> Option<String> {
        self.lines.recv_timeout(Duration::from_secs(seconds)).ok()
    }

    /// All lines of the next moment.
    fn quiet(&self) -> Vec<String> {
        std::iter::from_fn(|| self.lines.recv_timeout(Duration::from_millis(700)).ok()).collect()
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Gives a watcher the time to take its first look.
fn begun() {
    std::thread::sleep(Duration::from_millis(700));
}

fn subjects(doc: &Value) -> Vec<String> {
    doc["messages"].as_array().unwrap().iter().map(|m| m["subject"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_lands_between_two_calls_is_told_by_the_second_each_once() {
    let world = World::with_inbox();
    world.message("2026-05-20-old.md", "unread", "2026-05-20", "old");
    let once = |world: &World, cursor: &str, more: &[&str]| {
        let mut args = vec!["watch", "--once", "--json", "--timeout", "300ms"];
        if !cursor.is_empty() {
            args.extend(["--since", cursor]);
        }
        args.extend(more);
        world.run(&args).ok().document()
    };
    let first = once(&world, "", &[]);
    assert_eq!((subjects(&first).len(), &first["timed_out"]), (0, &Value::Bool(true)));
    let cursor = first["cursor"].as_str().unwrap();
    // Three in one second, one of them from a machine whose clock is years behind.
    for n in 1..=3 {
        let path = world.message(&format!("2026-05-20-n{n}.md"), "unread", "2026-05-20", &format!("n{n}"));
        if n == 2 {
            let file = fs::OpenOptions::new().append(true).open(path).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_hours(24)).unwrap();
        }
    }
    let before = world.snapshot();
    let second = once(&world, cursor, &["--limit", "2"]);
    assert_eq!((subjects(&second), &second["more"]), (vec!["n1".to_owned(), "n2".to_owned()], &1.into()));
    let cursor = second["cursor"].as_str().unwrap();
    let third = once(&world, cursor, &[]);
    assert_eq!(subjects(&third), ["n3"]);
    assert_eq!(subjects(&once(&world, cursor, &[])), ["n3"], "a cursor may be used twice");
    assert_eq!(subjects(&once(&world, third["cursor"].as_str().unwrap(), &[])).len(), 0);
    assert_eq!(world.snapshot(), before, "nothing is marked");
}

#[test]
fn a_cursor_that_is_gone_is_said_to_be_and_loses_no_mail() {
    let world = World::with_inbox();
    world.message("2026-05-20-a.md", "unread", "2026-05-20", "a");
    world.message("2026-05-20-b.md", "read", "2026-05-20", "b");
    let ran = world.run(&["watch", "--once", "--timeout", "2s", "--since", "0123456789abcdef"]).ok();
    assert!(ran.err.contains("0123456789abcdef is not known any more"), "{ran:?}");
    assert!(ran.out.contains("ava: a [note]") && !ran.out.contains("ava: b"), "{ran:?}");
    let doc = world.json(&["watch", "--once", "--json", "--timeout", "2s", "--since", "0123456789abcdef"]);
    assert_eq!((&doc["cursor_lost"], subjects(&doc).len()), (&Value::Bool(true), 1));
    for bad in ["", "last", "../../x", "0123456789abcdeg"] {
        assert_eq!(world.run(&["watch", "--once", "--since", bad]).code, 2, "{bad:?}");
    }
}

#[cfg(unix)]
#[test]
fn it_ends_with_the_command_that_waits_again_as_it_can_be_run() {
    let world = World::with_inbox();
    let doc = world.json(&[
        "--inbox",
        "soma@work",
        "watch",
        "--once",
        "--for",
        "ben (work)",
        "--timeout",
        "50ms",
        "--json",
        "--limit",
        "3",
    ]);
    let next = doc["next"][0].as_str().unwrap();
    assert!(next.contains("--inbox soma@work") && next.contains("--for 'ben (work)'") && next.contains("--limit 3"), "{next}");
    let shell = world.command(&[]);
    let mut run = std::process::Command::new("sh");
    run.env_clear().current_dir(world.project()).arg("-c").arg(next.replacen("postroom", env!("CARGO_BIN_EXE_postroom"), 1));
    run.envs(shell.get_envs().filter_map(|(k, v)| Some((k, v?))));
    let output = run.output().unwrap();
    assert!(output.status.success() && output.stdout.starts_with(b"{\"schema\":\"postroom/1\""), "{output:?}");
}

#[test]
fn mail_wakes_who_waits_and_mail_for_others_does_not() {
    let world = World::with_inbox();
    for poll in [&[][..], &["--poll=50ms"]] {
        let mut args = vec!["watch", "--once", "--for", "ben", "--timeout", "20s"];
        args.extend(poll);
        let start = Instant::now();
        let watch = Beside::start(&world, &args);
        begun();
        let name = format!("2026-05-20-{}.md", poll.len());
        world.file(&format!(".soma/inbox/x{name}"), letter("unread", "2026-05-20", "other").replace("to: ben", "to: dora"));
        assert_eq!(watch.quiet(), [""; 0]);
        world.message(&name, "unread", "2026-05-20", &format!("for ben {}", poll.len()));
        assert!(watch.line(10).unwrap().starts_with("ava: for ben"));
        assert!(start.elapsed() < Duration::from_secs(15));
    }
}

#[test]
fn a_stream_tells_each_message_once_through_renames_marks_and_new_inboxes() {
    let world = World::with_inbox();
    world.message("2026-05-20-old.md", "unread", "2026-05-20", "old");
    let watch = Beside::start(&world, &["watch", "--json", "--timeout", "60s"]);
    begun();
    world.message("2026-05-20-one.md", "unread", "2026-05-20", "one");
    let line: Value = serde_json::from_str(&watch.line(10).unwrap()).unwrap();
    assert_eq!((&line["schema"], &line["subject"]), (&"postroom/1".into(), &"one".into()));
    fs::rename(world.inbox().join("2026-05-20-one.md"), world.inbox().join("2026-05-20-uno.md")).unwrap();
    assert_eq!(watch.quiet(), [""; 0], "a rename makes nothing new");
    world.run(&["mark", "read", "old"]).ok();
    world.run(&["mark", "--reopen", "unread", "old"]).ok();
    world.run(&["mark", "resolved", "uno"]).ok();
    world.run(&["archive", "uno"]).ok();
    assert_eq!(watch.quiet(), [""; 0], "nor do marks and moves to the archive");
    // Written in two goes, the header first.
    let path = world.file(".soma/inbox/2026-05-20-two.md", "---\nfrom: ava\nstatus: un");
    std::thread::sleep(Duration::from_millis(250));
    fs::write(path, letter("unread", "2026-05-20", "two")).unwrap();
    assert!(watch.line(10).unwrap().contains("\"subject\":\"two\""), "a message is told when it is whole");
    assert_eq!(watch.quiet(), [""; 0]);
    // A folder that was made a moment ago.
    world.file(".claude/inbox/2026-05-20-three.md", letter("unread", "2026-05-20", "three"));
    assert!(watch.line(15).unwrap().contains("\"subject\":\"three\""));
    assert_eq!(watch.quiet(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn a_command_gets_the_message_as_data_and_never_as_words_of_its_own() {
    let world = World::with_inbox();
    let cursor = world.json(&["watch", "--once", "--timeout", "0", "--json"])["cursor"].as_str().unwrap().to_owned();
    world.message("2026-05-20-$(touch pwned).md", "unread", "2026-05-20", "\"`touch pwned`; $(touch pwned) %s\"");
    let exec = "printf '%s|' \"$1\" \"$POSTROOM_REF\" >>told; cat >>told";
    let ran = world.run(&["watch", "--once", "--timeout", "5s", "--since", &cursor, "--exec", exec]).ok();
    assert!(ran.out.contains("wait again: postroom watch --once --since "), "{ran:?}");
    let told = world.read("told");
    assert!(told.contains("2026-05-20-$(touch pwned).md|soma@work:2026-05-20-$(touch pwned)|{\"schema\""), "{told}");
    assert!(!world.project().join("pwned").exists());
    let ran = world.run(&["watch", "--once", "--timeout", "5s", "--since", &cursor, "--exec", "exit 3"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("exit 3"), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn a_place_that_can_not_be_looked_into_is_never_silence() {
    let world = World::with_inbox();
    fs::create_dir_all(world.project().join("svc/.soma")).unwrap();
    std::os::unix::fs::symlink("/nowhere/at/all", world.project().join("svc/.soma/inbox")).unwrap();
    let ran = world.run(&["watch", "--once", "--timeout", "50ms"]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.err.matches("could not look into").count(), 1, "{ran:?}");
}

#[test]
fn time_spans_and_limits_are_checked() {
    let world = World::with_inbox();
    for args in [
        &["watch", "--timeout", "soon"][..],
        &["watch", "--limit", "3"],
        &["watch", "--once", "--limit", "0"],
        &["watch", "--poll=x"],
    ] {
        assert_eq!(world.run(args).code, 2, "{args:?}");
    }
}

#[test]
fn a_call_without_patience_still_gets_the_mail_that_is_there() {
    let world = World::with_inbox();
    let cursor = world.json(&["watch", "--once", "--timeout", "0", "--json"])["cursor"].as_str().unwrap().to_owned();
    world.message("2026-05-20-a.md", "unread", "2026-05-20", "a");
    assert_eq!(subjects(&world.json(&["watch", "--once", "--timeout", "0", "--json", "--since", &cursor])), ["a"]);
}

#[test]
fn a_log_that_is_followed_tells_each_event_once() {
    let world = World::with_inbox();
    world.message("2026-05-20-a.md", "unread", "2026-05-20", "a");
    let mut early = Beside::start(&world, &["log", "--follow", "--json"]);
    assert_eq!(early.quiet(), [""; 0], "there is no journal yet");
    world.run(&["mark", "read", "2026-05-20-a"]).ok();
    world.run(&["mark", "actioned", "2026-05-20-a"]).ok();
    let events = |watch: &Beside| -> Vec<String> {
        let to = |line: &String| serde_json::from_str::<Value>(line).unwrap()["to"].as_str().unwrap().to_owned();
        watch.quiet().iter().map(to).collect()
    };
    assert_eq!(events(&early), ["read", "actioned"]);
    let late = Beside::start(&world, &["log", "--follow", "--json", "--last", "1"]);
    assert_eq!(events(&late), ["actioned"]);
    world.run(&["mark", "resolved", "2026-05-20-a"]).ok();
    assert_eq!((events(&late), events(&early)), (vec!["resolved".to_owned()], vec!["resolved".to_owned()]));
    assert!(early.child.try_wait().unwrap().is_none(), "it goes on");
}
