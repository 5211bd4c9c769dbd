//! A message on its way from one inbox into another, of the same form or not.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use super::{RawField, RawValue};
use crate::model::message::{DateSource, Header, Message, Shown};
use crate::model::status::Status;
use crate::text::body::title_of;

/// A message, taken out of its form as far as it goes into another one.
pub struct Parcel<'a> {
    /// The message as it was read.
    pub message: &'a Message,
    /// Its header; references to messages that move along are those of the new place already.
    pub header: Header,
    /// The bytes of its file, where the form stays the same: all of them go along.
    pub whole: Option<&'a [u8]>,
    /// Its text, the blank line behind a header included.
    pub body: &'a [u8],
    /// Keys of its header that mean nothing to postroom, and second ones of one meaning.
    pub extras: Vec<RawField>,
    /// Whether a place in the new inbox is taken, or will be by messages before this one; also where
    /// the names would only meet on some other disk.
    pub taken: &'a dyn Fn(&Path) -> bool,
    /// Whether a file of these bytes lies at a place already: a run that was stopped made it, and no
    /// message before this one stands for it.
    pub made: &'a dyn Fn(&Path, &[u8]) -> bool,
}

impl fmt::Debug for Parcel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parcel").field("message", self.message).finish_non_exhaustive()
    }
}

impl Parcel<'_> {
    pub(super) fn shown(&self) -> &Shown {
        &self.message.shown
    }

    pub(super) fn status(&self) -> Status {
        self.message.status
    }

    /// The name of its file.
    pub(super) fn name(&self) -> &OsStr {
        self.message.path.file_name().unwrap_or_default()
    }

    /// Whether a place in the new inbox is taken, or will be, by anything but this very message.
    pub(super) fn is_taken(&self, path: &Path, bytes: &[u8]) -> bool {
        (self.taken)(path) && !(self.made)(path, bytes)
    }

    /// The subject to write: none where a reader finds the same one in the text.
    pub(super) fn subject(&self) -> Option<&str> {
        match self.header.subject.as_deref().filter(|s| !s.trim().is_empty()) {
            Some(subject) => Some(subject),
            None if title_of(self.body).as_deref() == Some(&self.shown().subject) => None,
            None => Some(&self.shown().subject),
        }
    }

    /// The date to write: the header's, else the one in the file's name, which is another one now.
    pub(super) fn date(&self) -> Option<&str> {
        match self.shown().date_source {
            Some(DateSource::Header | DateSource::Name) => Some(&self.shown().date),
            Some(DateSource::Mtime) | None => None,
        }
    }

    /// The extras under names that the new header does not use for something else.
    pub(super) fn extras(&self, written: &[&str]) -> Vec<(String, &RawValue)> {
        let is_written = |key: &str| written.iter().any(|w| w.replace('_', "-").eq_ignore_ascii_case(&key.replace('_', "-")));
        let named = |field: &RawField| if is_written(&field.key) { format!("original_{}", field.key) } else { field.key.clone() };
        self.extras.iter().map(|field| (named(field), &field.value)).collect()
    }
}
