//! The documents of what is made anew: an inbox, and the configuration for somebody else's mailbox.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;

use super::fields::{Each, TroubleDoc};
use super::json;
use super::view::{SCHEMA, Trouble};
use crate::model::status::Status;
use crate::ops::dialect::{Counted, Means, Survey};
use crate::ops::init::Made;

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
