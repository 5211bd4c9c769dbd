//! The managed block in a Markdown file (`inject`): put in, replaced, taken out, nothing else changed.
//!
//! ```text
//! <!-- BEGIN:postroom -->
//! …
//! <!-- END:postroom -->
//! ```
//!
//! Each marker stands alone on its line, outside code, quotes and comments. Where that is not clear
//! the file is refused, because a wrong guess swallows somebody's text: one marker without the other,
//! the wrong order, two blocks, a marker beside other text, no UTF-8.
//!
//! A new block goes last in the file, behind one empty line, in the file's own line ends; a file
//! without a final line end keeps none. [`remove`] gives exactly the bytes back from before [`put`]:
//!
//! | before | with the block | after [`remove`] |
//! |---|---|---|
//! | no file | block | no file |
//! | an empty file | empty line, block | an empty file |
//! | `…⏎` | `…⏎`, empty line, block`⏎` | `…⏎` |
//! | `…` | `…⏎`, empty line, block | `…` |
//!
//! Where text was written behind the block in the meantime, the empty line before the block is taken
//! only if another one follows, so that paragraphs stay apart.

use std::ops::Range;

use super::outline::{Open, Outline, Place};

/// The first line of the block.
pub const BEGIN: &str = "<!-- BEGIN:postroom -->";
/// The last line of the block.
pub const END: &str = "<!-- END:postroom -->";

/// Why a file is left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    /// Bytes that are no text.
    #[error("the file is not UTF-8 text")]
    NotText,
    /// A begin without an end, or the other way round.
    #[error("line {line}: {marker} has no partner; remove the line, or add the missing one")]
    Unmatched {
        /// The marker that is there.
        marker: &'static str,
        /// Its line, from 1.
        line: usize,
    },
    /// The end before the begin.
    #[error("line {line}: {END} stands before {BEGIN}; remove both lines, or swap them")]
    Reversed {
        /// The end's line, from 1.
        line: usize,
    },
    /// More than one block.
    #[error("lines {first} and {second}: the block is there twice; remove one of them")]
    Doubled {
        /// The first marker of that kind, a line from 1.
        first: usize,
        /// The second.
        second: usize,
    },
    /// A marker with other text on its line.
    #[error("line {line}: a postroom marker must stand alone on its line")]
    NotAlone {
        /// The line, from 1.
        line: usize,
    },
    /// A marker in a comment that was opened before.
    #[error("line {line}: a postroom marker stands inside a comment")]
    InComment {
        /// The line, from 1.
        line: usize,
    },
    /// Something is open at the end of the file; a block behind it would become part of it.
    #[error("line {line}: {what} is opened and never closed; close it first")]
    LeftOpen {
        /// What is open.
        what: &'static str,
        /// Where it is opened, a line from 1.
        line: usize,
    },
    /// The file ends in half a line end.
    #[error("the file ends in a lone carriage return; give it ordinary line ends first")]
    LoneReturn,
    /// The text would break the block: it holds markers, or opens code that it does not close.
    #[error("the text can't be kept in a block: it holds markers, or code that is not closed")]
    BadText,
}

impl BlockError {
    /// A stable word for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NotText => "not-utf8",
            Self::Unmatched { .. } => "block-unmatched",
            Self::Reversed { .. } => "block-reversed",
            Self::Doubled { .. } => "block-doubled",
            Self::NotAlone { .. } | Self::InComment { .. } => "block-unclear",
            Self::LeftOpen { .. } => "block-left-open",
            Self::LoneReturn => "lone-return",
            Self::BadText => "block-text",
        }
    }
}

/// A file after the block was taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removed {
    /// There was no block.
    Nothing,
    /// The file without the block.
    Rest(Vec<u8>),
    /// The file held the block only, as [`put`] makes it where there was no file.
    NoFile,
}

