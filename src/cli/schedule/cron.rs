//! A block of lines in the crontab, by the program `crontab`.

use super::programs::{self, words};
use super::{Kind, Plan, Text, start};
use crate::error::Report;
use crate::ops::schedule::{Job, cron};

pub fn plan(job: Job) -> Result<Plan, Report> {
    // Without the program there is no crontab; what would be written can be shown all the same.
    let crontab = if start::on_path("crontab").is_some() { read()? } else { String::new() };
    let wanted = job.cron_block();
    let standing = cron::standing(&crontab, &wanted);
    let mut notes = vec!["cron misses a run while the machine is off".to_owned()];
    notes.extend(cron::others(&crontab).into_iter().map(|line| format!("another line of your crontab sweeps, too: {line}")));
    let texts = vec![Text { path: None, wanted, there: Some(crontab.into_bytes()), standing }];
    Ok(Plan { kind: Kind::Cron, job, texts, commands: Vec::new(), afterwards: Vec::new(), notes })
}

/// The crontab; a user without one has an empty one.
fn read() -> Result<String, Report> {
    match programs::run(&words(&["crontab", "-l"]), None) {
        Ok(bytes) => {
            String::from_utf8(bytes).map_err(|_| Report::failed("crontab", "your crontab is not UTF-8; it was left as it is"))
        }
        Err(report) if report.message.contains("no crontab") => Ok(String::new()),
        Err(report) => Err(report),
    }
}

/// Writes the crontab with the block or without it, if it still is what was read.
pub fn write(before: &[u8], block: &str, with: bool) -> Result<(), Report> {
    let now = read()?;
    if now.as_bytes() != before {
        let text = "your crontab was changed meanwhile; nothing was written";
        return Err(Report::new("changed-underneath", crate::error::Exit::Changed, text));
    }
    let after = if with { cron::with(&now, block) } else { cron::without(&now) };
    if after.is_empty() {
        programs::run(&words(&["crontab", "-r"]), None)?;
    } else {
        programs::run(&words(&["crontab", "-"]), Some(&after))?;
    }
    Ok(())
}
