//! Where results, remarks and errors go: data on stdout, everything else on stderr; text or JSON;
//! coloured on a terminal only. A reader that has had enough ends the command quietly.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anstream::{AutoStream, ColorChoice};

use super::args::{Globals, When3};
use crate::error::{Exit, Report};
use crate::model::message::Warning;
use crate::ops::find::Unlooked;
use crate::render::view::{self, ErrorReport, Trouble};
use crate::text::neutral::{self, Target};

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
    color: ColorChoice,
    stdout: BufWriter<AutoStream<io::Stdout>>,
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
            color,
            stdout: BufWriter::with_capacity(64 << 10, AutoStream::new(io::stdout(), out)),
        }
    }

    /// From now on paths below a folder are told relative to it.
    pub fn stand_in(&mut self, folder: &Path) {
        self.base = Some(folder.to_owned());
    }

    fn short<'p>(&self, path: &'p Path) -> &'p Path {
        self.base.as_ref().and_then(|base| path.strip_prefix(base).ok()).unwrap_or(path)
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
            self.line("error: ", &format!("could not look into {inbox} ({}): {why}", path.display()));
        }
        if unlooked.is_empty() { Exit::Done } else { Exit::Failed }
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
            self.line("  try: ", next);
        }
    }

    /// Ends the command with a report: a document for programs, lines for people.
    pub fn report(&mut self, report: &Report) -> Exit {
        if self.json {
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

/// What could not be looked at, as the JSON documents carry it.
pub fn troubles(unlooked: &[Unlooked]) -> Vec<Trouble<'_>> {
    unlooked.iter().map(Unlooked::trouble).collect()
}

/// A report, as the JSON documents carry it beside results.
pub fn trouble(report: &Report) -> Trouble<'_> {
    Trouble { kind: report.kind, path: report.path.as_deref(), text: &report.message }
}
