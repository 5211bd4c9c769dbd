//! Calling the schedulers' own programs: found on the PATH, never through a shell, and not waited for
//! for ever.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Report;

/// How long a program may take: a bus that does not answer must not hold everything up.
const PATIENCE: Duration = Duration::from_secs(30);

/// Calls a program and gives what it prints.
///
/// # Errors
/// There is no such program, it takes too long, or it ends with another status than 0; what it says
/// of it is in the report.
pub fn run(words: &[String], input: Option<&str>) -> Result<Vec<u8>, Report> {
    let line = words.join(" ");
    let failed = |why: String| Report::failed("scheduler", format!("{line}: {why}"));
    let Some((program, rest)) = words.split_first() else { return Err(failed("no program".to_owned())) };
    let mut command = Command::new(program);
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
    let mut child = command
        .args(rest)
        // Their words are looked at.
        .env("LC_ALL", "C")
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| failed(format!("it can't be started: {e}")))?;
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
        // One that does not read its input says so by its status.
        let _ = stdin.write_all(input.as_bytes());
    }
    let out = child.stdout.take().map(drained);
    let err = child.stderr.take().map(drained);
    let start = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|e| failed(e.to_string()))? {
            Some(status) => break status,
            None if start.elapsed() > PATIENCE => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(failed(format!("no answer within {} seconds", PATIENCE.as_secs())));
            }
            None => thread::sleep(Duration::from_millis(10)),
        }
    };
    let text = |thread: Option<thread::JoinHandle<Vec<u8>>>| thread.and_then(|t| t.join().ok()).unwrap_or_default();
    let (out, err) = (text(out), text(err));
    if status.success() {
        return Ok(out);
    }
    let said = String::from_utf8_lossy(&err);
    let said = said.lines().map(str::trim).filter(|l| !l.is_empty()).take(3).collect::<Vec<_>>().join("; ");
    Err(failed(if said.is_empty() { status.to_string() } else { said }))
}

/// Reads a pipe to its end beside us, at most 1 MiB of it.
fn drained(pipe: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.take(1 << 20).read_to_end(&mut bytes);
        bytes
    })
}

/// A command of words.
pub fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
