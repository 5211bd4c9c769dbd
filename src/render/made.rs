//! The documents of what is made anew: an inbox, the configuration for somebody else's mailbox, and
//! messages in another inbox.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;

use super::fields::{Each, MessageDoc, TroubleDoc};
use super::json;
use super::view::{SCHEMA, Trouble};
use crate::model::status::Status;
use crate::ops::dialect::{Counted, Means, Survey};
use crate::ops::init::Made;
use crate::ops::migrate::Migration;

/// `init`: `{path, layout, owner, made, notes, dry_run}`.
///
/// # Errors
/// What the writer says.
pub fn inbox(out: impl Write, made: &Made, dry_run: bool) -> io::Result<()> {
    #[derive(Serialize)]
    struct Doc<'a> {
        schema: &'static str,
        path: Cow<'a, str>,
        layout: &'static str,
        owner: &'a str,
        made: Vec<Cow<'a, str>>,
        notes: &'a [String],
        dry_run: bool,
    }
    let doc = Doc {
        schema: SCHEMA,
        path: made.inbox.to_string_lossy(),
        layout: made.layout.as_str(),
        owner: made.owner.as_str(),
        made: made.made.iter().map(|p| p.to_string_lossy()).collect(),
        notes: &made.notes,
        dry_run,
    };
    json::line(out, &doc)
}

#[derive(Serialize)]
struct WordDoc<'a> {
    text: &'a str,
    count: usize,
    means: Option<&'static str>,
    guess: bool,
}

impl<'a> WordDoc<'a> {
    fn of<M: Copy>(word: &'a Counted<M>, name: impl Fn(M) -> &'static str) -> Self {
        let guess = matches!(word.means, Means::Guess(_));
        Self { text: &word.text, count: word.count, means: word.means.get().map(name), guess }
    }
}

#[derive(Serialize)]
struct DateDoc<'a> {
    example: &'a str,
    count: usize,
    read_as: Option<&'static str>,
}

#[derive(Serialize)]
struct FolderDoc<'a> {
    path: Cow<'a, str>,
    layout: &'static str,
    owner: &'a str,
    messages: usize,
}

/// `init --dialect-from`: `{messages, unreadable, more, inboxes, words, keys, dates, config}`.
///
/// # Errors
/// What the writer says.
pub fn dialect(out: impl Write, survey: &Survey, config: &str, problems: &[Trouble<'_>]) -> io::Result<()> {
    #[derive(Serialize)]
    struct Doc<'a, P> {
        schema: &'static str,
        messages: usize,
        unreadable: usize,
        more: bool,
        inboxes: Vec<FolderDoc<'a>>,
        words: Vec<WordDoc<'a>>,
        keys: Vec<WordDoc<'a>>,
        dates: Vec<DateDoc<'a>>,
        config: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        problems: Option<P>,
    }
    let inboxes = survey.inboxes.iter().map(|found| FolderDoc {
        path: found.spot.path.to_string_lossy(),
        layout: found.layout.as_str(),
        owner: found.spot.owner.as_str(),
        messages: found.messages,
    });
    let dates = survey.dates.iter().map(|form| DateDoc { example: &form.example, count: form.count, read_as: form.read_as });
    let doc = Doc {
        schema: SCHEMA,
        messages: survey.messages,
        unreadable: survey.unreadable,
        more: survey.more,
        inboxes: inboxes.collect(),
        words: survey.words.iter().map(|w| WordDoc::of(w, Status::word)).collect(),
        keys: survey.keys.iter().map(|k| WordDoc::of(k, |means| means)).collect(),
        dates: dates.collect(),
        config,
        problems: (!problems.is_empty()).then_some(Each(problems, TroubleDoc::of)),
    };
    json::line(out, &doc)
}

#[derive(Serialize)]
struct GoneDoc<'a> {
    id: &'a str,
    from_path: Cow<'a, str>,
    to_path: Cow<'a, str>,
    archived_path: Option<Cow<'a, str>>,
    references: usize,
    message: MessageDoc<'a>,
}

#[derive(Serialize)]
struct StayedDoc<'a> {
    id: &'a str,
    path: Cow<'a, str>,
    error: &'a str,
}

/// `migrate`: `{migrated, failed, dry_run}`.
///
/// # Errors
/// What the writer says.
pub fn migration(out: impl Write, done: &Migration, dry_run: bool, problems: &[Trouble<'_>]) -> io::Result<()> {
    #[derive(Serialize)]
    struct Doc<'a, P> {
        schema: &'static str,
        migrated: Vec<GoneDoc<'a>>,
        failed: Vec<StayedDoc<'a>>,
        dry_run: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        problems: Option<P>,
    }
    let gone = done.gone.iter().map(|gone| GoneDoc {
        id: gone.before.id.as_str(),
        from_path: gone.before.path.to_string_lossy(),
        to_path: gone.after.path.to_string_lossy(),
        archived_path: gone.archived_path.as_ref().map(|p| p.to_string_lossy()),
        references: gone.references,
        message: MessageDoc::of(&gone.after),
    });
    let failed = done.failed.iter().map(|(message, report)| StayedDoc {
        id: message.id.as_str(),
        path: message.path.to_string_lossy(),
        error: &report.message,
    });
    let doc = Doc {
        schema: SCHEMA,
        migrated: gone.collect(),
        failed: failed.collect(),
        dry_run,
        problems: (!problems.is_empty()).then_some(Each(problems, TroubleDoc::of)),
    };
    json::line(out, &doc)
}
