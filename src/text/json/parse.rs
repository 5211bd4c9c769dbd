//! The strict JSON reader: text to tree, first step of every edit. Nothing is normalised
//! and numbers are only checked, not read; recursion ends at [`MAX_DEPTH`].

use std::borrow::Cow;

use super::tree::{Kind, Member, Node};
use super::{Fault, JsonError, MAX_BYTES, MAX_DEPTH};

/// What of a text becomes nodes. All of it is checked.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    /// Levels of containers whose children are kept.
    pub levels: usize,
    /// Children kept of each of them.
    pub children: usize,
}

impl Kept {
    pub(super) const ALL: Self = Self { levels: usize::MAX, children: usize::MAX };
}

/// The outermost value of a whole text, which may start with a BOM.
pub(super) fn read(text: &str, kept: Kept) -> Result<Node<'_>, JsonError> {
    let mut parser = Parser { text, at: 0, depth: 0, kept };
    if text.len() > MAX_BYTES {
        return Err(parser.fail(Fault::TooLarge));
    }
    if text.starts_with('\u{FEFF}') {
        parser.at = '\u{FEFF}'.len_utf8();
    }
    parser.skip_blanks();
    if parser.peek().is_none() {
        return Err(parser.syntax("the file is empty"));
    }
    let root = parser.value()?;
    parser.skip_blanks();
    match parser.peek() {
        None => Ok(root),
        Some(b'/' | b'#') => Err(parser.syntax(COMMENT)),
        Some(_) => Err(parser.syntax("something follows the end of the JSON value")),
    }
}

const COMMENT: &str = "comments are not JSON";

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    kept: Kept,
}

impl<'a> Parser<'a> {
    fn fail(&self, fault: Fault) -> JsonError {
        JsonError::new(self.text, self.at, fault)
    }

    fn syntax(&self, reason: &'static str) -> JsonError {
        self.fail(Fault::Syntax(reason))
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let here = self.peek() == Some(byte);
        self.at += usize::from(here);
        here
    }

    fn value(&mut self) -> Result<Node<'a>, JsonError> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.nested(Self::object)?,
            Some(b'[') => self.nested(Self::array)?,
            Some(b'"') => Kind::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word("true", Kind::Bool(true))?,
            Some(b'f') => self.word("false", Kind::Bool(false))?,
            Some(b'n') => self.word("null", Kind::Null)?,
            Some(b'/' | b'#') => return Err(self.syntax(COMMENT)),
            Some(b'\'') => return Err(self.syntax("strings need double quotes")),
            Some(b'N' | b'I') => return Err(self.syntax("NaN and Infinity are not JSON")),
            Some(b']' | b'}' | b',') => return Err(self.syntax("a value is missing here")),
            Some(_) => return Err(self.syntax("no JSON value starts like this")),
            None => return Err(self.syntax("the file ends in the middle")),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Kind<'a>, JsonError>) -> Result<Kind<'a>, JsonError> {
        if self.depth == MAX_DEPTH {
            return Err(self.fail(Fault::TooDeep));
        }
        self.depth += 1;
        self.at += 1;
        let kind = read(self)?;
        self.depth -= 1;
        Ok(kind)
    }

    /// Whether one more child of the container that is being read becomes a node.
    fn keeps(&self, so_far: usize) -> bool {
        self.depth <= self.kept.levels && so_far < self.kept.children
    }

