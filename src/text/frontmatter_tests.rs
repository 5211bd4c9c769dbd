//! Tests of `frontmatter.rs`: where headers begin and end, by the byte.
#![allow(clippy::unwrap_used)]

use gray_matter::engine::Engine;
use gray_matter::{Matter, Pod};

use super::{HEADER_LIMIT, Newline, Split, SplitError, split};

/// The content and the body of a whole file.
fn parts(text: &str) -> Result<(&str, &str), SplitError> {
    let found = split(text.as_bytes(), true)?;
    Ok((&text[found.content], &text[found.body..]))
}

#[test]
fn tells_every_part_by_its_bytes() {
    let text = "\u{feff}\r\n \n--- \t\r\na: b\r\n...\r\nbody\n---\n";
    let expected = Split {
        bom: 0..3,
        leading: 3..7,
        open: 7..14,
        content: 14..20,
        close: 20..25,
        body: 25,
        newline: Newline::CrLf,
        first_line: 4,
    };
    assert_eq!(split(text.as_bytes(), true), Ok(expected));
}

#[test]
fn closes_at_the_first_fence_line() {
    assert_eq!(parts("---\na: b\n---\nbody"), Ok(("a: b\n", "body")));
    assert_eq!(parts("---\na: b\n...\nbody\n---\n"), Ok(("a: b\n", "body\n---\n")));
    assert_eq!(parts("---\na: b\n---"), Ok(("a: b\n", "")));
    assert_eq!(parts("---\n---\nx"), Ok(("", "x")));
    assert_eq!(parts("---   \na: b\n---\t \r\nx"), Ok(("a: b\n", "x")));
    assert_eq!(parts("---\na: ---\n --- \n----\n--- x\n....\n---\nx"), Ok(("a: ---\n --- \n----\n--- x\n....\n", "x")));
}

#[test]
fn takes_the_line_end_of_the_last_header_line() {
    let newline = |text: &str| split(text.as_bytes(), true).map(|found| found.newline);
    assert_eq!(newline("---\na: b\n---\r\n"), Ok(Newline::Lf));
    assert_eq!(newline("---\r\n---\n"), Ok(Newline::CrLf));
    assert_eq!(newline("---\na: b\r\n---\n"), Ok(Newline::CrLf));
}

#[test]
fn names_what_stands_there_instead() {
    let kinds = [
        ("", "empty-file"),
        (" \r\n\t\n", "empty-file"),
        ("\u{feff}", "empty-file"),
        ("# Heading\n---\na: b\n---\n", "no-frontmatter"),
        ("-- \na: b\n---\n", "no-frontmatter"),
        ("----\na: b\n---\n", "no-frontmatter"),
        (" ---\na: b\n---\n", "no-frontmatter"),
        ("---yaml\na: b\n---\n", "no-frontmatter"),
        ("```yaml\n---\na: b\n---\n```\n", "no-frontmatter"),
        ("---\ra: b\r---\r", "no-frontmatter"),
        ("...\na: b\n---\n", "no-frontmatter"),
        ("---\na: b\n", "unclosed-frontmatter"),
        ("---", "unclosed-frontmatter"),
        ("+++\na = 1\n+++\n", "toml-frontmatter"),
        ("---toml\na = 1\n---\n", "toml-frontmatter"),
        ("--- JSON\n{}\n---\n", "json-frontmatter"),
        ("{\"a\": 1}\n", "json-frontmatter"),
        ("-\0-\0-\0\n\0", "not-utf8"),
    ];
    for (text, kind) in kinds {
        assert_eq!(parts(text).map_err(SplitError::as_str), Err(kind), "{text:?}");
    }
    assert_eq!(split(b"\xFF\xFE-\0", true), Err(SplitError::NotUtf8));
    assert_eq!(split(b"\xFE\xFF\0-", true), Err(SplitError::NotUtf8));
}

#[test]
fn a_start_of_a_file_never_gets_another_answer_than_the_file() {
    let texts = [
        "---\na: b\n---\nbody\n---\n",
        "\u{feff}\n\n---\r\na: b\r\n...\r\nbody",
        "---\n----\n---x\n---\n",
        "--- x\n---\n",
        "# Heading\n---\n",
        "+++\na\n+++\n",
        "---json\n{}\n---\n",
        "{}",
        "---\na: b\n",
        "",
    ];
    for text in texts {
        let whole = split(text.as_bytes(), true);
        for end in 0..=text.len() {
            let start = split(&text.as_bytes()[..end], false);
            assert!(start == Err(SplitError::Incomplete) || start == whole, "{:?}: {start:?}", &text[..end.min(4)]);
        }
        if let Ok(found) = whole {
            assert!(split(&text.as_bytes()[..found.body], false).is_ok() || !text[..found.body].ends_with('\n'));
        }
    }
}

#[test]
fn a_header_above_the_limit_is_an_error_of_its_own() {
    let long = |n: usize| format!("---\n{}---\nbody\n", "a: b\n".repeat(n));
    let fits = long((HEADER_LIMIT - 8) / 5);
    assert!(split(fits.as_bytes(), true).is_ok());
    let cut = &fits.as_bytes()[..HEADER_LIMIT];
    assert_eq!(split(cut, false), split(fits.as_bytes(), true));
    let above = long(HEADER_LIMIT / 5 + 1);
    assert_eq!(split(above.as_bytes(), true), Err(SplitError::TooLarge));
    assert_eq!(split(&above.as_bytes()[..HEADER_LIMIT], false), Err(SplitError::TooLarge));
    assert_eq!(split(&above.as_bytes()[..HEADER_LIMIT - 1], false), Err(SplitError::Incomplete));
}

/// Hands the header through as text, so that `gray_matter` only splits.
struct PassThrough;

impl Engine for PassThrough {
    fn parse(content: &str) -> gray_matter::Result<Pod> {
        Ok(Pod::String(content.to_owned()))
    }
}

/// What `gray_matter` and this splitter agree on: files without a byte order mark, without blank
/// lines above, closed by `---`, and without another line in the body that ends in `---`.
#[test]
fn agrees_with_gray_matter_where_both_apply() {
    let matter = Matter::<PassThrough>::new();
    let texts = [
        "---\nfrom: quill\nstatus: unread\n---\n\nThe key.\n",
        "---\r\nfrom: quill\r\nstatus: unread\r\n---\r\nThe key.\r\n",
        "---  \nfrom: quill\n---\t\nbody",
        "---\nsubject: \"a --- b\"\nnote: ---\n---\nbody\n",
        "---\nsubject: {{x}} missing\nfrom: @x\n\n# comment\nto: 007\n---\nbody\n",
        "---\nsubject: >-\n  one\n  two\ntags:\n- a\n---\n\n\n# Heading\n",
        "---\n---\nbody\n",
        "# no header\n",
        "plain text\n",
    ];
    for text in texts {
        let theirs = matter.parse::<String>(text).unwrap();
        let (content, body) = parts(text).unwrap_or(("", text));
        // gray_matter trims the header and the body, and turns every line end into `\n`.
        assert_eq!(theirs.matter.replace('\r', ""), content.replace('\r', "").trim(), "{text:?}");
        assert_eq!(theirs.content.trim_end(), body.replace('\r', "").trim_start_matches('\n').trim_end(), "{text:?}");
    }
}
