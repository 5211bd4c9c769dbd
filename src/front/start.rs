//! The one place where front ends read the environment and the clock: what they find becomes plain
//! values that are passed down.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Local, Utc};

use crate::config::Config;
use crate::error::{Exit, Report};
use crate::host::Places;
use crate::model::date::Clock;
use crate::model::name::AgentName;
use crate::ops::session::{ProjectRules, Session};
use crate::store::atomic::Disk;
use crate::store::discover::{self, Found, Ground, Problem, ProblemKind, Scope, Start};
use crate::store::lock::homeless;
use crate::store::read::{self, Reach};

/// What somebody said of where to start and whom to act for, before anything was looked at.
#[derive(Debug, Clone, Default)]
pub struct Standpoint {
    /// The folder to start in, instead of the working directory.
    pub directory: Option<PathBuf>,
    /// The only inboxes to look at: names, owners or paths.
    pub inbox: Vec<String>,
    /// Who acts.
    pub agent: Option<String>,
    /// Which inboxes to look at.
    pub scope: Scope,
    /// Whether to look at those of running teams, too.
    pub teams: bool,
}

/// What the environment says.
pub struct World {
    /// Where the command stands: its folder, the home folder, the project.
    pub ground: Ground,
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
            ground: Ground::survey(&start_dir(directory)?, home.as_deref())?,
            config_dir: xdg("XDG_CONFIG_HOME", ".config").map(|d| d.join("postroom")),
            state_dir: xdg("XDG_STATE_HOME", ".local/state").map(|d| d.join("postroom")),
            clock: clock()?,
        })
    }

    /// Reads the configuration: the user's, and where the project has a file, that with the project's laid
    /// over it.
    ///
    /// # Errors
    /// A file can't be read or understood.
    pub fn config(&self) -> Result<(Config, Option<Config>), Report> {
        let mut config = Config::default();
        if let Some(path) = self.config_dir.as_ref().map(|d| d.join("config.toml"))
            && let Some(text) = read_if_there(&path, Reach::Anywhere)?
        {
            config = Config::parse_user(&text, &path, self.ground.home.as_deref())?;
        }
        let project = of_project(&config, &self.ground.project_root)?;
        Ok((config, project))
    }

    /// Who acts: the option, then the environment, then the configuration. The second value tells
    /// whether the name was given outright, so that it must be the name of a known owner.
    ///
    /// # Errors
    /// The name is no name.
    pub fn agent(option: Option<&str>, config: &Config) -> Result<(Option<AgentName>, bool), Report> {
        let given = option.map(str::to_owned).or_else(|| variable("POSTROOM_AGENT"));
        if let Some(name) = given {
            return AgentName::parse(&name).map(|n| (Some(n), true)).map_err(|e| bad_agent(&name, &e.to_string()));
        }
        if let Some(name) = variable("AGENT_INBOX_NAME") {
            return AgentName::parse(&name).map(|n| (Some(n), false)).map_err(|e| bad_agent(&name, &e.to_string()));
        }
        // A session's title is no name that somebody chose: one that is more than a word is nobody's.
        let is_word = |name: &String| name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        let session = variable("CLAUDE_SESSION_NAME").filter(is_word).and_then(|name| AgentName::parse(&name).ok());
        Ok((session.or_else(|| config.agent.clone()), false))
    }
}

/// Builds the session of a command. The second value tells whether the agent was named outright.
///
/// # Errors
/// What the environment, the configuration or the disk forbid.
pub fn session<'a>(standpoint: &Standpoint) -> Result<(Session<'a>, bool), Report> {
    let world = World::read(standpoint.directory.as_deref())?;
    let (own, project) = world.config()?;
    let config = project.as_ref().unwrap_or(&own);
    let (actor, explicit) = World::agent(standpoint.agent.as_deref(), config)?;
    let agents_root = agents_root();
    let mut found = discover::discover(&Start {
        ground: &world.ground,
        config,
        agent_inbox_root: agents_root.as_deref(),
        teams: standpoint.teams,
        named: &standpoint.inbox,
    });
    let temp = env::temp_dir();
    let session = Session {
        project_rules: project_rules(&world.ground, &own, config, &mut found),
        config: project.unwrap_or(own),
        clock: world.clock,
        actor,
        ground: world.ground,
        found,
        // Without a home there is no state folder: locks and journal go where temporary files go.
        state: match world.state_dir {
            Some(folder) => folder,
            None => homeless(&temp)?,
        },
        temp,
        disk: Disk::new(),
    };
    Ok((session, explicit))
}

