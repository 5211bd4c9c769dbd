//! The plugin and the skill in `examples/` are what their hosts accept.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test says what must not be by panicking.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use postroom::host::Host;
use postroom::host::registration;
use serde_json::Value;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The commands that a text shows: what follows `postroom ` in code.
fn commands(text: &str) -> Vec<String> {
    let fenced = text.split("```").skip(1).step_by(2).flat_map(str::lines);
    let spans = text.lines().filter(|line| !line.starts_with("```")).flat_map(|line| line.split('`').skip(1).step_by(2));
    let all = fenced.chain(spans).filter_map(|code| code.trim().strip_prefix("postroom "));
    all.filter_map(|rest| rest.split_whitespace().find(|word| !word.starts_with('-')).map(str::to_owned)).collect()
}

#[test]
fn the_skill_has_the_portable_keys_and_no_others() {
    let text = read(&example("skill/SKILL.md"));
    let (header, body) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    let header: serde_json::Map<String, Value> = serde_yaml::from_str(header).unwrap();
    let portable = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
    assert!(header.keys().all(|key| portable.contains(&key.as_str())), "{header:?}");
    let word = |key: &str| header[key].as_str().unwrap().to_owned();
    assert!(word("name").bytes().all(|b| b.is_ascii_lowercase() || b == b'-') && word("name").len() <= 64);
    assert!(!word("description").is_empty() && word("description").chars().count() <= 1024);
    assert!(word("compatibility").chars().count() <= 500);
    // One page, and nothing in it that a host would run, or fill in, before the model sees it.
    assert!(body.lines().count() <= 100, "{}", body.lines().count());
    for live in ["!`", "```!", "$ARGUMENTS", "$1", "${", "{{", "<%"] {
        assert!(!body.contains(live), "{live}");
    }
    assert!(!body.split_whitespace().any(|word| word.starts_with('@')), "an import");
    assert_eq!(read(&example("claude-plugin/skills/postroom/SKILL.md")), text, "the plugin's skill is the same");
}

#[test]
fn the_commands_that_are_taught_exist() {
    let help = Command::new(env!("CARGO_BIN_EXE_postroom")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for path in [example("skill/SKILL.md"), root.join("docs/hosts.md")] {
        let found = commands(&read(&path));
        assert!(found.len() > 8, "{found:?}");
        for command in found {
            assert!(
                help.lines().any(|line| line.trim_start().split(' ').next() == Some(&command)),
                "{command} in {}",
                path.display()
            );
        }
    }
}

#[test]
fn the_plugin_is_laid_out_as_claude_code_wants_it() {
    let plugin = example("claude-plugin");
    let manifest: Value = serde_json::from_str(&read(&plugin.join(".claude-plugin/plugin.json"))).unwrap();
    let known = [
        "name",
        "displayName",
        "version",
        "description",
        "author",
        "homepage",
        "repository",
        "license",
        "keywords",
        "skills",
        "commands",
        "agents",
        "hooks",
        "mcpServers",
        "userConfig",
        "dependencies",
        "defaultEnabled",
        "metadata",
        "experimental",
    ];
    for (key, value) in manifest.as_object().unwrap() {
        assert!(known.contains(&key.as_str()), "{key}");
        assert!(value.is_string() || key == "keywords" && value.is_array(), "{key}: {value}");
    }
    let name = manifest["name"].as_str().unwrap();
    assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{name}");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    // Only the manifest lies in its folder; a CLAUDE.md in a plugin would not be loaded.
    let names = |dir: &Path| -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&plugin.join(".claude-plugin")), ["plugin.json"]);
    assert_eq!(names(&plugin), [".claude-plugin", "hooks", "skills"]);
}

#[test]
fn the_plugins_hooks_are_those_that_setup_registers() {
    let text = read(&example("claude-plugin/hooks/hooks.json"));
    let standing = registration::standing(Host::Claude, &text, "postroom").unwrap();
    let wanted: Vec<&str> = registration::events(Host::Claude, false).into_iter().map(|(event, _)| event).collect();
    assert_eq!(
        (standing.events, standing.programs),
        (wanted.iter().map(ToString::to_string).collect(), vec!["postroom".to_owned()])
    );
    let doc: Value = serde_json::from_str(&text).unwrap();
    for (event, groups) in doc["hooks"].as_object().unwrap() {
        for handler in groups.as_array().unwrap().iter().flat_map(|group| group["hooks"].as_array().unwrap()) {
            assert_eq!(
                (handler["type"].as_str(), handler["command"].as_str()),
                (Some("command"), Some("postroom hook --host claude")),
                "{event}"
            );
            assert!(handler["timeout"].as_u64().unwrap() <= 30, "seconds");
        }
    }
}

#[test]
fn the_settings_that_are_shown_for_doing_it_by_hand_are_understood() {
    let text = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/hosts.md"));
    let shown: Vec<&str> = text.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(shown.len(), 3);
    for (text, host) in shown.into_iter().zip([Host::Claude, Host::Gemini, Host::Cursor]) {
        assert_eq!(registration::standing(host, text, "postroom").unwrap().events.len(), 2, "{host:?}");
    }
}
