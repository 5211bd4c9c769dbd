//! One look at the world: the session, and which of its inboxes a command or a call works with.
//!
//! Made anew for each, so that what people and other programs wrote meanwhile is seen.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::start::{self, Standpoint};
use crate::error::Report;
use crate::host::registration::Program;
use crate::model::inbox::Inbox;
use crate::model::message::Warning;
use crate::model::name::AgentName;
use crate::ops::advance::quoted;
use crate::ops::doctor::Order;
use crate::ops::doctor::rules::Rule;
use crate::ops::find::Unlooked;
use crate::ops::refs::{self, Target, Want};
use crate::ops::session::Session;
use crate::ops::setup::{self, Ground, Standing};
use crate::store::discover::{self, Selection};

/// What a command or a call works with: the session, and the inboxes it looks at.
pub struct Run<'a> {
    /// What was said of where to start and whom to act for.
    pub standpoint: Standpoint,
    /// The inboxes found from there, the clock, who acts, and the disk.
    pub session: Session<'a>,
    /// The agent that was named outright, as its inboxes spell it.
    pub agent: Option<AgentName>,
}

impl Run<'_> {
    /// Looks at the world.
    ///
    /// # Errors
    /// What the environment or the configuration forbid, and names that nobody has: these are told
    /// before anything else is done.
    pub fn new(standpoint: impl Into<Standpoint>) -> Result<Self, Report> {
        let standpoint = standpoint.into();
        let (session, explicit) = start::session(&standpoint)?;
        let agent = session.actor.clone().filter(|_| explicit);
        let run = Self { standpoint, session, agent };
        run.selection().map_err(|report| run.without_agent(report))?;
        Ok(run)
    }

    /// An agent of the environment that nobody is would be in the way of every command named next.
    fn without_agent(&self, report: Report) -> Report {
        let unknown = |agent: &AgentName| !self.session.found.inboxes.iter().any(|i| i.is_owned_by(agent.as_str()));
        if self.standpoint.agent.is_some() || !self.agent.as_ref().is_some_and(unknown) {
            return report;
        }
        let next = report.next.iter().map(|command| format!("POSTROOM_AGENT= {command}")).collect();
        Report { next, ..report }.hint("POSTROOM_AGENT names the agent")
    }

    /// Takes over how the inboxes spell the agent's name; gives a remark where it was spelt otherwise.
    pub fn settle_agent(&mut self) -> Option<String> {
        let spelt = self.selection().ok()?.agent.cloned()?;
        let given = self.agent.clone().filter(|given| *given != spelt)?;
        self.agent = Some(spelt.clone());
        self.session.actor = Some(spelt.clone());
        Some(format!("{given} is understood as {spelt}"))
    }

    /// The inboxes that the options name.
    ///
    /// # Errors
    /// Names that nobody has, or several.
    pub fn selection(&self) -> Result<Selection<'_>, Report> {
        let agent = self.agent.as_ref().map(AgentName::as_str);
        Ok(discover::select(&self.session.found, &self.standpoint.inbox, self.standpoint.scope, agent)?)
    }

    /// The inboxes to look at.
    pub fn inboxes(&self) -> Vec<&Inbox> {
        self.selection().map(|s| s.inboxes).unwrap_or_default()
    }

    /// The inboxes that a name may mean: all in scope. Acting as an agent does not narrow whom it writes to.
    pub fn reachable(&self) -> Vec<&Inbox> {
        discover::select(&self.session.found, &[], self.standpoint.scope, None).map(|s| s.inboxes).unwrap_or_default()
    }

    /// The command that lists what is looked at.
    pub fn list_command(&self) -> String {
        let mut words = vec!["postroom".to_owned()];
        words.extend(self.standpoint.inbox.iter().map(|name| format!("--inbox {}", quoted(name))));
        words.extend(self.agent.iter().map(|name| format!("--agent {}", quoted(name.as_str()))));
        words.push("list".to_owned());
        words.join(" ")
    }

    /// The one message that a ref means.
    ///
    /// # Errors
    /// As [`refs::resolve`].
    pub fn target(&self, reference: &str, want: Want) -> Result<Target, Report> {
        refs::resolve(&self.session, &self.inboxes(), reference, want)
    }

    /// The messages that refs mean, each once however often and by whichever ref it is named; for a ref
    /// that means none, why. Whoever moves messages resolves all refs before the first one moves.
    pub fn targets<'r>(&'r self, refs: &'r [String], want: Want) -> impl Iterator<Item = (&'r String, Result<Target, Report>)> {
        let mut seen = HashSet::new();
        let mut is_new = move |target: &Target| seen.insert((target.message.path.clone(), target.message.id.clone()));
        let all = refs.iter().map(move |reference| (reference, self.target(reference, want)));
        all.filter(move |(_, found)| found.as_ref().map_or(true, &mut is_new))
    }

    /// A look at each project that the configuration knows, and at the home folder: what a scheduled
    /// command works with, wherever it is started. One that can't be looked at does not hide the others.
    pub fn projects(&self) -> Vec<(PathBuf, Result<Run<'static>, Report>)> {
        let home = self.session.home().map(Path::to_path_buf);
        let folders = self.session.config.projects.iter().cloned().chain(home);
        let look = |folder: PathBuf| {
            let standpoint = Standpoint { directory: Some(folder.clone()), inbox: Vec::new(), ..self.standpoint.clone() };
            (folder, Run::new(standpoint))
        };
        folders.map(look).collect()
    }

    /// How every host that is found on this machine stands.
    pub fn hosts(&self) -> Vec<Standing> {
        let (places, (name, file)) = (start::places(&self.session), start::program());
        let program = Program { name: &name, quoted: &quoted(&name) };
        let ground = Ground { places: &places, program, file: &file, dry_run: true };
        setup::survey(&ground, &|name| start::on_path(name).is_some())
    }

    /// What `doctor` looks at. Hosts are looked at where nobody named inboxes or an agent.
    ///
    /// # Errors
    /// As [`Run::selection`].
    pub fn examination(&self, only: Vec<&'static Rule>) -> Result<Order<'_>, Report> {
        let selection = self.selection()?;
        let narrowed = !self.standpoint.inbox.is_empty() || self.agent.is_some();
        let hosts = if narrowed { Vec::new() } else { self.hosts() };
        Ok(Order { inboxes: selection.inboxes, problems: selection.problems, hosts, only })
    }

    /// Places that discovery found odd: those that may hide mail, and the others.
    pub fn places(&self) -> (Vec<Unlooked>, Vec<Warning>) {
        let problems = self.selection().map(|s| s.problems).unwrap_or_default();
        let (hiding, odd): (Vec<_>, Vec<_>) = problems.into_iter().partition(|p| p.kind.hides_mail());
        let hiding = hiding.into_iter().map(Unlooked::of);
        let odd = odd.into_iter().map(|p| Warning::new(p.kind.as_str(), p.text.clone()));
        (hiding.collect(), odd.collect())
    }
}
