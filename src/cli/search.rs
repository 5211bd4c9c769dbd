//! `search`: messages by words in their headers.

use super::args::SearchArgs;
use super::out::{Out, Outcome};
use super::{Run, list};
use crate::error::{Exit, Report};
use crate::ops::find::{self, Part, Query, Sort};

pub fn run(run: &Run<'_>, args: &SearchArgs, out: &mut Out) -> Outcome {
    if args.words.iter().any(|w| w.trim().is_empty()) {
        return Err(Report::new("usage", Exit::Usage, "an empty word is in every message; `postroom list` lists all").into());
    }
    let query = Query { part: if args.live { Part::Live } else { Part::All }, words: args.words.clone(), ..Query::default() };
    let mut found = find::list(&run.session, &run.inboxes(), &query, Sort::Newest, args.limit);
    found.unlooked.extend(run.problems(out));
    list::print(run, &found, false, out)
}
