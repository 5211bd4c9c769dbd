//! Tests of `yaml.rs`.
