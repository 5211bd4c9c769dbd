//! The options of what is made once: `init`, `alias`, and for shells `completions`, `man`.

use std::path::PathBuf;

use clap::Args;

use super::layout;
use crate::model::inbox::LayoutId;

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
