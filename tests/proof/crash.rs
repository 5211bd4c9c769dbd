//! Whole use-cases that are stopped before every one of their steps, by an error or by the end of
//! the process; and processes killed at random moments. Afterwards a fresh run finds every message
//! whole in one place, and finishes what was begun.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use postroom::error::Report;
use postroom::host::registration::Program;
use postroom::host::{Host, Level, Places};
use postroom::model::event::EventKind;
use postroom::model::message::Warning;
use postroom::model::name::{AgentName, Recipient};
use postroom::model::status::Status;
use postroom::ops::doctor::{self, fix};
use postroom::ops::refs::{self, Target, Want};
use postroom::ops::schedule::{At, Job, projects};
use postroom::ops::session::Session;
use postroom::ops::{advance, alias, archive, deliver, init, inject, migrate, settings, setup, sweep};
use postroom::store::atomic::{Disk, Step};

use crate::support::{World, letter as plain_letter};
use crate::world::{Place, body, essence, inboxes, letter, recipient, token_of};

/// A whole use-case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Mark,
    MarkJson,
    SendSoma,
    SendAgents,
    SendJson,
    Archive,
    ArchiveAcross,
    ArchiveMark,
    ArchiveMarkJson,
    Restore,
    Sweep,
    Inject,
    Setup,
    Alias,
    DoctorFix,
    MigrateSoma,
    MigrateAgents,
    MigrateJson,
    MigrateAcross,
    Init,
    Schedule,
}

use Case::{
    Alias, Archive, ArchiveAcross, ArchiveMark, ArchiveMarkJson, DoctorFix, Init, Inject, Mark, MarkJson, MigrateAcross,
    MigrateAgents, MigrateJson, MigrateSoma, Restore, Schedule, SendAgents, SendJson, SendSoma, Setup, Sweep,
};

const CASES: [Case; 21] = [
    Mark,
    MarkJson,
    SendSoma,
    SendAgents,
    SendJson,
    Archive,
    ArchiveAcross,
    ArchiveMark,
    ArchiveMarkJson,
    Restore,
    Sweep,
    Inject,
    Setup,
    Alias,
    DoctorFix,
    MigrateSoma,
    MigrateAgents,
    MigrateJson,
    MigrateAcross,
    Init,
    Schedule,
];

/// The token of the message that a sender is about to send.
const NEW: u32 = 99;

/// Where the messages of most cases lie.
const ORIGINALS: &str = ".soma/inbox";

const INSTRUCTIONS: &str = "# Rules\n\nBe kind.\n";
const SETTINGS: &str = "{\n  \"model\": \"x\" \n}\n";
const CONFIG: &str = "# mine\nagent = \"ava\"\n";

fn message(token: u32, status: &str, date: &str) -> String {
    format!("---\nfrom: ben\ndate: {date}\nstatus: {status}\nx-odd: [a, b]\nsubject: s{token}\n---\n{}", body(token))
}

