//! Byte-preserving surgery on text, and making text safe. Pure: nothing here reads or writes files.

pub mod block;
mod outline;
pub mod slots;
