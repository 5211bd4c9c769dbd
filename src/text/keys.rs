//! The key of a header line, and the names that header lines usually have.
//!
//! Used wherever a line has to be told from prose: by the header reader, by the status edit,
//! and by the search for a second header in a body.

use std::ops::Range;

use super::find;
use super::lines::{byte, is_blank, skip_blanks, slice, trim_end};

/// The key part of a line `key: value`.
#[derive(Debug, Clone)]
pub(super) struct KeyLine {
    /// The key as written, quotes included, blanks before the colon not.
    pub key: Range<usize>,
    pub colon: usize,
    /// Whether the key stands in quotes.
    pub quoted: bool,
    /// Whether the value follows the colon without a blank, which is no YAML.
    pub tight: bool,
}

/// The names that make a line of an unclear block a header line: DESIGN §3's, and those that
/// the handed conventions write beside them. Lower case, `-` and blank as `_`.
const KNOWN: [&str; 36] = [
    "bcc",
    "cc",
    "completed",
    "created",
    "created_at",
    "createdat",
    "date",
    "expires",
    "from",
    "id",
    "in_reply_to",
    "kind",
    "message_id",
    "origin",
    "owner",
    "priority",
    "processed",
    "project",
    "ref",
    "reply_to",
    "role",
    "sender",
    "sent",
    "status",
    "subject",
    "tags",
    "thread",
    "thread_id",
    "thread_tag",
    "timestamp",
    "title",
    "to",
    "topic",
    "type",
    "updated",
    "urgency",
];

/// Whether `key` is a name that message headers use, in any letter case, `-` or `_` or a blank
/// between its words.
pub fn is_known_key(key: &str) -> bool {
    known_name(key.as_bytes()).is_some()
}

/// The known name that `key` spells.
pub(super) fn known_name(key: &[u8]) -> Option<&'static str> {
    KNOWN.into_iter().find(|name| {
        name.len() == key.len()
            && name.bytes().zip(key).all(|(n, k)| match k {
                b'-' | b' ' => n == b'_',
                k => n == k.to_ascii_lowercase(),
            })
    })
}

/// Finds the key of the line `start..end` (blanks before it already skipped).
///
/// `key: value`, `key : value`, `key:` and quoted keys; `key:value` only where the key is a
/// known name, for anything else with a colon in it (a time, a web address) is text.
pub(super) fn find_key(bytes: &[u8], start: usize, end: usize) -> Option<KeyLine> {
    let first = byte(bytes, start)?;
    // Most lines that are asked about are prose.
    find::first(b':', slice(bytes, start..end))?;
    if first == b'"' || first == b'\'' {
        let close = close_quote(bytes, start, end)?;
        let colon = skip_blanks(bytes, close + 1, end);
        let tight = !is_blank_or_end(bytes, colon + 1, end);
        let key = start..close + 1;
        let found = byte(bytes, colon) == Some(b':') && colon < end;
        return (found && !tight).then_some(KeyLine { key, colon, quoted: true, tight });
    }
    if matches!(first, b'-' | b'?') && is_blank_or_end(bytes, start + 1, end) {
        return None;
    }
    let mut blank = true;
    let mut seen_colon = false;
    for (n, &b) in slice(bytes, start..end).iter().enumerate() {
        let colon = start + n;
        match b {
            b':' if is_blank_or_end(bytes, colon + 1, end) => {
                let key = trim_end(bytes, start..colon);
                return (!key.is_empty()).then_some(KeyLine { key, colon, quoted: false, tight: false });
            }
            b':' if !seen_colon => {
                seen_colon = true;
                if known_name(slice(bytes, start..colon)).is_some() {
                    return Some(KeyLine { key: start..colon, colon, quoted: false, tight: true });
                }
            }
            b'#' if blank => return None,
            _ => {}
        }
        blank = is_blank(b);
    }
    None
}

/// Where the quote that opens at `open` closes before `end`; YAML's escapes are stepped over.
pub(super) fn close_quote(bytes: &[u8], open: usize, end: usize) -> Option<usize> {
    let quote = byte(bytes, open)?;
    let mut at = open + 1;
    while at < end {
        let b = byte(bytes, at)?;
        if b == b'\\' && quote == b'"' {
            at += 2;
        } else if b != quote {
            at += 1;
        } else if quote == b'\'' && at + 1 < end && byte(bytes, at + 1) == Some(b'\'') {
            at += 2;
        } else {
            return Some(at);
        }
    }
    None
}

/// Whether nothing but a blank, or the end of the line, stands at `at`.
pub(super) fn is_blank_or_end(bytes: &[u8], at: usize, end: usize) -> bool {
    at >= end || byte(bytes, at).is_none_or(|b| is_blank(b) || b == b'\r')
}

/// Whether a line means `name` without being a line of it: `status = read`, `**Status**: read`,
/// `- status: read`, a hard space before the colon. No second status may be put beside it.
pub(super) fn resembles(line: &str, is_name: &impl Fn(&str) -> bool) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let line = line.trim_start_matches(|c| !is_word(c));
    let rest = line.trim_start_matches(|c| is_word(c) || c == '-');
    let name = line.strip_suffix(rest).unwrap_or(line);
    let mut sign = rest.chars().take_while(|&c| !is_word(c));
    is_name(name) && sign.any(|c| matches!(c, ':' | '=' | '\u{ff1a}'))
}
