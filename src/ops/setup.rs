//! Hooking up a host: our hook in its settings, and out again; and how things stand.
//!
//! Only the file named is touched, and of it only our entries. A second run changes nothing, and what
//! is taken out leaves the file as it was before; what was made for it goes, too.

use std::path::{Path, PathBuf};

use super::session::Session;
use super::settings::read_if_there;
use crate::error::Report;
use crate::host::registration::{self, Program, Unfit};
use crate::host::{Host, Level, Places, codex, opencode, soma};
use crate::model::message::Warning;
use crate::store::read::Reach;
use crate::store::receipts::Receipt;
use crate::text::{diff, json};

pub mod server;

/// What a set-up depends on beside the session.
#[derive(Debug)]
pub struct Ground<'a> {
    /// Where hosts keep their settings.
    pub places: &'a Places,
    /// The program to register.
    pub program: Program<'a>,
    /// Where that program lies.
    pub file: &'a Path,
    /// Print what would be done, and do nothing.
    pub dry_run: bool,
}

impl Ground<'_> {
    /// Whether a registered program is this very one, by another path perhaps. What only a shell can
    /// tell is taken for it.
    fn serves(&self, program: &str) -> bool {
        let same_file = || Path::new(program).canonicalize().is_ok_and(|file| file == self.file);
        program == self.program.name
            || program.starts_with('~')
            || program.contains('$')
            || Path::new(program).is_absolute() && same_file()
    }
}

/// How a host stands, or stands now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The hook was registered by this run.
    Registered,
    /// It was registered before.
    Already,
    /// For some events only.
    Partly,
    /// It is registered, and calls a program that is not there any more.
    Dead,
    /// It is not registered.
    NotRegistered,
    /// It was taken out by this run.
    Removed,
    /// Soma: it shows the inbox.
    Ready,
    /// Soma: something is missing.
    Incomplete,
    /// The settings can't be read; a note says why.
    Unreadable,
}

impl State {
    /// The state's word in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Registered => "registered",
            Self::Already => "already-registered",
            Self::Partly => "partly-registered",
            Self::Dead => "program-gone",
            Self::NotRegistered => "not-registered",
            Self::Removed => "removed",
            Self::Ready => "ready",
            Self::Incomplete => "incomplete",
            Self::Unreadable => "unreadable",
        }
    }
}

/// One host and one of its settings files.
#[derive(Debug)]
pub struct Standing {
    /// The host.
    pub host: Host,
    /// Whose settings.
    pub level: Level,
    /// The file, or Soma's folder.
    pub path: PathBuf,
    /// How it stands.
    pub state: State,
    /// What the user should know.
    pub notes: Vec<String>,
    /// What changes in the file, line by line.
    pub change: String,
    /// What is odd though it is done.
    pub warnings: Vec<Warning>,
}

/// A settings file on its way from what it holds to what it shall hold.
struct Change {
    before: Option<Vec<u8>>,
    /// `None`: the file goes.
    after: Option<String>,
    state: State,
}

/// Registers the hook for a host.
///
/// # Errors
/// The settings can't be kept, read or written; they are as they were.
pub fn setup(session: &Session<'_>, ground: &Ground<'_>, host: Host, level: Level) -> Result<Standing, Report> {
    if host == Host::Soma {
        return look_at_soma(ground, level);
    }
    let path = settings(ground, host, level)?;
    let before = read_if_there(&path)?;
    let stop = session.config.hook.block_stop;
    let mut versioned = false;
    let wanted = match (host, &before) {
        (Host::OpenCode, None) => opencode::plugin(ground.program.name),
        (Host::OpenCode, Some(bytes)) => {
            let text = plugin_text(&path, bytes)?;
            let serves = opencode::program(text).is_some_and(|program| ground.serves(&program));
            if serves { text.to_owned() } else { opencode::plugin(ground.program.name) }
        }
        (_, bytes) => {
            let text = text_in(bytes.as_deref(), registration::blank(host)).map_err(|e| unfit(&path, host, &e.into()))?;
            registration::standing(host, text, ground.program.name).map_err(|e| unfit(&path, host, &e))?;
            versioned = registration::lacks_version(host, text);
            if let Some(config) = registered_in_config(ground, host, level) {
                let note = format!("it is registered in {} already", config.display());
                return Ok(standing(host, level, path, State::Already, vec![note]));
            }
            // What somebody has written otherwise stays, as long as there is a program that it calls.
            let outdated = |program: &str, as_written: bool| !ground.serves(program) && (as_written || is_dead(Some(program)));
            registration::point(host, text, ground.program, &outdated)
                .and_then(|text| registration::add(host, &text, ground.program, stop))
                .map_err(|e| unfit(&path, host, &e))?
        }
    };
    let same = before.as_deref() == Some(wanted.as_bytes());
    let state = if same { State::Already } else { State::Registered };
    let change = Change { before, after: Some(wanted), state };
    let mut done = carry_out(session, ground, host, level, path, change)?;
    done.notes = notes(ground, host, level);
    if versioned {
        done.notes.push("\"version\": 1 was missing, without which Cursor does not read the file; it was added".to_owned());
    }
    Ok(done)
}

