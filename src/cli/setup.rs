//! `setup`, `unsetup`: hosts' settings, and how they stand.

use std::borrow::Cow;
use std::io::{self, Write};

use super::args::SetupArgs;
use super::out::{Out, Outcome};
use super::{Run, say, start};
use crate::error::{Exit, Report};
use crate::host::registration::Program;
use crate::host::{Host, Level};
use crate::ops::advance::quoted;
use crate::ops::setup::{self, Ground, Standing, State};
use crate::render::boot::{self, HostRow};
use crate::text::neutral::{self, Target};

pub fn run(run: &Run<'_>, args: &SetupArgs, undo: bool, out: &mut Out) -> Outcome {
    let session = &run.session;
    let Some(word) = &args.host else {
        return if undo { Err(name_one().into()) } else { list(run, &run.hosts(), out) };
    };
    let places = start::places(session);
    let (name, file) = start::program();
    let program = Program { name: &name, quoted: &quoted(&name) };
    let ground = Ground { places: &places, program, file: &file, dry_run: args.dry_run };
    let host = Host::parse(word).filter(|host| *host != Host::Plain).ok_or_else(|| unknown(word))?;
    let level = match (args.project, args.user) {
        (true, _) => Level::Project,
        // Soma reads the project's folder first; the others are hooked up once, for all projects.
        (false, false) if host == Host::Soma && places.project.join(".soma").is_dir() => Level::Project,
        (false, _) => Level::User,
    };
    let act = match (args.mcp, undo) {
        (false, false) => setup::setup,
        (false, true) => setup::unsetup,
        (true, false) => setup::server::setup,
        (true, true) => setup::server::unsetup,
    };
    let done = act(session, &ground, host, level)?;
    say(out, &done.warnings);
    if out.json {
        boot::hosts(out.data(), &[row(&done)], args.dry_run)?;
    } else {
        tell(run, &done, args.dry_run, out)?;
    }
    Ok(Exit::Done)
}

fn tell(run: &Run<'_>, done: &Standing, dry_run: bool, out: &mut Out) -> io::Result<()> {
    let path = run.session.short(&done.path);
    let would = dry_run && !done.change.is_empty();
    let what = match done.state {
        State::Registered if would => format!("would be registered in {path}"),
        State::Registered => format!("registered in {path}"),
        State::Removed if would => format!("would be taken out of {path}"),
        State::Removed => format!("taken out of {path}"),
        state => format!("{} ({path})", words(state)),
    };
    writeln!(out.data(), "{}: {what}", done.host.title())?;
    if would {
        write!(out.data(), "{}", done.change)?;
    }
    for note in &done.notes {
        writeln!(out.data(), "  {}", visible(note))?;
    }
    Ok(())
}

/// A note may name any path.
fn visible(note: &str) -> Cow<'_, str> {
    neutral::body(note, Target::Terminal).text
}

fn list(run: &Run<'_>, found: &[Standing], out: &mut Out) -> Outcome {
    if out.json {
        let rows: Vec<_> = found.iter().map(row).collect();
        boot::hosts(out.data(), &rows, false)?;
        return Ok(Exit::Done);
    }
    for standing in found {
        let path = run.session.short(&standing.path);
        writeln!(out.data(), "{:<9} {:<8} {:<19} {path}", standing.host.as_str(), level(standing.level), words(standing.state))?;
        for note in &standing.notes {
            writeln!(out.data(), "  {}", visible(note))?;
        }
    }
    if found.is_empty() {
        out.remark("no host is found here; name one to set it up all the same: postroom setup claude");
    }
    Ok(Exit::Done)
}

fn row(standing: &Standing) -> HostRow<'_> {
    HostRow {
        host: standing.host.as_str(),
        level: level(standing.level),
        path: Some(&standing.path),
        state: standing.state.as_str(),
        notes: &standing.notes,
    }
}

fn words(state: State) -> &'static str {
    match state {
        State::Registered => "registered",
        State::Already => "registered already",
        State::Partly => "partly registered",
        State::Dead => "calls a program that is gone",
        State::NotRegistered => "not registered",
        State::Removed => "taken out",
        State::Ready => "ready",
        State::Incomplete => "not complete",
        State::Unreadable => "can't be read",
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::User => "user",
        Level::Project => "project",
    }
}

fn known() -> String {
    Host::ALL.map(Host::as_str).join(", ")
}

fn unknown(word: &str) -> Report {
    Report::new("no-such-host", Exit::Usage, format!("{word:?} is no host; known are {}", known())).next("postroom setup")
}

fn name_one() -> Report {
    Report::new("usage", Exit::Usage, format!("name the host to take the hook out of: {}", known())).next("postroom setup")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_has_a_word() {
        assert_eq!(known(), "claude, codex, gemini, cursor, opencode, soma");
        assert!(unknown("x").message.contains("opencode"));
    }
}