fn prepare(place: &Place) {
    for (token, name, status) in [
        (1, "2026-05-01-one.md", "unread"),
        (2, "2026-04-01-two.md", "actioned"),
        (3, "2026-04-02-three.md", "resolved"),
        (4, "2026-04-03-four.md", "unread # with a remark"),
    ] {
        let text = message(token, status, &name[..10]);
        // An answer, whose reference a migration has to lead on.
        let answers = "in-reply-to: .soma/inbox/2026-04-02-three.md\nx-odd";
        let text = if token == 4 { text.replace("x-odd", answers) } else { text };
        place.put(&format!(".soma/inbox/{name}"), text);
    }
    // A name that a migration will meet, too.
    place.put(".claude/inbox/2026-04-02-three.md", message(8, "resolved", "2026-04-02"));
    place.put(".soma/inbox/_archive/2026-03-01-five.md", message(5, "resolved", "2026-03-01"));
    // A name that the sweep will meet.
    place.put(".soma/inbox/_archive/2026-04-01-two.md", message(6, "resolved", "2026-04-01"));
    let json = format!(r#"{{"id": "m7", "from": "a", "to": "dora", "odd": [1, 2.0], "body": "token=7;"{}}}"#, "");
    place.put(".team/agents/dora/inbox/m7.json", json);
    place.put("CLAUDE.md", INSTRUCTIONS);
    place.put(".claude/settings.json", SETTINGS);
    place.put(".postroom.toml", CONFIG);
}

fn target(place: &Place, session: &Session<'_>, name: &str) -> Result<Target, Report> {
    let _ = place;
    refs::resolve(session, &inboxes(session), name, Want::Live)
}

impl Case {
    fn run(self, place: &Place, session: &Session<'_>) -> Result<Vec<Warning>, Report> {
        let mark = |name, to| {
            let options = advance::Options::default();
            advance::mark(session, &target(place, session, name)?, to, &options).map(|m| m.warnings)
        };
        let archive = |name, mark| {
            let options = archive::Options { mark, ..archive::Options::default() };
            archive::archive(session, &target(place, session, name)?, &options).map(|m| m.warnings)
        };
        let send = |to: &str| -> Result<Vec<Warning>, Report> {
            let none = |_: &Recipient| None;
            let addressed = deliver::address(session, &inboxes(session), &recipient(to), &none)?;
            let mut done = deliver::deliver(session, &letter(NEW, to, "a new one"), &addressed.copies, EventKind::Send, false)?;
            done.failed.pop().map_or(Ok(done.warnings), |(_, report)| Err(report))
        };
        match self {
            Mark => mark("2026-05-01-one", Status::Actioned),
            MarkJson => mark("m7", Status::Actioned),
            SendSoma => send("soma"),
            SendAgents => send("ben"),
            SendJson => send("dora"),
            Archive | ArchiveAcross => archive("2026-04-01-two", None),
            ArchiveMark => archive("2026-05-01-one", Some(Status::Actioned)),
            ArchiveMarkJson => archive("m7", Some(Status::Resolved)),
            Restore => {
                let target = refs::resolve(session, &inboxes(session), "2026-03-01-five", Want::Archived)?;
                archive::restore(session, &target, &archive::Options::default()).map(|m| m.warnings)
            }
            Sweep => {
                let options = sweep::Options::new(None, Vec::new(), false);
                let mut swept = sweep::sweep(session, &inboxes(session), &options);
                swept.failed.pop().map_or(Ok(swept.warnings), |(_, report)| Err(report))
            }
            Inject => inject::inject(session, Path::new("CLAUDE.md"), Some("1 unread\n"), false).map(|i| i.warnings),
            Setup => {
                let places =
                    Places { home: Some(place.home()), project: place.project(), claude: None, codex: None, config: None };
                let program = Program { name: "postroom", quoted: "postroom" };
                let ground = setup::Ground { places: &places, program, file: Path::new("/bin/postroom"), dry_run: false };
                setup::setup(session, &ground, Host::Claude, Level::Project).map(|s| s.warnings)
            }
            Alias => {
                let name = AgentName::parse("benny").unwrap();
                alias::set(session, &name, Some("ben"), &place.project().join(".postroom.toml"), false).map(|(_, w)| w)
            }
            DoctorFix => {
                let order =
                    doctor::Order { inboxes: inboxes(session), problems: Vec::new(), hosts: Vec::new(), only: Vec::new() };
                let found = doctor::examine(session, &order);
                let (plans, _) = fix::plan(session, &order, &found);
                let mut warnings = Vec::new();
                for plan in plans {
                    warnings.extend(fix::carry_out(session, &plan)?);
                }
                Ok(warnings)
            }
            MigrateSoma | MigrateAgents | MigrateJson | MigrateAcross => {
                let of = |folder: &str| inboxes(session).into_iter().find(|i| i.path.ends_with(folder)).unwrap();
                let mut done = migrate::migrate(session, of(ORIGINALS), of(self.goal()), migrate::Options::default())?;
                let warnings = done.gone.into_iter().flat_map(|gone| gone.warnings).chain(done.warnings).collect();
                done.failed.pop().map_or(Ok(warnings), |(_, report)| Err(report))
            }
            Init => {
                let wanted =
                    init::Wanted { agent: Some(AgentName::parse("eve").unwrap()), gitignore: true, ..Default::default() };
                init::init(session, &wanted).map(|_| Vec::new())
            }
            Schedule => {
                let mut warnings = projects::add(session, &place.home().join(".config/postroom/config.toml"), false)?.1;
                for (path, text) in units(place) {
                    let there = settings::read_if_there(&path)?;
                    if there.as_deref() != Some(text.as_bytes()) {
                        warnings.extend(settings::write(session, &path, there.as_deref(), text.as_bytes())?);
                    }
                }
                Ok(warnings)
            }
        }
    }

    /// Whether messages leave two traces: an original, archived in the end, and its copy.
    fn is_migration(self) -> bool {
        matches!(self, MigrateSoma | MigrateAgents | MigrateJson | MigrateAcross)
    }

    fn goal(self) -> &'static str {
        match self {
            MigrateAgents => ".agents/inbox/ben",
            MigrateJson => ".team/agents/dora/inbox",
            _ => ".claude/inbox",
        }
    }

    fn is_done(self, place: &Place) -> bool {
        let at = |name: &str, token: u32, word: &str| {
            let path = place.project().join(name);
            fs::read_to_string(&path).is_ok_and(|text| token_of(text.as_bytes()) == Some(token) && text.contains(word))
        };
        let read = |name: &str| fs::read_to_string(place.project().join(name)).unwrap();
        let old = |n: &str, token| at(&format!(".soma/inbox/_archive/{n}.md"), token, "");
        match self {
            Mark => at(".soma/inbox/2026-05-01-one.md", 1, "status: actioned"),
            MarkJson => at(".team/agents/dora/inbox/m7.json.read", 7, "actioned"),
            SendSoma | SendAgents | SendJson => place.sightings().0.contains_key(&NEW),
            Archive | ArchiveAcross => old("2026-04-01-two (2)", 2),
            ArchiveMark => at(".soma/inbox/_archive/2026-05-01-one.md", 1, "status: actioned"),
            ArchiveMarkJson => {
                let (seen, _) = place.sightings();
                seen[&7].iter().all(|path| path.to_string_lossy().contains("/archive/"))
            }
            Restore => at(".soma/inbox/2026-03-01-five.md", 5, ""),
            Sweep => old("2026-04-01-two (2)", 2) && old("2026-04-02-three", 3),
            Inject => read("CLAUDE.md").contains("1 unread\n"),
            Setup => read(".claude/settings.json").contains("SessionStart"),
            Alias => read(".postroom.toml").contains("benny"),
            DoctorFix => !read(".soma/inbox/2026-04-03-four.md").contains("unread #"),
            MigrateSoma | MigrateAgents | MigrateJson | MigrateAcross => {
                let (seen, _) = place.sightings();
                let originals = place.project().join(ORIGINALS);
                let is_gone =
                    |path: &PathBuf| path.parent().unwrap() == originals.join("_archive") || !path.starts_with(&originals);
                (1..5).all(|token| seen[&token].len() == 2 && seen[&token].iter().all(is_gone))
            }
            Init => place.project().join(".agents/inbox/eve/archive").is_dir(),
            Schedule => units(place).iter().all(|(path, text)| fs::read_to_string(path).is_ok_and(|there| there == *text)),
        }
    }

    /// Plays the system that the case is about.
    fn system(self, log: &[Step], step: Step, path: &Path) -> io::Result<()> {
        let into_archive = step == Step::Rename && path.to_string_lossy().contains("/_archive/");
        // What was copied and compared is put in place there by a rename.
        let is_copy = log.len() > 1 && log[log.len() - 2] == Step::Compare;
        if matches!(self, ArchiveAcross | MigrateAcross) && into_archive && !is_copy {
            return Err(io::ErrorKind::CrossesDevices.into());
        }
        Ok(())
    }
}

