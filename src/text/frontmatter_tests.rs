//! Tests of `frontmatter.rs`.
