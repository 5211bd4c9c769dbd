//! From TOML text to settings: each key checked, every fault of a file told at once.
//!
//! The TOML tree is walked by hand: a derived reader stops at the first fault, and knows neither the
//! line nor the key that was meant.

use std::path::{Component, Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Config, ConfigError, ConfiguredInbox, Fault, parse_days};
use crate::model::inbox::LayoutId;
use crate::model::name::{AgentName, same};
use crate::model::status::{Lifecycle, Status};
use crate::text::nearest::nearest;

/// The most faults that are told of one file.
const MAX_FAULTS: usize = 20;

/// The tables of the file, each with its keys; the first is the file itself. Tables whose keys are
/// the reader's own words have none here.
const TABLES: [(&str, &[&str]); 6] = [
    (
        "",
        &[
            "agent",
            "teams",
            "lifecycle",
            "projects",
            "discovery",
            "sweep",
            "summary",
            "hook",
            "status-words",
            "keys",
            "inbox",
            "aliases",
        ],
    ),
    ("[discovery]", &["parents"]),
    ("[sweep]", &["older_than", "read_types"]),
    ("[summary]", &["limit", "max_chars", "format", "templates"]),
    ("[hook]", &["block_stop"]),
    ("[[inbox]]", &["path", "layout", "owner", "aliases"]),
];

/// The convention's header keys: what `[keys]` may lead to.
const HEADER_KEYS: [&str; 14] = [
    "id",
    "from",
    "to",
    "cc",
    "subject",
    "date",
    "type",
    "priority",
    "status",
    "thread",
    "in-reply-to",
    "origin",
    "tags",
    "reply_to",
];

/// Whose file it is.
pub(super) enum Trust<'a> {
    /// The person's own: anything goes.
    User {
        /// What `~` stands for.
        home: Option<&'a Path>,
    },
    /// A project's, which may be a stranger's: nothing outside the project.
    Project {
        /// The project's folder.
        root: &'a Path,
    },
}

/// Reads a file's text and lays it over settings; they are only good if no fault is returned.
pub(super) fn lay_over(config: &mut Config, text: &str, path: &Path, trust: &Trust<'_>) -> Result<(), ConfigError> {
    // Editors put a byte order mark in front, which TOML has no place for.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader { text, path, trust, faults: Vec::new() };
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        reader.fault(error.span().map_or(0, |s| s.start), format!("not TOML: {}", error.message()));
    }
    if errors.is_empty() {
        reader.root(config, table.get_ref());
    }
    let mut faults = reader.faults;
    faults.sort_by_key(|f| f.line);
    faults.truncate(MAX_FAULTS);
    if faults.is_empty() { Ok(()) } else { Err(ConfigError { path: path.to_owned(), faults }) }
}

type Value<'a> = Spanned<DeValue<'a>>;

struct Reader<'a> {
    text: &'a str,
    path: &'a Path,
    trust: &'a Trust<'a>,
    faults: Vec<Fault>,
}

