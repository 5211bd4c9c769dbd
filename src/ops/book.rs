//! The address book: which inbox a name means. Owners first, then aliases, then names that messages
//! were already addressed to; a name that nobody has is an error, never a new inbox.

use std::path::Path;

use super::find::{self, Part, Query};
use super::session::Session;
use crate::error::{Exit, Report};
use crate::layout;
use crate::model::inbox::{Inbox, Label};
use crate::model::message::Header;
use crate::model::name::{AgentName, NameError, Recipient, same};
use crate::store::discover::{self, FindError};
use crate::text::nearest::likely;

/// How the hint begins that lists who there is.
pub const KNOWN_NAMES: &str = "known names:";

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

/// Reads how somebody is called: `name`, `name (project)`, `@name`, or the name of an inbox, as it is
/// shown everywhere.
///
/// # Errors
/// It can't be a name.
pub fn recipient(session: &Session<'_>, text: &str) -> Result<Recipient, NameError> {
    let text = text.trim_matches(' ');
    let inboxes = &session.found.inboxes;
    let is_name = |text: &str| inboxes.iter().any(|i| i.is_owned_by(text)) || is_alias(session, text);
    if let Some(bare) = text.strip_prefix('@').filter(|_| !is_name(text)) {
        return recipient(session, bare);
    }
    if text.contains('@')
        && !text.starts_with(['/', '.', '~'])
        && !is_name(text)
        && let Ok(inbox) = discover::resolve(&session.found, text)
    {
        let owned: Vec<&Inbox> = inboxes.iter().filter(|i| i.is_owned_by(inbox.owner.as_str())).collect();
        let is_plain = matches!(nearest_of(&owned).as_slice(), [one] if one.path == inbox.path);
        let project = if is_plain { None } else { project_of(session, inbox) };
        return Ok(Recipient { name: inbox.owner.clone(), project, inbox: Some(inbox.name.clone()) });
    }
    Recipient::parse(text)
}

fn takes_mail(inbox: &Inbox) -> bool {
    layout::of(inbox.layout).capabilities().send
}

fn is_alias(session: &Session<'_>, text: &str) -> bool {
    session.config.aliases.iter().any(|(alias, _)| same(alias, text))
}

/// Finds the inbox of a recipient among those given, seen from where the command stands.
///
/// # Errors
/// No inbox has that name, or several do; the known names are listed, nearest first.
pub fn find(session: &Session<'_>, inboxes: &[&Inbox], recipient: &Recipient) -> Result<Address, Report> {
    seek(session, inboxes, recipient, None)
}

/// Finds the inbox of somebody whom a message names, seen from the inbox that the message lies in:
/// those of its project come first. Who wrote to an inbox is nobody who reads it, unless there is no
/// other of that name.
///
/// # Errors
/// As [`find()`].
pub fn find_from(session: &Session<'_>, inboxes: &[&Inbox], recipient: &Recipient, from: &Inbox) -> Result<Address, Report> {
    seek(session, inboxes, recipient, Some(from))
}

