//! Laws of the header reader and the status edit, for headers nobody would write and for
//! headers that people nearly write.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test says what must not be by panicking.

use std::ops::Range;
use std::sync::OnceLock;

use gray_matter::engine::Engine;
use gray_matter::{Matter, Pod};
use postroom::text::body::{second_header, title_of};
use postroom::text::frontmatter::split;
use postroom::text::header::{Field, Form, Header, IssueKind, StatusText, Value};
use postroom::text::status_edit::edit_status;
use postroom::text::yaml::read;
use proptest::prelude::*;
use proptest::sample::select;

fn is_status(key: &str) -> bool {
    key.eq_ignore_ascii_case("status")
}

/// A line that a header may hold, or nearly.
fn line() -> impl Strategy<Value = String> {
    let key = select(vec![
        "status",
        "Status",
        "STATUS",
        "from",
        "to",
        "subject",
        "tags",
        "note",
        "in-reply-to",
        "\"status\"",
        "'from'",
        "key of words",
        "  status",
        "  deep",
        "\tstatus",
        "status\u{a0}",
        "@key",
        "*key*",
        "- status",
        "?",
        "caf\u{e9}",
    ]);
    let colon = select(vec![": ", ": ", ": ", ":", " : ", ":\t", ":   ", " = ", "::"]);
    let value = select(vec![
        "unread",
        "UNREAD",
        "Read",
        "in progress",
        "\"unread\"",
        "'unread'",
        "\"open",
        "'open",
        "it''s",
        "\"a\" b",
        "\"a \\d\"",
        "\"a \\\"b\\\"\"",
        "",
        "",
        "~",
        "null",
        "|",
        ">-",
        "|+",
        ">2",
        "[a, b]",
        "[a, 'b, c', \"d\"]",
        "[a",
        "[a] b",
        "[[a]]",
        "[@a]",
        "[a: b]",
        "{a: b}",
        "{{x}}",
        "{{x}} y",
        "]",
        "&s unread",
        "*s",
        "!!str unread",
        "!x y",
        "@ember",
        "%d",
        "`x`",
        "a: b",
        "a:",
        "- a",
        "-a",
        "# c",
        "#c",
        "a #c",
        "a # c",
        "12:30",
        "0123",
        "no",
        "\u{a0}read",
        "Re: x",
        "caf\u{e9} \u{1f600}",
        "a\rb",
        "a\u{85}b: c",
        "a\u{2028}status: b",
        "\0",
        "\u{7f}",
    ]);
    let tail = select(vec!["", "", "", " ", "  # comment", "\t", " #"]);
    let whole = select(vec![
        "",
        "",
        " ",
        "# comment",
        "  # deeper",
        "  - item",
        "- item",
        "  deeper: key",
        "  continued",
        "    deep",
        "\"",
        "  closed\"",
        "]",
        "  b]",
        "text",
        "The text: it begins.",
        "<<<<<<< ours",
        "=======",
        ">>>>>>> theirs",
        "? key",
        ": value",
        "{a: b}",
        "...x",
        "%YAML 1.2",
        "\u{feff}",
        "  'x",
        "  x'",
        "\tx",
        "  |",
        "}",
    ]);
    prop_oneof![
        3 => (key, colon, value, tail).prop_map(|(key, colon, value, tail)| [key, colon, value, tail].concat()),
        1 => whole.prop_map(str::to_owned),
    ]
}

/// A header's content: up to nine lines, with one kind of line end or several.
fn content() -> impl Strategy<Value = String> {
    let end = prop_oneof![6 => Just("\n"), 2 => Just("\r\n"), 1 => Just("\r\r\n")];
    let mixed = prop::collection::vec((line(), end), 0..9);
    let lines = prop::collection::vec(line(), 0..9);
    prop_oneof![
        4 => (lines, select(vec!["\n", "\n", "\r\n"])).prop_map(|(lines, end)| lines.into_iter().map(|line| line + end).collect()),
        1 => mixed.prop_map(|lines| lines.into_iter().map(|(line, end)| line + end).collect()),
    ]
}

