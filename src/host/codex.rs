//! Codex CLI: `hooks.json` (or `[hooks]` in `config.toml`) in the shape of Claude Code's settings.
//!
//! A new hook is skipped without a word until the user trusts it in `/hooks`; that trust is the
//! user's to give and is never written by us. A fault in `config.toml` keeps Codex from starting at
//! all, while one in `hooks.json` costs that file's hooks only; so `hooks.json` is what we write.

use std::path::PathBuf;

use super::{Event, Level, Places, claude};

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
