//! A world of its own for each test: a home, a project in it, a clock that stands still, no colours,
//! and nothing of the real user's.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The moment of every run, unless a test sets another.
pub const NOW: &str = "2026-05-20T09:00:00Z";

/// A fresh folder with a home and a project `work` in it.
pub struct World {
    top: TempDir,
    now: String,
    vars: Vec<(String, String)>,
}

/// What a run gave.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl World {
    pub fn new() -> Self {
        let top = tempfile::Builder::new().prefix("postroom-test").tempdir().unwrap();
        let world = Self { top, now: NOW.to_owned(), vars: Vec::new() };
        fs::create_dir_all(world.project()).unwrap();
        world
    }

    /// A world whose project has the usual inbox.
    pub fn with_inbox() -> Self {
        let world = Self::new();
        fs::create_dir_all(world.inbox()).unwrap();
        world
    }

    pub fn at(mut self, now: &str) -> Self {
        now.clone_into(&mut self.now);
        self
    }

    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.vars.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The top folder, without links in its path.
    pub fn top(&self) -> PathBuf {
        self.top.path().canonicalize().unwrap()
    }

    pub fn home(&self) -> PathBuf {
        self.top().join("home")
    }

    pub fn project(&self) -> PathBuf {
        self.home().join("work")
    }

    pub fn inbox(&self) -> PathBuf {
        self.project().join(".soma/inbox")
    }

    /// Writes a file below the project, with the folders above it.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Writes an ordinary message into the project's inbox.
    pub fn message(&self, name: &str, status: &str, date: &str, subject: &str) -> PathBuf {
        self.file(&format!(".soma/inbox/{name}"), letter(status, date, subject))
    }

    pub fn read(&self, name: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.project().join(name)).unwrap()).into_owned()
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_postroom"));
        command.args(args).current_dir(self.project()).env_clear();
        for name in ["PATH", "TMPDIR", "SYSTEMROOT", "LLVM_PROFILE_FILE"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
            .env("HOME", self.home())
            .env("POSTROOM_NOW", &self.now)
            .env("TZ", "UTC")
            .env("LC_ALL", "C.UTF-8")
            .env("NO_COLOR", "1");
        for (kind, folder) in [("CONFIG", "config"), ("STATE", "state"), ("DATA", "data"), ("CACHE", "cache")] {
            command.env(format!("XDG_{kind}_HOME"), self.top().join(folder));
        }
        command.envs(self.vars.iter().map(|(k, v)| (k, v)));
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, b"")
    }

    /// Runs the command with something on standard input.
    pub fn run_with(&self, args: &[&str], input: &[u8]) -> Ran {
        let mut child = self.command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A command that does not read its input closes it early.
        let _ = child.stdin.take().unwrap().write_all(input);
        Ran::of(&child.wait_with_output().unwrap())
    }

    /// Runs the command and reads its one JSON document.
    pub fn json(&self, args: &[&str]) -> Value {
        let ran = self.run(args);
        ran.document()
    }

    /// Every file and link below the top folder but for the tool's own state, with content.
    pub fn snapshot(&self) -> Vec<(String, String)> {
        snapshot(&self.home())
    }

    /// Output with the folder of this world replaced by `[TOP]`.
    pub fn plain(&self, text: &str) -> String {
        text.replace(&*self.top().to_string_lossy(), "[TOP]")
    }
}

impl Ran {
    fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The JSON document on stdout.
    pub fn document(&self) -> Value {
        let doc: Value = serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("no document ({e}): {self:?}"));
        assert_eq!(doc["schema"], "postroom/1", "{self:?}");
        doc
    }

    pub fn ok(self) -> Self {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }
}

/// The text of an ordinary message.
pub fn letter(status: &str, date: &str, subject: &str) -> String {
    format!("---\nfrom: ava\nto: ben\ndate: {date}\ntype: note\nstatus: {status}\nsubject: {subject}\n---\n\nhello\n")
}

/// Every file and link below a folder, with content.
pub fn snapshot(top: &Path) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut stack = vec![top.to_path_buf()];
    while let Some(dir) = stack.pop() {
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(top).unwrap().to_string_lossy().into_owned();
            let kind = path.symlink_metadata().unwrap().file_type();
            if kind.is_symlink() {
                out.push((name, format!("link to {}", fs::read_link(&path).unwrap().display())));
            } else if kind.is_dir() {
                stack.push(path);
            } else if kind.is_file() {
                out.push((name, format!("{:?}", fs::read(&path).unwrap())));
            }
        }
    }
    out.sort();
    out
}

/// Copies a folder with everything in it.
pub fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}

/// The names in a folder of the project, sorted.
pub fn files(world: &World, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(world.project().join(folder)).unwrap();
    let mut out: Vec<String> = entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    out.sort();
    out
}

/// Runs a script in the project with a plain shell, and gives what it printed.
pub fn shell(world: &World, script: &str) -> String {
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(world.project()).env("HOME", world.home());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
