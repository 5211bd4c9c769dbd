//! The message cases of `tests/fixtures/messages`, through the command: what is listed and warned
//! of, the exact bytes after `mark read`, refusals that leave every file alone, and parents.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{World, copy_tree, snapshot};

struct Case {
    name: String,
    folder: PathBuf,
    expect: Value,
}

impl Case {
    fn text<'a>(&'a self, key: &str) -> Option<&'a str> {
        self.expect[key].as_str()
    }

    /// The world of the case: its folder as the project, `home/` in it as the home.
    fn world(&self) -> World {
        let world = World::new().at("2026-06-01T12:00:00Z");
        copy_tree(&self.folder, &world.project());
        for answer in fs::read_dir(&self.folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()) {
            if answer == "expect.json" || answer.starts_with("mark_read") {
                fs::remove_file(world.project().join(answer)).unwrap();
            }
        }
        fs::create_dir_all(world.project().join("home")).unwrap();
        let home = world.project().join("home");
        world.set("HOME", &home.to_string_lossy())
    }

    fn file(&self) -> &str {
        self.text("file").unwrap()
    }

    /// A file that holds many messages: what each must say.
    fn many(&self) -> Option<&Vec<Value>> {
        self.expect["parse"].as_array()
    }

    /// The list of everything there is.
    fn list(&self, world: &World) -> Value {
        let teams = if self.many().is_some() { &["--teams"][..] } else { &[] };
        world.json(&[&["list", "--all", "--json"], teams].concat())
    }

    fn bytes(&self, answer: &str) -> Vec<u8> {
        fs::read(self.folder.join(answer)).unwrap()
    }
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/messages");
    let mut out: Vec<Case> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.join("expect.json").is_file())
        .map(|folder| Case {
            name: folder.file_name().unwrap().to_string_lossy().into_owned(),
            expect: serde_json::from_slice(&fs::read(folder.join("expect.json")).unwrap()).unwrap(),
            folder,
        })
        .filter(|case| crate::cases::LAYOUTS.iter().any(|l| case.file().contains(l)))
        .collect();
    out.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(out.len() > 50, "the cases were not found");
    out
}

/// Where the layouts that are built lie.
const LAYOUTS: [&str; 3] = [".soma/", ".workspace/", ".claude/teams/"];

fn row<'a>(world: &World, list: &'a Value, file: &str) -> Vec<&'a Value> {
    let path = world.project().join(file);
    let rows = list["messages"].as_array().unwrap();
    rows.iter().filter(|r| r["path"].as_str().unwrap().split('#').next() == path.to_str()).collect()
}

fn warned(row: &Value) -> bool {
    !row["warnings"].as_array().unwrap().is_empty()
}

/// What of the fields expected is not in the row.
fn differences(want: &Value, row: &Value) -> Vec<String> {
    if want.get("error").is_some() {
        let mut out = Vec::new();
        if row["status"] != "unread" || !warned(row) {
            out.push(format!("not unread with a warning: {row}"));
        }
        return out;
    }
    let same = |key: &str, want: &Value, got: &Value| {
        want == got || (want == &Value::Array(Vec::new()) && got.is_null() && key == "tags")
    };
    want.as_object()
        .unwrap()
        .iter()
        .filter(|(key, value)| !same(key, value, &row[key.as_str()]))
        .map(|(key, value)| format!("{key}: {} instead of {value}", row[key.as_str()]))
        .collect()
}

