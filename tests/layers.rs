//! Holds the architecture of the crate, read from its source: who may import whom, who may write to
//! disk, and who may read the environment or the clock (docs/architecture.md).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test says what must not be by panicking.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers, lowest first. A file may import from lower layers and from its own module; modules
/// of the fourth layer may import each other.
const LAYERS: [&[&str]; 6] = [
    &["model", "text"],
    &["layout", "config", "error"],
    &["store"],
    &["ops", "host", "render"],
    &["front"],
    &["cli", "mcp", "serve", "tui"],
];

/// The first that may read the environment and the clock.
const FRONT: usize = 4;

fn rank(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// Every source file with its code: comments, tests and test helpers left out.
fn sources() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut out = BTreeMap::new();
    let mut stack = vec![root.clone()];
    while let Some(dir) = stack.pop() {
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                stack.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") && !is_test(&path) {
                let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
                out.insert(name, code(&fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(out.len() > 20, "the sources were not found");
    out
}

fn is_test(path: &Path) -> bool {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    name == "tests" || name.ends_with("_tests") || name == "samples"
}

fn code(text: &str) -> String {
    // Tests stand last in a file: the first `mod` behind a `cfg` of tests ends its code.
    let tests = ["#[cfg(test)]\nmod ", "#[cfg(test)]\n#[", "#[cfg(all(test, "];
    let text = tests.into_iter().fold(text, |text, mark| text.split(mark).next().unwrap_or(text));
    text.lines()
        .filter(|l| !l.trim_start().starts_with("//"))
        .map(|l| l.split(" // ").next().unwrap_or(l))
        .collect::<Vec<_>>()
        .join("\n")
}

fn module(file: &str) -> &str {
    file.split('/').next().unwrap().trim_end_matches(".rs")
}

#[test]
fn nothing_imports_upward() {
    let mut wrong = Vec::new();
    for (file, code) in sources() {
        let own = module(&file);
        let Some(mine) = rank(own) else {
            assert!(["main", "lib"].contains(&own), "src/{file} belongs to no layer");
            continue;
        };
        for (at, _) in code.match_indices("crate::") {
            let target: String = code[at + 7..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let Some(theirs) = rank(&target) else { continue };
            let allowed = target == own
                || theirs < mine
                || (theirs == mine && mine == 3)
                || (own == "config" && target == "layout")
                // The command starts the server.
                || (own == "cli" && target == "mcp");
            if !allowed {
                wrong.push(format!("src/{file} ({own}) imports {target}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn only_atomic_writes_to_disk() {
    let words = [
        "fs::write",
        "File::create",
        "OpenOptions",
        "fs::rename",
        "remove_file",
        "remove_dir",
        "create_dir",
        "DirBuilder",
        "set_permissions",
        "fs::copy",
        "hard_link",
        "tempfile::",
        "renameat",
        "unlinkat",
        "mkdirat",
        "set_len",
        "set_times",
        "fs::symlink(",
    ];
    forbid(&words, |file| file.starts_with("store/atomic"));
}

#[test]
fn only_front_ends_read_the_environment_and_the_clock() {
    let words = [
        "std::env",
        "env::var",
        "Utc::now",
        "Local::now",
        "chrono::Local",
        "offset::Local",
        "SystemTime::now",
        "Instant::now",
        "current_dir",
        "temp_dir",
        "home_dir",
    ];
    forbid(&words, |file| file == "main.rs" || rank(module(file)).is_some_and(|r| r >= FRONT));
}

fn forbid(words: &[&str], allowed: impl Fn(&str) -> bool) {
    let mut wrong = Vec::new();
    for (file, code) in sources().iter().filter(|(file, _)| !allowed(file)) {
        for (number, line) in code.lines().enumerate() {
            wrong
                .extend(words.iter().filter(|w| line.contains(*w)).map(|w| format!("src/{file}, code line {}: {w}", number + 1)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_file_says_what_it_is_for_and_stays_small() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (file, code) in sources() {
        let path: PathBuf = root.join(&file);
        let text = fs::read_to_string(path).unwrap();
        assert!(text.starts_with("//!"), "src/{file} does not open with its purpose");
        let lines = code.lines().count();
        assert!(lines <= 500, "src/{file} has {lines} lines of code: there are two rooms in it");
    }
}
