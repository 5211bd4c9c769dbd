//! What must hold for any JSON text that `text::json` edits, however it is laid out: the
//! value changes by exactly the edit, and undoing an insertion gives the old bytes.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use postroom::text::json::{Document, Fault, insert, made_by_insert, quote, remove, set_string};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A value without its layout.
#[derive(Debug, Clone)]
enum Tree {
    Scalar(&'static str),
    Array(Vec<Tree>),
    Object(Vec<(&'static str, Tree)>),
}

/// How a text is laid out.
#[derive(Debug, Clone)]
enum Layout {
    /// A child on each line.
    Pretty { unit: &'static str, newline: &'static str, colon: &'static str },
    /// All on one line.
    Flat { comma: &'static str, colon: &'static str },
    /// White space as it comes, taken in turn.
    Wild(Vec<&'static str>),
}

fn tree() -> impl Strategy<Value = Tree> {
    let scalar = prop::sample::select(vec![
        "null",
        "true",
        "1.0",
        "-0",
        "1e5",
        "\"\"",
        "\"a\\u00e9\\\"\"",
        "\"[{,\"",
        "\"unread\"",
        "{}",
        "[]",
    ]);
    scalar.prop_map(Tree::Scalar).prop_recursive(5, 40, 5, |inner| {
        let key = prop::sample::select(vec!["hooks", "A", "B", "status", "é\\n", ""]);
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Tree::Array),
            vec((key, inner), 0..5).prop_map(|mut members| {
                let mut seen = std::collections::HashSet::new();
                members.retain(|(key, _)| seen.insert(*key));
                Tree::Object(members)
            }),
        ]
    })
}

/// Mostly an object in which the path of the insertion is partly there.
fn settings() -> impl Strategy<Value = Tree> {
    let array = prop_oneof![Just(Tree::Array(vec![])), vec(tree(), 1..4).prop_map(Tree::Array), tree()];
    let events = vec((prop::sample::select(vec!["A", "B", "C"]), array), 0..3).prop_map(|mut members| {
        let mut seen = std::collections::HashSet::new();
        members.retain(|(key, _)| seen.insert(*key));
        Tree::Object(members)
    });
    let root = (vec(tree(), 0..3), prop::option::of(events), 0_usize..4).prop_map(|(others, events, at)| {
        let mut members: Vec<_> = ["x", "y", "z"].into_iter().zip(others).collect();
        if let Some(events) = events {
            members.insert(at.min(members.len()), ("hooks", events));
        }
        Tree::Object(members)
    });
    prop_oneof![6 => root, 1 => tree()]
}

fn layout() -> impl Strategy<Value = Layout> {
    let blanks = vec!["", "", " ", "  ", "\t", "\n", "\r\n", "\n  ", "\n\t\t", "\n\n    ", " \n "];
    let unit = prop::sample::select(vec!["", " ", "  ", "    ", "\t"]);
    let newline = prop::sample::select(vec!["\n", "\r\n"]);
    let colon = prop::sample::select(vec![":", ": ", " : "]);
    prop_oneof![
        (unit, newline, colon.clone()).prop_map(|(unit, newline, colon)| Layout::Pretty { unit, newline, colon }),
        (prop::sample::select(vec![",", ", "]), colon).prop_map(|(comma, colon)| Layout::Flat { comma, colon }),
        vec(prop::sample::select(blanks), 1..40).prop_map(Layout::Wild),
    ]
}

impl Layout {
    fn write(&mut self, tree: &Tree, depth: usize, out: &mut String) {
        let (open, close, children): (_, _, Vec<(Option<&str>, &Tree)>) = match tree {
            Tree::Scalar(text) => return out.push_str(text),
            Tree::Array(elements) => ('[', ']', elements.iter().map(|e| (None, e)).collect()),
            Tree::Object(members) => ('{', '}', members.iter().map(|(k, v)| (Some(*k), v)).collect()),
        };
        out.push(open);
        for (index, (key, child)) in children.iter().enumerate() {
            if index > 0 {
                self.blank(out);
                out.push(',');
            }
            match self {
                Layout::Pretty { unit, newline, .. } => {
                    out.push_str(newline);
                    out.push_str(&unit.repeat(depth + 1));
                }
                Layout::Flat { comma, .. } if index > 0 => out.push_str(&comma[1..]),
                _ => self.blank(out),
            }
            if let Some(key) = key {
                out.extend(["\"", key, "\""]);
                match self {
                    Layout::Pretty { colon, .. } | Layout::Flat { colon, .. } => {
                        out.push_str(colon);
                    }
                    Layout::Wild(_) => {
                        self.blank(out);
                        out.push(':');
                        self.blank(out);
                    }
                }
            }
            self.write(child, depth + 1, out);
        }
        match self {
            Layout::Pretty { unit, newline, .. } if !children.is_empty() => {
                out.push_str(newline);
                out.push_str(&unit.repeat(depth));
            }
            _ => self.blank(out),
        }
        out.push(close);
    }

    fn blank(&mut self, out: &mut String) {
        if let Layout::Wild(blanks) = self {
            out.push_str(blanks[0]);
            blanks.rotate_left(1);
        }
    }
}

fn text() -> impl Strategy<Value = String> {
    let ends = prop::sample::select(vec!["", "\n", "\r\n", " \n\n"]);
    let starts = prop::sample::select(vec!["", "", "", "\u{FEFF}", "\n", "  "]);
    (starts, settings(), layout(), ends).prop_map(|(start, tree, mut layout, end)| {
        let mut out = start.to_owned();
        layout.write(&tree, 0, &mut out);
        out + end
    })
}

fn value(text: &str) -> Value {
    serde_json::from_str(text.trim_start_matches('\u{FEFF}')).expect("valid JSON")
}

/// What an insertion should make of a value; `None` where it has no place.
fn pushed(mut value: Value, path: &[&str], element: &Value) -> Option<Value> {
    let mut node = &mut value;
    for (depth, key) in path.iter().enumerate() {
        let empty = if depth + 1 == path.len() { json!([]) } else { json!({}) };
        node = node.as_object_mut()?.entry(*key).or_insert(empty);
    }
    node.as_array_mut()?.push(element.clone());
    Some(value)
}

fn element() -> impl Strategy<Value = String> {
    (tree(), layout()).prop_map(|(tree, mut layout)| {
        let mut out = String::new();
        layout.write(&tree, 0, &mut out);
        out
    })
}

fn path() -> impl Strategy<Value = Vec<&'static str>> {
    prop::sample::select(vec![vec!["hooks", "A"], vec!["hooks", "B"], vec!["hooks"], vec!["x", "A", "B"], vec![], vec!["new"]])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn removing_an_insertion_gives_the_old_bytes(text in text(), path in path(), element in element()) {
        let expected = pushed(value(&text), &path, &value(&element));
        match insert(&text, &path, &element) {
            Ok(done) => {
                prop_assert_eq!(Some(value(&done.text)), expected, "{}", done.text);
                let document = Document::parse(&done.text).unwrap();
                if document.get(&path).unwrap().unwrap().elements().len() == 1 {
                    prop_assert_eq!(made_by_insert(&document, &path).unwrap(), done.made, "{}", done.text);
                }
                let undone = remove(&done.text, &path, done.index, done.made).unwrap();
                prop_assert_eq!(undone, text, "from {}", done.text);
            }
            Err(error) => {
                prop_assert!(expected.is_none(), "{error}");
                let wrong = matches!(error.fault, Fault::WrongType { .. });
                prop_assert!(wrong, "{error}");
            }
        }
    }

    #[test]
    fn several_insertions_come_out_in_any_order(
        text in text(),
        paths in vec(path(), 1..5),
        element in element(),
        order in vec(any::<prop::sample::Index>(), 5),
    ) {
        let mut full = text.clone();
        let mut ours: Vec<(Vec<&str>, usize)> = Vec::new();
        for path in paths {
            if let Ok(done) = insert(&full, &path, &element) {
                full = done.text;
                ours.push((path, done.index));
            }
        }
        for pick in order {
            if ours.is_empty() {
                break;
            }
            let (path, index) = ours.remove(pick.index(ours.len()));
            let made = made_by_insert(&Document::parse(&full).unwrap(), &path).unwrap();
            full = remove(&full, &path, index, made).unwrap();
            for (other, at) in &mut ours {
                if *other == path && *at > index {
                    *at -= 1;
                }
            }
        }
        if ours.is_empty() {
            prop_assert_eq!(full, text);
        }
    }

    #[test]
    fn a_removal_takes_one_element_and_nothing_else(text in text(), path in path(), index in 0_usize..4) {
        let before = value(&text);
        let mut expected = before.clone();
        let mut node = Some(&mut expected);
        for key in &path {
            node = node.and_then(|n| n.as_object_mut()).and_then(|n| n.get_mut(*key));
        }
        let array = node.and_then(|n| n.as_array_mut()).filter(|a| index < a.len());
        let there = array.map(|array| array.remove(index)).is_some();
        match remove(&text, &path, index, 0) {
            Ok(after) => {
                prop_assert!(there);
                prop_assert_eq!(value(&after), expected);
            }
            Err(_) => prop_assert!(!there),
        }
    }

    #[test]
    fn a_set_string_changes_one_member(text in text(), word in "[a-z\"\\\\\n\u{1}é]{0,8}") {
        let mut expected = value(&text);
        let fits = expected.as_object().is_some_and(|o| o.get("x").is_none_or(|v| v.is_string() || v.is_null()));
        match set_string(&text, "x", &word) {
            Ok(after) => {
                prop_assert!(fits);
                expected["x"] = json!(word);
                prop_assert_eq!(value(&after), expected);
                prop_assert_eq!(set_string(&after, "x", &word).unwrap(), after);
            }
            Err(_) => prop_assert!(!fits),
        }
    }

    #[test]
    fn spans_hold_what_was_read(text in text()) {
        let document = Document::parse(&text).unwrap();
        prop_assert_eq!(value(document.raw(document.root())), value(&text));
        let mut open = vec![document.root()];
        while let Some(node) = open.pop() {
            let parsed = value(document.raw(node));
            prop_assert_eq!(node.as_str(), parsed.as_str());
            prop_assert_eq!(node.elements().len(), parsed.as_array().map_or(0, Vec::len));
            open.extend(node.elements());
            for member in node.members() {
                prop_assert_eq!(value(&text[member.key_span.clone()]), json!(member.key));
                open.push(&member.value);
            }
        }
    }

    #[test]
    fn both_readers_agree_on_what_is_json(
        pieces in vec(prop::sample::select(vec![
            "{", "}", "[", "]", ",", ":", " ", "\n", "\"a\"", "\"", "\\", "\\u", "d800", "\\udc00", "00e9", "1", "0", "-", ".",
            "e", "+", "true", "null", "NaN", "/", "//", "é", "\u{FEFF}", "\u{0}", "\t", "\r", "'", "\u{A0}",
        ]), 0..12)
    ) {
        let text = pieces.concat();
        let ours = Document::parse(&text);
        let theirs = serde_json::from_str::<Value>(text.strip_prefix('\u{FEFF}').unwrap_or(&text));
        match theirs {
            Err(error) if error.to_string().contains("out of range") => {}
            theirs => prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{:?}: {:?} {:?}", text, ours, theirs),
        }
    }

    #[test]
    fn a_quoted_text_reads_back(text in any::<String>()) {
        let quoted = quote(&text);
        prop_assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), text.clone());
        let document = Document::parse(&quoted).unwrap();
        prop_assert_eq!(document.root().as_str(), Some(text.as_str()));
    }

    #[test]
    fn nothing_panics(text in any::<String>(), path in path()) {
        let _ = insert(&text, &path, &text);
        let _ = remove(&text, &path, 0, 2);
        let _ = set_string(&text, "x", &text);
    }
}
