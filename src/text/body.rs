//! Looks at a message's body that the header's work needs: a second header in it, and a title.
//!
//! The body belongs to its writer and is never parsed for meaning. The status edit only has to
//! know whether the file holds a second message, and a message without a subject is shown by
//! its first heading or line.

use super::fence::Fence;
use super::find;
use super::keys::{find_key, known_name};
use super::lines::{Line, byte, count_lines, first_text_line, is_just, lines, skip_blanks, slice};

/// A title is looked for in this many bytes of a body, and no further.
const TITLE_WITHIN: usize = 16 * 1024;

/// The line in `body`, from 1, where a second header starts: several messages in one file.
///
/// A second header is a block of header lines straight behind the first, or behind a line `---`
/// further down; it has at least two different known keys, and three if no fence closes it. A
/// rule alone is body, and so is what stands in fenced code or in a block quote.
pub fn second_header(body: &[u8]) -> Option<usize> {
    let first = first_text_line(body, 0)?;
    // Straight behind the first header no fence is needed: its closing one may open the next.
    if is_header(body, first.start, false) {
        return Some(1 + count_lines(body, 0..first.start));
    }
    // Listings ask this of every body; nearly all hold no such line, and finding none is quick.
    if !body.starts_with(b"---") && !find::has_line_beginning(b"---", body) {
        return None;
    }
    let mut code = Code::default();
    (1..).zip(lines(body, 0)).find_map(|(number, line)| {
        let fence = !code.takes(body, &line) && is_just(body, &line, b"---");
        (fence && is_header(body, line.next, true)).then_some(number)
    })
}

/// Whether header lines start at `at`. `fenced`: behind a line `---`.
fn is_header(body: &[u8], at: usize, fenced: bool) -> bool {
    // A header's keys are few; a list of the names met so far keeps this to the few first lines.
    let mut names: Vec<&str> = Vec::new();
    let mut closed = false;
    for line in lines(body, at) {
        if is_just(body, &line, b"---") || is_just(body, &line, b"...") {
            closed = true;
            break;
        }
        let start = skip_blanks(body, line.start, line.end);
        let first = byte(body, start).filter(|_| start < line.end);
        let below = start > line.start || matches!(first, Some(b'#' | b'-'));
        let Some(key) = find_key(body, start, line.end).filter(|_| start == line.start) else {
            // Elements, nested lines and comments may stand among a header's lines.
            if first.is_some() && below && !names.is_empty() {
                continue;
            }
            break;
        };
        let word = slice(body, key.key.clone()).trim_ascii_start();
        if word.iter().any(|&b| b == b' ' || b == b'\t') && known_name(word).is_none() {
            break;
        }
        if let Some(name) = known_name(word)
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names.len() >= if closed { 2 } else { 3 } && (closed || fenced || names.contains(&"status"))
}

/// Fenced code, line by line.
#[derive(Default)]
struct Code {
    open: Option<Fence>,
}

impl Code {
    /// Whether `line` is a code fence or stands between two.
    fn takes(&mut self, body: &[u8], line: &Line) -> bool {
        let text = slice(body, skip_blanks(body, line.start, line.end)..line.end);
        match self.open {
            None => self.open = Fence::opened_by(text),
            Some(fence) if fence.is_closed_by(text) => {
                self.open = None;
                return true;
            }
            Some(_) => {}
        }
        self.open.is_some()
    }
}

/// What a body is about: the text of its first heading, else its first line with text.
///
/// Rules, code fences and comments are passed over. The text is as written, on one line; where
/// it goes it has to be made safe like any other.
pub fn title_of(body: &[u8]) -> Option<String> {
    let body = slice(body, 0..body.len().min(TITLE_WITHIN));
    let mut code = Code::default();
    let mut in_comment = false;
    let mut first: Option<String> = None;
    let mut first_code: Option<String> = None;
    let mut above: Option<String> = None;
    for line in lines(body, 0) {
        let fenced = code.open.is_some();
        let in_code = code.takes(body, &line);
        let text = String::from_utf8_lossy(slice(body, line.start..line.end));
        let text = text.trim();
        if in_code {
            if fenced && code.open.is_some() && !text.is_empty() {
                first_code.get_or_insert_with(|| text.to_owned());
            }
            above = None;
            continue;
        }
        if in_comment || text.starts_with("<!--") {
            let Some((_, rest)) = text.split_once("-->") else {
                in_comment = true;
                continue;
            };
            in_comment = false;
            if rest.trim().is_empty() {
                continue;
            }
        }
        if let Some(heading) = heading(text) {
            return Some(heading.to_owned());
        }
        let underline = !text.is_empty() && (text.bytes().all(|b| b == b'=') || text.bytes().all(|b| b == b'-'));
        if underline && let Some(title) = above.take() {
            return Some(title);
        }
        above = None;
        if text.is_empty() || is_rule(text) {
            continue;
        }
        first.get_or_insert_with(|| text.to_owned());
        above = Some(text.to_owned());
    }
    first.or(first_code)
}

/// The text of a `#` heading.
fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    if !(1..=6).contains(&level) || !rest.starts_with([' ', '\t']) {
        return None;
    }
    let text = rest.trim();
    let bare = text.trim_end_matches('#');
    let text = if bare.is_empty() || bare.ends_with([' ', '\t']) { bare.trim_end() } else { text };
    (!text.is_empty()).then_some(text)
}

/// A thematic break, or a line with nothing but signs.
fn is_rule(line: &str) -> bool {
    line.chars().all(|c| matches!(c, '-' | '*' | '_' | '=' | '+' | '#' | ' ' | '\t'))
}

#[cfg(test)]
#[path = "body_tests.rs"]
mod tests;
