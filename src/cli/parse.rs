//! The command line, parsed with only as much of the grammar as it needs.
//!
//! Setting up all commands and their options takes longer than a whole hook may; nearly always one
//! command is called, and rightly. So its own grammar is tried first. Whatever that does not take is
//! given to the whole one, which alone explains, suggests and helps.

use std::borrow::Cow;
use std::ffi::OsString;
use std::mem;

use clap::{ArgMatches, Args, FromArgMatches, Parser};

use super::args::{
    ArchiveArgs, Cli, Command, DoctorArgs, Globals, HookArgs, ListArgs, MarkArgs, ReadArgs, ReplyArgs, RestoreArgs, SendArgs,
    ShowArgs, SummaryArgs, SweepArgs, ThreadArgs,
};

/// Global options that take a value, so that the word behind them is not taken for the command.
const WITH_VALUE: [&str; 6] = ["-C", "--directory", "--inbox", "--agent", "--scope", "--color"];

/// Global options that take none.
const WITHOUT_VALUE: [&str; 6] = ["--teams", "--json", "-q", "--quiet", "-v", "--verbose"];

/// A command with its own grammar.
struct Quick {
    name: &'static str,
    /// Adds the options of the command.
    grammar: fn(clap::Command) -> clap::Command,
    /// Makes the command of what was given.
    take: fn(&mut ArgMatches) -> Result<Command, clap::Error>,
}

macro_rules! quick {
    ($name:literal, $args:ident, $command:ident) => {
        Quick { name: $name, grammar: $args::augment_args, take: |m| $args::from_arg_matches_mut(m).map(Command::$command) }
    };
}

/// The commands that hosts and scripts call all day. One that is not here is only slower.
const QUICK: [Quick; 13] = [
    quick!("archive", ArchiveArgs, Archive),
    quick!("doctor", DoctorArgs, Doctor),
    quick!("hook", HookArgs, Hook),
    quick!("list", ListArgs, List),
    quick!("mark", MarkArgs, Mark),
    quick!("read", ReadArgs, Read),
    quick!("reply", ReplyArgs, Reply),
    quick!("restore", RestoreArgs, Restore),
    quick!("send", SendArgs, Send),
    quick!("show", ShowArgs, Show),
    quick!("summary", SummaryArgs, Summary),
    quick!("sweep", SweepArgs, Sweep),
    quick!("thread", ThreadArgs, Thread),
];

/// Parses the words that the process was started with.
///
/// # Errors
/// As [`Cli::try_parse_from`].
pub fn parse(words: &[OsString]) -> Result<Cli, clap::Error> {
    if let Some(cli) = registered(words) {
        return Ok(cli);
    }
    let words = command_first(words);
    quickly(&words).map_or_else(|| Cli::try_parse_from(&*words), Ok)
}

/// The line that `setup` registers with hosts, and what people shorten it to: `-C DIR hook --host NAME`,
/// without the folder, the host, or both. It needs no grammar at all.
fn registered(words: &[OsString]) -> Option<Cli> {
    let mut globals = Globals::default();
    let words = match words {
        [_, option, folder, rest @ ..] if option == "-C" && is_plain(folder) => {
            globals.directory = Some(folder.into());
            rest
        }
        [_, rest @ ..] => rest,
        [] => return None,
    };
    let host = match words {
        [hook] if hook == "hook" => None,
        [hook, option, host] if hook == "hook" && option == "--host" && is_plain(host) => Some(host.to_str()?.to_owned()),
        _ => return None,
    };
    Some(Cli { globals, command: Command::Hook(HookArgs { host, event: None }) })
}

/// Whether a word can't be taken for an option.
fn is_plain(word: &OsString) -> bool {
    !word.is_empty() && !word.as_encoded_bytes().starts_with(b"-")
}

/// Whether nothing but the version is asked for.
pub fn asks_version(words: &[OsString]) -> bool {
    matches!(words, [_, word] if word == "--version" || word == "-V")
}

/// The command that is called: the first word that is neither an option nor the value of a global one.
pub fn command_word(words: &[OsString]) -> Option<&OsString> {
    words.get(command_at(words)?)
}

fn command_at(words: &[OsString]) -> Option<usize> {
    let mut at = 1;
    loop {
        let word = words.get(at)?;
        if WITH_VALUE.iter().any(|option| word == option) {
            at += 2;
        } else if word.as_encoded_bytes().starts_with(b"-") {
            at += 1;
        } else {
            return Some(at);
        }
    }
}

/// The words with the global options before the command moved behind it, where they hold as well: to the
/// grammar those are two places, and it forgets an inbox named in the one for an inbox named in the other.
fn command_first(words: &[OsString]) -> Cow<'_, [OsString]> {
    let moved = || {
        let (before, rest) = words.split_at_checked(command_at(words)?)?;
        let ((program, options), (command, behind)) = (before.split_first()?, rest.split_first()?);
        // The help tells of commands, and takes their names and nothing else.
        let movable = !options.is_empty() && command != "help" && are_global(options);
        movable.then(|| [std::slice::from_ref(program), std::slice::from_ref(command), options, behind].concat())
    };
    moved().map_or(Cow::Borrowed(words), Cow::Owned)
}

/// Whether words are global options and their values.
fn are_global(words: &[OsString]) -> bool {
    let mut words = words.iter().map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        let name = word.split_once('=').map_or(&*word, |(name, _)| name);
        if WITH_VALUE.contains(&&*word) {
            words.next();
        } else if !WITHOUT_VALUE.contains(&&*word) && !WITH_VALUE.contains(&name) {
            return false;
        }
    }
    true
}

