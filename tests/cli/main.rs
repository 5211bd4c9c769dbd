//! The command as people, agents and scripts use it: one binary, every test in a world of its own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test says what must not be by panicking.

#[cfg(feature = "mcp")]
mod agents;
mod answers;
mod attacks;
mod boot;
mod cases;
mod changes;
mod doctor;
mod drafts;
mod faults;
mod hooks;
mod hosts;
mod init;
mod json;
mod layouts;
mod looking;
mod migrate;
mod pages;
mod people;
mod refs;
mod schedule;
mod sending;
#[cfg(feature = "mcp")]
mod servers;
mod settings;
mod shapes;
mod shell;
mod support;
mod threads;
mod tour;
mod watch;
