//! The elements of an array, each for itself: where they stand, found by brackets and quotes alone, so
//! that one that is no JSON hides none of the others.

use std::ops::Range;

use super::{Fault, JsonError, MAX_BYTES};

/// Where the elements of an array stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elements {
    /// The bytes of each, without the white space around it.
    pub spans: Vec<Range<usize>>,
    /// Why the text is no whole array: it ends in the middle, or something follows. What it ends in the
    /// middle of is none of the elements.
    pub fault: Option<JsonError>,
}

/// Finds the first `most` elements of the array that a text is; `None` where it is none at all.
///
/// # Errors
/// [`Fault::TooLarge`].
pub fn elements(text: &str, most: usize) -> Result<Option<Elements>, JsonError> {
    if text.len() > MAX_BYTES {
        return Err(JsonError::new(text, 0, Fault::TooLarge));
    }
    let bytes = text.as_bytes();
    let start = skip(bytes, if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 });
    if bytes.get(start) != Some(&b'[') {
        return Ok(None);
    }
    let fault = |at: usize, why| Some(JsonError::new(text, at, Fault::Syntax(why)));
    let mut spans = Vec::new();
    let mut at = skip(bytes, start + 1);
    loop {
        let end = behind_value(bytes, at, b']');
        let closes = match bytes.get(end) {
            None => return Ok(Some(Elements { spans, fault: fault(end, "the file ends in the middle") })),
            Some(byte) => *byte == b']',
        };
        let width = bytes.get(at..end).map_or(0, |value| value.trim_ascii_end().len());
        // `[]` has no elements; `[1,]` has one more that is missing.
        let is_none = closes && width == 0 && bytes.get(start + 1..end).is_some_and(|all| all.trim_ascii().is_empty());
        if spans.len() < most && !is_none {
            spans.push(at..at + width);
        }
        at = skip(bytes, end + 1);
        if closes {
            let behind = if at < bytes.len() { fault(at, "something follows the end of the JSON value") } else { None };
            return Ok(Some(Elements { spans, fault: behind }));
        }
    }
}

/// The value of the first member `key` of the object that a text is, as it stands; however deep and
/// however faulty what stands beside it is.
pub fn outer_member<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let bytes = text.as_bytes();
    let start = skip(bytes, 0);
    let mut at = (bytes.get(start) == Some(&b'{')).then(|| skip(bytes, start + 1))?;
    while bytes.get(at) == Some(&b'"') {
        let behind_key = behind_string(bytes, at) + 1;
        let name: String = serde_json::from_str(text.get(at..behind_key)?).unwrap_or_default();
        let colon = skip(bytes, behind_key);
        let value = skip(bytes, colon + 1);
        let end = behind_value(bytes, value, b'}');
        if bytes.get(colon) != Some(&b':') || end == bytes.len() {
            return None;
        }
        if name == key {
            return text.get(value..end).map(str::trim_end);
        }
        at = skip(bytes, end + 1);
    }
    None
}

/// The place behind the blanks at `at`.
fn skip(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|b| b" \t\r\n".contains(b)) {
        at += 1;
    }
    at
}

/// The place of the comma or of the bracket `close` that ends the value at `at`, or of the end.
fn behind_value(bytes: &[u8], mut at: usize, close: u8) -> usize {
    let mut depth = 0_usize;
    loop {
        match bytes.get(at) {
            None => return bytes.len(),
            Some(b'"') => at = behind_string(bytes, at),
            Some(b'[' | b'{') => depth += 1,
            Some(b',') if depth == 0 => return at,
            Some(byte) if depth == 0 && *byte == close => return at,
            Some(b']' | b'}') => depth = depth.saturating_sub(1),
            Some(_) => {}
        }
        at += 1;
    }
}

/// The place of the quote that closes the string which starts at `at`, or of the end.
fn behind_string(bytes: &[u8], mut at: usize) -> usize {
    loop {
        at += 1;
        match bytes.get(at) {
            None => return bytes.len(),
            Some(b'"') => return at,
            Some(b'\\') => at += 1,
            Some(_) => {}
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<(Vec<&str>, bool)> {
        elements(text, 100).unwrap().map(|e| (e.spans.into_iter().map(|span| &text[span]).collect(), e.fault.is_none()))
    }

    #[test]
    fn each_element_is_found_whatever_is_in_the_others() {
        for (text, spans, whole) in [
            ("[]", &[][..], true),
            (
                "\u{FEFF} [ 1 , [2, 3] ,{\"a\":[4],\"b\":\"],\\\"[\"} ] \n",
                &["1", "[2, 3]", "{\"a\":[4],\"b\":\"],\\\"[\"}"],
                true,
            ),
            ("[1, NaN, {'a':2}, \"a\nb\", {\"a\":}, 3]", &["1", "NaN", "{'a':2}", "\"a\nb\"", "{\"a\":}", "3"], true),
            ("[1,,2,]", &["1", "", "2", ""], true),
            ("[,]", &["", ""], true),
            ("[1, {\"a\":[2}], 3]", &["1", "{\"a\":[2}]", "3"], true),
            ("[1, 2] x", &["1", "2"], false),
            ("[1, {\"a\":", &["1"], false),
            ("[1, \"a\\", &["1"], false),
            ("[", &[], false),
        ] {
            assert_eq!(found(text), Some((spans.to_vec(), whole)), "{text}");
        }
        let deep = format!("{{\"a\":{}, \"id\" : 1.5e3 ,\"b\":2}}", "[".repeat(50_000) + &"]".repeat(50_000));
        for (text, id) in [
            (&*deep, Some("1.5e3")),
            ("{\"x\":{\"id\":1},\"\\u0069d\":\"a,}\"}", Some("\"a,}\"")),
            ("{\"id\":1", None),
            ("{\"id\" 1}", None),
            ("[\"id\",1]", None),
            ("{}", None),
        ] {
            assert_eq!(outer_member(text, "id"), id);
        }
        assert_eq!(found("{}"), None);
        assert_eq!(found(""), None);
        assert_eq!(elements("[1,2,3]", 2).unwrap().unwrap().spans, [1..2, 3..4]);
        assert_eq!(found(&format!("[{}, 1]", "[".repeat(100_000))).map(|f| f.1), Some(false));
    }
}