/// A file around a header.
fn file() -> impl Strategy<Value = Vec<u8>> {
    let usual = select(vec!["---\n", "---\n", "---\r\n", "\u{feff}---\n", "\n---  \n"]);
    // What else people put there: another notation, a heading first, one mark too many, no fence at all.
    let odd =
        select(vec!["", "+++\n", "{\n", "# Title\n---\n", "\u{feff}\u{feff}---\n", "---\r", "----\n", "<<<<<<< ours\n---\n"]);
    let before = prop_oneof![6 => usual, 1 => odd];
    let usual = select(vec!["---\nbody\n", "---", "...\nbody\n---\n", "--- \r\nstatus: unread\n\n---\n"]);
    let odd = select(vec![
        "",
        "body\n",
        "+++\nbody\n",
        "}\nbody\n",
        "---\nbody\n---\nfrom: x\nto: y\nstatus: unread\n---\nsecond\n",
        "---\n---\nfrom: x\nstatus: read\n---\nsecond\n",
        "---\n```\nstatus: unread\n```\n",
        "---\n\0\0\n",
    ]);
    let after = prop_oneof![4 => usual, 1 => odd];
    (before, content(), after, any::<prop::sample::Index>(), prop::bool::weighted(0.1)).prop_map(
        |(before, content, after, place, spoil)| {
            let mut bytes = [before, &content, after].concat().into_bytes();
            // Nothing at all is a file, too, and has no byte to spoil.
            if spoil && !bytes.is_empty() {
                // A byte of an older encoding somewhere.
                let place = place.index(bytes.len());
                bytes[place] = 0xe9;
            }
            bytes
        },
    )
}

/// The messages that were handed as cases, as lines: whatever people's tools were seen to write.
fn handed() -> &'static [Vec<Vec<u8>>] {
    static HANDED: OnceLock<Vec<Vec<Vec<u8>>>> = OnceLock::new();
    HANDED.get_or_init(|| {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/messages");
        let files = walkdir::WalkDir::new(root).sort_by_file_name().into_iter().map(Result::unwrap);
        let messages = files.filter(|f| f.path().extension().is_some_and(|x| x == "md"));
        let lines = |bytes: Vec<u8>| bytes.split_inclusive(|b| *b == b'\n').take(60).map(<[u8]>::to_vec).collect();
        let out: Vec<_> = messages.map(|f| lines(std::fs::read(f.path()).unwrap())).collect();
        assert!(out.len() > 50, "{}", out.len());
        out
    })
}

/// One of those messages with a few lines lost, doubled, moved, or out of another one.
fn crossed() -> impl Strategy<Value = Vec<u8>> {
    let pick = any::<prop::sample::Index>;
    let change = (0..5_u8, pick(), pick(), pick(), line());
    (pick(), prop::collection::vec(change, 0..5)).prop_map(|(which, changes)| {
        let all = handed();
        let mut lines = all[which.index(all.len())].clone();
        for (kind, from, to, other, own) in changes {
            let (from, to) = (from.index(lines.len().max(1)), to.index(lines.len() + 1));
            let theirs = &all[other.index(all.len())];
            match kind {
                0 if !lines.is_empty() => drop(lines.remove(from)),
                1 if !lines.is_empty() => lines.insert(to, lines[from].clone()),
                2 if !lines.is_empty() => {
                    let moved = lines.remove(from);
                    lines.insert(to.min(lines.len()), moved);
                }
                3 if !theirs.is_empty() => lines.insert(to, theirs[from % theirs.len()].clone()),
                _ => lines.insert(to, [own.as_bytes(), b"\n"].concat()),
            }
        }
        lines.concat()
    })
}

fn header(bytes: &[u8]) -> Option<Header<'_>> {
    Some(read(bytes, &split(bytes, true).ok()?))
}

