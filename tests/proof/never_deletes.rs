//! What the system is asked to do by every command over a mixed project: no name but postroom's own is
//! ever unlinked, renamed over or cut off.
//!
//! Needs `strace`; where it is missing or may not trace, that is said and nothing is shown.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::{World, letter, snapshot};

/// Whether the tracer is there and may trace.
pub fn can_trace() -> bool {
    let tried = Command::new("strace").args(["-o", "/dev/null", "true"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let can = tried.is_ok_and(|status| status.success());
    if !can {
        eprintln!("skipped: there is no strace here that may trace");
    }
    can
}

/// A call that can take something away.
#[derive(Debug)]
pub struct Call {
    pub name: String,
    pub paths: Vec<PathBuf>,
    pub line: String,
}

/// Runs a command under the tracer; gives its calls that did something to files.
pub fn trace(world: &World, args: &[&str], input: &str) -> Vec<Call> {
    let out = world.top().join("trace");
    let inner = world.command(args);
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-s", "4096", "-e"]);
    command.arg(
        "trace=unlink,unlinkat,rmdir,rename,renameat,renameat2,link,linkat,open,openat,creat,truncate,ftruncate,mkdir,mkdirat",
    );
    command.arg("-o").arg(&out).arg(inner.get_program()).args(inner.get_args()).current_dir(world.project()).env_clear();
    command.envs(inner.get_envs().filter_map(|(k, v)| Some((k, v?))));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes());
    let code = child.wait().unwrap().code();
    assert!(matches!(code, Some(0 | 1)), "{args:?}: {code:?}");
    whole_lines(&fs::read_to_string(out).unwrap()).iter().filter_map(|line| call(line)).collect()
}

/// The tracer's lines; a call that it told in two parts, because another thread came in between, is one.
fn whole_lines(text: &str) -> Vec<String> {
    let (mut begun, mut out) = (BTreeMap::new(), Vec::new());
    for line in text.lines() {
        let (thread, rest) = line.split_once(' ').unwrap_or(("", line));
        if let Some(first) = rest.strip_suffix(" <unfinished ...>") {
            begun.insert(thread, first);
        } else if let Some((_, rest)) = rest.split_once(" resumed>") {
            out.extend(begun.remove(thread).map(|first| format!("{thread} {first}{rest}")));
        } else {
            out.push(line.to_owned());
        }
    }
    out
}

fn call(line: &str) -> Option<Call> {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let (name, arguments) = rest.split_once('(')?;
    // What failed did nothing.
    if !name.chars().all(|c| c.is_ascii_alphanumeric()) || line.contains(" = -1 ") {
        return None;
    }
    let quoted: Vec<&str> = arguments.split('"').collect();
    let paths = quoted.iter().skip(1).step_by(2).map(PathBuf::from).collect();
    Some(Call { name: name.to_owned(), paths, line: line.to_owned() })
}

/// Judges the calls of one run. `own`: files that an earlier command of the test made, and nobody else
/// wrote into.
fn judge(world: &World, args: &[&str], calls: &[Call], own: &[PathBuf]) -> usize {
    let state = world.top().join("state");
    let mut made: BTreeSet<&Path> = BTreeSet::new();
    let mut unlinks = 0;
    let is_temporary = |path: &Path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(".postroom-"));
    for Call { name, paths, line } in calls {
        let context = || format!("{args:?}: {line}");
        let last = paths.last().map_or(Path::new(""), PathBuf::as_path);
        match name.as_str() {
            "open" | "openat" | "creat" => {
                if line.contains("O_EXCL") {
                    made.insert(last);
                }
                let own = last.starts_with(&state) || last == Path::new("/dev/null");
                assert!(!line.contains("O_TRUNC") || own, "{}", context());
            }
            "truncate" => panic!("{}", context()),
            // Lock files only: theirs is the one descriptor that is ever cut.
            "ftruncate" => assert!(line.contains(", 0)"), "{}", context()),
            "unlink" | "unlinkat" => {
                unlinks += 1;
                let ours = is_temporary(last) && made.contains(last);
                assert!(ours || last.starts_with(&state) || own.iter().any(|p| p == last), "{}", context());
            }
            "rmdir" => assert!(own.iter().any(|p| p == last), "{}", context()),
            "rename" | "renameat" => assert!(last.starts_with(&state), "{}", context()),
            "renameat2" => {
                let kept = line.contains("RENAME_NOREPLACE") || line.contains("RENAME_EXCHANGE");
                assert!(kept || last.starts_with(&state), "{}", context());
                if line.contains("NOREPLACE") && is_temporary(last) {
                    // A temporary of ours under another name, or an original set aside: the second only
                    // behind a copy, which `tests/store_faults.rs` shows to be compared first.
                    let aside = paths.first().is_some_and(|from| made.contains(from.as_path()));
                    assert!(aside || args.contains(&"across"), "{}", context());
                    made.insert(last);
                }
            }
            _ => {}
        }
    }
    unlinks
}

