//! Tests of the status edit: the exact bytes, and the refusals.
#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::time::{Duration, Instant};

use super::edit_status;

fn is_status(key: &str) -> bool {
    key.eq_ignore_ascii_case("status")
}

/// The file with its status made `read`, or the kind of the refusal.
fn mark(file: impl AsRef<[u8]>) -> Result<String, &'static str> {
    let bytes = file.as_ref();
    let edit = edit_status(bytes, "read", is_status).map_err(|refusal| {
        assert!(!refusal.text.contains('\n') && refusal.line > 0, "{refusal:?}");
        refusal.kind.as_str()
    })?;
    Ok(String::from_utf8(edit.apply(bytes)).unwrap())
}

/// The same for a header alone.
fn header(content: &str) -> Result<String, &'static str> {
    let file = mark(format!("---\n{content}---\nbody\n"))?;
    Ok(file.strip_prefix("---\n").unwrap().strip_suffix("---\nbody\n").unwrap().to_owned())
}

#[test]
fn changes_only_the_word() {
    let edits = [
        ("status: unread\n", "status: read\n"),
        ("status: unread   # unread | read\n", "status: read   # unread | read\n"),
        ("status:\tunread\t\n", "status:\tread\t\n"),
        ("Status :  'Unread' # x\n", "Status :  'Read' # x\n"),
        ("\"status\": \"UNREAD\"\n", "\"status\": \"READ\"\n"),
        ("status: \"un\\x72ead\"\n", "status: \"read\"\n"),
        ("status: ''\n", "status: 'read'\n"),
        ("status: ~\n", "status: read\n"),
        ("status: NULL\n", "status: READ\n"),
        ("status: In progress, said moss\n", "status: Read\n"),
        ("status: uNREAD\n", "status: read\n"),
        ("status:unread\n", "status:read\n"),
        ("status: !!str unread\n", "status: !!str read\n"),
        ("status:\n  unread\n", "status:\n  read\n"),
        ("status:\n  'unread' # x\n", "status:\n  'read' # x\n"),
        ("  from: a\n  status: unread\n", "  from: a\n  status: read\n"),
        ("status: unread\nmeta:\n  status: unread\n", "status: read\nmeta:\n  status: unread\n"),
        ("note: |\n  status: unread\nstatus: unread\n", "note: |\n  status: unread\nstatus: read\n"),
        ("tags: [\n status,\n x\n]\nstatus: unread\n", "tags: [\n status,\n x\n]\nstatus: read\n"),
    ];
    for (before, after) in edits {
        assert_eq!(header(before).as_deref(), Ok(after), "{before:?}");
        assert_eq!(header(after).as_deref(), Ok(after), "{after:?}");
    }
}

#[test]
fn works_in_headers_that_are_no_yaml() {
    for odd in [
        "from: @ember\nto: *everyone\n",
        "subject: {{x}} y\n",
        "subject: Re: x\n",
        "subject: [wip\n",
        "subject: \"open\n",
        "a: \0\n",
        "a: b\ntext\n",
        "a: b\n  c: d\n",
        "\ta: b\n",
    ] {
        let (before, after) = (format!("{odd}status: unread\n"), format!("{odd}status: read\n"));
        let indented = odd.starts_with('\t');
        let expected = if indented { before.replace("status", "\tstatus") } else { before };
        let after = if indented { after.replace("status", "\tstatus") } else { after };
        assert_eq!(header(&expected), Ok(after), "{odd:?}");
    }
    // But then no other line may look like a status.
    assert_eq!(header("a: @b\nstatus: unread\n\nPlease set\nstatus: done\n"), Err("status-duplicate"));
    assert_eq!(header("subject: \"x \\d\nstatus: done\n\"\nstatus: unread\n"), Err("status-duplicate"));
}

