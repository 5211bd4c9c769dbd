//! What must hold for any bytes at all: one function a door through which strangers' bytes come in.
//!
//! Shared by the fuzz targets (`fuzz/`) and by the smoke test that runs on stable
//! (`tests/proof/fuzz_smoke.rs`). Each function panics where a law is broken.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::missing_panics_doc)]

use std::cell::OnceCell;
use std::fs;
use std::path::Path;

use postroom::config::Config;
use postroom::host::input::{Arrival, HookInput};
use postroom::model::date::Clock;
use postroom::ops::refs::{self, Want};
use postroom::ops::session::{ProjectRules, Session};
use postroom::store::atomic::Disk;
use postroom::store::discover::{Ground, Start, discover};
use postroom::text::block::{self, Removed};
use postroom::text::frontmatter::split;
use postroom::text::header::{Header, StatusText};
use postroom::text::json::{self, Document};
use postroom::text::neutral::{self, Target};
use postroom::text::status_edit::edit_status;
use postroom::text::yaml::read;
use postroom::text::{body, tidy};

/// A harness function.
pub type Harness = fn(&[u8]);

/// All of them, by the name of their fuzz target.
pub const ALL: [(&str, Harness); 6] =
    [("header", header), ("json", json), ("neutral", neutral), ("refs", refs), ("hook", hook), ("block", block)];

fn is_status(key: &str) -> bool {
    key.eq_ignore_ascii_case("status")
}

fn header_of(bytes: &[u8]) -> Option<Header<'_>> {
    split(bytes, true).ok().map(|parts| read(bytes, &parts))
}

/// What a header says beside its status.
fn others(header: &Header<'_>) -> Vec<String> {
    let field = |f: &postroom::text::header::Field<'_>| format!("{:?} {:?} {:?}", f.key, f.value, f.literal);
    header.fields.iter().filter(|f| !is_status(&f.key)).map(field).collect()
}

/// Header parse and status edit: one span changes or nothing does, the new status is read again,
/// everything else says what it said, and twice is once.
pub fn header(bytes: &[u8]) {
    for complete in [true, false] {
        if let Ok(parts) = split(bytes, complete) {
            let header = read(bytes, &parts);
            for field in &header.fields {
                assert!(bytes.get(field.key_span.clone()).is_some() && bytes.get(field.value_span.clone()).is_some());
            }
        }
    }
    let _ = body::second_header(bytes);
    let _ = body::title_of(bytes);
    for how in [tidy::Mend::Mark, tidy::Mend::BlankLines, tidy::Mend::LineEnds] {
        if let Ok(Some(mended)) = tidy::mend(bytes, how, is_status) {
            assert_eq!(header_of(bytes).map(|h| others(&h)), header_of(&mended).map(|h| others(&h)), "{how:?}");
        }
    }
    let Ok(edit) = edit_status(bytes, "actioned", is_status) else { return };
    let after = edit.apply(bytes);
    assert_eq!(&after[..edit.span.start], &bytes[..edit.span.start]);
    assert_eq!(&after[edit.span.start + edit.text.len()..], &bytes[edit.span.end..]);
    let (old, new) = (header_of(bytes).unwrap(), header_of(&after).expect("the header is still one"));
    let StatusText::Word(word) = new.status(is_status) else { panic!("no status after the edit") };
    assert!(word.eq_ignore_ascii_case("actioned"), "{word}");
    assert_eq!(others(&old), others(&new));
    let again = edit_status(&after, "actioned", is_status).expect("an edited file can be edited");
    assert!(again.is_done(&after));
}

/// JSON: what is set is read again and nothing else changes; what is put into a list and taken out
/// again leaves the bytes as they were. `serde_json` is the judge.
pub fn json(bytes: &[u8]) {
    let Ok(text) = json::text_of(bytes) else { return };
    let Ok(document) = Document::parse(text) else { return };
    let _ = json::pretty(&document, document.root());
    let theirs = serde_json::from_str::<serde_json::Value>(text).ok();
    if let Ok(after) = json::set_string(text, "status", "actioned") {
        Document::parse(&after).expect("what was edited is still read");
        if let (Some(serde_json::Value::Object(mut old)), Ok(serde_json::Value::Object(mut new))) =
            (theirs, serde_json::from_str::<serde_json::Value>(&after))
        {
            assert_eq!(new.remove("status"), Some("actioned".into()));
            old.remove("status");
            assert_eq!(old, new);
        }
        assert_eq!(json::set_string(&after, "status", "actioned").as_ref(), Ok(&after));
    }
    let path = ["hooks", "SessionStart"];
    let made = json::made_by_insert(&document, &path);
    if let Ok(inserted) = json::insert(text, &path, "{\"a\": [1, \"x\"]}") {
        let after = Document::parse(&inserted.text).expect("what was inserted into is still read");
        drop(after);
        let _ = made.expect("what can be inserted into can be looked at");
    }
}

