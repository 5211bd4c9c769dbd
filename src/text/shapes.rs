//! Shapes within a text: names of files, and what looks like a secret.
//!
//! What a sender is reminded of before a letter leaves. Looked for with plain loops that go over a text
//! once: an engine for patterns takes longer to set up than all the rest of a send, and would be the
//! largest part of the program. A property test holds each shape to the pattern that says the same.

/// A secret that is known by how it begins, where no word goes on, and by how much of what follows.
struct Shape {
    begins: &'static str,
    /// What follows.
    of: fn(u8) -> bool,
    least: usize,
    most: usize,
    /// Whether a word must begin or end behind it.
    bounded: bool,
}

const fn shape(begins: &'static str, of: fn(u8) -> bool, least: usize) -> Shape {
    Shape { begins, of, least, most: usize::MAX, bounded: false }
}

const fn bounded(begins: &'static str, of: fn(u8) -> bool, least: usize, most: usize) -> Shape {
    Shape { begins, of, least, most, bounded: true }
}

/// Well-known kinds of secrets that are no more than that.
const KINDS: [(&str, &[Shape]); 8] = [
    ("an AWS access key", &[bounded("AKIA", capital, 16, 16), bounded("ASIA", capital, 16, 16)]),
    (
        "a GitHub token",
        &[
            bounded("ghp_", letter, 36, usize::MAX),
            bounded("gho_", letter, 36, usize::MAX),
            bounded("ghu_", letter, 36, usize::MAX),
            bounded("ghs_", letter, 36, usize::MAX),
            bounded("ghr_", letter, 36, usize::MAX),
            bounded("github_pat_", underlined, 40, usize::MAX),
        ],
    ),
    ("a GitLab token", &[bounded("glpat-", dashed, 20, usize::MAX)]),
    (
        "a Slack token",
        &[
            shape("xoxa-", spaced, 10),
            shape("xoxb-", spaced, 10),
            shape("xoxe-", spaced, 10),
            shape("xoxo-", spaced, 10),
            shape("xoxp-", spaced, 10),
            shape("xoxr-", spaced, 10),
            shape("xoxs-", spaced, 10),
        ],
    ),
    ("an API key", &[shape("sk-", dashed, 20)]),
    (
        "a Stripe key",
        &[
            shape("sk_live_", letter, 16),
            shape("sk_test_", letter, 16),
            shape("rk_live_", letter, 16),
            shape("rk_test_", letter, 16),
        ],
    ),
    ("a Google API key", &[shape("AIza", dashed, 35)]),
    ("an npm token", &[bounded("npm_", letter, 36, 36)]),
];

/// What a line may hold that looks like a well-known kind of secret.
pub fn secrets(line: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    let mut note = |is_there: bool, what| {
        if is_there {
            found.push(what);
        }
    };
    note(holds_private_key(line), "a private key");
    for (what, shapes) in KINDS {
        note(shapes.iter().any(|shape| shape.is_in(line)), what);
    }
    note(holds_web_token(line), "a JSON web token");
    note(holds_password(line), "a password in a URL");
    found
}

impl Shape {
    fn is_in(&self, line: &str) -> bool {
        let fits = |from: usize| {
            let run = rest(line, from).bytes().take(self.most).take_while(|&b| (self.of)(b));
            if self.bounded {
                // It ends at any end of a word; the first will do.
                run.zip(from + 1..).any(|(_, at)| at - from >= self.least && is_edge(line, at))
            } else {
                run.take(self.least).count() == self.least
            }
        };
        line.match_indices(self.begins).any(|(at, begins)| is_edge(line, at) && fits(at + begins.len()))
    }
}

fn holds_private_key(line: &str) -> bool {
    let is_key = |(at, begins): (usize, &str)| {
        let mut rest = rest(line, at + begins.len());
        loop {
            if rest.starts_with("PRIVATE KEY-----") {
                return true;
            }
            // Words of capitals may stand before it.
            match rest.split_once(' ') {
                Some((word, behind)) if !word.is_empty() && word.bytes().all(|b| b.is_ascii_uppercase()) => rest = behind,
                _ => return false,
            }
        }
    };
    line.match_indices("-----BEGIN ").any(is_key)
}

/// Three parts between dots, of which the first two begin alike.
fn holds_web_token(line: &str) -> bool {
    const LEAST: usize = 10;
    // By the second part: what lies before and behind it belongs to no other one, so that each byte is
    // looked at no more than twice.
    line.match_indices(".eyJ").any(|(dot, begins)| {
        let second = run(line, dot + begins.len(), dashed);
        let third = second.len() >= LEAST
            && rest(line, dot + begins.len() + second.len()).strip_prefix('.').is_some_and(|t| run(t, 0, dashed).len() >= LEAST);
        let first = || {
            let before = line.get(..dot).unwrap_or_default();
            let start = dot - before.bytes().rev().take_while(|&b| dashed(b)).count();
            let mut places = rest(before, start).match_indices("eyJ").map(|(at, begins)| (start + at, start + at + begins.len()));
            places.any(|(at, end)| dot - end >= LEAST && is_edge(line, at))
        };
        third && first()
    })
}

