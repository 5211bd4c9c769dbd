//! `alias`: other names for inboxes, kept in the configuration.

use std::io::Write;

use super::args::AliasArgs;
use super::out::{Out, Outcome};
use super::{Run, say};
use crate::error::{Exit, Report};
use crate::model::name::AgentName;
use crate::ops::alias;
use crate::render::view::{self, AliasChange, AliasRow};

pub fn run(run: &Run<'_>, args: &AliasArgs, out: &mut Out) -> Outcome {
    let rows = |only: Option<&AgentName>| -> Vec<AliasRow<'_>> {
        let all = run.session.config.aliases.iter().filter(|(alias, _)| only.is_none_or(|only| only.matches(alias)));
        all.map(|(name, inbox)| AliasRow { name, inbox }).collect()
    };
    let Some(name) = &args.name else {
        if out.json {
            view::aliases(out.data(), &rows(None), None)?;
            return Ok(Exit::Done);
        }
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
            if out.json {
                view::aliases(out.data(), &rows(Some(&name)), None)?;
            } else {
                writeln!(out.data(), "{alias} = {inbox}")?;
            }
            return Ok(Exit::Done);
        }
    };
    let (inbox, warnings) = alias::set(&run.session, &name, target, &path, args.dry_run)?;
    say(out, &warnings);
    if out.json {
        let set: Vec<_> = inbox.iter().map(|inbox| AliasRow { name: name.as_str(), inbox }).collect();
        let removed = inbox.is_none().then_some(name.as_str());
        view::aliases(out.data(), &set, Some(&AliasChange { removed, path: &path, dry_run: args.dry_run }))?;
        return Ok(Exit::Done);
    }
    match inbox {
        Some(inbox) => writeln!(out.data(), "{name} = {inbox}")?,
        None => writeln!(out.data(), "{name} is no alias any more")?,
    }
    Ok(Exit::Done)
}
