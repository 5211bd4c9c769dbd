//! Files with bytes that are not UTF-8: read with U+FFFD in their place, edited without losing them.
//!
//! An edit is planned on the text that was read, and is one change in it; it is then carried over to
//! the bytes at the same place, and read back.

use std::borrow::Cow;

use super::{Fault, JsonError, MAX_BYTES, set_string};

/// The bytes of a file as text for reading: what is not UTF-8 is U+FFFD.
///
/// # Errors
/// [`Fault::TooLarge`].
pub fn lossy(bytes: &[u8]) -> Result<Cow<'_, str>, JsonError> {
    if bytes.len() > MAX_BYTES {
        return Err(JsonError { line: 1, column: 1, fault: Fault::TooLarge });
    }
    Ok(String::from_utf8_lossy(bytes))
}

/// As [`set_string`], for a file's bytes: those that are not UTF-8 stay, unless they are in the old value.
///
/// # Errors
/// As [`set_string`].
pub fn set_string_in(bytes: &[u8], key: &str, value: &str) -> Result<Vec<u8>, JsonError> {
    let text = lossy(bytes)?;
    let after = set_string(&text, key, value)?;
    if matches!(text, Cow::Borrowed(_)) {
        return Ok(after.into_bytes());
    }
    let edited = carried_over(bytes, &text, &after);
    if lossy(&edited)? == after { Ok(edited) } else { Err(JsonError::new(&text, 0, Fault::BadResult)) }
}

/// A text with U+FFFD for each half of a surrogate pair that stands alone, for readers that take none.
pub fn mended(text: &str) -> Cow<'_, str> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        if digits.bytes().all(|b| b.is_ascii_hexdigit()) { u32::from_str_radix(digits, 16).ok() } else { None }
    };
    let (mut out, mut taken, mut at) = (String::new(), 0, 0);
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        at += found;
        at += match (unit(at), unit(at + 6)) {
            (Some(0xD800..0xDC00), Some(0xDC00..0xE000)) => 12,
            (Some(0xD800..0xE000), _) => {
                out.push_str(text.get(taken..at).unwrap_or_default());
                out.push_str("\\ufffd");
                taken = at + 6;
                6
            }
            // What is escaped may be another backslash, or a character of several bytes.
            _ => 1 + text.get(at + 1..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8),
        };
    }
    if taken == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(taken..).unwrap_or_default());
    Cow::Owned(out)
}

/// The bytes that `before` was read from, with what makes it `after`.
fn carried_over(bytes: &[u8], before: &str, after: &str) -> Vec<u8> {
    let same = |(a, b): &(char, char)| a == b;
    let width = |(c, _): (char, char)| c.len_utf8();
    let start: usize = before.chars().zip(after.chars()).take_while(same).map(width).sum();
    let (old, new) = (before.get(start..).unwrap_or_default(), after.get(start..).unwrap_or_default());
    let end: usize = old.chars().rev().zip(new.chars().rev()).take_while(same).map(width).sum();
    let new = new.get(..new.len().saturating_sub(end)).unwrap_or_default();
    let head = bytes.get(..place(bytes, start)).unwrap_or_default();
    let tail = bytes.get(place(bytes, before.len().saturating_sub(end))..).unwrap_or_default();
    [head, new.as_bytes(), tail].concat()
}

/// Where in the bytes the place `at` of their text is.
fn place(bytes: &[u8], at: usize) -> usize {
    let (mut read, mut raw) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid().len();
        if at <= read + valid {
            return raw + at.saturating_sub(read);
        }
        read += valid + char::REPLACEMENT_CHARACTER.len_utf8();
        raw += valid + chunk.invalid().len();
    }
    raw
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_utf8_stay_where_they_are() {
        for (before, after) in [
            (
                &b"{\"a\":\"\xff\xfe\",\"status\":\"unread\",\"b\":\"\xe2\x82\"}"[..],
                &b"{\"a\":\"\xff\xfe\",\"status\":\"read\",\"b\":\"\xe2\x82\"}"[..],
            ),
            (b"{\"\xff\":1}", b"{\"\xff\":1,\"status\":\"read\"}"),
            (b"{\"status\":\"\xff\"}\n", b"{\"status\":\"read\"}\n"),
            (b"{\"a\":\"\xed\xa0\xbd\", \"status\":null}\n", b"{\"a\":\"\xed\xa0\xbd\", \"status\":\"read\"}\n"),
            (b"{\"status\":\"read\",\"a\":\"\xff\"}", b"{\"status\":\"read\",\"a\":\"\xff\"}"),
            ("{\"a\":\"\u{fffd}é\",\"status\":\"unread\"}".as_bytes(), "{\"a\":\"\u{fffd}é\",\"status\":\"read\"}".as_bytes()),
        ] {
            assert_eq!(set_string_in(before, "status", "read").unwrap(), after, "{}", String::from_utf8_lossy(before));
        }
        assert!(set_string_in(b"{\xff\"a\":1}", "status", "read").is_err());
        assert!(set_string_in(b"\xff", "status", "read").is_err());
    }

    #[test]
    fn half_a_surrogate_pair_is_read_and_kept() {
        let text =
            r#"{"a":"cut \ud83d","b":"\udc00","c":"\ud83dx","d":"\ud83d\u0041","e":"\ud83d\ud83d\ude00","status":"unread"}"#;
        let document = super::super::Document::parse(text).unwrap();
        let read: Vec<_> = document.root().members().iter().map(|m| m.value.as_str().unwrap()).collect();
        assert_eq!(read, ["cut \u{fffd}", "\u{fffd}", "\u{fffd}x", "\u{fffd}A", "\u{fffd}😀", "unread"]);
        assert_eq!(set_string_in(text.as_bytes(), "status", "read").unwrap(), text.replace("unread", "read").into_bytes());
        let mended: serde_json::Value = serde_json::from_str(&mended(text)).unwrap();
        let mended: Vec<_> = document.root().members().iter().map(|m| mended[&*m.key].as_str().unwrap()).collect();
        assert_eq!(mended, read);
    }

    #[test]
    fn nothing_else_is_mended() {
        for text in ["", "{}", r#""\ud83d""#, r#""\\ud83d""#, r#""\ud83d\ude00\n""#, r#""\é\u12"#, "\\", r"\ud83"] {
            let expected = if text == r#""\ud83d""# { r#""\ufffd""# } else { text };
            assert_eq!(mended(text), expected);
        }
    }
}
