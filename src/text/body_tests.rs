//! Tests of `body.rs`.
