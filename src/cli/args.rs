//! The command line as values: what holds for every command here, the options of each in a file for
//! its group. The comments are the help texts, and `docs/cli.md` is made of them.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::front::start::Standpoint;
use crate::model::inbox::LayoutId;
use crate::model::message::Priority;
use crate::model::status::Status;
use crate::store::discover;

mod act;
mod boot;
mod keep;
mod letter;
mod look;
mod make;

pub use act::{ArchiveArgs, MarkArgs, MigrateArgs, ReadArgs, RestoreArgs, SweepArgs};
pub use boot::{HookArgs, InjectArgs, RenderArgs, SetupArgs, SummaryArgs};
pub use keep::{DoctorArgs, ScheduleAction, ScheduleArgs, WatchArgs};
pub use letter::{BroadcastArgs, LetterArgs, ReceiveArgs, ReceiveFormat, ReplyArgs, SendArgs};
pub use look::{ListArgs, LogArgs, PeekArgs, SearchArgs, ShowArgs, ThreadArgs};
pub use make::{AliasArgs, CompletionsArgs, InitArgs, ManArgs};

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

/// Options that every command takes, before or behind it. Given twice, the last one holds; inboxes add up.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub struct Globals {
    /// Start in DIR instead of the working directory
    #[arg(short = 'C', long = "directory", value_name = "DIR", global = true, overrides_with = "directory")]
    pub directory: Option<PathBuf>,
    /// Look only at this inbox: its name, its owner or its path (may be repeated)
    #[arg(long, value_name = "NAME|PATH", global = true)]
    pub inbox: Vec<String>,
    /// Act as this agent, and look only at the inboxes it owns [env: `POSTROOM_AGENT`]
    #[arg(long, value_name = "NAME", global = true, overrides_with = "agent")]
    pub agent: Option<String>,
    /// Which inboxes to look at
    #[arg(long, value_enum, default_value = "all", global = true, overrides_with = "scope")]
    pub scope: Scope,
    /// Look at the inboxes of running Claude teams too
    #[arg(long, global = true, overrides_with = "teams")]
    pub teams: bool,
    /// Print one JSON document instead of text
    #[arg(long, global = true, overrides_with = "json")]
    pub json: bool,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", global = true, overrides_with = "color")]
    pub color: When3,
    /// Print no remarks, only results and errors
    #[arg(short, long, global = true, conflicts_with = "verbose", overrides_with = "quiet")]
    pub quiet: bool,
    /// Say more about what is done
    #[arg(short, long, global = true, overrides_with = "verbose")]
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
    #[command(long_about = boot::RENDER)]
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
