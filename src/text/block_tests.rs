//! The block goes in and comes out, and no other byte changes.

use proptest::prelude::{Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};

use super::*;

fn added(file: &str, text: &str) -> String {
    String::from_utf8(put(Some(file.as_bytes()), text).unwrap()).unwrap()
}

fn rest(file: &str) -> Removed {
    remove(file.as_bytes()).unwrap()
}

#[test]
fn a_new_block_goes_last_and_comes_out_without_a_trace() {
    for (file, expected) in [
        ("# mine\n", "# mine\n\n<!-- BEGIN:postroom -->\nx\ny\n<!-- END:postroom -->\n"),
        ("# mine", "# mine\n\n<!-- BEGIN:postroom -->\nx\ny\n<!-- END:postroom -->"),
        ("# mine\n\n", "# mine\n\n\n<!-- BEGIN:postroom -->\nx\ny\n<!-- END:postroom -->\n"),
        ("", "\n<!-- BEGIN:postroom -->\nx\ny\n<!-- END:postroom -->\n"),
        ("\n", "\n\n<!-- BEGIN:postroom -->\nx\ny\n<!-- END:postroom -->\n"),
        ("a\r\nb\r\n", "a\r\nb\r\n\r\n<!-- BEGIN:postroom -->\r\nx\r\ny\r\n<!-- END:postroom -->\r\n"),
        ("a\r\nb", "a\r\nb\r\n\r\n<!-- BEGIN:postroom -->\r\nx\r\ny\r\n<!-- END:postroom -->"),
        ("\u{feff}a\n", "\u{feff}a\n\n<!-- BEGIN:postroom -->\nx\ny\n<!-- END:postroom -->\n"),
        ("\u{feff}", "\u{feff}\n<!-- BEGIN:postroom -->\nx\ny\n<!-- END:postroom -->\n"),
    ] {
        assert_eq!(added(file, "x\ny\n"), expected);
        assert_eq!(added(expected, "x\ny"), expected, "a second time changes nothing");
        assert_eq!(rest(expected), Removed::Rest(file.as_bytes().to_vec()));
    }
}

#[test]
fn where_there_was_no_file_there_is_none_again() {
    let new = put(None, "x").unwrap();
    assert_eq!(new, b"<!-- BEGIN:postroom -->\nx\n<!-- END:postroom -->\n");
    assert_eq!(remove(&new).unwrap(), Removed::NoFile);
    assert_eq!(remove(b"# mine\n").unwrap(), Removed::Nothing);
    assert_eq!(remove(b"").unwrap(), Removed::Nothing);
}

#[test]
fn only_what_lies_between_the_markers_is_replaced() {
    let file = "a\r\n  <!--BEGIN:postroom-->  \nold\n\n```\nx\n```\n<!-- END:postroom -->\r\nb";
    assert_eq!(added(file, "new"), "a\r\n  <!--BEGIN:postroom-->  \nnew\n<!-- END:postroom -->\r\nb");
    assert_eq!(added(file, ""), "a\r\n  <!--BEGIN:postroom-->  \n<!-- END:postroom -->\r\nb");
    let crlf = "<!-- BEGIN:postroom -->\r\n<!-- END:postroom -->\r\n";
    assert_eq!(added(crlf, "p\nq\n\n"), "<!-- BEGIN:postroom -->\r\np\r\nq\r\n<!-- END:postroom -->\r\n");
}

#[test]
fn text_behind_the_block_keeps_its_distance() {
    let block = "<!-- BEGIN:postroom -->\nx\n<!-- END:postroom -->\n";
    for (file, expected) in [
        (format!("a\n\n{block}b\n"), "a\n\nb\n"),
        (format!("a\n\n{block}\nb\n"), "a\n\nb\n"),
        (format!("a\n{block}\nb\n"), "a\n\nb\n"),
        (format!("{block}b\n"), "b\n"),
        (format!("{block}\nb\n"), "\nb\n"),
    ] {
        assert_eq!(rest(&file), Removed::Rest(expected.as_bytes().to_vec()), "{file}");
    }
}

#[test]
fn markers_in_code_and_quotes_are_not_ours() {
    let pair = "<!-- BEGIN:postroom -->\n<!-- END:postroom -->";
    for file in [
        format!("```\n{pair}\n```\n"),
        format!("````md\n```\n{pair}\n```\n{pair}\n````\n"),
        format!("~~~\n```\n{pair}\n~~~\n"),
        "```\n<!-- BEGIN:postroom -->\n```\n".to_owned(),
        "- a\n\n      ```\n      <!-- END:postroom -->\n      ```\n".to_owned(),
        "- ```\n  <!-- BEGIN:postroom -->\n  ```\n".to_owned(),
        "    <!-- BEGIN:postroom -->\n".to_owned(),
        "> <!-- BEGIN:postroom -->\n".to_owned(),
        "<pre>\n<!-- BEGIN:postroom -->\n</pre>\n".to_owned(),
        "between `<!-- BEGIN:postroom -->` and ``<!-- END:postroom -->`` it stands\n".to_owned(),
        "BEGIN:postroom is a word like any other\n".to_owned(),
    ] {
        let new = added(&file, "x");
        assert_eq!(new, format!("{file}\n<!-- BEGIN:postroom -->\nx\n<!-- END:postroom -->\n"), "{file}");
        assert_eq!(rest(&new), Removed::Rest(file.into_bytes()));
    }
}

