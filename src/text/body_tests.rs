//! Tests of `body.rs`: second headers, and titles.

use super::{second_header, title_of};

#[test]
fn finds_a_second_header() {
    let found = [
        // Straight behind the first: the whole header again, or its closing fence opens the next.
        ("---\nfrom: b\nstatus: unread\n---\nmore\n", 1),
        ("\n---\nfrom: b\nstatus: unread\n---\nmore\n", 2),
        ("from: b\nstatus: unread\n---\nmore\n", 1),
        ("\n\nFrom: b\r\nStatus: unread\r\n---\r\nmore\r\n", 3),
        // Further down, closed or not.
        ("one\n\n---\nfrom: b\nto: c\n---\ntwo\n", 3),
        ("one\n---\nFrom: b\nTo: c\nStatus: unread\n\ntwo\n", 2),
        ("one\n---\nfrom: b\n# note\ntags:\n  - x\n- y\nstatus: unread\n...\n", 2),
        ("```\ncode\n```\n---\nfrom: b\nstatus:unread\n---\n", 4),
        ("````\n```\n````\n---\nfrom: b\nstatus: x\n---\n", 4),
        ("`` ``` `` x\n---\nfrom: b\nstatus: x\n---\n", 2),
    ];
    for (body, line) in found {
        assert_eq!(second_header(body.as_bytes()), Some(line), "{body:?}");
    }
}

#[test]
fn leaves_a_body_alone() {
    let bodies = [
        "",
        "text\n",
        "---\n",
        "\n---\n\n---\ntext\n---\n",
        "status: unread\n\n---\n",
        "status: unread\nstatus: read\nstatus: done\n---\n",
        "text\n---\nNote: this is a rule\nand text\n",
        "text\n---\nStatus: complete\nPriority: low\n",
        "text\n---\nfrom here on: nothing\nto do\n---\n",
        "```markdown\n---\nfrom: b\nto: c\nstatus: unread\n---\n```\n",
        "~~~\n```\n---\nfrom: b\nto: c\nstatus: unread\n---\n```\n~~~\n",
        "```\n---\nfrom: b\nto: c\nstatus: unread\n---\n",
        "> ---\n> from: b\n> status: unread\n> ---\n",
        "    ---\n    from: b\n    status: unread\n    ---\n",
        "- status: unread\n- from: b\n\n---\n",
        "From: Tallow\nTo: Pylon\n\nforwarded\n",
        "title | x\n---|---\nfrom: b\nto: c\n",
    ];
    for body in bodies {
        assert_eq!(second_header(body.as_bytes()), None, "{body:?}");
    }
}

#[test]
fn takes_the_first_heading_or_line() {
    let titles = [
        ("\n# Count the open handles #\n\ntext\n", "Count the open handles"),
        ("Hello,\n\n## Second part\n", "Second part"),
        ("\r\n\r\nHello.\r\n", "Hello."),
        ("Title\n=====\ntext\n", "Title"),
        ("Title\n---\ntext\n", "Title"),
        ("\n---\n\ntext here\n", "text here"),
        ("<!-- a note\nover lines -->\n***\nText\n", "Text"),
        ("<!-- note --> Text\n", "<!-- note --> Text"),
        ("```sh\n# no heading\n```\nText\n", "Text"),
        ("```sh\nmake\n```\n", "make"),
        ("#hashtag first\n", "#hashtag first"),
        ("####### seven\n", "####### seven"),
        ("# C#\n", "C#"),
        ("#\nText\n", "Text"),
    ];
    for (body, title) in titles {
        assert_eq!(title_of(body.as_bytes()).as_deref(), Some(title), "{body:?}");
    }
    assert_eq!(title_of(b"Na\xefve\n").as_deref(), Some("Na\u{fffd}ve"));
    for body in ["", "\n \n", "---\n***\n", "<!-- open\ntext\n", "```\n```\n"] {
        assert_eq!(title_of(body.as_bytes()), None, "{body:?}");
    }
}
