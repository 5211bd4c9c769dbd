//! postroom: one post room for every AI agent's inbox.
//!
//! Agents leave each other messages as plain files. This crate finds the inboxes of several tools,
//! reads every message tolerantly, moves it along its lifecycle by changing one word and no other
//! byte, archives on a schedule without ever deleting, and makes short, safe summaries for boot
//! prompts.
//!
//! # The tour
//!
//! The journey of a message, from the disk to an answer and back:
//!
//! 1. [`store::discover`] walks from a folder to [`model::inbox::Inbox`]es.
//! 2. A [`layout::Layout`] lists an inbox's files and parses each header into a
//!    [`model::message::Message`] (`text` holds the byte work).
//! 3. [`ops::find`] is the one query that lists, counts and summaries share.
//! 4. A change is a [`model::status::Transition`] (legal by construction), then a
//!    [`model::plan::EditPlan`] by the layout, which [`store::atomic`] carries out.
//! 5. [`store::journal`] keeps the [`model::event::Event`].
//!
//! Front ends (`cli`, `mcp`) share `front`: each command or call starts with one look at the world.
//!
//! `text` and `model` are pure; only `store::atomic` writes; only front ends read the environment
//! or the clock.

pub mod config;
pub mod error;
pub mod host;
pub mod layout;
pub mod model;
pub mod ops;
pub mod render;
pub mod store;
pub mod text;

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(any(feature = "cli", feature = "mcp"))]
pub mod front;
#[cfg(feature = "mcp")]
pub mod mcp;
