//! From what somebody calls an inbox to the inbox: `--inbox`, `--scope`, `--agent`.

use std::path::{Path, PathBuf};

use super::{Found, Problem};
use crate::model::inbox::{Inbox, Label};
use crate::model::name::{AgentName, Recipient, same};
use crate::text::nearest::distance;

/// How many names an error lists.
const MAX_NAMES: usize = 12;

/// Which inboxes a command looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Those of this project, its other checkouts and its workspace members.
    Project,
    /// Those of the home folder.
    Global,
    /// All that were found, also those of folders above and configured ones.
    #[default]
    All,
}

impl Scope {
    /// Reads a scope's name.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "project" => Some(Self::Project),
            "global" => Some(Self::Global),
            "all" => Some(Self::All),
            _ => None,
        }
    }

    /// Whether a place belongs to the scope; `root` is the project's top folder.
    fn covers(self, label: Label, path: &Path, root: &Path) -> bool {
        match self {
            Self::All => true,
            Self::Global => label == Label::Global,
            Self::Project => match label {
                Label::Project | Label::Worktree | Label::Workspace => true,
                Label::Configured => path.starts_with(root),
                Label::Parent | Label::Global => false,
            },
        }
    }
}

/// The inboxes that a command looks at.
#[derive(Debug)]
pub struct Selection<'a> {
    /// The inboxes, in the order of discovery; as named where some were named.
    pub inboxes: Vec<&'a Inbox>,
    /// What stood in the way of finding more in this scope. None where inboxes were named.
    pub problems: Vec<&'a Problem>,
    /// The agent asked for, as its inboxes spell it: say so where it is not what was written.
    pub agent: Option<&'a AgentName>,
}

/// Why there is no such inbox.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FindError {
    /// The working folder is not there.
    #[error("can't start at {}: {why}", path.display())]
    NoFolder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// No inbox bears the name.
    #[error("no inbox is called {wanted:?}{}", listed("the known ones are", known))]
    NoInbox {
        /// The name as written.
        wanted: String,
        /// The names of all inboxes, nearest first.
        known: Vec<String>,
    },
    /// Several inboxes bear the name.
    #[error("{wanted:?} may mean several inboxes{}", listed("name one of", candidates))]
    Ambiguous {
        /// The name as written.
        wanted: String,
        /// Their own names.
        candidates: Vec<String>,
    },
    /// A path that was named is no inbox.
    #[error("{path} is no inbox: {why}")]
    NotAnInbox {
        /// The path as written.
        path: String,
        /// Why.
        why: String,
    },
    /// No inbox belongs to the agent.
    #[error("no agent called {wanted:?} has an inbox here{}", listed("the known ones are", known))]
    NoAgent {
        /// The name as written.
        wanted: String,
        /// All owners, nearest first.
        known: Vec<String>,
    },
    /// More than one thing is wrong.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Several(Vec<FindError>),
}

impl FindError {
    /// A stable word for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NoFolder { .. } => "no-such-folder",
            Self::NoInbox { .. } => "no-such-inbox",
            Self::Ambiguous { .. } => "ambiguous-inbox",
            Self::NotAnInbox { .. } => "not-an-inbox",
            Self::NoAgent { .. } => "no-such-agent",
            Self::Several(all) => all.first().map_or("no-such-inbox", Self::kind),
        }
    }
}

