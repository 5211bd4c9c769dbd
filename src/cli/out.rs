//! Where results, remarks and errors go: data on stdout, everything else on stderr; text or JSON;
//! coloured on a terminal only. A reader that has had enough ends the command quietly.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anstream::adapter::StripBytes;
use anstream::{AutoStream, ColorChoice};

use clap::ValueEnum;

use super::args::{Globals, Scope, When3};
use crate::error::{Exit, Report};
use crate::model::message::Warning;
use crate::ops::advance::quoted;
use crate::ops::find::Unlooked;
use crate::render::view::{self, ErrorReport, Failure, Trouble};
use crate::text::neutral::{self, Target};

/// How much is printed at once, in bytes. More would be more memory to ask the system for at each start
/// than a short answer needs.
const AT_ONCE: usize = 16 << 10;

/// Why a command ends early.
#[derive(Debug)]
pub enum Fail {
    /// It could not do its work.
    Report(Box<Report>),
    /// Its result could not be written.
    Output(io::Error),
}

impl From<Report> for Fail {
    fn from(report: Report) -> Self {
        Self::Report(Box::new(report))
    }
}

impl From<io::Error> for Fail {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// How a command ends.
pub type Outcome = Result<Exit, Fail>;

/// The streams of one command.
pub struct Out {
    /// Whether results are one JSON document.
    pub json: bool,
    quiet: bool,
    verbose: bool,
    /// Paths below this folder are told relative to it.
    base: Option<PathBuf>,
    /// The command that was called: its help is what is left to say where a report names no other.
    command: Option<String>,
    /// The options of this call that others have to repeat to look at the same.
    context: Context,
    color: ColorChoice,
    stdout: BufWriter<Sink>,
}

/// Standard output behind the filter for terminals.
struct Sink {
    stream: AutoStream<io::Stdout>,
    /// Takes the colours out, where none are wanted. The stream would do so as well, with a system call
    /// before and behind each.
    colours_out: Option<StripBytes>,
}

impl Sink {
    fn new(choice: ColorChoice) -> Self {
        let stream = AutoStream::new(io::stdout(), choice);
        let colours_out = (stream.current_choice() == ColorChoice::Never).then(StripBytes::new);
        Self { stream, colours_out }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(colours_out) = &mut self.colours_out else { return self.stream.write(bytes) };
        let mut plain = Vec::with_capacity(bytes.len());
        colours_out.strip_next(bytes).for_each(|piece| plain.extend_from_slice(piece));
        io::stdout().write_all(&plain).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Out {
    /// Streams as the options ask for them.
    pub fn new(globals: &Globals) -> Self {
        let color = match globals.color {
            When3::Auto => ColorChoice::Auto,
            When3::Always => ColorChoice::Always,
            When3::Never => ColorChoice::Never,
        };
        // A document for programs holds no colours, and nothing that would have to be taken out.
        let out = if globals.json { ColorChoice::AlwaysAnsi } else { color };
        Self {
            json: globals.json,
            quiet: globals.quiet,
            verbose: globals.verbose,
            base: None,
            command: None,
            context: Context::of(globals),
            color,
            stdout: BufWriter::with_capacity(AT_ONCE, Sink::new(out)),
        }
    }

    /// Says which command was called.
    pub fn calls(&mut self, command: Option<&str>) {
        self.command = command.map(str::to_owned);
    }

    /// From now on paths below a folder are told relative to it.
    pub fn stand_in(&mut self, folder: &Path) {
        self.base = Some(folder.to_owned());
    }

    fn short<'p>(&self, path: &'p Path) -> &'p Path {
        let below = self.base.as_ref().and_then(|base| path.strip_prefix(base).ok());
        // The folder itself has no name there.
        below.filter(|below| !below.as_os_str().is_empty()).unwrap_or(path)
    }

    /// The stream for results.
    pub fn data(&mut self) -> &mut impl Write {
        &mut self.stdout
    }

