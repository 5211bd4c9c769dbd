//! `summary`: the block that tells an agent of its mail.

use std::io::Write;
use std::path::PathBuf;

use super::Run;
use super::args::SummaryArgs;
use super::out::{Out, Outcome, troubles};
use crate::error::Report;
use crate::ops::find::{self, Query};
use crate::ops::summary::Collector;
use crate::render::summary::{self, Options};
use crate::render::template::Templates;
use crate::render::view;

pub fn run(run: &Run<'_>, args: &SummaryArgs, out: &mut Out) -> Outcome {
    let session = &run.session;
    let settings = &session.config.summary;
    let format = args.format.as_deref().unwrap_or(&settings.format);
    let limit = args.limit.unwrap_or(settings.limit);
    let mut collector = Collector::new(&session.clock, limit, summary::order(format));
    let mut unlooked = find::each(session, &run.inboxes(), &Query::default(), &mut |_, message| collector.push(&message));
    unlooked.extend(run.problems(out));
    let gathered = collector.finish();

    let problems = troubles(&unlooked);
    let options = Options {
        base: Some(session.dir()),
        home: session.home(),
        max_chars: args.max_chars.unwrap_or(settings.max_chars),
        list_command: &run.list_command(),
        problems: &problems,
        ..Options::default()
    };
    let templates = Templates::new(settings.templates.first().map(PathBuf::as_path));
    let text = summary::render(&templates, format, &gathered, &session.clock, &options).map_err(Report::from)?.text;
    if out.json {
        view::summary(out.data(), &gathered, &text, &problems)?;
    } else if !text.is_empty() {
        writeln!(out.data(), "{text}")?;
    }
    Ok(out.unlooked(&unlooked))
}
