//! One message, whole: its header and its body.

use super::refs::Target;
use super::session::Session;
use crate::error::Report;
use crate::layout;
use crate::model::plan::Source;
use crate::store::read;

/// The most that is read of one message, in bytes.
pub const CAP: u64 = 256 << 20;

/// Reads a message's whole file, as it lies on disk.
///
/// # Errors
/// It can't be read, or is no file, or leads out of its project.
pub fn source(session: &Session<'_>, target: &Target) -> Result<Source, Report> {
    let _ = session;
    let path = &target.message.path;
    let real = read::resolve_if_link(path, &target.inbox.project)?;
    let bytes = read::read_whole(&real, CAP)?;
    Ok(Source { path: path.clone(), bytes: bytes.into() })
}

/// The body of a message: what stands behind its header, as text. Bytes that are no UTF-8 are shown
/// as replacement characters; they stay in the file.
pub fn body(target: &Target, source: &Source) -> String {
    let body = layout::of(target.inbox.layout).body(&target.message, &source.bytes);
    String::from_utf8_lossy(&body).into_owned()
}
