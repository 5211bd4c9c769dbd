//! Templates of a folder: what they may do, and how their faults are told.

use std::fs;

use serde_json::json;

use super::*;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, source) in files {
        fs::write(folder.path().join(name), source).unwrap();
    }
    folder
}

#[test]
fn a_folder_replaces_and_adds_formats() {
    let folder = folder(&[("brief.j2", "mine: {{ unread }}\n"), ("team.j2", "{% include 'brief.j2' %}!"), ("no.txt", "")]);
    let templates = Templates::new(Some(folder.path()));
    let view = json!({"unread": 3});
    assert_eq!(templates.render("brief", &view).unwrap(), Output { text: "mine: 3\n".to_owned(), foreign: true });
    assert_eq!(templates.render("team", &view).unwrap().text, "mine: 3\n!");
    assert_eq!(templates.formats(), ["default", "soma", "brief", "text", "team"]);
}

#[test]
fn the_built_in_ones_stay_within_reach() {
    let folder = folder(&[("soma.j2", "before\n{% include 'builtin/soma.j2' %}")]);
    let templates = Templates::new(Some(folder.path()));
    let view = json!({"unread": 1, "items": [], "more": 0});
    let built_in = templates.render_built_in("soma", &view).unwrap();
    assert!(built_in.text.starts_with("## Inbox (1 unread)\n") && !built_in.foreign);
    assert_eq!(templates.render("soma", &view).unwrap().text, format!("before\n{}", built_in.text));
}

#[test]
fn an_unknown_format_names_the_known_ones() {
    let folder = folder(&[("team.j2", "")]);
    for name in ["nope", "", "../team", "builtin/soma", "a b", "/etc/passwd"] {
        let error = Templates::new(Some(folder.path())).render(name, &json!({})).unwrap_err();
        assert_eq!(error.to_string(), format!("there is no summary format {name:?}; known are default, soma, brief, text, team"));
    }
}

#[test]
fn a_fault_names_file_and_line() {
    let folder = folder(&[
        ("syntax.j2", "a\n{% if %}\n"),
        ("missing.j2", "a\nb {{ nothing }}\n"),
        ("outer.j2", "{% include 'missing.j2' %}"),
        ("lost.j2", "\n{% include 'x.j2' %}"),
        ("file.j2", "{% include '/etc/passwd' %}{% include '../x.j2' %}"),
        ("loop.j2", "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}"),
        ("flood.j2", "{% for i in range(1000) %}{{ 'x' * 100000 }}{% endfor %}"),
    ]);
    let templates = Templates::new(Some(folder.path()));
    for (name, file, line) in [
        ("syntax", "syntax.j2", 2),
        ("missing", "missing.j2", 2),
        ("outer", "missing.j2", 2),
        ("lost", "lost.j2", 2),
        ("file", "file.j2", 1),
        ("loop", "loop.j2", 1),
    ] {
        let error = templates.render(name, &json!({})).unwrap_err().to_string();
        let start = format!("template {}, line {line}: ", folder.path().join(file).display());
        assert!(error.starts_with(&start), "{error}");
    }
    let error = templates.render("flood", &json!({})).unwrap_err().to_string();
    assert!(error.contains("flood.j2: ") && error.ends_with("more than 4 MiB"), "{error}");
}

#[test]
fn what_is_no_template_file_is_a_fault_not_a_wait() {
    let folder = folder(&[("big.j2", &"x".repeat(300_000))]);
    fs::create_dir(folder.path().join("dir.j2")).unwrap();
    fs::write(folder.path().join("bytes.j2"), b"\xff").unwrap();
    let templates = Templates::new(Some(folder.path()));
    for name in ["big", "dir", "bytes"] {
        let error = templates.render(name, &json!({})).unwrap_err();
        assert!(matches!(error, TemplateError::Faulty { .. }), "{name}: {error}");
        assert!(error.to_string().contains(&format!("{name}.j2")), "{error}");
    }
}
