//! Cursor: flat entries in `hooks.json`, answers with snake-case keys at the top level.

use std::path::PathBuf;

use serde::Serialize;

use super::{Event, Level, Places};

/// The events that can be answered, as Cursor names them; then Claude's names, which stand in the
/// plugins that Cursor runs for Claude.
pub const EVENTS: [(&str, Event); 8] = [
    ("sessionStart", Event::Start),
    ("beforeSubmitPrompt", Event::Prompt),
    ("postToolUse", Event::Tool),
    ("stop", Event::Stop),
    ("SessionStart", Event::Start),
    ("UserPromptSubmit", Event::Prompt),
    ("PostToolUse", Event::Tool),
    ("Stop", Event::Stop),
];

/// What Cursor takes from a hook.
#[derive(Debug, Default, Serialize)]
pub(super) struct Answer<'a> {
    /// Said for a prompt only, where leaving it out could be taken for a refusal.
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    go_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    followup_message: Option<&'a str>,
}

impl<'a> Answer<'a> {
    pub(super) fn new(event: Event, text: &'a str) -> Self {
        match event {
            Event::Stop => Self { followup_message: Some(text), ..Self::default() },
            Event::Prompt => Self { go_on: Some(true), additional_context: Some(text), ..Self::default() },
            Event::Start | Event::Tool => Self { additional_context: Some(text), ..Self::default() },
        }
    }
}

/// The hooks file.
pub fn settings(level: Level, places: &Places) -> Option<PathBuf> {
    let root = match level {
        Level::Project => &places.project,
        Level::User => places.home.as_ref()?,
    };
    Some(root.join(".cursor").join("hooks.json"))
}
