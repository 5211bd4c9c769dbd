//! The server as a client meets it: the protocol over a pipe, in a world of its own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test says what must not be by panicking.
#![allow(clippy::needless_pass_by_value)] // `json!` values are made for one call.
#![cfg(feature = "mcp")]

#[path = "../cli/support.rs"]
#[allow(dead_code)] // Made for the tests of the command.
mod support;

mod client;
mod inbox;
mod protocol;
mod python;
mod resources;
mod tools;