/// Every field but the status, without its place.
fn others<'h>(header: &'h Header<'_>) -> Vec<(&'h str, &'h Value<'h>, Option<&'h str>, Form)> {
    let rest = header.all(|key| !is_status(key));
    rest.map(|field| (&*field.key, &field.value, field.literal.as_deref(), field.form)).collect()
}

/// The header as libyaml's family reads it, without the status.
fn typed(bytes: &[u8]) -> Option<serde_yaml::Mapping> {
    let content = bytes.get(split(bytes, true).ok()?.content)?;
    let mut mapping: serde_yaml::Mapping = serde_yaml::from_str(&String::from_utf8_lossy(content)).ok()?;
    mapping.retain(|key, _| !key.as_str().is_some_and(is_status));
    Some(mapping)
}

/// Whether a strict parser takes the text for a mapping or for nothing, aliases resolved.
fn is_yaml(content: &str) -> bool {
    let mut root = None;
    for event in granit_parser::Parser::new_from_str(content) {
        match event {
            Err(_) => return false,
            Ok((granit_parser::Event::MappingStart(..), _)) => _ = root.get_or_insert(true),
            Ok((granit_parser::Event::SequenceStart(..), _)) => _ = root.get_or_insert(false),
            Ok((granit_parser::Event::Scalar(text, ..), _)) => _ = root.get_or_insert(text == "~"),
            Ok(_) => {}
        }
    }
    root.unwrap_or(true)
}

