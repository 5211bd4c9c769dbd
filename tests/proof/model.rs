//! Random inboxes of every layout that can be written, random use-cases, and other people's hands in
//! between, against a model that is a list: every message, by what must stay of it.
//!
//! The model: a message is lost only where somebody else removed it; it is in one place; all of it
//! but its status stays as it was; every status that postroom changes is a legal move, and journalled.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use postroom::config::Config;
use postroom::layout::{self, Layout, RawField, RawValue};
use postroom::model::event::EventKind;
use postroom::model::inbox::{Inbox, LayoutId};
use postroom::model::letter::Letter;
use postroom::model::message::Message;
use postroom::model::name::{AgentName, Recipient};
use postroom::model::status::{Lifecycle, Status, Transition};
use postroom::ops::doctor::{self, fix};
use postroom::ops::refs::Target;
use postroom::ops::session::Session;
use postroom::ops::{advance, archive, deliver, init, migrate, reply, sweep};
use postroom::store::atomic::Disk;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use crate::world::{INBOXES, Place, body, bytes_of, essence, inboxes, letter, recipient, token_of};

/// What is done next. Messages and inboxes are picked by number among those there are.
#[derive(Debug, Clone)]
enum Act {
    Send(Index, &'static str),
    Reply(Index),
    Mark(Index, Status, bool),
    Archive(Index, Option<Status>, bool),
    Restore(Index),
    Sweep(u64),
    DoctorFix,
    /// A letter to everybody but its sender.
    Broadcast(Index, &'static str),
    /// A message is shown, and marked read because it was.
    Read(Index),
    /// All that is unread in one inbox is shown and marked read.
    Receive(Index),
    /// The messages of one inbox go into another, or are copied; with the archive or without.
    Migrate(Index, Index, bool, bool),
    /// A new inbox.
    Init(&'static str, LayoutId),
    /// Somebody writes another status word by hand.
    HandStatus(Index, &'static str),
    /// Somebody adds to the body.
    HandBody(Index),
    /// Somebody gives a file another name.
    Rename(Index),
    /// Somebody moves a file to the archive folder by hand.
    MoveByHand(Index),
    /// Somebody removes a file.
    Remove(Index),
    /// A use-case works with what was read before somebody changed or renamed the file.
    Stale(Index, bool, Status),
}

fn act() -> impl Strategy<Value = Act> {
    let pick = any::<Index>;
    let status = || select(Status::ALL.to_vec());
    let word = select(vec!["read", "DONE", "new", "wontfix", "pending", "\"unread\"", "actioned # x", "[a]", ""]);
    prop_oneof![
        4 => (pick(), select(vec!["plain", "Same", "same", "\u{e9}t\u{e9}: #1", "CON", "a/b\\c"])).prop_map(|(i, s)| Act::Send(i, s)),
        2 => pick().prop_map(Act::Reply),
        6 => (pick(), status(), any::<bool>()).prop_map(|(i, s, r)| Act::Mark(i, s, r)),
        4 => (pick(), prop::option::of(status()), any::<bool>()).prop_map(|(i, s, f)| Act::Archive(i, s, f)),
        3 => pick().prop_map(Act::Restore),
        2 => (0_u64..60).prop_map(Act::Sweep),
        1 => Just(Act::DoctorFix),
        1 => (pick(), select(vec!["to all", "Same"])).prop_map(|(i, s)| Act::Broadcast(i, s)),
        2 => pick().prop_map(Act::Read),
        1 => pick().prop_map(Act::Receive),
        2 => (pick(), pick(), any::<bool>(), any::<bool>()).prop_map(|(f, t, c, a)| Act::Migrate(f, t, c, a)),
        1 => select(vec![("eve", LayoutId::Agents), ("fay", LayoutId::Json)]).prop_map(|(n, l)| Act::Init(n, l)),
        2 => (pick(), word).prop_map(|(i, w)| Act::HandStatus(i, w)),
        1 => pick().prop_map(Act::HandBody),
        2 => pick().prop_map(Act::Rename),
        1 => pick().prop_map(Act::MoveByHand),
        1 => pick().prop_map(Act::Remove),
        2 => (pick(), any::<bool>(), status()).prop_map(|(i, e, s)| Act::Stale(i, e, s)),
    ]
}

/// A message as somebody may have left it.
#[derive(Debug, Clone)]
struct Seed {
    inbox: usize,
    form: usize,
    status: &'static str,
    day: u32,
}

fn seed() -> impl Strategy<Value = Seed> {
    let status = select(vec!["unread", "READ", "'actioned'", "resolved", "done", "odd", "pending", "unread  # c", "[x]"]);
    (0..INBOXES.len(), 0_usize..10, status, 1_u32..31).prop_map(|(inbox, form, status, day)| Seed { inbox, form, status, day })
}

fn plant(place: &Place, seed: &Seed, token: u32) {
    let Seed { inbox, form, status, day } = seed;
    let folder = INBOXES[*inbox].1;
    let date = format!("2026-04-{day:02}");
    let body = body(token);
    if folder.ends_with("dora/inbox") {
        let member = if form % 2 == 0 { format!(", \"status\": {status:?}") } else { String::new() };
        // Numbers are dates in JSON, too: seconds, and thousandths of them.
        let date = [format!("\"{date}\""), format!("177{day:02}00000"), format!("177{day:02}00000000")][form / 2 % 3].clone();
        let text = format!(
            "{{\"id\": \"m{token}\", \"from\": \"a\", \"date\": {date}, \"x\": [1, {{}}], \"body\": \"token={token};\"{member}}}\n"
        );
        let name = ["{}.json", "{}.json.read", "processed/{}.json"][form % 3].replace("{}", &format!("m{token}"));
        place.put(&format!("{folder}/{name}"), text);
        return;
    }
    let header = format!("from: ben\nx-key:  'kept' # so\ndate: {date}\nstatus: {status}\ntags: [a, b]\n");
    let text = match form {
        0 => format!("---\n{header}---\n{body}").replace('\n', "\r\n"),
        1 => format!("\u{feff}---\n{header}---\n{body}"),
        2 => format!("---\nfrom: ben\nx-key: |\n  two\n  lines\n---\n{body}"),
        3 => body,
        4 => format!("---\n{header}{body}"),
        5 => format!("---\n{header}status: read\n---\n{body}"),
        // Another project's keys.
        6 => format!("---\nfrom: ben\nx-key: 'kept'\nsent-on: {date}\nstate: {status}\n---\n{body}"),
        _ => format!("---\n{header}---\n{body}"),
    };
    let folder = if folder.contains(".agents") { format!("{folder}/new") } else { folder.to_owned() };
    // Several messages of one name but for its letter case, and in the archive, too.
    let name = if form % 2 == 0 { format!("{date}-m.md") } else { format!("{date}-M{token}.md") };
    let path = place.project().join(&folder).join(&name);
    let name = if path.exists() { format!("{date}-m-{token}.md") } else { name };
    place.put(&format!("{folder}/{name}"), text);
}

struct Run {
    place: Place,
    /// By token: what must stay of it.
    model: BTreeMap<u32, String>,
    next: u32,
}

impl Run {
    fn seen(&self, context: &str) -> BTreeMap<u32, std::path::PathBuf> {
        let (seen, hidden) = self.place.sightings();
        assert!(hidden.is_empty(), "{context}: temporaries left: {hidden:?}");
        let lost: Vec<_> = self.model.keys().filter(|token| !seen.contains_key(token)).collect();
        assert!(lost.is_empty(), "{context}: lost {lost:?}");
        let doubled: Vec<_> = seen.iter().filter(|(_, paths)| paths.len() != 1).collect();
        assert!(doubled.is_empty(), "{context}: doubled {doubled:?}");
        seen.into_iter().map(|(token, mut paths)| (token, paths.remove(0))).collect()
    }

    fn check(&mut self, context: &str) {
        for (token, path) in self.seen(context) {
            let now = essence(&path, &fs::read(&path).unwrap());
            match self.model.get(&token) {
                Some(old) => assert_eq!(now, *old, "{context}: {}", path.display()),
                None => panic!("{context}: {token} appeared"),
            }
        }
    }

    /// The model learns what somebody else did, or what was sent.
    fn learn(&mut self, context: &str) {
        for (token, path) in self.seen(context) {
            self.model.insert(token, essence(&path, &fs::read(&path).unwrap()));
        }
    }

    fn pick(&self, session: &Session<'_>, index: Index, archived: Option<bool>) -> Option<Target> {
        let mut targets = self.place.targets(session);
        targets.retain(|t| archived.is_none_or(|wanted| t.message.archived == wanted));
        (!targets.is_empty()).then(|| targets.swap_remove(index.index(targets.len())))
    }

    /// What statuses say, by token; and of messages that have no word for it, unless it says `all`,
    /// nothing: theirs is where they lie, which is what a move changes.
    fn statuses(&self, session: &Session<'_>, all: bool) -> BTreeMap<u32, Status> {
        let mut targets = self.place.targets(session);
        targets.retain(|t| all || t.message.raw_status.is_some());
        targets.iter().filter_map(|t| Some((token_of(&bytes_of(&t.message))?, t.message.status))).collect()
    }

    fn act(&mut self, act: &Act) {
        let context = format!("{act:?}");
        let session = self.place.session(Disk::new());
        let before = self.statuses(&session, true);
        let told = self.place.events(&session).len();
        let ours = self.carry_out(&session, act);
        let session = self.place.session(Disk::new());
        if ours {
            self.check(&context);
            self.check_moves(&session, &before, told, act);
        } else {
            self.learn(&context);
        }
    }

    /// Every status that changed is a legal move, and the journal tells it.
    fn check_moves(&self, session: &Session<'_>, before: &BTreeMap<u32, Status>, told: usize, act: &Act) {
        let after = self.statuses(session, matches!(act, Act::Mark(..) | Act::Read(_) | Act::Receive(_)));
        let events = &self.place.events(session)[told..];
        let reopen = matches!(act, Act::Mark(_, _, true));
        let mut moves = 0;
        for (token, from) in before {
            let Some(to) = after.get(token).filter(|to| *to != from) else { continue };
            moves += 1;
            let planned = Transition::plan(*from, *to, Lifecycle::Free, reopen);
            assert!(matches!(planned, Ok(Some(_))), "{act:?}: {from} → {to}");
            let is_told = |e: &postroom::model::event::Event| {
                matches!(e.event, EventKind::Mark | EventKind::Reopen)
                    && e.from.as_deref() == Some(from.word())
                    && e.to.as_deref() == Some(to.word())
            };
            assert!(events.iter().any(is_told), "{act:?}: {from} → {to} is not in {events:?}");
        }
        let marks = events.iter().filter(|e| matches!(e.event, EventKind::Mark | EventKind::Reopen)).count();
        assert!(moves <= marks, "{act:?}: {events:?}");
    }

    /// Does it. Gives whether it was postroom that did.
    fn carry_out(&mut self, session: &Session<'_>, act: &Act) -> bool {
        let none = |_: &Recipient| None;
        match act {
            Act::Send(index, subject) => {
                let owner = inbox_at(session, *index).owner.as_str();
                let addressed = match deliver::address(session, &inboxes(session), &recipient(owner), &none) {
                    Ok(addressed) => addressed,
                    // Where an agent has two inboxes, somebody has to say which.
                    Err(report) => {
                        let named = session.found.inboxes.iter().filter(|inbox| inbox.is_owned_by(owner)).count();
                        assert!(report.kind == "ambiguous-recipient" && named > 1, "{report:?}");
                        return true;
                    }
                };
                let letter = letter(self.next, owner, subject);
                let done = deliver::deliver(session, &letter, &addressed.copies, EventKind::Send, false).unwrap();
                assert_eq!((done.delivered.len(), done.failed.len()), (1, 0), "{done:?}");
                self.next += 1;
                self.learn_new();
            }
            Act::Reply(index) => {
                let Some(target) = self.pick(session, *index, None) else { return true };
                let wanted = reply::Wanted::default();
                if let Ok(answer) = reply::prepare(session, &inboxes(session), None, &target, &wanted) {
                    let mut letter = letter(self.next, "x", &answer.subject);
                    letter.in_reply_to = Some(answer.in_reply_to);
                    let sent = deliver::deliver(session, &letter, &answer.addressed.copies, EventKind::Reply, false);
                    if sent.is_ok_and(|d| !d.delivered.is_empty()) {
                        self.next += 1;
                    }
                    self.learn_new();
                }
            }
            Act::Broadcast(index, subject) => {
                let sender = inbox_at(session, *index).owner.as_str();
                let addressed = deliver::everyone(session, &inboxes(session), sender).unwrap();
                let letter = Letter { from: sender.to_owned(), ..letter(self.next, "all", subject) };
                let done = deliver::deliver(session, &letter, &addressed.copies, EventKind::Send, false).unwrap();
                assert!(done.delivered.len() == addressed.copies.len() && done.failed.is_empty(), "{done:?}");
                assert!(done.delivered.len() + 1 >= INBOXES.len(), "{done:?}");
                let copies: Vec<PathBuf> = done.delivered.into_iter().map(|copy| copy.message.path).collect();
                self.set_apart(&copies, self.next);
                self.learn_new();
            }
            Act::Read(index) => {
                let Some(target) = self.pick(session, *index, None) else { return true };
                let source = postroom::ops::show::source(&target).unwrap();
                let _ = advance::seen(session, &target, &source, &advance::Options::default());
            }
            Act::Receive(index) => {
                let inbox = inbox_at(session, *index).clone();
                let mut unread = self.place.targets(session);
                unread.retain(|t| t.inbox.path == inbox.path && !t.message.archived && t.message.status == Status::Unread);
                for target in unread {
                    let source = postroom::ops::show::source(&target).unwrap();
                    if let Ok(marked) = advance::seen(session, &target, &source, &advance::Options::default()) {
                        assert_eq!(marked.unwrap().message.status, Status::Read);
                    }
                }
            }
            Act::Migrate(from, to, copy, all) => {
                let (from, to) = (inbox_at(session, *from), inbox_at(session, *to));
                let options = migrate::Options { copy: *copy, all: *all, dry_run: false };
                let Ok(done) = migrate::migrate(session, from, to, options) else {
                    assert_eq!(from.path, to.path, "any inbox here can be the goal of any other");
                    return true;
                };
                let mut copies = Vec::new();
                for gone in &done.gone {
                    let original = gone.archived_path.as_ref().unwrap_or(&gone.before.path);
                    says_the_same(session, (from, &gone.before, original), (to, &gone.after));
                    copies.push(gone.after.path.clone());
                }
                for (message, report) in &done.failed {
                    assert!(message.path.exists() && !report.message.is_empty(), "what stays is where it was");
                }
                self.set_apart(&copies, self.next);
                self.learn_new();
            }
            Act::Init(name, layout) => {
                let before = self.place.sightings().0;
                let wanted =
                    init::Wanted { layout: Some(*layout), agent: Some(AgentName::parse(name).unwrap()), ..Default::default() };
                let made = init::init(session, &wanted);
                assert!(made.is_ok() || session.found.inboxes.iter().any(|i| i.owner.matches(name)), "{made:?}");
                assert_eq!(self.place.sightings().0, before);
            }
            Act::Mark(index, to, reopen) => {
                let Some(target) = self.pick(session, *index, None) else { return true };
                let options = advance::Options { reopen: *reopen, ..advance::Options::default() };
                if let Ok(marked) = advance::mark(session, &target, *to, &options) {
                    assert_eq!(marked.message.status, *to);
                    let again = advance::mark(session, &Target { message: marked.message, ..target }, *to, &options);
                    assert!(!again.unwrap().changed, "twice is once");
                }
            }
            Act::Archive(index, mark, force) => {
                let Some(target) = self.pick(session, *index, None) else { return true };
                let note = force.then(|| "for the proof".to_owned());
                let options = archive::Options { mark: *mark, force: *force, note, dry_run: false };
                if let Ok(moved) = archive::archive(session, &target, &options) {
                    assert!(moved.message.archived && moved.to_path.exists());
                }
            }
            Act::Restore(index) => {
                let Some(target) = self.pick(session, *index, Some(true)) else { return true };
                let moved = archive::restore(session, &target, &archive::Options::default());
                moved.unwrap_or_else(|report| panic!("what is archived can be restored: {report:?}"));
            }
            Act::Sweep(days) => {
                let before = sweep::Options::day_limit(session.clock.today(), *days);
                let options = sweep::Options::new(Some(before), Vec::new(), false);
                let swept = sweep::sweep(session, &inboxes(session), &options);
                assert!(swept.failed.is_empty(), "{:?}", swept.failed);
                assert!(swept.archived.iter().all(|s| s.message.status.is_handled()));
            }
            Act::DoctorFix => {
                let order =
                    doctor::Order { inboxes: inboxes(session), problems: Vec::new(), hosts: Vec::new(), only: Vec::new() };
                let found = doctor::examine(session, &order);
                let statuses = self.statuses(session, true);
                for plan in fix::plan(session, &order, &found).0 {
                    fix::carry_out(session, &plan).unwrap();
                }
                assert_eq!(self.statuses(session, true), statuses, "mending changes no status");
                // Its edits of headers have laws of their own (`tests/harness`); bodies stay.
                self.learn("doctor --fix");
            }
            Act::HandStatus(index, word) => {
                let Some(target) = self.pick(session, *index, None) else { return false };
                by_hand_status(&target.message.path, word);
                return false;
            }
            Act::HandBody(index) => {
                let Some(target) = self.pick(session, *index, None) else { return false };
                if target.inbox.layout.as_str() != "json" {
                    let text = [bytes_of(&target.message), b"P.S. by hand\n".to_vec()].concat();
                    fs::write(&target.message.path, text).unwrap();
                }
                return false;
            }
            Act::Rename(index) => {
                let Some(target) = self.pick(session, *index, None) else { return false };
                rename_by_hand(&target.message.path, self.next);
                self.next += 1;
                return false;
            }
            Act::MoveByHand(index) => {
                let Some(target) = self.pick(session, *index, Some(false)) else { return false };
                let folder = archive_of(&target.inbox);
                fs::create_dir_all(&folder).unwrap();
                let to = folder.join(target.message.path.file_name().unwrap());
                if !to.exists() {
                    fs::rename(&target.message.path, to).unwrap();
                }
                return false;
            }
            Act::Remove(index) => {
                let Some(target) = self.pick(session, *index, None) else { return false };
                let token = token_of(&bytes_of(&target.message)).unwrap();
                fs::remove_file(&target.message.path).unwrap();
                self.model.remove(&token);
                return false;
            }
            Act::Stale(index, edit, to) => {
                let Some(target) = self.pick(session, *index, Some(false)) else { return false };
                let source = postroom::ops::show::source(&target).unwrap();
                if *edit {
                    by_hand_status(&target.message.path, "resolved");
                } else {
                    rename_by_hand(&target.message.path, self.next);
                    self.next += 1;
                }
                let now = self.place.sightings().0;
                let options = advance::Options { reopen: true, ..advance::Options::default() };
                if let Ok(planned) = advance::plan(session, &target, &source, *to, &options)
                    && !planned.plan.ops.is_empty()
                    && self.place.project().join(&target.message.path).symlink_metadata().ok().map(|m| m.len())
                        != Some(source.bytes.len() as u64)
                {
                    let report = session.commit(&target.inbox, &planned.plan).unwrap_err();
                    assert_eq!(report.exit.code(), 4, "{report:?}");
                    assert_eq!(self.place.sightings().0, now, "nothing was written");
                }
                return false;
            }
        }
        true
    }

    /// Gives each of some copies a token of its own, so that the model can tell them apart; `sent`
    /// counts as used.
    fn set_apart(&mut self, copies: &[PathBuf], sent: u32) {
        self.next = self.next.max(sent + 1);
        for path in copies {
            let text = fs::read(path).unwrap();
            let old = format!("token={};", token_of(&text).unwrap_or_else(|| panic!("{}: no token", path.display())));
            let at = text.windows(old.len()).position(|w| w == old.as_bytes()).unwrap();
            let new = format!("token={};", self.next);
            fs::write(path, [&text[..at], new.as_bytes(), &text[at + old.len()..]].concat()).unwrap();
            self.next += 1;
        }
    }

    fn learn_new(&mut self) {
        let known = self.model.clone();
        self.learn("sent");
        self.model.extend(known);
    }
}

fn inbox_at<'s>(session: &'s Session<'_>, index: Index) -> &'s Inbox {
    &session.found.inboxes[index.index(session.found.inboxes.len())]
}

/// What went into another inbox says there what it said: its text, its status, and every key that
/// means nothing to postroom; and the original is as it was.
fn says_the_same(session: &Session<'_>, (from, before, original): (&Inbox, &Message, &Path), (to, after): (&Inbox, &Message)) {
    assert_eq!(before.status, after.status, "{before:?} {after:?}");
    let (old, new) = (fs::read(original).unwrap(), fs::read(&after.path).unwrap());
    let (here, there) = (layout::of(from.layout), layout::of(to.layout));
    let text = |layout: &dyn Layout, message: &Message, bytes: &[u8]| layout.body(message, bytes).trim_ascii().to_vec();
    assert_eq!(
        String::from_utf8_lossy(&text(here, before, &old)),
        String::from_utf8_lossy(&text(there, after, &new)),
        "{before:?} {after:?}"
    );
    let kept = there.raw_fields(&session.rules(to).dialect, after, &new);
    for field in here.raw_fields(&session.rules(from).dialect, before, &old).iter().filter(|f| f.meaning.is_none()) {
        let same = |other: &RawField| {
            let text = |value: &RawValue| value.as_text().map(|t| t.trim().trim_matches(['"', '\'']).to_owned());
            other.key.ends_with(&field.key) && (other.value == field.value || text(&other.value) == text(&field.value))
        };
        assert!(kept.iter().any(same), "{field:?} is not among {kept:?}");
    }
}

fn archive_of(inbox: &Inbox) -> PathBuf {
    inbox.path.join(if inbox.layout.as_str() == "soma" { "_archive" } else { "archive" })
}

fn by_hand_status(path: &Path, word: &str) {
    let bytes = fs::read(path).unwrap();
    let Ok(text) = String::from_utf8(bytes) else { return };
    let Some(at) = text.find("status: ").map(|at| at + 8) else { return };
    let end = at + text[at..].find(['\r', '\n']).unwrap();
    fs::write(path, format!("{}{word}{}", &text[..at], &text[end..])).unwrap();
}

fn rename_by_hand(path: &Path, number: u32) {
    let name = path.file_name().unwrap().to_string_lossy();
    let ending = if name.ends_with(".json.read") { ".json.read" } else { &name[name.rfind('.').unwrap()..] };
    fs::rename(path, path.with_file_name(format!("renamed-{number}{ending}"))).unwrap();
}

/// How many random lives are lived, unless `POSTROOM_PROOF_CASES` says otherwise.
const CASES: u32 = 60;

#[test]
fn nothing_is_lost_whatever_is_done() {
    let cases = std::env::var("POSTROOM_PROOF_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(CASES);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let done = AtomicUsize::new(0);
    let lives = (prop::collection::vec(seed(), 0..14), prop::collection::vec(act(), 1..40), any::<bool>());
    // The same lives again: POSTROOM_PROOF_SEED=<what was printed>.
    let start = std::env::var("POSTROOM_PROOF_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        u64::try_from(now.as_nanos() & u128::from(u64::MAX)).unwrap()
    });
    println!("POSTROOM_PROOF_SEED={start}");
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&start.to_le_bytes());
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let lived = TestRunner::new_with_rng(config, random).run(&lives, |(seeds, acts, own_words)| {
        let mut place = Place::new();
        if own_words {
            let words =
                "[status-words]\npending = \"unread\"\nwontfix = \"resolved\"\n[keys]\nstate = \"status\"\nsent-on = \"date\"\n";
            place.config = Config::parse_user(words, Path::new("/c/config.toml"), None).unwrap();
        }
        let mut run = Run { place, model: BTreeMap::new(), next: 1000 };
        for (token, seed) in (1..).zip(&seeds) {
            plant(&run.place, seed, token);
        }
        run.learn("at first");
        prop_assert_eq!(run.model.len(), seeds.len());
        for act in &acts {
            run.act(act);
            done.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    });
    lived.unwrap_or_else(|failure| panic!("POSTROOM_PROOF_SEED={start} POSTROOM_PROOF_CASES={cases}: {failure}"));
    println!("{} operations in {cases} lives, 0 losses", done.into_inner());
}

/// A message that only its folder calls read, and whose own word is none, keeps being read in the archive.
#[test]
fn what_is_read_by_its_place_alone_is_read_in_the_archive_too() {
    let place = Place::new();
    plant(&place, &Seed { inbox: 3, form: 2, status: "odd", day: 1 }, 1);
    let session = place.session(Disk::new());
    let target = place.targets(&session).remove(0);
    assert_eq!(target.message.status, Status::Read);
    let options = archive::Options { mark: Some(Status::Read), force: true, note: Some("x".to_owned()), dry_run: false };
    let moved = archive::archive(&session, &target, &options).unwrap();
    assert_eq!(moved.message.status, Status::Read);
}
