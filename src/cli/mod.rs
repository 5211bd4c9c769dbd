//! The command: arguments in, one use-case called, its result printed. One file a command.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use crate::error::{Exit, Report};
use crate::model::inbox::Inbox;
use crate::model::message::Warning;
use crate::model::name::AgentName;
use crate::ops::advance::quoted;
use crate::ops::find::Unlooked;
use crate::ops::refs::{self, Target, Want};
use crate::ops::session::Session;
use crate::render::table::Screen;
use crate::store::discover::{self, Selection};
use args::{Cli, Command, Globals};
use out::{Fail, Out, Outcome};

mod alias;
mod archive;
pub mod args;
mod broadcast;
mod compose;
mod doctor;
mod inboxes;
mod list;
mod log;
mod mark;
mod out;
mod read;
mod receive;
mod reply;
mod restore;
mod search;
mod send;
mod show;
mod start;
mod summary;
mod sweep;
mod thread;

/// Runs the command that the process was started with.
pub fn run() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, &words),
    };
    let mut out = Out::new(&cli.globals);
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

fn dispatch(cli: Cli, out: &mut Out) -> Outcome {
    match cli.command {
        Command::Completions(args) => return completions(args.shell, out),
        Command::Man => return man(out),
        _ => {}
    }
    let mut run = Run::new(cli.globals)?;
    out.stand_in(run.session.dir());
    for inbox in run.inboxes() {
        out.detail(format_args!("looking at {} ({}, {}): {}", inbox.name, inbox.layout, inbox.label, inbox.path.display()));
    }
    match cli.command {
        Command::Inboxes => inboxes::run(&mut run, out),
        Command::List(args) => list::run(&mut run, &args, out),
        Command::Show(args) => show::run(&run, &args, out),
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
        Command::Archive(args) => archive::run(&run, &args, out),
        Command::Restore(args) => restore::run(&run, &args, out),
        Command::Sweep(args) => sweep::run(&run, &args, out),
        Command::Summary(args) => summary::run(&run, &args, out),
        Command::Doctor(args) => doctor::run(&run, &args, out),
        Command::Completions(_) | Command::Man => Ok(Exit::Done),
    }
}

/// What a command works with: the session, and the inboxes it looks at.
struct Run<'a> {
    globals: Globals,
    session: Session<'a>,
    /// The agent that was named outright, as its inboxes spell it.
    agent: Option<AgentName>,
}

impl Run<'_> {
    fn new(globals: Globals) -> Result<Self, Report> {
        let (session, explicit) = start::session(&globals)?;
        let agent = session.actor.clone().filter(|_| explicit);
        let run = Self { globals, session, agent };
        // Names that nobody has are told before anything else is done.
        run.selection()?;
        Ok(run)
    }

    fn selection(&self) -> Result<Selection<'_>, Report> {
        let scope = start::scope(self.globals.scope);
        let agent = self.agent.as_ref().map(AgentName::as_str);
        Ok(discover::select(&self.session.found, &self.globals.inbox, scope, agent)?)
    }

    /// The inboxes that the command looks at.
    fn inboxes(&self) -> Vec<&Inbox> {
        self.selection().map(|s| s.inboxes).unwrap_or_default()
    }

    /// The inboxes that a name may mean: all in scope. Acting as an agent does not narrow whom it writes to.
    fn reachable(&self) -> Vec<&Inbox> {
        let scope = start::scope(self.globals.scope);
        discover::select(&self.session.found, &[], scope, None).map(|s| s.inboxes).unwrap_or_default()
    }

    /// The command that lists what this one looks at.
    fn list_command(&self) -> String {
        let mut words = vec!["postroom".to_owned()];
        words.extend(self.globals.inbox.iter().map(|name| format!("--inbox {}", quoted(name))));
        words.extend(self.agent.iter().map(|name| format!("--agent {}", quoted(name.as_str()))));
        words.push("list".to_owned());
        words.join(" ")
    }

    /// What output for people depends on.
    fn screen(&self) -> Screen<'_> {
        let session = &self.session;
        Screen { width: Out::width(), clock: &session.clock, base: Some(session.dir()), home: session.home() }
    }

    /// The one message that a ref means.
    fn target(&self, reference: &str, want: Want) -> Result<Target, Report> {
        refs::resolve(&self.session, &self.inboxes(), reference, want)
    }

    /// Places behind which there may be mail that discovery could not see. What is merely odd is
    /// said at once.
    fn problems(&self, out: &Out) -> Vec<Unlooked> {
        let problems = self.selection().map(|s| s.problems).unwrap_or_default();
        let (hiding, odd): (Vec<_>, Vec<_>) = problems.into_iter().partition(|p| p.kind.hides_mail());
        for problem in odd {
            out.warn(&Warning::new(problem.kind.as_str(), problem.text.clone()));
        }
        hiding
            .into_iter()
            .map(|p| Unlooked { inbox: p.kind.as_str().to_owned(), path: p.path.clone(), why: p.text.clone() })
            .collect()
    }
}

/// A day that an option names: a date, or an age back from today.
fn day(run: &Run<'_>, option: &str, text: Option<&str>) -> Result<Option<chrono::NaiveDate>, Report> {
    let today = run.session.clock.today();
    text.map(|text| args::day(text, today).map_err(|why| Report::new("usage", Exit::Usage, format!("{option}: {why}"))))
        .transpose()
}

/// Says the remarks on a change that was made.
fn say(out: &Out, warnings: &[Warning]) {
    for warning in warnings {
        out.warn(warning);
    }
}

fn usage(error: &clap::Error, words: &[OsString]) -> ExitCode {
    let asked = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    );
    if !asked && words.iter().any(|w| w == "--json") {
        let text = error.to_string();
        let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        let globals = Globals {
            directory: None,
            inbox: Vec::new(),
            agent: None,
            scope: args::Scope::All,
            teams: false,
            json: true,
            color: args::When3::Never,
            quiet: false,
            verbose: false,
        };
        let report = Report::new("usage", Exit::Usage, message).next("postroom --help");
        return ExitCode::from(Out::new(&globals).report(&report).code());
    }
    let _ = error.print();
    let exit = if error.exit_code() == 0 { Exit::Done } else { Exit::Usage };
    ExitCode::from(exit.code())
}

/// Completions are made in memory first: the generator panics on a closed pipe.
fn completions(shell: clap_complete::Shell, out: &mut Out) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "postroom", &mut script);
    out.raw(&script)?;
    Ok(Exit::Done)
}

fn man(out: &mut Out) -> Outcome {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    out.raw(&page)?;
    Ok(Exit::Done)
}
