//! `migrate`: the messages of one inbox into another.

use super::Run;
use super::args::MigrateArgs;
use super::out::{Out, Outcome};

pub fn run(_run: &Run<'_>, _args: &MigrateArgs, _out: &mut Out) -> Outcome {
    Err(crate::error::Report::failed("not-yet", "not yet").into())
}