fn seek(session: &Session<'_>, inboxes: &[&Inbox], recipient: &Recipient, from: Option<&Inbox>) -> Result<Address, Report> {
    let name = recipient.name.as_str();
    let address = |inbox: &Inbox, remark| Address { name: recipient.to_string(), inbox: inbox.clone(), remark };
    if let Some(inbox) = recipient.inbox.as_deref().and_then(|named| session.inbox(named)) {
        return Ok(address(inbox, None));
    }
    let in_project = |inbox: &&Inbox| recipient.project.as_ref().is_none_or(|p| is_in_project(session, inbox, p.as_str()));
    let owned = |inboxes: &mut dyn Iterator<Item = &'_ Inbox>| -> Vec<Inbox> {
        inboxes.filter(|i| i.is_owned_by(name)).filter(|i| in_project(i)).cloned().collect()
    };
    let mut own = owned(&mut inboxes.iter().copied());
    if own.iter().any(takes_mail) {
        own.retain(takes_mail);
    }
    if own.iter().any(|inbox| inbox.owner.matches(name)) {
        // Owners first: an alias never hides somebody who is called so.
        own.retain(|inbox| inbox.owner.matches(name));
    }
    if let Some(from) = from {
        let others = |list: Vec<Inbox>| list.into_iter().filter(|i| i.path != from.path).collect::<Vec<_>>();
        let mut elsewhere = others(own.clone());
        if elsewhere.is_empty() {
            // Out of scope, but there: then the message's own inbox is not the one that is meant.
            elsewhere = others(owned(&mut session.found.inboxes.iter()));
        }
        if !elsewhere.is_empty() {
            own = elsewhere;
        }
    }
    let own: Vec<&Inbox> = own.iter().collect();
    let near = from.map_or_else(|| nearest_of(&own), |from| nearest_to(&own, from));
    match near.as_slice() {
        [] => {}
        [inbox] => return Ok(address(inbox, None)),
        several => return Err(ambiguous(recipient, several)),
    }
    let (owner, project) = match (&recipient.project, name.rsplit_once('@')) {
        (Some(project), _) => (name, Some(project.as_str())),
        (None, Some((owner, project))) => (owner, Some(project)),
        (None, None) => (name, None),
    };
    if let Some(project) = project {
        // A project that lies elsewhere, known from the configuration.
        let known = discover::in_known_project(&session.ground, &session.config, owner, project);
        match known.as_slice() {
            [] => {}
            [inbox] => {
                // By its project also where it was called by the inbox's name.
                let name = format!("{} ({project})", if recipient.project.is_some() { name } else { owner });
                return Ok(Address { name, ..address(inbox, None) });
            }
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
    let others: Vec<&Inbox> = inboxes.iter().copied().filter(|i| from.is_none_or(|from| i.path != from.path)).collect();
    let learned: Vec<&Inbox> = addressed(session, &others, name).into_iter().filter(in_project).collect();
    match learned.as_slice() {
        [] if recipient.project.is_none() && name.contains('@') => match discover::resolve(&session.found, name) {
            Err(error @ FindError::Ambiguous { .. }) => Err(error.into()),
            _ => Err(unknown(session, inboxes, recipient)),
        },
        [] => Err(unknown(session, inboxes, recipient)),
        [inbox] => {
            let remark = format!("{name} owns no inbox; {} holds messages to {name}, so it goes there", inbox.name);
            Ok(address(inbox, Some(remark)))
        }
        several => Err(ambiguous(recipient, several)),
    }
}

/// Every owner in scope, each with an inbox to send to, but for the sender: whoever is of its name in
/// another project is somebody else. Where owners of one name are of several projects, each is named
/// with its own.
pub fn everyone(session: &Session<'_>, inboxes: &[&Inbox], sender: &str) -> Vec<Address> {
    let mut all: Vec<&Inbox> = inboxes.iter().copied().filter(|i| takes_mail(i)).collect();
    all.sort_by(|a, b| a.path.cmp(&b.path));
    let own = recipient(session, sender).ok().and_then(|sender| own_inbox(session, &sender));
    let is_own = |i: &Inbox| own.is_some_and(|own| i.is_owned_by(own.owner.as_str()) && i.project == own.project);
    let elsewhere = |one: &Inbox| all.iter().any(|i| i.owner.matches(one.owner.as_str()) && i.project != one.project);
    let name = |inbox: &Inbox| {
        let project = if elsewhere(inbox) { project_of(session, inbox) } else { None };
        Recipient { name: inbox.owner.clone(), project, inbox: None }.to_string()
    };
    all.iter().filter(|i| !is_own(i)).map(|&inbox| Address { name: name(inbox), inbox: inbox.clone(), remark: None }).collect()
}

/// The inbox of whoever sends, seen from where the command stands; none where that is not clear.
pub fn own_inbox<'s>(session: &'s Session<'_>, sender: &Recipient) -> Option<&'s Inbox> {
    let is_it = |i: &&Inbox| {
        let in_project = |p: &AgentName| is_in_project(session, i, p.as_str());
        i.is_owned_by(sender.name.as_str()) && sender.project.as_ref().is_none_or(in_project)
    };
    let owned: Vec<&Inbox> = session.found.inboxes.iter().filter(is_it).filter(|i| takes_mail(i)).collect();
    let near = nearest_of(&owned);
    let first = near.first().copied()?;
    near.iter().all(|i| i.project == first.project).then_some(first)
}

/// The sender as a reader is told it: with the project of its own inbox, where that is another one
/// than the reader's – so that an answer finds back.
pub fn sender_for(session: &Session<'_>, sender: &Recipient, own: Option<&Inbox>, reader: &Inbox) -> String {
    let project = match &sender.project {
        Some(project) => Some(project.clone()),
        None => own.filter(|own| own.project != reader.project).and_then(|own| project_of(session, own)),
    };
    Recipient { project, ..sender.clone() }.to_string()
}

/// What the project of an inbox is called behind its owner's name; none where it has no name. That of
/// the home folder is `~` from everywhere.
fn project_of(session: &Session<'_>, inbox: &Inbox) -> Option<AgentName> {
    let at_home = session.home() == Some(inbox.project.as_path());
    AgentName::parse(&if at_home { "~".to_owned() } else { inbox.project_name() }).ok()
}

fn is_in_project(session: &Session<'_>, inbox: &Inbox, project: &str) -> bool {
    let at_home = session.home() == Some(inbox.project.as_path());
    same(&inbox.project_name(), project) || (project == "~" && at_home)
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

/// Of several inboxes of one name those that are nearest to another inbox: of its project; of the
/// innermost folder above that; of one below; others; those at home.
fn nearest_to<'i>(inboxes: &[&'i Inbox], from: &Inbox) -> Vec<&'i Inbox> {
    let rank = |inbox: &Inbox| -> (u8, usize) {
        let lies = |inner: &Path, outer: &Path| inner.starts_with(outer);
        match inbox.label {
            _ if inbox.project == from.project => (0, 0),
            Label::Global => (4, 0),
            _ if lies(&from.project, &inbox.project) => (1, usize::MAX - inbox.project.components().count()),
            _ if lies(&inbox.project, &from.project) => (2, 0),
            _ => (3, 0),
        }
    };
    let best = inboxes.iter().map(|i| rank(i)).min();
    inboxes.iter().copied().filter(|i| Some(rank(i)) == best).collect()
}

