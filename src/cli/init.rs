//! `init`: makes an inbox; or looks at somebody else's mailbox and prints a configuration for it.

use std::io::Write;

use super::args::{Globals, InitArgs};
use super::out::{Out, Outcome, troubles};
use crate::error::Exit;
use crate::front::start::{self, Standpoint};
use crate::ops::dialect;
use crate::ops::init::{self, Wanted};
use crate::ops::session::Session;
use crate::render::made;

/// Runs before names are looked up: an agent that has no inbox yet is what this is for.
pub fn run(globals: Globals, args: &InitArgs, out: &mut Out) -> Outcome {
    let (session, _) = start::session(&Standpoint::from(globals))?;
    out.stand_in(session.dir());
    if let Some(dir) = &args.dialect_from {
        return explain(&session, dir, out);
    }
    let wanted = Wanted {
        layout: args.layout,
        agent: session.actor.clone(),
        agents_root: start::agents_root(),
        gitignore: args.gitignore,
        dry_run: args.dry_run,
    };
    let made = init::init(&session, &wanted)?;
    if out.json {
        made::inbox(out.data(), &made, args.dry_run)?;
        return Ok(Exit::Done);
    }
    let would = if args.dry_run { "would make" } else { "made" };
    for path in &made.made {
        writeln!(out.data(), "{would} {}", session.short(path))?;
    }
    for note in &made.notes {
        out.remark(note);
    }
    Ok(Exit::Done)
}

fn explain(session: &Session<'_>, dir: &std::path::Path, out: &mut Out) -> Outcome {
    let survey = dialect::survey(session, dir)?;
    let text = dialect::config::of(&survey, &session.ground.project_root);
    if out.json {
        made::dialect(out.data(), &survey, &text, &troubles(&survey.unlooked))?;
    } else {
        out.data().write_all(text.as_bytes())?;
    }
    Ok(out.unlooked(&survey.unlooked))
}
