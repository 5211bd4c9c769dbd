//! `doctor`: every fault is found, each once, in a mailbox of 2,000; what is mended loses no word.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, Instant};

use postroom::ops::doctor::rules;
use serde_json::Value;

use crate::support::World;

/// A message without any fault.
fn good(day: &str, status: &str, subject: &str, body: &str) -> String {
    format!(
        "---\nfrom: ava\nto: soma\ndate: {day}\ntype: note\npriority: normal\nstatus: {status}\nsubject: {subject}\n---\n\n{body}\n"
    )
}

/// A mailbox and what is wrong in it.
struct Planted {
    world: World,
    expected: BTreeSet<(String, String)>,
}

impl Planted {
    fn new() -> Self {
        let world = World::new();
        world.file(".soma/STATE.md", "");
        world.file(".git/HEAD", "ref: refs/heads/main\n");
        fs::create_dir_all(world.inbox().join("_archive")).unwrap();
        Self { world, expected: BTreeSet::new() }
    }

    /// Writes a file below the project, and expects these rules to be found at it.
    fn plant(&mut self, path: &str, content: impl AsRef<[u8]>, rules: &[&str]) {
        self.world.file(path, content);
        self.expect(path, rules);
    }

    /// A live message in the project's inbox.
    fn mail(&mut self, name: &str, content: impl AsRef<[u8]>, rules: &[&str]) {
        self.plant(&format!(".soma/inbox/{name}"), content, rules);
    }

    fn expect(&mut self, path: &str, rules: &[&str]) {
        for rule in rules {
            assert!(self.expected.insert((path.to_owned(), (*rule).to_owned())), "{path} {rule} planted twice");
        }
    }

    /// What was found, each finding once or more.
    fn found(&self, doc: &Value) -> Vec<(String, String)> {
        let project = format!("{}/", self.world.project().display());
        let row = |f: &Value| {
            let path = f["path"].as_str().unwrap();
            (path.strip_prefix(&project).unwrap_or(path).to_owned(), f["rule"].as_str().unwrap().to_owned())
        };
        doc["findings"].as_array().unwrap().iter().map(row).collect()
    }
}

fn secret() -> String {
    format!("ghp_{}", "a1B2".repeat(9))
}

