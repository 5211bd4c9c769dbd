//! Hidden characters in JSON output: they are data there and must survive, but nobody
//! should read them unknowingly. Last step before a JSON document of ours is printed.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::classes::{Class, class};
use super::rewrite::Rewrite;

/// A JSON document that parses to the same value, with every character of classes A–F,
/// the joiners and the `<` of `<|` written as `\\u` escapes.
///
/// `document` must be valid JSON, in which such characters stand only inside strings.
/// White space between its tokens is left alone.
pub fn escape_json(document: &str) -> Cow<'_, str> {
    let mut out = Rewrite::new(document);
    let mut escaped = String::new();
    let mut chars = document.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let opens_token = c == '<' && matches!(chars.peek(), Some((_, '|' | '\u{FF5C}')));
        if c == '\r' || (class(c) == Class::Plain && !opens_token) {
            continue;
        }
        escaped.clear();
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string does not fail.
            let _ = write!(escaped, "\\u{unit:04x}");
        }
        out.replace(at..at + c.len_utf8(), &escaped);
    }
    out.finish()
}
