//! The use-cases, one a file, over a [`session::Session`]. Front ends parse arguments, call one of
//! these, and print what comes back; no rule lives in them.

pub mod advance;
pub mod alias;
pub mod archive;
pub mod book;
pub mod compose;
pub mod deliver;
pub mod dialect;
pub mod doctor;
pub mod find;
pub mod hook;
pub mod init;
pub mod inject;
pub mod lint;
pub mod log;
pub mod migrate;
pub mod page;
pub mod refs;
pub mod reply;
mod reports;
pub mod schedule;
pub mod session;
pub mod settings;
pub mod setup;
mod shortlist;
pub mod show;
pub mod summary;
pub mod sweep;
pub mod thread;
pub mod watch;