#[test]
fn fills_an_empty_value_on_its_line() {
    let edits = [
        ("status:\nto: b\n", "status: read\nto: b\n"),
        ("status: \nto: b\n", "status: read\nto: b\n"),
        ("status:   \r\nto: b\r\n", "status: read  \r\nto: b\r\n"),
        ("status: # none\n", "status: read # none\n"),
        ("status:   # none\n", "status: read   # none\n"),
        ("status:\n# below\nto: b\n", "status: read\n# below\nto: b\n"),
    ];
    for (before, after) in edits {
        assert_eq!(header(before).as_deref(), Ok(after), "{before:?}");
    }
}

#[test]
fn adds_a_line_to_a_clean_header() {
    for clean in [
        "",
        "\n\n",
        "# status: read\n",
        "from: a\n",
        "from: a\n\nto: b\n# end\n",
        "tags:\n- a\n",
        "note: |\n  status: x\n",
        "note: |+\n  x\n\n",
        "meta:\n  status: x\n",
        "a: 'b\n  c'\n",
        "subject: Re: x\nfrom: @a\nto: [@b]\n",
        "subject: {{x}} y\n",
        "subject: \"a\" b\n",
        "last-status: done\n",
    ] {
        assert_eq!(header(clean), Ok(format!("{clean}status: read\n")), "{clean:?}");
    }
    assert_eq!(header("  from: a\n"), Ok("  from: a\n  status: read\n".to_owned()));
    assert_eq!(mark("\u{feff}---\r\nfrom: a\r\n---\r\nx"), Ok("\u{feff}---\r\nfrom: a\r\nstatus: read\r\n---\r\nx".to_owned()));
    assert_eq!(mark("---\r\n---"), Ok("---\r\nstatus: read\r\n---".to_owned()));
}

#[test]
fn adds_no_line_where_it_is_not_sure() {
    let refusals = [
        ("from: a\n\nThe text.\n", "header-not-clean"),
        ("from: a\n\nThe text: it begins.\n", "header-not-clean"),
        ("from: a\n\nnote: it begins\n", "header-not-clean"),
        ("from: a\nstray\n", "header-not-clean"),
        ("text\n", "header-not-clean"),
        ("- a\n", "header-not-clean"),
        ("[a, b]\n", "header-not-clean"),
        ("subject: \"open\n", "header-not-clean"),
        ("tags: [a,\n", "header-not-clean"),
        ("from: a\n  to: b\n", "header-not-clean"),
        ("from: a\n  status: unread\n", "header-not-clean"),
        ("\tfrom: a\n", "header-not-clean"),
        ("from: a\rto: b\n", "header-not-clean"),
        ("from: \0\n", "header-not-clean"),
        ("note: |\n    a\n  b\n", "header-not-clean"),
        ("{from: a}\n", "status-not-plain"),
        ("? from\n: a\n", "header-not-clean"),
        ("from: a\u{85}status: unread\n", "header-not-clean"),
        ("? status\n: unread\n", "header-not-clean"),
        ("- status: unread\n", "status-line-malformed"),
        ("from: a\nstatus = unread\n", "status-line-malformed"),
        ("from: a\n**Status**: unread\n", "status-line-malformed"),
        ("from: a\nstatus\u{a0}: unread\n", "status-line-malformed"),
        ("from: a\n\u{200b}status: unread\n", "status-line-malformed"),
        ("from: a\nstatus\u{ff1a} unread\n", "status-line-malformed"),
        ("subject: \"x\nstatus: unread\n\"\n", "status-line-malformed"),
        ("<<<<<<< ours\nfrom: a\n=======\nfrom: b\n>>>>>>> theirs\n", "conflict-markers"),
    ];
    for (before, kind) in refusals {
        assert_eq!(header(before), Err(kind), "{before:?}");
    }
}

