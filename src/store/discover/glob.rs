//! Wildcards in names and paths: `*`, `?`, `**`, for `[[inbox]]` patterns and for `.gitignore` files.
//!
//! Matched by stepping back to the last star only, so that no pattern takes exponential time.

/// One name of a path pattern, or the folders that `**` stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// Any number of folders, also none.
    Folders,
    /// One name.
    Name(Vec<Token>),
}

/// One step of a name pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Byte(u8),
    /// One character.
    One,
    /// Any number of bytes.
    Star,
    /// One byte in (or not in) these ranges.
    Set {
        inside: bool,
        ranges: Vec<(u8, u8)>,
    },
}

/// Whether a name holds wildcards of the configuration.
pub(super) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// Reads a name pattern of the configuration: `*` and `?` only.
pub(super) fn name(pattern: &str) -> Part {
    if pattern == "**" {
        return Part::Folders;
    }
    let token = |b| match b {
        b'*' => Token::Star,
        b'?' => Token::One,
        b => Token::Byte(b),
    };
    Part::Name(pattern.bytes().map(token).collect())
}

/// Reads a name pattern of a `.gitignore` file: also `[a-z]`, `[!a]` and `\` before a plain letter.
pub(super) fn git_name(pattern: &[u8]) -> Part {
    if pattern == b"**" {
        return Part::Folders;
    }
    let mut tokens = Vec::new();
    let mut rest = pattern;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'*' => tokens.push(Token::Star),
            b'?' => tokens.push(Token::One),
            b'\\' => {
                if let Some((&plain, after)) = rest.split_first() {
                    tokens.push(Token::Byte(plain));
                    rest = after;
                }
            }
            b'[' => match set(rest) {
                Some((token, after)) => {
                    tokens.push(token);
                    rest = after;
                }
                None => tokens.push(Token::Byte(b'[')),
            },
            plain => tokens.push(Token::Byte(plain)),
        }
    }
    Part::Name(tokens)
}

/// A set behind its `[`, and what follows it; `None` where it is not closed.
fn set(text: &[u8]) -> Option<(Token, &[u8])> {
    let (inside, mut rest) = match text.split_first()? {
        (b'!' | b'^', after) => (false, after),
        _ => (true, text),
    };
    let mut ranges = Vec::new();
    loop {
        let (&first, after) = rest.split_first()?;
        if first == b']' && !ranges.is_empty() {
            return Some((Token::Set { inside, ranges }, after));
        }
        match after {
            [b'-', last, after @ ..] if *last != b']' => {
                ranges.push((first, *last));
                rest = after;
            }
            _ => {
                ranges.push((first, first));
                rest = after;
            }
        }
    }
}

/// Whether a name fits a pattern of it.
pub(super) fn fits_name(pattern: &[Token], name: &[u8]) -> bool {
    fits(pattern, name, |t| matches!(t, Token::Star), step)
}

/// Whether the names of a path fit a pattern of it.
pub(super) fn fits_path(pattern: &[Part], path: &[&[u8]]) -> bool {
    let one = |part: &Part, path: &[&[u8]]| match (part, path.first()) {
        (Part::Name(tokens), Some(name)) if fits_name(tokens, name) => Some(1),
        _ => None,
    };
    fits(pattern, path, |p| matches!(p, Part::Folders), one)
}

/// How much of a name one token takes; `None` where it does not fit.
fn step(token: &Token, name: &[u8]) -> Option<usize> {
    let first = *name.first()?;
    match token {
        Token::Byte(b) => (*b == first).then_some(1),
        Token::Star => None,
        Token::Set { inside, ranges } => (ranges.iter().any(|(a, z)| (*a..=*z).contains(&first)) == *inside).then_some(1),
        // The rest of a UTF-8 character has its two top bits set to 10.
        Token::One => Some(1 + name.iter().skip(1).take_while(|b| (**b & 0xc0) == 0x80).count()),
    }
}

/// The matcher for both: steps forward, and on a mismatch lets the last star take one more.
fn fits<P, T>(pattern: &[P], text: &[T], is_star: impl Fn(&P) -> bool, step: impl Fn(&P, &[T]) -> Option<usize>) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        let rest = text.get(t..).unwrap_or_default();
        let taken = match pattern.get(p) {
            Some(part) if is_star(part) => {
                star = Some((p, t));
                p += 1;
                continue;
            }
            Some(part) => step(part, rest),
            None if rest.is_empty() => return true,
            None => None,
        };
        match (taken, star) {
            (Some(n), _) => (p, t) = (p + 1, t + n),
            (None, Some((at, from))) if from < text.len() => {
                star = Some((at, from + 1));
                (p, t) = (at + 1, from + 1);
            }
            (None, _) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, text: &str) -> bool {
        match name(pattern) {
            Part::Name(tokens) => fits_name(&tokens, text.as_bytes()),
            Part::Folders => true,
        }
    }

    #[test]
    fn stars_and_question_marks() {
        for (pattern, text, right) in [
            ("*", "", true),
            ("*", "abc", true),
            ("a*c", "abbbc", true),
            ("a*c", "abcd", false),
            ("?", "é", true),
            ("??", "é", false),
            ("a?", "a", false),
            ("*.md", "x.md", true),
            ("", "", true),
            ("", "a", false),
            ("[a]", "[a]", true),
        ] {
            assert_eq!(fits(pattern, text), right, "{pattern} {text}");
        }
    }

    #[test]
    fn sets_of_git() {
        for (pattern, text, right) in [
            ("[ab]*", "bx", true),
            ("[!ab]", "b", false),
            ("[a-c]", "b", true),
            ("[]]", "]", true),
            ("[a", "[a", true),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("x\\", "x", true),
        ] {
            let Part::Name(tokens) = git_name(pattern.as_bytes()) else { panic!() };
            assert_eq!(fits_name(&tokens, text.as_bytes()), right, "{pattern} {text}");
        }
    }

    #[test]
    fn folders_between() {
        let path = |text: &'static str| text.split('/').map(str::as_bytes).collect::<Vec<_>>();
        let pattern = |text: &str| text.split('/').map(name).collect::<Vec<_>>();
        for (p, t, right) in [
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true),
            ("a/**/b", "a/x/y/c", false),
            ("**/b", "b", true),
            ("a/*/b", "a/b", false),
            ("a/*/b", "a/x/b", true),
        ] {
            assert_eq!(fits_path(&pattern(p), &path(t)), right, "{p} {t}");
        }
    }

    #[test]
    fn no_pattern_is_slow() {
        let pattern = "*a".repeat(200);
        let text = "a".repeat(150) + "b";
        assert!(!fits(&pattern, &text));
    }
}
