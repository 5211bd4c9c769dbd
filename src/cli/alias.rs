//! `alias`: other names for inboxes, kept in the configuration.

use std::io::Write;

use super::args::AliasArgs;
use super::out::{Out, Outcome};
use super::{Run, say};
use crate::error::{Exit, Report};
use crate::model::name::AgentName;
use crate::ops::alias;

pub fn run(run: &Run<'_>, args: &AliasArgs, out: &mut Out) -> Outcome {
    let Some(name) = &args.name else {
        for (name, inbox) in &run.session.config.aliases {
            writeln!(out.data(), "{name} = {inbox}")?;
        }
        return Ok(Exit::Done);
    };
    let name = AgentName::parse(name).map_err(|e| Report::new("bad-name", Exit::Usage, format!("{name:?}: {e}")))?;
    let path = super::start::config_path(&run.session, args.project)?;
    let target = match (&args.target, args.remove) {
        (_, true) => None,
        (Some(target), _) => Some(target.as_str()),
        (None, false) => {
            let known = run.session.config.aliases.iter().find(|(alias, _)| name.matches(alias));
            let Some((alias, inbox)) = known else {
                return Err(Report::new("no-such-alias", Exit::NotFound, format!("{name} is no alias"))
                    .next("postroom alias")
                    .into());
            };
            writeln!(out.data(), "{alias} = {inbox}")?;
            return Ok(Exit::Done);
        }
    };
    let (change, warnings) = alias::set(&run.session, &name, target, &path, args.dry_run)?;
    say(out, &warnings);
    writeln!(out.data(), "{change}")?;
    Ok(Exit::Done)
}