#[test]
fn refuses_a_status_that_is_no_plain_word() {
    for value in [
        " [unread]",
        " {a: unread}",
        "\n  - unread",
        "\n- unread",
        "\n  a: unread",
        " |\n  unread",
        " >-\n  unread",
        " unread\n  or not",
        " 'un\n  read'",
        " [\n unread ]",
        " &s unread",
        " *s",
        " !x unread",
        " !!int unread",
        " \"unread",
        " 'unread' x",
        " - unread",
        " unread: read",
        " unread:",
        " &s",
        " !!str",
        " | unread",
    ] {
        let before = format!("from: a\nstatus:{value}\nto: b\n");
        assert_eq!(header(&before), Err("status-not-plain"), "{before:?}");
    }
    assert_eq!(header("status:\u{a0}unread\n"), Err("status-line-malformed"));
    assert_eq!(header("{from: a, status: unread}\n"), Err("status-not-plain"));
    for twice in ["status: unread\nStatus: unread\n", "status: unread\na: b\n'status': read\n", "status:unread\nstatus: read\n"] {
        assert_eq!(header(twice), Err("status-duplicate"), "{twice:?}");
    }
    assert_eq!(header("<<<<<<< x\na: b\n=======\nstatus: c\n"), Err("conflict-markers"));
}

#[test]
fn refuses_files_without_one_header() {
    for (file, kind) in [
        ("", "empty-file"),
        ("text\n", "no-frontmatter"),
        ("---\nstatus: unread\n", "unclosed-frontmatter"),
        ("+++\nstatus = 'unread'\n+++\n", "toml-frontmatter"),
        ("---json\n{\"status\": \"unread\"}\n---\n", "json-frontmatter"),
        ("\u{feff}\u{feff}---\nstatus: unread\n---\n", "no-frontmatter"),
        ("---\nfrom: a\nstatus: unread\n---\n---\nfrom: b\nstatus: unread\n---\n", "several-messages"),
        ("---\nfrom: a\nstatus: unread\n---\nfrom: b\nstatus: unread\n---\n", "several-messages"),
        ("---\nfrom: a\nstatus: unread\n---\nx\n\n---\nfrom: b\nstatus: unread\n---\ny\n", "several-messages"),
    ] {
        assert_eq!(mark(file), Err(kind), "{file:?}");
    }
    let refusal = edit_status(b"---\na: b\n---\nx\n\n---\nfrom: b\nto: c\n---\n", "read", is_status).unwrap_err();
    assert_eq!(refusal.line, 6);
}

#[test]
fn takes_only_one_word() {
    for word in ["", "two words", "re\nad", "'read'", "1", "-"] {
        assert!(edit_status(b"---\nstatus: unread\n---\n", word, is_status).is_err(), "{word:?}");
    }
}

#[test]
fn hostile_headers_take_no_time() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..20 {
        let above = format!("*a{}, ", n - 1).repeat(9);
        writeln!(bomb, "a{n}: &a{n} [{}]", above.trim_end_matches(", ")).unwrap();
    }
    let hostile = [
        bomb,
        format!("a: {}\n", "[".repeat(60_000)),
        format!("a: {}{}\n", "[".repeat(30_000), "]".repeat(30_000)),
        "a: [\n".repeat(12_000),
        "a: '\nb: \"\n".repeat(6_000),
        "a:\n".repeat(20_000),
        format!("a: {}\n", "- ".repeat(30_000)),
        format!("a: &a [{}]\n{}", "x,".repeat(10_000), "b: *a\n".repeat(6_000)),
        "\n#\n".repeat(20_000),
    ];
    for header in hostile {
        let body = "---\nfrom: x\n".repeat(20_000);
        let file = format!("---\n{header}status: unread\n---\n{body}");
        let start = Instant::now();
        let marked = edit_status(file.as_bytes(), "read", is_status);
        let spent = start.elapsed();
        // Far above what it takes, far below what anything quadratic takes.
        assert!(spent < Duration::from_secs(5), "{:?}: {spent:?}", header.get(..20));
        assert!(marked.is_ok(), "{:?}: {marked:?}", header.get(..20));
    }
}
