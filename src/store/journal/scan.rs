//! Reading the journal: backwards from its end, or forwards from where a reader was before.
//! Bounded in memory whatever the files hold; lines that are no event are counted and passed over.

use std::collections::VecDeque;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::model::event::Event;
use crate::store::read::{self, ReadError};

/// What is read at once, in bytes.
const BLOCK: u64 = 64 * 1024;

/// No event is longer than this, in bytes; what is, is damage.
const LONGEST: usize = 64 * 1024;

/// Events read, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// The events.
    pub events: Vec<Event>,
    /// How many lines could not be understood.
    pub damaged: usize,
}

/// A place in the journal, to go on from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Position {
    /// The file, where the system can tell one from another after a rename.
    node: Option<(u64, u64)>,
    /// How many bytes of it are read.
    offset: u64,
}

/// An event, or what stands in its place.
enum Line {
    Event(Box<Event>),
    Blank,
    Damaged,
}

fn parse(line: &[u8]) -> Line {
    if line.trim_ascii().is_empty() {
        return Line::Blank; // left by healing a torn line
    }
    serde_json::from_slice(line).map_or(Line::Damaged, |event| Line::Event(Box::new(event)))
}

/// Reads the last `n` events of these files, the newest file last.
pub(super) fn backwards(files: &[PathBuf], n: usize, mut keep: impl FnMut(&Event) -> bool) -> Result<Reading, ReadError> {
    let mut found = VecDeque::new();
    let mut damaged = 0;
    'files: for path in files.iter().rev() {
        if found.len() >= n {
            break;
        }
        let Some((file, mut at)) = open(path)? else { continue };
        // The start of a line whose end was in a later block, or nothing.
        let mut rest: Vec<u8> = Vec::new();
        let mut too_long = false;
        while at > 0 {
            let start = at.saturating_sub(BLOCK);
            let mut block = read_block(&file, path, start, at - start)?;
            at = start;
            if !too_long {
                block.extend_from_slice(&rest);
            }
            let mut lines = block.rsplit(|&b| b == b'\n');
            // The first line of the block may begin further ahead.
            let mut pieces: Vec<&[u8]> = lines.by_ref().collect();
            let first = pieces.pop().unwrap_or_default();
            for (i, piece) in pieces.iter().enumerate() {
                let line = if i == 0 && too_long { Line::Damaged } else { parse(piece) };
                match line {
                    Line::Event(event) if keep(&event) => found.push_front(*event),
                    Line::Event(_) | Line::Blank => {}
                    Line::Damaged => damaged += 1,
                }
                if found.len() >= n {
                    break 'files;
                }
            }
            too_long = first.len() > LONGEST || (too_long && pieces.is_empty());
            rest = if too_long { Vec::new() } else { first.to_vec() };
        }
        match if too_long { Line::Damaged } else { parse(&rest) } {
            Line::Event(event) if found.len() < n && keep(&event) => found.push_front(*event),
            Line::Event(_) | Line::Blank => {}
            Line::Damaged => damaged += 1,
        }
    }
    Ok(Reading { events: found.into(), damaged })
}

/// Where a file ends.
pub(super) fn end(path: &Path) -> Result<Position, ReadError> {
    match read::stamp(path) {
        Ok(stamp) => Ok(Position { node: stamp.node, offset: stamp.len }),
        Err(ReadError::Vanished { .. }) => Ok(Position::default()),
        Err(e) => Err(e),
    }
}

/// Reads what was added after a position to these files, the newest file last; the default position
/// is before the first. `None` when the position's file is not among them.
pub(super) fn forwards(files: &[PathBuf], position: Position) -> Result<Option<(Reading, Position)>, ReadError> {
    let from_start = position == Position::default();
    // Opened before anything is read: a change of names in between must not mix them up.
    let mut opened = Vec::new();
    let mut is_found = from_start;
    for path in files.iter().rev() {
        let Some((file, len)) = open(path)? else { continue };
        let node = file.metadata().ok().and_then(|facts| read::stamp_of(&facts).node);
        opened.push((path, file, len, node));
        if !from_start && node == position.node && len >= position.offset {
            is_found = true;
            break;
        }
    }
    if !is_found {
        return Ok(None);
    }
    let mut reading = Reading::default();
    let mut next = position;
    let mut at = position.offset;
    while let Some((path, file, len, node)) = opened.pop() {
        let unread = read_lines(&file, path, at..len, &mut reading)?;
        if opened.is_empty() {
            next = Position { node, offset: len - unread };
        } else if unread > 0 {
            reading.damaged += 1; // nobody will finish that line
        }
        at = 0;
    }
    Ok(Some((reading, next)))
}

/// Reads a part of a file and gives how many bytes at its end are no whole line yet.
fn read_lines(file: &File, path: &Path, part: Range<u64>, reading: &mut Reading) -> Result<u64, ReadError> {
    let Range { start: mut at, end } = part;
    let mut rest: Vec<u8> = Vec::new();
    let mut too_long = false;
    while at < end {
        let block = read_block(file, path, at, BLOCK.min(end - at))?;
        if block.is_empty() {
            break; // cut short by somebody since
        }
        at += block.len() as u64;
        rest.extend_from_slice(&block);
        let whole = rest.iter().rposition(|&b| b == b'\n').map_or(0, |last| last + 1);
        for line in rest.get(..whole).unwrap_or_default().split_inclusive(|&b| b == b'\n') {
            match if too_long { Line::Damaged } else { parse(line) } {
                Line::Event(event) => reading.events.push(*event),
                Line::Blank => {}
                Line::Damaged => reading.damaged += 1,
            }
            too_long = false; // that was the end of it
        }
        rest.drain(..whole);
        if rest.len() > LONGEST {
            too_long = true;
            rest.clear();
        }
    }
    Ok(rest.len() as u64)
}

/// Opens a file of the journal and gives its size; `None` where there is none.
fn open(path: &Path) -> Result<Option<(File, u64)>, ReadError> {
    match read::open_regular(path) {
        Ok((file, facts)) => Ok(Some((file, facts.len()))),
        Err(ReadError::Vanished { .. }) => Ok(None),
        Err(e) => Err(e),
    }
}

fn read_block(file: &File, path: &Path, start: u64, len: u64) -> Result<Vec<u8>, ReadError> {
    let mut block = vec![0; usize::try_from(len).unwrap_or_default()];
    let mut got = 0;
    while let Some(space) = block.get_mut(got..).filter(|space| !space.is_empty()) {
        match read::read_at(file, space, start + got as u64) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(ReadError::from_io(path, e)),
        }
    }
    block.truncate(got);
    Ok(block)
}
