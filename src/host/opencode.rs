//! `OpenCode`: a plugin file of ours that asks `postroom hook` and adds the answer to the message.
//!
//! `OpenCode` calls functions, no commands; so the file is ours whole, and is only ever replaced or
//! removed while it is byte for byte what we have written.

use std::path::PathBuf;

use super::{Event, Level, Places};

/// The events that our plugin passes on.
pub const EVENTS: [(&str, Event); 3] =
    [("session.compacted", Event::Start), ("chat.message", Event::Prompt), ("tool.execute.after", Event::Tool)];

/// The plugin with a place for the command.
const PLUGIN: &str = include_str!("opencode.js");

/// The plugin file.
pub fn settings(level: Level, places: &Places) -> Option<PathBuf> {
    let folder = match level {
        Level::Project => places.project.join(".opencode"),
        Level::User => places.config.clone().or_else(|| Some(places.home.as_ref()?.join(".config")))?.join("opencode"),
    };
    Some(folder.join("plugins").join("postroom.js"))
}

/// The text of the plugin that calls a program.
pub fn plugin(program: &str) -> String {
    let quoted = serde_json::Value::from(program).to_string();
    PLUGIN.replacen("\"postroom\"", &quoted, 1)
}

/// The program that a plugin of ours calls; `None` where the text is anything but such a plugin.
pub fn program(text: &str) -> Option<String> {
    let (before, after) = PLUGIN.split_once("\"postroom\"")?;
    let program = text.strip_prefix(before)?.strip_suffix(after)?;
    serde_json::from_str(program).ok()
}
