//! `summary`: the block that tells an agent of its mail.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::Run;
use super::args::SummaryArgs;
use super::out::{Out, Outcome, troubles};
use crate::error::Report;
use crate::ops::find::Unlooked;
use crate::ops::session::Session;
use crate::ops::summary::{self as mail, Summary, shown_by_soma};
use crate::render::summary::{self, Options};
use crate::render::template::Templates;
use crate::render::view;
use crate::text::neutral::Target;

/// What there is to tell.
pub struct Told {
    /// The counts and the messages.
    pub summary: Summary,
    /// The text in the form asked for, without a line end; empty where there is nothing to say.
    pub text: String,
    /// A whole page made with the same, where one was asked for.
    pub page: Option<String>,
    /// What could not be looked at.
    pub unlooked: Vec<Unlooked>,
}

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
    let session = &run.session;
    let settings = &session.config.summary;
    let format = args.format.as_deref().unwrap_or(&settings.format);
    let templates = Templates::new(template_folder(session)?.as_deref());
    templates.check(format)?;
    let limit = args.limit.unwrap_or(settings.limit);
    let (summary, mut unlooked) = mail::gather(session, &run.inboxes(), limit, summary::order(format), |inbox, glance| {
        format != "soma" || shown_by_soma(inbox, glance)
    });
    unlooked.extend(run.problems(out));

    let problems = troubles(&unlooked);
    let options = Options {
        target,
        base: Some(session.dir()),
        home: session.home(),
        max_chars: args.max_chars.unwrap_or(settings.max_chars),
        list_command: &run.list_command(),
        problems: &problems,
    };
    let text = summary::render(&templates, format, &summary, &session.clock, &options)?.text;
    let page = match page {
        Some((file, source)) => Some(summary::render_page(&templates, file, source, &summary, &text, &session.clock, &options)?),
        None => None,
    };
    Ok(Told { summary, text, page, unlooked })
}

/// The folder of one's own templates. A project's must lie in the project, by links too.
///
/// # Errors
/// It leads out of the project.
pub fn template_folder(session: &Session<'_>) -> Result<Option<PathBuf>, Report> {
    let Some(folder) = session.config.summary.templates.first() else { return Ok(None) };
    let root = &session.ground.project_root;
    if folder.starts_with(root) && folder.canonicalize().is_ok_and(|real| !real.starts_with(root)) {
        let text = format!("the templates of this project lie outside of it: {} is a link", folder.display());
        return Err(Report::failed("templates-outside", text).at(folder));
    }
    Ok(Some(folder.clone()))
}
