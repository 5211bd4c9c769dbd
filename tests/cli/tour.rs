//! The README's tour: every command in it is run in a copy of the example workspace, and prints what
//! the README says. `POSTROOM_BLESS=1` writes what they print into the README.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{World, copy_tree};

/// The moment of the tour.
const NOW: &str = "2026-05-20T09:00:00Z";

#[test]
fn the_tour_of_the_readme_is_true() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let world = World::new().at(NOW);
    copy_tree(&root.join("examples/workspace"), &world.home());
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let mut played = String::new();
    let mut block = None;
    for line in readme.lines() {
        match (&mut block, line) {
            (None, "```console") => block = Some(Vec::new()),
            (Some(commands), "```") => {
                for command in commands.drain(..) {
                    played.push_str(&play(&world, command));
                }
                block = None;
            }
            (Some(commands), line) => {
                commands.extend(line.strip_prefix("$ "));
                continue;
            }
            (None, _) => {}
        }
        played.push_str(line);
        played.push('\n');
    }
    if std::env::var_os("POSTROOM_BLESS").is_some() {
        fs::write(root.join("README.md"), played).unwrap();
    } else {
        assert_eq!(readme, played, "the README's tour has drifted; POSTROOM_BLESS=1 writes it anew");
    }
}

/// A command as the README shows it, with what it prints.
fn play(world: &World, command: &str) -> String {
    let tool = Path::new(env!("CARGO_BIN_EXE_postroom"));
    let mut path = std::ffi::OsString::from(tool.parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut shell: Command = world.command(&[]);
    let vars: Vec<_> = shell.get_envs().map(|(k, v)| (k.to_owned(), v.map(ToOwned::to_owned))).collect();
    shell = Command::new("sh");
    shell.env_clear().current_dir(world.home().join("webapp")).arg("-c").arg(format!("{command} 2>&1"));
    for (name, value) in vars {
        if let Some(value) = value {
            shell.env(name, value);
        }
    }
    let output = shell.env("PATH", path).output().unwrap();
    format!("$ {command}\n{}", world.plain(&String::from_utf8_lossy(&output.stdout)))
}

#[test]
fn the_examples_are_played_to_their_end() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let before = crate::support::snapshot(&root.join("examples"));
    let output = Command::new("sh")
        .arg(root.join("examples/play.sh"))
        .env("POSTROOM", env!("CARGO_BIN_EXE_postroom"))
        .env_remove("POSTROOM_AGENT")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("Cache key drops the locale"), "{text}");
    assert!(text.trim_end().ends_with("0 archived, 1 kept, 0 failed"), "{text}");
    assert_eq!(before, crate::support::snapshot(&root.join("examples")), "the examples themselves were changed");
}
