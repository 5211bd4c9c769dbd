//! `sweep`: archives what is handled and old, and tells what stays and why.

use std::collections::HashSet;

use super::args::SweepArgs;
use super::out::{Out, Outcome, troubles};
use super::{Run, day, say};
use crate::error::{Exit, Report};
use crate::model::inbox::{Inbox, Label};
use crate::ops::find::Unlooked;
use crate::ops::sweep::{self, Options, Sweep};
use crate::render::table;
use crate::render::view::{self, Moved, Stayed, SweepReport};

pub fn run(run: &Run<'_>, args: &SweepArgs, out: &mut Out) -> Outcome {
    let (swept, exit) = if args.projects {
        of_projects(run, args, out)?
    } else {
        let mut swept = of(run, &run.inboxes(), args)?;
        swept.unlooked.extend(run.problems(out));
        (swept, Exit::Done)
    };

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
    let exit = swept.failed.iter().fold(exit, |exit, (_, report)| exit.worst(report.exit));
    let exit = out.unlooked(&swept.unlooked).worst(exit);
    // The process ends here: to give back ten thousand messages one by one would be work for nobody.
    std::mem::forget(swept);
    Ok(exit)
}

fn of(run: &Run<'_>, inboxes: &[&Inbox], args: &SweepArgs) -> Result<Sweep, Report> {
    let older = day(run, "--older-than", args.older_than.as_deref())?;
    let before = day(run, "--before", args.before.as_deref())?;
    let options = Options::new(before.or(older), args.status.clone(), args.dry_run);
    Ok(sweep::sweep(&run.session, inboxes, &options))
}

/// Every known project, with its own settings; each inbox once. A project that can't be looked at is
/// told, and does not stop the rest.
fn of_projects(run: &Run<'_>, args: &SweepArgs, out: &Out) -> Result<(Sweep, Exit), Report> {
    if !run.standpoint.inbox.is_empty() {
        return Err(Report::new("usage", Exit::Usage, "--projects sweeps all inboxes of the projects; leave --inbox out"));
    }
    let (mut all, mut exit, mut seen) = (Sweep::default(), Exit::Done, HashSet::new());
    for (folder, project) in run.projects() {
        let project = match project {
            Ok(project) => project,
            Err(report) => {
                let text = format!("{} was not swept: {}", run.session.short(&folder), report.message);
                out.failure(&Report { message: text, ..report }.hint("`projects` in your configuration names it"));
                exit = exit.worst(Exit::Failed);
                continue;
            }
        };
        // What lies around the home folder counts only where it is named as a project.
        let at_home = run.session.home() == Some(&*folder);
        let counts = |label| !at_home || matches!(label, Label::Global | Label::Configured);
        let selection = project.selection()?;
        let is_new = |inbox: &Inbox, seen: &mut HashSet<_>| seen.insert(inbox.path.canonicalize().unwrap_or(inbox.path.clone()));
        let mut inboxes = selection.inboxes;
        inboxes.retain(|inbox| counts(inbox.label) && is_new(inbox, &mut seen));
        let Sweep { archived, kept, failed, unlooked, warnings } = of(&project, &inboxes, args)?;
        all.archived.extend(archived);
        all.kept.extend(kept);
        all.failed.extend(failed);
        all.warnings.extend(warnings);
        let hiding = selection.problems.into_iter().filter(|p| p.kind.hides_mail() && counts(p.label)).map(Unlooked::of);
        for place in unlooked.into_iter().chain(hiding) {
            if !all.unlooked.iter().any(|known| known.path == place.path) {
                all.unlooked.push(place);
            }
        }
    }
    Ok((all, exit))
}