/// The inboxes that hold messages addressed to a name, and to nobody else who could be meant.
fn addressed<'i>(session: &Session<'_>, inboxes: &[&'i Inbox], name: &str) -> Vec<&'i Inbox> {
    let query = Query { part: Part::All, ..Query::default() };
    let holds = |inbox: &&Inbox| {
        let mut hit = false;
        let _unlooked = find::each(session, &[*inbox], &query, &mut |_, message| {
            hit = hit || reader_of(session, inbox, &message.header).is_some_and(|reader| same(&reader, name));
        });
        hit
    };
    inboxes.iter().copied().filter(holds).collect()
}

/// Whom a copy that lies in an inbox was put there for, where that is not its owner and clear: the only
/// one that it is for, or its blind reader. Of several, those who own another inbox got copies of their own.
fn reader_of(session: &Session<'_>, inbox: &Inbox, header: &Header) -> Option<String> {
    let values = if header.bcc.is_empty() { [&header.to, &header.cc] } else { [&header.bcc, &header.bcc] };
    let mut all: Vec<Recipient> = Vec::new();
    for name in values.into_iter().flatten().flat_map(|value| value.split(',')) {
        match recipient(session, name) {
            Ok(one) if !all.contains(&one) => all.push(one),
            _ => {}
        }
    }
    if all.len() > 1 {
        if all.iter().any(|one| inbox.is_owned_by(one.name.as_str())) {
            return None;
        }
        all.retain(|one| !session.found.inboxes.iter().any(|i| i.is_owned_by(one.name.as_str())));
    }
    match all.as_slice() {
        [one] => Some(one.name.to_string()),
        _ => None,
    }
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
    let _unlooked = find::each(session, inboxes, &query, &mut |inbox, message| {
        names.extend(reader_of(session, inbox, &message.header));
    });
    names.sort();
    names.dedup_by(|a, b| same(a, b));
    names
}

fn unknown(session: &Session<'_>, inboxes: &[&Inbox], recipient: &Recipient) -> Report {
    const SHOWN: usize = 12;
    let names = known_names(session, inboxes);
    let near = likely(recipient.name.as_str(), names.iter().map(String::as_str));
    let text = format!("nobody here is called {recipient}; nothing was sent");
    let mut report = Report::new("unknown-recipient", Exit::NotFound, text);
    if names.is_empty() {
        return report.hint("there is no inbox in reach; `postroom init` makes one").next("postroom inboxes");
    }
    if !near.is_empty() {
        report = report.hint(format!("did you mean {}?", near.iter().take(3).copied().collect::<Vec<_>>().join(" or ")));
    }
    let rest = names.iter().map(String::as_str).filter(|n| !near.contains(n));
    let shown = near.iter().copied().chain(rest).take(SHOWN).collect::<Vec<_>>().join(", ");
    let more = if names.len() > SHOWN { format!(", +{} more", names.len() - SHOWN) } else { String::new() };
    if recipient.project.is_some() {
        report = report.hint("a project elsewhere is found where `projects` in the configuration names it");
    }
    report.hint(format!("{KNOWN_NAMES} {shown}{more}")).next("postroom inboxes")
}

fn ambiguous(recipient: &Recipient, inboxes: &[&Inbox]) -> Report {
    let text = format!("{recipient} has {} inboxes in reach; nothing was sent", inboxes.len());
    let mut report = Report::new("ambiguous-recipient", Exit::NotFound, text);
    for inbox in inboxes {
        report = report.hint(format!("{}  {}", inbox.name, inbox.path.display()));
    }
    report.hint("name one of these inboxes instead").next("postroom inboxes")
}