/// Picks the inboxes that a command looks at.
///
/// Inboxes that are named are taken as they are, whatever their scope; the scope only decides
/// between several of one name. Without names, it is the inboxes in scope, and of those only the
/// agent's where one is given. An agent that owns no inbox at all is an error either way.
///
/// # Errors
/// [`FindError`] for names and agents that are unknown or ambiguous; several together.
pub fn select<'a>(found: &'a Found, named: &[String], scope: Scope, agent: Option<&str>) -> Result<Selection<'a>, FindError> {
    let mut errors = Vec::new();
    let mut chosen: Vec<usize> = Vec::new();
    for text in named {
        if text.trim().is_empty() {
            // A variable that was not set, most likely.
            errors.push(FindError::NotAnInbox { path: "\"\"".to_owned(), why: "the name is empty".to_owned() });
            continue;
        }
        match number(found, text, scope) {
            Ok(n) if !chosen.contains(&n) => chosen.push(n),
            Ok(_) => {}
            Err(error) => errors.push(error),
        }
    }
    let owned = match agent.map(|agent| owned_by(found, agent)) {
        None => None,
        Some(Ok(numbers)) => Some(numbers),
        Some(Err(error)) => {
            errors.push(error);
            None
        }
    };
    if errors.len() > 1 {
        return Err(FindError::Several(errors));
    }
    if let Some(error) = errors.pop() {
        return Err(error);
    }
    let agent = owned.as_ref().and_then(|n| n.first()).and_then(|n| found.inboxes.get(*n)).map(|i| &i.owner);
    if !named.is_empty() {
        let inboxes = chosen.iter().filter_map(|n| found.inboxes.get(*n)).collect();
        return Ok(Selection { inboxes, problems: Vec::new(), agent });
    }
    let root = &found.project_root;
    let is_owned = |n: usize| owned.as_ref().is_none_or(|owned| owned.contains(&n));
    let inboxes = found.inboxes.iter().enumerate();
    let inboxes = inboxes.filter(|(n, i)| is_owned(*n) && scope.covers(i.label, &i.path, root)).map(|(_, i)| i).collect();
    let problems = found.problems.iter().filter(|p| scope.covers(p.label, &p.path, root)).collect();
    Ok(Selection { inboxes, problems, agent })
}

/// The one inbox of a name: its own name, as short or as long as is clear; `owner (project)`; its
/// owner; an alias; or a path that was given to discovery.
///
/// # Errors
/// [`FindError`] where there is none, or more than one.
pub fn resolve<'a>(found: &'a Found, text: &str) -> Result<&'a Inbox, FindError> {
    let number = number(found, text, Scope::All)?;
    found.inboxes.get(number).ok_or_else(|| unknown(found, text))
}

fn number(found: &Found, text: &str, scope: Scope) -> Result<usize, FindError> {
    let matched = match found.named.iter().find(|n| n.text == text).map(|n| &n.inboxes) {
        Some(Ok(numbers)) => Match::of(numbers.clone()),
        Some(Err(why)) => return Err(FindError::NotAnInbox { path: text.to_owned(), why: why.clone() }),
        None => find(&found.inboxes, text),
    };
    let several = match matched {
        Match::One(n) => return Ok(n),
        Match::None => return Err(unknown(found, text)),
        Match::Several(numbers) => numbers,
    };
    let inbox = |n: &usize| found.inboxes.get(*n);
    let covers = |n: &&usize| inbox(n).is_some_and(|i| scope.covers(i.label, &i.path, &found.project_root));
    if let [only] = several.iter().filter(covers).collect::<Vec<_>>().as_slice() {
        return Ok(**only);
    }
    let candidates = several.iter().filter_map(inbox).map(|i| i.name.clone()).collect();
    Err(FindError::Ambiguous { wanted: text.to_owned(), candidates })
}

/// What a text means among inboxes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Match {
    None,
    One(usize),
    Several(Vec<usize>),
}

impl Match {
    fn of(numbers: Vec<usize>) -> Self {
        match numbers.as_slice() {
            [] => Self::None,
            [one] => Self::One(*one),
            _ => Self::Several(numbers),
        }
    }
}

