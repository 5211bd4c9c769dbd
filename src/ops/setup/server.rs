//! Registering our MCP server in a host's settings, and taking it out again; as for hooks, only our
//! entry is touched, a second run changes nothing, and what was made for it goes with it.

use super::{Change, Ground, Standing, State, carry_out, kept, read_if_there, standing, text_in};
use crate::error::Report;
use crate::host::server::{self, Unfit};
use crate::host::{Host, Level};
use crate::ops::session::Session;

/// Registers the server for a host.
///
/// # Errors
/// The host keeps no such settings, or they can't be read or written; they are as they were.
pub fn setup(session: &Session<'_>, ground: &Ground<'_>, host: Host, level: Level) -> Result<Standing, Report> {
    let path = settings(ground, host, level)?;
    let before = read_if_there(&path)?;
    let failed = |e: &Unfit| unfit(&path, host, ground, e);
    let text = text(before.as_deref(), host).map_err(|e| failed(&e))?;
    let own = ground.program.name;
    let wanted = match server::standing(host, text, own).map_err(|e| failed(&e))? {
        Some(program) if !ground.serves(&program) => server::point(host, text, own),
        _ => server::add(host, text, own),
    };
    let wanted = wanted.map_err(|e| failed(&e))?;
    let same = before.as_deref() == Some(wanted.as_bytes());
    let state = if same { State::Already } else { State::Registered };
    let mut done = carry_out(session, ground, host, level, path, Change { before, after: Some(wanted), state })?;
    done.notes = notes(ground, host, level);
    Ok(done)
}

/// Takes the server out of a host's settings.
///
/// # Errors
/// As [`setup`].
pub fn unsetup(session: &Session<'_>, ground: &Ground<'_>, host: Host, level: Level) -> Result<Standing, Report> {
    let path = settings(ground, host, level)?;
    let Some(before) = read_if_there(&path)? else {
        return Ok(standing(host, level, path, State::NotRegistered, Vec::new()));
    };
    let failed = |e: &Unfit| unfit(&path, host, ground, e);
    let text = text(Some(&before), host).map_err(|e| failed(&e))?;
    let rest = server::remove(host, text, ground.program.name).map_err(|e| failed(&e))?;
    if rest == text {
        return Ok(standing(host, level, path, State::NotRegistered, Vec::new()));
    }
    let mut notes = Vec::new();
    let after = kept(session, &path, rest, server::blank(host), &mut notes);
    let change = Change { before: Some(before), after, state: State::Removed };
    let mut done = carry_out(session, ground, host, level, path, change)?;
    done.notes = notes;
    Ok(done)
}

fn text(bytes: Option<&[u8]>, host: Host) -> Result<&str, Unfit> {
    Ok(text_in(bytes, server::blank(host))?)
}

fn settings(ground: &Ground<'_>, host: Host, level: Level) -> Result<std::path::PathBuf, Report> {
    server::settings(host, level, ground.places).ok_or_else(|| match (host, level) {
        (Host::Claude, Level::User) => {
            let text = "Claude Code keeps the servers of a user in a file that it writes itself; nothing was changed";
            let report = Report::failed("host-writes-itself", text).hint("or --project, for .mcp.json of this project");
            report.next(format!("claude mcp add --scope user postroom -- {} mcp", ground.program.quoted))
        }
        (Host::Soma | Host::Plain, _) => Report::failed("no-servers", format!("{} has no MCP servers", host.title())),
        _ => super::no_home(),
    })
}

fn notes(ground: &Ground<'_>, host: Host, level: Level) -> Vec<String> {
    let mut notes = Vec::new();
    match (host, level) {
        (Host::Claude, _) => notes.push("Claude Code asks whether to use a project's servers when it starts there".to_owned()),
        (Host::Codex, Level::Project) => {
            notes.push("Codex reads a project's config.toml only in folders that you trust".to_owned());
        }
        (Host::Gemini, Level::Project) => notes.push("Gemini CLI connects servers only in folders that you trust".to_owned()),
        _ => notes.push(format!("{} connects servers when it starts", host.title())),
    }
    if level == Level::Project && ground.program.name != "postroom" {
        notes.push(format!(
            "the settings call {}: others who share them need postroom on their PATH instead",
            ground.program.name
        ));
    }
    notes
}

fn unfit(path: &std::path::Path, host: Host, ground: &Ground<'_>, error: &Unfit) -> Report {
    let hint = format!("the file was left as it is; {} starts the server with `{} mcp`", host.title(), ground.program.name);
    Report::failed("settings-unfit", format!("{}: {error}", path.display())).at(path).hint(hint)
}
