//! `show`: messages, whole. Changes nothing.

use std::io::Write;

use super::Run;
use super::args::ShowArgs;
use super::out::{Fail, Failed, Out, Outcome};
use crate::error::Exit;
use crate::model::plan::Source;
use crate::ops::refs::{Target, Want};
use crate::ops::show;
use crate::render::{page, view};

pub fn run(run: &Run<'_>, args: &ShowArgs, out: &mut Out) -> Outcome {
    if out.json {
        return json(run, &args.refs.refs, out);
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

/// One document: of one message `{message, body}`, of several `{messages: [{message, body}]}`.
fn json(run: &Run<'_>, refs: &[String], out: &mut Out) -> Outcome {
    let mut shown = Vec::new();
    let mut failed = Vec::new();
    for reference in refs {
        let read = run.target(reference, Want::Live).and_then(|target| show::source(&target).map(|source| (target, source)));
        match read {
            Ok((target, source)) => {
                let body = show::body(&target, &source);
                shown.push((target.message, body));
            }
            Err(report) => failed.push(Failed::new(reference, report)),
        }
    }
    if let ([_], [(message, body)]) = (refs, shown.as_slice()) {
        view::show(out.data(), message, body)?;
    } else {
        let failed = Failed::in_context(&failed, out);
        view::shows(out.data(), &shown, &Failed::documents(&failed))?;
    }
    Ok(Failed::exit(&failed))
}

/// Prints one message, and gives what was printed; nothing is written to it.
pub fn one(run: &Run<'_>, target: &Target, raw: bool, out: &mut Out) -> Result<Source, Fail> {
    let source = show::source(target)?;
    if raw {
        out.raw(&source.bytes)?;
        return Ok(source);
    }
    let body = show::body(target, &source);
    let screen = run.screen();
    page::message(out.data(), &target.message, &body, &screen)?;
    for warning in &target.message.warnings {
        out.warn_of(&target.message.id, warning);
    }
    Ok(source)
}
