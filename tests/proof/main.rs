//! Proof that nothing is lost: the promises of `docs/guarantees.md`, each put to the test over whole
//! use-cases. The steps of single commits are in `tests/store_faults.rs`, the laws of edits in
//! `tests/header_properties.rs` and `tests/json_properties.rs`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unused_self)]

#[path = "../harness/mod.rs"]
mod harness;
#[allow(dead_code)]
#[path = "../cli/support.rs"]
mod support;
mod world;

mod attacks;
mod calls;
mod crash;
mod fuzz_smoke;
mod hostile;
mod isolation;
mod media;
mod model;
mod never_deletes;
mod races;
