//! Byte-preserving surgery on message texts, and making text safe to show.
//!
//! In the journey of a message this is the step from a file's bytes to what its header says,
//! and from a decision to the one span of bytes that changes. Everything here is a pure
//! function over bytes: no file, no clock, nothing else of the crate.

pub mod block;
pub mod body;
mod collection;
pub mod compose;
pub mod diff;
pub mod draft;
mod fence;
pub mod file_name;
pub(crate) mod find;
pub mod frontmatter;
pub mod header;
pub mod json;
mod keys;
mod lines;
pub mod nearest;
pub mod nested;
pub mod neutral;
mod outline;
pub mod percent;
pub(crate) mod plain;
mod scalar;
mod short;
pub mod slots;
pub mod soma;
pub mod status_edit;
mod strict;
pub mod tidy;
pub mod yaml;
