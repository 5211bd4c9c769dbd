//! The forms that inboxes take on disk, one file each.
//!
//! A layout knows where its inboxes lie, which files in them are messages, how to read a header
//! out of bytes, and how a change looks on disk – as a plan: it never writes. What a layout can't
//! do is refused with the reason, never emulated.
//!
//! A new layout is one file here, one line in [`ALL`], one folder of fixtures; the contract test
//! (`tests/layout_contract.rs`) holds each to the laws below.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::model::inbox::{Capabilities, Inbox, LayoutId};
use crate::model::letter::Letter;
use crate::model::message::{Glance, Message, Warning};
use crate::model::name::{AgentName, MessageId};
use crate::model::plan::{EditPlan, Refusal, Source, Stamp};
use crate::model::status::{Status, StatusWords};

pub mod adopt;
pub mod agents;
pub mod bare;
pub mod claude_teams;
mod files;
mod folder;
mod glance;
pub mod json_inbox;
mod keys;
pub mod markdown;
mod parcel;
pub mod soma;
mod unique;

pub use files::changed;
pub use folder::{Beginning, each_name};
pub use parcel::Parcel;

/// Every layout, in the order in which discovery asks them.
pub const ALL: [&dyn Layout; 4] = [&soma::Soma, &agents::Agents, &json_inbox::JsonInbox, &claude_teams::ClaudeTeams];

/// The layout of an id.
pub fn of(id: LayoutId) -> &'static dyn Layout {
    ALL.into_iter().find(|l| l.id() == id).unwrap_or(&soma::Soma)
}

/// The name of an agent that a new inbox is for, by the rule that conventions for shells share: such a
/// name needs no quoting anywhere.
fn plain_name(agent: Option<&AgentName>) -> Result<&str, Refusal> {
    let name = agent
        .map(AgentName::as_str)
        .ok_or_else(|| Refusal::new("no-agent", "nobody is named whose inbox it is to be; say it with --agent NAME"))?;
    let is_plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && !name.starts_with('-')
        && !name.ends_with('-');
    if is_plain {
        return Ok(name);
    }
    let text = format!("{name:?} can't be the name of a new inbox: lower-case letters, digits and dashes between them");
    Err(Refusal::new("bad-agent-name", text))
}

/// The form of a folder or file that somebody named, among the layouts given. `soma` is asked last:
/// it takes any folder that has no other form. At its own places no other is asked.
pub fn recognise(layouts: &[&dyn Layout], path: &Path) -> Option<(LayoutId, Spot)> {
    let known = soma::is_known_place(path);
    let of = |soma: bool| layouts.iter().filter(move |l| (l.id() == LayoutId::Soma) == soma && (soma || !known));
    of(false).chain(of(true)).find_map(|l| Some((l.id(), l.recognise(path)?)))
}

/// A form of inboxes on disk.
///
/// Laws: [`Layout::parse`] accepts any bytes and never panics; two layouts never claim the same
/// folder; a change that alters nothing plans no step; a change beyond [`Layout::capabilities`]
/// is refused.
pub trait Layout: Sync {
    /// Which form this is.
    fn id(&self) -> LayoutId;

    /// What can be done with it.
    fn capabilities(&self) -> Capabilities;

    /// Looks for inboxes of this form at their known places below a folder (a project root, the
    /// home folder). Reads folders, no messages. What can't be looked into is reported, never
    /// taken for empty.
    fn probe(&self, level: &Path) -> Probe;

    /// Whether a path that somebody named is an inbox of this form, or a folder of one (its archive,
    /// its `new/`); the [`Spot`] is the inbox.
    fn recognise(&self, path: &Path) -> Option<Spot>;

