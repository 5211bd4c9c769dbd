//! `sweep`: archives what is handled and old, and tells what stays and why.

use super::args::SweepArgs;
use super::out::{Out, Outcome, troubles};
use super::{Run, day, say};
use crate::error::Exit;
use crate::ops::sweep::{self, Options};
use crate::render::table;
use crate::render::view::{self, Moved, Stayed, SweepReport};

pub fn run(run: &Run<'_>, args: &SweepArgs, out: &mut Out) -> Outcome {
    let session = &run.session;
    let older = day(run, "--older-than", args.older_than.as_deref())?;
    let before = day(run, "--before", args.before.as_deref())?;
    let options = Options::new(session, before.or(older), args.status.clone(), args.dry_run);
    let mut swept = sweep::sweep(session, &run.inboxes(), &options);
    swept.unlooked.extend(run.problems(out));

    let archived: Vec<_> = swept.archived.iter().map(|s| Moved { message: &s.message, to_path: &s.to_path }).collect();
    let kept: Vec<_> = swept.kept.iter().map(|k| Stayed { message: &k.message, why: &k.reason }).collect();
    let failed: Vec<_> = swept.failed.iter().map(|(message, r)| Stayed { message, why: &r.message }).collect();
    let report = SweepReport { archived: &archived, kept: &kept, failed: &failed, dry_run: args.dry_run };
    if out.json {
        view::sweep(out.data(), &report, &troubles(&swept.unlooked))?;
    } else {
        let screen = run.screen();
        table::sweep(out.data(), &report, &screen)?;
    }
    say(out, &swept.warnings);
    let exit = swept.failed.iter().fold(Exit::Done, |exit, (_, report)| exit.worst(report.exit));
    Ok(out.unlooked(&swept.unlooked).worst(exit))
}
