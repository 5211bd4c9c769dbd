//! Codex CLI: `hooks.json` (or `[hooks]` in `config.toml`) in the shape of Claude Code's settings.
//!
//! A new hook is skipped without a word until the user trusts it in `/hooks`; that trust is the
//! user's to give and is never written by us. A fault in `config.toml` keeps Codex from starting at
//! all, while one in `hooks.json` costs that file's hooks only; so `hooks.json` is what we write.

use std::path::PathBuf;

use super::{Event, Level, Places, claude, registration};

/// The events that can be answered: Claude Code's names.
pub const EVENTS: [(&str, Event); 4] = claude::EVENTS;

/// What the user has to know after the hook was registered.
pub const TRUST: &str = "Codex runs a new hook only after you have trusted it: start codex, enter /hooks and approve it there. \
    Until then Codex skips it without a word, in `codex exec` too";

/// The hooks file.
pub fn settings(level: Level, places: &Places) -> Option<PathBuf> {
    Some(folder(level, places)?.join("hooks.json"))
}

/// The file that may switch hooks off, or hold hooks of its own.
pub fn config(level: Level, places: &Places) -> Option<PathBuf> {
    Some(folder(level, places)?.join("config.toml"))
}

fn folder(level: Level, places: &Places) -> Option<PathBuf> {
    match level {
        Level::Project => Some(places.project.join(".codex")),
        Level::User => places.codex.clone().or_else(|| Some(places.home.as_ref()?.join(".codex"))),
    }
}

/// What has to be said of a `config.toml`: hooks that are switched off, or hooks of its own, for
/// then Codex names both files whenever it starts.
pub fn remark(config: &str) -> Option<&'static str> {
    let config: toml::Table = config.parse().ok()?;
    let features = config.get("features").and_then(toml::Value::as_table);
    if ["hooks", "codex_hooks"].iter().any(|key| features.and_then(|f| f.get(*key)) == Some(&toml::Value::Boolean(false))) {
        return Some("hooks are switched off there ([features])");
    }
    events(&config).next().map(|_| "there are hooks in this file and in hooks.json, so Codex names both when it starts; both run")
}

/// Whether our hook is registered in a `config.toml`. `own` is the program that is asking.
pub fn is_registered(config: &str, own: &str) -> bool {
    let Ok(config) = config.parse::<toml::Table>() else { return false };
    let groups = events(&config).filter_map(|(_, groups)| groups.as_array()).flatten();
    let handlers = groups.filter_map(|group| group.get("hooks")?.as_array()).flatten();
    let mut commands = handlers.filter_map(|handler| handler.get("command")?.as_str());
    commands.any(|command| registration::is_call(super::Host::Codex, command, own))
}

/// The events with hooks; `[hooks.state]` is where Codex keeps trust.
fn events(config: &toml::Table) -> impl Iterator<Item = (&String, &toml::Value)> {
    let hooks = config.get("hooks").and_then(toml::Value::as_table);
    hooks.into_iter().flatten().filter(|(event, _)| *event != "state")
}
