//! Finding the inboxes around a folder: where each message's journey starts.
//!
//! Upwards through the project to the home folder, two levels down for members of a workspace, then
//! the home folder's own places, then configured and named ones (DESIGN §2, Discovery). Nothing is
//! written or run, no message is opened; what can't be looked into is told, never taken for empty.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::config::Config;
use crate::layout::{ALL, Layout, Spot};
use crate::model::inbox::{Inbox, Label, LayoutId};
use crate::model::name::same;
use seen::Seen;

mod below;
mod elsewhere;
mod git;
mod glob;
mod ground;
mod ignored;
mod naming;
mod seen;
mod select;

pub use ground::Ground;
pub use ignored::ignores_messages_in;
pub use select::{FindError, Scope, Selection, resolve, select};

/// What discovery starts from.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// Where the command stands.
    pub ground: &'a Ground,
    /// The settings.
    pub config: &'a Config,
    /// `AGENT_INBOX_ROOT`, as it was set: the folder that holds the `agents` inboxes of this project
    /// instead of its `.agents/inbox`. Only an absolute path counts.
    pub agent_inbox_root: Option<&'a Path>,
    /// Whether the inboxes of running hosts are shown, beside what the settings say.
    pub teams: bool,
    /// What `--inbox` named, as written: paths among them are found though nothing else leads there.
    pub named: &'a [String],
}

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// Inboxes, each once, in the order of [`Label`]s as they were met: the project's nearest first.
    pub inboxes: Vec<Inbox>,
    /// What could not be looked into, or is odd.
    pub problems: Vec<Problem>,
    /// The top of the project, see [`Ground::project_root`].
    pub project_root: PathBuf,
    /// What the paths among the names given led to.
    named: Vec<Named>,
}

/// A path that was named, and the inboxes (by number) that it stands for, or why it is none.
#[derive(Debug)]
struct Named {
    text: String,
    inboxes: Result<Vec<usize>, String>,
}

/// Something that stood in the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub path: PathBuf,
    /// What kind of problem it is.
    pub kind: ProblemKind,
    /// One clause for people, with the path.
    pub text: String,
    /// The same where the path is told beside it.
    pub why: String,
    /// The label that inboxes there would have.
    pub label: Label,
}

/// Kinds of problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// A permission is missing.
    Denied,
    /// A link leads nowhere.
    Dangling,
    /// The system could not read it, for another reason.
    Io,
    /// What the configuration names is not there.
    Missing,
    /// What a project's file names leads out of the project.
    Outside,
    /// There was too much to look at all of it.
    Limit,
    /// A setting that can't be followed.
    Setting,
    /// A checkout whose `.git` leads nowhere.
    Git,
}

impl ProblemKind {
    /// The kind's word in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Denied => "permission-denied",
            Self::Dangling => "dangling-link",
            Self::Io => "io",
            Self::Missing => "missing",
            Self::Outside => "link-outside",
            Self::Limit => "too-much",
            Self::Setting => "setting",
            Self::Git => "broken-checkout",
        }
    }

    /// Whether mail may be behind it that was not seen, so that a listing is not whole.
    pub fn hides_mail(self) -> bool {
        matches!(self, Self::Denied | Self::Dangling | Self::Io)
    }
}

