//! `doctor`: what is wrong with the inboxes, and mending what is safe to mend.

use super::args::DoctorArgs;
use super::out::{Out, Outcome, trouble};
use super::{Run, say};
use crate::error::{Exit, Report};
use crate::ops::doctor::rules::{self, Rule};
use crate::ops::doctor::{self, fix};
use crate::render::checkup;
use crate::text::nearest::likely;

pub fn run(run: &Run<'_>, args: &DoctorArgs, out: &mut Out) -> Outcome {
    if args.list {
        checkup::rules(out.data())?;
        return Ok(Exit::Done);
    }
    let order = run.examination(chosen(&args.rules)?)?;
    let mut found = doctor::examine(&run.session, &order);
    let (mut fixed, mut failed) = (Vec::new(), Vec::new());
    if args.fix {
        let (plans, refused) = fix::plan(&run.session, &order, &found);
        failed.extend(refused);
        for mending in plans {
            // Each is told before it is done, so that a killed run has told what it was at.
            if !out.json {
                let screen = run.screen();
                checkup::mending(out.data(), &mending, &screen, if args.dry_run { "would mend" } else { "mending" })?;
                out.flush()?;
            }
            match if args.dry_run { Ok(Vec::new()) } else { fix::carry_out(&run.session, &mending) } {
                Ok(warnings) => {
                    say(out, &warnings);
                    fixed.push(mending);
                }
                Err(report) => failed.push(report),
            }
        }
        if !args.dry_run && !fixed.is_empty() {
            // What is still wrong is what a fresh look finds, not what we believe to have done.
            found = doctor::examine(&run.session, &order);
        }
    }
    let exit = failed.iter().fold(Exit::Done, |exit, report| exit.worst(report.exit));
    if out.json {
        let troubles: Vec<_> = failed.iter().map(trouble).collect();
        let report = checkup::Report { checkup: &found, fixed: &fixed, failed: &troubles, dry_run: args.dry_run };
        checkup::document(out.data(), &report)?;
    } else {
        let (screen, all) = (run.screen(), out.is_verbose());
        checkup::print(out.data(), &found, &screen, all)?;
        for report in &failed {
            out.failure(report);
        }
    }
    Ok(if found.has_errors() { exit.worst(Exit::Failed) } else { exit })
}

/// The rules that were named.
fn chosen(names: &[String]) -> Result<Vec<&'static Rule>, Report> {
    let known = || rules::ALL.iter().map(|rule| rule.id);
    let mut faults = names.iter().filter(|name| rules::named(name).is_none()).peekable();
    if faults.peek().is_none() {
        return Ok(names.iter().filter_map(|name| rules::named(name)).collect());
    }
    let faults: Vec<&str> = faults.map(String::as_str).collect();
    let mut report = Report::new("no-such-rule", Exit::Usage, format!("no rule is called {}", faults.join(", ")));
    for near in faults.iter().flat_map(|name| likely(name, known()).into_iter().take(3)) {
        report = report.hint(format!("did you mean {near}?"));
    }
    Err(report.next("postroom doctor --rules"))
}
