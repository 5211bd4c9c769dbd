//! The short way and the careful one say the same of every header that the short way takes.

use proptest::prelude::*;

use super::*;
use crate::text::frontmatter::split;
use crate::text::yaml::{read as read_either, read_carefully};

fn agree(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Ok(parts) = split(bytes, true) else { return false };
    let careful = read_carefully(bytes, &parts);
    let short = read(bytes, &parts);
    if let Some(short) = &short {
        assert_eq!(short, &careful, "{text:?}");
    }
    assert_eq!(read_either(bytes, &parts), careful, "{text:?}");
    short.is_some()
}

#[test]
fn ordinary_headers_are_read_the_short_way() {
    for header in [
        "from: quill\nto: ferrous\ndate: 2026-05-02\ntype: bug-report\npriority: normal\nstatus: unread\nsubject: Cache key\n",
        "subject: \"Re: quoted, with: colons # and signs\"\nstatus: 'read'\ntags: [build, \"c i\", 'x']\n",
        "status: unread   # unread | read\nin-reply-to: .soma/inbox/2026-05-01-cache-plan.md\ncc:\nto: []\nnote: ~\n",
        "date: 2026-05-04T08:15:00Z\nurl: https://example.org/a:b#c\nsubject: naïve – ☕ #12\nNULL_: null\n",
        "",
    ] {
        assert!(agree(&format!("---\n{header}---\nbody\n")), "{header:?}");
    }
}

#[test]
fn what_needs_care_is_left_to_the_careful_reader() {
    for header in [
        "to:\n  - wren\n",
        "tags:\n- a\n",
        "status: read\nStatus: read\n",
        "status: \"a\\\"b\"\n",
        "subject: >-\n  folded\n",
        "subject: a: b\n",
        "subject: a:\n",
        "a: x\n  y\n",
        "a: x\n\nb: y\n",
        "# note\na: x\n",
        "a: x\r\nb: y\r\n",
        "a: x\t# tab\n",
        "a: *x\n",
        "a: &x y\n",
        "a: !t y\n",
        "a: [b, [c]]\n",
        "a: [b: c]\n",
        "a: [b,, c]\n",
        "a: {b: c}\n",
        "a: \"x\" # y\n",
        "a: \"\n",
        "a: '\n",
        "a: [\n",
        "a: ]\n",
        "status:read\n",
        "a b: c\n",
        "\"a\": c\n",
        "{a: b}\n",
        "text without a colon\n",
        "a: - b\n",
        "a: #b\n",
        "a: \u{1}\n",
        "<<<<<<< ours\na: b\n",
    ] {
        assert!(!agree(&format!("---\n{header}---\nbody\n")), "{header:?}");
    }
}

/// Pieces of headers, in which plain lines and odd ones meet.
fn piece() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        "(status|Status|from|to|date|subject|tags|x-y|a_b|K9)",
        "[a-zA-Z][a-zA-Z0-9_-]{0,5}",
        Just("a".repeat(63)),
        Just("a".repeat(64)),
        "[ -~]{1,6}",
    ];
    let colon = prop_oneof![5 => Just(": "), 1 => Just(":"), 1 => Just(" : "), 1 => Just(":   "), 1 => Just(":\t")];
    let value = prop_oneof![
        4 => "[a-z0-9 .,/()_+~-]{0,12}",
        2 => "\"[a-z :#'\\[\\],{}-]{0,10}\"",
        2 => "'[a-z :#\"\\[\\],{}-]{0,10}'",
        2 => "\\[[a-z ,\"'?-]{0,12}\\]",
        2 => "[ -~]{0,12}",
        1 => "[a-z]{1,5} # [ -~]{0,8}",
        1 => "\\PC{0,8}",
        1 => Just("null".to_owned()),
        1 => Just("~".to_owned()),
        1 => any::<String>(),
    ];
    let end = prop_oneof![12 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\n\n"), 1 => Just("\n  more\n"), 1 => Just("\n- item\n"), 1 => Just("  \n")];
    (key, colon, value, end).prop_map(|(key, colon, value, end)| format!("{key}{colon}{value}{end}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_ways_agree(pieces in prop::collection::vec(piece(), 0..6), close in prop_oneof![Just("---\n"), Just("..."), Just("--- \nx")]) {
        agree(&format!("---\n{}{close}", pieces.concat()));
    }

    #[test]
    fn both_ways_agree_on_any_line(line in "[ -~\n\t\r]{0,24}") {
        agree(&format!("---\nfrom: a\n{line}\nstatus: read\n---\n"));
    }
}