/// Finds the inboxes around a folder. It never fails as a whole: see [`Found::problems`].
pub fn discover(start: &Start<'_>) -> Found {
    let ground = start.ground;
    let mut hunt = Hunt::new(ground, &ALL, start.teams || start.config.teams);
    let agents_root = hunt.agents_root(start.agent_inbox_root);
    let sought = if agents_root.is_some() { Sought::AllButAgents } else { Sought::All };
    let mut levels = ground.levels(start.config.discovery.parents).peekable();
    while let Some((level, label)) = levels.next_if(|(_, label)| *label == Label::Project) {
        hunt.probe(level, label, sought);
    }
    match agents_root {
        Some(root) => hunt.agents_in(root),
        None => hunt.agents_of_all_checkouts(),
    }
    for (level, label) in levels {
        hunt.probe(level, label, Sought::All);
    }
    below::look(&mut hunt);
    if let Some(home) = &ground.home {
        hunt.probe(home, Label::Global, Sought::All);
    }
    elsewhere::configured(&mut hunt, start.config);
    naming::assign(&mut hunt.inboxes);
    elsewhere::named(&mut hunt, start.config, start.named);
    let mut found =
        Found { inboxes: hunt.inboxes, problems: hunt.problems, project_root: ground.project_root.clone(), named: hunt.named };
    elsewhere::add_aliases(&mut found, start.config);
    found
}

/// The inboxes of an owner in a project that the configuration knows (`projects`), by the name of the
/// project's folder: what `owner (project)` means where nothing that was found is meant.
pub fn in_known_project(ground: &Ground, config: &Config, owner: &str, project: &str) -> Vec<Inbox> {
    let mut hunt = Hunt::new(ground, &ALL, false);
    elsewhere::by_project(&mut hunt, config, owner, project);
    naming::assign(&mut hunt.inboxes);
    hunt.inboxes
}

/// Which layouts are asked at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sought {
    All,
    AllButAgents,
    OnlyAgents,
}

/// What discovery knows while it is under way.
struct Hunt<'a> {
    ground: &'a Ground,
    layouts: &'a [&'a dyn Layout],
    teams: bool,
    inboxes: Vec<Inbox>,
    seen: Seen,
    problems: Vec<Problem>,
    named: Vec<Named>,
}

