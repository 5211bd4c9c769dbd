//! Drafts: a text with an optional header, as people write it in an editor or hand it over with
//! `--file`. A draft is new text, so nothing of it has to be kept byte for byte – and nothing of it may
//! be lost: what a header says that can't be used is a fault, never passed over.

use super::compose;
use super::frontmatter::{self, SplitError};
use super::header::{Field, IssueKind, Value};
use super::yaml;

/// What a key of a draft's header means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    /// Who sends it.
    From,
    /// Whom it is for.
    To,
    /// Who gets a copy.
    Cc,
    /// Who gets a copy that the others don't see.
    Bcc,
    /// What it is about.
    Subject,
    /// Its type.
    Type,
    /// How urgent it is.
    Priority,
    /// Its tags.
    Tags,
    /// The conversation it belongs to.
    Thread,
    /// What it answers.
    InReplyTo,
    /// The session or run it comes from.
    Origin,
}

impl Key {
    /// Every key, in the order in which a template has them.
    pub const ALL: [Self; 11] = [
        Self::From,
        Self::To,
        Self::Cc,
        Self::Bcc,
        Self::Subject,
        Self::Type,
        Self::Priority,
        Self::Tags,
        Self::Thread,
        Self::InReplyTo,
        Self::Origin,
    ];

    /// The key as the convention writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::From => "from",
            Self::To => "to",
            Self::Cc => "cc",
            Self::Bcc => "bcc",
            Self::Subject => "subject",
            Self::Type => "type",
            Self::Priority => "priority",
            Self::Tags => "tags",
            Self::Thread => "thread",
            Self::InReplyTo => "in-reply-to",
            Self::Origin => "origin",
        }
    }

    /// Reads a key in any letter case, by any of its names.
    pub fn parse(text: &str) -> Option<Self> {
        let name = text.trim().to_lowercase().replace(['_', ' '], "-");
        Some(match name.as_str() {
            "subject" | "title" | "topic" => Self::Subject,
            "priority" | "importance" => Self::Priority,
            "tags" | "tag" => Self::Tags,
            "thread" | "thread-tag" => Self::Thread,
            "in-reply-to" | "ref" => Self::InReplyTo,
            name => Self::ALL.into_iter().find(|key| key.as_str() == name)?,
        })
    }

    /// Whether it may have several values, which one line separates by commas.
    fn takes_several(self) -> bool {
        matches!(self, Self::To | Self::Cc | Self::Bcc | Self::Tags)
    }
}

/// What a draft's header says that can't be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DraftFault {
    /// A key that a new message has no use for.
    #[error("line {line}: {key:?} can't be said in a draft")]
    Unusable {
        /// The line, from 1.
        line: usize,
        /// The key as written.
        key: String,
    },
    /// A key whose meaning another line has.
    #[error("line {line}: {key:?} says again what a line above says")]
    Again {
        /// The line, from 1.
        line: usize,
        /// The key as written.
        key: String,
    },
    /// A value that is no text and no list of texts.
    #[error("line {line}: the value of {key:?} is no plain text")]
    NoText {
        /// The line, from 1.
        line: usize,
        /// The key as written.
        key: String,
    },
    /// A line that nobody can read.
    #[error("line {line}: {text}")]
    Broken {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        text: String,
    },
}

/// A draft, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft {
    /// What the header says. Keys without a value are left out.
    fields: Vec<(Key, Vec<String>)>,
    /// The text behind it.
    pub body: String,
}

impl Draft {
    /// A draft without a header.
    pub fn of_body(body: impl Into<String>) -> Self {
        Self { fields: Vec::new(), body: body.into() }
    }

