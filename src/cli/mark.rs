//! `mark`: sets the status of messages.

use std::io::Write;

use super::args::MarkArgs;
use super::out::{Failed, Out, Outcome};
use super::{Run, say};
use crate::ops::advance::{self, Marked, Options};
use crate::ops::refs::Want;
use crate::render::shown::Shower;
use crate::render::view;
use crate::text::neutral::Target;

pub fn run(run: &Run<'_>, args: &MarkArgs, out: &mut Out) -> Outcome {
    let options = Options { reopen: args.reopen, note: args.note.clone(), dry_run: args.dry_run };
    let mut done = Vec::new();
    let mut failed = Vec::new();
    for (reference, target) in run.targets(&args.refs.refs, Want::Live).collect::<Vec<_>>() {
        match target.and_then(|target| advance::mark(&run.session, &target, args.status, &options)) {
            Ok(marked) => done.push(marked),
            Err(report) => failed.push(Failed::new(reference, report)),
        }
    }
    if !out.json {
        for marked in &done {
            tell(marked, args.dry_run, out)?;
        }
    }
    let warnings: Vec<_> = done.iter().flat_map(|m| m.warnings.clone()).collect();
    let messages: Vec<_> = done.iter().map(|m| &m.message).collect();
    let plans: Vec<_> = done.iter().map(|m| m.plan.clone()).collect();
    say(out, &warnings);
    finish(&messages, &failed, args.dry_run.then_some(plans.as_slice()), out)
}

fn tell(marked: &Marked, dry_run: bool, out: &mut Out) -> std::io::Result<()> {
    let Marked { message, before, passed, changed, .. } = marked;
    let id = Shower::new(Target::Terminal).id(message);
    if !changed {
        return writeln!(out.data(), "{id}: {} already", message.status);
    }
    let would = if dry_run { "would be " } else { "" };
    let passing: Vec<_> = passed.iter().map(ToString::to_string).collect();
    let passing = if passing.is_empty() { String::new() } else { format!(" (through {})", passing.join(", ")) };
    writeln!(out.data(), "{id}: {would}{before} → {}{passing}", message.status)
}

/// Ends a command that changed messages: one document or the failures on stderr, and the worst exit.
pub fn finish(
    messages: &[&crate::model::message::Message],
    failed: &[Failed],
    plans: Option<&[crate::model::plan::EditPlan]>,
    out: &mut Out,
) -> Outcome {
    let exit = Failed::exit(failed);
    if !out.json {
        for one in failed {
            out.failure(&one.report);
        }
        return Ok(exit);
    }
    let failed = Failed::in_context(failed, out);
    view::changed(out.data(), messages.iter().copied(), &Failed::documents(&failed), plans)?;
    Ok(exit)
}
