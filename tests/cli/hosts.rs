//! `setup` and `unsetup`: in, once, and out again without a trace.

use std::fs;

use serde_json::Value;

use crate::support::World;

/// Each host's settings file of a project and of a user, below the home folder.
const FILES: [(&str, &str, &str); 4] = [
    ("claude", "work/.claude/settings.json", ".claude/settings.json"),
    ("codex", "work/.codex/hooks.json", ".codex/hooks.json"),
    ("gemini", "work/.gemini/settings.json", ".gemini/settings.json"),
    ("cursor", "work/.cursor/hooks.json", ".cursor/hooks.json"),
];

/// What is below the home folder, folders too.
fn everything(world: &World) -> Vec<String> {
    let mut all: Vec<String> = world.snapshot().into_iter().map(|(name, content)| format!("{name} {content}")).collect();
    let mut stack = vec![world.home()];
    while let Some(dir) = stack.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                all.push(format!("{}/", entry.path().display()));
                stack.push(entry.path());
            }
        }
    }
    all.sort();
    all
}

#[test]
fn where_there_was_nothing_there_is_nothing_again() {
    for (host, project, user) in
        FILES.into_iter().chain([("opencode", "work/.opencode/plugins/postroom.js", "../config/opencode/plugins/postroom.js")])
    {
        for (level, file) in [("--project", project), ("--user", user)] {
            let world = World::new();
            let before = everything(&world);
            let dry = world.run(&["setup", host, level, "--dry-run"]).ok();
            assert!(dry.out.contains("would be registered") && dry.out.contains("\n+"), "{dry:?}");
            assert_eq!(everything(&world), before, "{host} {level}: a dry run");
            world.run(&["setup", host, level]).ok();
            let path = world.home().join(file);
            let text = fs::read_to_string(&path).unwrap();
            let call = if host == "opencode" { "\"--host\", \"opencode\"".to_owned() } else { format!(" hook --host {host}") };
            assert!(text.contains(&call), "{text}");
            let once = everything(&world);
            assert!(world.run(&["setup", host, level]).ok().out.contains("registered already"));
            assert_eq!(everything(&world), once, "{host} {level}: a second run");
            let dry = world.run(&["unsetup", host, level, "--dry-run"]).ok();
            assert!(dry.out.contains("would be taken out") && dry.out.contains("\n-"), "{dry:?}");
            assert_eq!(everything(&world), once);
            world.run(&["unsetup", host, level]).ok();
            assert_eq!(everything(&world), before, "{host} {level}");
            assert!(!path.exists());
            assert!(world.run(&["unsetup", host, level]).ok().out.contains("not registered"));
        }
    }
}

#[test]
fn settings_of_every_style_come_back_byte_for_byte() {
    for (host, file, _) in FILES {
        for text in [
            "{}",
            "{}\n",
            "{ }",
            "{\n}",
            "{\"hooks\":{}}\n",
            "{\"hooks\": {\n}}",
            "{\"hooks\":{\"SessionStart\":[ ],\"sessionStart\":[]}}",
            "{\r\n\t\"a\": 1.50e3,\r\n\t\"hooks\": {\"X\": [1]}\r\n}",
            "\u{feff}{\"z\":[{}],\"é\":\"\\u00e9\"}\n\n",
        ] {
            let text =
                if host == "cursor" { text.replacen('{', "{\"version\": 1,", 1).replace(",}", "}") } else { text.to_owned() };
            let text = text.replace(", }", " }").replace(",\n}", "\n}");
            let world = World::new();
            world.file(file.strip_prefix("work/").unwrap(), &text);
            let before = everything(&world);
            world.run(&["setup", host, "--project"]).ok();
            assert!(world.read(file.strip_prefix("work/").unwrap()).contains("postroom"));
            world.run(&["unsetup", host, "--project"]).ok();
            assert_eq!(everything(&world), before, "{host} {text}");
        }
    }
}