fn mixed() -> World {
    let world = World::with_inbox();
    for (name, status) in
        [("one", "unread"), ("two", "actioned"), ("three", "resolved"), ("four", "read"), ("five", "unread # c")]
    {
        world.message(&format!("2026-04-01-{name}.md"), status, "2026-04-01", name);
    }
    world.file(".soma/inbox/2026-04-02-broken.md", "---\nstatus: unread\nnever closed\n");
    world.file(".soma/inbox/2026-04-03-bom.md", format!("\u{feff}{}", letter("unread", "2026-04-03", "bom")));
    world.file(".soma/inbox/note.md~", "left by an editor");
    world.file(".soma/inbox/_archive/2026-04-01-two.md", letter("resolved", "2026-04-01", "the name is taken"));
    world.file(".agents/inbox/ben/new/20260401T000000Z-x.abc123.md", "---\nfrom: ava\nsubject: s\n---\nhello\n");
    world.file(".agents/inbox/ben/tmp/draft.md", "a draft");
    world.file(".team/agents/dora/inbox/m1.json", r#"{"id":"m1","from":"ava","to":"dora","subject":"s","body":"b"}"#);
    world.file("CLAUDE.md", "# Rules\n");
    world.file("prompt.md", "{{inbox_summary}}\n");
    world
}

#[test]
fn no_command_takes_anything_away() {
    if !can_trace() {
        return;
    }
    let world = mixed();
    // The programs of a scheduler, which only say that all is well.
    let bin = world.top().join("bin");
    fs::create_dir(&bin).unwrap();
    for (name, text) in [("systemctl", "echo Version=255"), ("loginctl", "echo no")] {
        fs::write(bin.join(name), format!("#!/bin/sh\n{text}\n")).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(bin.join(name), mode).unwrap();
    }
    let world = world.set("PATH", &format!("{}:{}", bin.display(), std::env::var("PATH").unwrap()));
    let made = [".claude/settings.json", ".claude", "AGENTS.md"].map(|name| world.project().join(name));
    let units = ["systemd/user/postroom-sweep.service", "systemd/user/postroom-sweep.timer", "systemd/user", "systemd"];
    let made = [&made[..], &units.map(|name| world.top().join("config").join(name))].concat();
    let stdin = format!("{{\"hook_event_name\":\"SessionStart\",\"session_id\":\"s\",\"cwd\":{:?}}}", world.project());
    let commands: &[&[&str]] = &[
        &["inboxes"],
        &["list", "--all"],
        &["show", "2026-04-01-one"],
        &["peek", "ben"],
        &["thread", "2026-04-01-one"],
        &["search", "hello"],
        &["summary"],
        &["render", "prompt.md"],
        &["hook", "--host", "claude"],
        &["read", "2026-04-01-one"],
        &["mark", "actioned", "2026-04-01-one"],
        &["mark", "actioned", "m1"],
        &["mark", "unread", "--reopen", "--note", "again", "2026-04-01-four"],
        &["mark", "read", "2026-04-02-broken"],
        &["send", "--from", "ava", "--to", "ben", "--to", "dora", "--cc", "soma", "--subject", "s", "--body", "b"],
        &["reply", "--from", "ben", "--to", "dora", "--body", "b", "2026-04-01-one"],
        &["broadcast", "--from", "ava", "--subject", "s", "--body", "b"],
        &["archive", "2026-04-01-two"],
        &["archive", "--mark", "resolved", "m1"],
        &["restore", "m1"],
        &["sweep"],
        &["sweep", "--older-than", "1d"],
        &["receive", "--agent", "ben"],
        &["inject", "CLAUDE.md", "AGENTS.md"],
        &["inject", "--remove", "CLAUDE.md", "AGENTS.md"],
        &["setup", "claude", "--project"],
        &["setup"],
        &["unsetup", "claude", "--project"],
        &["alias", "benny", "ben"],
        &["alias", "--remove", "benny"],
        &["doctor"],
        &["doctor", "--fix"],
        &["init", "--agent", "eve"],
        &["init", "--agent", "fay", "--layout", "json", "--gitignore"],
        &["migrate", "soma", "eve"],
        &["migrate", "--all", "--copy", "ben", "fay"],
        &["migrate", "fay", "soma"],
        &["schedule", "print", "--systemd"],
        &["schedule", "install", "--systemd"],
        &["schedule", "install", "--systemd", "--at", "03:00"],
        &["schedule", "status"],
        &["schedule", "remove", "--systemd"],
        &["watch", "--timeout", "300ms"],
        &["watch", "--once", "--poll=100ms", "--timeout", "300ms"],
        &["mcp"],
        &["completions", "bash"],
        &["log"],
        &["man"],
    ];
    let (mut calls, mut unlinks) = (0, 0);
    for args in commands {
        let input = if *args == ["mcp"] { calls_of_tools() } else { stdin.clone() };
        let traced = trace(&world, args, &input);
        if *args == ["mcp"] {
            let sent = snapshot(&world.project()).iter().any(|(name, _)| name.contains("from-a-tool"));
            assert!(sent, "the tools were called");
        }
        calls += traced.len();
        unlinks += judge(&world, args, &traced, &made);
    }
    assert!(unlinks > 0, "the marks must be among them");
    let (note, draft) = (world.read(".soma/inbox/note.md~"), world.read(".agents/inbox/ben/tmp/draft.md"));
    assert_eq!((note.as_str(), draft.as_str()), ("left by an editor", "a draft"));
    println!("{} commands, {calls} calls looked at, {unlinks} unlinks, all of our own temporaries", commands.len());
}

/// A client that uses every tool which changes something, and goes.
fn calls_of_tools() -> String {
    let version = "2025-11-25";
    let hello = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let mut lines = vec![
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ];
    let tools = [
        ("check_inbox", json!({})),
        ("search_messages", json!({"query": "hello"})),
        ("send_message", json!({"from": "ava", "to": "ben", "subject": "from a tool", "body": "b"})),
        ("read_message", json!({"ref": "2026-04-03-bom"})),
        ("mark_status", json!({"refs": ["2026-04-03-bom"], "status": "actioned"})),
        ("archive", json!({"refs": ["2026-04-03-bom"]})),
        ("restore", json!({"refs": ["2026-04-03-bom"]})),
        ("sweep", json!({"dryRun": false})),
        ("doctor", json!({})),
    ];
    for (id, (name, arguments)) in (2..).zip(tools) {
        lines.push(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}}));
    }
    lines.iter().fold(String::new(), |text, line| text + &line.to_string() + "\n")
}

