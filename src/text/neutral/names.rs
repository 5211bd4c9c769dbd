//! Classes H and I: names that pretend to be others, and file names that mislead.
//! Used where a sender or a path is shown; comparing names is the task of `model`.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::classes::{Class, class, is_mark};
use super::clean::{Shape, clean};
use super::rewrite::{Rewrite, then};
use super::tokens::escape;
use super::{Neutral, ROUNDS, Target, field};

/// A name that is safe to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sender<'a> {
    /// The name; look-alike letters stand as `[U+0430]`.
    pub text: Cow<'a, str>,
    /// How many hidden characters were taken out.
    pub removed: usize,
    /// Whether the name could be read as another one; the caller says so.
    pub lookalike: bool,
}

/// A sender or recipient as a message claims it, as one line of at most `max_graphemes`.
///
/// Flagged, with the letters in question written out, are: a word that mixes scripts
/// (`аva` with a Cyrillic `а`), a name in which every letter that is not Latin passes for one (`сора`),
/// and the compatibility forms of ASCII letters, digits and hyphens (wide, mathematical,
/// small capitals). Accented Latin names and names wholly in another script are left
/// alone, and so is Latin beside Chinese, Japanese or Korean in one word.
pub fn sender(raw: &str, target: Target, max_graphemes: usize) -> Sender<'_> {
    if raw.is_ascii() {
        let Neutral { text, removed } = field(raw, target, max_graphemes);
        return Sender { text, removed, lookalike: false };
    }
    let Neutral { mut text, removed } = field(raw, target, usize::MAX);
    let mut lookalike = false;
    // What the cut leaves is what is read, so it is judged again.
    for _ in 0..ROUNDS {
        if let Cow::Owned(spelt) = spell_out(&text) {
            text = Cow::Owned(spelt);
            lookalike = true;
        }
        match then(text, |s| field(s, target, max_graphemes).text) {
            short if matches!(spell_out(&short), Cow::Borrowed(_)) => {
                text = short;
                break;
            }
            short => text = short,
        }
    }
    Sender { text, removed, lookalike }
}

/// A file name or path on one line: ordinary names as they are, all others in the
/// `$'…'` form of shells, so that what is printed can be typed again. Quoted are names
/// with control, hidden or invalid bytes, white space other than inner blanks, quotes, a
/// leading dash, and the empty name. Live tokens are then broken as in [`field`].
pub fn file_name(raw: &[u8], target: Target) -> Cow<'_, str> {
    match std::str::from_utf8(raw) {
        Ok(name) if is_ordinary(name) => escape(name, target),
        _ => then(Cow::Owned(quote(raw)), |s| escape(s, target)),
    }
}

fn is_ordinary(name: &str) -> bool {
    let misleads = |c: char| {
        matches!(c, '\'' | '"' | '`' | '\n' | '\t')
            || (c != ' ' && c.is_whitespace())
            || !matches!(class(c), Class::Plain | Class::Joiner)
    };
    // Nearly every path there is.
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'.' | b'_' | b'-');
    if name.bytes().all(plain) && !name.is_empty() && !name.starts_with('-') {
        return true;
    }
    !name.is_empty()
        && !name.starts_with(['-', ' '])
        && !name.ends_with(' ')
        && !name.contains(misleads)
        && matches!(clean(name, Shape::Lines), (Cow::Borrowed(_), _))
}

