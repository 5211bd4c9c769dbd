//! JSON on the wire: every value exactly as it is, and yet nothing on the wire that a person can't
//! see or a model takes for markup.
//!
//! Characters that are invisible, that steer a terminal or that open a tag (`<`) are written as
//! `\uXXXX`. A parser gives back the value as written; a model that reads the text itself meets
//! no hidden letters and no `<|im_start|>`.

use std::io::{self, BufWriter, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

use crate::text::find;

/// Writes one value on one line, with a newline behind it.
///
/// Values are streamed: a list of a hundred thousand messages is never held as text.
///
/// # Errors
/// What the writer says; a broken pipe keeps its kind.
pub fn line(out: impl Write, value: &impl Serialize) -> io::Result<()> {
    lines(out, [value])
}

/// Writes values, one a line.
///
/// # Errors
/// What the writer says; a broken pipe keeps its kind.
pub fn lines<T: Serialize>(out: impl Write, values: impl IntoIterator<Item = T>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    for value in values {
        value.serialize(&mut Serializer::with_formatter(&mut out, Visible)).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// The compact form of `serde_json`, but for the characters that are written as `\uXXXX`.
struct Visible;

impl Formatter for Visible {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        if fragment.is_ascii() && find::first_of([b'<', 0x7F], fragment.as_bytes()).is_none() {
            return CompactFormatter.write_string_fragment(out, fragment);
        }
        let mut rest = fragment;
        while let Some(at) = rest.bytes().position(|b| b >= 0x7F || b == b'<') {
            // What stands before it is plain; so is what it starts, unless it has to be escaped.
            let (plain, tail) = rest.split_at(at);
            CompactFormatter.write_string_fragment(out, plain)?;
            let mut chars = tail.chars();
            if let Some(c) = chars.next() {
                let text = tail.get(..c.len_utf8()).unwrap_or_default();
                if is_escaped(c) { escape(out, c)? } else { out.write_all(text.as_bytes())? }
            }
            rest = chars.as_str();
        }
        CompactFormatter.write_string_fragment(out, rest)
    }
}

fn escape<W: ?Sized + Write>(out: &mut W, c: char) -> io::Result<()> {
    let mut units = [0; 2];
    c.encode_utf16(&mut units).iter().try_for_each(|unit| write!(out, "\\u{unit:04x}"))
}

/// Whether a character is written as `\uXXXX`: the categories Cc, Cf, Co, Zl and Zp, other letters
/// and marks that have no shape, variation selectors, tags, noncharacters, and `<`.
///
/// Escaping too much costs nothing here, since the value stays the same.
fn is_escaped(c: char) -> bool {
    matches!(u32::from(c),
        0x3C | 0x7F..=0x9F | 0xAD | 0x34F | 0x600..=0x605 | 0x61C | 0x6DD | 0x70F | 0x890..=0x891 | 0x8E2
        | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F
        | 0x2800 | 0x3164 | 0xE000..=0xF8FF | 0xFDD0..=0xFDEF | 0xFE00..=0xFE0F | 0xFEFF | 0xFF5C | 0xFFA0 | 0xFFF0..=0xFFFB
        | 0x110BD | 0x110CD | 0x13430..=0x1343F | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A
        | 0xE0000..=0xE0FFF | 0xF0000..=0x10_FFFF)
        || u32::from(c) & 0xFFFE == 0xFFFE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &impl Serialize) -> String {
        let mut out = Vec::new();
        line(&mut out, value).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_come_back_exactly_as_they_were() {
        let all: String = ('\0'..=char::MAX).collect();
        let json = text(&all);
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), all);
        assert!(!json.chars().any(|c| is_escaped(c) || (c.is_control() && c != '\n')));
    }

    #[test]
    fn what_can_not_be_seen_is_escaped_and_the_rest_is_not() {
        assert_eq!(
            text(
                &"caf\u{e9} 日本 \u{1f469}\u{200d}\u{1f52c} \u{202e}x\u{e0041} \u{fe0f} <\u{200b}|im_start|> \u{1b}[2J \u{9b}\n\"\\"
            ),
            "\"caf\u{e9} 日本 \u{1f469}\\u200d\u{1f52c} \\u202ex\\udb40\\udc41 \\ufe0f \\u003c\\u200b|im_start|> \\u001b[2J \\u009b\\n\\\"\\\\\"\n"
        );
    }

    #[test]
    fn a_broken_pipe_keeps_its_kind() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let long = vec!["x".repeat(100); 2_000];
        assert_eq!(line(Closed, &long).unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
