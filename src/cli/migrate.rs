//! `migrate`: the messages of one inbox into another.

use std::io::Write;

use super::args::MigrateArgs;
use super::out::{Out, Outcome, troubles};
use super::{Run, say};
use crate::error::{Exit, Report};
use crate::ops::migrate::{self, Options};
use crate::render::made;

pub fn run(run: &Run<'_>, args: &MigrateArgs, out: &mut Out) -> Outcome {
    let inboxes = run.inboxes();
    let [from, to] = inboxes.as_slice() else {
        let text = format!("{} and {} are the same inbox; nothing was moved", args.from, args.to);
        return Err(Report::new("same-inbox", Exit::Usage, text).into());
    };
    let options = Options { copy: args.copy, all: args.all, dry_run: args.dry_run };
    let done = migrate::migrate(&run.session, from, to, options)?;
    let exit = done.failed.iter().fold(Exit::Done, |exit, (_, report)| exit.worst(report.exit));
    if out.json {
        made::migration(out.data(), &done, args.dry_run, &troubles(&done.unlooked))?;
    } else {
        let short = |path: &std::path::Path| run.session.short(path);
        for gone in &done.gone {
            let verb = match (args.dry_run, args.copy) {
                (true, true) => "would copy",
                (true, false) => "would move",
                (false, true) => "copied",
                (false, false) => "moved",
            };
            writeln!(out.data(), "{verb} {} → {}", short(&gone.before.path), short(&gone.after.path))?;
            if let Some(path) = &gone.archived_path {
                writeln!(out.data(), "  original → {}", short(path))?;
            }
        }
        let would = if args.dry_run { "would go" } else { "gone" };
        writeln!(out.data(), "{} {would}, {} failed", done.gone.len(), done.failed.len())?;
        for (_, report) in &done.failed {
            out.failure(report);
        }
    }
    for gone in &done.gone {
        gone.warnings.iter().for_each(|warning| out.warn_of(&gone.before.id, warning));
    }
    say(out, &done.warnings);
    Ok(out.unlooked(&done.unlooked).worst(exit))
}
