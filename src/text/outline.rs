//! Which lines of a Markdown file are text, and which are code, quotes or comments: so that the
//! managed block is looked for in text only, and never written into code.
//!
//! Follows `CommonMark` as far as that question needs it: fenced code (backticks and tildes, longer
//! fences around shorter ones, inside list items too), indented code, block quotes, HTML comments of
//! several lines, and `<pre>`, `<script>`, `<style>`, `<textarea>`.

use super::fence::Fence;

/// What a line is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Ordinary text, or a blank line.
    Text,
    /// Code, a quote, raw HTML: nothing in it means anything to us.
    Other,
    /// A comment of several lines.
    Comment,
}

/// What is open at the end of a line, and everything behind it would become part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Open {
    /// A code fence that was opened in this line.
    Fence(usize),
    /// A comment or raw HTML that was opened in this line.
    Html(usize),
}

#[derive(Debug, Clone, Copy)]
enum Block {
    Fence(Fence),
    Comment,
    Raw,
}

/// Walks a file line by line.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// The columns at which the text of the open list items starts, outermost first; increasing.
    items: Vec<usize>,
    /// What is open, how many list items it stands in, and where it was opened.
    block: Option<(Block, usize, usize)>,
    line: usize,
}

/// The end tags of raw HTML; each of them ends any of them.
const RAW: [(&str, &str); 4] =
    [("<pre", "</pre>"), ("<script", "</script>"), ("<style", "</style>"), ("<textarea", "</textarea>")];

impl Outline {
    /// Takes the next line, without its line end.
    pub(super) fn take(&mut self, line: &str) -> Place {
        self.line += 1;
        let text = line.trim_start_matches([' ', '\t']);
        if text.is_empty() {
            return match self.block {
                None => Place::Text,
                Some((Block::Comment, ..)) => Place::Comment,
                Some(_) => Place::Other,
            };
        }
        let indent = width(line.get(..line.len() - text.len()).unwrap_or_default(), 0);
        let inside = self.items.iter().take_while(|&&column| column <= indent).count();
        self.items.truncate(inside);
        match self.block {
            // What is opened in a list item ends with it.
            Some((_, depth, _)) if depth > inside => self.block = None,
            Some((block, depth, _)) => {
                let base = depth.checked_sub(1).and_then(|d| self.items.get(d)).copied().unwrap_or(0);
                return self.inside(block, text, indent - base);
            }
            None => {}
        }
        self.start(text, indent)
    }

    /// What a line at the left edge behind the last line taken would become part of. It ends a list
    /// item, with whatever is open in it.
    pub(super) fn open(&self) -> Option<Open> {
        match self.block? {
            (Block::Fence(_), 0, line) => Some(Open::Fence(line)),
            (Block::Comment | Block::Raw, 0, line) => Some(Open::Html(line)),
            _ => None,
        }
    }

    fn inside(&mut self, block: Block, text: &str, indent: usize) -> Place {
        let (ended, place) = match block {
            Block::Fence(fence) => (indent < 4 && fence.is_closed_by(text.as_bytes()), Place::Other),
            Block::Comment => (text.contains("-->"), Place::Comment),
            Block::Raw => (ends_raw(text), Place::Other),
        };
        if ended {
            self.block = None;
        }
        place
    }

    fn start(&mut self, mut text: &str, mut column: usize) -> Place {
        let mut base = self.items.last().copied().unwrap_or(0);
        loop {
            if column - base >= 4 || text.starts_with('>') {
                return Place::Other;
            }
            let Some((marker, rest)) = item(text) else { break };
            let after = column + marker;
            let inner = rest.trim_start_matches([' ', '\t']);
            let blanks = width(rest.get(..rest.len() - inner.len()).unwrap_or_default(), after) - after;
            // Five blanks or more: the item's text is indented code behind the first of them.
            base = if inner.is_empty() || blanks > 4 { after + 1 } else { after + blanks };
            self.items.push(base);
            if inner.is_empty() {
                return Place::Text;
            }
            column = after + blanks;
            text = inner;
        }
        let Some(block) = opening(text) else { return Place::Text };
        self.block = Some((block, self.items.len(), self.line));
        if matches!(block, Block::Comment) { Place::Comment } else { Place::Other }
    }
}

