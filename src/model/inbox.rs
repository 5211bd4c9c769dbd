//! One reader's place for messages, and what its form on disk can do.

use std::fmt;
use std::path::{Path, PathBuf};

use super::name::{AgentName, same};

/// The on-disk form of an inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LayoutId {
    /// Markdown files in one folder, the status in their headers.
    Soma,
    /// A maildir-like triple `tmp/ new/ archive/` a reader.
    Agents,
    /// One JSON file a message, read or not by its name.
    Json,
    /// One JSON array a reader, owned by a running host.
    Teams,
}

impl LayoutId {
    /// The layout's name in configuration and output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Soma => "soma",
            Self::Agents => "agents",
            Self::Json => "json",
            Self::Teams => "teams",
        }
    }

    /// Reads a layout's name.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Soma, Self::Agents, Self::Json, Self::Teams].into_iter().find(|l| l.as_str() == text)
    }
}

impl fmt::Display for LayoutId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What can be done in an inbox of a layout. What is not declared is refused, never emulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// A status can be written.
    pub mark: bool,
    /// A new message can be put in.
    pub send: bool,
    /// A message can be moved to an archive folder and back.
    pub archive: bool,
    /// Why something is missing, for the refusal; empty where nothing is.
    pub why_not: &'static str,
}

/// Where an inbox was found, seen from the starting folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Label {
    /// Of this project.
    Project,
    /// Of this project, reached from a linked git worktree.
    Worktree,
    /// Of a folder above the project.
    Parent,
    /// Of a workspace member below.
    Workspace,
    /// Of the home folder.
    Global,
    /// Named in the configuration or on the command line.
    Configured,
}

impl Label {
    /// The label's word in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Worktree => "worktree",
            Self::Parent => "parent",
            Self::Workspace => "workspace",
            Self::Global => "global",
            Self::Configured => "configured",
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One reader's place for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inbox {
    /// The inbox's own name, unique among those found together: `OWNER@PROJECT`, with more of the
    /// path where that is not enough. What `--inbox` and the part before `:` of a ref take.
    pub name: String,
    /// The folder (for `teams`, the file) as it was found; absolute.
    pub path: PathBuf,
    /// Its form on disk.
    pub layout: LayoutId,
    /// The agent it belongs to.
    pub owner: AgentName,
    /// Other names of that agent.
    pub aliases: Vec<String>,
    /// Where it was found.
    pub label: Label,
    /// The folder that holds its `.soma`, `.claude`, `.agents`, `.workspace` or `.team`; absolute.
    pub project: PathBuf,
}

impl Inbox {
    /// The last part of the project folder's path; `~` for global inboxes, `/` for the root.
    pub fn project_name(&self) -> String {
        if self.label == Label::Global {
            return "~".to_owned();
        }
        self.project.file_name().map_or_else(|| "/".to_owned(), |n| n.to_string_lossy().into_owned())
    }

    /// Whether a name means this inbox's owner: the owner itself or an alias, in any letter case.
    pub fn is_owned_by(&self, name: &str) -> bool {
        self.owner.matches(name) || self.aliases.iter().any(|a| same(a, name))
    }

    /// Whether the running Soma reads this inbox itself: `.soma/inbox`.
    pub fn is_somas(&self) -> bool {
        self.layout == LayoutId::Soma && self.path.ends_with(".soma/inbox")
    }

    /// Whether a path lies in this inbox (or is it).
    pub fn holds(&self, path: &Path) -> bool {
        path.starts_with(&self.path)
    }
}