/// Runs a case, with something in the place of its n-th step. Gives the steps taken.
fn run_with(
    case: Case,
    place: &Place,
    at: usize,
    act: &(dyn Fn() -> io::Result<()> + Sync),
) -> (Vec<Step>, Result<Vec<Warning>, Report>) {
    let log = Mutex::new(Vec::new());
    let hook = |step: Step, path: &Path| {
        let mut log = log.lock().unwrap();
        log.push(step);
        if log.len() - 1 == at { act() } else { case.system(&log, step, path) }
    };
    let result = case.run(place, &place.session(Disk::with_hook(&hook)));
    (log.into_inner().unwrap(), result)
}

/// The files of a scheduler, and what they are to hold.
fn units(place: &Place) -> Vec<(PathBuf, String)> {
    let log = place.state().join("sweep.log").to_str().unwrap().to_owned();
    let job = Job { program: "/bin/postroom".to_owned(), at: At::NIGHT, environment: Vec::new(), log };
    let folder = place.home().join(".config/systemd/user");
    vec![(folder.join("postroom-sweep.service"), job.service()), (folder.join("postroom-sweep.timer"), job.timer())]
}

/// Checks that every message is whole, in one place, and other people's files are the old or the new ones.
fn check(case: Case, place: &Place, before: &BTreeMap<u32, String>, may_be_twice: bool, context: &str) {
    let (mut seen, _) = place.sightings();
    let originals = place.project().join(ORIGINALS);
    if case.is_migration() {
        for (token, paths) in &mut seen {
            let copies: Vec<_> = paths.iter().filter(|path| *token < 5 && !path.starts_with(&originals)).cloned().collect();
            assert!(copies.len() <= 1, "{context}: {copies:?}");
            for copy in &copies {
                let text = fs::read_to_string(copy).unwrap();
                assert!(text.contains(&format!("token={token};")) && text.contains("x-odd"), "{context}: {text}");
                let whole = text.ends_with(&body(*token)) || serde_json::from_str::<serde_json::Value>(&text).is_ok();
                assert!(whole, "{context}: {text}");
            }
            paths.retain(|path| !copies.contains(path));
        }
    }
    for (token, old) in before {
        let paths = seen.get(token).unwrap_or_else(|| panic!("{context}: {token} is lost"));
        assert!(paths.len() == 1 || (may_be_twice && paths.len() == 2), "{context}: {paths:?}");
        for path in paths {
            let now = essence(path, &fs::read(path).unwrap());
            // The doctor puts a remark on a line of its own; that is all it may do here.
            let now = now.replace("# with a remark\n", "");
            assert_eq!(now, *old, "{context}");
        }
    }
    assert!(seen.get(&NEW).is_none_or(|paths| paths.len() == 1), "{context}: {:?}", seen[&NEW]);
    for (name, start) in
        [("CLAUDE.md", INSTRUCTIONS), (".postroom.toml", CONFIG), (".claude/settings.json", "{\n  \"model\": \"x\"")]
    {
        let text = fs::read_to_string(place.project().join(name)).unwrap();
        assert!(text.starts_with(start), "{context}: {name} is {text:?}");
        assert!(!name.ends_with("json") || serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{context}: {text:?}");
    }
}

fn essences(place: &Place) -> BTreeMap<u32, String> {
    let (seen, _) = place.sightings();
    seen.iter().map(|(token, paths)| (*token, essence(&paths[0], &fs::read(&paths[0]).unwrap()))).collect()
}

fn prepared() -> (Place, BTreeMap<u32, String>) {
    let place = Place::new();
    prepare(&place);
    let before = essences(&place);
    assert_eq!(before.len(), 8);
    (place, before)
}

/// The steps of every case where nothing fails.
fn steps() -> Vec<(Case, Vec<Step>)> {
    let each = |case: Case| {
        let (place, before) = prepared();
        let (steps, result) = run_with(case, &place, usize::MAX, &|| Ok(()));
        let warnings = result.unwrap_or_else(|report| panic!("{case:?}: {report:?}"));
        assert!(warnings.is_empty() && case.is_done(&place), "{case:?}: {warnings:?}");
        check(case, &place, &before, false, &format!("{case:?}, no fault"));
        (case, steps)
    };
    CASES.into_iter().map(each).collect()
}

/// Runs a case once more, as the user would, until it is done.
fn finish(case: Case, place: &Place, before: &BTreeMap<u32, String>, context: &str) {
    if !case.is_done(place) || matches!(case, ArchiveAcross | MigrateAcross) {
        let again = run_with(case, place, usize::MAX, &|| Ok(())).1;
        assert!(case.is_done(place), "{context}, again: {again:?}");
    }
    check(case, place, before, false, &format!("{context}, again"));
}

#[test]
fn whichever_step_of_a_use_case_fails_nothing_is_lost_and_the_next_run_finishes() {
    let mut faults = 0;
    for (case, steps) in steps() {
        for (n, step) in steps.iter().enumerate() {
            for code in [28, 5, 13] {
                // ENOSPC, EIO, EACCES
                let context = format!("{case:?}: error {code} before step {n}, {step:?}");
                let (place, before) = prepared();
                let (_, result) = run_with(case, &place, n, &|| Err(io::Error::from_raw_os_error(code)));
                faults += 1;
                check(case, &place, &before, false, &context);
                match &result {
                    // What was done but for a mode, a sync or the journal is done, and says so.
                    Ok(warnings) => {
                        // A receipt that is not thrown away says what was once so; it is checked before use.
                        let told = !warnings.is_empty() || (case == Setup && *step == Step::Unlink && n + 1 == steps.len());
                        // Nor need be told that a record of new folders was not made: they stay when empty.
                        let told = told || case == Schedule;
                        assert!(case.is_done(&place) && told, "{context}: {warnings:?}");
                    }
                    Err(report) => assert!(!report.message.is_empty(), "{context}"),
                }
                let (_, hidden) = place.sightings();
                assert!(hidden.is_empty(), "{context}: {hidden:?}");
                finish(case, &place, &before, &context);
            }
        }
    }
    println!("{faults} faults injected into whole use-cases, 0 losses");
    assert!(faults > 300, "{faults}");
}

/// The process that is ended by the test below; does nothing else.
#[test]
fn child_that_is_stopped() {
    let Ok(order) = std::env::var("POSTROOM_TEST_STOP") else { return };
    let mut words = order.splitn(3, ' ');
    let case = CASES[words.next().unwrap().parse::<usize>().unwrap()];
    let at = words.next().unwrap().parse().unwrap();
    let place = Place::at(Path::new(words.next().unwrap()));
    // Like a kill: no destructor runs.
    let _ = run_with(case, &place, at, &|| std::process::exit(77));
}

#[test]
fn whenever_a_use_case_is_killed_the_next_run_finishes() {
    let mut kills = 0;
    for (case, steps) in steps() {
        let index = CASES.iter().position(|c| *c == case).unwrap();
        for (n, step) in steps.iter().enumerate() {
            let context = format!("{case:?}: killed before step {n}, {step:?}");
            let (place, before) = prepared();
            let status = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "crash::child_that_is_stopped", "--test-threads=1"])
                .env("POSTROOM_TEST_STOP", format!("{index} {n} {}", place.top.display()))
                .stdout(Stdio::null())
                .status()
                .unwrap();
            assert_eq!(status.code(), Some(77), "{context}");
            kills += 1;
            check(case, &place, &before, matches!(case, ArchiveAcross | MigrateAcross), &context);
            finish(case, &place, &before, &context);
        }
    }
    println!("{kills} use-cases killed before a step, 0 losses");
    assert!(kills > 100, "{kills}");
}

