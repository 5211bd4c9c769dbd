//! The JSON documents of the boot commands: `inject`, `setup`, `unsetup`.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::fields::Each;
use super::json;
use super::view::{Failure, SCHEMA, failures};

/// A file, and what became of it or is so of it, in a word.
#[derive(Debug, Clone, Copy)]
pub struct FileRow<'a> {
    /// The file.
    pub path: &'a Path,
    /// The word.
    pub word: &'a str,
}

/// A host and one of its settings files.
#[derive(Debug, Clone, Copy)]
pub struct HostRow<'a> {
    /// The host's word.
    pub host: &'a str,
    /// `user` or `project`.
    pub level: &'a str,
    /// The file.
    pub path: Option<&'a Path>,
    /// Whether the hook is registered there, or what became of it: one word.
    pub state: &'a str,
    /// What the user should know.
    pub notes: &'a [String],
}

#[derive(Serialize)]
struct FileDoc<'a> {
    path: std::borrow::Cow<'a, str>,
    became: &'a str,
}

#[derive(Serialize)]
struct HostDoc<'a> {
    host: &'a str,
    level: &'a str,
    path: Option<std::borrow::Cow<'a, str>>,
    state: &'a str,
    notes: &'a [String],
}

impl<'a> FileDoc<'a> {
    fn of(row: &FileRow<'a>) -> Self {
        Self { path: row.path.to_string_lossy(), became: row.word }
    }
}

impl<'a> HostDoc<'a> {
    fn of(row: &HostRow<'a>) -> Self {
        let path = row.path.map(Path::to_string_lossy);
        Self { host: row.host, level: row.level, path, state: row.state, notes: row.notes }
    }
}

/// `inject`: `{files: [{path, became}], dry_run}`, and `failed` where a file was refused.
///
/// # Errors
/// What the writer says.
pub fn files(out: impl Write, rows: &[FileRow<'_>], failed: &[Failure<'_>], dry_run: bool) -> io::Result<()> {
    #[derive(Serialize)]
    struct Doc<R, F> {
        schema: &'static str,
        files: R,
        dry_run: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        failed: Option<F>,
    }
    let files = Each(rows, FileDoc::of);
    json::line(out, &Doc { schema: SCHEMA, files, dry_run, failed: failures(failed) })
}

/// `setup`, `unsetup`: `{hosts: [{host, level, path, state, notes}], dry_run}`.
///
/// # Errors
/// What the writer says.
pub fn hosts(out: impl Write, rows: &[HostRow<'_>], dry_run: bool) -> io::Result<()> {
    #[derive(Serialize)]
    struct Doc<R> {
        schema: &'static str,
        hosts: R,
        dry_run: bool,
    }
    let hosts = Each(rows, HostDoc::of);
    json::line(out, &Doc { schema: SCHEMA, hosts, dry_run })
}