/// What a line opens that goes on behind it.
fn opening(text: &str) -> Option<Block> {
    if let Some(fence) = Fence::opened_by(text.as_bytes()) {
        return Some(Block::Fence(fence));
    }
    if let Some(rest) = text.strip_prefix("<!--") {
        return (!rest.contains("-->")).then_some(Block::Comment);
    }
    let raw = RAW.iter().any(|(tag, _)| {
        let start = text.get(..tag.len()).is_some_and(|s| s.eq_ignore_ascii_case(tag));
        start && text.get(tag.len()..).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '>', '\r']))
    });
    (raw && !ends_raw(text)).then_some(Block::Raw)
}

fn ends_raw(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    RAW.iter().any(|(_, end)| lower.contains(end))
}

/// The marker of a list item at the start of a line: its length, and what follows it.
fn item(text: &str) -> Option<(usize, &str)> {
    if is_rule(text) {
        return None;
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length = match text.as_bytes().get(digits) {
        Some(b'-' | b'*' | b'+') if digits == 0 => 1,
        Some(b'.' | b')') if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    let rest = text.get(length..)?;
    (rest.is_empty() || rest.starts_with([' ', '\t', '\r'])).then_some((length, rest))
}

/// A line of dashes, stars or underscores: a rule, no list.
fn is_rule(text: &str) -> bool {
    let Some(&sign) = text.as_bytes().first().filter(|b| matches!(b, b'-' | b'*' | b'_')) else { return false };
    let mut signs = 0;
    for byte in text.bytes() {
        match byte {
            b' ' | b'\t' | b'\r' => {}
            _ if byte == sign => signs += 1,
            _ => return false,
        }
    }
    signs >= 3
}

/// The column behind blanks that start at a column: a tab goes on to the next multiple of four.
fn width(blanks: &str, column: usize) -> usize {
    blanks.bytes().fold(column, |at, b| if b == b'\t' { at / 4 * 4 + 4 } else { at + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A letter a line: `t`ext, `o`ther, `c`omment; behind it what stays open.
    fn outline(text: &str) -> (String, Option<Open>) {
        let mut outline = Outline::default();
        let places = text.lines().map(|line| match outline.take(line) {
            Place::Text => 't',
            Place::Other => 'o',
            Place::Comment => 'c',
        });
        (places.collect(), outline.open())
    }

    #[test]
    fn fences_end_only_with_their_own_kind() {
        for (text, places, open) in [
            ("a\n```\nb\n```\nc", "tooot", None),
            ("```\n~~~\n```\nc", "ooot", None),
            ("````md\n```\nx\n```\n````\nc", "ooooot", None),
            ("```\nx\n``` y\n```  \nc", "oooot", None),
            ("~~~ `a`\n~~~~\nc", "oot", None),
            ("```a```\nc", "tt", None),
            ("``\nc", "tt", None),
            ("   ```\n    ```\n  ```\nc", "ooot", None),
            ("    ```\nc", "ot", None),
            ("a\n```\nb", "too", Some(Open::Fence(2))),
            ("```\r\nx\r\n```\r\nc", "ooot", None),
        ] {
            assert_eq!(outline(text), (places.to_owned(), open), "{text}");
        }
    }

    #[test]
    fn fences_in_list_items_end_with_the_item() {
        for (text, places, open) in [
            ("- a\n\n  ```\n  x\n  ```\nc", "ttooot", None),
            ("- ```\n  x\n  ```\nc", "ooot", None),
            ("- ```\n  x\nc", "oot", None),
            ("1. a\n\n    ```\n    x\n    ```\n\nc", "ttooott", None),
            ("- a\n  - b\n\n    ~~~\n    x\n\n    ~~~\nc", "tttoooot", None),
            ("-\t```\n    x\n    ```\nc", "ooot", None),
            ("- - -\n```\nx", "too", Some(Open::Fence(2))),
            ("-     code\nc", "ot", None),
            ("- ```\n  x", "oo", None),
        ] {
            assert_eq!(outline(text), (places.to_owned(), open), "{text}");
        }
    }

    #[test]
    fn quotes_comments_and_raw_html_are_seen() {
        for (text, places, open) in [
            ("> ```\nc", "ot", None),
            ("> a\n> ```\n> b\n\nc", "ooott", None),
            ("<!-- a -->\nc", "tt", None),
            ("<!-- a\n```\n\nb -->\nc", "cccct", None),
            ("<pre>\n```\n</pre>\nc", "ooot", None),
            ("<pre>x</pre>\nc", "tt", None),
            ("<PRE class=a>\n\n</Pre>", "ooo", None),
            ("<present>\nc", "tt", None),
            ("<!-- a", "c", Some(Open::Html(1))),
        ] {
            assert_eq!(outline(text), (places.to_owned(), open), "{text}");
        }
    }
}
