//! Runs the handed message cases of the `soma` layout through the header reader and the status
//! edit: fields, warnings, the exact bytes of an edit, refusals. The layouts' own tests run them
//! through a layout.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test says what must not be by panicking.

use std::fs;
use std::path::{Path, PathBuf};

use postroom::text::frontmatter::split;
use postroom::text::header::{Field, Header, IssueKind, StatusText, Value};
use postroom::text::status_edit::edit_status;
use postroom::text::yaml::read;
use serde_json::Value as Json;

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The cases that hold a Markdown message, each with its expectations.
fn cases() -> Result<Vec<(PathBuf, Json)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/messages");
    let mut found = Vec::new();
    for entry in fs::read_dir(root)? {
        let folder = entry?.path();
        if !folder.is_dir() {
            continue;
        }
        let expect: Json = serde_json::from_slice(&fs::read(folder.join("expect.json"))?)?;
        if Path::new(text(&expect["file"])).extension().is_some_and(|ext| ext == "md") {
            found.push((folder, expect));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(found.len() >= 51, "only {} cases", found.len());
    Ok(found)
}

fn text(json: &Json) -> &str {
    json.as_str().unwrap_or_default()
}

fn is_status(key: &str) -> bool {
    key.eq_ignore_ascii_case("status")
}

/// The names under which a header may hold the field that the cases call `name`.
fn names(name: &str) -> &[&str] {
    match name {
        "in_reply_to" => &["in_reply_to", "in-reply-to", "ref"],
        "date" => &["date", "created", "timestamp", "created_at"],
        "subject" => &["subject", "title", "topic"],
        "type" => &["type"],
        "from" => &["from"],
        "to" => &["to"],
        "priority" => &["priority"],
        "tags" => &["tags"],
        "origin" => &["origin"],
        _ => &[],
    }
}

fn value_of(header: &Header<'_>, name: &str) -> Json {
    let field = header.all(|key| names(name).iter().any(|n| n.eq_ignore_ascii_case(key))).next();
    if name == "subject" {
        return field.and_then(Field::unabridged).map_or(Json::Null, Json::from);
    }
    match field {
        None | Some(Field { value: Value::Absent, .. }) => Json::Null,
        Some(Field { value: Value::Text(text), .. }) => Json::from(text.trim_end_matches('\n')),
        Some(Field { value: Value::List(items), .. }) => items.iter().map(|item| Json::from(&**item)).collect(),
        Some(Field { value: Value::Unreadable(text), .. }) => Json::from(&**text),
    }
}

/// The status as a layout would show it.
fn status_of(header: &Header<'_>) -> String {
    match header.status(is_status) {
        StatusText::Word(word) => match word.to_ascii_lowercase().as_str() {
            known @ ("unread" | "read" | "actioned" | "resolved") => known.to_owned(),
            _ => "unread".to_owned(),
        },
        StatusText::None(_) => "unread".to_owned(),
    }
}

#[test]
fn fields_and_warnings() -> Result {
    for (folder, expect) in cases()? {
        let name = folder.display();
        let bytes = fs::read(folder.join(text(&expect["file"])))?;
        let parts = match split(&bytes, true) {
            Ok(parts) => parts,
            Err(error) => {
                assert_eq!(error.as_str(), text(&expect["parse"]["error"]), "{name}");
                continue;
            }
        };
        let header = read(&bytes, &parts);
        let mut wanted = expect["parse"].as_object().cloned().unwrap_or_default();
        assert!(!wanted.contains_key("error"), "{name}: a header was read");
        assert_eq!(status_of(&header), text(&wanted.remove("status").unwrap_or_default()), "{name}: status");
        for (key, value) in wanted {
            assert_eq!(value_of(&header, &key), value, "{name}: {key}");
        }
        let mut kinds: Vec<&str> = header.issues.iter().map(|issue| issue.kind.as_str()).collect();
        if let StatusText::None(kind) = header.status(is_status) {
            kinds.push(kind.as_str());
        }
        let parents = ["thread-cycle", "parent-missing"];
        let warn: Vec<&str> = expect["warn"].as_array().into_iter().flatten().map(text).collect();
        for kind in warn.iter().filter(|kind| !parents.contains(kind)) {
            assert!(kinds.contains(kind), "{name}: {kind} not in {kinds:?}");
        }
        if warn.is_empty() && expect["refuse"].is_null() {
            // 041 and 028 tell more than they must; everything else without a warning is good.
            assert!(kinds.is_empty(), "{name}: {:?}", header.issues);
        }
    }
    Ok(())
}

#[test]
fn edits_and_refusals() -> Result {
    for (folder, expect) in cases()? {
        let name = folder.display();
        let bytes = fs::read(folder.join(text(&expect["file"])))?;
        let result = edit_status(&bytes, "read", is_status);
        if text(&expect["refuse"]) == "backward-move" {
            // Which moves are allowed is not the edit's to say; the bytes are.
            let reopened = fs::read(folder.join(text(&expect["reopen"])))?;
            assert_eq!(result?.apply(&bytes), reopened, "{name}");
        } else if let Some(answer) = expect["mark_read"].as_str() {
            let edit = result.map_err(|e| format!("{name}: {}: {e}", e.kind.as_str()))?;
            let marked = edit.apply(&bytes);
            assert!(marked == fs::read(folder.join(answer))?, "{name}: {:?}", String::from_utf8_lossy(&marked));
            assert!(edit_status(&marked, "read", is_status)?.is_done(&marked), "{name}: twice");
        } else {
            let refusal = result.err().ok_or_else(|| format!("{name}: not refused"))?;
            assert_eq!(refusal.kind.as_str(), text(&expect["refuse"]), "{name}: {refusal}");
        }
    }
    Ok(())
}

#[test]
fn a_good_header_has_no_issues() -> Result {
    let (folder, expect) = cases()?.into_iter().next().ok_or("no cases")?;
    let bytes = fs::read(folder.join(text(&expect["file"])))?;
    let header = read(&bytes, &split(&bytes, true)?);
    assert_eq!(header.issues, []);
    assert!(header.all(is_status).all(|field| field.line == 7));
    assert_ne!(header.status(is_status), StatusText::None(IssueKind::StatusMissing));
    Ok(())
}