impl Reader<'_> {
    fn root(&mut self, config: &mut Config, table: &DeTable<'_>) {
        for (at, key, value) in self.known("", table) {
            match key {
                "agent" => {
                    if let Some(agent) = self.name(key, value) {
                        config.agent = Some(agent);
                    }
                }
                "teams" => self.boolean(key, value, &mut config.teams),
                "lifecycle" => match self.text(key, value).as_deref() {
                    Some("free") => config.lifecycle = Lifecycle::Free,
                    Some("strict") => config.lifecycle = Lifecycle::Strict,
                    Some(other) => self.fault(at, format!("lifecycle must be \"free\" or \"strict\", not {other:?}")),
                    None => {}
                },
                "projects" => self.projects(config, at, value),
                "discovery" => self.discovery(config, value),
                "sweep" => self.sweep(config, value),
                "summary" => self.summary(config, value),
                "hook" => self.hook(config, at, value),
                "status-words" => self.status_words(config, value),
                "keys" => self.keys(config, value),
                "inbox" => self.inboxes(config, value),
                _ => self.aliases(config, value),
            }
        }
    }

    fn projects(&mut self, config: &mut Config, at: usize, value: &Value<'_>) {
        if self.refuse_to_project(at, "projects") {
            return;
        }
        for text in self.texts("projects", value) {
            if let Some(path) = self.place(at, "projects", &text) {
                config.projects.push(path);
            }
        }
    }

    fn discovery(&mut self, config: &mut Config, value: &Value<'_>) {
        let Some(table) = self.table("[discovery]", value) else { return };
        for (_, key, value) in self.known("[discovery]", table) {
            self.boolean(key, value, &mut config.discovery.parents);
        }
    }

    fn sweep(&mut self, config: &mut Config, value: &Value<'_>) {
        let Some(table) = self.table("[sweep]", value) else { return };
        for (at, key, value) in self.known("[sweep]", table) {
            if key == "read_types" {
                config.sweep.read_types = self.texts(key, value);
            } else if let Some(text) = self.text(key, value) {
                match parse_days(&text) {
                    Some(days) => config.sweep.older_than_days = days,
                    None => self.fault(at, format!("older_than must be an age such as \"14d\" or \"2w\", not {text:?}")),
                }
            }
        }
    }

    fn summary(&mut self, config: &mut Config, value: &Value<'_>) {
        let Some(table) = self.table("[summary]", value) else { return };
        for (at, key, value) in self.known("[summary]", table) {
            match key {
                "limit" => self.number(key, value, 1, 1_000, &mut config.summary.limit),
                "max_chars" => self.number(key, value, 100, 1_000_000, &mut config.summary.max_chars),
                "format" => {
                    if let Some(name) = self.text(key, value) {
                        match AgentName::parse(&name) {
                            Ok(_) => name.trim().clone_into(&mut config.summary.format),
                            Err(_) => self.fault(at, format!("format must be the plain name of a template, not {name:?}")),
                        }
                    }
                }
                _ => {
                    let place = self.text(key, value).and_then(|text| self.place(at, key, &text));
                    config.summary.templates.splice(0..0, place);
                }
            }
        }
    }

    fn hook(&mut self, config: &mut Config, at: usize, value: &Value<'_>) {
        // A cloned repository must not be able to keep an agent from stopping.
        if self.refuse_to_project(at, "[hook]") {
            return;
        }
        let Some(table) = self.table("[hook]", value) else { return };
        for (_, key, value) in self.known("[hook]", table) {
            self.boolean(key, value, &mut config.hook.block_stop);
        }
    }

    fn status_words(&mut self, config: &mut Config, value: &Value<'_>) {
        let Some(table) = self.table("[status-words]", value) else { return };
        for (at, word, value) in in_order(table) {
            let Some(means) = self.text(word, value) else { continue };
            let Some(status) = Status::from_word(&means) else {
                let known = Status::ALL.map(Status::word);
                let near = nearest(&means, known).unwrap_or_default();
                self.fault(at, format!("{word:?} must mean one of {}, not {means:?} (nearest: {near:?})", quoted(&known)));
                continue;
            };
            let word = word.trim();
            let canonical = Status::ALL.into_iter().find(|s| same(s.word(), word));
            if word.is_empty() || word.chars().any(char::is_control) {
                self.fault(at, "a status word must be one line of visible text".to_owned());
            } else if canonical.is_some_and(|s| s != status) {
                self.fault(at, format!("{word:?} is one of the four statuses and can't mean {means:?}"));
            } else {
                config.status_words.push((word.to_owned(), status));
            }
        }
    }

    fn keys(&mut self, config: &mut Config, value: &Value<'_>) {
        let Some(table) = self.table("[keys]", value) else { return };
        for (at, theirs, value) in in_order(table) {
            let Some(ours) = self.text(theirs, value) else { continue };
            let ours = ours.trim().to_lowercase();
            let Some(known) = HEADER_KEYS.into_iter().find(|k| *k == ours || k.replace('-', "_") == ours) else {
                let near = nearest(&ours, HEADER_KEYS).unwrap_or_default();
                self.fault(at, format!("{theirs:?} must stand for a key of the convention, not {ours:?} (nearest: {near:?})"));
                continue;
            };
            let theirs = theirs.trim().to_lowercase();
            if theirs.is_empty() || theirs.contains(|c: char| c == ':' || c.is_whitespace() || c.is_control()) {
                self.fault(at, format!("{theirs:?} can't be a header key: one word without a colon"));
            } else if HEADER_KEYS.contains(&theirs.as_str()) && theirs != known {
                self.fault(at, format!("{theirs:?} is a key of the convention itself and can't stand for {known:?}"));
            } else {
                config.keys.push((theirs, known.to_owned()));
            }
        }
    }

    fn inboxes(&mut self, config: &mut Config, value: &Value<'_>) {
        let DeValue::Array(entries) = value.get_ref() else {
            self.fault(value.span().start, format!("[[inbox]] must be a list of tables, not {}", kind(value)));
            return;
        };
        for entry in entries {
            let Some(table) = self.table("[[inbox]]", entry) else { continue };
            let line = self.line(entry.span().start);
            let within = match self.trust {
                Trust::User { .. } => None,
                Trust::Project { root } => Some((*root).to_owned()),
            };
            let mut inbox = ConfiguredInbox {
                path: PathBuf::new(),
                layout: None,
                owner: None,
                aliases: Vec::new(),
                within,
                origin: format!("{}:{line}", self.path.display()),
            };
            let faults = self.faults.len();
            for (at, key, value) in self.known("[[inbox]]", table) {
                match key {
                    "path" => {
                        let path = self.text(key, value).and_then(|text| self.place(at, key, &text));
                        inbox.path = path.unwrap_or_default();
                    }
                    "layout" => inbox.layout = self.layout(at, value),
                    "owner" => inbox.owner = self.name(key, value),
                    _ => inbox.aliases = self.names(at, key, value),
                }
            }
            if !table.keys().any(|k| k.get_ref() == "path") {
                self.fault(entry.span().start, "[[inbox]] needs a path".to_owned());
            }
            if self.faults.len() == faults {
                config.inboxes.push(inbox);
            }
        }
    }

    fn aliases(&mut self, config: &mut Config, value: &Value<'_>) {
        let Some(table) = self.table("[aliases]", value) else { return };
        for (at, alias, value) in in_order(table) {
            let Some(text) = self.text(alias, value) else { continue };
            let target = if super::looks_like_path(&text) {
                self.place(at, alias, &text).map(|p| p.to_string_lossy().into_owned())
            } else {
                Some(text.trim().to_owned())
            };
            let (Some(target), Some(alias)) = (target, self.valid_name(at, alias)) else { continue };
            // The person's own aliases come first in the list, and the first one found counts.
            config.aliases.push((alias.as_str().to_owned(), target));
        }
    }

    fn layout(&mut self, at: usize, value: &Value<'_>) -> Option<LayoutId> {
        let text = self.text("layout", value)?;
        let layout = LayoutId::parse(&text);
        if layout.is_none() {
            let known = [LayoutId::Soma, LayoutId::Agents, LayoutId::Json, LayoutId::Teams].map(LayoutId::as_str);
            let near = nearest(&text, known).unwrap_or_default();
            self.fault(at, format!("unknown layout {text:?}: it must be one of {} (nearest: {near:?})", quoted(&known)));
        }
        layout
    }

    /// A path as written, made absolute; a fault where a project's file leads out of the project.
    fn place(&mut self, at: usize, key: &str, text: &str) -> Option<PathBuf> {
        if text.trim().is_empty() || text.contains('\0') {
            self.fault(at, format!("{key} must name a path"));
            return None;
        }
        let base = self.path.parent().unwrap_or(Path::new("/"));
        match *self.trust {
            Trust::User { home } => match (text.strip_prefix('~'), home) {
                (None, _) => Some(base.join(text)),
                (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
                    Some(home.join(rest.trim_start_matches('/')))
                }
                (Some(_), Some(_)) => {
                    self.fault(at, format!("{key}: only ~/ stands for a home folder, not {text:?}"));
                    None
                }
                (Some(_), None) => {
                    self.fault(at, format!("{key}: no home folder is known for {text:?}"));
                    None
                }
            },
            Trust::Project { root } => {
                let inside = folded(&root.join(text)).filter(|p| !text.starts_with('~') && p.starts_with(root));
                if inside.is_none() {
                    self.fault(at, format!("{key} leads out of the project, which a project's file must not: {text:?}"));
                }
                inside
            }
        }
    }

    /// Says that a key is not for a project's file to set, where this is one.
    fn refuse_to_project(&mut self, at: usize, key: &str) -> bool {
        let refused = matches!(self.trust, Trust::Project { .. });
        if refused {
            self.fault(at, format!("{key} is only for your own configuration: a project's file is not trusted with it"));
        }
        refused
    }

    /// The known entries of a table in the order of the file; the others are faults.
    fn known<'t, 'd>(&mut self, name: &str, table: &'t DeTable<'d>) -> Vec<(usize, &'static str, &'t Value<'d>)> {
        let keys = TABLES.iter().find(|(t, _)| *t == name).map_or(&[] as &[&str], |(_, keys)| keys);
        let mut out = Vec::new();
        for (at, key, value) in in_order(table) {
            match keys.iter().find(|k| **k == key) {
                Some(known) => out.push((at, *known, value)),
                None => self.unknown(at, name, key, keys),
            }
        }
        out
    }

    fn unknown(&mut self, at: usize, table: &str, key: &str, keys: &[&str]) {
        let place = if table.is_empty() { String::new() } else { format!(" in {table}") };
        // A key of another table is a frequent slip: TOML's plain keys must come before the tables.
        let elsewhere = TABLES.iter().find(|(_, keys)| keys.contains(&key)).map(|(table, _)| *table);
        let hint = match elsewhere {
            Some("") => "it belongs at the top of the file".to_owned(),
            Some(table) => format!("it belongs into {table}"),
            None => format!("the nearest known key is {:?}", nearest(key, keys.iter().copied()).unwrap_or_default()),
        };
        self.fault(at, format!("unknown key {key:?}{place}: {hint}"));
    }

    fn table<'t, 'd>(&mut self, name: &str, value: &'t Value<'d>) -> Option<&'t DeTable<'d>> {
        let DeValue::Table(table) = value.get_ref() else {
            self.fault(value.span().start, format!("{name} must be a table, not {}", kind(value)));
            return None;
        };
        Some(table)
    }

    fn text(&mut self, key: &str, value: &Value<'_>) -> Option<String> {
        let DeValue::String(text) = value.get_ref() else {
            self.fault(value.span().start, format!("{key} must be text in quotes, not {}", kind(value)));
            return None;
        };
        Some(text.clone().into_owned())
    }

    fn texts(&mut self, key: &str, value: &Value<'_>) -> Vec<String> {
        let DeValue::Array(values) = value.get_ref() else {
            self.fault(value.span().start, format!("{key} must be a list of texts, not {}", kind(value)));
            return Vec::new();
        };
        values.iter().filter_map(|v| self.text(&format!("each of {key}"), v)).collect()
    }

    fn boolean(&mut self, key: &str, value: &Value<'_>, out: &mut bool) {
        match value.get_ref() {
            DeValue::Boolean(yes) => *out = *yes,
            _ => self.fault(value.span().start, format!("{key} must be true or false, not {}", kind(value))),
        }
    }

    fn number(&mut self, key: &str, value: &Value<'_>, least: usize, most: usize, out: &mut usize) {
        let number = match value.get_ref() {
            DeValue::Integer(n) => usize::from_str_radix(&n.as_str().replace('_', ""), n.radix()).ok(),
            _ => None,
        };
        match number {
            Some(n) if (least..=most).contains(&n) => *out = n,
            _ => self.fault(value.span().start, format!("{key} must be a whole number from {least} to {most}")),
        }
    }

    fn name(&mut self, key: &str, value: &Value<'_>) -> Option<AgentName> {
        let text = self.text(key, value)?;
        self.valid_name(value.span().start, &text)
    }

    fn names(&mut self, at: usize, key: &str, value: &Value<'_>) -> Vec<String> {
        let texts = self.texts(key, value);
        texts.iter().filter_map(|t| self.valid_name(at, t)).map(|n| n.as_str().to_owned()).collect()
    }

    fn valid_name(&mut self, at: usize, text: &str) -> Option<AgentName> {
        AgentName::parse(text).map_err(|error| self.fault(at, error.to_string())).ok()
    }

    fn fault(&mut self, at: usize, text: String) {
        let line = self.line(at);
        self.faults.push(Fault { line, text });
    }

    fn line(&self, at: usize) -> usize {
        1 + self.text.bytes().take(at).filter(|b| *b == b'\n').count()
    }
}

/// A table's entries in the order of the file, which the parser does not keep: of two words for one
/// status, the later one is written.
fn in_order<'t, 'd>(table: &'t DeTable<'d>) -> Vec<(usize, &'t str, &'t Value<'d>)> {
    let mut entries: Vec<_> = table.iter().map(|(k, v)| (k.span().start, k.get_ref().as_ref(), v)).collect();
    entries.sort_by_key(|(at, ..)| *at);
    entries
}

/// What a value is, for people.
fn kind(value: &Value<'_>) -> &'static str {
    match value.get_ref() {
        DeValue::String(_) => "text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|w| format!("{w:?}")).collect::<Vec<_>>().join(", ")
}

/// A path without `.` and `..`, by its text alone; `None` where it climbs above the root.
fn folded(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    return None;
                }
            }
            other => out.push(other),
        }
    }
    Some(out)
}

/// The known tables and keys, for the test that holds the example to them.
#[cfg(test)]
pub(super) fn tables() -> [(&'static str, &'static [&'static str]); 6] {
    TABLES
}