fn check_edit(bytes: &[u8]) -> Result<(), TestCaseError> {
    let Ok(edit) = edit_status(bytes, "read", is_status) else {
        return Ok(());
    };
    let after = edit.apply(bytes);
    let parts = split(bytes, true).map_err(|e| TestCaseError::fail(e.to_string()))?;
    prop_assert!(parts.content.start <= edit.span.start && edit.span.end <= parts.content.end);
    let (old, new) = (header(bytes), header(&after));
    let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
    let StatusText::Word(word) = new.status(is_status) else {
        return Err(TestCaseError::fail("no status"));
    };
    prop_assert!(word.eq_ignore_ascii_case("read"));
    prop_assert_eq!(others(&old), others(&new));
    if let Some(mapping) = typed(bytes) {
        prop_assert_eq!(Some(mapping), typed(&after));
    }
    let text = |bytes: &[u8]| {
        split(bytes, true).ok().and_then(|parts| std::str::from_utf8(&bytes[parts.content]).ok().map(str::to_owned))
    };
    if let (Some(old), Some(new)) = (text(bytes), text(&after)) {
        prop_assert!(!is_yaml(&old) || is_yaml(&new), "no YAML any more: {new:?}");
    }
    let again = edit_status(&after, "read", is_status).map_err(|e| TestCaseError::fail(format!("twice: {e}")))?;
    prop_assert!(again.is_done(&after));
    prop_assert_eq!(again.apply(&after), after);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), complete: bool) {
        let file = [b"---\n".as_slice(), &bytes, b"\n---\n"].concat();
        for bytes in [&bytes[..], &file] {
            if let Ok(parts) = split(bytes, complete) {
                read(bytes, &parts);
            }
            second_header(bytes);
            title_of(bytes);
            check_edit(bytes)?;
        }
    }

    #[test]
    fn no_signs_panic(text in "[-:#'\"\\[\\]{}|>&*!%@`,? \t\r\na~<=.\\\\]{0,80}") {
        let file = format!("---\n{text}\n---\n{text}");
        if let Some(header) = header(file.as_bytes()) {
            for field in &header.fields {
                prop_assert!(file.get(field.key_span.clone()).is_some() && file.get(field.value_span.clone()).is_some());
            }
        }
        second_header(text.as_bytes());
        title_of(text.as_bytes());
        check_edit(file.as_bytes())?;
    }

    #[test]
    fn an_edit_changes_the_status_and_nothing_else(bytes in file()) {
        check_edit(&bytes)?;
    }

    #[test]
    fn what_people_wrote_is_edited_in_one_place_or_left(bytes in crossed()) {
        check_edit(&bytes)?;
        second_header(&bytes);
        title_of(&bytes);
    }

    #[test]
    fn spans_are_the_bytes_of_keys_and_values(content in content()) {
        let file = format!("---\n{content}---\n");
        let Some(header) = header(file.as_bytes()) else { return Ok(()) };
        let at = |span: &Range<usize>| file.get(span.clone()).unwrap_or("outside");
        for Field { key, key_span, line, value, value_span, form, .. } in &header.fields {
            prop_assert_eq!(at(key_span).trim_matches(['"', '\'']).replace('\r', " "), key.to_string());
            prop_assert_eq!(*line, 1 + file[..key_span.start].matches('\n').count());
            if let (Value::Text(text), Form::Plain) = (value, form) {
                let words: Vec<_> = at(value_span).split_whitespace().collect();
                let read: Vec<_> = text.split_whitespace().collect();
                prop_assert!(at(value_span).contains(['\'', '"', '!', '#']) || words == read, "{words:?} {read:?}");
            }
        }
    }

    #[test]
    fn no_value_holds_a_carriage_return(bytes in file()) {
        for field in header(&bytes).unwrap_or_default().fields {
            let texts = match field.value {
                Value::Text(text) | Value::Unreadable(text) => vec![text],
                Value::List(items) => items,
                Value::Absent => Vec::new(),
            };
            prop_assert!(texts.iter().all(|text| !text.contains('\r')), "{texts:?}");
        }
    }

    #[test]
    fn what_is_no_yaml_is_told(content in content()) {
        let bytes = format!("---\n{content}---\n");
        let header = header(bytes.as_bytes()).unwrap_or_default();
        let told = header.issues.iter().any(|issue| issue.kind == IssueKind::YamlInvalid);
        let stopped = header.issues.iter().any(|issue| issue.kind == IssueKind::HeaderNotClean);
        prop_assert!(told || stopped || is_yaml(&content));
    }

    #[test]
    fn good_headers_have_no_issues(
        fields in prop::collection::btree_map("[a-z]{3,8}(-[a-z]{2,5})?", "([A-Za-z0-9@./]{1,9} ?){1,5}", 0..12),
    ) {
        let content = fields.iter().map(|(key, value)| format!("{key}: x{value}\n")).collect::<Vec<_>>().concat();
        let bytes = format!("---\n{content}---\n");
        let header = header(bytes.as_bytes()).unwrap_or_default();
        prop_assert_eq!(&header.issues, &[]);
        let read: Vec<_> = header.fields.iter().map(|field| (field.key.to_string(), field.value.clone())).collect();
        let wanted: Vec<_> = fields
            .into_iter()
            .map(|(key, value)| (key, Value::Text(format!("x{}", value.trim_end()).into())))
            .collect();
        prop_assert_eq!(read, wanted);
    }

    #[test]
    fn splits_like_gray_matter(content in content(), body in "([a-z -]{0,9}[a-z]\n){0,4}") {
        let text = format!("---\n{content}---\n{body}");
        let Ok(parts) = split(text.as_bytes(), true) else { return Ok(()) };
        // Its own line ends, and `...` it does not know.
        if content.contains('\r') || text[parts.close.clone()].starts_with('.') {
            return Ok(());
        }
        let theirs = Matter::<PassThrough>::new().parse::<String>(&text).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(theirs.matter, text[parts.content].trim());
        prop_assert_eq!(theirs.content.trim_end(), text[parts.body..].trim_start_matches('\n').trim_end());
    }
}

/// Hands the header through as text, so that `gray_matter` only splits.
struct PassThrough;

impl Engine for PassThrough {
    fn parse(content: &str) -> gray_matter::Result<Pod> {
        Ok(Pod::String(content.to_owned()))
    }
}