/// Takes the hook out of a host's settings.
///
/// # Errors
/// As [`setup`].
pub fn unsetup(session: &Session<'_>, ground: &Ground<'_>, host: Host, level: Level) -> Result<Standing, Report> {
    if host == Host::Soma {
        let mut seen = look_at_soma(ground, level)?;
        seen.notes = vec!["nothing is registered for Soma; to take the inbox out, remove the slot from its template".to_owned()];
        return Ok(seen);
    }
    let path = settings(ground, host, level)?;
    let Some(before) = read_if_there(&path)? else {
        return Ok(standing(host, level, path, State::NotRegistered, elsewhere(ground, host, level)));
    };
    let mut notes = Vec::new();
    let after = if host == Host::OpenCode {
        plugin_text(&path, &before)?;
        None
    } else {
        let text = text_in(Some(&before), registration::blank(host)).map_err(|e| unfit(&path, host, &e.into()))?;
        let rest = registration::remove(host, text, ground.program.name).map_err(|e| unfit(&path, host, &e))?;
        if rest.text == text {
            if let Some(event) = rest.left.first() {
                return Err(shared_line(&path, event));
            }
            return Ok(standing(host, level, path, State::NotRegistered, elsewhere(ground, host, level)));
        }
        notes.extend(rest.left.first().map(|event| shared_line(&path, event).message));
        kept(session, &path, rest.text, registration::blank(host), &mut notes)
    };
    let change = Change { before: Some(before), after, state: State::Removed };
    let mut done = carry_out(session, ground, host, level, path, change)?;
    done.notes = notes;
    Ok(done)
}

/// A settings file's text; one that says nothing is like one that is not there.
fn text_in<'b>(bytes: Option<&'b [u8]>, blank: &'b str) -> Result<&'b str, json::JsonError> {
    let says = |bytes: &&[u8]| !bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii().is_empty();
    bytes.filter(says).map_or(Ok(blank), json::text_of)
}

/// What stays of a settings file once ours is out of it: nothing, where it was made for us.
fn kept(session: &Session<'_>, path: &Path, rest: String, blank: &str, notes: &mut Vec<String>) -> Option<String> {
    if rest != blank {
        return Some(rest);
    }
    if Receipt::find(&session.state, path).is_some() && !path.is_symlink() {
        return None;
    }
    notes.push(format!("{} was there before, perhaps empty; it stays, and sets nothing", path.display()));
    Some(rest)
}

/// A line that is not ours alone.
fn shared_line(path: &Path, event: &str) -> Report {
    let text = format!("{}: a line for {event} calls postroom and other programs; it was left as it is", path.display());
    Report::failed("settings-unfit", text).at(path).hint("take postroom out of that line by hand")
}

/// How every host that is found on this machine stands. `on_path` tells whether there is a program
/// of that name.
pub fn survey(ground: &Ground<'_>, on_path: &dyn Fn(&str) -> bool) -> Vec<Standing> {
    let mut found = Vec::new();
    for host in Host::ALL {
        for level in [Level::User, Level::Project] {
            let Some(path) = place(ground, host, level) else { continue };
            let at_home = host.programs().iter().any(|program| level == Level::User && on_path(program));
            if at_home || home_of(host, &path).is_some_and(Path::is_dir) {
                found.push(how(ground, host, level, path));
            }
        }
    }
    found
}

