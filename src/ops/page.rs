//! A place in a list by age, so that a caller who got a part of it can go on from there.
//!
//! It says how old the last message was and what it was called, not how many there were: whatever
//! is marked, moved or sent between two calls, nothing is passed over and nothing comes twice.

use std::cmp::Ordering;
use std::fmt;

use chrono::NaiveDateTime;

use super::find::{Sort, age, name};
use super::session::Session;
use crate::model::message::Message;
use crate::text::percent::{decode, encode};

/// A place in a list: right behind a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// For the caller: which of several runs through the list this is.
    pub run: u8,
    age: Option<i64>,
    name: [String; 3],
}

impl Cursor {
    /// The place right behind a message.
    pub fn behind(session: &Session<'_>, message: &Message, run: u8) -> Self {
        Self { run, age: age(&session.clock, message).map(micros), name: name(message) }
    }

    /// Whether a message comes behind this place in a list that is sorted by age.
    pub fn is_before(&self, session: &Session<'_>, message: &Message, sort: Sort) -> bool {
        let theirs = age(&session.clock, message).map(micros);
        let by_age = if sort == Sort::Oldest { theirs.cmp(&self.age) } else { self.age.cmp(&theirs) };
        by_age.then_with(|| name(message).cmp(&self.name)) == Ordering::Greater
    }

    /// Whether the place is right behind this very message.
    pub fn is_behind(&self, message: &Message) -> bool {
        name(message) == self.name
    }

    /// Reads what [`fmt::Display`] wrote; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.trim().split(',').collect();
        let [run, age, inbox, path, id] = parts.as_slice() else { return None };
        Some(Self {
            run: run.parse().ok()?,
            age: if *age == "-" { None } else { Some(age.parse().ok()?) },
            name: [decode(inbox)?, decode(path)?, decode(id)?],
        })
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [inbox, path, id] = self.name.each_ref().map(|part| encode(part));
        let age = self.age.map_or_else(|| "-".to_owned(), |a| a.to_string());
        write!(f, "{},{age},{inbox},{path},{id}", self.run)
    }
}

fn micros(time: NaiveDateTime) -> i64 {
    time.and_utc().timestamp_micros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_from_its_text() {
        for age in [None, Some(-5), Some(i64::MAX)] {
            let cursor = Cursor { run: 1, age, name: ["soma@x".to_owned(), "/a b/%.md".to_owned(), String::new()] };
            assert_eq!(Cursor::parse(&cursor.to_string()), Some(cursor));
        }
        for text in ["", "1", "1,x,a,b,c", "0,-,a,b", "0,-,a,b,c,d", "0,-,%zz,b,c"] {
            assert_eq!(Cursor::parse(text), None, "{text}");
        }
    }
}
