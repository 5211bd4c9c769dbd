//! The disk: finding inboxes, reading files without being fooled, and carrying out plans.

pub mod discover;
