//! What shells and readers of manuals get: completions that know refs and names, and a page for each
//! command.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::{World, copy_tree, letter};

#[cfg(unix)]
#[test]
fn a_shell_completes_commands_refs_names_and_rules() {
    let bash = ["/bin/bash", "/usr/bin/bash"].into_iter().find(|path| Path::new(path).exists());
    let Some(bash) = bash else { return };
    let world = World::new();
    copy_tree(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/workspace"), &world.home());
    let webapp = world.home().join("webapp");
    fs::write(webapp.join(".soma/inbox/2026-05-19-$(touch pwned) x.md"), letter("unread", "2026-05-19", "odd")).unwrap();
    let script = world.top().join("completions.bash");
    // Wherever the program lies.
    let program = world.top().join("it's my bin/post room");
    fs::create_dir(program.parent().unwrap()).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_postroom"), &program).unwrap();
    let out = Command::new(&program).args(["completions", "bash"]).output().unwrap();
    fs::write(&script, out.stdout).unwrap();
    let complete = |words: &[&str]| -> Vec<String> {
        let line = format!(
            "compopt() {{ :; }}; source {}; COMP_WORDS=({}); COMP_CWORD={}; _clap_complete_postroom postroom {:?}; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            script.display(),
            words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "),
            words.len() - 1,
            words.last().unwrap(),
        );
        let shell = world.command(&[]);
        let mut run = Command::new(bash);
        run.env_clear().current_dir(&webapp).arg("-c").arg(line).envs(shell.get_envs().filter_map(|(k, v)| Some((k, v?))));
        let output = run.output().unwrap();
        assert!(output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().lines().map(|l| l.trim().to_owned()).filter(|l| !l.is_empty()).collect()
    };
    assert_eq!(complete(&["postroom", "swe"]), ["sweep"]);
    assert_eq!(complete(&["postroom", "read", "2026-05-19-"]), ["2026-05-19-deploy-window", "2026-05-19-review-keys"]);
    assert_eq!(complete(&["postroom", "restore", "2026-03"]), ["2026-03-01-first-steps"]);
    assert_eq!(complete(&["postroom", "send", "--to", ""]), ["claude", "soma"]);
    assert_eq!(complete(&["postroom", "--inbox", "soma@w"]), ["soma@webapp"]);
    assert_eq!(complete(&["postroom", "doctor", "soma-b"]), ["soma-blank-lines", "soma-bom"]);
    assert!(!webapp.join("pwned").exists());
    for (shell, call) in [
        ("zsh", r"'/a b/it'\''s' -- "),
        ("fish", r"'/a b/it'\''s' -- "),
        ("elvish", "'/a b/it''s' -- "),
        ("powershell", "& '/a b/it''s' -- "),
    ] {
        let out = world.run(&["completions", shell, "--program", "/a b/it's"]).ok().out;
        assert!(out.contains(call), "{shell}: {out}");
    }
}

#[test]
fn candidates_come_fast_from_a_large_inbox() {
    let world = World::with_inbox();
    for n in 0..3_000 {
        world.message(&format!("2026-05-{:02}-m{n}.md", 1 + n % 28), "unread", "2026-05-01", "x");
    }
    let start = Instant::now();
    let output = world
        .command(&["--", "postroom", "read", "2026-05-01-m1"])
        .envs([("POSTROOM_COMPLETE", "bash"), ("_CLAP_COMPLETE_INDEX", "2"), ("_CLAP_IFS", "\n")])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("2026-05-01-m112\n") && text.lines().count() <= 300, "{text}");
    assert!(start.elapsed() < Duration::from_secs(3), "no message is opened for it");
}

#[test]
fn every_command_has_a_page() {
    let world = World::new();
    let dir = world.top().join("man/pages");
    world.run(&["man", "--dir", &dir.to_string_lossy()]).ok();
    let help = world.run(&["--help"]).ok().out;
    let commands = help.lines().skip_while(|l| *l != "Commands:").skip(1).take_while(|l| !l.is_empty());
    let names = commands
        .filter_map(|l| l.strip_prefix("  ").filter(|l| !l.starts_with(' '))?.split_whitespace().next())
        .filter(|n| *n != "help");
    for name in names {
        let page = fs::read_to_string(dir.join(format!("postroom-{name}.1"))).unwrap();
        assert!(page.contains(".SH NAME\n") && page.contains(&format!("postroom\\-{name}")), "{name}: {page}");
        assert_eq!(world.run(&["man", name]).ok().out, page);
    }
    assert!(world.run(&["man"]).ok().out.contains("postroom\\-list"));
    world.run(&["man", "--dir", &dir.to_string_lossy()]).ok();
    assert_eq!(world.run(&["man", "lst"]).code, 2);
}
