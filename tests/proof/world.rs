//! A place with inboxes of every layout that can be written, sessions over it without any front end,
//! and the question that all of these tests ask: where is each message now, and is it whole?

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use postroom::config::Config;
use postroom::model::date::Clock;
use postroom::model::event::Event;
use postroom::model::inbox::Inbox;
use postroom::model::letter::Letter;
use postroom::model::message::{Message, Priority};
use postroom::model::name::{AgentName, Recipient};
use postroom::ops::deliver::Recipients;
use postroom::ops::find::{self, Part, Query};
use postroom::ops::refs::Target;
use postroom::ops::session::{ProjectRules, Session};
use postroom::store::atomic::{Disk, Leftover};
use postroom::store::discover::{Ground, Start, discover};

/// The folders of the inboxes below the project, by the owner's name.
pub const INBOXES: [(&str, &str); 5] = [
    ("soma", ".soma/inbox"),
    ("ben", ".agents/inbox/ben"),
    ("cleo", ".agents/inbox/cleo"),
    ("dora", ".team/agents/dora/inbox"),
    ("claude", ".claude/inbox"),
];

/// A home with one project in it, kept in memory where the system can: syncing is dear elsewhere.
pub struct Place {
    _keep: Option<tempfile::TempDir>,
    pub top: PathBuf,
    /// What the user's own configuration says.
    pub config: Config,
}

impl Place {
    pub fn new() -> Self {
        let keep = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let place = Self { top: keep.path().canonicalize().unwrap(), _keep: Some(keep), config: Config::default() };
        for (_, folder) in INBOXES {
            fs::create_dir_all(place.project().join(folder)).unwrap();
        }
        for name in ["ben", "cleo"] {
            for folder in ["tmp", "new", "archive"] {
                fs::create_dir_all(place.project().join(".agents/inbox").join(name).join(folder)).unwrap();
            }
        }
        fs::create_dir_all(place.top.join("tmp")).unwrap();
        place
    }

    /// A place that another process made.
    pub fn at(top: &Path) -> Self {
        Self { top: top.to_owned(), _keep: None, config: Config::default() }
    }

    pub fn home(&self) -> PathBuf {
        self.top.join("home")
    }

    pub fn project(&self) -> PathBuf {
        self.home().join("work")
    }

    pub fn state(&self) -> PathBuf {
        self.top.join("state")
    }

    /// Puts a file below the project.
    pub fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Looks at the place anew, as every command does.
    pub fn session<'a>(&self, disk: Disk<'a>) -> Session<'a> {
        let ground = Ground::survey(&self.project(), Some(&self.home())).unwrap();
        let config = self.config.clone();
        let found = discover(&Start { ground: &ground, config: &config, agent_inbox_root: None, teams: false, named: &[] });
        assert!(found.inboxes.len() >= INBOXES.len(), "{found:?}");
        Session {
            project_rules: ProjectRules { own: config.rules(), projects: Vec::new() },
            config,
            clock: clock(),
            actor: Some(AgentName::parse("ava").unwrap()),
            ground,
            found,
            state: self.state(),
            temp: self.top.join("tmp"),
            disk,
        }
    }

    /// Every message that a look finds, live and archived, in a settled order.
    pub fn targets(&self, session: &Session<'_>) -> Vec<Target> {
        let mut out = Vec::new();
        let query = Query { part: Part::All, stamps: true, ..Query::default() };
        let unlooked = find::each(session, &inboxes(session), &query, &mut |inbox, message| {
            out.push(Target { inbox: inbox.clone(), message });
        });
        assert!(unlooked.is_empty(), "{unlooked:?}");
        out.sort_by(|a, b| a.message.path.cmp(&b.message.path));
        out
    }

    /// Every file of the home by the tokens it holds, postroom's own temporaries apart.
    pub fn sightings(&self) -> (BTreeMap<u32, Vec<PathBuf>>, BTreeMap<u32, Vec<PathBuf>>) {
        let (mut seen, mut hidden) = (BTreeMap::<u32, Vec<PathBuf>>::new(), BTreeMap::<u32, Vec<PathBuf>>::new());
        for entry in walkdir::WalkDir::new(self.home()) {
            let entry = entry.unwrap();
            if !entry.file_type().is_file() {
                continue;
            }
            let Some(token) = token_of(&fs::read(entry.path()).unwrap()) else { continue };
            let list = if Leftover::of(entry.file_name()).is_some() { &mut hidden } else { &mut seen };
            list.entry(token).or_default().push(entry.into_path());
        }
        (seen, hidden)
    }

    /// All events of the journal.
    pub fn events(&self, session: &Session<'_>) -> Vec<Event> {
        session.journal().last(usize::MAX, |_| true).unwrap().events
    }
}

/// The inboxes of a session.
pub fn inboxes<'s>(session: &'s Session<'_>) -> Vec<&'s Inbox> {
    session.found.inboxes.iter().collect()
}

/// The number that a message is known by, whatever becomes of its file.
pub fn token_of(bytes: &[u8]) -> Option<u32> {
    let text = String::from_utf8_lossy(bytes);
    let rest = text.split_once("token=")?.1;
    rest.split(';').next()?.parse().ok()
}

/// The body text that carries a token.
pub fn body(token: u32) -> String {
    format!("Body of token={token}; with\tblanks, \u{e9} and\n\n    an indented line.\n")
}

fn clock() -> Clock {
    Clock::utc("2026-05-20T09:00:00Z".parse().unwrap())
}

/// A letter to deliver.
pub fn letter(token: u32, to: &str, subject: &str) -> Letter {
    Letter {
        from: "ava".to_owned(),
        to: vec![to.to_owned()],
        cc: Vec::new(),
        bcc: None,
        subject: subject.to_owned(),
        sent: clock(),
        kind: "note".to_owned(),
        priority: Priority::Normal,
        tags: vec!["proof".to_owned()],
        thread: None,
        in_reply_to: None,
        origin: None,
        body: body(token),
    }
}

/// One recipient.
pub fn recipient(name: &str) -> Recipients {
    Recipients { to: vec![Recipient::parse(name).unwrap()], ..Recipients::default() }
}

/// What must stay of a message whatever its status becomes: all of its bytes but the status. An
/// added or removed status line counts as none.
pub fn essence(path: &Path, bytes: &[u8]) -> String {
    if path.to_string_lossy().contains(".json") {
        let mut value: serde_json::Value = serde_json::from_slice(bytes).unwrap();
        value.as_object_mut().unwrap().remove("status");
        return value.to_string();
    }
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut fences = 0;
    // `state` is another project's word for it.
    let is_status = |line: &str| {
        let line = line.trim_start_matches(['"', '\'']).to_ascii_lowercase();
        line.starts_with("status") || line.starts_with("state")
    };
    text.split_inclusive('\n')
        .filter(|line| {
            fences += usize::from(line.trim_start_matches('\u{feff}').trim_end() == "---");
            fences != 1 || !is_status(line)
        })
        .collect()
}

/// A message of a target, read again from its file.
pub fn bytes_of(message: &Message) -> Vec<u8> {
    fs::read(&message.path).unwrap()
}