/// Every kind of fault, several of a kind where they come in several forms.
fn plant_all(p: &mut Planted) {
    let ok = |subject: &str| good("2026-05-18", "unread", subject, "hello");
    let with = |line: &str, subject: &str| ok(subject).replace("type: note", &format!("type: note\n{line}"));

    p.mail("2026-05-18-a-no-header.md", "just text\n", &["header-unreadable"]);
    p.mail("2026-05-18-a-open-header.md", "---\nfrom: a\nstatus: unread\n", &["header-unreadable"]);
    p.mail("2026-05-18-a-empty.md", "", &["header-unreadable"]);
    p.mail("2026-05-18-a-toml.md", "+++\nstatus = \"unread\"\n+++\n", &["header-unreadable"]);
    p.mail("2026-05-18-a-utf16.md", b"\xff\xfe-\0-\0-\0\n\0", &["header-unreadable"]);
    p.mail(
        "2026-05-18-b-merge.md",
        ok("b1").replace("status: unread\n", "<<<<<<< ours\nstatus: unread\n=======\nstatus: read\n>>>>>>> theirs\n"),
        &["conflict-markers"],
    );
    p.mail(
        "2026-05-18-b-two-messages.md",
        format!("{}\n---\nfrom: ben\nstatus: unread\nsubject: second\n---\nhi\n", ok("b2")),
        &["several-messages"],
    );
    p.mail("2026-05-18-b-colon.md", with("origin: it is: odd", "b3"), &["header-faulty"]);
    p.mail("2026-05-18-b-twice.md", with("origin: a\norigin: b", "b4"), &["header-faulty"]);
    p.mail(
        "2026-05-18-b-bytes.md",
        [ok("b5").replace("---\n\nhello", "").as_bytes(), b"origin: \xe9\n---\n\nhello\n"].concat(),
        &["header-faulty"],
    );
    p.mail("2026-05-18-b-hidden.md", ok("b6 \u{202e}evil\u{200b}"), &["hidden-characters"]);

    p.mail("2026-05-18-c-none.md", ok("c1").replace("status: unread\n", ""), &["status-missing"]);
    p.mail("2026-05-18-c-blank.md", ok("c2").replace("status: unread", "status:"), &["status-empty"]);
    p.mail("2026-05-18-c-blank-comment.md", ok("c3").replace("status: unread", "status: # unread | read"), &["status-empty"]);
    p.mail("2026-05-18-c-two.md", ok("c4").replace("status: unread", "status: unread\nstatus: read"), &["status-faulty"]);
    p.mail("2026-05-18-c-list.md", ok("c5").replace("status: unread", "status: [unread]"), &["status-faulty"]);
    p.mail("2026-05-18-c-word.md", ok("c6").replace("status: unread", "status: pending"), &["status-unknown"]);

    p.mail("2026-05-18-d-from.md", ok("d1").replace("from: ava\n", ""), &["key-missing"]);
    p.mail("2026-05-18-d-all.md", "---\nstatus: unread\n---\n\nsome text\n", &["key-missing"]);
    p.mail("2026-05-18-d-type.md", ok("d2").replace("type: note", "type: bugreport"), &["type-unknown"]);
    p.mail("2026-05-18-d-priority.md", ok("d3").replace("priority: normal", "priority: asap"), &["priority-unknown"]);
    p.mail("2026-05-18-d-date.md", ok("d4").replace("date: 2026-05-18", "date: last Tuesday"), &["date-unreadable"]);
    p.mail("2026-06-18-d-future.md", good("2026-06-18", "unread", "d5", "hello"), &["date-in-future"]);

    p.mail("cache key.md", ok("e1"), &["name-unconventional"]);
    p.mail("2026-05-18.md", ok("e2"), &["name-unconventional"]);
    p.mail("2026-05-17-e-differs.md", ok("e3"), &["name-date-differs"]);
    p.mail("2026-05-18-E-meet.md", ok("e4"), &[]);
    p.mail("2026-05-18-e-meet.md", ok("e5"), &["names-meet"]);

    p.mail("2026-05-18-f-comment.md", ok("f1").replace("status: unread", "status: unread   # unread | read"), &["soma-comment"]);
    p.mail("2026-05-18-f-crlf.md", ok("f2").replace('\n', "\r\n"), &["soma-line-ends"]);
    p.mail("2026-05-18-f-bom.md", format!("\u{feff}{}", ok("f3")), &["soma-bom"]);
    p.mail("2026-05-18-f-blank.md", format!("\n{}", ok("f4")), &["soma-blank-lines"]);
    p.mail("2026-05-18-f-case.md", ok("f5").replace("status: unread", "status: UNREAD"), &["soma-hides"]);
    p.mail("2026-05-18-f-new.md", ok("f6").replace("status: unread", "status: new"), &["soma-hides"]);
    p.mail("2026-05-18-f-name.MD", ok("f7"), &["soma-hides"]);
    p.mail("2026-05-18-f-key.md", ok("f8").replace("status: unread", "Status: read"), &["soma-shows"]);
    p.mail("2026-05-18-f-escape.md", ok("f10").replace("subject: f10", "subject: \"f10 \\\"x\\\"\""), &["soma-reads"]);
    p.mail("2026-05-18-f-remark.md", ok("f11").replace("type: note", "type: note # for now"), &["soma-reads"]);
    p.mail("2026-05-18-f-title.md", ok("f12").replace("subject: f12", "title: f12"), &["soma-reads"]);
    p.mail("2026-05-18-f-signal.json", "{}", &["soma-json"]);
    p.plant("svc/.soma/inbox/2026-05-18-f-elsewhere.md", ok("f9"), &[]);
    p.expect("svc/.soma", &["soma-marker"]);

    p.mail("2026-05-18-g-broken.md", with("in-reply-to: 2026-01-01-gone.md", "g1"), &["reply-broken"]);
    p.mail("2026-05-18-g-escapes.md", with("in-reply-to: ../../../../etc/passwd", "g2"), &["reply-escapes"]);
    p.mail("2026-05-18-g-hen.md", with("in-reply-to: 2026-05-18-g-egg.md", "g3"), &[]);
    p.mail("2026-05-18-g-egg.md", with("in-reply-to: 2026-05-18-g-hen.md", "g4"), &["thread-cycle"]);
    p.mail("2026-05-18-g-one.md", with("id: MSG-7", "g5"), &[]);
    p.mail("2026-05-18-g-two.md", with("id: MSG-7", "g6"), &["duplicate-id"]);
    p.mail("2026-05-18-g-which.md", with("in-reply-to: MSG-7", "g7"), &["reply-ambiguous"]);
    p.mail("2026-05-18-h-copy.md", ok("h1"), &[]);
    p.mail("2026-05-18-h-copy-again.md", ok("h1").replace("status: unread", "status: read"), &["duplicate-message"]);

    p.mail("2026-05-18-i-topics.md", ok("Fix a; drop b; add c"), &["several-topics"]);
    p.mail("2026-05-18-i-novel.md", good("2026-05-18", "unread", "i1", &"word ".repeat(4000)), &["novel"]);
    p.mail("2026-05-18-i-bug.md", ok("i2").replace("type: note", "type: bug-report"), &["no-file-reference"]);
    p.mail(
        "2026-05-18-i-secret.md",
        good("2026-05-18", "unread", "i3", &format!("key {} and {}", secret(), secret())),
        &["possible-secret"],
    );

    p.mail("2026-05-01-j-unread.md", good("2026-05-01", "unread", "j1", "x"), &["stale-unread"]);
    p.mail("2026-05-01-j-read.md", good("2026-05-01", "read", "j2", "x"), &["stale-open"]);
    p.mail("2026-05-01-j-actioned.md", good("2026-05-01", "actioned", "j3", "x"), &["stale-open"]);
    p.mail("2026-05-06-j-young.md", good("2026-05-06", "unread", "j4", "x"), &[]);
    p.mail("_archive/2026-03-01-j-unread.md", good("2026-03-01", "unread", "j5", "x"), &["archived-unread"]);
    p.mail("_archive/2026-03-01-j-bare.md", "no header\n", &["archived-unread"]);

    p.mail("2026-05-18-k.sync-conflict-20260518-1.md", ok("k1"), &["sync-conflict"]);
    p.mail("2026-05-18-k (ava's conflicted copy).md", ok("k2"), &["sync-conflict"]);
    p.mail(".postroom-new-abcdef.tmp", "x", &["unfinished-write"]);
    p.mail("2026-05-18-k.md.part", "x", &["unfinished-write"]);
    p.mail("2026-05-18-k.md~", "x", &["leftover"]);
    p.mail("README-first.md", "x", &["leftover"]);
    p.mail("notes.txt", "x", &["stray-file"]);
    fs::create_dir(p.world.inbox().join("2026-05-18-k-folder.md")).unwrap();
    p.expect(".soma/inbox/2026-05-18-k-folder.md", &["leftover"]);
    p.plant(".claude/inbox/.gitignore", "*\n", &[]);
    p.plant(".claude/inbox/2026-05-18-l-fine.md", ok("l1").replace("status: unread", "status: unread # fine here"), &[]);
    p.expect(".claude/inbox", &["inbox-ignored"]);
    p.plant(".postroom.toml", "[[inbox]]\npath = \"no/such/inbox\"\n", &[]);
    p.expect("no/such/inbox", &["place-odd"]);
    hosts(p);
    #[cfg(unix)]
    links_and_rights(p, &ok);
}

