//! Claude Code: hooks in `settings.json`, context inside `hookSpecificOutput`. Codex and Gemini CLI
//! took over this shape, each with names and limits of its own.

use std::path::PathBuf;

use serde::Serialize;

use super::{Event, Level, Places};

/// The events that can be answered, as Claude Code names them.
pub const EVENTS: [(&str, Event); 4] =
    [("SessionStart", Event::Start), ("UserPromptSubmit", Event::Prompt), ("PostToolUse", Event::Tool), ("Stop", Event::Stop)];

/// `{"hookSpecificOutput":{"hookEventName":…,"additionalContext":…}}`. At the top level
/// `additionalContext` would be ignored, and Codex refuses every key it does not know.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Context<'a> {
    hook_specific_output: Inner<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Inner<'a> {
    hook_event_name: &'a str,
    additional_context: &'a str,
}

impl<'a> Context<'a> {
    pub(super) fn new(hook_event_name: &'a str, additional_context: &'a str) -> Self {
        Self { hook_specific_output: Inner { hook_event_name, additional_context } }
    }
}

/// `{"decision":…,"reason":…}`: holds up a stop. The stop event knows no `hookSpecificOutput` in Codex.
#[derive(Debug, Serialize)]
pub(super) struct Hold<'a> {
    pub(super) decision: &'static str,
    pub(super) reason: &'a str,
}

/// The settings file.
pub fn settings(level: Level, places: &Places) -> Option<PathBuf> {
    let folder = match level {
        Level::Project => places.project.join(".claude"),
        Level::User => places.claude.clone().or_else(|| Some(places.home.as_ref()?.join(".claude")))?,
    };
    Some(folder.join("settings.json"))
}
