//! The one place where the command reads the environment and the clock: what it finds becomes plain
//! values that are passed down.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Local, Utc};

use super::args::{Globals, Scope};
use crate::config::{self, Config};
use crate::error::{Exit, Report};
use crate::model::date::Clock;
use crate::model::name::AgentName;
use crate::ops::session::Session;
use crate::store::atomic::Disk;
use crate::store::discover::{self, Start};
use crate::store::journal::Journal;
use crate::store::lock::LockPlace;

/// What the environment says.
pub struct World {
    /// The folder to start from; absolute.
    pub dir: PathBuf,
    /// The home folder.
    pub home: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME/postroom`.
    pub config_dir: Option<PathBuf>,
    /// `$XDG_STATE_HOME/postroom`.
    pub state_dir: Option<PathBuf>,
    /// The clock of this run.
    pub clock: Clock,
}

impl World {
    /// Reads the environment.
    ///
    /// # Errors
    /// The starting folder is not there, or `POSTROOM_NOW` is no time.
    pub fn read(directory: Option<&Path>) -> Result<Self, Report> {
        let home = absolute("HOME");
        let xdg = |name: &str, below: &str| absolute(name).or_else(|| home.as_ref().map(|h| h.join(below)));
        Ok(Self {
            dir: start_dir(directory)?,
            config_dir: xdg("XDG_CONFIG_HOME", ".config").map(|d| d.join("postroom")),
            state_dir: xdg("XDG_STATE_HOME", ".local/state").map(|d| d.join("postroom")),
            home,
            clock: clock()?,
        })
    }

    /// Reads the configuration: the user's, then the project's.
    ///
    /// # Errors
    /// A file can't be read or understood.
    pub fn config(&self, project_root: &Path) -> Result<Config, Report> {
        let mut config = Config::default();
        if let Some(path) = self.config_dir.as_ref().map(|d| d.join("config.toml"))
            && let Some(text) = read_if_there(&path)?
        {
            config = Config::parse_user(&text, &path, self.home.as_deref())?;
        }
        let path = project_root.join(".postroom.toml");
        if let Some(text) = read_if_there(&path)? {
            config.merge(Config::parse_project(&text, &path, project_root, self.home.as_deref())?);
        }
        Ok(config)
    }

    /// Who acts: the option, then the environment, then the configuration. The second value tells
    /// whether the name was given outright, so that it must be the name of a known owner.
    ///
    /// # Errors
    /// The name is no name.
    pub fn agent(&self, option: Option<&str>, config: &Config) -> Result<(Option<AgentName>, bool), Report> {
        let given = option.map(str::to_owned).or_else(|| variable("POSTROOM_AGENT"));
        if let Some(name) = given {
            return AgentName::parse(&name).map(|n| (Some(n), true)).map_err(|e| bad_agent(&name, &e.to_string()));
        }
        if let Some(name) = variable("AGENT_INBOX_NAME") {
            return AgentName::parse(&name).map(|n| (Some(n), false)).map_err(|e| bad_agent(&name, &e.to_string()));
        }
        // A session's title is no name that somebody chose: one that can't be a name is nobody's.
        let session = variable("CLAUDE_SESSION_NAME").and_then(|name| AgentName::parse(&name).ok());
        Ok((session.or_else(|| config.agent.clone()), false))
    }
}

/// Builds the session of a command.
///
/// # Errors
/// What the environment, the configuration or the disk forbid.
pub fn session<'a>(globals: &Globals) -> Result<(Session<'a>, bool), Report> {
    let world = World::read(globals.directory.as_deref())?;
    let root = discover::project_root(&world.dir, world.home.as_deref());
    let config = world.config(&root)?;
    let (actor, explicit) = world.agent(globals.agent.as_deref(), &config)?;
    let found = discover::discover(&Start {
        dir: &world.dir,
        home: world.home.as_deref(),
        config: &config,
        agent_inbox_root: env::var_os("AGENT_INBOX_ROOT").map(PathBuf::from),
        teams: globals.teams || config.teams,
        named: &globals.inbox,
    });
    let temp = env::temp_dir();
    let dialect = config.dialect();
    let session = Session {
        config,
        dialect,
        clock: world.clock,
        actor,
        found,
        locks: LockPlace::new(world.state_dir.clone(), &temp),
        journal: Journal::new(world.state_dir),
        dir: world.dir,
        home: world.home,
        disk: Disk::new(),
    };
    Ok((session, explicit))
}

/// The word that `--scope` stands for.
pub fn scope(scope: Scope) -> config::Scope {
    match scope {
        Scope::Project => config::Scope::Project,
        Scope::Global => config::Scope::Global,
        Scope::All => config::Scope::All,
    }
}

/// A variable that is set to something.
pub fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|v| !v.is_empty())
}

/// A variable that holds an absolute path; others are ignored, as the base directory convention asks.
fn absolute(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|v: &OsString| !v.is_empty()).map(PathBuf::from).filter(|p| p.is_absolute())
}

fn start_dir(directory: Option<&Path>) -> Result<PathBuf, Report> {
    let here = env::current_dir();
    let dir = match (directory, here) {
        (Some(dir), _) if dir.is_absolute() => dir.to_path_buf(),
        (Some(dir), Ok(here)) => here.join(dir),
        (None, Ok(here)) => here,
        (_, Err(error)) => return Err(Report::failed("no-working-directory", format!("the working directory is gone: {error}"))),
    };
    // The real path, so that what is found has one name however the folder was reached.
    dir.canonicalize().map_err(|error| {
        let exit = if error.kind() == io::ErrorKind::NotFound { Exit::Usage } else { Exit::Failed };
        Report::new("no-such-directory", exit, format!("cannot start in {}: {error}", dir.display())).at(&dir)
    })
}

fn clock() -> Result<Clock, Report> {
    let now = match variable("POSTROOM_NOW") {
        None => Utc::now(),
        Some(text) => DateTime::parse_from_rfc3339(&text)
            .map(|t| t.with_timezone(&Utc))
            .map_err(|e| Report::new("bad-clock", Exit::Usage, format!("POSTROOM_NOW={text:?} is no RFC 3339 time: {e}")))?,
    };
    Ok(Clock { now, to_local: |t| t.with_timezone(&Local).naive_local() })
}

fn bad_agent(name: &str, why: &str) -> Report {
    Report::new("bad-agent-name", Exit::Usage, format!("{name:?} can't be an agent's name: {why}"))
}

fn read_if_there(path: &Path) -> Result<Option<String>, Report> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(Report::failed("config-unreadable", format!("could not read {}: {error}", path.display())).at(path)),
    }
}
