//! Any text as a part of a URI or a token: everything but letters, digits and `-._~` as `%XX`
//! (RFC 3986), so that it passes every reader unchanged.

use std::fmt::Write as _;

/// The text, encoded.
pub fn encode(text: &str) -> String {
    encode_bytes(text.as_bytes())
}

/// Bytes that need be no text, encoded.
pub fn encode_bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 8);
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The text that was encoded, also where somebody encoded less than was needed; `None` where a `%`
/// starts no pair of hexadecimal digits or the bytes are no text.
pub fn decode(text: &str) -> Option<String> {
    decode_bytes(text).and_then(|bytes| String::from_utf8(bytes).ok())
}

/// The same for bytes that need be no text.
pub fn decode_bytes(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        rest = behind;
        if *first != b'%' {
            out.push(*first);
            continue;
        }
        let [high, low, behind @ ..] = behind else { return None };
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|d| u8::try_from(d).ok());
        out.push(digit(*high)? << 4 | digit(*low)?);
        rest = behind;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_comes_back() {
        let all: String = ('\0'..=char::MAX).collect();
        assert_eq!(decode(&encode(&all)).as_deref(), Some(all.as_str()));
        assert_eq!(encode("soma@web app/é"), "soma%40web%20app%2F%C3%A9");
        assert_eq!(decode("soma@x").as_deref(), Some("soma@x"));
    }

    #[test]
    fn what_is_no_encoding_is_none() {
        for text in ["%", "%4", "%zz", "%FF", "a%"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