#[test]
fn what_was_written_in_the_meantime_stays() {
    let world = World::new();
    world.run(&["setup", "claude", "--project"]).ok();
    let file = ".claude/settings.json";
    let mut doc: Value = serde_json::from_str(&world.read(file)).unwrap();
    doc["env"] = serde_json::json!({"K": "v"});
    let other = serde_json::json!({"hooks": [{"type": "command", "command": "other.sh"}]});
    doc["hooks"]["SessionStart"].as_array_mut().unwrap().insert(0, other);
    world.file(file, serde_json::to_string_pretty(&doc).unwrap());
    world.run(&["unsetup", "claude", "--project"]).ok();
    let left: Value = serde_json::from_str(&world.read(file)).unwrap();
    assert_eq!(left["env"]["K"], "v");
    assert_eq!(left["hooks"]["SessionStart"].as_array().unwrap().len(), 1);
    assert!(!world.read(file).contains("postroom"));
}

#[test]
fn settings_that_can_not_be_kept_are_refused_by_name() {
    for (host, file, _) in FILES {
        let name = file.strip_prefix("work/").unwrap();
        for text in ["{ // note\n}\n", "{\"hooks\": {},}", "{\"hooks\": []}", "[1]", "{\"version\":1,\"hooks\":{\"a\":1", "\u{0}"]
        {
            let world = World::new();
            world.file(name, text);
            let before = everything(&world);
            for command in ["setup", "unsetup"] {
                let ran = world.run(&[command, host, "--project"]);
                // There may be nothing of ours to take out of a file of another shape.
                assert!(
                    ran.code == 1 && ran.err.contains(name) || command == "unsetup" && ran.code == 0,
                    "{command} {host} {text:?}: {ran:?}"
                );
                assert_eq!(everything(&world), before, "{command} {host} {text:?}");
            }
            let doc = world.run(&["setup", host, "--project", "--json"]).document();
            assert_eq!(doc["error"]["kind"], "settings-unfit", "{doc}");
        }
    }
    let world = World::new();
    world.file(".opencode/plugins/postroom.js", "export const Mine = 1\n");
    let ran = world.run(&["setup", "opencode", "--project"]);
    assert!(ran.code == 1 && ran.err.contains("not the plugin that postroom writes"), "{ran:?}");
    assert_eq!(world.run(&["unsetup", "opencode", "--project"]).code, 1);
    assert_eq!(world.read(".opencode/plugins/postroom.js"), "export const Mine = 1\n");
}

#[test]
#[cfg(unix)]
fn linked_settings_are_written_behind_the_link() {
    let world = World::new();
    world.file("dot/settings.json", "{\"a\": 1}\n");
    fs::create_dir_all(world.project().join(".claude")).unwrap();
    std::os::unix::fs::symlink("../dot/settings.json", world.project().join(".claude/settings.json")).unwrap();
    let before = everything(&world);
    world.run(&["setup", "claude", "--project"]).ok();
    assert!(world.read("dot/settings.json").contains("postroom"));
    world.run(&["unsetup", "claude", "--project"]).ok();
    assert_eq!(everything(&world), before);
    fs::remove_file(world.project().join("dot/settings.json")).unwrap();
    let ran = world.run(&["setup", "claude", "--project"]);
    assert!(ran.code == 1 && !world.project().join("dot/settings.json").exists(), "{ran:?}");
}

#[test]
fn the_name_is_registered_where_the_path_leads_here_and_a_dead_path_is_mended() {
    let world = World::new();
    let bin = world.top().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let here = env!("CARGO_BIN_EXE_postroom");
    let calls = |world: &World| world.read(".claude/settings.json");
    world.run(&["setup", "claude", "--project"]).ok();
    assert!(
        calls(&world).contains(&format!("{here} hook --host claude")) || calls(&world).contains("/postroom"),
        "{}",
        calls(&world)
    );
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(here, bin.join("postroom")).unwrap();
        let world = World::new().set("PATH", &bin.to_string_lossy());
        world.run(&["setup", "claude", "--project"]).ok();
        assert!(calls(&world).contains("\"postroom hook --host claude\""), "{}", calls(&world));
    }
    let moved = calls(&world).replace(&fs::canonicalize(here).unwrap().to_string_lossy().into_owned(), "/no/more/postroom");
    assert!(moved.contains("/no/more/postroom"), "{moved}");
    world.file(".claude/settings.json", moved);
    world.run(&["setup", "claude", "--project"]).ok();
    assert!(!calls(&world).contains("/no/more") && calls(&world).matches("hook --host claude").count() == 3, "{}", calls(&world));
}