/// Making text safe: no control characters but line ends come out, and twice is once.
pub fn neutral(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for target in [Target::Terminal, Target::Prompt, Target::Markdown] {
        let line = neutral::field(&text, target, 80).text.into_owned();
        assert!(!line.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{202e}' | '\u{200b}')), "{line:?}");
        assert_eq!(neutral::field(&line, target, 80).text, line, "{target:?}");
        let many = neutral::body(&text, target).text.into_owned();
        assert!(!many.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')), "{many:?}");
        assert_eq!(neutral::body(&many, target).text, many, "{target:?}");
        let _ = neutral::sender(&text, target, 40);
        let name = neutral::file_name(bytes, target);
        assert!(!name.chars().any(char::is_control), "{name:?}");
        if target != Target::Terminal {
            assert!(!line.contains("{{") && !line.contains("<|"), "{line:?}");
        }
    }
    let fenced = neutral::fence(&text, "n0nce").text.into_owned();
    assert_eq!(fenced.matches("---- end message n0nce").count(), 1);
    let _ = neutral::hidden_count(&text);
    let _ = neutral::escape_json(&text);
}

struct Place {
    _top: tempfile::TempDir,
    session: Session<'static>,
}

impl Place {
    fn new() -> Self {
        let top = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let dir = top.path().canonicalize().unwrap().join("home/work");
        for folder in [".soma/inbox/_archive", ".agents/inbox/ben/new", ".agents/inbox/ben/tmp", ".team/agents/dora/inbox"] {
            fs::create_dir_all(dir.join(folder)).unwrap();
        }
        let letter = "---\nfrom: ava\nto: ben\ndate: 2026-05-01\nstatus: unread\nid: m-17\nsubject: cache (new)\n---\nhello\n";
        fs::write(dir.join(".soma/inbox/2026-05-01-cache.md"), letter).unwrap();
        fs::write(dir.join(".soma/inbox/_archive/2026-04-01-old.md"), letter).unwrap();
        fs::write(dir.join(".agents/inbox/ben/new/20260501T000000Z-x-1.md"), letter).unwrap();
        fs::write(dir.join(".team/agents/dora/inbox/msg-1.json"), r#"{"id":"m-1","from":"a","to":"dora"}"#).unwrap();
        let ground = Ground::survey(&dir, dir.parent()).unwrap();
        let config = Config::default();
        let start = Start { ground: &ground, config: &config, agent_inbox_root: None, teams: false, named: &[] };
        let found = discover(&start);
        assert!(found.inboxes.len() >= 3, "{found:?}");
        let now = "2026-05-20T09:00:00Z".parse().unwrap();
        let session = Session {
            project_rules: ProjectRules { own: config.rules(), projects: Vec::new() },
            config,
            clock: Clock::utc(now),
            actor: None,
            ground,
            found,
            state: top.path().join("state"),
            temp: top.path().to_owned(),
            disk: Disk::new(),
        };
        Self { _top: top, session }
    }
}

thread_local! {
    static PLACE: OnceCell<Place> = const { OnceCell::new() };
}

/// What a person or a header names a message by: whatever is found lies in an inbox that is known.
pub fn refs(bytes: &[u8]) {
    PLACE.with(|place| {
        let session = &place.get_or_init(Place::new).session;
        let inboxes: Vec<_> = session.found.inboxes.iter().collect();
        let text = String::from_utf8_lossy(bytes);
        for want in [Want::Live, Want::Archived] {
            if let Ok(target) = refs::resolve(session, &inboxes, &text, want) {
                let within = |path: &Path| session.found.inboxes.iter().any(|inbox| inbox.holds(path));
                assert!(
                    within(&target.message.path) || target.inbox.holds(&target.message.path),
                    "{}",
                    target.message.path.display()
                );
            }
        }
    });
}

/// What a host writes to a hook: the same members whether it comes at once or byte by byte.
pub fn hook(bytes: &[u8]) {
    let _ = HookInput::read(bytes);
    let mut whole = Arrival::default();
    let at_once = whole.take(bytes);
    let mut slow = Arrival::default();
    let mut done = false;
    for (at, byte) in bytes.iter().enumerate() {
        done = slow.take(&[*byte]);
        if done {
            // What came until then says all that is going to be said.
            let _ = HookInput::read(&bytes[..=at]);
            break;
        }
    }
    assert_eq!(at_once, done);
}

/// The managed block: what was put in once is put in twice, comes out again, and the rest of the
/// file stays as it was.
pub fn block(bytes: &[u8]) {
    let text = "## Inbox (1 unread)\n\n1. `a`\n";
    let Ok(with) = block::put(Some(bytes), text) else { return };
    assert_eq!(block::put(Some(&with), text).expect("what was put in is understood"), with);
    let had = !matches!(block::remove(bytes).expect("what can be added to can be looked at"), Removed::Nothing);
    let without = match block::remove(&with).expect("what was put in comes out") {
        Removed::Rest(rest) => rest,
        Removed::NoFile => Vec::new(),
        Removed::Nothing => panic!("the block is not seen"),
    };
    if !had {
        let blank = |text: &[u8]| text.iter().all(u8::is_ascii_whitespace);
        assert!(without == bytes || (blank(&without) && blank(bytes)), "the rest is another one");
    }
    assert!(matches!(block::remove(&without), Ok(Removed::Nothing)), "a second block");
}
