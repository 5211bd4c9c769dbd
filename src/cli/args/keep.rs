//! The arguments of the commands that keep house: `doctor`, `schedule`, `watch`.

use clap::{Args, ValueEnum};

use crate::ops::schedule::At;

/// What to look for, and whether to mend it.
#[derive(Debug, Clone, Args)]
pub struct DoctorArgs {
    /// Only these rules, see --rules [default: all]
    #[arg(value_name = "RULE")]
    pub rules: Vec<String>,
    /// Mend what can be mended without losing a word; the plan is shown first
    #[arg(long)]
    pub fix: bool,
    /// With --fix: print the plan, and do nothing
    #[arg(short = 'n', long, requires = "fix")]
    pub dry_run: bool,
    /// List the rules
    #[arg(long = "rules", conflicts_with_all = ["rules", "fix"], id = "list-rules")]
    pub list: bool,
}

/// What to do about the nightly sweep.
#[derive(Debug, Clone, Args)]
pub struct ScheduleArgs {
    /// What to do
    #[arg(value_enum, value_name = "ACTION")]
    pub action: ScheduleAction,
    /// With a systemd user timer
    #[arg(long, group = "scheduler")]
    pub systemd: bool,
    /// With a line in the crontab
    #[arg(long, group = "scheduler")]
    pub cron: bool,
    /// With a launchd agent
    #[arg(long, group = "scheduler")]
    pub launchd: bool,
    /// When, each day
    #[arg(long, value_name = "HH:MM", value_parser = At::parse, default_value_t = At::NIGHT)]
    pub at: At,
    /// Print what would be done, and do nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
}

/// What can be done about the nightly sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScheduleAction {
    /// Print what `install` would write
    Print,
    /// Sweep each night, this project too
    Install,
    /// Tell how things stand
    Status,
    /// Take all of it away again
    Remove,
}
