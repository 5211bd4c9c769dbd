//! The tools, one a file and one line in [`ALL`]: what each is called, takes, gives back and may change,
//! and the use-case it calls. No rule lives here.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{JsonObject, ToolAnnotations};
use serde_json::Value;

use super::answer::Answer;
use super::arguments::{self, Arguments, Kind, Param, may};
use crate::error::{Exit, Report};
use crate::front::run::Run;
use crate::front::start::Standpoint;
use crate::model::inbox::Inbox;
use crate::ops::compose;
use crate::ops::refs::{Target, Want};
use crate::render::agent;
use crate::store::discover::{self, Scope};

mod archive;
mod check;
mod doctor;
mod mark;
mod people;
mod read;
mod reply;
mod search;
mod send;
mod sweep;
mod thread;

pub use check::mark_seen;

/// All tools, in the order they are listed.
pub const ALL: &[Tool] = &[
    check::TOOL,
    send::TOOL,
    thread::TOOL,
    people::AGENTS,
    read::TOOL,
    mark::TOOL,
    reply::TOOL,
    archive::TOOL,
    archive::RESTORE,
    sweep::TOOL,
    search::TOOL,
    people::INBOXES,
    doctor::TOOL,
];

/// The parameter that says which inboxes are looked at.
const SCOPE: Param = may("scope", Kind::Text, "which inboxes: project, global or all (the default)");

/// What a tool may change, for clients that ask before they let it.
#[derive(Debug, Clone, Copy)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// A second call with the same arguments changes nothing more.
    pub idempotent: bool,
    /// It shows text that others wrote.
    pub open_world: bool,
}

/// A tool.
#[derive(Debug)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it does, for a model.
    pub about: &'static str,
    /// What it takes.
    pub params: &'static [Param],
    /// What it may change.
    pub hints: Hints,
    /// The schema of what it gives back.
    pub output: fn() -> Value,
    /// Does it.
    pub run: fn(&Call<'_>) -> Result<Answer, Report>,
}

/// Whether a person can be asked, and what was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Consent {
    /// The client can't ask.
    CantAsk,
    /// The client can ask; nobody was asked yet.
    CanAsk,
    /// Somebody said yes, to this question.
    Yes(String),
}

/// One call of a tool.
pub struct Call<'a> {
    /// The world as it is now.
    pub run: Run<'a>,
    /// What the client sent.
    pub args: Arguments,
    /// Stands in the lines around bodies.
    pub nonce: String,
    /// Whether a person can be asked.
    pub consent: Consent,
}

impl Tool {
    /// The tool of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|tool| tool.name == name)
    }

    /// The tool as the protocol lists it.
    pub fn listed(&self) -> rmcp::model::Tool {
        let Hints { read_only, idempotent, open_world } = self.hints;
        // Nothing here destroys anything: moves are undone by `restore`, marks by a mark.
        let hints = ToolAnnotations::from_raw(
            Some(self.title.to_owned()),
            Some(read_only),
            Some(false),
            Some(idempotent),
            Some(open_world),
        );
        let input: JsonObject = arguments::schema(self.params);
        let output = (self.output)().as_object().cloned().unwrap_or_default();
        rmcp::model::Tool::new_with_raw(self.name, Some(Cow::Borrowed(self.about)), Arc::new(input))
            .with_title(self.title)
            .with_raw_output_schema(Arc::new(output))
            .with_annotations(hints)
    }

    /// Checks the arguments, looks at the world, and does it.
    ///
    /// # Errors
    /// What the model is told instead of a result.
    pub fn call(
        &self,
        standpoint: &Standpoint,
        given: Option<JsonObject>,
        nonce: String,
        consent: Consent,
    ) -> Result<Answer, Report> {
        let args = Arguments::check(self.params, given)?;
        let mut standpoint = standpoint.clone();
        if let Some(scope) = args.text("scope") {
            standpoint.scope = match scope {
                // What MAP clients send where they mean nothing by it.
                "default" => standpoint.scope,
                word => Scope::parse(word).ok_or_else(|| {
                    let text = format!("scope must be project, global or all, not {word:?}");
                    Report::new("bad-arguments", Exit::Usage, text)
                })?,
            };
        }
        let run = Run::new(standpoint)?;
        (self.run)(&Call { run, args, nonce, consent })
    }
}