fn quote(raw: &[u8]) -> String {
    let mut out = String::with_capacity(raw.len() + 8);
    out.push_str("$'");
    for chunk in raw.utf8_chunks() {
        for c in chunk.valid().chars() {
            let shown = match c {
                '\'' => out.write_str("\\'"),
                '\\' => out.write_str("\\\\"),
                '\n' => out.write_str("\\n"),
                '\t' => out.write_str("\\t"),
                '\r' => out.write_str("\\r"),
                c if c.is_ascii_control() => write!(out, "\\x{:02x}", u32::from(c)),
                c if class(c) == Class::Plain && (c == ' ' || !c.is_whitespace()) => out.write_char(c),
                c if u32::from(c) > 0xFFFF => write!(out, "\\U{:08x}", u32::from(c)),
                c => write!(out, "\\u{:04x}", u32::from(c)),
            };
            // Writing to a string does not fail.
            let _ = shown;
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out.push('\'');
    out
}

/// The name that [`file_name`] put into the `$'…'` form; `None` for any other text. Bytes that are no
/// text come back as replacement characters.
pub fn unquote(shown: &str) -> Option<String> {
    let inside = shown.strip_prefix("$'")?.strip_suffix('\'')?;
    let mut out = Vec::with_capacity(inside.len());
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        let digits = match chars.next()? {
            'n' => {
                out.push(b'\n');
                continue;
            }
            't' => {
                out.push(b'\t');
                continue;
            }
            'r' => {
                out.push(b'\r');
                continue;
            }
            c @ ('\\' | '\'') => {
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => return None,
        };
        let code = chars.by_ref().take(digits).collect::<String>();
        let number = u32::from_str_radix(&code, 16).ok().filter(|_| code.len() == digits)?;
        match u8::try_from(number) {
            Ok(byte) if digits == 2 => out.push(byte),
            _ => out.extend_from_slice(char::from_u32(number)?.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Some(String::from_utf8_lossy(&out).into_owned())
}

/// The scripts that matter for telling a mixed word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    /// Chinese, Japanese, Korean: written together, and beside Latin.
    EastAsian,
    /// Any other, by the number of a range of its own.
    Other(u32),
}

/// The script of a letter; `None` for what belongs to all (digits, marks, signs).
fn script(c: char) -> Option<Script> {
    if !c.is_alphabetic() || is_mark(c) {
        return None;
    }
    Some(match u32::from(c) {
        0..=0x02FF
        | 0x1D00..=0x1DBF
        | 0x1E00..=0x1EFF
        | 0x2C60..=0x2C7F
        | 0xA720..=0xA7FF
        | 0xAB30..=0xAB6F
        | 0xFB00..=0xFB06 => Script::Latin,
        0x1100..=0x11FF
        | 0x2E80..=0x31FF
        | 0x3400..=0x9FFF
        | 0xA960..=0xA97F
        | 0xAC00..=0xD7FF
        | 0xF900..=0xFAFF
        | 0xFF66..=0xFFDC
        | 0x1AFF0..=0x1B16F
        | 0x20000..=0x3FFFF => Script::EastAsian,
        0x0370..=0x03FF | 0x1F00..=0x1FFF => Script::Other(1),
        0x0400..=0x052F | 0x1C80..=0x1C8F | 0x2DE0..=0x2DFF | 0xA640..=0xA69F => Script::Other(2),
        0x0530..=0x058F | 0xFB13..=0xFB17 => Script::Other(3),
        0x0590..=0x05FF | 0xFB1D..=0xFB4F => Script::Other(4),
        0x0600..=0x06FF | 0x0750..=0x077F | 0x0870..=0x08FF | 0xFB50..=0xFDFF | 0xFE70..=0xFEFE => Script::Other(5),
        0x10A0..=0x10FF | 0x1C90..=0x1CBF | 0x2D00..=0x2D2F => Script::Other(6),
        0x1200..=0x139F | 0x2D80..=0x2DDF | 0xAB00..=0xAB2F => Script::Other(7),
        0x13A0..=0x13FF | 0xAB70..=0xABBF => Script::Other(8),
        // The rest have no letters that pass for Latin; ranges of 256 do.
        n => Script::Other(n | 0xFF),
    })
}

/// Compatibility forms: another character in disguise, whatever stands beside it.
fn is_disguise(c: char) -> bool {
    matches!(u32::from(c),
        // Hyphens and dots that pass for ASCII ones.
        0x02D7 | 0x2010 | 0x2011 | 0x2024 | 0x2043 | 0x2212 | 0xFE52 | 0xFE58 | 0xFE63
        // Wide ASCII, letterlike signs that are letters, Roman numerals, circled and mathematical letters.
        | 0xFF0D | 0xFF0E | 0xFF10..=0xFF19 | 0xFF21..=0xFF3A | 0xFF3F | 0xFF41..=0xFF5A | 0x2102 | 0x210A..=0x2115 | 0x2119..=0x211D | 0x2124 | 0x2128 | 0x212A..=0x2139
        | 0x2145..=0x2149 | 0x2160..=0x2188 | 0x249C..=0x24E9 | 0x1D400..=0x1D7FF | 0x1F100..=0x1F189
        // Latin letters that only phoneticians use, and ligatures. The dotless i of Turkish stays.
        | 0x017F | 0x01C0 | 0x0237 | 0x0251 | 0x0261 | 0x0262 | 0x0269 | 0x026A | 0x0274
        | 0x0280 | 0x028F | 0x0299 | 0x029C | 0x029F | 0x02B0..=0x02B8 | 0x1D00..=0x1D22 | 0x1D2C..=0x1D6A
        | 0xA730 | 0xA731 | 0xAB75 | 0xFB00..=0xFB06)
}

/// Letters of other scripts that pass for Latin ones.
fn looks_latin(c: char) -> bool {
    "асеорхуіјѕһԁԛԝӏгпАВЕСНІЈКМОРЅТХУҮԌԚԜӀ\
     αορνυικγΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϲϳ\
     օոսհցզՕՍԼ"
        .contains(c)
        || matches!(u32::from(c), 0x13A0..=0x13F5 | 0xA4D0..=0xA4F7)
}

/// Writes out the letters that make `name` readable as another one; borrowed when none do.
fn spell_out(name: &str) -> Cow<'_, str> {
    let mut out = Rewrite::new(name);
    if name.is_ascii() {
        return out.finish();
    }
    let is_foreign = |c: &char| script(*c).is_some_and(|s| s != Script::Latin);
    let mut foreign = name.chars().filter(is_foreign).peekable();
    let all_look_latin = foreign.peek().is_some() && foreign.all(looks_latin);
    let mut start = 0;
    for word in name.split_inclusive(|c: char| !(c.is_alphanumeric() || is_mark(c) || c == '\u{200D}')) {
        let suspicious = all_look_latin || is_mixed(word);
        for (at, c) in word.char_indices() {
            if is_disguise(c) || (suspicious && is_foreign(&c)) {
                let at = start + at;
                out.replace(at..at + c.len_utf8(), &format!("[U+{:04X}]", u32::from(c)));
            }
        }
        start += word.len();
    }
    out.finish()
}

fn is_mixed(word: &str) -> bool {
    let (mut latin, mut asian, mut other) = (false, false, None);
    for c in word.chars() {
        match script(c) {
            None => {}
            Some(Script::Latin) => latin = true,
            Some(Script::EastAsian) => asian = true,
            Some(found) => match other {
                Some(seen) if seen != found => return true,
                _ => other = Some(found),
            },
        }
    }
    other.is_some() && (latin || asian)
}
