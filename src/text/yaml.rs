//! The tolerant header reader: what the lines of a header say, however they are written.
//!
//! Second step after the split, for listing and for the status edit alike. It decides what a
//! message says, because a strict YAML parser loses whole headers that people and agents write
//! every day; a strict parser is asked only about the single values that need one. Values stay
//! text: `no`, `1e3`, `12:30` and dates are never typed. One pass over the header's bytes,
//! borrowing from them; linear for any input.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::frontmatter::Split;
pub use super::header::{Field, Form, Header, Issue, IssueKind, StatusText, Value};
pub use super::keys::is_known_key;
use super::keys::{KeyLine, find_key, known_name};
use super::lines::{Line, byte, count_lines, is_blank, is_just, line_at, skip_blanks, slice};
use super::{short, strict};

/// No header tells more faults than this; a hostile one could hold thousands.
const MAX_ISSUES: usize = 10;

/// Reads the header that `split` found in `bytes` (the file, or a start of it that holds the
/// whole header). Spans and lines are those of the file.
pub fn read<'a>(bytes: &'a [u8], split: &Split) -> Header<'a> {
    short::read(bytes, split).unwrap_or_else(|| read_carefully(bytes, split))
}

/// The same, for any header.
pub(super) fn read_carefully<'a>(bytes: &'a [u8], split: &Split) -> Header<'a> {
    let mut reader = Reader::new(slice(bytes, split.content.clone()), split);
    if !split.leading.is_empty() {
        reader.issue(IssueKind::LeadingBlankLines, 1, "blank lines before the header");
    }
    reader.check_bytes();
    reader.read_lines();
    reader.check_keys();
    reader.check_strict();
    reader.header
}

