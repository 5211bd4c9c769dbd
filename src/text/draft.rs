//! Drafts: a text with an optional header, as people write it in an editor or hand it over with
//! `--file`. A draft is new text, so nothing of it has to be kept byte for byte.

use gray_matter::engine::Engine;
use gray_matter::{Error, Matter, Pod};

/// A draft, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft {
    /// The header's keys in lower case, and their values, in order. Empty values are left out.
    pub fields: Vec<(String, String)>,
    /// The text behind it.
    pub body: String,
}

/// Hands the header through as text: it is read line by line here, never as typed YAML.
struct PassThrough;

impl Engine for PassThrough {
    fn parse(content: &str) -> Result<Pod, Error> {
        Ok(Pod::String(content.to_owned()))
    }
}

impl Draft {
    /// Takes a text apart. A text without a header is all body.
    pub fn read(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
        if !text.starts_with("---\n") {
            return Self { fields: Vec::new(), body: text };
        }
        let Ok(parsed) = Matter::<PassThrough>::new().parse::<Pod>(&text) else {
            return Self { fields: Vec::new(), body: text };
        };
        if parsed.matter.is_empty() && !text.starts_with("---\n---") {
            return Self { fields: Vec::new(), body: text };
        }
        let fields = parsed.matter.lines().filter_map(field).collect();
        let mut body = parsed.content;
        if text.ends_with('\n') && !body.is_empty() && !body.ends_with('\n') {
            body.push('\n');
        }
        Self { fields, body: body.trim_start_matches('\n').to_owned() }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.fields.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
    }
}

/// One line of a draft's header: `key: value`, quotes undone; comments and other lines are passed over.
fn field(line: &str) -> Option<(String, String)> {
    if line.starts_with(['#', ' ', '\t', '-']) {
        return None;
    }
    let (key, value) = line.split_once(':')?;
    let value = value.trim();
    let unquoted = ['"', '\''].into_iter().find_map(|q| value.strip_prefix(q)?.strip_suffix(q)).unwrap_or(value);
    (!unquoted.is_empty()).then(|| (key.trim().to_lowercase().replace('_', "-"), unquoted.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_with_a_header_is_taken_apart() {
        let draft = Draft::read("---\n# to whom\nto: ben, cal\nsubject: \"Hi: there\"\ntype:\n---\n\nHello\nthere\n");
        assert_eq!(draft.get("to"), Some("ben, cal"));
        assert_eq!(draft.get("subject"), Some("Hi: there"));
        assert_eq!(draft.get("type"), None);
        assert_eq!(draft.body, "Hello\nthere\n");
    }

    #[test]
    fn a_text_without_a_header_is_all_body() {
        for text in ["", "Hello\n", "# Title\n\n---\n\nmore\n", "--- not a fence\n", "---\nnever closed\n"] {
            let draft = Draft::read(text);
            assert!(draft.fields.is_empty(), "{text:?}");
            assert_eq!(draft.body, text);
        }
    }
}
