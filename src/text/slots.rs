//! The slots of a host's own template (`render FILE`): ours are filled, every other byte passes.
//!
//! Boot templates belong to other tools, whose placeholders look like ours; so this is one literal
//! pass over bytes, never a template engine. What is inserted is not looked at again.
//!
//! | in the template | becomes |
//! |---|---|
//! | `{{inbox_summary}}`, `<<inbox_summary>>` | the summary; nothing where it is empty |
//! | `{{inbox_unread}}`, `{{inbox_open}}`, the same in `<<…>>` | a number |
//! | `{{#inbox_summary}}…{{/inbox_summary}}` | what stands between, if the summary is not empty, else nothing; the two tags vanish |
//! | `{{#inbox_unread}}…`, `{{#inbox_open}}…` | the same, if the number is not 0 |
//!
//! Blanks (spaces and tabs) may stand inside the braces: `{{ inbox_summary }}`, `{{# inbox_summary }}`.
//! Names are exact, in lower case.
//!
//! Where the template leaves room for doubt, Soma's reader decides, as most templates are its own:
//! there is no escape, so `\{{inbox_summary}}` is filled and keeps its backslash; slots in comments
//! and code fences are filled; `{{{inbox_summary}}}` is filled and keeps one brace on each side;
//! `{{^inbox_summary}}` and `{{inbox_summary|tldr}}` are not ours to read. A section of ours that is
//! not closed, or closed without having been opened, stays as it is and is warned of. Sections may
//! be nested in each other; sections of others inside ours are just bytes.

use std::ops::Range;

/// What the slots are filled with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Values<'a> {
    /// The summary; empty where there is nothing to say.
    pub summary: &'a str,
    /// How many messages are unread.
    pub unread: usize,
    /// How many are open: seen, not finished.
    pub open: usize,
}

/// A filled template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The whole text.
    pub bytes: Vec<u8>,
    /// How many slots and sections of ours it had. None is worth telling: somebody expected one.
    pub slots: usize,
    /// Tags that look like ours and were left as they are.
    pub warnings: Vec<SlotWarning>,
}

/// A tag that looks like one of ours and was left as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {tag} is left as it is: {why}")]
pub struct SlotWarning {
    /// Where it stands, counted from 1.
    pub line: usize,
    /// The tag as written; never anything but a known name in braces.
    pub tag: String,
    /// Why.
    pub why: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Summary,
    Unread,
    Open,
}

impl Name {
    /// This name's place in a table of all of them.
    fn of(self, [summary, unread, open]: &mut [usize; NAMES.len()]) -> &mut usize {
        match self {
            Self::Summary => summary,
            Self::Unread => unread,
            Self::Open => open,
        }
    }
}

const NAMES: [(&str, Name); 3] = [("inbox_summary", Name::Summary), ("inbox_unread", Name::Unread), ("inbox_open", Name::Open)];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Slot,
    Opening,
    Closing,
    /// One that other tools may know: `{{^x}}`, `{{x|modifier}}`.
    Foreign,
}

#[derive(Debug)]
struct Tag {
    span: Range<usize>,
    kind: Kind,
    name: Name,
    /// The index of the other end of its section.
    partner: Option<usize>,
}

/// Fills the slots of a template. Linear in its length and in what is inserted.
pub fn render(template: &[u8], values: &Values<'_>) -> Rendered {
    let mut tags = find(template);
    pair(&mut tags);
    let mut out = Rendered { bytes: Vec::with_capacity(template.len() + values.summary.len()), slots: 0, warnings: Vec::new() };
    let mut copied = 0;
    let mut lines = Lines { at: 0, line: 1 };
    let mut index = 0;
    while let Some(tag) = tags.get(index) {
        index += 1;
        let why = match (tag.kind, tag.partner) {
            (Kind::Opening, None) => Some("the section is not closed"),
            (Kind::Closing, None) => Some("no section was opened"),
            (Kind::Foreign, _) => Some("only the plain slot and {{#…}} sections are filled here"),
            _ => None,
        };
        if let Some(why) = why {
            let tag = String::from_utf8_lossy(slice(template, &tag.span)).into_owned();
            let line = lines.of(template, tags.get(index - 1).map_or(0, |t| t.span.start));
            out.warnings.push(SlotWarning { line, tag, why });
            continue;
        }
        out.bytes.extend_from_slice(slice(template, &(copied..tag.span.start)));
        copied = tag.span.end;
        match (tag.kind, tag.partner) {
            (Kind::Slot, _) => {
                out.slots += 1;
                insert(&mut out.bytes, tag.name, values);
            }
            (Kind::Opening, Some(closing)) => {
                out.slots += 1;
                if is_empty(tag.name, values) {
                    copied = tags.get(closing).map_or(copied, |t| t.span.end);
                    index = closing + 1;
                }
            }
            _ => {}
        }
    }
    out.bytes.extend_from_slice(slice(template, &(copied..template.len())));
    out
}