    /// Takes a text apart. It has a header where it opens with one that holds at least one key of
    /// messages; everything else is body, also a line of dashes at its top.
    ///
    /// # Errors
    /// All that the header says and nobody can follow: keys that are not among `usable`, lines that
    /// can't be read.
    pub fn read(text: &str, usable: &[Key]) -> Result<Self, Vec<DraftFault>> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
        let split = match frontmatter::split(text.as_bytes(), true) {
            Ok(split) => split,
            Err(error @ (SplitError::Unclosed | SplitError::TooLarge)) if opens_with_a_key(&text) => {
                return Err(vec![DraftFault::Broken { line: 1, text: error.to_string() }]);
            }
            Err(_) => return Ok(Self::of_body(text)),
        };
        let header = yaml::read(text.as_bytes(), &split);
        if !header.fields.iter().any(|field| yaml::is_known_key(&field.key) || Key::parse(&field.key).is_some()) {
            return Ok(Self::of_body(text));
        }
        // A key that stands twice is told below, by what it means.
        let told = |kind| !matches!(kind, IssueKind::LeadingBlankLines | IssueKind::DuplicateKey);
        let issues = header.issues.iter().filter(|issue| told(issue.kind));
        let mut faults: Vec<_> =
            issues.map(|issue| DraftFault::Broken { line: issue.line, text: issue.text.to_string() }).collect();
        let mut fields: Vec<(Key, Vec<String>)> = Vec::new();
        for field in &header.fields {
            let (line, key) = (field.line, field.key.to_string());
            match Key::parse(&field.key).filter(|key| usable.contains(key)) {
                None => faults.push(DraftFault::Unusable { line, key }),
                Some(known) => match values(known, field) {
                    None => faults.push(DraftFault::NoText { line, key }),
                    Some(values) if values.is_empty() => {}
                    Some(_) if fields.iter().any(|(k, _)| *k == known) => faults.push(DraftFault::Again { line, key }),
                    Some(values) => fields.push((known, values)),
                },
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let body = text.get(split.body..).unwrap_or_default();
        Ok(Self { fields, body: body.trim_start_matches('\n').to_owned() })
    }

    /// The values of a key; none where the header does not say it.
    pub fn all(&self, key: Key) -> &[String] {
        self.fields.iter().find(|(k, _)| *k == key).map_or(&[], |(_, values)| values.as_slice())
    }

    /// The value of a key.
    pub fn get(&self, key: Key) -> Option<&str> {
        self.all(key).first().map(String::as_str)
    }

    /// Whether the header says nothing, or there is none.
    pub fn is_plain(&self) -> bool {
        self.fields.is_empty()
    }
}

/// Whether the first line below the fence is one of a header.
fn opens_with_a_key(text: &str) -> bool {
    let mut lines = text.trim_start().lines().skip(1).filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let key = lines.next().and_then(|line| line.split_once(':')).map(|(key, _)| key.trim());
    key.is_some_and(|key| yaml::is_known_key(key) || Key::parse(key).is_some())
}

/// The texts of a field; `None` where it holds something else.
fn values(key: Key, field: &Field<'_>) -> Option<Vec<String>> {
    let texts = match &field.value {
        Value::Absent => Vec::new(),
        // What stands behind ` #` in an unquoted subject is part of it.
        Value::Text(_) if key == Key::Subject => field.unabridged().map(str::to_owned).into_iter().collect(),
        Value::Text(text) if key.takes_several() => text.split(',').map(str::to_owned).collect(),
        Value::Text(text) => vec![text.to_string()],
        Value::List(items) if key.takes_several() => items.iter().map(ToString::to_string).collect(),
        Value::List(items) => match items.as_slice() {
            [] => Vec::new(),
            [one] => vec![one.to_string()],
            _ => return None,
        },
        Value::Unreadable(_) => return None,
    };
    let texts = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    Some(texts.map(str::to_owned).collect())
}

/// The header of a template to be filled in: remarks, then each key on a line of its own, with what is
/// known of it already.
pub fn template(remarks: &[&str], fields: &[(Key, Vec<String>)]) -> String {
    let mut out = String::from("---\n");
    for remark in remarks {
        out.push_str("# ");
        out.push_str(remark);
        out.push('\n');
    }
    for (key, values) in fields {
        out.push_str(key.as_str());
        out.push(':');
        match values.as_slice() {
            [] => {}
            [one] if !(key.takes_several() && one.contains(',')) => {
                out.push(' ');
                out.push_str(&compose::scalar(one));
            }
            several => {
                out.push(' ');
                out.push_str(&compose::list(several));
            }
        }
        out.push('\n');
    }
    out.push_str("---\n\n");
    out
}

#[cfg(test)]
#[path = "draft_tests.rs"]
mod tests;
