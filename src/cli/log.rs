//! `log`: what postroom did.

use super::args::LogArgs;
use super::out::{Out, Outcome};
use super::{Run, day};
use crate::error::Exit;
use crate::ops::log::{self, Query};
use crate::render::{table, view};
use crate::store::discover::Scope;
use crate::store::journal::Reading;

pub fn run(run: &Run<'_>, args: &LogArgs, out: &mut Out) -> Outcome {
    let inboxes = run.inboxes();
    let narrowed = !run.standpoint.inbox.is_empty() || run.standpoint.agent.is_some() || run.standpoint.scope != Scope::default();
    let query = Query {
        last: args.last,
        since: day(run, "--since", args.since.as_deref())?,
        reference: args.reference.clone(),
        inboxes: narrowed.then(|| inboxes.iter().map(|i| i.path.clone()).collect()),
    };
    let Reading { events, damaged } = log::events(&run.session, &query)?;
    if out.json {
        view::event_lines(out.data(), &events)?;
    } else {
        let screen = run.screen();
        events.iter().try_for_each(|event| table::event(out.data(), event, &screen))?;
    }
    if damaged > 0 {
        out.remark(format!("{damaged} damaged records were passed over"));
    }
    Ok(Exit::Done)
}
