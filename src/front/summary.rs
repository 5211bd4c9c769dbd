//! The block that tells an agent of its mail, for every front end that has one to show.

use std::path::{Path, PathBuf};

use super::run::Run;
use crate::error::Report;
use crate::model::message::Warning;
use crate::ops::find::Unlooked;
use crate::ops::session::Session;
use crate::ops::summary::{self as mail, Summary, shown_by_soma};
use crate::render::summary::{self, Options};
use crate::render::template::Templates;
use crate::render::view::Trouble;
use crate::text::neutral::Target;

/// What is asked for; what is left out is as the settings have it.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The name of the template.
    pub format: Option<&'a str>,
    /// The most messages that are listed.
    pub limit: Option<usize>,
    /// The longest text, in characters.
    pub max_chars: Option<usize>,
    /// Where the text goes.
    pub target: Target,
    /// A whole page to be made with the same: the name and the source of a Jinja template.
    pub page: Option<(&'a Path, &'a str)>,
}

/// What there is to tell.
pub struct Told {
    /// The counts and the messages.
    pub summary: Summary,
    /// The text, without a line end; empty where there is nothing to say.
    pub text: String,
    /// The page, where one was asked for.
    pub page: Option<String>,
    /// What could not be looked at.
    pub unlooked: Vec<Unlooked>,
    /// What is odd about the places that were looked at.
    pub odd: Vec<Warning>,
}

/// Looks into the inboxes and makes the text.
///
/// # Errors
/// There is no such format, or a template is at fault.
pub fn gather(run: &Run<'_>, ask: &Ask<'_>) -> Result<Told, Report> {
    let session = &run.session;
    let settings = &session.config.summary;
    let format = ask.format.unwrap_or(&settings.format);
    let templates = Templates::new(template_folder(session)?.as_deref());
    templates.check(format)?;
    let limit = ask.limit.unwrap_or(settings.limit);
    let (summary, mut unlooked) = mail::gather(session, &run.inboxes(), limit, summary::order(format), |inbox, glance| {
        format != "soma" || shown_by_soma(inbox, glance)
    });
    let (hiding, odd) = run.places();
    unlooked.extend(hiding);

    let problems: Vec<Trouble<'_>> = unlooked.iter().map(Unlooked::trouble).collect();
    let options = Options {
        target: ask.target,
        base: Some(session.dir()),
        home: session.home(),
        max_chars: ask.max_chars.unwrap_or(settings.max_chars),
        list_command: &run.list_command(),
        problems: &problems,
    };
    let text = summary::render(&templates, format, &summary, &session.clock, &options)?.text;
    let page = match ask.page {
        Some((file, source)) => Some(summary::render_page(&templates, file, source, &summary, &text, &session.clock, &options)?),
        None => None,
    };
    Ok(Told { summary, text, page, unlooked, odd })
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