fn how(ground: &Ground<'_>, host: Host, level: Level, path: PathBuf) -> Standing {
    if host == Host::Soma {
        return look_at_soma(ground, level)
            .unwrap_or_else(|report| standing(host, level, path, State::Unreadable, vec![report.message]));
    }
    if registered_in_config(ground, host, level).is_some() {
        return standing(host, level, path, State::Already, Vec::new());
    }
    let state = |path: &Path| -> Result<State, Report> {
        let Some(bytes) = read_if_there(path)? else { return Ok(State::NotRegistered) };
        if host == Host::OpenCode {
            let program = opencode::program(plugin_text(path, &bytes)?);
            return Ok(if is_dead(program.as_deref()) { State::Dead } else { State::Already });
        }
        let text = text_in(Some(&bytes), registration::blank(host)).map_err(|e| unfit(path, host, &e.into()))?;
        let there = registration::standing(host, text, ground.program.name).map_err(|e| unfit(path, host, &e))?;
        let missing = registration::events(host, false).iter().any(|(event, _)| !there.events.iter().any(|e| e == event))
            || registration::lacks_version(host, text);
        let dead = there.programs.iter().any(|program| is_dead(Some(program)));
        Ok(match (there.events.is_empty(), missing) {
            (true, _) => State::NotRegistered,
            (false, _) if dead => State::Dead,
            (false, true) => State::Partly,
            (false, false) => State::Already,
        })
    };
    match state(&path) {
        Ok(State::NotRegistered) => standing(host, level, path, State::NotRegistered, Vec::new()),
        Ok(state) => {
            let notes = switched_off(ground, host, level).into_iter().collect();
            standing(host, level, path, state, notes)
        }
        Err(report) => standing(host, level, path, State::Unreadable, vec![report.message]),
    }
}

fn standing(host: Host, level: Level, path: PathBuf, state: State, notes: Vec<String>) -> Standing {
    Standing { host, level, path, state, notes, change: String::new(), warnings: Vec::new() }
}

/// Writes, or removes, the file; with the folders it needs, which are remembered.
fn carry_out(
    session: &Session<'_>,
    ground: &Ground<'_>,
    host: Host,
    level: Level,
    path: PathBuf,
    change: Change,
) -> Result<Standing, Report> {
    let (disk, state) = (&session.disk, &session.state);
    let Change { before, after, state: becomes } = change;
    let old = before.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
    let shown = diff::lines(&old, after.as_deref().unwrap_or_default());
    let mut done = Standing { change: shown, ..standing(host, level, path, becomes, Vec::new()) };
    if ground.dry_run || before.as_deref() == after.as_deref().map(str::as_bytes) {
        return Ok(done);
    }
    match (before, after) {
        (None, Some(text)) => {
            let folders = disk.shared_folder(done.path.parent().unwrap_or(Path::new("/")))?;
            done.warnings = disk.write_file(&done.path, None, text.as_bytes(), Reach::Anywhere)?.warnings;
            // Without a receipt the file stays when the hook is taken out: that is all.
            let _ = Receipt::write(disk, state, &done.path, folders);
        }
        (Some(before), Some(text)) => {
            done.warnings = disk.write_file(&done.path, Some(&before), text.as_bytes(), Reach::Anywhere)?.warnings;
            // A file that is there without anything of ours is somebody's own, whatever was there once;
            // while the hook or the server is in it, the other may go and come.
            let own = ground.program.name;
            if !has_ours(host, &String::from_utf8_lossy(&before), own) || !has_ours(host, &text, own) {
                Receipt::forget(disk, state, &done.path);
            }
        }
        (Some(before), None) => {
            disk.take_away(&done.path, &before)?;
            let made = Receipt::find(state, &done.path).map(|receipt| receipt.folders).unwrap_or_default();
            for folder in made.iter().rev() {
                if !disk.remove_empty_folder(folder) {
                    break;
                }
            }
            Receipt::forget(disk, state, &done.path);
        }
        (None, None) => {}
    }
    Ok(done)
}

/// Whether a settings file holds our hook, plugin or server.
fn has_ours(host: Host, text: &str, own: &str) -> bool {
    opencode::program(text).is_some()
        || registration::standing(host, text, own).is_ok_and(|s| !s.events.is_empty())
        || crate::host::server::standing(host, text, own).is_ok_and(|s| s.is_some())
}

/// What the user should know once the hook is registered.
fn notes(ground: &Ground<'_>, host: Host, level: Level) -> Vec<String> {
    let mut notes: Vec<String> = switched_off(ground, host, level).into_iter().collect();
    match (host, level) {
        (Host::Codex, _) => notes.push(codex::TRUST.to_owned()),
        (Host::Claude, Level::Project) => {
            notes.push("Claude Code runs a project's hooks only in folders that you trust".to_owned());
        }
        (Host::Gemini, Level::Project) => {
            notes.push("Gemini CLI asks before it runs a project's hooks for the first time".to_owned());
        }
        (Host::OpenCode, _) => notes.push("OpenCode loads plugins when it starts".to_owned()),
        _ => {}
    }
    if level == Level::Project && ground.program.name != "postroom" {
        let text =
            format!("the settings call {}: others who share them need postroom on their PATH instead", ground.program.name);
        notes.push(text);
    }
    notes.extend(elsewhere(ground, host, level));
    notes
}

