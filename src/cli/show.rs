//! `show`: messages, whole. Changes nothing.

use std::io::Write;

use super::Run;
use super::args::ShowArgs;
use super::out::{Fail, Out, Outcome};
use crate::error::{Exit, Report};
use crate::model::plan::Source;
use crate::ops::refs::{Target, Want};
use crate::ops::show;
use crate::render::{page, view};

pub fn run(run: &Run<'_>, args: &ShowArgs, out: &mut Out) -> Outcome {
    if out.json && args.refs.refs.len() > 1 {
        return Err(Report::new("usage", Exit::Usage, "show --json prints one document, so it takes one message").into());
    }
    let mut exit = Exit::Done;
    let single = args.refs.refs.len() == 1;
    for (at, reference) in args.refs.refs.iter().enumerate() {
        let printed = run.target(reference, Want::Live).map_err(Fail::from).and_then(|target| {
            if at > 0 && !args.raw {
                writeln!(out.data())?;
            }
            one(run, &target, args.raw, out)
        });
        match printed {
            Ok(_) => {}
            Err(Fail::Report(report)) if !single => {
                out.failure(&report);
                exit = exit.worst(report.exit);
            }
            Err(fail) => return Err(fail),
        }
    }
    Ok(exit)
}

/// Prints one message, and gives what was printed; nothing is written to it.
pub fn one(run: &Run<'_>, target: &Target, raw: bool, out: &mut Out) -> Result<Source, Fail> {
    let source = show::source(target)?;
    if raw {
        out.raw(&source.bytes)?;
        return Ok(source);
    }
    let body = show::body(target, &source);
    if out.json {
        view::show(out.data(), &target.message, &body)?;
    } else {
        let screen = run.screen();
        page::message(out.data(), &target.message, &body, &screen)?;
        for warning in &target.message.warnings {
            out.warn_of(&target.message.id, warning);
        }
    }
    Ok(source)
}
