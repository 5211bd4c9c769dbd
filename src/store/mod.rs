//! The disk: finding inboxes, reading files without being fooled, and carrying out plans.
//!
//! Inboxes are found by [`discover`]; their messages are read by [`scan`] through [`read`]. Every
//! write goes through [`atomic`] (a test holds that), one change to an inbox at a time under its
//! [`lock`], and what was done is told to the [`journal`].

pub mod atomic;
pub mod bell;
pub mod census;
pub mod cursors;
pub mod discover;
pub mod journal;
pub mod lock;
pub mod names;
mod parallel;
pub mod read;
pub mod receipts;
pub mod rights;
pub mod scan;
pub mod sessions;
pub mod survey;
