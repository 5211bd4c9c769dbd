//! Tests of `status_edit.rs`.
