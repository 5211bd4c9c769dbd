//! The command line as values. The comments here are the help texts, and `docs/cli.md` is made of
//! them.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::front::start::Standpoint;
use crate::model::inbox::LayoutId;
use crate::model::message::Priority;
use crate::model::status::Status;
use crate::ops::find::Sort;
use crate::store::discover;

mod keep;

pub use keep::{DoctorArgs, ScheduleAction, ScheduleArgs, WatchArgs};

pub use letter::{BroadcastArgs, LetterArgs, ReceiveArgs, ReceiveFormat, ReplyArgs, SendArgs};

mod letter;

/// One post room for every AI agent's inbox.
///
/// Finds the inboxes of several tools, keeps each message's lifecycle honest, archives on a schedule
/// without ever deleting, and puts a short, safe summary into boot prompts. Messages stay plain files.
#[derive(Debug, Parser)]
#[command(name = "postroom", version, propagate_version = true, disable_help_subcommand = false, max_term_width = 100)]
pub struct Cli {
    /// What holds for every command.
    #[command(flatten)]
    pub globals: Globals,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// Options that every command takes, before or behind it.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub struct Globals {
    /// Start in DIR instead of the working directory
    #[arg(short = 'C', long = "directory", value_name = "DIR", global = true)]
    pub directory: Option<PathBuf>,
    /// Look only at this inbox: its name, its owner or its path (may be repeated)
    #[arg(long, value_name = "NAME|PATH", global = true)]
    pub inbox: Vec<String>,
    /// Act as this agent, and look only at the inboxes it owns [env: `POSTROOM_AGENT`]
    #[arg(long, value_name = "NAME", global = true)]
    pub agent: Option<String>,
    /// Which inboxes to look at
    #[arg(long, value_enum, default_value = "all", global = true)]
    pub scope: Scope,
    /// Look at the inboxes of running Claude teams too
    #[arg(long, global = true)]
    pub teams: bool,
    /// Print one JSON document instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", global = true)]
    pub color: When3,
    /// Print no remarks, only results and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more about what is done
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

impl Default for Globals {
    fn default() -> Self {
        Self {
            directory: None,
            inbox: Vec::new(),
            agent: None,
            scope: Scope::All,
            teams: false,
            json: false,
            color: When3::Auto,
            quiet: false,
            verbose: false,
        }
    }
}

/// Which of the inboxes found a command looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    /// Those of this project and of the folders above it
    Project,
    /// Those of the home folder
    Global,
    /// All of them
    All,
}

impl From<Scope> for discover::Scope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Project => Self::Project,
            Scope::Global => Self::Global,
            Scope::All => Self::All,
        }
    }
}

impl From<Globals> for Standpoint {
    fn from(globals: Globals) -> Self {
        let Globals { directory, inbox, agent, scope, teams, .. } = globals;
        Self { directory, inbox, agent, scope: scope.into(), teams }
    }
}

/// When something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When3 {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the inboxes found from here, with their counts
    Inboxes,
    /// List messages
    List(ListArgs),
    /// Print messages; their status stays as it is
    Show(ShowArgs),
    /// Look into another agent's inbox: what is unread there, which it stays
    Peek(PeekArgs),
    /// Print the conversation that a message belongs to
    Thread(ThreadArgs),
    /// Find messages by words in their headers
    Search(SearchArgs),
    /// Print what postroom did, latest last
    Log(LogArgs),
    /// Print messages, and mark them read once they are printed
    Read(ReadArgs),
    /// Set the status of messages: unread, read, actioned or resolved
    Mark(MarkArgs),
    /// Send a message
    Send(SendArgs),
    /// Answer a message; the answer goes to its sender
    Reply(ReplyArgs),
    /// Send a message to every owner in scope but the sender
    Broadcast(BroadcastArgs),
    /// Print and mark every unread message of one's own inboxes
    Receive(ReceiveArgs),
    /// Make an inbox, with its folders and a file that explains it; or look at somebody else's mailbox
    Init(InitArgs),
    /// Copy or move the messages of one inbox into another, also into one of another form
    Migrate(MigrateArgs),
    /// Give an inbox another name, list such names, or take one away
    Alias(AliasArgs),
    /// Move handled messages to the archive
    Archive(ArchiveArgs),
    /// Move archived messages back into their inbox
    Restore(RestoreArgs),
    /// Archive every handled message older than two weeks
    #[command(alias = "clear")]
    Sweep(SweepArgs),
    /// Print the block that tells an agent of its mail; nothing where there is none
    Summary(SummaryArgs),
    /// Look for what is wrong with the inboxes, and mend what is safe to mend
    Doctor(DoctorArgs),
    /// Sweep the known projects each night: by a systemd timer, cron or launchd
    Schedule(ScheduleArgs),
    /// Wait for new mail, and print it as it lands; nothing is marked
    Watch(WatchArgs),
    /// Print a template of another tool with the inbox's slots filled; nothing else in it is touched
    #[command(long_about = RENDER)]
    Render(RenderArgs),
    /// Keep a block with the summary in CLAUDE.md, AGENTS.md, GEMINI.md and the like
    Inject(InjectArgs),
    /// Answer a host's hook: its JSON comes on standard input, the answer goes out in its exact shape
    ///
    /// Always ends with status 0, and prints one answer or nothing. What a session was told is not told
    /// again, until its context starts anew.
    Hook(HookArgs),
    /// Register the hook in a host's settings; without a host, list the hosts found here
    Setup(SetupArgs),
    /// Take the hook out of a host's settings again
    Unsetup(SetupArgs),
    /// Serve agents that speak the Model Context Protocol, on standard input and output
    ///
    /// Started by a host such as Claude Code, not by hand: see docs/mcp.md. It acts for the agent of --agent,
    /// starts in the folder of -C, and ends when its input ends.
    #[cfg(feature = "mcp")]
    Mcp,
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print a manual page: of the whole, or of one command
    Man(ManArgs),
}

