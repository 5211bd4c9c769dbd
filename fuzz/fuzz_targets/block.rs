//! Fuzz target: see `harness::block`.
#![no_main]

#[path = "../../tests/harness/mod.rs"]
mod harness;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| harness::block(bytes));