/// Between two file systems the original goes, and only after its copy was compared: the one unlink of
/// what postroom did not make.
#[test]
#[cfg(target_os = "linux")]
fn an_original_goes_only_after_its_copy_on_another_file_system_was_read_again() {
    let Ok(elsewhere) = tempfile::tempdir_in("/dev/shm") else { return };
    if !can_trace() {
        return;
    }
    let world = mixed();
    fs::remove_dir_all(world.inbox().join("_archive")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), world.inbox().join("_archive")).unwrap();
    let before = snapshot(&world.inbox());
    let calls = trace(&world, &["archive", "2026-04-01-two"], "");
    let at = |test: &dyn Fn(&Call) -> bool| calls.iter().position(test);
    let copy = at(&|c| c.name == "renameat2" && c.line.contains("_archive/2026-04-01-two.md") && c.line.contains("= 0"));
    let gone = at(&|c| c.name.starts_with("unlink") && c.line.contains(".postroom-held-"));
    assert!(copy.is_some() && copy < gone, "{calls:#?}");
    let copied = fs::read(elsewhere.path().join("2026-04-01-two.md")).unwrap();
    let was = before.iter().find(|(name, _)| name == "2026-04-01-two.md").unwrap();
    assert_eq!(format!("{copied:?}"), was.1);
    assert!(!world.inbox().join("2026-04-01-two.md").exists());
}
