//! The command: arguments in, one use-case called, its result printed. One file a command.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::CommandFactory as _;
use clap::error::ErrorKind;

use crate::error::{Exit, Report};
use crate::front::run::Run;
use crate::front::start;
use crate::model::date::day_or_age;
use crate::model::message::Warning;
use crate::ops::find::Unlooked;
use crate::render::table::Screen;
use args::{Cli, Command, CompletionsArgs, Globals};
use out::{Fail, Out, Outcome};

mod alias;
mod archive;
pub mod args;
mod broadcast;
mod complete;
mod compose;
mod doctor;
mod draft;
mod hook;
mod inboxes;
mod init;
mod inject;
mod list;
mod log;
mod man;
mod mark;
mod migrate;
mod out;
mod parse;
mod peek;
mod read;
mod receive;
mod render;
mod reply;
mod restore;
mod schedule;
mod search;
mod send;
mod setup;
mod show;
mod stdin;
mod summary;
mod sweep;
mod thread;
mod watch;

/// Runs the command that the process was started with.
pub fn run() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if hook::is_called(&words) {
        return hook::run(&words);
    }
    if parse::asks_version(&words) {
        return version();
    }
    if complete::is_asked() {
        return complete::run();
    }
    let cli = match parse::parse(&words) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, &words),
    };
    let mut out = Out::new(&cli.globals);
    out.calls(parse::command_word(&words).and_then(|word| word.to_str()));
    let outcome = dispatch(cli, &mut out).and_then(|exit| out.flush().map(|()| exit).map_err(Fail::Output));
    let exit = match outcome {
        Ok(exit) => exit,
        Err(Fail::Report(report)) => out.report(&report),
        // The reader had enough: that is no failure.
        Err(Fail::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
        Err(Fail::Output(error)) => {
            out.failure(&Report::failed("output", format!("could not write the result: {error}")));
            Exit::Failed
        }
    };
    ExitCode::from(exit.code())
}

/// As the whole grammar would, which has more to do.
fn version() -> ExitCode {
    let written = writeln!(io::stdout(), "postroom {}", env!("CARGO_PKG_VERSION"));
    let gone = written.is_err_and(|error| error.kind() != io::ErrorKind::BrokenPipe);
    ExitCode::from(if gone { Exit::Failed } else { Exit::Done }.code())
}

fn dispatch(cli: Cli, out: &mut Out) -> Outcome {
    match cli.command {
        Command::Completions(args) => return completions(&args, out),
        Command::Man(args) => return man::run(&args, out),
        Command::Init(args) => return init::run(cli.globals, &args, out),
        #[cfg(feature = "mcp")]
        Command::Mcp => return Ok(crate::mcp::serve(cli.globals.into()).map(|()| Exit::Done)?),
        _ => {}
    }
    let mut globals = cli.globals;
    if let Command::Migrate(args) = &cli.command {
        // The two inboxes may lie where nothing else leads to.
        globals.inbox = vec![args.from.clone(), args.to.clone()];
    }
    let mut run = Run::new(globals)?;
    if let Some(remark) = run.settle_agent() {
        out.remark(remark);
    }
    out.stand_in(run.session.dir());
    for inbox in run.inboxes() {
        out.detail(format_args!("looking at {} ({}, {}): {}", inbox.name, inbox.layout, inbox.label, inbox.path.display()));
    }
    match cli.command {
        Command::Inboxes => inboxes::run(&mut run, out),
        Command::List(args) => list::run(&mut run, &args, out),
        Command::Show(args) => show::run(&run, &args, out),
        Command::Peek(args) => peek::run(&run, &args, out),
        Command::Thread(args) => thread::run(&run, &args, out),
        Command::Search(args) => search::run(&run, &args, out),
        Command::Log(args) => log::run(&run, &args, out),
        Command::Read(args) => read::run(&run, &args, out),
        Command::Mark(args) => mark::run(&run, &args, out),
        Command::Send(args) => send::run(&run, &args, out),
        Command::Reply(args) => reply::run(&run, &args, out),
        Command::Broadcast(args) => broadcast::run(&run, &args, out),
        Command::Receive(args) => receive::run(&run, &args, out),
        Command::Alias(args) => alias::run(&run, &args, out),
        Command::Migrate(args) => migrate::run(&run, &args, out),
        Command::Archive(args) => archive::run(&run, &args, out),
        Command::Restore(args) => restore::run(&run, &args, out),
        Command::Sweep(args) => sweep::run(&run, &args, out),
        Command::Summary(args) => summary::run(&run, &args, out),
        Command::Doctor(args) => doctor::run(&run, &args, out),
        Command::Schedule(args) => schedule::run(&run, &args, out),
        Command::Watch(args) => watch::run(&run, &args, out),
        Command::Render(args) => render::run(&run, &args, out),
        Command::Inject(args) => inject::run(&run, &args, out),
        Command::Setup(args) => setup::run(&run, &args, false, out),
        Command::Unsetup(args) => setup::run(&run, &args, true, out),
        // Met before.
        #[cfg(feature = "mcp")]
        Command::Mcp => Ok(Exit::Done),
        Command::Hook(_) | Command::Init(_) | Command::Completions(_) | Command::Man(_) => Ok(Exit::Done),
    }
}

