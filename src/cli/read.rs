//! `read`: prints messages, and marks each read once it was printed – never before.

use std::io::Write;

use super::args::ReadArgs;
use super::out::{Fail, Out, Outcome, trouble};
use super::{Run, say, show};
use crate::error::{Exit, Report};
use crate::model::message::Message;
use crate::model::plan::Source;
use crate::ops::advance::{self, Options};
use crate::ops::refs::{Target, Want};
use crate::ops::show as whole;
use crate::render::view;

/// What is printed of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For people, or with `--json` one document.
    Usual,
    /// One document.
    Document,
    /// The bytes of their files.
    Raw,
}

pub fn run(run: &Run<'_>, args: &ReadArgs, out: &mut Out) -> Outcome {
    print(run, &args.refs.refs, Form::Usual, out)
}

/// Prints messages in a form, and marks them.
pub fn print(run: &Run<'_>, refs: &[String], form: Form, out: &mut Out) -> Outcome {
    let document = form == Form::Document || (out.json && form == Form::Usual);
    let mut exit = Exit::Done;
    let mut failed = Vec::new();
    let mut seen: Vec<(Target, Source)> = Vec::new();
    for (at, reference) in refs.iter().enumerate() {
        let printed = run.target(reference, Want::Live).map_err(Fail::from).and_then(|target| {
            let source = if document {
                whole::source(&target)?
            } else {
                if at > 0 && form != Form::Raw {
                    writeln!(out.data())?;
                }
                show::one(run, &target, form == Form::Raw, out)?
            };
            Ok((target, source))
        });
        match printed {
            Ok(shown) => seen.push(shown),
            Err(Fail::Report(report)) => failed.push(*report),
            Err(fail) => return Err(fail),
        }
    }
    if !document {
        // Handed over first; only then does it count as read.
        out.flush()?;
        for (target, source) in &seen {
            if let Err(report) = mark(run, target, source, out) {
                failed.push(report);
            }
        }
        for report in &failed {
            out.failure(report);
            exit = exit.worst(report.exit);
        }
        return Ok(exit);
    }
    json(run, &seen, &failed, out)
}

/// The document is written before anything is marked, so it shows each message as it will be; one
/// that can't be marked is shown, and told among the failures, as what it stays.
fn json(run: &Run<'_>, seen: &[(Target, Source)], failed: &[Report], out: &mut Out) -> Outcome {
    if seen.is_empty()
        && let [report] = failed
    {
        return Err(report.clone().into());
    }
    let mut failed = failed.to_vec();
    let mut after = Vec::with_capacity(seen.len());
    let mut to_mark = Vec::with_capacity(seen.len());
    for shown in seen {
        let (target, source) = shown;
        let options = Options { dry_run: true, ..Options::default() };
        let message = match advance::seen(&run.session, target, source, &options) {
            Ok(Some(marked)) => {
                to_mark.push(shown);
                let raw_status = Some(marked.message.status.to_string());
                Message { raw_status, ..marked.message }
            }
            Ok(None) => target.message.clone(),
            Err(report) => {
                failed.push(report);
                target.message.clone()
            }
        };
        after.push((message, whole::body(target, source)));
    }
    let troubles: Vec<_> = failed.iter().map(trouble).collect();
    view::received(out.data(), &after, &troubles)?;
    out.flush()?;
    let mut exit = failed.iter().fold(Exit::Done, |exit, report| exit.worst(report.exit));
    for (target, source) in to_mark {
        if let Err(report) = mark(run, target, source, out) {
            out.failure(&report);
            exit = exit.worst(report.exit);
        }
    }
    Ok(exit)
}

/// Marks a message read where that is a step forward. One that can't be marked was read all the
/// same: that is a warning, not a failure of reading.
fn mark(run: &Run<'_>, target: &Target, source: &Source, out: &Out) -> Result<(), Report> {
    match advance::seen(&run.session, target, source, &Options::default()) {
        Ok(marked) => {
            say(out, &marked.map(|m| m.warnings).unwrap_or_default());
            Ok(())
        }
        Err(report) if report.exit == Exit::Failed => {
            out.failure(&report);
            out.remark(format!("{} was printed, and stays unread", target.message.id));
            Ok(())
        }
        Err(report) => Err(report),
    }
}