impl<'a> Hunt<'a> {
    fn new(ground: &'a Ground, layouts: &'a [&'a dyn Layout], teams: bool) -> Self {
        Self { ground, layouts, teams, inboxes: Vec::new(), seen: Seen::default(), problems: Vec::new(), named: Vec::new() }
    }

    /// Adds the inboxes of a level.
    fn probe(&mut self, level: &Path, label: Label, sought: Sought) {
        self.probe_unless(level, label, sought, |_| false);
    }

    /// Adds the inboxes of a level, unless there are some and a closer look says no.
    fn probe_unless(&mut self, level: &Path, label: Label, sought: Sought, no: impl Fn(&Self) -> bool) {
        let spots = self.spots(level, label, sought);
        if spots.is_empty() || no(self) {
            return;
        }
        for (layout, spot) in spots {
            self.add(layout, spot, label);
        }
    }

    /// The inboxes of a level.
    fn spots(&mut self, level: &Path, label: Label, sought: Sought) -> Vec<(LayoutId, Spot)> {
        let mut out = Vec::new();
        for layout in self.layouts {
            let id = layout.id();
            let asked = match (id, sought) {
                // A host's inboxes lie in the home folder and vanish with its session.
                (LayoutId::Teams, _) => label == Label::Global && self.teams,
                (LayoutId::Agents, sought) => sought != Sought::AllButAgents,
                (_, sought) => sought != Sought::OnlyAgents,
            };
            if !asked {
                continue;
            }
            let probe = layout.probe(level);
            for (path, error) in probe.problems {
                self.io_problem(label, path, &error);
            }
            out.extend(probe.spots.into_iter().map(|spot| (id, spot)));
        }
        // In a linked worktree nobody reads `.agents/inbox`: the one of all checkouts counts.
        if sought == Sought::All && out.iter().any(|(id, _)| *id == LayoutId::Agents) && self.ground.is_linked_worktree(level) {
            out.retain(|(id, _)| *id != LayoutId::Agents);
        }
        out
    }

    /// Adds an inbox, or finds it among those that are there already; its number.
    fn add(&mut self, layout: LayoutId, spot: Spot, label: Label) -> usize {
        let next = self.inboxes.len();
        let number = self.seen.number_or(&spot.path, next);
        if number == next {
            let Spot { path, owner, project } = spot;
            self.inboxes.push(Inbox { name: String::new(), path, layout, owner, aliases: Vec::new(), label, project });
        }
        number
    }

    /// `AGENT_INBOX_ROOT`, if it can be followed.
    fn agents_root<'p>(&mut self, root: Option<&'p Path>) -> Option<&'p Path> {
        let root = root.filter(|root| !root.as_os_str().is_empty())?;
        if root.is_absolute() {
            return Some(root);
        }
        let text = format!("AGENT_INBOX_ROOT is not an absolute path and was not followed: {}", root.display());
        self.problem(self.shared_label(), root.to_owned(), ProblemKind::Setting, text);
        None
    }

    /// Adds the `agents` inboxes right below a folder.
    fn agents_in(&mut self, root: &Path) {
        let label = self.shared_label();
        let Some(agents) = self.layouts.iter().find(|l| l.id() == LayoutId::Agents) else { return };
        let entries = match fs::read_dir(root) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let text = format!("AGENT_INBOX_ROOT is not there: {}", root.display());
                return self.problem(label, root.to_owned(), ProblemKind::Missing, text);
            }
            Err(error) => return self.io_problem(label, root.to_owned(), &error),
        };
        let mut folders: Vec<PathBuf> = entries.filter_map(Result::ok).map(|e| e.path()).collect();
        folders.sort();
        for spot in folders.iter().filter_map(|folder| agents.recognise(folder)) {
            let spot = elsewhere::settle(self.ground, spot);
            self.add(LayoutId::Agents, spot, label);
        }
    }

    /// In a linked worktree, adds the `agents` inboxes that all checkouts of the repository share.
    fn agents_of_all_checkouts(&mut self) {
        let Some(repo) = &self.ground.repo else { return };
        if repo.broken {
            let text = format!("the checkout's .git leads nowhere: {}", repo.root.display());
            self.problem(Label::Worktree, repo.root.join(".git"), ProblemKind::Git, text);
        }
        if repo.linked
            && let Some(place) = repo.meeting_place()
        {
            self.probe(&place, Label::Worktree, Sought::OnlyAgents);
        }
    }

    /// The label of inboxes that all checkouts share.
    fn shared_label(&self) -> Label {
        let linked = self.ground.repo.as_ref().is_some_and(|repo| repo.linked);
        if linked { Label::Worktree } else { Label::Project }
    }

    fn problem(&mut self, label: Label, path: PathBuf, kind: ProblemKind, text: String) {
        let why = text.clone();
        self.problem_of(label, path, kind, text, why);
    }

    fn problem_of(&mut self, label: Label, path: PathBuf, kind: ProblemKind, text: String, why: String) {
        // A closed folder is met once for each place in it.
        if !self.problems.iter().any(|p| p.kind == kind && p.path == path) {
            self.problems.push(Problem { path, kind, text, why, label });
        }
    }

    fn io_problem(&mut self, label: Label, path: PathBuf, error: &io::Error) {
        let (kind, why) = match error.kind() {
            io::ErrorKind::PermissionDenied => (ProblemKind::Denied, why(error)),
            io::ErrorKind::NotFound => (ProblemKind::Dangling, "the link leads nowhere".to_owned()),
            _ => (ProblemKind::Io, why(error)),
        };
        let text = format!("can't look into {}: {why}", path.display());
        self.problem_of(label, path, kind, text, why);
    }
}

/// What the system says, as part of a sentence.
fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is nothing".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string().to_lowercase(),
    }
}

/// Gives an inbox one more name for its reader, unless it has it.
fn add_alias(inbox: &mut Inbox, alias: &str) {
    if !inbox.owner.matches(alias) && !inbox.aliases.iter().any(|a| same(a, alias)) {
        inbox.aliases.push(alias.to_owned());
    }
}

#[cfg(test)]
mod tests;
