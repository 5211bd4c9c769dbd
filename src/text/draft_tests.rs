use super::*;

fn read(text: &str) -> Draft {
    Draft::read(text, &Key::ALL).unwrap()
}

fn faults(text: &str) -> Vec<String> {
    Draft::read(text, &Key::ALL).unwrap_err().iter().map(ToString::to_string).collect()
}

#[test]
fn a_draft_with_a_header_is_taken_apart() {
    let draft = read("---\n# to whom\nto: ben, cal (api)\nsubject: \"Hi: there\" # remark\ntype:\n---\n\nHello\nthere\n");
    assert_eq!(draft.all(Key::To), ["ben", "cal (api)"]);
    assert_eq!(draft.get(Key::Subject), Some("Hi: there"));
    assert_eq!(draft.get(Key::Type), None);
    assert_eq!(draft.body, "Hello\nthere\n");
}

#[test]
fn every_way_to_write_a_header_is_read() {
    for (text, key, want) in [
        ("---\nTo: [ben, \"cal, jr\"]\n---\nx", Key::To, &["ben", "cal, jr"][..]),
        ("---\ncc:\n  - ben\n  - cal\n...\nx", Key::Cc, &["ben", "cal"]),
        ("---\nBCC: 'it''s'\n---\nx", Key::Bcc, &["it's"]),
        ("---\nTitle: Fix #12 now\n---\nx", Key::Subject, &["Fix #12 now"]),
        ("---\ntopic: >\n  one\n  two\n---\nx", Key::Subject, &["one two"]),
        ("\u{feff}---\r\nin_reply_to: a.md\r\n---\r\nx", Key::InReplyTo, &["a.md"]),
        ("\n\n--- \nthread_tag: cache\n---\nx", Key::Thread, &["cache"]),
        ("---\ntag: no\n---\nx", Key::Tags, &["no"]),
        ("---\nmood: fine\nfrom: ava\n---\nx", Key::From, &["ava"]),
    ] {
        match Draft::read(text, &Key::ALL) {
            Ok(draft) => {
                assert_eq!(draft.all(key), want, "{text:?}");
                assert_eq!(draft.body, "x", "{text:?}");
            }
            // A key of nobody's beside known ones is no key of a draft.
            Err(faults) => assert!(text.contains("mood") && faults.len() == 1, "{text:?}: {faults:?}"),
        }
    }
}

#[test]
fn a_text_without_a_header_is_all_body() {
    for text in [
        "",
        "Hello\n",
        "# Title\n\n---\n\nmore\n",
        "--- not a fence\n",
        "---\nnever closed\n",
        "---\nA rule above, and below\n---\nmore\n",
        "---\nmood: fine\nplan: none\n---\nmore\n",
        "---\n---\nmore\n",
        "---\n\n---\nmore\n",
        "---\n- a list\n- in rules\n---\n",
    ] {
        let draft = read(text);
        assert!(draft.is_plain(), "{text:?}");
        assert_eq!(draft.body, text);
    }
}

#[test]
fn what_can_not_be_followed_is_a_fault() {
    assert_eq!(
        faults("---\nto: ben\nstatus: read\nmood: fine\n---\nx"),
        ["line 3: \"status\" can't be said in a draft", "line 4: \"mood\" can't be said in a draft"]
    );
    assert_eq!(faults("---\nsubject: a\nTitle: b\n---\n"), ["line 3: \"Title\" says again what a line above says"]);
    assert_eq!(faults("---\nto: {a: b}\n---\n"), ["line 2: the value of \"to\" is no plain text"]);
    assert_eq!(faults("---\ntype: [a, b]\n---\n"), ["line 2: the value of \"type\" is no plain text"]);
    assert!(faults("---\nto: ben\n\nDear Ben, this: is text\n---\nx")[0].starts_with("line 4: text inside the header"));
    assert!(faults("---\nto: ben\nsubject: a\n\nThe text\n")[0].contains("not closed"));
    assert_eq!(Draft::read("---\nto: ben\n---\n", &[Key::Subject]).unwrap_err().len(), 1);
}

#[test]
fn a_template_reads_back() {
    let fields = [
        (Key::To, vec!["ben".to_owned(), "no".to_owned()]),
        (Key::Cc, vec!["cal, jr".to_owned()]),
        (Key::Subject, vec!["Re: key #1: \"x\"".to_owned()]),
        (Key::Type, vec!["reply".to_owned()]),
        (Key::Tags, Vec::new()),
    ];
    let draft = read(&template(&["a remark", "another: one"], &fields));
    for (key, values) in fields {
        assert_eq!(draft.all(key), values, "{key:?}");
    }
    assert_eq!(draft.body, "");
}
