//! The line of a hook as a shell reads it: which programs it calls, where their names stand, and with
//! which words. Part of finding our own entry in a host's settings.
//!
//! Enough of a shell's grammar to tell programs from words: quotes, `NAME=value` and `env` before a
//! program, several commands in one line. What is not understood calls nothing.

use std::ops::Range;

/// One program that a line calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// The program, its quotes undone.
    pub program: String,
    /// Where its name stands in the line, quotes included.
    pub span: Range<usize>,
    /// The words behind it.
    pub words: Vec<String>,
}

/// Words that only lead to the program behind them.
const LEADS: [&str; 4] = ["env", "exec", "command", "nohup"];

/// The programs that a line calls, in its order; none where a quote is never closed.
pub fn calls(line: &str) -> Vec<Called> {
    let Some(commands) = commands(line) else { return Vec::new() };
    commands.into_iter().filter_map(called).collect()
}

fn called(words: Vec<Word>) -> Option<Called> {
    let leads = |word: &Word| is_assignment(&word.text) || LEADS.contains(&word.text.rsplit('/').next().unwrap_or_default());
    let mut words = words.into_iter().skip_while(leads);
    let program = words.next()?;
    Some(Called { program: program.text, span: program.span, words: words.map(|word| word.text).collect() })
}

fn is_assignment(word: &str) -> bool {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

struct Word {
    text: String,
    span: Range<usize>,
}

/// The words of each command of a line.
fn commands(line: &str) -> Option<Vec<Vec<Word>>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<Word> = None;
    let mut quote: Option<char> = None;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let parts = quote.is_none() && (c.is_whitespace() || matches!(c, ';' | '&' | '|'));
        if parts {
            commands.last_mut()?.extend(word.take());
            if matches!(c, ';' | '&' | '|' | '\n') {
                commands.push(Vec::new());
            }
            continue;
        }
        let end = |at: usize, c: char| at + c.len_utf8();
        let word = word.get_or_insert_with(|| Word { text: String::new(), span: at..at });
        word.span.end = end(at, c);
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None | Some('"'), '\\') => match chars.peek().copied() {
                // A backslash before a letter is part of a path of Windows.
                Some((next_at, next)) if escapes(quote, next) => {
                    word.text.push(next);
                    word.span.end = end(next_at, next);
                    chars.next();
                }
                _ => word.text.push(c),
            },
            _ => word.text.push(c),
        }
    }
    commands.last_mut()?.extend(word);
    quote.is_none().then_some(commands)
}

fn escapes(quote: Option<char>, next: char) -> bool {
    if quote.is_some() { matches!(next, '"' | '\\' | '$' | '`') } else { !next.is_alphanumeric() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Vec<(String, String, String)> {
        let called = calls(line).into_iter();
        called.map(|c| (c.program, line.get(c.span).unwrap_or_default().to_owned(), c.words.join("|"))).collect()
    }

    #[test]
    fn programs_and_where_they_stand() {
        for (line, program, span, words) in [
            ("postroom hook --host claude", "postroom", "postroom", "hook|--host|claude"),
            ("  '/a b/it'\\''s/p' hook ", "/a b/it's/p", "'/a b/it'\\''s/p'", "hook"),
            ("\"C:\\x\\postroom.exe\" hook", "C:\\x\\postroom.exe", "\"C:\\x\\postroom.exe\"", "hook"),
            ("C:\\x\\postroom.exe hook", "C:\\x\\postroom.exe", "C:\\x\\postroom.exe", "hook"),
            ("A=1 B='x y' /usr/bin/env C=2 postroom -C é hook", "postroom", "postroom", "-C|é|hook"),
            ("/a\\ b/p hook \"\"", "/a b/p", "/a\\ b/p", "hook|"),
        ] {
            assert_eq!(read(line), [(program.to_owned(), span.to_owned(), words.to_owned())], "{line}");
        }
    }

    #[test]
    fn several_commands_and_none() {
        let programs = |line: &str| calls(line).into_iter().map(|c| c.program).collect::<Vec<_>>();
        assert_eq!(programs("cd 'a;b' && postroom hook || true; x | y\nz"), ["cd", "postroom", "true", "x", "y", "z"]);
        for line in ["", "  ", "A=1", "env", "postroom 'hook", "\"a", ";;&"] {
            assert!(calls(line).is_empty(), "{line}");
        }
    }
}
