//! `log`: what postroom did, and what it does while somebody looks on.

use std::time::Duration;

use super::args::LogArgs;
use super::out::{Out, Outcome};
use super::{Run, day};
use crate::error::Exit;
use crate::ops::log::{self, Query};
use crate::render::{table, view};
use crate::store::discover::Scope;
use crate::store::journal::Reading;

/// How often a follower looks: a look is one question for the size of a file.
const PAUSE: Duration = Duration::from_millis(250);

pub fn run(run: &Run<'_>, args: &LogArgs, out: &mut Out) -> Outcome {
    let inboxes = run.inboxes();
    let narrowed = !run.standpoint.inbox.is_empty() || run.standpoint.agent.is_some() || run.standpoint.scope != Scope::default();
    let query = Query {
        last: args.last,
        since: day(run, "--since", args.since.as_deref())?,
        reference: args.reference.clone(),
        inboxes: narrowed.then(|| inboxes.iter().map(|i| i.path.clone()).collect()),
    };
    if !args.follow {
        let reading = log::events(&run.session, &query)?;
        print(run, &reading, out)?;
        return Ok(Exit::Done);
    }
    let (reading, mut place) = log::events_until(&run.session, &query)?;
    print(run, &reading, out)?;
    loop {
        // A reader that has gone ends the command at the next event.
        out.flush()?;
        std::thread::sleep(PAUSE);
        let (reading, next) = log::events_since(&run.session, &query, place)?;
        print(run, &reading, out)?;
        place = next;
    }
}

fn print(run: &Run<'_>, reading: &Reading, out: &mut Out) -> std::io::Result<()> {
    let Reading { events, damaged } = reading;
    if out.json {
        view::event_lines(out.data(), events)?;
    } else {
        let screen = run.screen();
        events.iter().try_for_each(|event| table::event(out.data(), event, &screen))?;
    }
    if *damaged > 0 {
        out.remark(format!("{damaged} damaged records were passed over"));
    }
    Ok(())
}