/// The program under other names and in other places: what one copy has registered, the next one
/// takes over, and any of them takes it out.
#[test]
#[cfg(unix)]
fn a_copy_of_any_name_registers_once_and_takes_over_what_another_has_registered() {
    let files = FILES.iter().map(|(host, file, _)| (*host, *file, &["--project"][..]));
    let files = files.chain([
        ("opencode", "work/.opencode/plugins/postroom.js", &["--project"][..]),
        ("claude", "work/.mcp.json", &["--project", "--mcp"][..]),
        ("codex", "work/.codex/config.toml", &["--project", "--mcp"][..]),
        ("opencode", "work/opencode.json", &["--project", "--mcp"][..]),
    ]);
    for (host, file, options) in files {
        let world = World::new();
        let bin = world.top().join("it's my bin");
        fs::create_dir_all(&bin).unwrap();
        let programs = ["postroom-nightly", "mail room", "pr"].map(|name| bin.join(name));
        let call = |program: &std::path::Path, command: &str| {
            let mut run = std::process::Command::new(program);
            run.arg(command).arg(host).args(options).current_dir(world.project()).env_clear();
            run.envs(world.command(&[]).get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))));
            // A process that another test starts may hold the copy open for a moment, as it was while written.
            let busy = |out: &std::io::Result<_>| matches!(out, Err(e) if e.kind() == std::io::ErrorKind::ExecutableFileBusy);
            let tries = std::iter::repeat_with(|| run.output()).take(200);
            let out = tries
                .inspect(|out| {
                    if busy(out) {
                        std::thread::sleep(std::time::Duration::from_millis(10));
                    }
                })
                .find(|out| !busy(out))
                .unwrap()
                .unwrap();
            assert!(out.status.success(), "{out:?}");
            String::from_utf8(out.stdout).unwrap()
        };
        let before = everything(&world);
        let path = world.home().join(file);
        // Each copy is the only one when it is called; a link would be seen through.
        fs::copy(env!("CARGO_BIN_EXE_postroom"), &programs[0]).unwrap();
        call(&programs[0], "setup");
        let first = fs::read_to_string(&path).unwrap();
        assert!(first.contains("postroom-nightly"), "{host}: {first}");
        assert!(call(&programs[0], "setup").contains("registered already"), "{host}");
        assert_eq!(fs::read_to_string(&path).unwrap(), first, "{host}: a second run");
        for pair in programs.windows(2) {
            fs::rename(&pair[0], &pair[1]).unwrap();
            assert!(call(&pair[1], "setup").contains(": registered in"), "{host}");
            let text = fs::read_to_string(&path).unwrap();
            let name = |at: usize| format!("/{}", pair[at].file_name().unwrap().to_str().unwrap());
            assert_eq!(text.matches(&name(1)).count(), first.matches("/postroom-nightly").count(), "{host}: {text}");
            assert!(!text.contains(&name(0)), "{host}: {text}");
        }
        // Another copy that is still there is no reason to call both.
        fs::copy(&programs[2], &programs[0]).unwrap();
        call(&programs[0], "setup");
        assert_eq!(fs::read_to_string(&path).unwrap(), first, "{host}");
        call(&programs[2], "unsetup");
        assert_eq!(everything(&world), before, "{host}");
    }
}