fn hosts(p: &mut Planted) {
    for host in ["claude", "gemini"] {
        p.world.run(&["setup", host, "--project"]).ok();
    }
    let program = env!("CARGO_BIN_EXE_postroom");
    let claude = p.world.read(".claude/settings.json");
    assert!(claude.contains(program), "{claude}");
    p.plant(".claude/settings.json", claude.replace(program, "/no/such/postroom"), &["hook-broken"]);
    let mut gemini: Value = serde_json::from_str(&p.world.read(".gemini/settings.json")).unwrap();
    gemini["hooks"].as_object_mut().unwrap().remove("AfterTool").unwrap();
    p.plant(".gemini/settings.json", gemini.to_string(), &["hook-incomplete"]);
    p.plant(".soma/body/_boot.md", "Hello.\n", &[]);
    p.expect(".soma", &["soma-slot"]);
}

#[cfg(unix)]
fn links_and_rights(p: &mut Planted, ok: &dyn Fn(&str) -> String) {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let inbox = p.world.inbox();
    symlink("nowhere.md", inbox.join("2026-05-18-m-dangling.md")).unwrap();
    symlink("2026-05-18-m-loop.md", inbox.join("2026-05-18-m-loop.md")).unwrap();
    fs::write(p.world.top().join("outside.md"), ok("outside")).unwrap();
    symlink(p.world.top().join("outside.md"), inbox.join("2026-05-18-m-outside.md")).unwrap();
    for name in ["dangling", "loop", "outside"] {
        p.expect(&format!(".soma/inbox/2026-05-18-m-{name}.md"), &["link-trap"]);
    }
    p.plant("notes/inside.md", ok("m1"), &[]);
    symlink("../../notes/inside.md", inbox.join("2026-05-18-m-inside.md")).unwrap();
    p.expect(".soma/inbox/2026-05-18-m-inside.md", &["link-message"]);
    let made = std::process::Command::new("mkfifo").arg(inbox.join("2026-05-18-m-fifo.md")).status().unwrap();
    assert!(made.success());
    p.expect(".soma/inbox/2026-05-18-m-fifo.md", &["file-unreadable"]);
    fs::create_dir_all(p.world.project().join("old/.soma")).unwrap();
    symlink("/nowhere/at/all", p.world.project().join("old/.soma/inbox")).unwrap();
    p.expect("old/.soma/inbox", &["inbox-unreadable"]);
    p.plant("open/.claude/inbox/2026-05-18-m-fine.md", ok("m2"), &[]);
    fs::set_permissions(p.world.project().join("open/.claude/inbox"), fs::Permissions::from_mode(0o777)).unwrap();
    p.expect("open/.claude/inbox", &["inbox-open-to-all"]);
}

