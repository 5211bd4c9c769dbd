//! `restore`: moves archived messages back into their inbox.

use super::Run;
use super::archive::tell;
use super::args::RestoreArgs;
use super::out::{Failed, Out, Outcome};
use crate::ops::archive::{self, Options};
use crate::ops::refs::Want;

pub fn run(run: &Run<'_>, args: &RestoreArgs, out: &mut Out) -> Outcome {
    let options = Options { note: args.note.clone(), dry_run: args.dry_run, ..Options::default() };
    let mut done = Vec::new();
    let mut failed = Vec::new();
    for (reference, target) in run.targets(&args.refs.refs, Want::Archived).collect::<Vec<_>>() {
        match target.and_then(|target| archive::restore(&run.session, &target, &options)) {
            Ok(moved) => done.push(moved),
            Err(report) => failed.push(Failed::new(reference, report)),
        }
    }
    tell(run, &done, &failed, args.dry_run, out)
}