/// The settings with those of the project at a folder laid over them, where it has any.
fn of_project(own: &Config, root: &Path) -> Result<Option<Config>, Report> {
    let path = root.join(".postroom.toml");
    let Some(text) = read_if_there(&path, Reach::Within(root))? else { return Ok(None) };
    Ok(Some(own.with_project(&text, &path, root)?))
}

/// The rules of each project that inboxes were found in: its own file's, wherever the command stands.
/// A file elsewhere that can't be understood is told of, and holds up nothing here.
fn project_rules(ground: &Ground, own: &Config, here: &Config, found: &mut Found) -> ProjectRules {
    let mut project_rules = ProjectRules { own: own.rules(), projects: Vec::new() };
    let mut problems = Vec::new();
    for inbox in &found.inboxes {
        if project_rules.projects.iter().any(|(project, _)| *project == inbox.project) {
            continue;
        }
        let root = ground.root_of(&inbox.project);
        let rules = if root == ground.project_root {
            here.rules()
        } else {
            match of_project(own, &root) {
                Ok(Some(config)) => config.rules(),
                Ok(None) => project_rules.own.clone(),
                Err(report) => {
                    let text = format!("the settings of another project are passed over: {}", report.message);
                    let (path, why) = (root.join(".postroom.toml"), report.message);
                    problems.push(Problem { path, kind: ProblemKind::Setting, text, why, label: inbox.label });
                    project_rules.own.clone()
                }
            }
        };
        project_rules.projects.push((inbox.project.clone(), rules));
    }
    found.problems.extend(problems);
    project_rules
}

/// `AGENT_INBOX_ROOT`, as it was set.
pub fn agents_root() -> Option<PathBuf> {
    env::var_os("AGENT_INBOX_ROOT").filter(|v| !v.is_empty()).map(PathBuf::from)
}

/// What hooks may do, by the configuration that holds at a starting folder.
///
/// # Errors
/// As for [`session`].
pub fn hook_settings(directory: Option<&Path>) -> Result<crate::config::Hook, Report> {
    let (own, project) = World::read(directory)?.config()?;
    Ok(project.unwrap_or(own).hook)
}

/// The state folder, and the system's folder for temporary files that serves in its place.
pub fn state() -> (Option<PathBuf>, PathBuf) {
    let state = absolute("XDG_STATE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/state")));
    (state.map(|folder| folder.join("postroom")), env::temp_dir())
}

/// Where hosts keep their settings.
pub fn places(session: &Session<'_>) -> Places {
    Places {
        home: session.home().map(Path::to_path_buf),
        project: session.ground.project_root.clone(),
        claude: absolute("CLAUDE_CONFIG_DIR"),
        codex: absolute("CODEX_HOME"),
        config: absolute("XDG_CONFIG_HOME"),
    }
}

/// How hosts are to call this program: by its name where the PATH leads to this very file, so that
/// the settings outlive an update; else by its absolute path. Then where it lies.
pub fn program() -> (String, PathBuf) {
    let own = env::current_exe().and_then(std::fs::canonicalize).unwrap_or_default();
    let on_path = on_path("postroom").and_then(|path| path.canonicalize().ok());
    let by_name = own.as_os_str().is_empty() || on_path.is_some_and(|found| found == own);
    let name = if by_name { "postroom".to_owned() } else { own.to_string_lossy().into_owned() };
    (name, own)
}

