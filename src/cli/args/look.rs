//! The options of looking: `list`, `show`, `peek`, `thread`, `search`, `log`.

use clap::{Args, ValueEnum};

use super::{Refs, priority, status};
use crate::model::message::Priority;
use crate::model::status::Status;
use crate::ops::find::Sort;

/// Filters and order of a list.
#[derive(Debug, Clone, Args)]
pub struct ListArgs {
    /// Only messages with this status (may be repeated)
    #[arg(long, value_name = "STATUS", value_parser = status)]
    pub status: Vec<Status>,
    /// Only unread messages
    #[arg(long)]
    pub unread: bool,
    /// Only open messages: read or actioned, not yet resolved
    #[arg(long)]
    pub open: bool,
    /// Only messages to this agent
    #[arg(long, value_name = "NAME")]
    pub to: Option<String>,
    /// Only messages from this agent
    #[arg(long, value_name = "NAME")]
    pub from: Option<String>,
    /// Only messages of this type
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
    /// Only messages of this priority
    #[arg(long, value_name = "PRIORITY", value_parser = priority)]
    pub priority: Option<Priority>,
    /// Only messages with this tag (may be repeated: all of them)
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// Only messages of this thread: its name, or a message of it
    #[arg(long, value_name = "THREAD")]
    pub thread: Option<String>,
    /// Only messages of this day or later: YYYY-MM-DD, or an age such as 3d or 2w
    #[arg(long, value_name = "DATE|AGE")]
    pub since: Option<String>,
    /// Only messages before this day: YYYY-MM-DD, or an age such as 3d or 2w
    #[arg(long, value_name = "DATE|AGE")]
    pub before: Option<String>,
    /// Only archived messages
    #[arg(long, conflicts_with = "all")]
    pub archived: bool,
    /// Archived messages too
    #[arg(long)]
    pub all: bool,
    /// The order
    #[arg(long, value_enum, default_value = "newest")]
    pub sort: SortBy,
    /// At most this many
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Print one JSON object a line, one a message
    #[arg(long)]
    pub json_lines: bool,
}

/// The orders of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SortBy {
    /// Newest first
    Newest,
    /// Oldest first
    Oldest,
    /// Urgent first, then newest
    Priority,
    /// By subject
    Subject,
    /// By sender
    From,
    /// Unread first, then newest
    Status,
}

impl From<SortBy> for Sort {
    fn from(by: SortBy) -> Self {
        match by {
            SortBy::Newest => Self::Newest,
            SortBy::Oldest => Self::Oldest,
            SortBy::Priority => Self::Priority,
            SortBy::Subject => Self::Subject,
            SortBy::From => Self::From,
            SortBy::Status => Self::Status,
        }
    }
}

/// What to show.
#[derive(Debug, Clone, Args)]
pub struct ShowArgs {
    /// The messages.
    #[command(flatten)]
    pub refs: Refs,
    /// Print the bytes of the file as they are
    #[arg(long, conflicts_with = "json")]
    pub raw: bool,
}

/// Where to look.
#[derive(Debug, Clone, Args)]
pub struct PeekArgs {
    /// An inbox: its owner, its name or its path; or a message
    #[arg(value_name = "TARGET")]
    pub target: String,
    /// At most this many
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

/// Whose conversation.
#[derive(Debug, Clone, Args)]
pub struct ThreadArgs {
    /// A message of the conversation
    #[arg(value_name = "REF")]
    pub reference: String,
}

/// What to search for.
#[derive(Debug, Clone, Args)]
pub struct SearchArgs {
    /// Words that must all stand in the header, the subject shown or the file's name
    #[arg(value_name = "WORD", required = true)]
    pub words: Vec<String>,
    /// Live messages only
    #[arg(long)]
    pub live: bool,
    /// At most this many
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

/// Which events.
#[derive(Debug, Clone, Args)]
pub struct LogArgs {
    /// Only the last N events
    #[arg(long, value_name = "N")]
    pub last: Option<usize>,
    /// Only events of this day or later: YYYY-MM-DD, or an age such as 3d or 2w
    #[arg(long, value_name = "DATE|AGE")]
    pub since: Option<String>,
    /// Go on with what is done from now on, until ended
    #[arg(short, long)]
    pub follow: bool,
    /// Only events about messages whose name or path holds TEXT
    #[arg(long = "ref", value_name = "TEXT")]
    pub reference: Option<String>,
}
