//! `doctor`: everything that is wrong, or soon will be, in the inboxes in scope.
//!
//! One pass: each file is read once, its header and the first part of its body; the families of rules
//! look at it while it is in hand. What concerns several messages (threads, twins) is judged at the
//! end. Nothing is changed here; [`fix`] plans and carries out what is safe to mend.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;

use super::find::unlooked_at;
use super::session::Session;
use super::setup::Standing;
use super::thread::Index;
use crate::layout::Which;
use crate::model::inbox::Inbox;
use crate::model::message::Message;
use crate::store::discover::Problem;
use crate::store::scan::{Beside, Scan};
use crate::text::tidy::Mend;
use look::Look;
use rules::{Rule, Severity};
use twins::Twins;

mod content;
pub mod fix;
mod header;
mod hooks;
mod life;
mod look;
mod names;
mod places;
pub mod rules;
mod soma;
mod threads;
mod twins;

/// How much of a file is looked at, in bytes: enough for every message that is none of a document.
const CLOSELY: usize = 256 * 1024;

/// What to look at, and what for.
#[derive(Debug, Default)]
pub struct Order<'a> {
    /// The inboxes that are judged. Threads are followed through all that were discovered.
    pub inboxes: Vec<&'a Inbox>,
    /// What discovery could not look into.
    pub problems: Vec<&'a Problem>,
    /// How the hosts found on this machine stand.
    pub hosts: Vec<Standing>,
    /// Only these rules; none: all.
    pub only: Vec<&'static Rule>,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// The inbox it is about, by name; empty where it is about none.
    pub inbox: String,
    /// The file or folder.
    pub path: PathBuf,
    /// The line in it, from 1, where there is one to name.
    pub line: Option<usize>,
    /// What is wrong, in one clause. Never a secret, but words of other agents.
    pub text: String,
    /// How `--fix` would mend it; `None` where a person has to.
    pub repair: Option<Repair>,
}

impl Finding {
    fn new(rule: &'static Rule, inbox: &str, path: &Path, text: impl Into<String>) -> Self {
        Self { rule, inbox: inbox.to_owned(), path: path.to_owned(), line: None, text: text.into(), repair: None }
    }

    fn of(rule: &'static Rule, message: &Message, text: impl Into<String>) -> Self {
        Self::new(rule, &message.inbox, &message.path, text)
    }

    fn line(self, line: Option<usize>) -> Self {
        Self { line, ..self }
    }

    fn repair(self, repair: Repair) -> Self {
        Self { repair: Some(repair), ..self }
    }
}

/// What `--fix` can do about a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Repair {
    /// Mend the header, all its words kept.
    Header(Mend),
    /// Write `unread` where the header has no status word.
    WriteUnread,
    /// Remove copies that postroom itself made and did not clean up.
    RemoveCopies,
}

/// What an examination found.
#[derive(Debug, Default)]
pub struct Checkup {
    /// The findings: errors first, then by place.
    pub findings: Vec<Finding>,
    /// How many messages were looked at.
    pub messages: usize,
}

impl Checkup {
    /// How many findings are of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|f| f.rule.severity == severity).count()
    }

    /// Whether errors are among the findings.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }
}

/// Looks at everything in scope.
pub fn examine(session: &Session<'_>, order: &Order<'_>) -> Checkup {
    let today = session.clock.today();
    let mut exam = Exam { session, today, findings: Vec::new(), parent_lines: HashMap::new() };
    let mut messages = Vec::new();
    let mut unlooked = Vec::new();
    let mut twins = Twins::default();
    let mut judged = 0;
    places::problems(&mut exam, &order.problems);
    hooks::judge(&mut exam, &order.hosts);
    let in_scope = |inbox: &Inbox| order.inboxes.iter().any(|i| i.path == inbox.path);
    // Inboxes that were named beyond those discovered come last.
    let beyond = order.inboxes.iter().copied().filter(|i| !session.found.inboxes.iter().any(|f| f.path == i.path));
    for inbox in session.found.inboxes.iter().chain(beyond) {
        let asked = in_scope(inbox);
        if asked {
            places::inbox(&mut exam, inbox);
        }
        let scan = Scan { inbox, dialect: &session.rules(inbox).dialect, clock: &session.clock, stamps: asked };
        let want = if asked { CLOSELY } else { crate::store::read::HEAD };
        let mut last = PathBuf::new();
        let Beside { leftovers, problems } = scan.closely(&[Which::Live, Which::Archived], want, &mut |message, head| {
            if asked {
                judged += 1;
                let look = Look::new(session, inbox, &message, head);
                // Several messages may share a file; it is looked at once.
                exam.message(&look, message.path != last);
                twins.add(&look);
                last.clone_from(&message.path);
            }
            messages.push(message);
        });
        if asked {
            places::leftovers(&mut exam, inbox, &leftovers);
            places::closed(&mut exam, inbox, &problems);
        }
        unlooked.extend(problems.into_iter().map(|(path, error)| unlooked_at(inbox, path, &error)));
    }
    twins.judge(&mut exam);
    let index = Index::of(session, messages, unlooked);
    threads::judge(&mut exam, &index, &in_scope);
    let mut findings = exam.findings;
    findings.retain(|f| order.only.is_empty() || order.only.contains(&f.rule));
    findings.sort_by(|a, b| sort_key(a).cmp(&sort_key(b)));
    Checkup { findings, messages: judged }
}

fn sort_key(finding: &Finding) -> (Severity, &str, &Path, Option<usize>, &str) {
    (finding.rule.severity, finding.rule.id, &finding.path, finding.line, &finding.text)
}

/// An examination under way.
struct Exam<'s> {
    session: &'s Session<'s>,
    today: NaiveDate,
    findings: Vec<Finding>,
    /// The line of the reference to a parent in each file that has one.
    parent_lines: HashMap<PathBuf, usize>,
}

impl Exam<'_> {
    fn push(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Judges one message by itself. `first`: it is the first one of its file.
    fn message(&mut self, look: &Look<'_>, first: bool) {
        let before = self.findings.len();
        header::judge(self, look);
        let telling = self.findings.get(before..).unwrap_or_default().iter().map(|f| f.rule).collect::<Vec<_>>();
        soma::judge(self, look, &telling);
        names::judge(self, look);
        life::judge(self, look, &telling);
        content::judge(self, look, first);
        if !look.message.header.in_reply_to.is_empty()
            && let Some(line) = look.line_of("in_reply_to")
        {
            self.parent_lines.insert(look.message.path.clone(), line);
        }
    }
}
