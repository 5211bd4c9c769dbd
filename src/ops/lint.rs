//! The conventions of a good message, as help: what `send` remarks on (and refuses with `--strict`).

use crate::model::letter::Letter;
use crate::model::message::Warning;
use crate::text::shapes::{self, names_file};

/// The longest body that is still a message and no document, in bytes.
pub const BODY_CAP: usize = 8 << 10;

/// What a careful reader would ask the sender to mend.
pub fn remarks(letter: &Letter) -> Vec<Warning> {
    let body = letter.body.trim();
    let mut out = Vec::new();
    if letter.kind.eq_ignore_ascii_case("bug-report") && !names_file(&letter.body) {
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

/// Whether a subject is about several things at once.
pub fn bundles_topics(subject: &str) -> bool {
    let lower = subject.to_lowercase();
    lower.contains("and also") || subject.matches(';').count() >= 2
}

/// Places that look like well-known kinds of secrets: what it may be, and the line. The secret
/// itself is never given back.
pub fn secrets(text: &str) -> impl Iterator<Item = (&'static str, usize)> + '_ {
    text.lines().zip(1..).flat_map(|(line, number)| shapes::secrets(line).into_iter().map(move |what| (what, number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_references_are_seen() {
        for text in ["see src/keys.rs:41", "in `lints.toml`", "keys.rs", "docs/a/b", "at main.py:3"] {
            assert!(names_file(text), "{text}");
        }
        for text in ["it is broken", "e.g. this", "1.5 times", "the end."] {
            assert!(!names_file(text), "{text}");
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
        let kinds = [
            "a private key",
            "an AWS access key",
            "a GitHub token",
            "a GitLab token",
            "a Slack token",
            "an API key",
            "a Stripe key",
            "a Google API key",
            "an npm token",
            "a JSON web token",
            "a password in a URL",
        ];
        for (sample, kind) in samples.iter().zip(kinds) {
            assert_eq!(secrets(sample).collect::<Vec<_>>(), [(kind, 1)], "{sample}");
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