/// The file with the block holding `text`; an empty text leaves an empty block. `None`: there is no
/// file yet. Putting the same text twice changes nothing.
///
/// # Errors
/// The file is unclear (see [`BlockError`]), or the text would break the block.
pub fn put(file: Option<&[u8]>, text: &str) -> Result<Vec<u8>, BlockError> {
    let old = decode(file.unwrap_or_default())?;
    let scan = scan(old)?;
    let new = if let Some(block) = &scan.block {
        let nl = if piece(old, &block.begin).ends_with("\r\n") { "\r\n" } else { "\n" };
        [piece(old, &(0..block.begin.end)), &inner(text, nl), piece(old, &(block.end.start..old.len()))].concat()
    } else {
        let nl = line_end(old);
        let (before, after) = match (file, scan.open) {
            (_, Some(Open::Fence(line))) => return Err(BlockError::LeftOpen { what: "a code fence", line }),
            (_, Some(Open::Html(line))) => return Err(BlockError::LeftOpen { what: "a comment or raw HTML", line }),
            _ if old.ends_with('\r') => return Err(BlockError::LoneReturn),
            (None, _) => ("", nl),
            _ if old.ends_with('\n') || unmarked(old).is_empty() => (nl, nl),
            _ if nl == "\r\n" => ("\r\n\r\n", ""),
            _ => ("\n\n", ""),
        };
        [old, before, BEGIN, nl, &inner(text, nl), END, after].concat()
    };
    // The text was made safe before it came here; a block that can't be found again is never written.
    let kept = self::scan(&new).ok().and_then(|scan| scan.block).map(|block| block.begin.end..block.end.start);
    let nl = if kept.as_ref().is_some_and(|k| piece(&new, &(0..k.start)).ends_with("\r\n")) { "\r\n" } else { "\n" };
    match kept {
        Some(kept) if piece(&new, &kept) == inner(text, nl) => Ok(new.into_bytes()),
        _ => Err(BlockError::BadText),
    }
}

/// The file without the block and without the empty line that [`put`] set before it.
///
/// # Errors
/// The file is unclear (see [`BlockError`]).
pub fn remove(file: &[u8]) -> Result<Removed, BlockError> {
    let old = decode(file)?;
    let Some(block) = scan(old)?.block else { return Ok(Removed::Nothing) };
    let before = piece(old, &(0..block.begin.start));
    let after = piece(old, &(block.end.end..old.len()));
    if before.is_empty() && after.is_empty() {
        return Ok(Removed::NoFile);
    }
    let ended = piece(old, &block.end).ends_with('\n');
    let before = match (after, ended) {
        // By hand, perhaps: there is no line of ours before it.
        _ if !ends_in_empty_line(before) => before,
        ("", true) => less_one_line_end(before),
        ("", false) => less_one_line_end(less_one_line_end(before)),
        _ if after.starts_with(['\n', '\r']) => less_one_line_end(before),
        _ => before,
    };
    Ok(Removed::Rest([before, after].concat().into_bytes()))
}

/// The lines of the two markers, line ends included.
#[derive(Debug)]
struct Block {
    begin: Range<usize>,
    end: Range<usize>,
}

#[derive(Debug)]
struct Scan {
    block: Option<Block>,
    /// What is open at the end of the file.
    open: Option<Open>,
}

fn decode(file: &[u8]) -> Result<&str, BlockError> {
    // UTF-16 without a mark passes for UTF-8; its zeros give it away.
    if file.contains(&0) {
        return Err(BlockError::NotText);
    }
    std::str::from_utf8(file).map_err(|_| BlockError::NotText)
}

