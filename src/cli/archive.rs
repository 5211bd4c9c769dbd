//! `archive`: moves handled messages to their archive.

use std::io::Write;

use super::args::ArchiveArgs;
use super::mark::finish;
use super::out::{Failed, Out, Outcome};
use super::{Run, say};
use crate::ops::archive::{self, Moved, Options};
use crate::ops::refs::Want;

pub fn run(run: &Run<'_>, args: &ArchiveArgs, out: &mut Out) -> Outcome {
    let options = Options { mark: args.mark, force: args.force, note: args.note.clone(), dry_run: args.dry_run };
    let mut done = Vec::new();
    let mut failed = Vec::new();
    for (reference, target) in run.targets(&args.refs.refs, Want::Live).collect::<Vec<_>>() {
        match target.and_then(|target| archive::archive(&run.session, &target, &options)) {
            Ok(moved) => done.push(moved),
            Err(report) => failed.push(Failed::new(reference, report)),
        }
    }
    tell(run, &done, &failed, args.dry_run, out)
}

/// Tells what was, or would be, moved.
pub fn tell(run: &Run<'_>, done: &[Moved], failed: &[Failed], dry_run: bool, out: &mut Out) -> Outcome {
    for moved in done {
        if !out.json {
            let would = if dry_run { " (not yet: a dry run)" } else { "" };
            let marked = moved.marked.as_ref().map(|m| format!(", {} → {}", m.from(), m.to())).unwrap_or_default();
            let screen = run.screen();
            writeln!(out.data(), "{} → {}{marked}{would}", screen.path(&moved.from_path), screen.path(&moved.to_path))?;
        }
        say(out, &moved.warnings);
    }
    let messages: Vec<_> = done.iter().map(|m| &m.message).collect();
    let plans: Vec<_> = done.iter().map(|m| m.plan.clone()).collect();
    finish(&messages, failed, dry_run.then_some(plans.as_slice()), out)
}