#[test]
fn every_case_is_listed_as_it_should_be() {
    let mut wrong = Vec::new();
    for case in cases() {
        let world = case.world();
        let before = snapshot(&world.top());
        let list = case.list(&world);
        let rows = row(&world, &list, case.file());
        if let Some(many) = case.many() {
            let fits = |want: &&Value| rows.iter().any(|row| differences(want, row).is_empty());
            wrong.extend(many.iter().filter(|want| !fits(want)).map(|want| format!("{}: no {want}", case.name)));
            assert_eq!(rows.len(), many.len(), "{}", case.name);
            assert_eq!(before, snapshot(&world.top()), "{}: looking changed something", case.name);
            continue;
        }
        let [found] = rows.as_slice() else {
            wrong.push(format!("{}: listed {} times", case.name, rows.len()));
            continue;
        };
        wrong.extend(differences(&case.expect["parse"], found).into_iter().map(|d| format!("{}: {d}", case.name)));
        let about_threads = |kind: &Value| ["thread-cycle", "parent-missing", "parent-outside-root"].iter().any(|k| kind == k);
        let warns = case.expect["warn"].as_array().cloned().unwrap_or_default();
        if !warns.is_empty() && !warns.iter().any(about_threads) && !warned(found) {
            wrong.push(format!("{}: no warning", case.name));
        }
        for (file, want) in case.expect["others"].as_object().into_iter().flatten() {
            match row(&world, &list, file).as_slice() {
                [other] => {
                    wrong.extend(differences(&want["parse"], other).into_iter().map(|d| format!("{}: {file}: {d}", case.name)));
                }
                rows => wrong.push(format!("{}: {file} is listed {} times", case.name, rows.len())),
            }
        }
        for file in case.expect["unlisted"].as_array().into_iter().flatten() {
            if !row(&world, &list, file.as_str().unwrap()).is_empty() {
                wrong.push(format!("{}: {file} is listed", case.name));
            }
        }
        assert_eq!(before, snapshot(&world.top()), "{}: looking changed something", case.name);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn marking_changes_the_bytes_it_should_or_none() {
    let mut wrong = Vec::new();
    for case in cases() {
        let mut ways = vec![(vec!["mark", "read", case.file()], case.text("mark_read"))];
        if let Some(reopened) = case.text("reopen") {
            ways.push((vec!["mark", "read", "--reopen", case.file()], Some(reopened)));
        }
        let list = case.list(&case.world());
        if case.many().is_some() {
            // Of the many in a file one is chosen by its id, however its inbox is reached.
            let rows = list["messages"].as_array().unwrap();
            let id = rows[usize::try_from(case.expect["select"].as_u64().unwrap()).unwrap()]["id"].as_str().unwrap();
            ways = [&[][..], &["--teams"], &["--inbox", case.file()]]
                .map(|inbox| ([inbox, &["mark", "read", id]].concat(), case.text("mark_read")))
                .to_vec();
        }
        for (args, answer) in ways {
            let world = case.world();
            let before = snapshot(&world.project());
            let ran = world.run(&args);
            let after = snapshot(&world.project());
            let refused = ran.code != 0 && before == after;
            let mut answers: Vec<&str> = answer.into_iter().collect();
            answers.extend(
                case.expect["also_ok"].as_array().into_iter().flatten().filter_map(Value::as_str).filter(|a| *a != "refuse"),
            );
            let named = case.text("rename_to").unwrap_or(case.file());
            let edited = ran.code == 0 && answers.iter().any(|a| fs::read(world.project().join(named)).unwrap() == case.bytes(a));
            let may_refuse =
                answer.is_none() || case.expect["also_ok"].as_array().is_some_and(|a| a.iter().any(|x| x == "refuse"));
            if !(edited || refused && may_refuse) {
                wrong.push(format!("{} {args:?}: {ran:?}", case.name));
            }
            if refused && ran.err.trim().is_empty() {
                wrong.push(format!("{}: refused without a word", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn parents_are_found_as_they_should_be() {
    for case in cases().into_iter().filter(|c| c.expect.get("thread").is_some()) {
        let world = case.world();
        let ran = world.run(&["thread", case.file(), "--json"]).ok();
        let doc = ran.document();
        let nodes = doc["nodes"].as_array().unwrap();
        let path = world.project().join(case.file());
        let node = nodes.iter().find(|n| n["path"].as_str() == path.to_str()).unwrap();
        let want = case.expect["thread"]["parent"].as_str().map(|p| world.project().join(p));
        assert_eq!(node["parent_path"].as_str(), want.as_deref().and_then(Path::to_str), "{}", case.name);
        let warnings = doc["warnings"].as_array().unwrap();
        for kind in case.expect["warn"].as_array().into_iter().flatten() {
            assert!(warnings.iter().any(|w| &w["kind"] == kind), "{}: no {kind} in {warnings:?}", case.name);
        }
    }
}
