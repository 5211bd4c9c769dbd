//! The options of new messages, answers, and of receiving: `send`, `reply`, `broadcast`, `receive`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{priority, status};
use crate::model::message::Priority;
use crate::model::status::Status;

/// The content of a new message.
#[derive(Debug, Clone, Args)]
pub struct LetterArgs {
    /// The text, where it is short; its first line is the subject, unless one is given
    #[arg(value_name = "MESSAGE", conflicts_with_all = ["body", "file", "edit"])]
    pub message: Option<String>,
    /// Who sends it [default: the agent, see --agent]
    #[arg(long, value_name = "NAME")]
    pub from: Option<String>,
    /// Its type: bug-report, note, question, reply, request, review-request, or any other word
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
    /// How urgent it is: low, normal, high or urgent [default: normal]
    #[arg(long, value_name = "PRIORITY", value_parser = priority)]
    pub priority: Option<Priority>,
    /// A tag (may be repeated)
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// The conversation it belongs to
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub thread: Option<String>,
    /// The session or run it comes from
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub origin: Option<String>,
    /// The text
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["file", "edit"], allow_hyphen_values = true)]
    pub body: Option<String>,
    /// Take the text from a file; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "edit")]
    pub file: Option<PathBuf>,
    /// Write it in $VISUAL or $EDITOR
    #[arg(long)]
    pub edit: bool,
    /// Refuse to send what the remarks on good messages object to
    #[arg(long)]
    pub strict: bool,
    /// Print what would be done, and do nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
}

/// A new message.
#[derive(Debug, Clone, Args)]
pub struct SendArgs {
    /// Whom it is for, as with --to; with --to it is the message
    #[arg(value_name = "TARGET")]
    pub target: Option<String>,
    /// Whom it is for: an owner, an alias, NAME (PROJECT), or an inbox's name (may be repeated)
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub to: Vec<String>,
    /// Who gets a copy (may be repeated)
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub cc: Vec<String>,
    /// Who gets a copy that the others don't see (may be repeated)
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub bcc: Vec<String>,
    /// What it is about
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub subject: Option<String>,
    /// The message it answers: a ref, or any text that names it
    #[arg(long, value_name = "REF", allow_hyphen_values = true)]
    pub in_reply_to: Option<String>,
    /// What is common to all new messages.
    #[command(flatten)]
    pub letter: LetterArgs,
}

/// An answer.
#[derive(Debug, Clone, Args)]
pub struct ReplyArgs {
    /// The message to answer
    #[arg(value_name = "REF")]
    pub reference: String,
    /// Answer everybody the message was for
    #[arg(long)]
    pub all: bool,
    /// Answer these instead of the sender (may be repeated)
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub to: Vec<String>,
    /// Another subject than `Re: ` and the old one
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub subject: Option<String>,
    /// Mark the message once the answer is delivered
    #[arg(long, value_name = "STATUS", value_parser = status)]
    pub mark: Option<Status>,
    /// What is common to all new messages.
    #[command(flatten)]
    pub letter: LetterArgs,
}

/// A message to everybody.
#[derive(Debug, Clone, Args)]
pub struct BroadcastArgs {
    /// What it is about
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub subject: Option<String>,
    /// What is common to all new messages.
    #[command(flatten)]
    pub letter: LetterArgs,
}

/// What to receive.
#[derive(Debug, Clone, Args)]
pub struct ReceiveArgs {
    /// Only messages of this type
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
    /// Only messages of this priority
    #[arg(long, value_name = "PRIORITY", value_parser = priority)]
    pub priority: Option<Priority>,
    /// Only messages of this thread
    #[arg(long, value_name = "NAME")]
    pub thread: Option<String>,
    /// At most this many, oldest first
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Only unread messages, which is what it does anyway
    #[arg(long)]
    pub unread: bool,
    /// How they are printed
    #[arg(long, value_enum, default_value = "pretty")]
    pub format: ReceiveFormat,
}

/// How received messages are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReceiveFormat {
    /// For people
    Pretty,
    /// One JSON document, the texts in it; the same as --json
    Json,
    /// The bytes of their files
    Raw,
}
