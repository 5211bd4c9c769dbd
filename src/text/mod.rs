//! Byte-preserving surgery on message files, and making message text safe to show.

pub mod json;
pub mod neutral;
