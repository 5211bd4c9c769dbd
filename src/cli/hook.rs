//! `hook`: what a host's agent is told, in the host's own shape.
//!
//! Whatever happens – a panic, a wrong option, a broken configuration, a closed pipe – it ends with
//! status 0 and prints one answer or nothing: other statuses erase prompts or deny them (Claude Code,
//! Codex, Gemini CLI). So it is met before the command line is parsed.

use std::ffi::OsString;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;

use super::Run;
use super::args::{Cli, Command, Globals, HookArgs};
use super::out::troubles;
use super::{parse, start, stdin};
use crate::config::looks_like_path;
use crate::error::Report;
use crate::host::input::{HookInput, MAX_BYTES as MAX_BYTES_READ};
use crate::host::{Call, Host};
use crate::ops::hook::{self, News};
use crate::render::summary::{self, Options};
use crate::render::template::Templates;
use crate::store::atomic::Disk;
use crate::store::sessions::{Memory, failure_key};
use crate::text::neutral::{self, Target};

/// The longest text, in characters: below the cap of every host, its JSON included.
const MAX_CHARS: usize = 6_000;
/// The longest text, in bytes: hosts count four of them as a token, and keep what is beyond 2,500 tokens
/// out of the prompt.
const MAX_BYTES: usize = 8_000;
/// The longest line about a failure, in characters.
const MAX_FAILURE: usize = 500;

/// Whether the command line asks for this command.
pub fn is_called(words: &[OsString]) -> bool {
    parse::command_word(words).is_some_and(|word| word == "hook")
}

/// Runs the command. Always a success, as far as the host is concerned.
pub fn run(words: &[OsString]) -> ExitCode {
    // A panic's own message would go to stderr, which one host reads in place of an empty stdout.
    panic::set_hook(Box::new(|_| {}));
    let cli = match parse::parse(words) {
        Ok(Cli { globals, command: Command::Hook(args) }) => Ok((globals, args)),
        Ok(_) => return ExitCode::SUCCESS,
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            let text = error.to_string();
            Err(text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned())
        }
    };
    let named = cli.as_ref().map_or_else(|_| host_word(words), |(_, args)| args.host.clone());
    let Some(host) = named.as_deref().map_or_else(|| Some(guess()), Host::parse) else {
        // In which shape could that be said? In nobody's; a person sees this.
        let known: Vec<_> = Host::ALL.iter().map(|host| host.as_str()).collect();
        let named = named.unwrap_or_default();
        let _ = writeln!(io::stderr(), "postroom hook: {named:?} is no host; known are {}, plain", known.join(", "));
        return ExitCode::SUCCESS;
    };
    let (mut input, cut) = panic::catch_unwind(|| {
        let bytes = stdin::arrived();
        (HookInput::read(&bytes), bytes.len() >= MAX_BYTES_READ)
    })
    .unwrap_or_default();
    if let Ok((_, HookArgs { event: Some(event), .. })) = &cli {
        input.event.get_or_insert_with(|| event.clone());
    } else if cut && input.event.is_none() {
        // What happened stood behind what was read. A guess would tell everything anew in the middle of a
        // session; the next call tells.
        return ExitCode::SUCCESS;
    }
    let block_stop =
        || cli.as_ref().is_ok_and(|(globals, _)| start::hook_settings(globals.directory.as_deref()).is_ok_and(|h| h.block_stop));
    // The configuration is read twice for a stop only: all others are answered whatever it says.
    let Some(call) = host.call(&input, true).filter(|call| !call.event.is_stop() || block_stop()) else {
        return ExitCode::SUCCESS;
    };
    let mut memory = panic::catch_unwind(|| memory(&call, &input)).ok();
    let done = match cli {
        Ok((globals, _)) => panic::catch_unwind(AssertUnwindSafe(|| tell(globals, &input, &call, memory.as_mut())))
            .unwrap_or_else(|_| Err("it failed inside; that is a fault in postroom".to_owned())),
        Err(usage) => Err(usage),
    };
    if let Err(why) = done {
        let _ = panic::catch_unwind(AssertUnwindSafe(|| fail(&why, &call, memory.as_mut())));
    }
    ExitCode::SUCCESS
}

/// Tells what is new, and remembers it once it is handed over.
fn tell(globals: Globals, input: &HookInput, call: &Call, memory: Option<&mut Memory>) -> Result<(), String> {
    let run = Run::new(at_folder(globals, input)).map_err(|report| said(&report))?;
    let Some(memory) = memory else { return Err("its memory could not be read".to_owned()) };
    let disk = run.session.disk;
    let look = |memory: &Memory| look(&run, (!call.anew).then_some(memory));
    let mut news = look(memory);
    if news.is_none() && call.anew {
        if !memory.is_empty() {
            // The agent knows nothing any more. A memory that can't be written costs a repetition.
            let _ = memory.save(&disk, [].into());
        }
        return Ok(());
    }
    if news.is_none() && news.kept(memory).is_none() {
        return Ok(());
    }
    // Hosts call several hooks at once; who comes second looks again, and finds it told.
    let _lock = memory.lock();
    if !call.anew {
        memory.refresh();
        news = look(memory);
        if news.is_none() {
            if let Some(kept) = news.kept(memory) {
                let _ = memory.save(&disk, kept);
            }
            return Ok(());
        }
    }
    if news.is_none() || !hand_over(call, &text(&run, &news)) {
        return Ok(());
    }
    let told = if call.may_be_lost { [].into() } else { news.remembered(memory) };
    let _ = memory.save(&disk, told);
    if call.anew {
        memory.tidy(&disk, run.session.clock.now.into());
    }
    Ok(())
}

