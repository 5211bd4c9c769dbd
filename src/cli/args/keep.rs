//! The arguments of the commands that keep house: `doctor`, `schedule`, `watch`.

use std::time::Duration;

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

/// What to wait for, and for how long.
#[derive(Debug, Clone, Args)]
pub struct WatchArgs {
    /// Run CMD by the shell for each new message: its path is $1, the message as JSON comes on standard input
    #[arg(long, value_name = "CMD")]
    pub exec: Option<String>,
    /// Only mail to this name
    #[arg(long = "for", value_name = "NAME")]
    pub to: Option<String>,
    /// End with the first new mail, and print the command that waits again
    #[arg(long)]
    pub once: bool,
    /// End after this time: 500ms, 30s, 5m, 1h
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// Go on from where an earlier call ended, by the cursor it printed
    #[arg(long, value_name = "CURSOR")]
    pub since: Option<String>,
    /// Look this often instead of listening to the system [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = duration, num_args = 0..=1, require_equals = true, default_missing_value = "1s")]
    pub poll: Option<Duration>,
    /// With --once: print at most this many; the next call prints the others
    #[arg(long, value_name = "N", default_value_t = 20, requires = "once", value_parser = at_least_one)]
    pub limit: usize,
}

/// Reads a time span; a bare number is seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let factor = match unit {
        "ms" => Some(1),
        "" | "s" => Some(1_000),
        "m" | "min" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    let span = number.parse::<u64>().ok().zip(factor).and_then(|(number, factor)| number.checked_mul(factor));
    let most = Duration::from_hours(24 * 366);
    span.map(Duration::from_millis)
        .filter(|span| *span <= most)
        .ok_or_else(|| format!("{text:?} is no time span such as 500ms, 30s, 5m or 1h"))
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| "it must be a whole number above 0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_spans() {
        let ms = |text| duration(text).map(|span| span.as_millis());
        assert_eq!(
            (ms("500ms"), ms("30s"), ms("30"), ms("5m"), ms("1h"), ms("0")),
            (Ok(500), Ok(30_000), Ok(30_000), Ok(300_000), Ok(3_600_000), Ok(0))
        );
        for bad in ["", "s", "-1s", "1.5s", "1d", "99999999999999999999s", "9999999h", "1 s"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
