//! The managed block in an instructions file: put in, kept up, taken out.

use std::path::{Path, PathBuf};

use super::session::Session;
use super::settings;
use crate::error::Report;
use crate::model::message::Warning;
use crate::store::read::{self, LARGEST, Reach, ReadError};
use crate::store::receipts::Receipt;
use crate::text::block::{self, BlockError, Removed};

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Became {
    /// It was as it should be.
    Unchanged,
    /// The file was made, with the block.
    Made,
    /// The block was put in.
    Added,
    /// The block's text was replaced.
    Updated,
    /// The block was taken out.
    Removed,
    /// The block was taken out, and the file with it: it held nothing else.
    FileRemoved,
}

/// A file, and what became of it, or would.
#[derive(Debug)]
pub struct Injected {
    /// The file; absolute.
    pub path: PathBuf,
    /// What became of it.
    pub became: Became,
    /// What is worth saying though it is done.
    pub warnings: Vec<Warning>,
}

/// Puts the block with `text` into a file, or takes it out where `text` is `None`. The file is
/// written through links, and only while it holds what was read.
///
/// # Errors
/// The file is unclear, can't be read or can't be written; it is as it was.
pub fn inject(session: &Session<'_>, file: &Path, text: Option<&str>, dry_run: bool) -> Result<Injected, Report> {
    let path = session.dir().join(file);
    let before = match read::read_whole(&path, Reach::Anywhere, LARGEST) {
        Ok((source, _)) => Some(source.bytes),
        // A link that leads nowhere is somebody's plan; its target is not ours to make.
        Err(ReadError::Vanished { .. }) if path.symlink_metadata().is_err() => None,
        Err(error) => return Err(error.into()),
    };
    if before.is_none() && text.is_some() && !path.parent().is_some_and(Path::is_dir) {
        let text = format!("{}: there is no such folder to make the file in", path.display());
        return Err(Report::failed("no-such-folder", text).at(&path));
    }
    let unclear = |error: BlockError| {
        let text = format!("{}: {error}", path.display());
        Report::failed(error.kind(), text).at(&path).hint("the file was left as it is")
    };
    let old = before.as_deref();
    let (after, became) = match (old, text) {
        (None, None) => return Ok(Injected { path, became: Became::Unchanged, warnings: Vec::new() }),
        (None, Some(text)) => (Some(block::put(None, text).map_err(unclear)?), Became::Made),
        (Some(old), Some(text)) => {
            let new = block::put(Some(old), text).map_err(unclear)?;
            let had = !matches!(block::remove(old).map_err(unclear)?, Removed::Nothing);
            let became = match (new == old, had) {
                (true, _) => Became::Unchanged,
                (false, true) => Became::Updated,
                (false, false) => Became::Added,
            };
            (Some(new), became)
        }
        (Some(old), None) => match block::remove(old).map_err(unclear)? {
            Removed::Nothing => (None, Became::Unchanged),
            Removed::Rest(rest) => (Some(rest), Became::Removed),
            Removed::NoFile if Receipt::find(&session.state, &path).is_some() => (None, Became::FileRemoved),
            // Somebody else made the file, or a link that promises one.
            Removed::NoFile => (Some(Vec::new()), Became::Removed),
        },
    };
    let mut warnings = Vec::new();
    if !dry_run && became != Became::Unchanged {
        match (after, old) {
            (Some(after), _) => warnings = settings::write(session, &path, old, &after)?,
            (None, Some(old)) => settings::remove(session, &path, old)?,
            (None, None) => {}
        }
    }
    Ok(Injected { path, became, warnings })
}
