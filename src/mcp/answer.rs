//! What a tool gives back: one document, as structured content and as the same JSON in a text;
//! an error as a text that teaches; or a question to the person first.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::Value;

use crate::error::Report;
use crate::model::plan::Source;
use crate::ops::refs::Target;
use crate::render::agent;

/// How many bytes of JSON a result takes at most, about: below what clients warn of (10,000 tokens).
pub const BUDGET: usize = 20_000;

/// A message that was handed over whole or in part, and is marked read once the result was written.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The message.
    pub target: Target,
    /// What was shown.
    pub source: Source,
    /// Who reads it, where that is not who acts anyway.
    pub reader: Option<String>,
}

/// What a tool gives back.
#[derive(Debug)]
pub enum Answer {
    /// It is done.
    Done {
        /// The document.
        value: Value,
        /// The same as text, its keys in their own order.
        text: String,
        /// What is marked read once that was written.
        seen: Vec<Seen>,
    },
    /// A person has to say yes first.
    Ask {
        /// The question.
        question: String,
        /// Stands for what was asked about: another set of messages is another question.
        state: String,
    },
}

impl Answer {
    /// A document.
    ///
    /// # Errors
    /// It can't be written as JSON.
    pub fn of(doc: &impl Serialize) -> Result<Self, Report> {
        Self::with_seen(doc, Vec::new())
    }

    /// A document with messages that are marked read once it was written.
    ///
    /// # Errors
    /// As [`Answer::of`].
    pub fn with_seen(doc: &impl Serialize, seen: Vec<Seen>) -> Result<Self, Report> {
        let failed = |e: serde_json::Error| Report::failed("inside", format!("the result could not be written: {e}"));
        let text = serde_json::to_string(doc).map_err(failed)?;
        let value = serde_json::to_value(doc).map_err(failed)?;
        Ok(Self::Done { value, text, seen })
    }
}

/// A document as the protocol carries it.
pub fn done(value: Value, text: String) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(value);
    result
}

/// A report as the protocol carries it: a result that the model reads, not a failure of the protocol.
pub fn failed(report: &Report) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(agent::report(&in_tools(report)))])
}

/// What options of the command are called as arguments; longer ones first.
const OPTIONS: [(&str, &str); 8] = [
    ("--from NAME", "`from`"),
    ("--to NAME", "`to`"),
    ("--inbox INBOX", "`inbox`"),
    ("--inbox", "`inbox`"),
    ("--note", "`note`"),
    ("--force", "`force`"),
    ("--reopen", "`reopen`"),
    ("`postroom send `to` --in-reply-to REF`", "send_message with `to` and `inReplyTo`"),
];

/// The same report with tools in the place of options and commands, where there is a tool.
pub fn in_tools(report: &Report) -> Report {
    let mut report = report.clone();
    for hint in &mut report.hints {
        for (option, argument) in OPTIONS {
            *hint = hint.replace(option, argument);
        }
    }
    for next in &mut report.next {
        let tool = match next.split_whitespace().nth(1) {
            Some("inboxes") => "list_inboxes",
            Some("list" | "search") => "search_messages",
            Some("mark") => "mark_status",
            Some("archive") => "archive",
            Some("restore") => "restore",
            _ => continue,
        };
        *next = format!("the tool {tool} (as `{next}` does)");
    }
    report
}
