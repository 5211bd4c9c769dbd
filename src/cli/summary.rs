//! `summary`: the block that tells an agent of its mail.

use std::io::Write;

use super::Run;
use super::args::SummaryArgs;
use super::out::{Out, Outcome, troubles};
use crate::ops::find::{self, Query};
use crate::ops::summary::{Collector, Order};
use crate::render::summary::{self, Options};
use crate::render::view;

pub fn run(run: &Run<'_>, args: &SummaryArgs, out: &mut Out) -> Outcome {
    let session = &run.session;
    let settings = &session.config.summary;
    let format = args.format.as_deref().unwrap_or(&settings.format);
    let order = if format == "soma" { Order::DateText } else { Order::Urgent };
    let limit = args.limit.unwrap_or(settings.limit);
    let mut collector = Collector::new(&session.clock, limit, order);
    let mut unlooked = find::each(session, &run.inboxes(), &Query::default(), &mut |_, message| collector.push(&message));
    unlooked.extend(run.problems(out));
    let gathered = collector.finish();
    let options = Options {
        format,
        max_chars: args.max_chars.unwrap_or(settings.max_chars),
        templates: settings.templates.as_deref(),
        base: session.dir(),
        home: session.home(),
    };
    let troubles = troubles(&unlooked);
    let text = summary::text(&gathered, &troubles, &session.clock, &options)?;
    if out.json {
        view::summary(out.data(), &gathered, &text, &troubles)?;
    } else {
        write!(out.data(), "{text}")?;
    }
    Ok(out.unlooked(&unlooked))
}