#[test]
fn every_fault_in_a_mailbox_of_two_thousand_is_found_exactly_once() {
    let mut p = Planted::new();
    for n in 0..2_000 {
        let day = format!("2026-05-{:02}", 10 + n % 10);
        let (folder, status) =
            if n % 5 == 0 { ("_archive/", "resolved") } else { ("", ["unread", "read", "actioned", "resolved"][n % 4]) };
        let body = "A line of text about `src/keys.rs:41`.\n".repeat(8);
        let kind = ["note", "fyi", "review", "request", "reply", "bug-report"][n % 6];
        let text = good(&day, status, &format!("Subject {n}"), &body).replace("type: note", &format!("type: {kind}"));
        p.mail(&format!("{folder}{day}-topic-{n}.md"), text, &[]);
    }
    assert_eq!(p.found(&p.world.json(&["doctor", "--json"])), [], "the mailbox is not clean to begin with");
    plant_all(&mut p);

    let start = Instant::now();
    let ran = p.world.run(&["doctor", "--json"]);
    let took = start.elapsed();
    assert_eq!(ran.code, 1, "errors remain");
    let mut found = p.found(&ran.document());
    found.sort();
    let expected: Vec<_> = p.expected.iter().cloned().collect();
    let mut odd = String::new();
    for row in found.iter().filter(|row| !p.expected.contains(*row)) {
        let _ = writeln!(odd, "not planted: {row:?}");
    }
    for row in expected.iter().filter(|row| !found.contains(row)) {
        let _ = writeln!(odd, "not found: {row:?}");
    }
    assert!(odd.is_empty(), "{odd}");
    assert_eq!(found, expected, "each exactly once");
    let limit = if cfg!(debug_assertions) { 20 } else { 1 };
    assert!(took < Duration::from_secs(limit), "{took:?}");

    // What needs another user, or belongs to no file of a mailbox.
    let not_planted = ["message-odd", "inbox-not-writable"];
    let planted: BTreeSet<&str> = p.expected.iter().map(|(_, rule)| rule.as_str()).collect();
    let missing: Vec<_> =
        rules::ALL.iter().map(|r| r.id).filter(|id| !planted.contains(id) && !not_planted.contains(id)).collect();
    assert!(cfg!(not(unix)) || missing.is_empty(), "rules that nothing was planted for: {missing:?}");
    assert!(!ran.out.contains(&secret()), "a secret is never printed");
    assert!(!p.world.run(&["-v", "doctor"]).out.contains("a1B2a1B2"), "a secret is never printed");
}

