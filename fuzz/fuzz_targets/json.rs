//! Fuzz target: see `harness::json`.
#![no_main]

#[path = "../../tests/harness/mod.rs"]
mod harness;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| harness::json(bytes));