/// Which messages are meant.
#[derive(Debug, Clone, Args)]
pub struct Refs {
    /// A path, a file name, an id, or a unique part of one; `INBOX:` before it narrows the search
    #[arg(value_name = "REF", required = true)]
    pub refs: Vec<String>,
}

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

/// What to make. `--agent` names whose inbox it is to be.
#[derive(Debug, Clone, Args)]
pub struct InitArgs {
    /// Its form: soma, agents or json [default: soma; agents for an agent other than soma and claude]
    #[arg(long, value_name = "LAYOUT", value_parser = layout)]
    pub layout: Option<LayoutId>,
    /// Keep its messages out of the project's history
    #[arg(long)]
    pub gitignore: bool,
    /// Make nothing; print a configuration that explains the words, keys and dates of the mailbox in DIR
    #[arg(long, value_name = "DIR", conflicts_with_all = ["layout", "gitignore"])]
    pub dialect_from: Option<PathBuf>,
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

/// A name and what it stands for.
#[derive(Debug, Clone, Args)]
pub struct AliasArgs {
    /// The name; without it all aliases are listed
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// The inbox: its name or path
    #[arg(value_name = "INBOX", requires = "name")]
    pub target: Option<String>,
    /// Take the name away
    #[arg(long, requires = "name", conflicts_with = "target")]
    pub remove: bool,
    /// Keep it in the project's configuration instead of the user's
    #[arg(long)]
    pub project: bool,
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

const RENDER: &str = "\
Print a template of another tool with the inbox's slots filled; nothing else in it is touched.

Filled are {{inbox_summary}}, {{inbox_unread}} and {{inbox_open}}, the same written as <<inbox_summary>>, and sections: \
{{#inbox_summary}}…{{/inbox_summary}} stays where there is something to say. Every other byte passes through.";

/// What to fill.
#[derive(Debug, Clone, Args)]
pub struct RenderArgs {
    /// The template; `-` for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Read the whole file as a Jinja template (see docs/templates.md)
    #[arg(long)]
    pub jinja: bool,
    /// Form and bounds of the summary.
    #[command(flatten)]
    pub form: SummaryArgs,
}

/// Which files.
#[derive(Debug, Clone, Args)]
pub struct InjectArgs {
    /// Markdown files; one that is missing is made
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Take the block out again
    #[arg(long)]
    pub remove: bool,
    /// Print what would be done, and do nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Form and bounds of the summary.
    #[command(flatten)]
    pub form: SummaryArgs,
}

/// Who calls.
#[derive(Debug, Clone, Args)]
pub struct HookArgs {
    /// The host: claude, codex, gemini, cursor, opencode, or plain for text
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
    /// The event, where the host does not name it itself
    #[arg(long, value_name = "EVENT")]
    pub event: Option<String>,
}

/// Where to register.
#[derive(Debug, Clone, Args)]
pub struct SetupArgs {
    /// claude, codex, gemini, cursor, opencode or soma
    #[arg(value_name = "HOST")]
    pub host: Option<String>,
    /// The MCP server (`postroom mcp`) instead of the hook
    #[arg(long, requires = "host")]
    pub mcp: bool,
    /// In the project's settings
    #[arg(long, conflicts_with = "user")]
    pub project: bool,
    /// In your own settings, for every project (the default)
    #[arg(long)]
    pub user: bool,
    /// Print what would be done, and do nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
}

/// Form and bounds of a summary.
#[derive(Debug, Clone, Args)]
pub struct SummaryArgs {
    /// The form: default, soma, brief, text, or a template of your own
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// At most this many messages [default: 10]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// At most this many characters, 100 or more [default: 8000]
    #[arg(long, value_name = "N", value_parser = most_chars)]
    pub max_chars: Option<usize>,
}

/// Which page.
#[derive(Debug, Clone, Args)]
pub struct ManArgs {
    /// The command; without it the page of the whole
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
    /// Write all pages into this folder instead, as NAME.1
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub dir: Option<PathBuf>,
}

/// Which shell.
#[derive(Debug, Clone, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
    /// The program that the script calls [default: this one]
    #[arg(long, value_name = "NAME")]
    pub program: Option<String>,
}

fn status(text: &str) -> Result<Status, String> {
    Status::from_word(text).ok_or_else(|| "it is none of unread, read, actioned, resolved".to_owned())
}

fn handled(text: &str) -> Result<Status, String> {
    match status(text)? {
        status if status.is_handled() => Ok(status),
        _ => {
            Err("a sweep takes handled messages only, actioned or resolved; `archive --force` takes others, one by one"
                .to_owned())
        }
    }
}

fn layout(text: &str) -> Result<LayoutId, String> {
    LayoutId::parse(text).ok_or_else(|| "it is none of soma, agents, json, teams".to_owned())
}

/// A shorter summary could say nothing, and would look like no mail.
fn most_chars(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| *n >= 100).ok_or_else(|| "it is no number of 100 or more".to_owned())
}

fn priority(text: &str) -> Result<Priority, String> {
    match text.to_ascii_lowercase().as_str() {
        "low" => Ok(Priority::Low),
        "normal" => Ok(Priority::Normal),
        "high" => Ok(Priority::High),
        "urgent" => Ok(Priority::Urgent),
        _ => Err("it is none of low, normal, high, urgent".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