#[test]
fn what_is_unclear_is_refused() {
    let (b, e) = (BEGIN, END);
    for (file, kind) in [
        (format!("a\n{b}\nb\n"), "block-unmatched"),
        (format!("a\n{e}\nb\n"), "block-unmatched"),
        (format!("{b}\nx\n```\n{e}\n```\n"), "block-unmatched"),
        (format!("{e}\n{b}\n"), "block-reversed"),
        (format!("{b}\n{e}\n{b}\n{e}\n"), "block-doubled"),
        (format!("{b}\n{b}\n{e}\n"), "block-doubled"),
        (format!("a {b}\n{e}\n"), "block-unclear"),
        (format!("a {b} x {e}\n"), "block-unclear"),
        (format!("` {b}\n"), "block-unclear"),
        (format!("- {b}\n"), "block-unclear"),
        (format!("<!-- off\n{b}\n{e}\n-->\n"), "block-unclear"),
        ("a\n```\nb\n".to_owned(), "block-left-open"),
        ("a\n~~~~\n~~~\n".to_owned(), "block-left-open"),
        ("<!-- todo\n".to_owned(), "block-left-open"),
        ("a\rb\r".to_owned(), "lone-return"),
        ("a\0b\n".to_owned(), "not-utf8"),
    ] {
        assert_eq!(put(Some(file.as_bytes()), "x").unwrap_err().kind(), kind, "{file}");
    }
    assert_eq!(put(Some(b"\xff\xfe#\0"), "x").unwrap_err(), BlockError::NotText);
    assert_eq!(put(Some(b"caf\xe9\n"), "x").unwrap_err(), BlockError::NotText);
    assert_eq!(
        put(Some(format!("a\n{b}\n").as_bytes()), "x").unwrap_err().to_string(),
        "line 2: <!-- BEGIN:postroom --> has no partner; remove the line, or add the missing one"
    );
    // Taking out asks for a clear block only, not for a clear end of the file.
    assert_eq!(remove(b"a\n```\n").unwrap(), Removed::Nothing);
    assert!(remove(format!("{b}\n").as_bytes()).is_err());
}

#[test]
fn a_text_that_would_break_the_block_is_refused() {
    for text in [END, BEGIN, "x\n<!-- END:postroom -->\ny", "```\nx", "<!-- x", "a <!-- END:postroom --> b", "<pre>"] {
        assert_eq!(put(Some(b"a\n"), text), Err(BlockError::BadText), "{text}");
        assert_eq!(put(None, text), Err(BlockError::BadText), "{text}");
    }
    assert!(put(Some(b"a\n"), "```\nx\n```").is_ok());
}

#[test]
fn hostile_files_take_linear_time() {
    for piece in ["```\n", "- ", "`", "` ``", "<!--", "<!-- BEGIN:postroom", ">", "\t", "<pre>\n", "1. - * ", "-->\n<!--\n"] {
        let file = piece.repeat(60_000);
        let clock = std::time::Instant::now();
        let _ = put(Some(file.as_bytes()), "x");
        assert!(clock.elapsed().as_secs() < 5, "{piece}");
    }
}

fn file() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => "[a-z`~<> *-]{0,8}",
        1 => prop_oneof!["```", "~~~~", "    x", "> y", "- z", "<!-- a -->", "\u{feff}", "é日本"],
    ];
    (prop::collection::vec((line, prop_oneof!["\n", "\r\n", "\n\n"]), 0..8), any::<bool>()).prop_map(|(lines, ended)| {
        let text: String = lines.into_iter().flat_map(|(line, end)| [line, end]).collect();
        if ended { text } else { text.trim_end_matches(['\r', '\n']).to_owned() }
    })
}

proptest! {
    #[test]
    fn remove_undoes_put(file in file(), text in "[a-z\n]{0,20}", later in "[a-z\n]{0,20}") {
        if let Ok(new) = put(Some(file.as_bytes()), &text) {
            prop_assert!(new.starts_with(file.as_bytes()));
            prop_assert_eq!(&put(Some(&new), &text).unwrap(), &new);
            let newer = put(Some(&new), &later).unwrap();
            prop_assert_eq!(put(Some(&newer), &text).unwrap(), new);
            prop_assert_eq!(remove(&newer).unwrap(), Removed::Rest(file.into_bytes()));
        }
    }

    #[test]
    fn nothing_panics(file in prop::collection::vec(any::<u8>(), 0..200), text in ".*") {
        let _ = put(Some(&file), &text);
        let _ = remove(&file);
    }
}