/// The reader's state on its way down the header.
pub(super) struct Reader<'a> {
    /// The header's content; all positions here count from its start.
    pub bytes: &'a [u8],
    /// The same as text, where it is UTF-8.
    text: Option<&'a str>,
    /// Where the content starts in the file.
    offset: usize,
    /// The line in the file that is being read.
    pub line: usize,
    first_line: usize,
    /// Columns before the keys, known after the first key.
    pub base: Option<usize>,
    blank_before: bool,
    /// Some carriage return ends no line.
    pub has_lone_cr: bool,
    /// Something was met that only a strict parser can judge.
    pub unsure: bool,
    /// Bytes that searches past the end of a line may still look at, so that a header of
    /// nothing but open brackets costs no more than another.
    pub budget: usize,
    /// Texts that `&name` was put before.
    pub anchors: Vec<(&'a [u8], Cow<'a, str>)>,
    pub header: Header<'a>,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8], split: &Split) -> Self {
        Self {
            bytes,
            text: std::str::from_utf8(bytes).ok(),
            offset: split.content.start,
            line: split.first_line,
            first_line: split.first_line,
            base: None,
            blank_before: false,
            has_lone_cr: false,
            unsure: false,
            budget: bytes.len().saturating_mul(4),
            anchors: Vec::new(),
            header: Header { fields: Vec::with_capacity(12), ..Header::default() },
        }
    }

    /// The text of a range: borrowed where it is UTF-8, else with replacement characters.
    pub fn raw(&self, range: Range<usize>) -> Cow<'a, str> {
        match self.text.and_then(|text| text.get(range.clone())) {
            Some(text) => Cow::Borrowed(text),
            None => String::from_utf8_lossy(slice(self.bytes, range)),
        }
    }

    /// The same, as part of a value.
    pub fn text(&self, range: Range<usize>) -> Cow<'a, str> {
        let text = self.raw(range);
        // A carriage return is no part of any value; YAML takes it for a line end.
        if self.has_lone_cr && text.contains('\r') { text.replace('\r', " ").into() } else { text }
    }

    /// A range of the content as one of the file.
    pub fn in_file(&self, range: Range<usize>) -> Range<usize> {
        range.start + self.offset..range.end + self.offset
    }

    pub fn issue(&mut self, kind: IssueKind, line: usize, text: impl Into<Cow<'static, str>>) {
        // One line that is no header line is news; that the next is none either is not.
        let once = matches!(kind, IssueKind::HeaderNotClean | IssueKind::ConflictMarkers);
        let mut told = self.header.issues.iter().filter(|issue| issue.kind == kind);
        let known = told.any(|issue| once || issue.line == line);
        if !known && self.header.issues.len() < MAX_ISSUES {
            self.header.issues.push(Issue { kind, line, text: text.into() });
        }
    }

    /// A definite breach of YAML on the line that is being read.
    pub fn invalid(&mut self, text: &'static str) {
        self.issue(IssueKind::YamlInvalid, self.line, text);
    }

    /// Something on the line being read that makes adding a line unsafe.
    pub fn unclean(&mut self, reason: &'static str) {
        let line = self.line;
        self.header.unclean.get_or_insert((line, reason));
    }

    fn check_bytes(&mut self) {
        if self.text.is_none() {
            let good = std::str::from_utf8(self.bytes).map_or_else(|e| e.valid_up_to(), str::len);
            let line = self.line + count_lines(self.bytes, 0..good);
            self.issue(IssueKind::NotUtf8, line, "bytes that are no UTF-8, shown as `\u{fffd}`");
        }
        // Folds without an early exit: these two run over every header there is.
        let control = |b: u8| (b < 0x20 && b != b'\n' && b != b'\r' && b != b'\t') || b == 0x7f;
        let controls = self.bytes.iter().fold(false, |found, &b| found | control(b));
        let returns = self.bytes.iter().fold(0_usize, |n, &b| n + usize::from(b == b'\r'));
        if controls {
            let at = self.bytes.iter().position(|&b| control(b)).unwrap_or(0);
            let line = self.line + count_lines(self.bytes, 0..at);
            self.issue(IssueKind::YamlInvalid, line, "a control character");
            self.header.unclean.get_or_insert((line, "it holds a control character"));
        }
        if returns > 0 {
            let ends = self.bytes.windows(2).filter(|w| *w == b"\r\n").count();
            self.has_lone_cr = ends != returns;
            if self.has_lone_cr {
                self.unsure = true;
                self.unclean("it holds a carriage return that ends no line");
            }
        }
    }

    fn read_lines(&mut self) {
        let mut at = 0;
        while let Some(line) = line_at(self.bytes, at) {
            let Some(next) = self.read_line(&line) else {
                break;
            };
            self.line += if next == line.next { 1 } else { count_lines(self.bytes, at..next) };
            at = next;
        }
    }

    /// Reads one line, and those below that belong to it; returns where to go on, or `None`
    /// where the header stops being one.
    fn read_line(&mut self, line: &Line) -> Option<usize> {
        let start = skip_blanks(self.bytes, line.start, line.end);
        let first = match byte(self.bytes, start).filter(|_| start < line.end) {
            None | Some(b'\r') => {
                self.blank_before = true;
                return Some(line.next);
            }
            Some(b'#') => return Some(line.next),
            Some(first) => first,
        };
        let blank_before = std::mem::take(&mut self.blank_before) && !self.header.fields.is_empty();
        let indent = start - line.start;
        if indent > 0 && slice(self.bytes, line.start..start).contains(&b'\t') {
            self.invalid("a tab before the key");
            self.unclean("a line begins with a tab");
        }
        if matches!(first, b'<' | b'=' | b'>' | b'|') && self.is_conflict_marker(line) {
            self.issue(IssueKind::ConflictMarkers, self.line, "marks of a merge left half done");
            self.invalid("marks of a merge left half done");
            self.unclean("it holds marks of a merge left half done");
            return Some(line.next);
        }
        let base = *self.base.get_or_insert(indent);
        if indent != base {
            self.invalid("a line that is indented unlike those around it");
            self.unclean("a line is indented unlike those around it");
            if indent > base {
                return Some(line.next);
            }
            self.base = Some(indent);
        }
        if self.header.fields.is_empty() {
            self.header.indent = self.in_file(line.start..start);
            if first == b'{' && self.read_flow_head(line.start) {
                return None;
            }
        }
        match find_key(self.bytes, start, line.end) {
            Some(key) if blank_before && self.is_prose(&key) => self.stop_at_prose(),
            Some(key) => Some(self.read_field(line, &key, blank_before)),
            None if blank_before => {
                self.invalid("text where a `key: value` line is due");
                self.stop_at_prose()
            }
            None => {
                self.issue(IssueKind::HeaderNotClean, self.line, "a line that is no `key: value`");
                self.invalid("a line that is no `key: value`");
                self.unclean("a line is no `key: value`");
                Some(line.next)
            }
        }
    }

    fn is_conflict_marker(&self, line: &Line) -> bool {
        let text = slice(self.bytes, line.start..line.end);
        let marks = [b"<<<<<<<".as_slice(), b">>>>>>>", b"|||||||"];
        let marked = marks.iter().any(|mark| text.starts_with(mark) && text.get(7).is_none_or(|&b| is_blank(b)));
        marked || is_just(self.bytes, line, b"=======")
    }

    /// Behind a blank line, a key of several words is a sentence with a colon in it.
    fn is_prose(&self, key: &KeyLine) -> bool {
        let text = slice(self.bytes, key.key.clone());
        !key.quoted && text.iter().any(|&b| is_blank(b)) && known_name(text).is_none()
    }

    /// The fence was forgotten, and a rule further down closed the header by accident: what
    /// follows is body.
    fn stop_at_prose(&mut self) -> Option<usize> {
        self.issue(IssueKind::HeaderNotClean, self.line, "text inside the header; its closing `---` seems to be missing");
        self.unclean("text stands inside it; its closing `---` seems to be missing");
        None
    }

    fn read_field(&mut self, line: &Line, key: &KeyLine, blank_before: bool) -> usize {
        let written = slice(self.bytes, key.key.clone());
        let odd = |b: &u8| !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/' | b' '));
        if key.quoted || written.len() > 100 || written.iter().any(odd) {
            self.unsure = true;
        }
        if blank_before && known_name(written).is_none() {
            self.unclean("an unusual key follows a blank line; the text may begin there");
        }
        if key.tight {
            self.invalid("no blank behind the colon");
        }
        let (key_text, key_line) = (self.key_text(key), self.line);
        let found = self.value(line, key);
        self.header.fields.push(Field {
            key: key_text,
            key_span: self.in_file(key.key.clone()),
            line: key_line,
            value: found.value,
            value_span: self.in_file(found.span),
            literal: found.literal,
            form: found.form,
            splice: found.splice.map(|range| self.in_file(range)),
        });
        found.next
    }

    fn key_text(&mut self, key: &KeyLine) -> Cow<'a, str> {
        if !key.quoted {
            return self.text(key.key.clone());
        }
        self.unquoted(key.key.clone())
    }

    /// A header that is one mapping in braces: a strict parser reads it, or nobody does.
    fn read_flow_head(&mut self, start: usize) -> bool {
        let rest = self.raw(start..self.bytes.len());
        let Some(pairs) = strict::pairs(&rest) else {
            return false;
        };
        // In text with replacement characters places are not those of the file.
        let place = |span: Range<usize>| {
            if self.text.is_some() { span.start + start..span.end + start } else { start..start }
        };
        let (mut counted, mut line) = (0, self.first_line);
        let mut fields = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let (key_span, value_span) = (place(pair.key_span), place(pair.value_span));
            line += count_lines(self.bytes, counted..key_span.start);
            counted = key_span.start;
            fields.push(Field {
                key: pair.key.into(),
                key_span: self.in_file(key_span),
                line,
                value: pair.value,
                value_span: self.in_file(value_span),
                literal: None,
                form: Form::Map,
                splice: None,
            });
        }
        self.header.fields = fields;
        self.unclean("it is one mapping in braces");
        true
    }

    /// Tells keys that stand twice, in any letter case.
    fn check_keys(&mut self) {
        let keys: Vec<(u64, usize)> = self.header.fields.iter().map(|f| (hash(&f.key), f.line)).collect();
        let mut doubled = Vec::new();
        if keys.len() <= 32 {
            for (n, (key, line)) in keys.iter().enumerate() {
                if keys.iter().take(n).any(|(other, _)| other == key) {
                    doubled.push(*line);
                }
            }
        } else {
            let mut seen = HashSet::with_capacity(keys.len());
            doubled.extend(keys.iter().filter(|(key, _)| !seen.insert(*key)).map(|(_, line)| *line));
        }
        for line in doubled {
            self.issue(IssueKind::DuplicateKey, line, "a key that stands above already");
        }
    }

    /// Asks the strict parser where the reader itself could not tell.
    fn check_strict(&mut self) {
        let told = self.header.issues.iter().any(|issue| issue.kind == IssueKind::YamlInvalid);
        if !self.unsure || told {
            return;
        }
        let whole = self.raw(0..self.bytes.len());
        if let Err((line, message)) = strict::check(&whole) {
            self.issue(IssueKind::YamlInvalid, self.first_line + line, message);
        }
    }
}

/// FNV-1a of a key in lower case: enough to tell that two keys of a header differ.
fn hash(key: &str) -> u64 {
    key.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, b| (hash ^ u64::from(b.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
#[path = "yaml_tests.rs"]
mod tests;
