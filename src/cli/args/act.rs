//! The options of acting on messages that are there: `read`, `mark`, `archive`, `restore`, `sweep`,
//! `migrate`.

use clap::Args;

use super::{Refs, handled, status};
use crate::model::status::Status;

/// What to read.
#[derive(Debug, Clone, Args)]
pub struct ReadArgs {
    /// The messages.
    #[command(flatten)]
    pub refs: Refs,
}

/// A change of status.
#[derive(Debug, Clone, Args)]
pub struct MarkArgs {
    /// The status to set
    #[arg(value_name = "STATUS", value_parser = status)]
    pub status: Status,
    /// The messages.
    #[command(flatten)]
    pub refs: Refs,
    /// Allow a step back, such as from actioned to read
    #[arg(long)]
    pub reopen: bool,
    /// Why; kept in the journal
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub note: Option<String>,
    /// Print what would be done, and do nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
}

/// What goes where.
#[derive(Debug, Clone, Args)]
pub struct MigrateArgs {
    /// The inbox that the messages are in: its name, its owner or its path
    #[arg(value_name = "FROM")]
    pub from: String,
    /// The inbox that they go into
    #[arg(value_name = "TO")]
    pub to: String,
    /// Leave the originals as they are
    #[arg(long)]
    pub copy: bool,
    /// Archive each original once its copy was read back and is the same [the default]
    #[arg(long = "move", conflicts_with = "copy")]
    pub move_: bool,
    /// Archived messages too; they go into the other archive
    #[arg(long)]
    pub all: bool,
    /// Print what would be done, and do nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
}

/// What to archive.
#[derive(Debug, Clone, Args)]
pub struct ArchiveArgs {
    /// The messages.
    #[command(flatten)]
    pub refs: Refs,
    /// Mark them first
    #[arg(long, value_name = "STATUS", value_parser = status)]
    pub mark: Option<Status>,
    /// Archive messages that are not handled; needs --note
    #[arg(short, long)]
    pub force: bool,
    /// Why; kept in the journal
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub note: Option<String>,
    /// Print what would be done, and do nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
}

/// What to restore.
#[derive(Debug, Clone, Args)]
pub struct RestoreArgs {
    /// The messages.
    #[command(flatten)]
    pub refs: Refs,
    /// Why; kept in the journal
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub note: Option<String>,
    /// Print what would be done, and do nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
}

/// What to sweep.
#[derive(Debug, Clone, Args)]
pub struct SweepArgs {
    /// How old: an age such as 14d or 2w, or a day YYYY-MM-DD [default: 14d]
    #[arg(long, value_name = "AGE|DATE", conflicts_with = "before")]
    pub older_than: Option<String>,
    /// Everything handled that is dated before this day
    #[arg(long, value_name = "DATE")]
    pub before: Option<String>,
    /// In every project that the configuration knows, each looked at on its own, and in the home folder
    #[arg(long)]
    pub projects: bool,
    /// Only messages with this status, actioned or resolved (may be repeated) [default: both]
    #[arg(long, value_name = "STATUS", value_parser = handled)]
    pub status: Vec<Status>,
    /// Print what would be done, and do nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
}
