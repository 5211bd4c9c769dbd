//! Writing headers that every reader reads back the same: strict YAML parsers of both versions, and
//! tools that split a line at its first colon and strip one pair of quotes.
//!
//! One key a line, LF, no comments. A value stands plain only where nobody could take it for
//! something else; quotes are chosen so that no escape is needed wherever that is possible.

use std::fmt::Write;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A value on its way into a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry<'a> {
    /// One text, plain where that is safe.
    Text(&'a str),
    /// One text, always in quotes (subjects: what stands behind them is never cut).
    Quoted(&'a str),
    /// A date or time, always plain: it is a date to every reader.
    Date(&'a str),
    /// A relative or absolute path, plain where that is safe: shells read it.
    Path(&'a str),
    /// A mapping as `text::nested` writes it, on one line.
    Flow(&'a str),
    /// Several texts, as a flow list.
    List(&'a [String]),
}

/// A whole header with its fences, each key on a line of its own.
pub fn header(entries: &[(&str, Entry<'_>)]) -> String {
    let mut out = String::from("---\n");
    for (key, entry) in entries {
        let value = match entry {
            Entry::Quoted(text) => quoted(text),
            Entry::Date(text) | Entry::Flow(text) => (*text).to_owned(),
            Entry::Path(text) if is_plain_path(text) => (*text).to_owned(),
            Entry::Text(text) | Entry::Path(text) => scalar(text),
            Entry::List(items) => list(items),
        };
        // Writing to a String can't fail.
        let _ = writeln!(out, "{key}: {value}");
    }
    out.push_str("---\n");
    out
}

/// A value, plain where every reader takes it for the same text, else in quotes.
pub fn scalar(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

/// A value in quotes; in those that need no escape, where there are such.
fn quoted(text: &str) -> String {
    if !text.contains(['"', '\\']) && !text.chars().any(needs_escape) {
        return format!("\"{text}\"");
    }
    if !text.contains('\'') && !text.chars().any(needs_escape) {
        return format!("'{text}'");
    }
    // Both kinds of quotes inside: without any, a line reader and a YAML parser still agree, if it is legal.
    if is_legal_plain(text) {
        return text.to_owned();
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\t' => out.push_str("\\t"),
            c if needs_escape(c) && u32::from(c) <= 0xffff => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c if needs_escape(c) => {
                let _ = write!(out, "\\U{:08X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Several values as a flow list.
pub fn list(items: &[String]) -> String {
    let items: Vec<_> =
        items.iter().map(|i| if is_plain(i) && !i.contains([',', ' ']) { i.clone() } else { quoted_item(i) }).collect();
    format!("[{}]", items.join(", "))
}

/// In a list there is no form without quotes to fall back to.
fn quoted_item(text: &str) -> String {
    let value = quoted(text);
    if value.starts_with(['"', '\'']) { value } else { format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")) }
}

/// Whether no reader can take a plain value for anything but this text: it starts with a letter,
/// holds only letters, digits and harmless marks, and is no word or number of YAML's.
fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 14] =
        ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf", "infinity", "undefined"];
    // Also a path: `.soma/inbox/x.md`, `~/x/y.md`. A lone `.5` or `~` means something else to YAML.
    let path = text.trim_start_matches(['.', '~', '/']);
    let start = if text.contains('/') { path } else { text };
    start.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || " -_./()+@~".contains(c))
        && !text.ends_with(' ')
        && !WORDS.iter().any(|w| w.eq_ignore_ascii_case(text))
}

/// Whether a path stands plain: `../ava/tmp/` is nothing else to any reader.
fn is_plain_path(text: &str) -> bool {
    text.starts_with(['.', '/'])
        && text.contains('/')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || " -_./+@".contains(c))
        && !text.ends_with(' ')
}

/// Whether YAML allows the text without quotes and every reader takes it for this text, which holds
/// quotes or a backslash and so is no number, date or word of YAML's. Stricter than YAML.
fn is_legal_plain(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphanumeric() || "(/._$^;+~".contains(c))
        && text.trim() == text
        && !text.ends_with(':')
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.chars().any(needs_escape)
}

/// What no reader may meet raw: controls, line breaks of any version, what is not printable in YAML.
fn needs_escape(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Letters and digits, and one dash for everything between them; apostrophes are no gap.
fn dashed(text: impl Iterator<Item = char>) -> String {
    let mut out = String::new();
    for c in text {
        if c.is_alphanumeric() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') && c != '\'' && c != '\u{2019}' {
            out.push('-');
        }
    }
    out
}

/// A readable part of a file name: lower-case letters and digits of any script, accents dropped,
/// everything else one dash; at most `max` bytes, cut between words where that is possible.
pub fn slug(text: &str, max: usize) -> String {
    let words = if text.is_ascii() {
        // Nothing to take apart or to compose, and no table of letters to look into.
        dashed(text.chars().map(|c| c.to_ascii_lowercase()))
    } else {
        dashed(text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase)).nfc().collect()
    };
    let mut out = words.trim_end_matches('-').to_owned();
    if out.len() > max {
        let mut end = max;
        while !out.is_char_boundary(end) {
            end -= 1;
        }
        let next_is_word = out.get(end..).is_some_and(|rest| !rest.starts_with('-'));
        out.truncate(end);
        if next_is_word
            && let Some(dash) = out.rfind('-')
            && dash > max / 2
        {
            out.truncate(dash);
        }
    }
    out.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How Soma reads a line: split at the first colon, trimmed, one pair of matching quotes removed.
    fn soma(line: &str) -> String {
        let value = line.split_once(':').map_or("", |(_, v)| v.trim());
        for quote in ['"', '\''] {
            if value.len() >= 2 && value.starts_with(quote) && value.ends_with(quote) {
                return value[1..value.len() - 1].to_owned();
            }
        }
        value.to_owned()
    }

    fn yaml(text: &str) -> String {
        let map: std::collections::BTreeMap<String, serde_yaml::Value> = serde_yaml::from_str(text).unwrap();
        match &map["k"] {
            serde_yaml::Value::String(s) => s.clone(),
            other => panic!("{text:?} is {other:?}, no text"),
        }
    }

    #[test]
    fn what_is_written_reads_back_with_both_kinds_of_readers() {
        let long = "word ".repeat(60).trim().to_owned();
        for text in [
            "no",
            "1e3",
            "yes: \"x\" #y",
            "{{a}}",
            "@b",
            "🎉 done",
            &long,
            "0123",
            "12:30",
            "2026-05-01",
            "~",
            "null",
            "a: b \"c\" #d \\e",
            "it's",
            "it's \"quoted\" here",
            "it's\"",
            "2026 isn't \"over\"",
            "(it's) \"x\"",
            "é isn't \"e\" \\",
            "- dash",
            "[label] x",
            "*",
            "&a",
            "!t",
            "|",
            ">",
            "%d",
            "`x`",
            "x:",
            "#x",
            "'",
            "\"",
            "=",
            "<<",
            "0x1F",
            "1_000",
            ".5",
            "on",
            "Off",
            "NULL",
            "true",
            "y",
            "a\u{a0}b",
            "日本",
            " lead",
            "trail ",
            "? x",
            "--- x",
            "...",
            "\\n",
            "key: value",
        ] {
            for line in [format!("k: {}", scalar(text)), format!("k: {}", quoted(text))] {
                assert_eq!(yaml(&line), text, "{line}");
                assert_eq!(soma(&line), text, "{line}");
            }
            let items: Vec<String> = serde_yaml::from_str(&list(&[text.to_owned(), "b".to_owned()])).unwrap();
            assert_eq!(items, [text, "b"]);
        }
    }

    #[test]
    fn where_no_form_fits_both_the_parser_wins() {
        for text in ["'a\": b #c", "\"it's: \\x\"", "'\""] {
            assert_eq!(yaml(&format!("k: {}", quoted(text))), text);
        }
    }

    #[test]
    fn ordinary_names_stay_plain() {
        for text in [
            "ava",
            "bug-report",
            "name (project)",
            "api.review",
            "s07-3fa9c1",
            "normal",
            ".soma/inbox/a.md",
            "~/.soma/inbox/b.md",
        ] {
            assert_eq!(scalar(text), text);
        }
        assert_eq!(list(&["cache".to_owned(), "012".to_owned()]), "[cache, \"012\"]");
    }

    #[test]
    fn paths_stay_plain_where_nobody_misreads_them() {
        for path in ["../ava/tmp/", "/home/x/.agents/inbox/ava/tmp/", "./a b/", "../a: b/tmp/", "../a #b/tmp/", "..", "../é/tmp/"]
        {
            let text = header(&[("k", Entry::Path(path))]);
            let line = text.lines().nth(1).unwrap();
            assert_eq!((yaml(line).as_str(), soma(line).as_str()), (path, path), "{line}");
        }
        assert_eq!(header(&[("k", Entry::Path("../ava/tmp/"))]), "---\nk: ../ava/tmp/\n---\n");
    }

    #[test]
    fn slugs_are_readable_and_bounded() {
        assert_eq!(slug("Cache key drops the locale!", 60), "cache-key-drops-the-locale");
        assert_eq!(slug("Café: São & Œuvre", 60), "cafe-sao-œuvre");
        assert_eq!(slug("Don't panic", 60), "dont-panic");
        assert_eq!(slug("日本語のメモ", 60), "日本語のメモ");
        assert_eq!(slug("🎉 / .. \\", 60), "");
        assert_eq!(slug("one two three four", 10), "one-two");
        assert!(slug(&"é日x".repeat(100), 50).len() <= 50);
        assert_eq!(slug("../../etc/passwd", 60), "etc-passwd");
    }
}