    /// Writes bytes as they are, past the filter for terminals.
    ///
    /// # Errors
    /// What the stream says.
    pub fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stdout.flush()?;
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes)?;
        stdout.flush()
    }

    /// Hands over what was printed so far. What is not handed over does not count as seen.
    ///
    /// # Errors
    /// What the stream says.
    pub fn flush(&mut self) -> io::Result<()> {
        self.stdout.flush()?;
        io::stdout().flush()
    }

    /// The width to fit lines into: the terminal's; none where the output is no terminal.
    pub fn width() -> Option<usize> {
        if !io::stdout().is_terminal() {
            return None;
        }
        let asked = super::start::variable("COLUMNS").and_then(|c| c.parse().ok()).filter(|&c| c > 0);
        asked.or_else(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)))
    }

    /// Says something beside the result, unless asked to be quiet.
    pub fn remark(&self, text: impl Display) {
        if !self.quiet {
            self.line("", &text.to_string());
        }
    }

    /// Whether more was asked for.
    pub fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// Says something only those want to know who asked for more.
    pub fn detail(&self, text: impl Display) {
        if self.verbose {
            self.line("", &text.to_string());
        }
    }

    /// Says what is odd, unless asked to be quiet.
    pub fn warn(&self, warning: &Warning) {
        if !self.quiet {
            self.line("warning: ", &warning.text);
        }
    }

    /// Says what is odd about one thing, unless asked to be quiet.
    pub fn warn_of(&self, what: impl Display, warning: &Warning) {
        if !self.quiet {
            self.line("warning: ", &format!("{what}: {}", warning.text));
        }
    }

    /// Says which inboxes could not be looked into. That is never silence, also when quiet.
    pub fn unlooked(&self, unlooked: &[Unlooked]) -> Exit {
        for Unlooked { inbox, path, why } in unlooked {
            let place = self.short(path).display();
            let text = match inbox.as_str() {
                "" if why.contains(&*path.to_string_lossy()) => format!("could not look everywhere: {why}"),
                "" => format!("could not look into {place}: {why}"),
                inbox => format!("could not look into {inbox} ({place}): {why}"),
            };
            self.line("error: ", &text);
        }
        if unlooked.is_empty() { Exit::Done } else { Exit::Failed }
    }

    /// A report whose commands can be run as they stand: with the options of this call.
    pub fn in_context(&self, report: &Report) -> Report {
        let mut next: Vec<String> = report.next.iter().map(|command| self.context.command(command)).collect();
        if next.is_empty() {
            next.extend(self.command.iter().map(|command| format!("postroom {command} --help")));
        }
        Report { next, ..report.clone() }
    }

    /// Reports a failure beside results that are there all the same.
    pub fn failure(&self, report: &Report) {
        self.line("error: ", &report.message);
        if let Some(path) = &report.path
            && !report.message.contains(&*path.to_string_lossy())
        {
            self.line("  in ", &self.short(path).display().to_string());
        }
        for hint in &report.hints {
            self.line("  ", hint);
        }
        for next in &report.next {
            self.line("  try: ", &self.context.command(next));
        }
        if let Some(command) = self.command.as_ref().filter(|_| report.exit == Exit::Usage && report.next.is_empty()) {
            self.line("  try: ", &format!("postroom {command} --help"));
        }
    }

    /// Ends the command with a report: a document for programs, lines for people.
    pub fn report(&mut self, report: &Report) -> Exit {
        if self.json {
            let report = self.in_context(report);
            let doc = ErrorReport {
                kind: report.kind,
                message: &report.message,
                path: report.path.as_deref(),
                hints: &report.hints,
                next: &report.next,
            };
            let _ = view::error(&mut self.stdout, &doc);
            let _ = self.stdout.flush();
        } else {
            let _ = self.stdout.flush();
            self.failure(report);
        }
        report.exit
    }

    fn line(&self, prefix: &str, text: &str) {
        let mut stderr = AutoStream::new(io::stderr(), self.color);
        let text = neutral::body(text, Target::Terminal).text;
        // Nobody can be told that stderr can't be written.
        let _ = writeln!(stderr, "{prefix}{text}");
    }
}

/// A reference that could not be worked on, and why.
#[derive(Debug)]
pub struct Failed {
    pub reference: String,
    pub report: Report,
}

impl Failed {
    pub fn new(reference: &str, report: Report) -> Self {
        Self { reference: reference.to_owned(), report }
    }

    /// The worst of several.
    pub fn exit(failed: &[Self]) -> Exit {
        failed.iter().fold(Exit::Done, |exit, one| exit.worst(one.report.exit))
    }

    /// With commands that can be run as they stand.
    pub fn in_context(failed: &[Self], out: &Out) -> Vec<Self> {
        failed.iter().map(|one| Self::new(&one.reference, out.in_context(&one.report))).collect()
    }

    /// As the JSON documents carry them beside results.
    pub fn documents(failed: &[Self]) -> Vec<Failure<'_>> {
        failed.iter().map(|one| Failure { reference: &one.reference, report: &one.report }).collect()
    }
}

/// The options of a call that say what is looked at.
#[derive(Debug, Default)]
struct Context {
    place: Vec<String>,
    whose: Vec<String>,
}

impl Context {
    fn of(globals: &Globals) -> Self {
        let mut context = Self::default();
        if let Some(folder) = &globals.directory {
            context.place.push(format!("-C {}", quoted(&folder.to_string_lossy())));
        }
        if globals.scope != Scope::All
            && let Some(scope) = globals.scope.to_possible_value()
        {
            context.place.push(format!("--scope {}", scope.get_name()));
        }
        if globals.teams {
            context.place.push("--teams".to_owned());
        }
        context.whose.extend(globals.inbox.iter().map(|name| format!("--inbox {}", quoted(name))));
        context.whose.extend(globals.agent.iter().map(|name| format!("--agent {}", quoted(name))));
        context
    }

    /// A command with them. The list of inboxes is for those who look for another one.
    fn command(&self, command: &str) -> String {
        const PROGRAM: &str = "postroom ";
        let Some((before, rest)) =
            command.split_once(PROGRAM).filter(|(before, _)| !before.contains(' ') || before.ends_with("= "))
        else {
            return command.to_owned();
        };
        let whose: &[String] = if rest.starts_with("inboxes") { &[] } else { &self.whose };
        let words: Vec<&str> = self.place.iter().chain(whose).map(String::as_str).chain([rest]).collect();
        format!("{before}{PROGRAM}{}", words.join(" "))
    }
}

/// What could not be looked at, as the JSON documents carry it.
pub fn troubles(unlooked: &[Unlooked]) -> Vec<Trouble<'_>> {
    unlooked.iter().map(Unlooked::trouble).collect()
}

/// A report, as the JSON documents carry it beside results.
pub fn trouble(report: &Report) -> Trouble<'_> {
    Trouble { kind: report.kind, path: report.path.as_deref(), text: &report.message }
}