/// The absolute path of this program: the one on the PATH where that leads to this very file, so that
/// it outlives an update that puts the file elsewhere; else its own.
///
/// # Errors
/// The system does not tell where the program lies.
pub fn program_path() -> Result<PathBuf, Report> {
    let own = env::current_exe()
        .and_then(std::fs::canonicalize)
        .map_err(|e| Report::failed("no-program", format!("the system does not tell where this program lies: {e}")))?;
    Ok(on_path("postroom").filter(|path| path.canonicalize().is_ok_and(|path| path == own)).unwrap_or(own))
}

/// The folder for the reader's own configuration: `$XDG_CONFIG_HOME`, else `~/.config`.
pub fn config_home(session: &Session<'_>) -> Option<PathBuf> {
    absolute("XDG_CONFIG_HOME").or_else(|| session.home().map(|h| h.join(".config")))
}

/// The variables that say where configuration and state are, where they say so: what a program needs
/// that is started without this environment.
pub fn homes() -> Vec<(&'static str, PathBuf)> {
    ["XDG_CONFIG_HOME", "XDG_STATE_HOME"].into_iter().filter_map(|name| Some((name, absolute(name)?))).collect()
}

/// The number of this user.
#[cfg(unix)]
pub fn user_id() -> u32 {
    rustix::process::getuid().as_raw()
}

/// The number of this user, where there are none.
#[cfg(not(unix))]
pub fn user_id() -> u32 {
    0
}

/// The program that a name on the PATH means.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| [folder.join(name), folder.join(format!("{name}.exe"))])
        .find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

/// The configuration file that a change goes to: the project's or the user's.
///
/// # Errors
/// There is no home folder to keep the user's in.
pub fn config_path(session: &Session<'_>, project: bool) -> Result<PathBuf, Report> {
    if project {
        return Ok(session.ground.project_root.join(".postroom.toml"));
    }
    config_home(session)
        .map(|f| f.join("postroom").join("config.toml"))
        .ok_or_else(|| Report::failed("no-home", "there is no home folder to keep the configuration in; use --project"))
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
    if let Some(dir) = directory.filter(|dir| dir.is_absolute()) {
        return Ok(dir.to_path_buf());
    }
    let here =
        env::current_dir().map_err(|e| Report::failed("no-working-directory", format!("the working directory is gone: {e}")))?;
    Ok(match directory {
        Some(dir) => here.join(dir),
        None => here,
    })
}

fn clock() -> Result<Clock, Report> {
    let now = match variable("POSTROOM_NOW") {
        None => Utc::now(),
        Some(text) => DateTime::parse_from_rfc3339(&text).map(|t| t.with_timezone(&Utc)).map_err(|e| {
            let report = Report::new("bad-clock", Exit::Usage, format!("POSTROOM_NOW={text:?} is no RFC 3339 time: {e}"));
            report.hint("unset it, or write it as 2026-05-20T09:00:00Z")
        })?,
    };
    Ok(Clock { now, to_local: |t| t.with_timezone(&Local).naive_local() })
}

fn bad_agent(name: &str, why: &str) -> Report {
    Report::new("bad-agent-name", Exit::Usage, format!("{name:?} can't be an agent's name: {why}"))
}

/// Reads a configuration file: a plain file of a bounded size, however it came there. A project's
/// must lie in the project, by links too.
fn read_if_there(path: &Path, reach: Reach<'_>) -> Result<Option<String>, Report> {
    const CAP: u64 = 1 << 20;
    match path.symlink_metadata() {
        Ok(_) => {}
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(unreadable(path, &error)),
    }
    let (source, _) = read::read_whole(path, reach, CAP).map_err(|error| unreadable(path, &error))?;
    let text = std::str::from_utf8(&source.bytes).map_err(|error| unreadable(path, &error))?;
    Ok(Some(text.to_owned()))
}

fn unreadable(path: &Path, why: &dyn std::fmt::Display) -> Report {
    Report::failed("config-unreadable", format!("could not read the configuration {}: {why}", path.display())).at(path)
}
