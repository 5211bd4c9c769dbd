//! `setup --mcp`: our server in each host's settings, once, and out again without a trace.

use std::fs;

use serde_json::Value;

use crate::support::World;

/// The file of each host and level, below the home folder.
const FILES: [(&str, &str, &str); 9] = [
    ("claude", "--project", "work/.mcp.json"),
    ("codex", "--project", "work/.codex/config.toml"),
    ("codex", "--user", ".codex/config.toml"),
    ("gemini", "--project", "work/.gemini/settings.json"),
    ("gemini", "--user", ".gemini/settings.json"),
    ("cursor", "--project", "work/.cursor/mcp.json"),
    ("cursor", "--user", ".cursor/mcp.json"),
    ("opencode", "--project", "work/opencode.json"),
    ("opencode", "--user", "../config/opencode/opencode.json"),
];

#[test]
fn where_there_was_nothing_there_is_nothing_again() {
    for (host, level, file) in FILES {
        let world = World::new();
        let path = world.home().join(file);
        let dry = world.run(&["setup", host, level, "--mcp", "--dry-run"]).ok();
        assert!(dry.out.contains("would be registered") && !path.exists(), "{dry:?}");
        world.run(&["setup", host, level, "--mcp"]).ok();
        let once = fs::read_to_string(&path).unwrap();
        assert!(once.contains("postroom") && once.contains("\"mcp\""), "{once}");
        assert!(world.run(&["setup", host, level, "--mcp"]).ok().out.contains("registered already"));
        assert_eq!(fs::read_to_string(&path).unwrap(), once);
        assert!(world.run(&["unsetup", host, level, "--mcp", "--dry-run"]).ok().out.contains("would be taken out"));
        world.run(&["unsetup", host, level, "--mcp"]).ok();
        assert!(!path.exists(), "{host} {level}");
        assert!(world.run(&["unsetup", host, level, "--mcp"]).ok().out.contains("not registered"));
    }
}

#[test]
fn what_others_wrote_stays_byte_for_byte() {
    let world = World::new();
    let theirs = [
        (".mcp.json", "claude", "{\n\t\"mcpServers\": { \"a\": {\"command\": \"b\"} },\r\n\t\"x\": [1,2]\n}"),
        (".codex/config.toml", "codex", "# mine\nmodel = \"o\"\n\n[mcp_servers.a]\ncommand = 'b' # c\n"),
        (".gemini/settings.json", "gemini", "{\"hooks\": {}, \"theme\": \"dark\"}\n"),
        ("opencode.json", "opencode", "{\n  \"mcp\": {\n    \"a\": {\"type\": \"remote\"}\n  }\n}\n"),
    ];
    for (file, host, text) in theirs {
        let path = world.file(file, text);
        world.run(&["setup", host, "--project", "--mcp"]).ok();
        assert_ne!(fs::read_to_string(&path).unwrap(), text);
        world.run(&["unsetup", host, "--project", "--mcp"]).ok();
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{host}");
    }
    let path = world.file(".mcp.json", "{\"mcpServers\": {\"postroom\": {\"command\": \"npx\", \"args\": [\"mcp\"]}}}");
    let before = fs::read_to_string(&path).unwrap();
    for command in ["setup", "unsetup"] {
        let ran = world.run(&[command, "claude", "--project", "--mcp"]);
        assert!(ran.code == 1 && ran.err.contains("that is not this one"), "{ran:?}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
}

#[test]
fn hook_and_server_share_a_file_in_either_order() {
    let world = World::new();
    let path = world.project().join(".gemini/settings.json");
    for (first, second) in [(&["--mcp"][..], &[][..]), (&[], &["--mcp"])] {
        let run = |command: &str, more: &[&str]| world.run(&[&[command, "gemini", "--project"], more].concat()).ok();
        run("setup", first);
        run("setup", second);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("hook --host gemini") && text.contains("mcpServers"), "{text}");
        run("unsetup", first);
        run("unsetup", second);
        assert!(!path.exists(), "{}", fs::read_to_string(&path).unwrap());
    }
}

#[test]
fn where_a_host_writes_itself_its_command_is_named() {
    let world = World::new();
    let ran = world.run(&["setup", "claude", "--mcp"]);
    assert!(ran.code == 1 && ran.err.contains("claude mcp add --scope user postroom -- "), "{ran:?}");
    assert!(world.run(&["setup", "soma", "--mcp"]).err.contains("no MCP servers"));
    assert_eq!(world.run(&["setup", "--mcp"]).code, 2);
}

#[test]
fn what_is_registered_starts() {
    let world = World::with_inbox();
    world.run(&["setup", "claude", "--project", "--mcp"]).ok();
    let settings: Value = serde_json::from_str(&world.read(".mcp.json")).unwrap();
    let server = &settings["mcpServers"]["postroom"];
    assert_eq!(server["command"], env!("CARGO_BIN_EXE_postroom"));
    let words: Vec<&str> = server["args"].as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let ran = world.run_with(&words, format!("{hello}\n").as_bytes()).ok();
    assert!(ran.out.contains("\"serverInfo\""), "{ran:?}");
}
