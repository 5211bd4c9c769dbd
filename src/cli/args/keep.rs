//! The arguments of the commands that keep house: `doctor`, `schedule`, `watch`.

use clap::Args;

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
