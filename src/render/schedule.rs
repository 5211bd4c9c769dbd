//! `schedule` as a document for programs.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::fields::{Each, ErrorDoc};
use super::json;
use super::view::SCHEMA;
use crate::error::Report;
use crate::ops::schedule::At;

/// One scheduler.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// `systemd`, `cron` or `launchd`.
    pub kind: &'static str,
    /// `missing`, `installed`, `outdated`, `edited`, `foreign`, `removed`.
    pub state: &'static str,
    /// When, each day, by what is there or would be.
    pub at: At,
    /// What it reads.
    pub files: &'a [File<'a>],
    /// What has to be called, or was.
    pub commands: &'a [String],
    /// What the reader should know.
    pub notes: &'a [String],
}

/// One text that a scheduler reads.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// The file; `None` for the crontab.
    pub path: Option<&'a Path>,
    /// As [`Row::state`], or `written`.
    pub state: &'static str,
    /// What it shall hold.
    pub text: Option<&'a str>,
}

/// What all of them have in common.
#[derive(Debug, Clone, Copy)]
pub struct Common<'a> {
    /// What runs.
    pub command: &'a str,
    /// When, each day.
    pub at: Option<At>,
    /// Which projects are swept.
    pub projects: &'a [PathBuf],
    /// Whether only a look was asked for.
    pub dry_run: bool,
    /// What could not be done, beside what was.
    pub error: Option<&'a Report>,
}

/// `schedule`: `{schedules: [{kind, state, at, files, commands, notes}], command, at, projects, dry_run}`, and `error` where
/// something could not be done.
///
/// # Errors
/// What the writer says.
pub fn document(out: impl Write, rows: &[Row<'_>], common: &Common<'_>) -> io::Result<()> {
    #[derive(Serialize)]
    struct Doc<'a, R, P> {
        schema: &'static str,
        schedules: R,
        command: &'a str,
        at: Option<String>,
        projects: P,
        dry_run: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<ErrorDoc<'a>>,
    }
    let doc = Doc {
        schema: SCHEMA,
        schedules: Each(rows, RowDoc::of),
        command: common.command,
        at: common.at.map(|at| at.to_string()),
        projects: Each(common.projects, |path: &PathBuf| path.to_string_lossy().into_owned()),
        dry_run: common.dry_run,
        error: common.error.map(ErrorDoc::of_report),
    };
    json::line(out, &doc)
}

#[derive(Serialize)]
struct RowDoc<'a> {
    kind: &'static str,
    state: &'static str,
    at: String,
    files: Vec<FileDoc<'a>>,
    commands: &'a [String],
    notes: &'a [String],
}

#[derive(Serialize)]
struct FileDoc<'a> {
    path: Option<Cow<'a, str>>,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

impl<'a> RowDoc<'a> {
    fn of(row: &'a Row<'a>) -> Self {
        let file = |f: &File<'a>| FileDoc { path: f.path.map(Path::to_string_lossy), state: f.state, text: f.text };
        Self {
            kind: row.kind,
            state: row.state,
            at: row.at.to_string(),
            files: row.files.iter().map(file).collect(),
            commands: row.commands,
            notes: row.notes,
        }
    }
}