#[test]
fn what_was_registered_by_hand_stays_as_it_is() {
    let world = World::new();
    let here = fs::canonicalize(env!("CARGO_BIN_EXE_postroom")).unwrap();
    let line = format!("POSTROOM_AGENT=claude {} -C . hook --host claude", here.display());
    let entry = serde_json::json!([{"hooks": [{"type": "command", "command": line, "timeout": 60}]}]);
    let doc = serde_json::json!({"hooks": {"SessionStart": entry, "UserPromptSubmit": entry, "PostToolUse": entry}});
    world.file(".claude/settings.json", serde_json::to_string_pretty(&doc).unwrap());
    assert!(world.run(&["setup", "claude", "--project"]).ok().out.contains("registered already"));
    // Its program gone, only that is put right.
    let gone = world.read(".claude/settings.json").replace(&here.display().to_string(), "/no/more/postroom");
    world.file(".claude/settings.json", &gone);
    world.run(&["setup", "claude", "--project"]).ok();
    assert_eq!(world.read(".claude/settings.json"), gone.replace("/no/more/postroom", &here.display().to_string()));
    world.run(&["unsetup", "claude", "--project"]).ok();
    assert!(!world.read(".claude/settings.json").contains("hook --host"));
}

#[test]
fn codex_asks_for_trust_and_its_configuration_is_not_touched() {
    let world = World::new();
    let config = "# mine\n[features]\nhooks = false\n\n[[hooks.SessionStart]]\n[[hooks.SessionStart.hooks]]\ntype = \"command\"\ncommand = \"x\"\n";
    world.file(".codex/config.toml", config);
    let ran = world.run(&["setup", "codex", "--project"]).ok();
    assert!(ran.out.contains("/hooks") && ran.out.contains("switched off"), "{ran:?}");
    assert_eq!(world.read(".codex/config.toml"), config);
    let doc = world.json(&["setup", "codex", "--project", "--json"]);
    assert_eq!(doc["hosts"][0]["state"], "already-registered");
    assert!(doc["hosts"][0]["notes"].to_string().contains("/hooks"));
    world.run(&["unsetup", "codex", "--project"]).ok();
    // Registered there by hand, it is not registered twice.
    world.file(".codex/config.toml", config.replace("\"x\"", "\"postroom hook --host codex\""));
    assert!(world.run(&["setup", "codex", "--project"]).ok().out.contains("already"));
    assert!(!world.project().join(".codex/hooks.json").exists());
}

#[test]
fn soma_is_looked_at_and_told_what_is_missing() {
    let world = World::with_inbox();
    let ran = world.run(&["setup", "soma"]).ok();
    assert!(ran.out.contains("not complete") && ran.out.contains("STATE.md"), "{ran:?}");
    world.file(".soma/STATE.md", "x\n");
    world.file(".soma/body/_boot.md", "{{soul}}\n");
    let ran = world.run(&["setup", "soma"]).ok();
    assert!(ran.out.contains("_boot.md has no slot") && ran.out.contains("{{inbox_summary}}"), "{ran:?}");
    world.file(".soma/body/_boot.md", "{{soul}}\n{{inbox_summary}}\n");
    let before = everything(&world);
    assert!(world.run(&["setup", "soma"]).ok().out.contains("ready"));
    world.run(&["unsetup", "soma"]).ok();
    assert_eq!(everything(&world), before);
}

#[test]
fn without_a_host_those_found_are_listed() {
    let world = World::new().set("PATH", "/nowhere");
    assert!(world.run(&["setup"]).ok().err.contains("no host is found"));
    fs::create_dir_all(world.home().join(".gemini")).unwrap();
    world.file(".codex/hooks.json", "{ // x\n}");
    world.file(".cursor/hooks.json", "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"postroom hook --host cursor\"}]}}");
    world.run(&["setup", "claude", "--project"]).ok();
    insta::assert_snapshot!(world.plain(&world.run(&["setup"]).ok().out), @r"
    claude    project  registered already  .claude/settings.json
    codex     project  can't be read       .codex/hooks.json
      [TOP]/home/work/.codex/hooks.json: line 1, column 3: comments are not JSON
    gemini    user     not registered      ~/.gemini/settings.json
    cursor    project  partly registered   .cursor/hooks.json
    ");
    let doc = world.json(&["setup", "--json"]);
    assert_eq!(doc["hosts"].as_array().unwrap().len(), 4);
    assert_eq!(doc["hosts"][0]["state"], "already-registered");
    for args in [&["setup", "emacs"][..], &["unsetup"], &["setup", "plain"], &["setup", "claude", "--user", "--project"]] {
        assert_eq!(world.run(args).code, 2, "{args:?}");
    }
}

#[test]
fn what_is_registered_works() {
    let world = World::with_inbox();
    world.message("2026-05-18-a.md", "unread", "2026-05-18", "first");
    world.run(&["setup", "claude", "--project"]).ok();
    let settings: Value = serde_json::from_str(&world.read(".claude/settings.json")).unwrap();
    let line = settings["hooks"]["SessionStart"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    let mut shell = world.command(&[]);
    let mut run = std::process::Command::new("sh");
    run.arg("-c").arg(&line).current_dir(world.project()).env_clear();
    run.envs(shell.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))));
    shell.env_clear();
    let out = run.stdin(std::process::Stdio::null()).output().unwrap();
    assert!(out.status.success() && String::from_utf8_lossy(&out.stdout).contains("first"), "{line}: {out:?}");
}