    fn array(&mut self) -> Result<Kind<'a>, JsonError> {
        let mut elements = Vec::new();
        self.skip_blanks();
        if self.take(b']') {
            return Ok(Kind::Array(elements));
        }
        loop {
            let element = self.value()?;
            if self.keeps(elements.len()) {
                elements.push(element);
            }
            if !self.goes_on(b']')? {
                return Ok(Kind::Array(elements));
            }
        }
    }

    fn object(&mut self) -> Result<Kind<'a>, JsonError> {
        let mut members = Vec::new();
        self.skip_blanks();
        if self.take(b'}') {
            return Ok(Kind::Object(members));
        }
        loop {
            let start = self.at;
            match self.peek() {
                Some(b'"') => {}
                Some(b'/' | b'#') => return Err(self.syntax(COMMENT)),
                None => return Err(self.syntax("the file ends in the middle")),
                Some(_) => return Err(self.syntax("a key needs double quotes")),
            }
            let key = self.string()?;
            let key_span = start..self.at;
            self.skip_blanks();
            if !self.take(b':') {
                return Err(self.syntax("a colon is missing here"));
            }
            self.skip_blanks();
            let value = self.value()?;
            if self.keeps(members.len()) {
                members.push(Member { key, key_span, value });
            }
            if !self.goes_on(b'}')? {
                return Ok(Kind::Object(members));
            }
        }
    }

    /// Behind a child: whether a comma and another one follow, or the end.
    fn goes_on(&mut self, end: u8) -> Result<bool, JsonError> {
        self.skip_blanks();
        if self.take(end) {
            return Ok(false);
        }
        let comma = self.at;
        if !self.take(b',') {
            let reason = match self.peek() {
                None => "the file ends in the middle",
                Some(b'/' | b'#') => COMMENT,
                Some(_) => "a comma or the closing bracket is missing here",
            };
            return Err(self.syntax(reason));
        }
        self.skip_blanks();
        if self.peek() == Some(end) {
            self.at = comma;
            return Err(self.syntax("a comma before a closing bracket is not JSON"));
        }
        Ok(true)
    }

    fn word(&mut self, word: &str, kind: Kind<'a>) -> Result<Kind<'a>, JsonError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        match rest.strip_prefix(word) {
            Some(behind) if !behind.starts_with(|c: char| c.is_alphanumeric() || c == '_') => {
                self.at += word.len();
                Ok(kind)
            }
            _ => Err(self.syntax("no JSON value starts like this")),
        }
    }

    fn number(&mut self) -> Result<Kind<'a>, JsonError> {
        let start = self.at;
        self.take(b'-');
        if self.peek() == Some(b'I') {
            self.at = start;
            return Err(self.syntax("NaN and Infinity are not JSON"));
        }
        let leading_zero = self.peek() == Some(b'0');
        let whole = self.digits();
        let mut good = whole > 0 && !(leading_zero && whole > 1);
        if self.take(b'.') {
            good &= self.digits() > 0;
        }
        if self.take(b'e') || self.take(b'E') {
            let _sign = self.take(b'+') || self.take(b'-');
            good &= self.digits() > 0;
        }
        good &= !matches!(self.peek(), Some(b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'.' | b'_'));
        if good {
            return Ok(Kind::Number);
        }
        self.at = start;
        Err(self.syntax("this is not a JSON number"))
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        self.at - start
    }

    fn string(&mut self) -> Result<Cow<'a, str>, JsonError> {
        self.at += 1;
        let mut decoded: Option<String> = None;
        let mut plain = self.at;
        loop {
            match self.peek() {
                Some(b'"' | b'\\') => {
                    let run = self.text.get(plain..self.at).unwrap_or_default();
                    if self.take(b'"') {
                        return Ok(match decoded {
                            None => Cow::Borrowed(run),
                            Some(text) => Cow::Owned(text + run),
                        });
                    }
                    let text = decoded.get_or_insert_default();
                    text.push_str(run);
                    let c = self.escape()?;
                    decoded.get_or_insert_default().push(c);
                    plain = self.at;
                }
                Some(0x00..=0x1F) => {
                    return Err(self.syntax("a control character inside a string must be escaped"));
                }
                Some(_) => self.at += 1,
                None => return Err(self.syntax("a string is not closed")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let start = self.at;
        self.at += 1;
        let kind = self.peek();
        self.at += 1;
        let simple = match kind {
            Some(c @ (b'"' | b'\\' | b'/')) => Some(char::from(c)),
            Some(b'b') => Some('\u{8}'),
            Some(b'f') => Some('\u{C}'),
            Some(b'n') => Some('\n'),
            Some(b'r') => Some('\r'),
            Some(b't') => Some('\t'),
            Some(b'u') => self.unicode_escape(),
            _ => None,
        };
        simple.ok_or_else(|| {
            self.at = start;
            let reason =
                if kind == Some(b'u') { "a \\u escape needs four hexadecimal digits" } else { "there is no such escape in JSON" };
            self.syntax(reason)
        })
    }

    /// Half a surrogate pair is U+FFFD: RFC 8259 allows it (§8.2), and programs that cut a text inside
    /// an emoji write it.
    fn unicode_escape(&mut self) -> Option<char> {
        let first = self.four_digits()?;
        if !(0xD800..0xDC00).contains(&first) {
            return Some(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let behind = self.at;
        if self.take(b'\\')
            && self.take(b'u')
            && let Some(second @ 0xDC00..0xE000) = self.four_digits()
        {
            return char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00));
        }
        // What follows is no second half: it is read for itself.
        self.at = behind;
        Some(char::REPLACEMENT_CHARACTER)
    }

    fn four_digits(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }
}
