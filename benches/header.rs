//! How long one header takes, from the bytes of a file to its fields: a listing does this for
//! every message there is. `cargo bench --bench header`.

use divan::counter::ItemsCount;
use postroom::text::body::second_header;
use postroom::text::frontmatter::split;
use postroom::text::status_edit::edit_status;
use postroom::text::yaml::read;

/// How many headers a sample reads.
const COUNT: usize = 1_000;

const PLAIN: &str = "---
from: quill
to: ferrous
date: 2026-05-02
type: bug-report
priority: normal
status: unread
subject: Cache key drops the locale
in-reply-to: .soma/inbox/2026-05-01-cache-plan.md
origin: s07-3fa9c1
thread: cache
---

The key is built before the locale is known.
";

const ORDINARY: &str = "---
from: quill
to: ferrous
date: 2026-05-02
type: bug-report
priority: normal
status: unread
subject: \"Cache key drops the locale\"
in-reply-to: .soma/inbox/2026-05-01-cache-plan.md
origin: s07-3fa9c1
tags: [cache, locale]
---

The key is built before the locale is known.
";

const ODD: &str = "---
from: \"north/moss\"   # sender
to:
  - wren
  - moss
status: unread   # unread | read
subject: >-
  Three nights of runs,
  one flaky test
note: \"Say \\\"tea\\\" twice\"
tags: [parser, \"needs lexer, badly\"]
---
x
";

fn main() {
    divan::main();
}

#[divan::bench(args = ["plain", "ordinary", "odd"])]
fn split_and_read(bencher: divan::Bencher, which: &str) {
    let text = match which {
        "plain" => PLAIN,
        "ordinary" => ORDINARY,
        _ => ODD,
    };
    bencher.counter(ItemsCount::new(COUNT)).bench(|| {
        for _ in 0..COUNT {
            let bytes = divan::black_box(text.as_bytes());
            if let Ok(parts) = split(bytes, false) {
                divan::black_box(read(bytes, &parts));
            }
        }
    });
}

#[divan::bench]
fn search_second_header(bencher: divan::Bencher) {
    let body = "Some eighty letters of text, as a line of a message's body may well hold them.\n".repeat(50);
    bencher.counter(ItemsCount::new(COUNT)).bench(|| {
        for _ in 0..COUNT {
            divan::black_box(second_header(divan::black_box(body.as_bytes())));
        }
    });
}

#[divan::bench]
fn only_split(bencher: divan::Bencher) {
    bencher.counter(ItemsCount::new(COUNT)).bench(|| {
        for _ in 0..COUNT {
            let _ = divan::black_box(split(divan::black_box(ORDINARY.as_bytes()), false));
        }
    });
}

#[divan::bench]
fn edit(bencher: divan::Bencher) {
    bencher.counter(ItemsCount::new(COUNT)).bench(|| {
        for _ in 0..COUNT {
            let bytes = divan::black_box(ORDINARY.as_bytes());
            let _ = divan::black_box(edit_status(bytes, "read", |key| key.eq_ignore_ascii_case("status")));
        }
    });
}
