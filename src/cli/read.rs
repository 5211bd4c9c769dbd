//! `read`: prints messages, and marks each read once it was printed – never before.

use std::io::Write;

use super::args::ReadArgs;
use super::out::{Fail, Out, Outcome, trouble};
use super::{Run, say, show};
use crate::error::{Exit, Report};
use crate::model::message::Message;
use crate::model::plan::Source;
use crate::model::status::Status;
use crate::ops::advance::{self, Options};
use crate::ops::refs::{Target, Want};
use crate::ops::show as whole;
use crate::render::view;

pub fn run(run: &Run<'_>, args: &ReadArgs, out: &mut Out) -> Outcome {
    let mut exit = Exit::Done;
    let mut failed = Vec::new();
    let mut seen: Vec<(Target, Source)> = Vec::new();
    for (at, reference) in args.refs.refs.iter().enumerate() {
        let printed = run.target(reference, Want::Live).map_err(Fail::from).and_then(|target| {
            let source = if out.json {
                whole::source(&target)?
            } else {
                if at > 0 {
                    writeln!(out.data())?;
                }
                show::one(run, &target, false, out)?
            };
            Ok((target, source))
        });
        match printed {
            Ok(shown) => seen.push(shown),
            Err(Fail::Report(report)) => failed.push(*report),
            Err(fail) => return Err(fail),
        }
    }
    if !out.json {
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

/// The document is written before anything is marked, so it shows each message as it will be.
fn json(run: &Run<'_>, seen: &[(Target, Source)], failed: &[Report], out: &mut Out) -> Outcome {
    if seen.is_empty()
        && let [report] = failed
    {
        return Err(report.clone().into());
    }
    let after: Vec<Message> = seen.iter().map(|(t, _)| foreseen(&t.message)).collect();
    let troubles: Vec<_> = failed.iter().map(trouble).collect();
    view::changed(out.data(), &after, &troubles, None)?;
    out.flush()?;
    let mut exit = failed.iter().fold(Exit::Done, |exit, report| exit.worst(report.exit));
    for (target, source) in seen {
        if let Err(report) = mark(run, target, source, out) {
            out.failure(&report);
            exit = exit.worst(report.exit);
        }
    }
    Ok(exit)
}

fn foreseen(message: &Message) -> Message {
    let mut message = message.clone();
    if !message.archived && message.status == Status::Unread {
        message.status = Status::Read;
    }
    message
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
