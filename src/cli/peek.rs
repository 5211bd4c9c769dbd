//! `peek`: what is unread in another agent's inbox. Changes nothing.

use super::Run;
use super::args::{PeekArgs, Refs, ShowArgs};
use super::out::{Out, Outcome};
use crate::model::inbox::Inbox;
use crate::model::status::Status;
use crate::ops::find::{self, Query, Sort};
use crate::ops::refs::Want;
use crate::store::discover;

pub fn run(run: &Run<'_>, args: &PeekArgs, out: &mut Out) -> Outcome {
    let name = args.target.trim();
    // The inboxes of an agent are one to whoever looks from outside.
    let mut inboxes: Vec<&Inbox> = run.reachable().into_iter().filter(|i| i.name == name || i.is_owned_by(name)).collect();
    if inboxes.is_empty() {
        match discover::resolve(&run.session.found, name) {
            Ok(inbox) => inboxes.push(inbox),
            Err(_) if run.target(name, Want::Live).is_ok() => {
                let refs = Refs { refs: vec![name.to_owned()] };
                return super::show::run(run, &ShowArgs { refs, raw: false }, out);
            }
            Err(error) => return Err(crate::error::Report::from(error).into()),
        }
    }
    let query = Query { status: vec![Status::Unread], ..Query::default() };
    let found = find::list(&run.session, &inboxes, &query, Sort::Oldest, args.limit);
    if found.messages.is_empty() && found.unlooked.is_empty() && !out.json {
        out.remark(format!("nothing unread for {name}"));
    }
    super::list::print(run, &found, false, out)
}
