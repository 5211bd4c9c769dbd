//! The host tools whose agents are told of their mail: what each one asks, and in which shape it
//! takes an answer. A text in the shape of another host is dropped without a word.
//!
//! The way of a hook: the host's JSON on stdin → [`input::HookInput`] → [`Host::call`] says whether
//! this event speaks → `ops::hook` gathers what is new → [`Call::answer`] wraps it.
//! How a hook gets into a host's settings is in [`registration`], how our MCP server does in [`server`].

use std::path::PathBuf;

pub mod claude;
pub mod codex;
pub mod cursor;
pub mod gemini;
pub mod input;
pub mod line;
pub mod opencode;
pub mod registration;
pub mod server;
pub mod soma;

use input::HookInput;

/// A tool that runs agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Host {
    /// Claude Code.
    Claude,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Cursor.
    Cursor,
    /// `OpenCode`, through a plugin of ours.
    OpenCode,
    /// Soma, whose boot templates have a slot.
    Soma,
    /// Anything that takes plain text.
    Plain,
}

/// What happens in a host when it calls a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Event {
    /// A session starts, or starts anew: the agent's context is empty.
    Start,
    /// The user has sent a prompt.
    Prompt,
    /// A tool has run.
    Tool,
    /// The agent wants to stop.
    Stop,
}

impl Event {
    /// Whether it is the end of a turn.
    pub fn is_stop(self) -> bool {
        self == Self::Stop
    }
}

/// One call of a hook that is to be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// The host whose shape the answer takes. Not always the one named: Cursor runs Claude's hooks too.
    pub host: Host,
    /// What happened.
    pub event: Event,
    /// The event's name as the host spells it.
    pub name: &'static str,
    /// Whether the agent's context is new, so that it is told everything again.
    pub anew: bool,
    /// Whether the host is known to lose the text of this very call, so that it must not count as told.
    pub may_be_lost: bool,
}

/// Where a hook is registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    /// In the user's own settings: for every project.
    User,
    /// In the project's settings.
    Project,
}

