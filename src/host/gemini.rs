//! Gemini CLI: hooks in `settings.json` with names of its own; time-outs in milliseconds.
//!
//! Plain text would be shown to the user, not the model; where stdout is empty, stderr is read in
//! its place; an exit status other than 0 and 1 denies the prompt. Context given at a session start
//! after `/clear` can get lost, so it does not count as told.

use std::path::PathBuf;

use super::{Event, Level, Places};

/// The events that can be answered, as Gemini CLI names them.
pub const EVENTS: [(&str, Event); 4] =
    [("SessionStart", Event::Start), ("BeforeAgent", Event::Prompt), ("AfterTool", Event::Tool), ("AfterAgent", Event::Stop)];

/// The settings file.
pub fn settings(level: Level, places: &Places) -> Option<PathBuf> {
    let root = match level {
        Level::Project => &places.project,
        Level::User => places.home.as_ref()?,
    };
    Some(root.join(".gemini").join("settings.json"))
}
