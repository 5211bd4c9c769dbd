//! How long a hook holds up its host: the whole process, from its start to its end, over an inbox of
//! ordinary messages. `cargo bench --bench hook`.
//!
//! Three moments: the start of a session, which tells; a turn with nothing new, which is what a host
//! calls most; and the start of the program alone, which no hook can be faster than.

#![allow(clippy::expect_used)] // A measurement that can't be set up has nothing to tell.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

fn main() {
    divan::main();
}

struct World {
    dir: tempfile::TempDir,
}

impl World {
    /// A project with an inbox in which every tenth message is unread.
    fn new(messages: usize) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let inbox = dir.path().join("home/web/.soma/inbox");
        fs::create_dir_all(&inbox).expect("a folder for the messages");
        let body = "A line of ordinary length, as people and agents write it.\n".repeat(8);
        for n in 0..messages {
            let status = if n % 10 == 0 { "unread" } else { "read" };
            let text = format!(
                "---\nfrom: ava\nto: ben\ndate: 2026-05-{:02}\ntype: note\npriority: normal\nstatus: {status}\n\
                 subject: \"A subject of usual length, number {n}\"\n---\n\n{body}",
                n % 19 + 1
            );
            fs::write(inbox.join(format!("2026-05-{:02}-m{n:06}.md", n % 19 + 1)), text).expect("a message");
        }
        Self { dir }
    }

    fn run(&self, args: &[&str], event: &str) -> usize {
        let home: &Path = &self.dir.path().join("home");
        let mut command = Command::new(env!("CARGO_BIN_EXE_postroom"));
        command.args(args).current_dir(home.join("work")).env_clear().env("HOME", home);
        command.env("POSTROOM_NOW", "2026-05-20T09:00:00Z").env("TZ", "UTC");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program");
        let mut stdin = child.stdin.take().expect("its input");
        // The pipe is kept open, as hosts do.
        let _ = write!(stdin, "{{\"hook_event_name\":\"{event}\",\"session_id\":\"s\",\"source\":\"startup\"}}");
        let out = child.wait_with_output().expect("its end");
        drop(stdin);
        assert!(out.status.success());
        out.stdout.len()
    }
}

const HOOK: [&str; 3] = ["hook", "--host", "claude"];

#[divan::bench(args = [0, 100, 1_000, 5_000], sample_count = 50)]
fn start_of_a_session(bencher: divan::Bencher<'_, '_>, messages: usize) {
    let world = World::new(messages);
    bencher.bench_local(|| {
        let length = world.run(&HOOK, "SessionStart");
        assert!((length > 0) == (messages > 0));
    });
}

#[divan::bench(args = [0, 100, 1_000, 5_000], sample_count = 50)]
fn turn_with_nothing_new(bencher: divan::Bencher<'_, '_>, messages: usize) {
    let world = World::new(messages);
    world.run(&HOOK, "SessionStart");
    bencher.bench_local(|| assert_eq!(world.run(&HOOK, "PostToolUse"), 0));
}

#[divan::bench(sample_count = 50)]
fn program_alone(bencher: divan::Bencher<'_, '_>) {
    let world = World::new(0);
    bencher.bench_local(|| world.run(&["--version"], ""));
}
