//! Fuzz target: see `harness::header`.
#![no_main]

#[path = "../../tests/harness/mod.rs"]
mod harness;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| harness::header(bytes));