/// `scheme://name:password@`.
fn holds_password(line: &str) -> bool {
    let part = |c: char| !c.is_whitespace() && !matches!(c, '/' | ':' | '@');
    line.match_indices("://").any(|(at, sign)| {
        let before = line.get(..at).unwrap_or_default();
        let start = at - before.bytes().rev().take_while(|&b| scheme(b)).count();
        let has_scheme = (start..at).any(|at| line.as_bytes().get(at).is_some_and(u8::is_ascii_lowercase) && is_edge(line, at));
        let behind = rest(line, at + sign.len());
        let name = behind.find(|c| !part(c)).unwrap_or(behind.len());
        has_scheme
            && name > 0
            && rest(behind, name).strip_prefix(':').is_some_and(|password| {
                let length = password.find(|c| !part(c)).unwrap_or(password.len());
                let long = password.get(..length).is_some_and(|p| p.chars().nth(2).is_some());
                long && rest(password, length).starts_with('@')
            })
    })
}

/// Whether a text names a file, or a place in one.
pub fn names_file(text: &str) -> bool {
    let part = |c: char| is_word(c) || matches!(c, '.' | '-');
    let between =
        text.match_indices('/').any(|(at, _)| before(text, at).is_some_and(part) && after(text, at + 1).is_some_and(part));
    between || text.match_indices('.').any(|(dot, _)| is_ending(text, dot) && ends_stem(text, dot))
}

/// Whether a file's ending stands behind a dot: a letter, and up to seven more signs.
fn is_ending(text: &str, dot: usize) -> bool {
    let ending = run(text, dot + 1, letter);
    ending.starts_with(|c: char| c.is_ascii_alphabetic())
        && ending.len() <= 8
        && !after(text, dot + 1 + ending.len()).is_some_and(is_word)
}

/// Whether two signs or more of a file's name stand before its dot, of which the first begins a word,
/// or stands where one ends.
fn ends_stem(text: &str, dot: usize) -> bool {
    let before = text.get(..dot).unwrap_or_default();
    let mut signs = before.char_indices().rev().take_while(|&(_, c)| is_word(c) || c == '-');
    let last = signs.next();
    last.is_some() && signs.any(|(at, _)| is_edge(text, at))
}

/// Where a word begins or ends.
fn is_edge(text: &str, at: usize) -> bool {
    before(text, at).is_some_and(is_word) != after(text, at).is_some_and(is_word)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn before(text: &str, at: usize) -> Option<char> {
    text.get(..at)?.chars().next_back()
}

fn after(text: &str, at: usize) -> Option<char> {
    rest(text, at).chars().next()
}

fn rest(text: &str, from: usize) -> &str {
    text.get(from..).unwrap_or_default()
}

/// The bytes of a class that stand there.
fn run(text: &str, from: usize, of: fn(u8) -> bool) -> &str {
    let rest = rest(text, from);
    let length = rest.bytes().take_while(|&b| of(b)).count();
    rest.get(..length).unwrap_or_default()
}

fn letter(b: u8) -> bool {
    b.is_ascii_alphanumeric()
}

fn capital(b: u8) -> bool {
    b.is_ascii_uppercase() || b.is_ascii_digit()
}

fn underlined(b: u8) -> bool {
    letter(b) || b == b'_'
}

fn spaced(b: u8) -> bool {
    letter(b) || b == b'-'
}

fn dashed(b: u8) -> bool {
    underlined(b) || b == b'-'
}

fn scheme(b: u8) -> bool {
    b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'+' | b'.' | b'-')
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    static PATTERNS: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
        let patterns = [
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
        patterns.map(|(what, pattern)| (what, Regex::new(pattern).unwrap())).into()
    });
    static FILE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?:[\w.-]+/)+[\w.-]+|\b[\w-]{2,}\.[A-Za-z][A-Za-z0-9]{0,7}\b(?::\d+)?").unwrap());

    /// Lines made of the pieces that matter, in any order.
    fn lines() -> impl Strategy<Value = String> {
        let begins = "AKIA|ASIA|ghp_|ghs_|github_pat_|glpat-|xoxb-|sk-|sk-proj-|sk_live_|rk_test_|AIza|npm_|eyJ|\\.eyJ|-----BEGIN |RSA |PRIVATE KEY-----|https?://|a\\+b://";
        let fills =
            "[A-Z0-9]{16}|[a-zA-Z0-9]{10}|[a-zA-Z0-9]{16}|[a-zA-Z0-9_-]{20}|[a-zA-Z0-9]{36}|[a-zA-Z0-9_-]{35}|[a-zA-Z0-9_]{40}";
        let signs = "[ ._:@/é漢a1A-]";
        let piece = format!("{begins}|{begins}|{fills}|{fills}|{signs}|{signs}|[^\n\r]");
        prop::collection::vec(prop::string::string_regex(&piece).unwrap(), 0..9).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn shapes_say_what_patterns_say(line in lines()) {
            // Marks and connectors belong to a pattern's words; to these, letters and digits of all scripts do.
            prop_assume!(line.chars().all(|c| c.is_ascii() || "é漢".contains(c)));
            let patterns = PATTERNS.iter().filter(|(_, pattern)| pattern.is_match(&line));
            prop_assert_eq!(secrets(&line), patterns.map(|(what, _)| *what).collect::<Vec<_>>());
        }

        #[test]
        fn files_are_named_as_the_pattern_says(text in "([ab]{1,3}|[./-]|[ é_:]|[a-z0-9]{7,9}|1){0,9}") {
            prop_assert_eq!(names_file(&text), FILE.is_match(&text));
        }
    }

    #[test]
    fn long_lines_are_gone_over_once() {
        for piece in ["-eyJ", "glpat-", "sk-", "eyJ.", ".eyJ", "a://", "a.b", "-----BEGIN ", "ghp_a", "x-", ".a", "://a:"] {
            let line = piece.repeat(200_000);
            secrets(&line);
            names_file(&line);
        }
    }
}
