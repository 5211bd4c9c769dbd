//! The conventions of a good message, as help: what `send` remarks on (and refuses with `--strict`).

use std::sync::LazyLock;

use regex::Regex;

use crate::model::letter::Letter;
use crate::model::message::Warning;

/// The longest body that is still a message and no document, in bytes.
pub const BODY_CAP: usize = 8 << 10;

/// What a careful reader would ask the sender to mend.
pub fn remarks(letter: &Letter) -> Vec<Warning> {
    let body = letter.body.trim();
    let mut out = Vec::new();
    if letter.kind.eq_ignore_ascii_case("bug-report") && !has_file_reference(&letter.body) {
        out.push(Warning::new(
            "no-file-reference",
            "a bug report should say where: no file reference such as `src/keys.rs:41` in it",
        ));
    }
    if body.is_empty() {
        out.push(Warning::new("empty-body", "the body is empty"));
    }
    if letter.body.len() > BODY_CAP {
        let text =
            format!("the body has {} bytes; beyond {BODY_CAP} a file and a reference to it serve better", letter.body.len());
        out.push(Warning::new("long-body", text));
    }
    for (what, line) in secrets(&letter.body) {
        out.push(Warning::new("possible-secret", format!("line {line} of the body looks like it holds {what}")));
    }
    if secrets(&letter.subject).next().is_some() {
        out.push(Warning::new("possible-secret", "the subject looks like it holds a secret"));
    }
    if bundles_topics(&letter.subject) {
        out.push(Warning::new("several-topics", "the subject bundles several topics; one message each can be closed one by one"));
    }
    out
}

/// Whether a text names a file, or a place in one.
pub fn has_file_reference(text: &str) -> bool {
    static FILE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?:[\w.-]+/)+[\w.-]+|\b[\w-]{2,}\.[A-Za-z][A-Za-z0-9]{0,7}\b(?::\d+)?").ok());
    FILE.as_ref().is_some_and(|r| r.is_match(text))
}

/// Whether a subject is about several things at once.
pub fn bundles_topics(subject: &str) -> bool {
    let lower = subject.to_lowercase();
    lower.contains("and also") || subject.matches(';').count() >= 2
}

/// Places that look like well-known kinds of secrets: what it may be, and the line. The secret
/// itself is never given back.
pub fn secrets(text: &str) -> impl Iterator<Item = (&'static str, usize)> + '_ {
    static KINDS: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
        let kinds = [
            ("a private key", r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----"),
            ("an AWS access key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
            ("a GitHub token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})\b"),
            ("a GitLab token", r"\bglpat-[A-Za-z0-9_-]{20,}\b"),
            ("a Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
            ("an API key", r"\bsk-(?:ant-|proj-|live-)?[A-Za-z0-9_-]{20,}"),
            ("a Stripe key", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
            ("a Google API key", r"\bAIza[0-9A-Za-z_-]{35}"),
            ("an npm token", r"\bnpm_[A-Za-z0-9]{36}\b"),
            ("a JSON web token", r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
            ("a password in a URL", r"\b[a-z][a-z0-9+.-]*://[^/\s:@]+:[^/\s:@]{3,}@"),
        ];
        kinds.into_iter().filter_map(|(what, pattern)| Some((what, Regex::new(pattern).ok()?))).collect()
    });
    let hits = |(at, line): (usize, &str)| {
        let found: Vec<_> = KINDS.iter().filter(|(_, regex)| regex.is_match(line)).map(|&(what, _)| (what, at + 1)).collect();
        found
    };
    text.lines().enumerate().flat_map(hits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_references_are_seen() {
        for text in ["see src/keys.rs:41", "in `lints.toml`", "keys.rs", "docs/a/b", "at main.py:3"] {
            assert!(has_file_reference(text), "{text}");
        }
        for text in ["it is broken", "e.g. this", "1.5 times", "the end."] {
            assert!(!has_file_reference(text), "{text}");
        }
    }

    #[test]
    fn secrets_are_seen_by_their_shape() {
        let text = format!("fine\nkey: ghp_{}\npostgres://bob:hunter22@db/x", "a1B2".repeat(9));
        let found: Vec<_> = secrets(&text).collect();
        assert_eq!(found, [("a GitHub token", 2), ("a password in a URL", 3)]);
        assert_eq!(secrets("sk-learn and https://example.org/a:b and ask-me").count(), 0);
    }

    #[test]
    fn bundled_subjects_are_seen() {
        assert!(bundles_topics("Fix a; drop b; add c"));
        assert!(bundles_topics("Cache fix and also the docs"));
        assert!(!bundles_topics("Salt; pepper"));
    }
}
