//! Pages of the documentation that are played: each command in a `console` block is run, and prints
//! what the page says. `POSTROOM_BLESS=1` writes what they print into the page.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{World, copy_tree};

/// Somebody at a machine: a home, a folder they stand in, and programs of their own on the PATH.
struct Player {
    world: World,
    here: PathBuf,
}

impl Player {
    fn new() -> Self {
        let world = World::new();
        let here = world.home();
        let player = Self { world, here };
        player.program("systemctl", "case \"$*\" in *NextElapse*) echo ActiveState=active ;; esac");
        player.program("loginctl", "echo yes");
        player.install();
        player
    }

    fn bin(&self) -> PathBuf {
        self.world.home().join(".cargo/bin")
    }

    fn program(&self, name: &str, script: &str) {
        fs::create_dir_all(self.bin()).unwrap();
        let path = self.bin().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn install(&self) {
        fs::create_dir_all(self.bin()).unwrap();
        let _ = fs::remove_file(self.bin().join("postroom"));
        symlink(env!("CARGO_BIN_EXE_postroom"), self.bin().join("postroom")).unwrap();
    }

    /// Runs one line as a shell would, and gives what it prints.
    fn run(&mut self, line: &str) -> String {
        if let Some(folder) = line.strip_prefix("cd ") {
            let folder = folder.replacen('~', &self.world.home().to_string_lossy(), 1);
            self.here = self.here.join(folder);
            assert!(self.here.is_dir(), "{line}");
            return String::new();
        }
        let mut path = std::ffi::OsString::from(self.bin());
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let mut shell = Command::new("sh");
        shell.env_clear().current_dir(&self.here).arg("-c").arg(format!("{{ {line}\n}} 2>&1"));
        for (name, value) in self.world.command(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))) {
            shell.env(name, value);
        }
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"] {
            shell.env_remove(name);
        }
        let output = shell.env("PATH", path).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.replace(&*self.world.home().to_string_lossy(), "/home/me").replace(&*self.world.top().to_string_lossy(), "/tmp")
    }

    /// Plays a page. `skip`: lines that are not run, and print nothing on the page.
    fn play(&mut self, page: &str, skip: &[&str]) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
        let text = fs::read_to_string(&path).unwrap();
        let (mut played, mut commands) = (String::new(), None::<Vec<&str>>);
        for line in text.lines() {
            match (&mut commands, line) {
                (None, "```console") => commands = Some(Vec::new()),
                (Some(lines), "```") => {
                    for command in lines.drain(..) {
                        played.extend(["$ ", command, "\n"]);
                        if !skip.iter().any(|skip| command.starts_with(skip)) {
                            let printed = self.run(command);
                            played.push_str(&printed);
                        }
                    }
                    commands = None;
                }
                (Some(lines), line) => {
                    lines.extend(line.strip_prefix("$ "));
                    continue;
                }
                (None, _) => {}
            }
            played.push_str(line);
            played.push('\n');
        }
        if std::env::var_os("POSTROOM_BLESS").is_some() {
            fs::write(path, played).unwrap();
        } else {
            assert_eq!(text, played, "{page} has drifted; POSTROOM_BLESS=1 writes it anew");
        }
    }
}

#[test]
fn the_first_hour_is_true_and_takes_less_than_ten_commands() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/start.md")).unwrap();
    assert!(page.lines().filter(|l| l.starts_with("$ ")).count() < 10);
    let mut player = Player::new();
    fs::create_dir_all(player.world.home().join("work/webapp/.git")).unwrap();
    fs::write(player.world.home().join("work/webapp/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    // The first two are played by the checks of each change (`.ci/run`): compiling takes too long here.
    player.play("docs/start.md", &["git clone", "cargo install"]);
    assert!(fs::read_to_string(root.join(".ci/run")).map_or(true, |ci| ci.contains("cargo install --locked --path .")));

    // What was promised: the hook speaks, and the sweep sweeps.
    let hook = fs::read_to_string(player.world.home().join(".claude/settings.json")).unwrap();
    let hook: serde_json::Value = serde_json::from_str(&hook).unwrap();
    let command = hook["hooks"]["SessionStart"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    let event = r#"{"hook_event_name":"SessionStart","source":"startup","session_id":"s","cwd":"."}"#;
    let said = player.run(&format!("printf '%s' '{event}' | {command}"));
    assert!(said.contains("additionalContext") && said.contains("Upgrade the parser"), "{said}");
    let unit = fs::read_to_string(player.world.home().join(".config/systemd/user/postroom-sweep.service")).unwrap();
    let start = unit.lines().find_map(|l| l.strip_prefix("ExecStart=")).unwrap().to_owned();
    let old = player.world.home().join("work/webapp/.claude/inbox/2026-01-01-old.md");
    fs::write(&old, crate::support::letter("resolved", "2026-01-01", "old")).unwrap();
    player.here = PathBuf::from("/");
    let said = player.run(&start);
    assert!(said.contains("1 archived") && !old.exists(), "{said}");
}

#[test]
fn the_cookbook_is_true() {
    if Command::new("git").arg("--version").output().is_err() {
        eprintln!("passed over: the recipe for worktrees needs git");
        return;
    }
    let mut player = Player::new();
    copy_tree(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/workspace"), &player.world.home());
    player.play("docs/cookbook.md", &[]);
}
