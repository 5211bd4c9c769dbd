//! The conventions of a good message, as help: what `send` remarks on (and refuses with `--strict`).

use std::sync::{LazyLock, OnceLock};

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
    /// What a name is made of. Other alphabets' letters are let through whole: tables of which of them
    /// are letters would be the largest part of what a start loads.
    const NAME: &str = "A-Za-z0-9_\\-\u{80}-\u{10FFFF}";
    static FILE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(&format!("(?:[{NAME}.]+/)+[{NAME}.]+|[{NAME}]{{2,}}\\.[A-Za-z][A-Za-z0-9]{{0,7}}(?-u:\\b)(?::[0-9]+)?")).ok()
    });
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
    text.lines().zip(1..).flat_map(|(line, number)| SECRETS.iter().filter(|s| s.is_in(line)).map(move |s| (s.what, number)))
}

/// How a kind of secret looks.
struct Secret {
    what: &'static str,
    /// One of these is in every such secret. Looked for first: a pattern takes longer to set up than
    /// the rest of a send, and nearly no text needs one.
    marks: &'static [&'static str],
    pattern: &'static str,
    regex: OnceLock<Option<Regex>>,
}

static SECRETS: [Secret; 11] = [
    Secret::new("a private key", &["-----BEGIN "], r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----"),
    Secret::new("an AWS access key", &["AKIA", "ASIA"], r"(?-u:\b)(?:AKIA|ASIA)[0-9A-Z]{16}(?-u:\b)"),
    Secret::new(
        "a GitHub token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        r"(?-u:\b)(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})(?-u:\b)",
    ),
    Secret::new("a GitLab token", &["glpat-"], r"(?-u:\b)glpat-[A-Za-z0-9_-]{20,}(?-u:\b)"),
    Secret::new("a Slack token", &["xox"], r"(?-u:\b)xox[abeoprs]-[A-Za-z0-9-]{10,}"),
    Secret::new("an API key", &["sk-"], r"(?-u:\b)sk-(?:ant-|proj-|live-)?[A-Za-z0-9_-]{20,}"),
    Secret::new("a Stripe key", &["k_live_", "k_test_"], r"(?-u:\b)[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    Secret::new("a Google API key", &["AIza"], r"(?-u:\b)AIza[0-9A-Za-z_-]{35}"),
    Secret::new("an npm token", &["npm_"], r"(?-u:\b)npm_[A-Za-z0-9]{36}(?-u:\b)"),
    Secret::new("a JSON web token", &["eyJ"], r"(?-u:\b)eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    Secret::new("a password in a URL", &["://"], r"(?-u:\b)[a-z][a-z0-9+.-]*://[^/ \t:@]+:[^/ \t:@]{3,}@"),
];

impl Secret {
    const fn new(what: &'static str, marks: &'static [&'static str], pattern: &'static str) -> Self {
        Self { what, marks, pattern, regex: OnceLock::new() }
    }

    fn is_in(&self, line: &str) -> bool {
        let regex = || self.regex.get_or_init(|| Regex::new(self.pattern).ok()).as_ref();
        self.marks.iter().any(|mark| line.contains(mark)) && regex().is_some_and(|r| r.is_match(line))
    }
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

    /// Tests are built with the tables, the program is not: there a pattern that needs them is none.
    #[test]
    fn no_pattern_needs_tables_of_letters() {
        for Secret { pattern, .. } in &SECRETS {
            let bare = pattern.replace(r"(?-u:\b)", "");
            assert!(![r"\b", r"\w", r"\s", r"\d", r"\p", "(?i"].iter().any(|class| bare.contains(class)), "{pattern}");
        }
    }

    #[test]
    fn every_kind_of_secret_is_seen() {
        let long = "a1B2".repeat(10);
        let samples = [
            "-----BEGIN OPENSSH PRIVATE KEY-----".to_owned(),
            "(AKIAABCDEFGHIJKLMNOP)".to_owned(),
            format!("github_pat_{long}"),
            format!("glpat-{long}"),
            format!("xoxb-{long}"),
            format!("sk-proj-{long}"),
            format!("rk_test_{long}"),
            format!("AIza{}", &long[..35]),
            format!("npm_{}", &long[..36]),
            format!("eyJ{long}.eyJ{long}.{long}"),
            "redis://:x, amqp://me:pass@host".to_owned(),
        ];
        assert_eq!(samples.len(), SECRETS.len());
        for (sample, kind) in samples.iter().zip(&SECRETS) {
            assert_eq!(secrets(sample).collect::<Vec<_>>(), [(kind.what, 1)], "{sample}");
        }
        let prefixes = ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"];
        assert!(prefixes.iter().all(|prefix| secrets(&format!("{prefix}{long}")).count() == 1));
        assert!(["ASIA", "AKIA"].iter().all(|prefix| secrets(&format!("{prefix}ABCDEFGHIJKLMNOP")).count() == 1));
        assert!(["sk_live_", "rk_live_", "sk_test_"].iter().all(|prefix| secrets(&format!("{prefix}{long}")).count() == 1));
    }

    #[test]
    fn bundled_subjects_are_seen() {
        assert!(bundles_topics("Fix a; drop b; add c"));
        assert!(bundles_topics("Cache fix and also the docs"));
        assert!(!bundles_topics("Salt; pepper"));
    }
}
