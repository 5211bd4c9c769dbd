//! `read`: prints messages, and marks each read once it was printed – never before.

use std::io::Write;

use super::args::ReadArgs;
use super::out::{Fail, Failed, Out, Outcome};
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
    let mut failed = Vec::new();
    let mut seen: Vec<(Target, Source)> = Vec::new();
    for (at, (reference, target)) in run.targets(refs, Want::Live).enumerate() {
        let printed = target.map_err(Fail::from).and_then(|target| {
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
            Err(Fail::Report(report)) => failed.push(Failed::new(reference, *report)),
            Err(fail) => return Err(fail),
        }
    }
    if !document {
        // Handed over first; only then does it count as read.
        out.flush()?;
        for (target, source) in &seen {
            if let Err(report) = mark(run, target, source, out) {
                failed.push(Failed::new(&target.message.full_ref(), report));
            }
        }
        for one in &failed {
            out.failure(&one.report);
        }
        return Ok(Failed::exit(&failed));
    }
    json(run, &seen, failed, out)
}

/// The document is written before anything is marked, so it shows each message as it will be; one
/// that can't be marked is shown, and told among the failures, as what it stays.
fn json(run: &Run<'_>, seen: &[(Target, Source)], mut failed: Vec<Failed>, out: &mut Out) -> Outcome {
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
                failed.push(Failed::new(&target.message.full_ref(), report));
                target.message.clone()
            }
        };
        after.push((message, whole::body(target, source)));
    }
    let failed = Failed::in_context(&failed, out);
    view::received(out.data(), &after, &Failed::documents(&failed))?;
    out.flush()?;
    let mut exit = Failed::exit(&failed);
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
