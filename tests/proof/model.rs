//! Random inboxes of every layout that can be written, random use-cases, and other people's hands in
//! between, against a model that is a list: every message, by what must stay of it.
//!
//! The model: a message is lost only where somebody else removed it; it is in one place; all of it
//! but its status stays as it was; every status that postroom changes is a legal move, and journalled.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use postroom::model::event::EventKind;
use postroom::model::inbox::Inbox;
use postroom::model::name::Recipient;
use postroom::model::status::{Lifecycle, Status, Transition};
use postroom::ops::doctor::{self, fix};
use postroom::ops::refs::Target;
use postroom::ops::session::Session;
use postroom::ops::{advance, archive, deliver, reply, sweep};
use postroom::store::atomic::Disk;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestRunner;

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
    let word = select(vec!["read", "DONE", "new", "wontfix", "\"unread\"", "actioned # x", "[a]", ""]);
    prop_oneof![
        4 => (pick(), select(vec!["plain", "Same", "same", "\u{e9}t\u{e9}: #1", "CON", "a/b\\c"])).prop_map(|(i, s)| Act::Send(i, s)),
        2 => pick().prop_map(Act::Reply),
        6 => (pick(), status(), any::<bool>()).prop_map(|(i, s, r)| Act::Mark(i, s, r)),
        4 => (pick(), prop::option::of(status()), any::<bool>()).prop_map(|(i, s, f)| Act::Archive(i, s, f)),
        3 => pick().prop_map(Act::Restore),
        2 => (0_u64..60).prop_map(Act::Sweep),
        1 => Just(Act::DoctorFix),
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
    let status = select(vec!["unread", "READ", "'actioned'", "resolved", "done", "odd", "unread  # c", "[x]"]);
    (0..INBOXES.len(), 0_usize..8, status, 1_u32..31).prop_map(|(inbox, form, status, day)| Seed { inbox, form, status, day })
}

fn plant(place: &Place, seed: &Seed, token: u32) {
    let Seed { inbox, form, status, day } = seed;
    let folder = INBOXES[*inbox].1;
    let date = format!("2026-04-{day:02}");
    let body = body(token);
    if folder.ends_with("dora/inbox") {
        let member = if form % 2 == 0 { format!(", \"status\": {status:?}") } else { String::new() };
        let text = format!(
            "{{\"id\": \"m{token}\", \"from\": \"a\", \"date\": \"{date}\", \"x\": [1, {{}}], \"body\": \"token={token};\"{member}}}\n"
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
        let after = self.statuses(session, matches!(act, Act::Mark(..)));
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
                let owner = INBOXES[index.index(INBOXES.len())].0;
                let addressed = deliver::address(session, &inboxes(session), &recipient(owner), &none).unwrap();
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
                fs::create_dir_all(self.place.project().join(&folder)).unwrap();
                let to = self.place.project().join(folder).join(target.message.path.file_name().unwrap());
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

    fn learn_new(&mut self) {
        let known = self.model.clone();
        self.learn("sent");
        self.model.extend(known);
    }
}

fn archive_of(inbox: &Inbox) -> String {
    let folder = INBOXES.iter().find(|(_, folder)| inbox.path.ends_with(folder)).unwrap().1;
    format!("{folder}/{}", if inbox.layout.as_str() == "soma" { "_archive" } else { "archive" })
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
    let lives = (prop::collection::vec(seed(), 0..14), prop::collection::vec(act(), 1..40));
    let lived = TestRunner::new(config).run(&lives, |(seeds, acts)| {
        let mut run = Run { place: Place::new(), model: BTreeMap::new(), next: 1000 };
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
    lived.unwrap_or_else(|failure| panic!("{failure}"));
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