/// A generator of numbers that need not be good, only different.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

#[test]
#[cfg(unix)]
fn processes_killed_at_random_moments_lose_nothing() {
    let world = World::with_inbox();
    world.file(".agents/inbox/ben/new/.keep", "");
    world.file(".agents/inbox/ben/tmp/.keep", "");
    let (mut dice, mut killed, mut runs, mut next) = (Dice(0x9e37_79b9_7f4a_7c15), 0, 0, 0);
    let mut texts: BTreeMap<u32, PathBuf> = BTreeMap::new();
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(10) {
        for status in ["unread", "read", "actioned", "resolved"] {
            next += 1;
            let text = format!("{}token={next};\n", plain_letter(status, "2026-04-01", "x"));
            texts.insert(next, world.file(&format!(".soma/inbox/2026-04-01-{next}.md"), text));
        }
        let marked = format!("2026-04-01-{}", 1 + dice.roll(u64::from(next)));
        let commands: [Vec<&str>; 5] = [
            vec!["sweep"],
            vec!["mark", "actioned", &marked],
            vec!["archive", "--mark", "resolved", &marked],
            vec!["send", "--from", "ava", "--to", "ben", "--subject", "k", "--body", "sent whole"],
            vec!["restore", &marked],
        ];
        let mut command = world.command(&commands[usize::try_from(dice.roll(5)).unwrap()]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(dice.roll(25_000)));
        child.kill().unwrap(); // SIGKILL
        killed += usize::from(child.wait().unwrap().code().is_none());
        runs += 1;
        let mut found: BTreeMap<u32, usize> = BTreeMap::new();
        for entry in walkdir::WalkDir::new(world.project()).into_iter().map(Result::unwrap) {
            let name = entry.file_name().to_string_lossy().into_owned();
            if !entry.file_type().is_file() || name.starts_with('.') {
                continue;
            }
            let text = fs::read_to_string(entry.path()).unwrap();
            if let Some(token) = token_of(text.as_bytes()) {
                *found.entry(token).or_default() += 1;
                assert!(
                    text.starts_with("---\nfrom: ava\n") && text.ends_with(&format!("\n\nhello\ntoken={token};\n")),
                    "{text}"
                );
            } else {
                assert!(text.ends_with("sent whole\n") || text.ends_with("sent whole"), "{name}: {text:?}");
            }
        }
        assert_eq!(found.len(), texts.len(), "a message is lost");
        assert!(found.values().all(|n| *n == 1), "a message is in two places");
    }
    // The next run is as good as any.
    let ran = world.run(&["sweep", "--older-than", "1d"]);
    assert!(matches!(ran.code, 0 | 1), "{ran:?}");
    println!("{runs} runs, {killed} killed by SIGKILL, {} messages, 0 losses", texts.len());
    assert!(killed > 20, "{killed}");
}
