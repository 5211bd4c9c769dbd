//! What is counted, what is kept, and in which order.

use super::*;
use crate::model::message::DateSource;
use crate::render::samples::{clock, inbox, message, priority, status, with};

fn gather(messages: &[Message], limit: usize, order: Order) -> Summary {
    let mut collector = Collector::new(&clock(), limit, order);
    for m in messages {
        collector.push(m);
    }
    collector.finish()
}

fn ids(messages: &[Message]) -> Vec<&str> {
    messages.iter().map(|m| m.id.as_str()).collect()
}

#[test]
fn nothing_gives_nothing() {
    let summary = gather(&[], 10, Order::Urgent);
    assert!(summary.is_quiet());
    assert_eq!((summary.unread, summary.open, summary.stale, summary.more), (0, 0, 0, 0));
}

#[test]
fn counts_are_of_live_messages() {
    let summary = gather(
        &[
            message("a", "2026-04-30", "a"),
            status(message("b", "2026-04-30", "b"), Status::Read),
            status(message("c", "2026-04-30", "c"), Status::Actioned),
            status(message("d", "2026-01-01", "d"), Status::Actioned),
            status(message("e", "2026-01-01", "e"), Status::Resolved),
            with(message("f", "2026-01-01", "f"), |m| m.archived = true),
        ],
        10,
        Order::Urgent,
    );
    assert_eq!((summary.unread, summary.open, summary.stale, summary.more), (1, 3, 0, 0));
}

#[test]
fn stale_is_strictly_older_and_by_the_dates_that_count() {
    let old = |date: &str| status(message(date, date, "x"), Status::Read);
    let summary = gather(
        &[
            old("2026-04-17"), // 14 days: not yet
            old("2026-04-16"),
            old("2031-01-01"), // the future is never old
            old("long ago"),
            with(old("2020-01-01"), |m| m.shown.date_source = Some(DateSource::Mtime)),
            with(old("2026-03-01"), |m| m.shown.date_source = Some(DateSource::Name)),
        ],
        10,
        Order::Urgent,
    );
    assert_eq!(summary.stale, 2);
    assert_eq!(ids(&summary.stale_items), ["2026-03-01", "2026-04-16"]);

    let mut collector = Collector::new(&clock(), 10, Order::Urgent).stale_after(2);
    collector.push(&old("2026-04-28"));
    assert_eq!(collector.finish().stale, 1);
}

#[test]
fn stale_ones_are_named_only_where_nothing_is_unread() {
    let read = status(message("a", "2026-01-01", "a"), Status::Read);
    let unread = message("b", "2026-01-01", "b");
    for order in [[read.clone(), unread.clone()], [unread, read]] {
        let summary = gather(&order, 10, Order::Urgent);
        assert_eq!((summary.unread, summary.stale, summary.stale_items.len()), (1, 2, 0));
    }
}

#[test]
fn urgent_comes_first_then_the_newest_and_the_future_last() {
    let summary = gather(
        &[
            message("old", "2026-04-01", "x"),
            priority(message("future-urgent", "2031-01-01", "x"), "urgent"),
            priority(message("low", "2026-05-01", "x"), "low"),
            priority(message("high", "2026-04-02", "x"), "high"),
            message("undated", "soon", "x"),
            message("b-new", "2026-05-01", "x"),
            message("a-new", "2026-05-01", "x"),
            message("timed", "2026-05-01T09:00:00Z", "x"),
            priority(message("urgent-old", "2026-01-01", "x"), "URGENT"),
            priority(message("urgent", "2026-03-01", "x"), "urgent"),
        ],
        20,
        Order::Urgent,
    );
    assert_eq!(
        ids(&summary.items),
        ["urgent", "urgent-old", "high", "timed", "a-new", "b-new", "old", "undated", "low", "future-urgent"]
    );
    assert_eq!(summary.urgent, 3);
}

#[test]
fn only_the_first_few_are_kept_whatever_the_order_of_the_stream() {
    let messages: Vec<_> = (0..50).map(|i| message(&format!("m{i:02}"), &format!("2026-03-{:02}", 1 + i % 25), "x")).collect();
    let mut backwards = messages.clone();
    backwards.reverse();
    let summary = gather(&messages, 3, Order::Urgent);
    assert_eq!(ids(&summary.items), ["m24", "m49", "m23"]);
    assert_eq!((summary.unread, summary.more), (50, 47));
    assert_eq!(gather(&backwards, 3, Order::Urgent).items, summary.items);
    assert_eq!(gather(&messages, 0, Order::Urgent).more, 50);
}

#[test]
fn soma_sorts_by_the_text_of_the_date_and_keeps_the_listing_order() {
    let undated = with(message("2026-05-09-named", "", "x"), |m| m.header.date = None);
    let summary = gather(
        &[
            message("b", "2026-04-30", "x"),
            message("a", "2026-04-30", "x"),
            priority(message("u", "2026-04-01", "x"), "urgent"),
            message("word", "soon", "x"),
            undated,
            message("timed", "2026-04-30T09:00", "x"),
        ],
        10,
        Order::DateText,
    );
    assert_eq!(ids(&summary.items), ["word", "2026-05-09-named", "timed", "b", "a", "u"]);
}

#[test]
fn soma_falls_back_to_the_file_name() {
    let bare = |stem: &str| {
        with(message(stem, "", ""), |m| {
            m.header.date = None;
            m.header.subject = None;
            m.shown.subject = "a heading of the body".to_owned();
        })
    };
    for (stem, date, subject) in [
        ("2026-04-04-cache-key", "2026-04-04", "cache key"),
        ("note", "note.md", "note"),
        ("a-longer-name", "a-longer-n", "a longer name"),
        ("2026-04-04", "2026-04-04", "2026 04 04"),
    ] {
        let message = bare(stem);
        assert_eq!((&*soma_date(&message), &*soma_subject(&message)), (date, subject));
    }
    assert_eq!(soma_subject(&message("x", "", "As Written")), "As Written");
}

#[test]
fn unread_mail_is_counted_by_inbox() {
    let summary = gather(
        &[
            message("a", "2026-04-30", "a"),
            inbox(message("b", "2026-04-30", "b"), "lib"),
            status(inbox(message("c", "2026-04-30", "c"), "other"), Status::Read),
            message("d", "2026-04-30", "d"),
        ],
        10,
        Order::Urgent,
    );
    assert_eq!(summary.inboxes, [("soma@work".to_owned(), 2), ("soma@lib".to_owned(), 1)]);
}