fn look(run: &Run<'_>, memory: Option<&Memory>) -> News {
    let settings = &run.session.config.summary;
    let order = summary::order(&settings.format);
    hook::look(&run.session, &run.inboxes(), run.places().0, memory, settings.limit, order)
}

fn text(run: &Run<'_>, news: &News) -> String {
    let session = &run.session;
    let settings = &session.config.summary;
    let problems = troubles(&news.unlooked);
    let command = run.list_command();
    let folder = crate::front::summary::template_folder(session).unwrap_or_default();
    let templates = Templates::new(folder.as_deref());
    // A faulty template of the user's must not silence a hook; `summary` tells of it.
    let draw = |max_chars| {
        let options = Options {
            target: Target::Prompt,
            base: Some(session.dir()),
            home: session.home(),
            max_chars,
            list_command: &command,
            problems: &problems,
        };
        summary::render_anyway(&templates, &settings.format, &news.summary, &session.clock, &options).0.text
    };
    let most = settings.max_chars.min(MAX_CHARS);
    let mut text = draw(most);
    if text.len() > MAX_BYTES {
        text = draw(text.chars().count() * MAX_BYTES / text.len());
    }
    match news.fresh {
        fresh if fresh == news.summary.unread || fresh == 0 => text,
        1 => format!("1 new message since you were last told, of {} unread:\n\n{text}", news.summary.unread),
        fresh => format!("{fresh} new messages since you were last told, of {} unread:\n\n{text}", news.summary.unread),
    }
}

/// Says in one line that it could not look; once in a session.
fn fail(why: &str, call: &Call, memory: Option<&mut Memory>) {
    let key = failure_key(why);
    if memory.as_ref().is_some_and(|memory| !call.anew && memory.holds(key)) {
        return;
    }
    let why = neutral::field(why, Target::Prompt, MAX_FAILURE).text;
    if hand_over(call, &format!("postroom could not look for mail: {why}"))
        && let Some(memory) = memory
    {
        let _ = memory.add(&Disk::new(), [key]);
    }
}

/// Prints the answer. What could not be written whole was not told.
fn hand_over(call: &Call, text: &str) -> bool {
    let Some(answer) = call.answer(text).filter(|_| !text.is_empty()) else { return false };
    let mut stdout = io::stdout().lock();
    stdout.write_all(answer.as_bytes()).and_then(|()| stdout.flush()).is_ok()
}

/// A report in one line.
fn said(report: &Report) -> String {
    let mut text = report.message.replace('\n', "; ");
    for next in &report.next {
        text = format!("{text} (try: {next})");
    }
    text
}

/// The memory of the session that calls; one memory for each folder where the host names no session.
fn memory(call: &Call, input: &HookInput) -> Memory {
    let (state, temporary) = start::state();
    let unnamed = || format!("in {}", folder(input).unwrap_or_default().display());
    let session = input.session.clone().unwrap_or_else(unnamed);
    Memory::open(state.as_deref(), &temporary, call.host.as_str(), &session)
}

/// The folder that the agent works in: hosts start hooks elsewhere, too.
fn folder(input: &HookInput) -> Option<PathBuf> {
    let named = input.folder.as_ref().map(PathBuf::from);
    let named = named.or_else(|| start::variable("CURSOR_PROJECT_DIR").filter(|_| input.by_cursor).map(PathBuf::from));
    named.filter(|folder| folder.is_absolute() && folder.is_dir()).or_else(|| std::env::current_dir().ok())
}

/// Starts in that folder, unless told otherwise. What was named relative to the folder that the hook
/// was started in stays relative to that one.
fn at_folder(mut globals: Globals, input: &HookInput) -> Globals {
    if globals.directory.is_some() {
        return globals;
    }
    if !globals.inbox.is_empty()
        && let Ok(here) = std::env::current_dir()
    {
        for name in &mut globals.inbox {
            if looks_like_path(name) && !name.starts_with('~') {
                *name = here.join(&*name).to_string_lossy().into_owned();
            }
        }
    }
    globals.directory = folder(input);
    globals
}

/// The host's word on a command line that can't be parsed.
fn host_word(words: &[OsString]) -> Option<String> {
    let mut words = words.iter().map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        if word == "--host" {
            return words.next().map(Into::into);
        }
        if let Some(host) = word.strip_prefix("--host=") {
            return Some(host.to_owned());
        }
    }
    None
}

fn guess() -> Host {
    Host::guess(|name| start::variable(name).is_some()).unwrap_or(Host::Plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(line: &str) -> bool {
        is_called(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn the_command_is_known_without_parsing_the_line() {
        for line in
            ["p hook", "p --inbox x hook --host claude", "p -C /x --json hook", "p --inbox=x -q hook --nonsense", "p --foo hook"]
        {
            assert!(called(line), "{line}");
        }
        for line in ["p", "p list hook", "p --inbox hook list", "p --agent hook", "p -C hook", "p --help"] {
            assert!(!called(line), "{line}");
        }
    }

    #[test]
    fn the_host_is_found_on_a_broken_line() {
        let words = |line: &str| host_word(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(words("p hook --x --host codex").as_deref(), Some("codex"));
        assert_eq!(words("p hook --host=gemini --x").as_deref(), Some("gemini"));
        assert_eq!(words("p hook --host"), None);
        assert_eq!(words("p hook"), None);
    }
}
