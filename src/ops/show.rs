//! One message, whole: its header and its body.

use super::refs::Target;
use crate::error::Report;
use crate::layout;
use crate::model::plan::Source;
use crate::store::read::{self, Reach};

/// Reads a message's whole file, as it lies on disk.
///
/// # Errors
/// It can't be read, or is no file, or leads out of its project.
pub fn source(target: &Target) -> Result<Source, Report> {
    let reach = Reach::Within(&target.inbox.project);
    let (source, _) = read::read_whole(&target.message.path, reach, read::LARGEST)?;
    Ok(source)
}

/// The body of a message: what stands behind its header, as text. Bytes that are no UTF-8 are shown
/// as replacement characters; they stay in the file.
pub fn body(target: &Target, source: &Source) -> String {
    let body = layout::of(target.inbox.layout).body(&target.message, &source.bytes);
    String::from_utf8_lossy(&body).into_owned()
}
