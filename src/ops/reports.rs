//! From each layer's own errors to what people and programs are told.

use crate::config::ConfigError;
use crate::error::{Exit, Report};
use crate::render::template::TemplateError;
use crate::store::atomic::{CommitError, Failed};
use crate::store::discover::FindError;
use crate::store::lock::LockError;
use crate::store::read::ReadError;

impl From<ReadError> for Report {
    fn from(error: ReadError) -> Self {
        // What was there a moment ago and is gone now was changed underneath.
        let exit = if error.is_vanished() { Exit::Changed } else { Exit::Failed };
        Self::new(error.kind(), exit, error.to_string())
    }
}

impl From<CommitError> for Report {
    fn from(error: CommitError) -> Self {
        let text = error.to_string();
        match error {
            CommitError::Changed { path } => {
                Self::new("changed-underneath", Exit::Changed, text).at(path).hint("look at it again, then run the same command")
            }
            CommitError::Taken { path } => Self::failed("name-taken", text).at(path),
            CommitError::Refused { path, refusal } => Self::failed(refusal.kind, text).at(path),
            CommitError::Read(read) => read.into(),
            CommitError::Io { path, .. } => Self::failed("disk", text).at(path),
            CommitError::InBoth { from, .. } => Self::failed("in-both-places", text).at(from),
        }
    }
}

impl From<Failed> for Report {
    fn from(failed: Failed) -> Self {
        failed.error.into()
    }
}

impl From<TemplateError> for Report {
    fn from(error: TemplateError) -> Self {
        match &error {
            TemplateError::Unknown { .. } => Self::new("no-such-format", Exit::Usage, error.to_string()),
            TemplateError::Faulty { file, .. } => Self::failed("template", error.to_string()).at(file),
        }
    }
}

impl From<LockError> for Report {
    fn from(error: LockError) -> Self {
        let text = error.to_string();
        match error {
            LockError::Held { inbox, .. } => Self::new("locked", Exit::Changed, text).at(inbox),
            LockError::Io { path, .. } => Self::failed("lock", text).at(path),
        }
    }
}

impl From<FindError> for Report {
    fn from(error: FindError) -> Self {
        Self::new(error.kind(), Exit::NotFound, error.to_string()).next("postroom inboxes")
    }
}

impl From<ConfigError> for Report {
    fn from(error: ConfigError) -> Self {
        Self::failed("config", error.to_string()).at(&error.path)
    }
}
