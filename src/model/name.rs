//! Names that are parsed once and can never act as a path: agents, messages, threads.
//!
//! A value of these types has passed its rules, so code that builds a file name from one needs no
//! further check.

use std::fmt;

/// Why a text is no name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// The text is empty, or blank.
    #[error("a name must not be empty")]
    Empty,
    /// The text holds a path separator.
    #[error("a name must not hold a path separator: {0:?}")]
    Separator(String),
    /// The text consists of dots only, which a file system reads as a folder.
    #[error("a name must not consist of dots: {0:?}")]
    Dots(String),
    /// The text holds a control or invisible character.
    #[error("a name must not hold control or invisible characters: {0:?}")]
    Control(String),
    /// The text starts with a dash, which commands read as an option.
    #[error("a name must not start with a dash: {0:?}")]
    Dash(String),
    /// The text is longer than [`AgentName::MAX`] bytes.
    #[error("a name must not be longer than {max} bytes", max = AgentName::MAX)]
    Long,
}

/// An agent's name: the owner of an inbox, a sender, a recipient.
///
/// Letter case is kept; [`AgentName::matches`] compares without regard to it. Never a path: no
/// separators, dots-only, control or invisible characters, nor a leading dash (DESIGN §5).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AgentName(String);

impl AgentName {
    /// The longest name, in bytes: any name must fit into a file name.
    pub const MAX: usize = 120;

    /// Parses a name; blanks around it are dropped.
    ///
    /// # Errors
    /// [`NameError`] says which rule the text breaks.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        check(text).map(|name| Self(name.to_owned()))
    }

    /// The name as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `other` is this name, without regard to letter case.
    pub fn matches(&self, other: &str) -> bool {
        same(&self.0, other)
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether two names are the same without regard to letter case.
pub fn same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other) || one.to_lowercase() == other.to_lowercase()
}

/// A recipient as people write it: a name, with `(project)` behind it where the name alone is not
/// enough (the habit of the inter-agent inbox convention).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Recipient {
    /// The owner or alias that is meant.
    pub name: AgentName,
    /// The project folder's name, where one was given.
    pub project: Option<AgentName>,
    /// The name of the inbox that is meant, where somebody named one outright (`soma@web`).
    pub inbox: Option<String>,
}

impl Recipient {
    /// Parses `name` or `name (project)`; a project's name may hold brackets itself.
    ///
    /// # Errors
    /// [`NameError`] when the name or the project breaks the rules of names.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let text = text.trim_matches(' ');
        let inside = text.strip_suffix(')').unwrap_or_default();
        let mut parts = inside.match_indices('(').filter_map(|(at, _)| Some((inside.get(..at)?, inside.get(at + 1..)?)));
        let (name, project) = match parts.find(|(name, rest)| !name.trim().is_empty() && is_balanced(rest)) {
            Some((name, project)) => (AgentName::parse(name)?, Some(AgentName::parse(project)?)),
            None => (AgentName::parse(text)?, None),
        };
        Ok(Self { name, project, inbox: None })
    }
}

/// Whether every bracket that opens closes, and none closes before.
pub fn is_balanced(text: &str) -> bool {
    let depth = text.chars().try_fold(0_usize, |depth, c| match c {
        '(' => Some(depth + 1),
        ')' => depth.checked_sub(1),
        _ => Some(depth),
    });
    depth == Some(0)
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.project {
            Some(project) => write!(f, "{} ({project})", self.name),
            None => self.name.fmt(f),
        }
    }
}

/// A message's name inside its inbox: what `list` prints as `id` and every command takes back.
///
/// For files it is the name without its ending, or the whole name where the ending carries a
/// meaning of its own (`x.md.read`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId(String);

impl MessageId {
    /// Makes an id of a file name or stem that was read from a folder.
    pub fn of(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A conversation's name, as the headers `thread:` and `thread_tag:` carry it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(String);

impl ThreadId {
    /// Parses a thread name: one line of visible text.
    ///
    /// # Errors
    /// [`NameError`] when it is empty or holds control characters.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(NameError::Empty);
        }
        if text.chars().any(unseen) {
            return Err(NameError::Control(text.to_owned()));
        }
        Ok(Self(text.to_owned()))
    }

    /// The name as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn check(text: &str) -> Result<&str, NameError> {
    if text.chars().any(unseen) {
        return Err(NameError::Control(text.to_owned()));
    }
    let name = text.trim();
    if name.is_empty() {
        return Err(NameError::Empty);
    }
    if name.contains(['/', '\\']) {
        return Err(NameError::Separator(name.to_owned()));
    }
    if name.chars().all(|c| c == '.') {
        return Err(NameError::Dots(name.to_owned()));
    }
    if name.starts_with('-') {
        return Err(NameError::Dash(name.to_owned()));
    }
    if name.len() > AgentName::MAX {
        return Err(NameError::Long);
    }
    Ok(name)
}

/// Control characters, and those a person can't see: two names that look alike must be alike.
fn unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_names_are_names() {
        for name in ["ava", "Ben-2", "api.review", "José", "night clock", "@moss", "con"] {
            assert_eq!(AgentName::parse(name).map(|n| n.to_string()), Ok(name.to_owned()));
        }
        assert_eq!(AgentName::parse("  ava ").map(|n| n.to_string()), Ok("ava".to_owned()));
    }

    #[test]
    fn nothing_that_could_be_a_path_or_an_option_is_a_name() {
        for bad in ["", " ", ".", "..", "...", "a/b", "/etc", "../x", "a\\b", "-rf", "--", "x\ny", "x\x1by", "a\u{202e}b", "\t"] {
            assert!(AgentName::parse(bad).is_err(), "{bad:?}");
        }
        assert_eq!(AgentName::parse(&"x".repeat(121)), Err(NameError::Long));
    }

    #[test]
    fn a_recipient_may_name_its_project() {
        let r = Recipient::parse("soma (web app)").unwrap();
        assert_eq!((r.name.as_str(), r.project.as_ref().map(AgentName::as_str)), ("soma", Some("web app")));
        assert_eq!(r.to_string(), "soma (web app)");
        assert_eq!(Recipient::parse("ben").unwrap().project, None);
        for text in ["soma (web (old))", "x (y) (z)", "ops (infra)"] {
            assert_eq!(Recipient::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Recipient::parse("soma (web (old))").unwrap().name.as_str(), "soma");
        assert!(Recipient::parse("soma (../x)").is_err());
        assert!(Recipient::parse("soma ()").is_err());
    }

    #[test]
    fn names_match_without_regard_to_case() {
        assert!(AgentName::parse("Éva").unwrap().matches("éVA"));
        assert!(!AgentName::parse("ava").unwrap().matches("eva"));
    }
}
