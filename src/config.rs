//! What people settle once, in two TOML files, instead of saying it with each command.
//!
//! Plain values, handed down from the front end: nothing here opens a file or reads the
//! environment. The person's own file comes first; a project's `.postroom.toml` is laid over it
//! and is not trusted: it may come with somebody else's repository.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::layout::Dialect;
use crate::model::inbox::LayoutId;
use crate::model::name::{AgentName, same};
use crate::model::status::{Lifecycle, Status, StatusWords};

mod read;

/// The settings. [`Config::default`] is what holds without any file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Config {
    /// `agent`: who acts, where neither an option nor the environment says so. Default: nobody.
    pub agent: Option<AgentName>,
    /// `teams`: whether the inboxes of running hosts (layout `teams`) are shown. Default: false.
    pub teams: bool,
    /// `lifecycle`: whether forward moves may pass over a status. Default: `free`.
    pub lifecycle: Lifecycle,
    /// `[discovery]`.
    pub discovery: Discovery,
    /// `[sweep]`.
    pub sweep: Sweep,
    /// `[summary]`.
    pub summary: Summary,
    /// `[status-words]`: words that other tools write, each with the status it means, in the order
    /// of the files. Default: none beside the built-in ones.
    pub status_words: Vec<(String, Status)>,
    /// `[keys]`: other people's header keys in lower case, each with the convention's key. Default:
    /// none beside the built-in ones.
    pub keys: Vec<(String, String)>,
    /// `[[inbox]]`: inboxes elsewhere. Default: none.
    pub inboxes: Vec<ConfiguredInbox>,
    /// `[aliases]`: another name, and the inbox it stands for: a name, or an absolute path.
    /// Default: none.
    pub aliases: Vec<(String, String)>,
    /// `projects`: folders of projects whose inboxes may be written to, though they lie elsewhere;
    /// absolute. Default: none.
    pub projects: Vec<PathBuf>,
    /// `[hook]`.
    pub hook: Hook,
}

/// `[discovery]`: where inboxes are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovery {
    /// `parents`: whether folders above the project count. Default: true.
    pub parents: bool,
}

impl Default for Discovery {
    fn default() -> Self {
        Self { parents: true }
    }
}

/// `[sweep]`: what is archived on a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sweep {
    /// `older_than`: the age from which handled messages are archived, in whole days; exactly this
    /// old is not older. Default: 14.
    pub older_than_days: u32,
    /// `read_types`: types of messages that need no action, so that `read` counts as handled.
    /// Default: none.
    pub read_types: Vec<String>,
}

impl Default for Sweep {
    fn default() -> Self {
        Self { older_than_days: 14, read_types: Vec::new() }
    }
}

/// `[summary]`: the block for boot prompts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// `limit`: the most messages it lists. Default: 10.
    pub limit: usize,
    /// `max_chars`: its greatest length, in characters. Default: 8,000.
    pub max_chars: usize,
    /// `format`: the name of its template. Default: `default`.
    pub format: String,
    /// `templates`: folders with templates of one's own, absolute, the project's first. Whoever
    /// reads a project's must check that no link leads out of it. Default: none.
    pub templates: Vec<PathBuf>,
}

impl Default for Summary {
    fn default() -> Self {
        Self { limit: 10, max_chars: 8_000, format: "default".to_owned(), templates: Vec::new() }
    }
}

/// What the settings say of the messages in an inbox, which is the same wherever a command is started.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules {
    /// The words and keys beside the built-in ones.
    pub dialect: Dialect,
    /// Whether forward moves may pass over a status.
    pub lifecycle: Lifecycle,
    /// What a sweep takes.
    pub sweep: Sweep,
}

/// `[hook]`: what hooks may do in their hosts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hook {
    /// `block_stop`: whether unread mail keeps an agent from stopping. Default: false.
    pub block_stop: bool,
}

/// One `[[inbox]]`: an inbox, or several by one pattern, where discovery would not look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfiguredInbox {
    /// `path`: absolute; `*`, `?` and `**` stand for parts of names, and for folders.
    pub path: PathBuf,
    /// `layout`: the form on disk. Default: what the place looks like.
    pub layout: Option<LayoutId>,
    /// `owner`: the agent that reads it. Default: what the place says.
    pub owner: Option<AgentName>,
    /// `aliases`: other names of that agent. Default: none.
    pub aliases: Vec<String>,
    /// For an entry of a project's file, the folder that it must not leave, by links either;
    /// discovery checks that.
    pub within: Option<PathBuf>,
    /// The file and line that named it, for messages about it.
    pub origin: String,
}

/// What is wrong with a configuration file, all of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ConfigError {
    /// The file.
    pub path: PathBuf,
    /// Its faults in the order of its lines; at least one.
    pub faults: Vec<Fault>,
}

/// One fault of a configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong and what is right, in one clause.
    pub text: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.faults.iter().enumerate() {
            let end = if i == 0 { "" } else { "\n" };
            write!(f, "{end}{}:{}: {}", self.path.display(), fault.line, fault.text)?;
        }
        Ok(())
    }
}

impl Config {
    /// Reads a person's own file. `home` is what `~` stands for; other relative paths start at the
    /// file's folder.
    ///
    /// # Errors
    /// [`ConfigError`] with every fault: unknown keys, wrong types, values that mean nothing.
    pub fn parse_user(text: &str, path: &Path, home: Option<&Path>) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        read::lay_over(&mut config, text, path, &read::Trust::User { home })?;
        Ok(config)
    }

    /// Lays a project's file over these settings.
    ///
    /// Its plain values replace; its lists come first or are added. It can't name paths outside
    /// its project, other projects, nor what hooks do, and can't take over an alias.
    ///
    /// # Errors
    /// [`ConfigError`] as for [`Config::parse_user`], and for each key that is not a project's to set.
    pub fn with_project(&self, text: &str, path: &Path, project_root: &Path) -> Result<Self, ConfigError> {
        let mut config = self.clone();
        read::lay_over(&mut config, text, path, &read::Trust::Project { root: project_root })?;
        Ok(config)
    }

    /// What holds in the inboxes that these settings are for.
    pub fn rules(&self) -> Rules {
        let mut words = StatusWords::default();
        for (word, status) in &self.status_words {
            words.add(word, *status);
        }
        let dialect = Dialect { words, keys: self.keys.clone() };
        Rules { dialect, lifecycle: self.lifecycle, sweep: self.sweep.clone() }
    }

    /// What an alias stands for, in any letter case.
    pub fn alias(&self, name: &str) -> Option<&str> {
        self.aliases.iter().find(|(alias, _)| same(alias, name)).map(|(_, inbox)| inbox.as_str())
    }
}

/// Reads an age: `14d` or `2w`, as a number of days, at most a hundred years.
pub fn parse_days(text: &str) -> Option<u32> {
    let text = text.trim();
    let (number, days) = match text.strip_suffix(['w', 'W']) {
        Some(number) => (number, 7),
        None => (text.strip_suffix(['d', 'D'])?, 1),
    };
    if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    number.parse::<u32>().ok()?.checked_mul(days).filter(|days| *days <= 36_500)
}

/// Whether a text that stands for an inbox is a path, not a name. `soma@b/x` is a name.
pub fn looks_like_path(text: &str) -> bool {
    let before_slash = text.split_once('/').map(|(before, _)| before);
    text == "~"
        || matches!(text, "." | "..")
        || before_slash.is_some_and(|before| matches!(before, "" | "." | ".." | "~") || !before.contains('@'))
}

#[cfg(test)]
mod tests;