/// Whether the hook is registered on the other level.
fn elsewhere(ground: &Ground<'_>, host: Host, level: Level) -> Vec<String> {
    let (other, option) = match level {
        Level::User => (Level::Project, "--project"),
        Level::Project => (Level::User, "--user"),
    };
    let Some(path) = host.settings(other, ground.places) else { return Vec::new() };
    let is_there = matches!(how(ground, host, other, path.clone()).state, State::Already | State::Partly | State::Dead);
    let same = host.settings(level, ground.places).as_deref() == Some(&*path);
    if is_there && !same { vec![format!("it is registered in {}, too ({option})", path.display())] } else { Vec::new() }
}

fn switched_off(ground: &Ground<'_>, host: Host, level: Level) -> Option<String> {
    let path = host.settings(level, ground.places)?;
    let text = read_if_there(&path).ok().flatten().unwrap_or_default();
    if host == Host::Codex {
        let config = codex::config(level, ground.places)?;
        let text = read_if_there(&config).ok().flatten()?;
        return codex::remark(&String::from_utf8_lossy(&text)).map(|remark| format!("{}: {remark}", config.display()));
    }
    registration::switched_off(host, &String::from_utf8_lossy(&text)).map(|why| format!("{}: {why}", path.display()))
}

/// Codex keeps hooks in `config.toml`, too, and runs those of both files.
fn registered_in_config(ground: &Ground<'_>, host: Host, level: Level) -> Option<PathBuf> {
    let config = codex::config(level, ground.places).filter(|_| host == Host::Codex)?;
    let text = read_if_there(&config).ok().flatten()?;
    codex::is_registered(&String::from_utf8_lossy(&text), ground.program.name).then_some(config)
}

fn look_at_soma(ground: &Ground<'_>, level: Level) -> Result<Standing, Report> {
    let folder = soma::folder(level, ground.places).ok_or_else(no_home)?;
    if !folder.is_dir() {
        let note = format!("there is no {}", folder.display());
        return Ok(standing(Host::Soma, level, folder, State::Incomplete, vec![note]));
    }
    let mut texts = Vec::new();
    for template in soma::TEMPLATES {
        let path = folder.join(template);
        texts.extend(read_if_there(&path)?.map(|bytes| (path, bytes)));
    }
    let seen = soma::Seen {
        marked: soma::MARKERS.iter().any(|marker| folder.join(marker).exists()),
        templates: texts.iter().map(|(path, bytes)| (path.clone(), bytes.as_slice())).collect(),
    };
    let mut notes = soma::advice(&folder, &seen);
    let state = if notes.is_empty() { State::Ready } else { State::Incomplete };
    if texts.is_empty() {
        notes.push("Soma's own boot templates hold {{inbox_summary}}: nothing has to be added".to_owned());
    }
    Ok(standing(Host::Soma, level, folder, state, notes))
}

/// A plugin of ours; any other file of that name is somebody else's.
fn plugin_text<'b>(path: &Path, bytes: &'b [u8]) -> Result<&'b str, Report> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| opencode::program(text).is_some());
    text.ok_or_else(|| {
        let text = format!("{} is not the plugin that postroom writes; it was left as it is", path.display());
        Report::failed("not-ours", text).at(path).hint("move the file away, or remove it by hand")
    })
}

/// An absolute path at which there is nothing any more.
fn is_dead(program: Option<&str>) -> bool {
    program.is_some_and(|program| Path::new(program).is_absolute() && !Path::new(program).exists())
}

/// The folder whose presence shows that a host is used.
fn home_of(host: Host, settings: &Path) -> Option<&Path> {
    match host {
        Host::Soma => Some(settings),
        Host::OpenCode => settings.parent()?.parent(),
        _ => settings.parent(),
    }
}

fn place(ground: &Ground<'_>, host: Host, level: Level) -> Option<PathBuf> {
    if host == Host::Soma { soma::folder(level, ground.places) } else { host.settings(level, ground.places) }
}

fn settings(ground: &Ground<'_>, host: Host, level: Level) -> Result<PathBuf, Report> {
    host.settings(level, ground.places).ok_or_else(no_home)
}

fn no_home() -> Report {
    Report::failed("no-home", "there is no home folder with settings in it; use --project")
}

fn unfit(path: &Path, host: Host, error: &Unfit) -> Report {
    let hint = format!("the file was left as it is; docs/hosts.md shows what to add by hand for {}", host.title());
    Report::failed("settings-unfit", format!("{}: {error}", path.display())).at(path).hint(hint)
}
