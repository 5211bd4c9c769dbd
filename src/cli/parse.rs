//! The command line, parsed with only as much of the grammar as it needs.
//!
//! Setting up all commands and their options takes longer than a whole hook may; nearly always one
//! command is called, and rightly. So its own grammar is tried first. Whatever that does not take is
//! given to the whole one, which alone explains, suggests and helps.

use std::ffi::OsString;

use clap::{Args, FromArgMatches, Parser};

use super::args::{
    ArchiveArgs, Cli, Command, DoctorArgs, Globals, HookArgs, ListArgs, MarkArgs, ReadArgs, ReplyArgs, RestoreArgs, SendArgs,
    ShowArgs, SummaryArgs, SweepArgs, ThreadArgs,
};

/// Global options that take a value, so that the word behind them is not taken for the command.
const WITH_VALUE: [&str; 6] = ["-C", "--directory", "--inbox", "--agent", "--scope", "--color"];

/// Adds the options of one command to it.
type Grammar = fn(clap::Command) -> clap::Command;

/// The commands that hosts and scripts call all day. One that is not here is only slower.
const QUICK: [(&str, Grammar); 13] = [
    ("archive", ArchiveArgs::augment_args),
    ("doctor", DoctorArgs::augment_args),
    ("hook", HookArgs::augment_args),
    ("list", ListArgs::augment_args),
    ("mark", MarkArgs::augment_args),
    ("read", ReadArgs::augment_args),
    ("reply", ReplyArgs::augment_args),
    ("restore", RestoreArgs::augment_args),
    ("send", SendArgs::augment_args),
    ("show", ShowArgs::augment_args),
    ("summary", SummaryArgs::augment_args),
    ("sweep", SweepArgs::augment_args),
    ("thread", ThreadArgs::augment_args),
];

/// Parses the words that the process was started with.
///
/// # Errors
/// As [`Cli::try_parse_from`].
pub fn parse(words: &[OsString]) -> Result<Cli, clap::Error> {
    registered(words).or_else(|| quickly(words)).map_or_else(|| Cli::try_parse_from(words), Ok)
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
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        if WITH_VALUE.contains(&&*text) {
            words.next();
        } else if !text.starts_with('-') {
            return Some(word);
        }
    }
    None
}

fn quickly(words: &[OsString]) -> Option<Cli> {
    let word = command_word(words)?;
    let (name, grammar) = QUICK.iter().find(|(name, _)| word == *name)?;
    let command = Globals::augment_args(clap::Command::new("postroom")).subcommand(grammar(clap::Command::new(*name)));
    // Help is the whole grammar's to give.
    let matches = command.disable_help_flag(true).try_get_matches_from(words).ok()?;
    Cli::from_arg_matches(&matches).ok()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

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
        ];
        for line in lines {
            let quick = quickly(&words(line)).unwrap_or_else(|| panic!("{line}"));
            let whole = Cli::try_parse_from(words(line)).unwrap();
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
        ] {
            assert!(quickly(&words(line)).is_none(), "{line}");
        }
    }

    #[test]
    fn the_quick_commands_are_commands_under_their_own_names() {
        let whole = Cli::command();
        for (name, grammar) in QUICK {
            let known = whole.get_subcommands().find(|c| c.get_name() == name).unwrap();
            let options = |command: &clap::Command| command.get_arguments().map(|a| format!("{a:?}")).collect::<Vec<_>>();
            assert_eq!(options(known), options(&grammar(clap::Command::new(name))), "{name}");
        }
    }

    #[test]
    fn all_global_options_with_a_value_are_known() {
        for option in Cli::command().get_arguments().filter(|a| a.get_action().takes_values()) {
            let mut names = Vec::new();
            names.extend(option.get_long().map(|long| format!("--{long}")));
            names.extend(option.get_short().map(|short| format!("-{short}")));
            for name in names {
                assert!(WITH_VALUE.contains(&name.as_str()), "{name}");
            }
        }
    }
}