#[test]
fn only_the_rules_asked_for_are_told_and_unknown_ones_are_an_error() {
    let world = World::with_inbox();
    world.file(".soma/inbox/2026-05-18-x.md", "no header\n");
    let rules = |args: &[&str]| -> Vec<String> {
        let doc = world.json(args);
        doc["findings"].as_array().unwrap().iter().map(|f| f["rule"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(rules(&["doctor", "--json"]), ["header-unreadable", "soma-marker"]);
    assert_eq!(rules(&["doctor", "soma-marker", "novel", "--json"]), ["soma-marker"]);
    assert_eq!(world.run(&["doctor", "novel"]).code, 0);
    assert_eq!(world.run(&["doctor", "header-unreadable"]).code, 1);
    let ran = world.run(&["doctor", "soma-markr"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("did you mean soma-marker?"), "{ran:?}");
    assert_eq!(world.run(&["doctor", "--rules"]).ok().out.lines().count(), rules::ALL.len());
}

#[test]
fn what_is_found_is_told_with_its_place_the_reason_and_the_cure() {
    let world = World::with_inbox();
    world.file(".soma/STATE.md", "");
    world.file(".soma/inbox/2026-05-18-a.md", good("2026-05-18", "unread # unread | read", "a", "hi"));
    for n in 0..12 {
        world.file(
            &format!(".soma/inbox/2026-05-18-b{n}.md"),
            good("2026-05-18", "unread", &format!("b{n}"), "hi").replace("type: note", "type: riddle\u{1b}[2J"),
        );
    }
    insta::assert_snapshot!(world.run(&["doctor", "soma-comment", "type-unknown"]).out, @r##"
    error soma-comment: a comment on the status line
      why: Soma takes the comment for part of the status, and never shows the message as unread
      fix: put the comment on a line of its own (--fix does it)
      - .soma/inbox/2026-05-18-a.md:7: behind the status stands "# unread | read"

    note type-unknown: a type outside the convention
      why: filters and sweeps by type pass it over
      fix: use one of: bug-report, review, request, fyi, reply, note
      - .soma/inbox/2026-05-18-b0.md:5: the type is "riddle\u{1b}[2J"
      - .soma/inbox/2026-05-18-b1.md:5: the type is "riddle\u{1b}[2J"
      - .soma/inbox/2026-05-18-b10.md:5: the type is "riddle\u{1b}[2J"
      - .soma/inbox/2026-05-18-b11.md:5: the type is "riddle\u{1b}[2J"
      - .soma/inbox/2026-05-18-b2.md:5: the type is "riddle\u{1b}[2J"
      - .soma/inbox/2026-05-18-b3.md:5: the type is "riddle\u{1b}[2J"
      - .soma/inbox/2026-05-18-b4.md:5: the type is "riddle\u{1b}[2J"
      - .soma/inbox/2026-05-18-b5.md:5: the type is "riddle\u{1b}[2J"
      - .soma/inbox/2026-05-18-b6.md:5: the type is "riddle\u{1b}[2J"
      - .soma/inbox/2026-05-18-b7.md:5: the type is "riddle\u{1b}[2J"
      +2 more: postroom -v doctor type-unknown

    1 error, 12 notes in 13 messages; `postroom doctor --fix` can mend 1
    "##);
    assert!(world.run(&["doctor", "-v"]).out.contains("b11.md"));
    assert_eq!(world.run(&["doctor", "novel"]).ok().out, "nothing wrong in 13 messages\n");
}

#[test]
fn mending_loses_no_word_is_told_first_and_is_done_once() {
    let world = World::with_inbox();
    world.file(".soma/STATE.md", "");
    let unread = good("2026-05-18", "unread", "x", "body # with ünicode\ttabs");
    world.file(".soma/inbox/2026-05-18-a.md", unread.replace("status: unread", "status:  'unread'  # keep me: please"));
    world.file(".soma/inbox/2026-05-18-b.md", format!("\u{feff}\r\n{}", unread.replace('\n', "\r\n")));
    world.file(".soma/inbox/2026-05-18-c.md", unread.replace("status: unread\n", "").replace("subject: x", "subject: c"));
    world.file(
        ".soma/inbox/2026-05-18-d.md",
        unread.replace("status: unread", "status: \"Unread\"").replace("subject: x", "subject: d"),
    );
    world.file(".soma/inbox/2026-05-18-e.md", "no header\n");
    world.file(".soma/inbox/2026-05-18-f.md", "---\nfrom: a\nsome prose that is no key\nsubject: f\n---\n");
    let before = world.snapshot();
    let dry = world.run(&["doctor", "--fix", "--dry-run"]);
    assert_eq!(world.snapshot(), before);
    insta::assert_snapshot!(dry.out.lines().filter(|l| l.starts_with("would")).collect::<Vec<_>>().join("\n"), @r#"
    would mend .soma/inbox/2026-05-18-a.md: put the comment of the status line on a line of its own (soma-comment)
    would mend .soma/inbox/2026-05-18-b.md: take the byte order mark away; take the blank lines above the header away; write LF for CRLF (soma-bom, soma-blank-lines, soma-line-ends)
    would mend .soma/inbox/2026-05-18-c.md: write the status: unread (status-missing)
    would mend .soma/inbox/2026-05-18-d.md: write the status in small letters (soma-hides)
    "#);

    let ran = world.run(&["doctor", "--fix", "--json"]);
    assert_eq!(ran.code, 1, "what can't be mended is still an error");
    let doc = ran.document();
    assert_eq!(doc["fixed"].as_array().unwrap().len(), 4, "{doc}");
    let told = doc.to_string();
    assert!(told.contains("none can be written"), "why one of them is not mended: {told}");
    assert_eq!(
        world.read(".soma/inbox/2026-05-18-a.md"),
        unread.replace("status: unread", "# keep me: please\nstatus:  'unread'")
    );
    assert_eq!(world.read(".soma/inbox/2026-05-18-b.md"), unread);
    assert_eq!(
        world.read(".soma/inbox/2026-05-18-c.md"),
        unread.replace("status: unread\n", "").replace("subject: x\n", "subject: c\nstatus: unread\n")
    );
    assert_eq!(
        world.read(".soma/inbox/2026-05-18-d.md"),
        unread.replace("status: unread", "status: \"unread\"").replace("subject: x", "subject: d")
    );
    assert_eq!(world.read(".soma/inbox/2026-05-18-e.md"), "no header\n");

    let after = world.snapshot();
    let again = world.run(&["doctor", "--fix", "--json"]).document();
    assert_eq!(again["fixed"].as_array().unwrap().len(), 0, "{again}");
    assert_eq!(world.snapshot(), after);
    assert_eq!(world.run(&["log"]).ok().out.lines().filter(|l| l.contains(" fix ")).count(), 4);
}

#[cfg(unix)]
#[test]
fn only_old_copies_of_its_own_are_removed() {
    let world = World::with_inbox().at("2126-05-20T09:00:00Z");
    world.file(".soma/inbox/.postroom-copy-aaaaaa.tmp", "x");
    world.file(".soma/inbox/.postroom-new-aaaaaa.tmp", "x");
    world.file(".soma/inbox/.postroom-held-aaaaaa.tmp", "x");
    let doc = world.run(&["doctor", "unfinished-write", "--fix", "--json"]).document();
    assert_eq!((doc["fixed"].as_array().unwrap().len(), doc["findings"].as_array().unwrap().len()), (1, 2), "{doc}");
    assert!(!world.inbox().join(".postroom-copy-aaaaaa.tmp").exists());
    let young = World::with_inbox();
    young.file(".soma/inbox/.postroom-copy-aaaaaa.tmp", "x");
    let ran = young.run(&["doctor", "unfinished-write", "--fix"]);
    assert!(young.inbox().join(".postroom-copy-aaaaaa.tmp").exists());
    assert!(ran.err.contains("in use"), "{ran:?}");
}

#[test]
fn every_layout_is_examined_and_held_to_its_own_form_only() {
    let world = World::new();
    for folder in [".agents/inbox/ben/tmp", ".agents/inbox/ben/new", ".workspace/agents/cleo/inbox"] {
        fs::create_dir_all(world.project().join(folder)).unwrap();
    }
    for to in ["ben", "cleo"] {
        world.run(&["send", "--to", to, "--from", "ava", "--subject", "Fine", "--body", "as it should be"]).ok();
    }
    let rows = |world: &World| -> Vec<String> {
        let doc = world.run(&["--teams", "doctor", "--json"]).document();
        let row = |f: &Value| {
            let name = f["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            format!("{name} {}", f["rule"].as_str().unwrap())
        };
        doc["findings"].as_array().unwrap().iter().map(row).collect()
    };
    assert_eq!(rows(&world), [""; 0], "what postroom itself delivers is without a fault");
    world.file(".agents/inbox/ben/new/20260518T100000Z-none.aaaaaa.md", "no header\n");
    world.file(
        ".agents/inbox/ben/new/20260301T100000Z-old.bbbbbb.md",
        "---\nfrom: ava\ntimestamp: 2026-03-01T10:00:00Z\n---\nhi\n",
    );
    world.file(".agents/inbox/ben/new/20260518T110000Z-secret.cccccc.md", format!("---\nfrom: ava\n---\nkey {}\n", secret()));
    world.file(".workspace/agents/cleo/inbox/msg-2026-05-18-100000-aaaa.json", "{\"id\": \"x\", ");
    world.file(
        ".workspace/agents/cleo/inbox/msg-2026-05-18-100000-bbbb.json",
        format!("{{\"id\": \"m2\", \"from\": \"ava\", \"timestamp\": \"2026-05-18T10:00:00Z\", \"body\": \"{}\"}}", secret()),
    );
    let teams = world.home().join(".claude/teams/t/inboxes");
    fs::create_dir_all(&teams).unwrap();
    fs::write(teams.join("dora.json"), r#"[{"from":"ava","text":"hi","timestamp":"2026-05-18T10:00:00Z","read":false}, 7]"#)
        .unwrap();
    insta::assert_snapshot!(rows(&world).join("\n"), @r#"
    20260518T100000Z-none.aaaaaa.md header-unreadable
    msg-2026-05-18-100000-aaaa.json header-unreadable
    20260518T110000Z-secret.cccccc.md possible-secret
    msg-2026-05-18-100000-bbbb.json possible-secret
    dora.json message-odd
    20260301T100000Z-old.bbbbbb.md stale-unread
    "#);
    let before = world.snapshot();
    world.run(&["--teams", "doctor", "--fix"]);
    assert_eq!(world.snapshot(), before, "nothing of theirs is mended by rules of another layout");
}
