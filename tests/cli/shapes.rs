//! The JSON documents have exactly the keys that `docs/json.md` tells of.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{World, copy_tree};

/// Keys of a value and of everything in it.
fn keys(value: &Value, out: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                out.insert(key.clone());
                keys(value, out);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keys(item, out)),
        _ => {}
    }
}

#[test]
fn the_documents_have_the_keys_that_are_documented() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("docs/json.md")).unwrap();
    let documented: BTreeSet<&str> = text.split('`').skip(1).step_by(2).flat_map(|code| code.split(['"', ' ', ':'])).collect();
    let world = World::new();
    copy_tree(&root.join("examples/workspace"), &world.home());
    let webapp = world.home().join("webapp");
    let at = |args: &[&str]| {
        let mut all = vec!["-C", webapp.to_str().unwrap()];
        all.extend(args);
        world.run(&all)
    };
    fs::write(webapp.join(".soma/inbox/2026-05-01-odd.md"), "---\nfrom: a\nstatus: odd\n---\n").unwrap();
    let mut found = BTreeSet::new();
    for args in [
        &["inboxes", "--json"][..],
        &["list", "--all", "--json"],
        &["search", "cache", "--json"],
        &["show", "flaky", "--json"],
        &["summary", "--json"],
        &["mark", "read", "flaky", "-n", "--json"],
        &["mark", "read", "flaky", "nothing", "--json"],
        &["reply", "flaky", "--to", "claude", "--body", "b", "--json"],
        &["thread", "flaky", "--json"],
        &["archive", "--mark", "actioned", "token-lifetime", "--json"],
        &["sweep", "--json"],
        &["doctor", "--fix", "--json"],
        &["schedule", "print", "--systemd", "--json"],
        &["schedule", "remove", "--systemd", "--json"],
        &["inject", "CLAUDE.md", "no/such/folder.md", "--json"],
        &["setup", "claude", "--project", "--json"],
        &["setup", "--json"],
        &["show", "nothing", "--json"],
        &["--bogus", "--json"],
    ] {
        let document = at(args).document();
        keys(&document, &mut found);
    }
    for line in at(&["log", "--json"]).out.lines() {
        keys(&serde_json::from_str(line).unwrap(), &mut found);
    }
    let unknown: Vec<_> = found.iter().filter(|key| !documented.contains(key.as_str())).collect();
    assert!(unknown.is_empty(), "keys that docs/json.md does not tell of: {unknown:?}");
}
