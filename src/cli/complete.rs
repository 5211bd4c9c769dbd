//! Completions: the script that a shell sources, and the answers that it asks for while somebody types.
//!
//! Answers come from names alone: folders are listed, no message is opened, and no text of a message
//! is printed. Names that a shell would need quoting for are left out, whoever chose them.

use std::ffi::OsStr;
use std::io;
use std::process::ExitCode;

use clap::{Arg, Command, CommandFactory};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};

use super::args::Cli;
use super::start;
use crate::front::run::Run;
use crate::front::start::Standpoint;
use crate::layout::{self, Beginning, Which, markdown};
use crate::ops::advance::quoted;
use crate::ops::doctor::rules;

/// The variable by which the script asks.
const VARIABLE: &str = "POSTROOM_COMPLETE";

/// What stands for the program in a script until it is put in, quoted for the shell.
const STAND_IN: &str = "POSTROOM_PROGRAM";

/// The most candidates that are given: beyond, a person has to type more.
const MOST: usize = 300;

/// Whether a shell asks for candidates.
pub fn is_asked() -> bool {
    start::variable(VARIABLE).is_some()
}

/// Answers a shell.
pub fn run() -> ExitCode {
    let answered = CompleteEnv::with_factory(command).var(VARIABLE).bin("postroom").try_complete(std::env::args_os(), None);
    // A shell shows what is printed as candidates: a failure has to be silent.
    if answered.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The script for a shell.
///
/// # Errors
/// The shell is not one of those known.
pub fn script(shell: clap_complete::Shell, program: Option<&str>) -> io::Result<Vec<u8>> {
    let shells = Shells::builtins();
    let completer = shells.completer(&shell.to_string()).ok_or_else(|| io::Error::other("no such shell"))?;
    let mut script = Vec::new();
    let program = program.map_or_else(|| start::program().0, str::to_owned);
    completer.write_registration(VARIABLE, "postroom", "postroom", STAND_IN, &mut script)?;
    // The library would put one kind of quotes into the other.
    let word = match shell {
        clap_complete::Shell::PowerShell | clap_complete::Shell::Elvish => format!("'{}'", program.replace('\'', "''")),
        _ => quoted(&program),
    };
    let script = String::from_utf8(script).map_err(io::Error::other)?;
    Ok(script.replace(&format!("\"{STAND_IN}\""), &word).replace(STAND_IN, &word).into_bytes())
}

/// The command with candidates for its arguments, by the names of their values.
fn command() -> Command {
    with_candidates(Cli::command()).mut_subcommands(|sub| {
        let archived = sub.get_name() == "restore";
        let mut sub = with_candidates(sub);
        if archived {
            sub = sub.mut_arg("refs", |arg| arg.add(ArgValueCompleter::new(|typed: &OsStr| refs(typed, Which::Archived))));
        }
        sub
    })
}

fn with_candidates(command: Command) -> Command {
    command.mut_args(|arg| {
        let value = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string).unwrap_or_default();
        let id = arg.get_id().to_string();
        match (value.as_str(), id.as_str()) {
            ("REF", _) | (_, "in_reply_to") => completed(arg, |typed| refs(typed, Which::Live)),
            ("NAME|PATH", "inbox") | ("INBOX", _) => completed(arg, inboxes),
            ("NAME", "agent" | "to" | "from" | "cc" | "bcc") => completed(arg, owners),
            ("RULE", _) => completed(arg, |typed| fitting(typed, rules::ALL.iter().map(|rule| rule.id.to_owned()))),
            _ => arg,
        }
    })
}

fn completed(arg: Arg, candidates: fn(&OsStr) -> Vec<CompletionCandidate>) -> Arg {
    arg.add(ArgValueCompleter::new(candidates))
}

/// The names that start as typed, sorted, each once.
fn fitting(typed: &OsStr, names: impl Iterator<Item = String>) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let plain = |name: &String| !name.starts_with('-') && name.chars().all(|c| c.is_alphanumeric() || "._-@/~:#+".contains(c));
    let mut names: Vec<String> = names.filter(|name| name.starts_with(&*typed) && plain(name)).collect();
    names.sort();
    names.dedup();
    names.truncate(MOST);
    names.into_iter().map(CompletionCandidate::new).collect()
}

/// The world as it is where the shell stands; nothing where it can't be looked at.
fn look() -> Option<Run<'static>> {
    Run::new(Standpoint::default()).ok()
}

fn refs(typed: &OsStr, which: Which) -> Vec<CompletionCandidate> {
    let Some(run) = look() else { return Vec::new() };
    let inboxes = run.inboxes();
    let listings = inboxes.iter().filter_map(|inbox| layout::of(inbox.layout).list(inbox, which, Beginning::ANY).ok());
    let names = listings.flat_map(|listing| listing.entries).map(|entry| {
        let name = entry.name.to_string_lossy();
        let stem = name.strip_suffix(".read").unwrap_or(&name);
        stem.strip_suffix(".json").map_or_else(|| markdown::id_of(&name).to_string(), str::to_owned)
    });
    fitting(typed, names)
}

fn inboxes(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(run) = look() else { return Vec::new() };
    fitting(typed, run.inboxes().iter().map(|inbox| inbox.name.clone()))
}

fn owners(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(run) = look() else { return Vec::new() };
    let inboxes = run.inboxes();
    let aliases = run.session.config.aliases.iter().map(|(alias, _)| alias.clone());
    let owners = inboxes.iter().flat_map(|inbox| inbox.aliases.iter().cloned().chain([inbox.owner.to_string()]));
    fitting(typed, owners.chain(aliases))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_names_that_need_no_quoting() {
        let names = ["b-2", "a-1", "a-1", "a b", "-a", "a$(x)", "a'", "a\u{202e}", "aé"];
        let given: Vec<String> = fitting(OsStr::new("a"), names.into_iter().map(str::to_owned))
            .iter()
            .map(|c| c.get_value().to_string_lossy().into_owned())
            .collect();
        assert_eq!(given, ["a-1", "aé"]);
        command().debug_assert();
    }
}
