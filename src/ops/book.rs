//! The address book: which inbox a name means. Owners first, then aliases, then names that messages
//! were already addressed to; a name that nobody has is an error, never a new inbox.

use std::collections::BTreeMap;

use super::find::{self, Part, Query};
use super::session::Session;
use crate::error::{Exit, Report};
use crate::layout;
use crate::model::inbox::{Inbox, Label};
use crate::model::name::{Recipient, same};
use crate::store::discover;
use crate::text::nearest::likely;

/// Where a message to a name goes.
#[derive(Debug, Clone)]
pub struct Address {
    /// The name, as it goes into the header.
    pub name: String,
    /// The inbox.
    pub inbox: Inbox,
    /// How the inbox was found, where that is worth saying.
    pub remark: Option<String>,
}

/// Finds the inbox of a recipient among those given.
///
/// # Errors
/// No inbox has that name, or several do; the known names are listed, nearest first.
pub fn find(session: &Session<'_>, inboxes: &[&Inbox], recipient: &Recipient) -> Result<Address, Report> {
    let name = recipient.name.as_str();
    let address = |inbox: &Inbox, remark| Address { name: recipient.to_string(), inbox: inbox.clone(), remark };
    let in_project = |inbox: &&Inbox| recipient.project.as_ref().is_none_or(|p| same(&inbox.project_name(), p.as_str()));

    let owned: Vec<&Inbox> = inboxes.iter().copied().filter(|i| i.is_owned_by(name)).filter(in_project).collect();
    match nearest_of(&owned).as_slice() {
        [] => {}
        [inbox] => return Ok(address(inbox, None)),
        several => return Err(ambiguous(recipient, several)),
    }
    if let Some(project) = &recipient.project {
        // A project that lies elsewhere, known from the configuration.
        let known = discover::in_known_project(&session.ground, &session.config, name, project.as_str());
        match known.as_slice() {
            [] => {}
            [inbox] => return Ok(address(inbox, None)),
            several => return Err(ambiguous(recipient, &several.iter().collect::<Vec<_>>())),
        }
    }
    let named = session.config.aliases.iter().find(|(alias, _)| same(alias, name)).map(|(_, inbox)| inbox.as_str());
    if let Some(wanted) = named {
        let is_it = |i: &&Inbox| i.name == wanted || i.path.to_string_lossy() == wanted;
        let Some(inbox) = inboxes.iter().copied().find(is_it) else {
            let text = format!("the alias {name:?} stands for {wanted:?}, and there is no such inbox here");
            return Err(Report::new("no-such-inbox", Exit::NotFound, text).next("postroom inboxes"));
        };
        return Ok(address(inbox, None));
    }
    let learned: Vec<&Inbox> = addressed(session, inboxes, name).into_iter().filter(in_project).collect();
    match learned.as_slice() {
        [] => Err(unknown(session, inboxes, recipient)),
        [inbox] => {
            let remark = format!("{name} owns no inbox; {} holds messages to {name}, so it goes there", inbox.name);
            Ok(address(inbox, Some(remark)))
        }
        several => Err(ambiguous(recipient, several)),
    }
}

/// Every owner in scope, each with the inbox that its name means, but for one name.
pub fn everyone(session: &Session<'_>, inboxes: &[&Inbox], but: &str) -> Vec<Address> {
    let mut owners: BTreeMap<String, Vec<&Inbox>> = BTreeMap::new();
    for &inbox in inboxes {
        if layout::of(inbox.layout).capabilities().send && !inbox.is_owned_by(but) {
            owners.entry(inbox.path.display().to_string()).or_default().push(inbox);
        }
    }
    let _ = session;
    let all = owners.into_values().flatten();
    all.map(|inbox| Address { name: inbox.owner.to_string(), inbox: inbox.clone(), remark: None }).collect()
}

/// Of several inboxes of one name those that are nearest to where the command started.
fn nearest_of<'i>(inboxes: &[&'i Inbox]) -> Vec<&'i Inbox> {
    let rank = |inbox: &Inbox| match inbox.label {
        Label::Project | Label::Worktree => 0,
        Label::Configured => 1,
        Label::Parent => 2,
        Label::Workspace => 3,
        Label::Global => 4,
    };
    let best = inboxes.iter().map(|i| rank(i)).min();
    let mut near: Vec<&Inbox> = inboxes.iter().copied().filter(|i| Some(rank(i)) == best).collect();
    // Of several folders above (or in) the project the innermost counts.
    let depth = |inbox: &Inbox| inbox.project.components().count();
    if best.is_some_and(|b| b == 0 || b == 2) {
        let deepest = near.iter().map(|i| depth(i)).max();
        near.retain(|i| Some(depth(i)) == deepest);
    }
    near
}

/// The inboxes that hold messages addressed to a name.
fn addressed<'i>(session: &Session<'_>, inboxes: &[&'i Inbox], name: &str) -> Vec<&'i Inbox> {
    let query = Query { part: Part::All, ..Query::default() };
    let holds = |inbox: &&Inbox| {
        let mut hit = false;
        let _unlooked = find::each(session, &[*inbox], &query, &mut |_, message| {
            let header = &message.header;
            hit |= header.to.iter().chain(&header.cc).flat_map(|v| find::names(v)).any(|n| same(n, name));
        });
        hit
    };
    inboxes.iter().copied().filter(holds).collect()
}

/// Every name that a message can be sent to: owners, aliases, and names found in messages.
pub fn known_names(session: &Session<'_>, inboxes: &[&Inbox]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for inbox in inboxes {
        names.push(inbox.owner.to_string());
        names.extend(inbox.aliases.iter().cloned());
    }
    names.extend(session.config.aliases.iter().map(|(alias, _)| alias.clone()));
    let query = Query { part: Part::All, ..Query::default() };
    let _unlooked = find::each(session, inboxes, &query, &mut |_, message| {
        let header = &message.header;
        let parsed = header.to.iter().chain(&header.cc).filter_map(|v| Recipient::parse(v).ok());
        names.extend(parsed.map(|r| r.name.to_string()));
    });
    names.sort();
    names.dedup_by(|a, b| same(a, b));
    names
}

fn unknown(session: &Session<'_>, inboxes: &[&Inbox], recipient: &Recipient) -> Report {
    const SHOWN: usize = 12;
    let names = known_names(session, inboxes);
    let near = likely(recipient.name.as_str(), names.iter().map(String::as_str));
    let rest = names.iter().map(String::as_str).filter(|n| !near.contains(n));
    let ordered: Vec<&str> = near.iter().copied().chain(rest).collect();
    let text = format!("nobody here is called {recipient}; nothing was sent");
    let mut report = Report::new("unknown-recipient", Exit::NotFound, text);
    if ordered.is_empty() {
        report = report.hint("there is no inbox in reach; `postroom init` makes one");
    } else {
        let more = if ordered.len() > SHOWN { format!(", +{} more", ordered.len() - SHOWN) } else { String::new() };
        report =
            report.hint(format!("known names: {}{more}", ordered.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ")));
    }
    report.next("postroom inboxes")
}

fn ambiguous(recipient: &Recipient, inboxes: &[&Inbox]) -> Report {
    let text = format!("{recipient} has {} inboxes in reach; nothing was sent", inboxes.len());
    let mut report = Report::new("ambiguous-recipient", Exit::NotFound, text);
    for inbox in inboxes {
        report = report.hint(format!("{}  {}", inbox.name, inbox.path.display()));
    }
    report.hint("name one with --inbox, or as NAME (PROJECT)")
}