/// The folders that hosts keep their settings in. Read from the environment by a front end.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The home folder.
    pub home: Option<PathBuf>,
    /// The root of the project.
    pub project: PathBuf,
    /// `$CLAUDE_CONFIG_DIR`, instead of `~/.claude`.
    pub claude: Option<PathBuf>,
    /// `$CODEX_HOME`, instead of `~/.codex`.
    pub codex: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME`, instead of `~/.config`.
    pub config: Option<PathBuf>,
}

impl Host {
    /// Every host that can be set up.
    pub const ALL: [Self; 6] = [Self::Claude, Self::Codex, Self::Gemini, Self::Cursor, Self::OpenCode, Self::Soma];

    /// The host's word on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::OpenCode => "opencode",
            Self::Soma => "soma",
            Self::Plain => "plain",
        }
    }

    /// Reads a host's word, in any letter case; `claude-code` and the like are understood.
    pub fn parse(word: &str) -> Option<Self> {
        let word = word.trim_ascii().to_ascii_lowercase();
        let word = word.strip_suffix("-code").or_else(|| word.strip_suffix("-cli")).unwrap_or(&word);
        Self::ALL.into_iter().chain([Self::Plain]).find(|host| host.as_str() == word)
    }

    /// The host that a process runs in, by the variables it sets; the last resort where none is named.
    /// Cursor and Gemini also set Claude's, so theirs are asked for first.
    pub fn guess(is_set: impl Fn(&str) -> bool) -> Option<Self> {
        const SIGNS: [(&str, Host); 3] =
            [("CURSOR_VERSION", Host::Cursor), ("GEMINI_SESSION_ID", Host::Gemini), ("CLAUDE_PROJECT_DIR", Host::Claude)];
        SIGNS.into_iter().find(|(name, _)| is_set(name)).map(|(_, host)| host)
    }

    /// The name of the program, as people know it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex CLI",
            Self::Gemini => "Gemini CLI",
            Self::Cursor => "Cursor",
            Self::OpenCode => "OpenCode",
            Self::Soma => "Soma",
            Self::Plain => "plain text",
        }
    }

    /// The names of its programs.
    pub fn programs(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &["claude"],
            Self::Codex => &["codex"],
            Self::Gemini => &["gemini"],
            Self::Cursor => &["cursor", "cursor-agent"],
            Self::OpenCode => &["opencode"],
            Self::Soma => &["soma"],
            Self::Plain => &[],
        }
    }

    fn events(self) -> &'static [(&'static str, Event)] {
        match self {
            Self::Claude => &claude::EVENTS,
            Self::Codex => &codex::EVENTS,
            Self::Gemini => &gemini::EVENTS,
            Self::Cursor => &cursor::EVENTS,
            Self::OpenCode => &opencode::EVENTS,
            Self::Soma | Self::Plain => &[],
        }
    }

    /// The settings file that a hook is registered in; `None` where there is none, or no home folder.
    pub fn settings(self, level: Level, places: &Places) -> Option<PathBuf> {
        match self {
            Self::Claude => claude::settings(level, places),
            Self::Codex => codex::settings(level, places),
            Self::Gemini => gemini::settings(level, places),
            Self::Cursor => cursor::settings(level, places),
            Self::OpenCode => opencode::settings(level, places),
            Self::Soma | Self::Plain => None,
        }
    }

    /// Whether and how a call is to be answered; `None`: with silence.
    ///
    /// - An event that no text can be given to, or that is not known: silence.
    /// - No event named at all: as at the start of a session, so that a failing host is not taken for
    ///   an empty inbox, and a person who tries the command sees what it would say.
    /// - Inside a subagent: silence, for the session would count what the main agent never saw.
    /// - A stop: silence unless `block_stop`; and always while a stop is already being held up, or
    ///   after a turn that failed.
    pub fn call(self, input: &HookInput, block_stop: bool) -> Option<Call> {
        // Cursor runs the hooks of Claude's plugins as well, and then wants its own shape.
        let host = if self == Self::Claude && input.by_cursor { Self::Cursor } else { self };
        if input.in_subagent {
            return None;
        }
        let events = host.events();
        let (name, event) = match input.event.as_deref() {
            Some(given) if !events.is_empty() => *events.iter().find(|(name, _)| *name == given)?,
            Some(given) => Self::ALL.iter().flat_map(|h| h.events()).find(|(name, _)| *name == given).copied()?,
            None => events.iter().find(|(_, event)| *event == Event::Start).copied().unwrap_or(("SessionStart", Event::Start)),
        };
        let failed = input.status.as_deref().map_or(host == Self::Cursor, |status| status != "completed");
        if event == Event::Stop && (!block_stop || input.stop_active || failed) {
            return None;
        }
        let may_be_lost = host == Self::Gemini && event == Event::Start && input.source.as_deref() == Some("clear");
        Some(Call { host, event, name, anew: event == Event::Start, may_be_lost })
    }
}

impl Call {
    /// A text in the exact shape of the host, with its last line end; `None` where the event can't
    /// carry one.
    pub fn answer(&self, text: &str) -> Option<String> {
        let name = self.name;
        match (self.host, self.event) {
            (Host::Claude | Host::Codex, Event::Stop) => line(&claude::Hold { decision: "block", reason: text }),
            (Host::Gemini, Event::Stop) => line(&claude::Hold { decision: "deny", reason: text }),
            (Host::Claude | Host::Codex | Host::Gemini, _) => line(&claude::Context::new(name, text)),
            (Host::Cursor, event) => line(&cursor::Answer::new(event, text)),
            (Host::OpenCode, Event::Stop) => None,
            (Host::OpenCode | Host::Soma | Host::Plain, _) => Some(format!("{}\n", text.trim_end())),
        }
    }
}

fn line(answer: &impl serde::Serialize) -> Option<String> {
    let mut json = serde_json::to_string(answer).ok()?;
    json.push('\n');
    Some(json)
}

#[cfg(test)]
#[path = "host_tests.rs"]
mod tests;