#[test]
fn an_empty_file_is_like_none() {
    for (host, file, _) in FILES {
        for blank in ["", " \n\n", "\u{feff}"] {
            let world = World::new();
            let path = world.home().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, blank).unwrap();
            assert!(world.run(&["unsetup", host, "--project"]).ok().out.contains("not registered"));
            world.run(&["setup", host, "--project"]).ok();
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.contains(&format!(" hook --host {host}")) && serde_json::from_str::<Value>(&text).is_ok(), "{text}");
            assert!(world.run(&["setup", host, "--project"]).ok().out.contains("registered already"));
            let out = world.run(&["unsetup", host, "--project"]).ok();
            assert!(out.out.contains("was there before"), "{out:?}");
            assert!(!fs::read_to_string(&path).unwrap().contains("hook"));
        }
    }
}

#[test]
fn cursors_version_is_added_where_it_is_missing() {
    for text in ["{}", "{\"hooks\":{}}"] {
        let world = World::new();
        world.file(".cursor/hooks.json", text);
        let out = world.run(&["setup", "cursor", "--project"]).ok();
        assert!(out.out.contains("it was added"), "{out:?}");
        let doc: Value = serde_json::from_str(&world.read(".cursor/hooks.json")).unwrap();
        assert_eq!((&doc["version"], doc["hooks"].as_object().unwrap().len()), (&Value::from(1), 3));
        assert!(!world.run(&["setup", "cursor", "--project"]).ok().out.contains("it was added"));
        world.run(&["unsetup", "cursor", "--project"]).ok();
        assert!(!world.read(".cursor/hooks.json").contains("postroom"));
    }
}

#[test]
fn a_hook_beside_others_is_taken_out_alone() {
    let world = World::new();
    let theirs = "{ \"type\": \"command\", \"command\": \"other.sh\" }";
    let ours = "{\"type\":\"command\",\"command\":\"POSTROOM_AGENT=ben postroom hook --host claude\"}";
    let file = |handlers: &str| {
        format!("{{\n  \"hooks\": {{\n    \"PostToolUse\": [{{\"matcher\": \"Bash\", \"hooks\": [{handlers}]}}]\n  }}\n}}\n")
    };
    world.file(".claude/settings.json", file(&format!("{theirs}, {ours}")));
    world.run(&["setup", "claude", "--project"]).ok();
    let text = world.read(".claude/settings.json");
    assert_eq!(text.matches(" hook --host claude").count(), 3, "its own hook behind an assignment is known: {text}");
    world.run(&["unsetup", "claude", "--project"]).ok();
    assert_eq!(world.read(".claude/settings.json"), file(theirs));
    // A line that calls others too stays, and that is said; all else goes.
    let shared = "{\"type\":\"command\",\"command\":\"log.sh && postroom hook\"}";
    world.file(".claude/settings.json", file(&format!("{ours}, {shared}")));
    let out = world.run(&["unsetup", "claude", "--project"]).ok();
    assert!(out.out.contains("PostToolUse"), "{out:?}");
    assert_eq!(world.read(".claude/settings.json"), file(shared));
    let again = world.run(&["unsetup", "claude", "--project"]);
    assert!(again.code == 1 && again.err.contains("other programs"), "{again:?}");
    assert_eq!(world.read(".claude/settings.json"), file(shared));
}