fn insert(out: &mut Vec<u8>, name: Name, values: &Values<'_>) {
    match name {
        Name::Summary => out.extend_from_slice(values.summary.as_bytes()),
        Name::Unread => out.extend_from_slice(values.unread.to_string().as_bytes()),
        Name::Open => out.extend_from_slice(values.open.to_string().as_bytes()),
    }
}

fn is_empty(name: Name, values: &Values<'_>) -> bool {
    match name {
        Name::Summary => values.summary.is_empty(),
        Name::Unread => values.unread == 0,
        Name::Open => values.open == 0,
    }
}

/// Every tag that names one of ours, in order.
fn find(template: &[u8]) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut at = 0;
    while let Some(&byte) = template.get(at) {
        let tag = if byte == b'{' || byte == b'<' { tag_at(template, at) } else { None };
        match tag {
            Some(tag) => {
                at = tag.span.end;
                tags.push(tag);
            }
            None => at += 1,
        }
    }
    tags
}

fn tag_at(template: &[u8], start: usize) -> Option<Tag> {
    let rest = template.get(start..)?;
    let (braces, inner) = match rest.strip_prefix(b"{{") {
        Some(inner) => (true, inner),
        None => (false, rest.strip_prefix(b"<<")?),
    };
    let inner = trim(inner);
    let (mut kind, inner) = match inner.first() {
        Some(b'#') if braces => (Kind::Opening, trim(inner.get(1..)?)),
        Some(b'/') if braces => (Kind::Closing, trim(inner.get(1..)?)),
        Some(b'^') if braces => (Kind::Foreign, trim(inner.get(1..)?)),
        _ => (Kind::Slot, inner),
    };
    let (name, inner) = NAMES.iter().find_map(|&(word, name)| Some((name, inner.strip_prefix(word.as_bytes())?)))?;
    let mut inner = trim(inner);
    if braces && kind == Kind::Slot && inner.first() == Some(&b'|') {
        // Modifiers are short and of one line: what is longer is no tag.
        let end = inner.iter().take(64).position(|&b| b == b'}' || b == b'\n')?;
        inner = inner.get(end..)?;
        kind = Kind::Foreign;
    }
    let after = inner.strip_prefix(if braces { b"}}" } else { b">>" })?;
    Some(Tag { span: start..template.len() - after.len(), kind, name, partner: None })
}

/// Skips spaces and tabs. A tag is of one line: line ends are no blanks.
fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = bytes {
        bytes = rest;
    }
    bytes
}

/// Gives each section its end. A closing belongs to the nearest opening of its name; openings in
/// between can't be closed any more.
fn pair(tags: &mut [Tag]) {
    let mut pairs = Vec::new();
    let mut open: Vec<(usize, Name)> = Vec::new();
    // How many of each name are open: asked for every closing, so that no walk over the open ones is needed.
    let mut counts = [0_usize; NAMES.len()];
    for (at, tag) in tags.iter().enumerate() {
        match tag.kind {
            Kind::Opening => {
                open.push((at, tag.name));
                *tag.name.of(&mut counts) += 1;
            }
            Kind::Closing if *tag.name.of(&mut counts) > 0 => {
                while let Some((opening, name)) = open.pop() {
                    *name.of(&mut counts) -= 1;
                    if name == tag.name {
                        pairs.push((opening, at));
                        break;
                    }
                }
            }
            Kind::Closing | Kind::Slot | Kind::Foreign => {}
        }
    }
    for (opening, closing) in pairs {
        if let Some(tag) = tags.get_mut(opening) {
            tag.partner = Some(closing);
        }
        if let Some(tag) = tags.get_mut(closing) {
            tag.partner = Some(opening);
        }
    }
}

/// Counts lines forward only, so that many warnings cost one walk.
struct Lines {
    at: usize,
    line: usize,
}

impl Lines {
    fn of(&mut self, bytes: &[u8], at: usize) -> usize {
        self.line += slice(bytes, &(self.at..at)).split(|&b| b == b'\n').count().saturating_sub(1);
        self.at = at;
        self.line
    }
}

fn slice<'a>(bytes: &'a [u8], range: &Range<usize>) -> &'a [u8] {
    bytes.get(range.clone()).unwrap_or_default()
}

#[cfg(test)]
#[path = "slots_tests.rs"]
mod tests;