    /// Lists what lies in an inbox, or in its archive, by name; opens no message. Of files whose names
    /// have another beginning than the one wanted nothing need be told.
    ///
    /// # Errors
    /// The folder can't be read. A missing archive is an empty one.
    fn list(&self, inbox: &Inbox, which: Which, wanted: Beginning<'_>) -> io::Result<Listing>;

    /// The id of a file's message, by its name: the name without the endings that say only what
    /// form or state it has, so that the name begins with it. Where a file holds several, what their ids
    /// start with.
    fn id_of(&self, name: &str) -> MessageId;

    /// Whether messages have ids that their files' names need not show.
    fn has_ids_inside(&self) -> bool {
        false
    }

    /// How others name a message as the one they answer, where the layout has ids for that; `None`
    /// where they name its file.
    fn reference_id<'m>(&self, message: &'m Message) -> Option<&'m str> {
        let _ = message;
        None
    }

    /// The inbox that a message asks its answers to be put into, where the layout has such addresses:
    /// by its text alone, so whether there is such an inbox, and one that may be written to, is still
    /// to be checked.
    ///
    /// # Errors
    /// The address is none of the sender's.
    fn answer_address(&self, context: &Context<'_>, message: &Message) -> Result<Option<PathBuf>, Refusal> {
        let _ = (context, message);
        Ok(None)
    }

    /// What a path in an inbox, or in its archive, stands for: the entry that [`Layout::list`] would
    /// give, or `None` where the path lies elsewhere or names no message.
    fn entry(&self, inbox: &Inbox, path: &Path) -> Option<Entry>;

    /// Reads the messages of one file out of its first bytes and adds them to `out`. A message is
    /// never left out because it is malformed.
    ///
    /// # Errors
    /// [`Need`] when the bytes given don't reach; nothing was added then.
    fn parse(&self, context: &Context<'_>, entry: &Entry, head: Head<'_>, out: &mut Vec<Message>) -> Result<(), Need>;

    /// A first look at the message of a file, for whoever counts many and keeps few: what
    /// [`Layout::parse`] would say of its one message, or `None` where only that can tell.
    fn glance<'m>(&self, context: &Context<'_>, entry: &'m Entry, head: Head<'m>) -> Option<Glance<'m>> {
        let _ = (context, entry, head);
        None
    }

    /// The body of a message, for showing it: the bytes behind its header.
    fn body<'a>(&self, message: &Message, bytes: &'a [u8]) -> std::borrow::Cow<'a, [u8]>;

    /// The keys of a message's header, or the members of its envelope, as they are written: also those
    /// that mean nothing to postroom. Empty where none can be read.
    fn raw_fields(&self, dialect: &Dialect, message: &Message, bytes: &[u8]) -> Vec<RawField>;

    /// What a new inbox of an agent is made of.
    ///
    /// # Errors
    /// The layout's inboxes are made by somebody else, or not for such a name.
    fn blueprint(&self, site: &Site<'_>, agent: Option<&AgentName>) -> Result<Blueprint, Refusal>;

    /// Says how a change looks on disk.
    ///
    /// # Errors
    /// [`Refusal`] when it can't be done safely, or not at all.
    fn plan(&self, context: &Context<'_>, change: &Change<'_>) -> Result<EditPlan, Refusal>;
}

/// Where a new inbox could be made.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    /// The project's top folder.
    pub project: &'a Path,
    /// The folder where all checkouts of its repository meet; the project's where there is one only.
    pub shared: &'a Path,
    /// Where the `agents` inboxes lie instead, if somebody said so.
    pub agents_root: Option<&'a Path>,
}

/// What belongs to a new inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blueprint {
    /// The inbox.
    pub inbox: PathBuf,
    /// The folders in it.
    pub folders: Vec<PathBuf>,
    /// The file that explains it to people and agents, and its text.
    pub readme: (PathBuf, &'static str),
    /// The file that keeps it out of the history, where that is asked for; it holds `*`.
    pub gitignore: PathBuf,
}

/// What a probe found.
#[derive(Debug, Default)]
pub struct Probe {
    /// Inboxes.
    pub spots: Vec<Spot>,
    /// Places that could not be looked into.
    pub problems: Vec<(PathBuf, io::Error)>,
}

/// A place that is an inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The folder, or the file.
    pub path: PathBuf,
    /// The agent it belongs to, by its place.
    pub owner: AgentName,
    /// The folder that holds the `.soma`, `.claude`, `.agents`, `.workspace` or `.team`.
    pub project: PathBuf,
}

/// Which part of an inbox is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// What is still in it.
    Live,
    /// What was archived.
    Archived,
}

