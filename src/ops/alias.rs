//! Other names for inboxes, written into a configuration file without touching the rest of it.

use std::path::Path;

use toml_edit::{Item, Table, value};

use super::session::Session;
use super::settings::Settings;
use crate::error::{Exit, Report};
use crate::model::message::Warning;
use crate::model::name::AgentName;
use crate::store::discover;

/// Sets an alias, or takes it away where `target` is `None`. Gives the inbox as the configuration names
/// it now, or would, and what is odd though it is done.
///
/// # Errors
/// There is no such inbox, the file can't be read as configuration, or it can't be written.
pub fn set(
    session: &Session<'_>,
    name: &AgentName,
    target: Option<&str>,
    path: &Path,
    dry_run: bool,
) -> Result<(Option<String>, Vec<Warning>), Report> {
    let mut settings = Settings::read(path)?;
    let table = settings.document.entry("aliases").or_insert(Item::Table(Table::new()));
    let Some(table) = table.as_table_like_mut() else {
        return Err(Report::failed("config-broken", format!("{}: `aliases` is no table", path.display())).at(path));
    };
    let inbox = match target {
        Some(target) => {
            if let Some(owned) = session.found.inboxes.iter().find(|inbox| inbox.owner.matches(name.as_str())) {
                let text = format!("{name} is the owner of {}: an alias would never be heard", owned.name);
                return Err(Report::failed("alias-is-owner", text).at(&owned.path).next("postroom inboxes"));
            }
            let inbox = known(session, target, path)?;
            table.insert(name.as_str(), value(inbox.as_str()));
            Some(inbox)
        }
        None if table.remove(name.as_str()).is_some() => None,
        None => {
            let text = format!("{name} is no alias in {}", path.display());
            return Err(Report::new("no-such-alias", Exit::NotFound, text).at(path).next("postroom alias"));
        }
    };
    let warnings = if dry_run { Vec::new() } else { settings.write(session)? };
    Ok((inbox, warnings))
}

/// The path of the inbox that a text names: it means the same inbox from everywhere, which a name
/// that depends on its neighbours does not. In a project's file it is relative to the project, so
/// that a clone elsewhere has it too, and must lie in it.
fn known(session: &Session<'_>, target: &str, file: &Path) -> Result<String, Report> {
    let inbox = discover::resolve(&session.found, target)?;
    let root = &session.ground.project_root;
    if file.parent() != Some(root) {
        return Ok(inbox.path.display().to_string());
    }
    inbox.path.strip_prefix(root).map(|rest| rest.display().to_string()).map_err(|_| {
        let text = format!("{} lies outside this project, and a project's file must not lead there", inbox.name);
        Report::failed("outside-project", text)
            .at(&inbox.path)
            .hint("without --project the alias is kept in your own configuration")
    })
}