fn scan(text: &str) -> Result<Scan, BlockError> {
    let mut outline = Outline::default();
    let mut begin: Option<(usize, Range<usize>)> = None;
    let mut end: Option<(usize, Range<usize>)> = None;
    let mut at = text.len() - unmarked(text).len();
    for (number, line) in (1..).zip(unmarked(text).split_inclusive('\n')) {
        let span = at..at + line.len();
        at = span.end;
        let line = line.trim_end_matches(['\n', '\r']);
        let place = outline.take(line);
        let marker = match (marker(line), place) {
            (_, Place::Other) => continue,
            (Some(_), Place::Comment) => return Err(BlockError::InComment { line: number }),
            (Some(marker), Place::Text) => marker,
            (None, _) if mentions_marker(line) => return Err(BlockError::NotAlone { line: number }),
            (None, _) => continue,
        };
        let slot = if marker == BEGIN { &mut begin } else { &mut end };
        if let Some((first, _)) = slot {
            return Err(BlockError::Doubled { first: *first, second: number });
        }
        *slot = Some((number, span));
    }
    let block = match (begin, end) {
        (None, None) => None,
        (Some((line, _)), None) => return Err(BlockError::Unmatched { marker: BEGIN, line }),
        (None, Some((line, _))) => return Err(BlockError::Unmatched { marker: END, line }),
        (Some((first, _)), Some((line, _))) if line < first => return Err(BlockError::Reversed { line }),
        (Some((_, begin)), Some((_, end))) => Some(Block { begin, end }),
    };
    Ok(Scan { block, open: outline.open() })
}

/// The marker that a line is. Blanks around it and inside the comment are allowed.
fn marker(line: &str) -> Option<&'static str> {
    let word = line.trim_matches([' ', '\t']).strip_prefix("<!--")?.strip_suffix("-->")?.trim_matches([' ', '\t']);
    match word {
        "BEGIN:postroom" => Some(BEGIN),
        "END:postroom" => Some(END),
        _ => None,
    }
}

/// Whether a line holds a marker among other text, outside code spans.
fn mentions_marker(line: &str) -> bool {
    const LONGEST: usize = 4096;
    if !line.contains("BEGIN:postroom") && !line.contains("END:postroom") {
        return false;
    }
    // Nobody writes such a line by hand; whether it is a code span is not worth finding out.
    if line.len() > LONGEST {
        return true;
    }
    let mut rest = line;
    while let Some(at) = rest.find(['`', '<']) {
        let (_, found) = rest.split_at(at);
        let ticks = found.bytes().take_while(|&b| b == b'`').count();
        rest = found.get(ticks.max(1)..).unwrap_or_default();
        if ticks > 0 {
            rest = behind_span(rest, ticks).unwrap_or(rest);
        } else if let Some(word) = found.strip_prefix("<!--").map(|w| w.trim_start_matches([' ', '\t']))
            && ["BEGIN:postroom", "END:postroom"].iter().any(|w| word.starts_with(w))
        {
            return true;
        }
    }
    false
}

/// What follows the end of a code span: the next run of just as many backticks.
fn behind_span(mut rest: &str, ticks: usize) -> Option<&str> {
    while let Some(at) = rest.find('`') {
        let found = rest.get(at..)?;
        let run = found.bytes().take_while(|&b| b == b'`').count();
        rest = found.get(run..)?;
        if run == ticks {
            return Some(rest);
        }
    }
    None
}

/// The text as lines with the file's line ends; empty where there is nothing to say.
fn inner(text: &str, nl: &str) -> String {
    text.trim_end().lines().flat_map(|line| [line, nl]).collect()
}

/// The line end of the file's last line that has one.
fn line_end(text: &str) -> &'static str {
    match text.rfind('\n') {
        Some(at) if piece(text, &(0..at)).ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

fn less_one_line_end(text: &str) -> &str {
    text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).unwrap_or(text)
}

fn ends_in_empty_line(text: &str) -> bool {
    let rest = less_one_line_end(text);
    rest.len() < text.len() && (unmarked(rest).is_empty() || rest.ends_with('\n'))
}

/// The text without its byte order mark.
fn unmarked(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

fn piece<'a>(text: &'a str, range: &Range<usize>) -> &'a str {
    text.get(range.clone()).unwrap_or_default()
}

#[cfg(test)]
#[path = "block_tests.rs"]
mod tests;