impl Run<'_> {
    /// What output for people depends on.
    fn screen(&self) -> Screen<'_> {
        let session = &self.session;
        Screen { width: Out::width(), clock: &session.clock, base: Some(session.dir()), home: session.home() }
    }

    /// Places behind which there may be mail that discovery could not see. What is merely odd is
    /// said at once.
    fn problems(&self, out: &Out) -> Vec<Unlooked> {
        let (hiding, odd) = self.places();
        say(out, &odd);
        hiding
    }
}

/// A day that an option names: a date, or an age back from today.
fn day(run: &Run<'_>, option: &str, text: Option<&str>) -> Result<Option<chrono::NaiveDate>, Report> {
    let today = run.session.clock.today();
    text.map(|text| day_or_age(text, today).map_err(|why| Report::new("usage", Exit::Usage, format!("{option}: {why}"))))
        .transpose()
}

/// Says the remarks on a change that was made.
fn say(out: &Out, warnings: &[Warning]) {
    for warning in warnings {
        out.warn(warning);
    }
}

fn usage(error: &clap::Error, words: &[OsString]) -> ExitCode {
    let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if !asked && words.iter().any(|w| w == "--json") {
        let globals = Globals { json: true, color: args::When3::Never, ..Globals::default() };
        return ExitCode::from(Out::new(&globals).report(&usage_report(error, words)).code());
    }
    let _ = error.print();
    let exit = if error.exit_code() == 0 { Exit::Done } else { Exit::Usage };
    ExitCode::from(exit.code())
}

/// A fault of the command line, with all that is said of it: the first paragraph is the fault, the
/// others tell what to do.
fn usage_report(error: &clap::Error, words: &[OsString]) -> Report {
    let text = error.to_string();
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return Report::new("usage", Exit::Usage, "a command is missing").next("postroom --help");
    }
    let one_line = |paragraph: &str| paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut paragraphs = text.split("\n\n").map(one_line).filter(|p| !p.is_empty());
    let first = paragraphs.next().unwrap_or_default();
    let mut report = Report::new("usage", Exit::Usage, first.strip_prefix("error: ").unwrap_or(&first));
    for paragraph in paragraphs {
        if !paragraph.starts_with("For more information") {
            report = report.hint(paragraph);
        }
    }
    let called = parse::command_word(words).and_then(|word| word.to_str());
    let command = called.filter(|name| Cli::command().find_subcommand(name).is_some());
    report.next(command.map_or_else(|| "postroom --help".to_owned(), |command| format!("postroom {command} --help")))
}

/// Scripts and pages are made in memory first: a closed pipe must not be a panic.
fn completions(args: &CompletionsArgs, out: &mut Out) -> Outcome {
    let script =
        complete::script(args.shell, args.program.as_deref()).map_err(|e| Report::failed("completions", e.to_string()))?;
    out.raw(&script)?;
    Ok(Exit::Done)
}
