//! The block that tells an agent of its mail, for every front end that has one to show.

use std::path::PathBuf;

use super::run::Run;
use crate::error::Report;
use crate::ops::find::Unlooked;
use crate::ops::summary as mail;
use crate::render::summary::{self, Options};
use crate::render::template::Templates;
use crate::render::view::Trouble;

/// What there is to tell.
pub struct Told {
    /// The text, without a line end; empty where there is nothing to say.
    pub text: String,
    /// How many messages are unread.
    pub unread: usize,
    /// What could not be looked at.
    pub unlooked: Vec<Unlooked>,
}

/// Looks into the inboxes and makes the text in the built-in form: at most `limit` messages.
///
/// # Errors
/// The template is at fault.
pub fn tell(run: &Run<'_>, limit: usize) -> Result<Told, Report> {
    const FORMAT: &str = "default";
    let session = &run.session;
    let (gathered, mut unlooked) = mail::gather(session, &run.inboxes(), limit, summary::order(FORMAT), |_, _| true);
    unlooked.extend(run.places().0);
    let problems: Vec<Trouble<'_>> = unlooked.iter().map(Unlooked::trouble).collect();
    let options = Options {
        base: Some(session.dir()),
        home: session.home(),
        list_command: &run.list_command(),
        problems: &problems,
        ..Options::default()
    };
    let templates = Templates::new(session.config.summary.templates.first().map(PathBuf::as_path));
    let text = summary::render(&templates, FORMAT, &gathered, &session.clock, &options)?.text;
    Ok(Told { text, unread: gathered.unread, unlooked })
}