impl Call<'_> {
    /// The one message that an argument means: a ref, an id, a path, or a resource's URI.
    ///
    /// # Errors
    /// Nothing fits, or several do.
    pub fn target(&self, reference: &str, want: Want) -> Result<Target, Report> {
        self.run.target(reference, want)
    }
}

/// The refs of several messages: each is tried, and what did not work is told beside the others.
///
/// # Errors
/// All of them failed: the first failure.
fn each<T>(
    call: &Call<'_>,
    references: &[String],
    want: Want,
    mut act: impl FnMut(&Target) -> Result<T, Report>,
) -> Result<(Vec<T>, Vec<agent::FailedDoc>), Report> {
    const MOST: usize = 50;
    if references.len() > MOST {
        let text = format!("{} messages are named; {MOST} are taken in one call", references.len());
        return Err(Report::new("bad-arguments", Exit::Usage, text));
    }
    let mut done = Vec::new();
    let mut failed = Vec::new();
    let mut first = None;
    for (reference, target) in call.run.targets(references, want).collect::<Vec<_>>() {
        match target.and_then(|target| act(&target)) {
            Ok(one) => done.push(one),
            Err(report) => {
                failed.push(agent::FailedDoc::of(reference, &super::answer::in_tools(&report)));
                first.get_or_insert(report);
            }
        }
    }
    match first {
        Some(report) if done.is_empty() && failed.len() == 1 => Err(report),
        Some(report) if done.is_empty() => {
            let texts: Vec<String> = failed.iter().map(|f| format!("{}: {}", f.r#ref, f.text)).collect();
            Err(Report::new(report.kind, report.exit, texts.join("\n")))
        }
        _ => Ok((done, failed)),
    }
}

/// The one inbox that a message is put into outright, where one was named: by the argument, else when
/// the server was started.
///
/// # Errors
/// Nothing bears the name, or several do.
fn into<'c>(call: &'c Call<'_>) -> Result<Option<&'c Inbox>, Report> {
    match call.args.text("inbox") {
        Some(name) => Ok(Some(discover::resolve(&call.run.session.found, name)?)),
        None => compose::into_inbox(&call.run.standpoint.inbox, &call.run.inboxes()),
    }
}

/// A day that an argument names: a date, or an age back from today.
///
/// # Errors
/// It is neither.
fn day(call: &Call<'_>, name: &str) -> Result<Option<chrono::NaiveDate>, Report> {
    let today = call.run.session.clock.today();
    let read = |text| {
        crate::model::date::day_or_age(text, today)
            .map_err(|why| Report::new("bad-arguments", Exit::Usage, format!("{name}: {why}")))
    };
    call.args.text(name).map(read).transpose()
}

/// The statuses that an argument names.
fn statuses(call: &Call<'_>, name: &str) -> Vec<crate::model::status::Status> {
    call.args.texts(name).iter().filter_map(|word| crate::model::status::Status::from_word(word)).collect()
}

/// The place in a list that a client was given to go on from.
///
/// # Errors
/// It is none of ours.
fn cursor(call: &Call<'_>) -> Result<Option<crate::ops::page::Cursor>, Report> {
    let read = |text: &str| {
        crate::ops::page::Cursor::parse(text).ok_or_else(|| {
            Report::new("bad-cursor", Exit::Usage, "the cursor is none that this tool gave out; without it the list starts anew")
        })
    };
    call.args.text("cursor").map(read).transpose()
}

/// The words for a status.
const STATUSES: &[&str] = &["unread", "read", "actioned", "resolved"];
/// The words for an importance.
const IMPORTANCES: &[&str] = &["low", "normal", "high", "urgent"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_well_formed() {
        let mut names: Vec<&str> = ALL.iter().map(|t| t.name).collect();
        for name in &names {
            assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{name}");
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
    }

    #[test]
    fn every_schema_is_an_object() {
        for tool in ALL {
            assert_eq!((tool.output)()["type"], "object", "{}", tool.name);
            assert!(tool.about.len() < 900 && tool.about.ends_with('.'), "{}", tool.name);
        }
    }
}