/// What lies in an inbox, by name.
#[derive(Debug, Default)]
pub struct Listing {
    /// Files that could be messages.
    pub entries: Vec<Entry>,
    /// What is no message, but looks as if somebody lost it there, with the reason; for `doctor`.
    pub leftovers: Vec<(PathBuf, &'static str)>,
    /// Places in it that could not be looked into, or not to their end.
    pub problems: Vec<(PathBuf, io::Error)>,
    /// The folders that were read, each with the time of its last change before that: one that has
    /// another now was changed meanwhile, and the listing may lack a file that was renamed.
    pub folders: Vec<(Arc<Path>, Option<SystemTime>)>,
}

/// A file that could be a message.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The folder it lies in.
    pub folder: Arc<Path>,
    /// Its name there.
    pub name: OsString,
    /// Whether that folder is an archive.
    pub archived: bool,
    /// What it is.
    pub file: FileKind,
    /// Its number in its file system, as the folder tells it; a rename keeps it. `None` where that is
    /// not told.
    pub node: Option<u64>,
    /// The state its place or name gives, where the layout keeps it there.
    pub state: Option<Status>,
    /// Whether another live file has the id that its name gives, so that it goes by its place instead.
    pub shares_id: bool,
}

impl Entry {
    /// The whole path.
    pub fn path(&self) -> PathBuf {
        self.folder.join(&self.name)
    }
}

/// What a directory entry is, as far as it is known without opening it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A file.
    Regular,
    /// A symbolic link.
    Link,
    /// A FIFO, socket or device: never opened.
    Special,
}

/// The first bytes of a file.
#[derive(Debug, Clone, Copy)]
pub struct Head<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// Whether they are the whole file.
    pub complete: bool,
}

/// A key with its value, as they stand in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawField {
    /// The key as it is spelt.
    pub key: String,
    /// What it means in its layout: a key of the convention, `body` for the text in an envelope; `None`
    /// for keys of nobody's.
    pub meaning: Option<&'static str>,
    /// The value.
    pub value: RawValue,
}

/// A value, quotes and escapes undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawValue {
    /// None.
    Absent,
    /// One text.
    Text(String),
    /// Several texts.
    List(Vec<String>),
    /// Anything else, as it is spelt: numbers, nested keys.
    Other(String),
}

impl RawValue {
    /// The value where it is one word or line.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Other(text) => Some(text),
            Self::Absent | Self::List(_) => None,
        }
    }
}

/// What a parse is short of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// This many bytes from the start, or the whole file where it is shorter.
    Bytes(usize),
    /// Another look after a moment: the file looks as if its owner were just writing it. Where it looks
    /// the same then, it is listed by its name with this warning, behind the messages found in it so far.
    Later(Warning),
}

/// What reading and planning go by, beside the bytes.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The inbox.
    pub inbox: &'a Inbox,
    /// The words and keys that this project uses beside the built-in ones.
    pub dialect: &'a Dialect,
}

/// Other people's words: statuses and header keys beside the built-in ones (`[status-words]`,
/// `[keys]` of the configuration).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dialect {
    /// Words for statuses.
    pub words: StatusWords,
    /// Header keys, as `(key in lower case, the convention's key)`.
    pub keys: Vec<(String, String)>,
}

/// A change to one inbox, still without a plan.
#[derive(Debug)]
pub enum Change<'a> {
    /// Write another status.
    Status {
        /// The message.
        message: &'a Message,
        /// Its file, whole.
        source: &'a Source,
        /// The status to write.
        to: Status,
    },
    /// Move a message to the archive.
    Archive {
        /// The message.
        message: &'a Message,
        /// What its file is now.
        stamp: Stamp,
        /// Where the archive is, once that was looked for: a run of many moves looks once.
        archive: &'a OnceCell<PathBuf>,
    },
    /// Put a new message in.
    Deliver {
        /// Its content.
        letter: &'a Letter,
        /// The reader of this copy.
        recipient: &'a str,
        /// The sender's own inbox of this layout, if there is one.
        sender: Option<&'a Inbox>,
    },
    /// Put a message in that comes from another inbox.
    Adopt {
        /// What it is.
        parcel: &'a Parcel<'a>,
    },
    /// Move a message back from the archive.
    Restore {
        /// The message.
        message: &'a Message,
        /// What its file is now.
        stamp: Stamp,
    },
}
