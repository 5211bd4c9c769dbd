//! Documentation that is made from the code, or checked against it, so that it can't drift.
//! `POSTROOM_BLESS=1 cargo test --test docs` writes it anew.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test says what must not be by panicking.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use postroom::model::status::rules_table;
use postroom::ops::doctor::rules::{self, Severity};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// Compares a file with what it should hold, or writes it.
fn hold(name: &str, want: &str) {
    let path = root().join(name);
    if std::env::var_os("POSTROOM_BLESS").is_some() {
        fs::write(path, want).unwrap();
    } else {
        let have = fs::read_to_string(path).unwrap_or_default();
        assert!(have == want, "{name} has drifted from the code; POSTROOM_BLESS=1 cargo test --test docs writes it anew");
    }
}

#[test]
fn the_table_of_moves_is_that_of_the_rules() {
    let text = fs::read_to_string(root().join("docs/lifecycle.md")).unwrap();
    let (start, end) = ("<!-- made from the rules: src/model/status.rs -->\n", "<!-- end -->");
    let (before, rest) = text.split_once(start).unwrap();
    let (_, after) = rest.split_once(end).unwrap();
    hold("docs/lifecycle.md", &format!("{before}{start}\n{}\n{end}{after}", rules_table()));
}

#[test]
fn the_rules_of_the_doctor_are_those_of_the_table() {
    let mut out = String::from(
        "# What `doctor` looks for\n\n\
         Made from the table of rules, `src/ops/doctor/rules.rs`. An *error*: mail is lost, hidden from its reader or\n\
         can't be handled, or it must not stay as it is; `doctor` then exits with 1. A *warning*: something goes wrong\n\
         quietly, or soon will. A *note*: it could be better.\n\n\
         `postroom doctor --fix` mends what is marked so, where that loses no word: each edit is planned on the bytes\n\
         that were read, shown, and made only while the file still holds them; the header must say the same afterwards.\n\
         `--dry-run` shows the plan alone. Everything else is for a person to decide. Of an archive only that is told\n\
         which still matters there. Secrets are never printed.\n",
    );
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        write!(out, "\n## {}s\n\n| rule | found | why it matters | what to do |\n|---|---|---|---|\n", severity.as_str())
            .unwrap();
        for rule in rules::ALL.iter().filter(|rule| rule.severity == severity) {
            let how = if rule.fixable { " (`--fix`)" } else { "" };
            let cell = |text: &str| text.replace('|', "\\|");
            writeln!(out, "| `{}` | {} | {} | {}{how} |", rule.id, cell(rule.title), cell(rule.why), cell(rule.fix)).unwrap();
        }
    }
    hold("docs/doctor.md", &out);
}

#[test]
fn the_reference_of_the_command_is_its_help() {
    let help = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_postroom"));
        command.args(words).arg("--help").env("COLUMNS", "100").env("NO_COLOR", "1");
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let main = help(&[]);
    let commands: Vec<&str> = main
        .lines()
        .skip_while(|l| *l != "Commands:")
        .skip(1)
        .take_while(|l| !l.is_empty())
        .filter_map(|l| l.strip_prefix("  ").filter(|l| !l.starts_with(' ')))
        .filter_map(|l| l.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() > 10, "{commands:?}");
    let mut out = String::from(
        "# The command\n\nMade from `postroom --help`; every command also takes the global options, which stand only here.\n\n```text\n",
    );
    out.push_str(&main);
    out.push_str("```\n");
    for name in commands {
        let text = help(&[name]);
        // The global options would stand in each section; they stand above.
        let own = text.split("\nGlobal options:").next().unwrap();
        write!(out, "\n## {name}\n\n```text\n{}\n```\n", own.trim_end()).unwrap();
    }
    hold("docs/cli.md", &out);
}

#[cfg(feature = "mcp")]
#[test]
fn the_table_of_tools_is_what_the_server_lists() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_postroom"))
        .arg("mcp")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let info = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"docs","version":"1"}}"#;
    let asked = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{info}}}\n\
         {{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}}\n"
    );
    child.stdin.take().unwrap().write_all(asked.as_bytes()).unwrap();
    let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    let listed: serde_json::Value = serde_json::from_str(output.lines().nth(1).unwrap()).unwrap();
    let mut table = String::from("| tool | changes | takes | |\n|---|---|---|---|\n");
    for tool in listed["result"]["tools"].as_array().unwrap() {
        let needed = tool["inputSchema"]["required"].as_array().cloned().unwrap_or_default();
        let takes = tool["inputSchema"]["properties"].as_object().unwrap().keys();
        let takes: Vec<String> =
            takes.map(|n| if needed.contains(&n.as_str().into()) { format!("**{n}**") } else { n.clone() }).collect();
        let hints = &tool["annotations"];
        let changes = match (hints["readOnlyHint"] == true, hints["idempotentHint"] == true) {
            (true, _) => "nothing",
            (_, true) => "once",
            _ => "each time",
        };
        let (name, about) = (tool["name"].as_str().unwrap(), tool["description"].as_str().unwrap());
        writeln!(table, "| `{name}` | {changes} | {} | {about} |", takes.join(", ")).unwrap();
    }
    let text = fs::read_to_string(root().join("docs/mcp.md")).unwrap();
    let (start, end) = ("<!-- made from the tools: src/mcp/tools.rs -->\n", "<!-- end -->");
    let (before, rest) = text.split_once(start).unwrap();
    let (_, after) = rest.split_once(end).unwrap();
    hold("docs/mcp.md", &format!("{before}{start}\n{table}\n{end}{after}"));
}

#[test]
fn every_path_that_the_documentation_names_is_there() {
    let mut missing = Vec::new();
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|e| e.unwrap().path());
    for file in docs.chain([root().join("README.md")]).filter(|p| p.extension().is_some_and(|e| e == "md")) {
        let text = fs::read_to_string(&file).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap();
            if target.is_empty() || target.contains(':') {
                continue;
            }
            if !file.parent().unwrap().join(target).exists() {
                missing.push(format!("{}: {link}", file.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