/// Parses a line that begins with one of the quick commands, as if there were no others.
fn quickly(words: &[OsString]) -> Option<Cli> {
    let (program, rest) = words.split_first()?;
    let (word, behind) = rest.split_first()?;
    let Quick { grammar, take, .. } = QUICK.iter().find(|quick| word == quick.name)?;
    // Help and version are the whole grammar's to give.
    let command = clap::Command::new("postroom").disable_help_flag(true).disable_version_flag(true);
    let words = std::iter::once(program).chain(behind);
    let mut command = grammar(Globals::augment_args(command));
    let given = command.try_get_matches_from_mut(words);
    // The process ends soon: to give the grammar's thousand pieces back one by one would be for nothing.
    mem::forget(command);
    let mut given = given.ok()?;
    let cli = Cli { globals: Globals::from_arg_matches_mut(&mut given).ok()?, command: take(&mut given).ok()? };
    mem::forget(given);
    Some(cli)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::super::args::Scope;
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn both_grammars_say_the_same() {
        let lines = [
            "p summary",
            "p summary --format brief --limit 3 --max-chars 100",
            "p -C /x --json summary -q",
            "p --inbox a --inbox=b --agent z --scope global --teams --color never -v list --unread --limit 5 --sort oldest",
            "p list --status read --status done --tag a --tag b --since 3d --json-lines --all",
            "p hook --host claude",
            "p hook --host=codex --event SessionStart -C /y",
            "p mark read a b c --note why --dry-run",
            "p mark --reopen unread x -n",
            "p show --raw a",
            "p read a --json",
            "p send --to ben --to ava --subject s --body b --from me",
            "p reply x --body b",
            "p archive --mark actioned a",
            "p restore a",
            "p sweep --dry-run --older-than 2w",
            "p thread x",
            "p doctor",
            "p -C /x list -C /y --json --json",
            "p -q list --quiet",
        ];
        for line in lines {
            let words = words(line);
            let quick = quickly(&command_first(&words)).unwrap_or_else(|| panic!("{line}"));
            let whole = Cli::try_parse_from(&words).unwrap();
            assert_eq!(format!("{quick:?}"), format!("{whole:?}"), "{line}");
        }
    }

    #[test]
    fn what_hosts_call_needs_no_grammar() {
        for line in ["p hook --host claude", "p -C /x hook --host nobody", "p hook", "p -C /x hook"] {
            let short = registered(&words(line)).unwrap_or_else(|| panic!("{line}"));
            let whole = Cli::try_parse_from(words(line)).unwrap();
            assert_eq!(format!("{short:?}"), format!("{whole:?}"), "{line}");
        }
        for line in [
            "p",
            "p hook -h",
            "p hook --host",
            "p hook --host -h",
            "p -C -x hook --host a",
            "p hook --host a b",
            "p list --host a",
        ] {
            assert!(registered(&words(line)).is_none(), "{line}");
        }
    }

    #[test]
    fn what_is_wrong_or_asks_for_help_is_the_whole_grammar_s() {
        for line in [
            "p",
            "p --help",
            "p --version",
            "p summary --help",
            "p list -h",
            "p help list",
            "p sweep --version",
            "p lst",
            "p list --nonsense",
            "p mark",
            "p mark wat x",
            "p list --archived --all",
            "p --agent list",
            "p -q -v list",
            "p clear",
            "p --limit 3 list",
            "p --limit=3 list",
            "p --help list",
            "p -- list",
        ] {
            assert!(quickly(&command_first(&words(line))).is_none(), "{line}");
        }
    }

    #[test]
    fn an_inbox_may_be_named_on_either_side_of_the_command() {
        for line in ["p --inbox a list --inbox b", "p --inbox=a inboxes --inbox=b", "p --inbox a --inbox b list"] {
            assert_eq!(parse(&words(line)).unwrap().globals.inbox, ["a", "b"], "{line}");
        }
        let one_each = parse(&words("p -C /x --scope global log --scope project -C /y")).unwrap().globals;
        assert_eq!((one_each.directory.unwrap().as_path(), one_each.scope), ("/y".as_ref(), Scope::Project));
        let help = Cli::try_parse_from(&*command_first(&words("p --json help list"))).unwrap_err();
        assert_eq!(help.kind(), clap::error::ErrorKind::DisplayHelp);
    }

    #[test]
    fn the_quick_commands_are_commands_under_their_own_names() {
        let whole = Cli::command();
        for Quick { name, grammar, .. } in QUICK {
            let known = whole.get_subcommands().find(|c| c.get_name() == name).unwrap();
            let options = |command: &clap::Command| command.get_arguments().map(|a| format!("{a:?}")).collect::<Vec<_>>();
            assert_eq!(options(known), options(&grammar(clap::Command::new(name))), "{name}");
        }
    }

    #[test]
    fn all_global_options_are_known() {
        let mut known = (0, 0);
        for option in Cli::command().get_arguments().filter(|option| option.is_global_set()) {
            let long = option.get_long().map(|long| format!("--{long}"));
            let short = option.get_short().map(|short| format!("-{short}"));
            for name in [long, short].into_iter().flatten() {
                let takes = option.get_action().takes_values();
                *(if takes { &mut known.0 } else { &mut known.1 }) += 1;
                assert!(if takes { &WITH_VALUE } else { &WITHOUT_VALUE }.contains(&&*name), "{name}");
            }
        }
        assert_eq!(known, (WITH_VALUE.len(), WITHOUT_VALUE.len()));
    }
}
