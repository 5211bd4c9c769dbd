//! `summary`: the block that tells an agent of its mail.

use std::io::Write;
use std::path::Path;

use super::args::SummaryArgs;
use super::out::{Out, Outcome, troubles};
use super::{Run, say};
use crate::error::Report;
use crate::front::summary::{self, Ask, Told};
use crate::render::view;
use crate::text::neutral::Target;

pub fn run(run: &Run<'_>, args: &SummaryArgs, out: &mut Out) -> Outcome {
    let told = gather(run, args, Target::Prompt, None, out)?;
    if out.json {
        view::summary(out.data(), &told.summary, &told.text, &troubles(&told.unlooked))?;
    } else if !told.text.is_empty() {
        writeln!(out.data(), "{}", told.text)?;
    }
    Ok(out.unlooked(&told.unlooked))
}

/// Looks into the inboxes and makes the text for a target; `page`, the name and source of a Jinja
/// template, is rendered with the same.
///
/// # Errors
/// There is no such format, or a template is at fault.
pub fn gather(run: &Run<'_>, args: &SummaryArgs, target: Target, page: Option<(&Path, &str)>, out: &Out) -> Result<Told, Report> {
    let SummaryArgs { format, limit, max_chars } = args;
    let told = summary::gather(run, &Ask { format: format.as_deref(), limit: *limit, max_chars: *max_chars, target, page })?;
    say(out, &told.odd);
    Ok(told)
}