/// Finds the inboxes that a text means. The first of these that any inbox meets counts: the name;
/// the name in other letter case; another way to say the name; the owner; an alias; the path.
pub(super) fn find(inboxes: &[Inbox], text: &str) -> Match {
    let text = text.trim();
    let steps: [&dyn Fn(&Inbox) -> bool; 7] = [
        &|i| i.name == text,
        &|i| same(&i.name, text),
        &|i| says_name(i, text),
        &|i| i.owner.as_str() == text,
        &|i| i.owner.matches(text),
        &|i| i.is_owned_by(text),
        &|i| i.path == Path::new(text),
    ];
    let meet = |step: &&dyn Fn(&Inbox) -> bool| {
        let numbers: Vec<usize> = inboxes.iter().enumerate().filter(|(_, i)| step(i)).map(|(n, _)| n).collect();
        (!numbers.is_empty()).then_some(numbers)
    };
    steps.iter().find_map(meet).map_or(Match::None, Match::of)
}

/// Whether a text is a name of the inbox, though not the one it bears: `owner (project)`, or
/// `owner[.layout]@project` with more or less of the project's path.
///
/// So a name that was printed when other inboxes were around still means its inbox.
fn says_name(inbox: &Inbox, text: &str) -> bool {
    if let Ok(Recipient { name, project: Some(project), .. }) = Recipient::parse(text)
        && inbox.is_owned_by(name.as_str())
        && same(project.as_str(), &inbox.project_name())
    {
        return true;
    }
    text.match_indices('@').any(|(at, _)| {
        let (owner, project) = (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default());
        let bare = owner.strip_suffix(inbox.layout.as_str()).and_then(|o| o.strip_suffix('.'));
        (inbox.is_owned_by(owner) || bare.is_some_and(|o| inbox.is_owned_by(o))) && is_project(inbox, project)
    })
}

fn is_project(inbox: &Inbox, text: &str) -> bool {
    if inbox.label == Label::Global {
        return text == "~" || Path::new(text) == inbox.path;
    }
    if text.starts_with('/') {
        return [&inbox.project, &inbox.path].into_iter().any(|p| p == Path::new(text));
    }
    let mut parts = text.rsplit('/');
    let mut path = inbox.project.iter().rev();
    !text.is_empty() && parts.all(|part| path.next().is_some_and(|p| same(&p.to_string_lossy(), part)))
}

fn owned_by(found: &Found, agent: &str) -> Result<Vec<usize>, FindError> {
    let agent = agent.trim();
    let owners = |is: &dyn Fn(&Inbox) -> bool| {
        let numbers: Vec<usize> = found.inboxes.iter().enumerate().filter(|(_, i)| is(i)).map(|(n, _)| n).collect();
        (!numbers.is_empty()).then_some(numbers)
    };
    owners(&|i| i.owner.as_str() == agent)
        .or_else(|| owners(&|i| i.owner.matches(agent)))
        .or_else(|| owners(&|i| i.is_owned_by(agent)))
        .ok_or_else(|| {
            let mut known: Vec<String> = found.inboxes.iter().map(|i| i.owner.as_str().to_owned()).collect();
            known.sort();
            known.dedup();
            known.sort_by_key(|name| distance(agent, name));
            FindError::NoAgent { wanted: agent.to_owned(), known }
        })
}

fn unknown(found: &Found, wanted: &str) -> FindError {
    let near = |i: &Inbox| {
        let names = i.aliases.iter().map(String::as_str).chain([i.name.as_str(), i.owner.as_str()]);
        names.map(|name| distance(wanted, name)).min().unwrap_or(usize::MAX)
    };
    let mut known: Vec<(usize, String)> = found.inboxes.iter().map(|i| (near(i), i.name.clone())).collect();
    known.sort();
    FindError::NoInbox { wanted: wanted.to_owned(), known: known.into_iter().map(|(_, name)| name).collect() }
}

/// The end of an error: names, not too many of them.
fn listed(intro: &str, names: &[String]) -> String {
    if names.is_empty() {
        return "; no inbox was found at all".to_owned();
    }
    let shown = names.iter().take(MAX_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MAX_NAMES) {
        0 => format!("; {intro} {shown}"),
        more => format!("; {intro} {shown} (+{more} more)"),
    }
}
