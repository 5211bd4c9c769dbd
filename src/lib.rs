//! (while the rest of the crate is being written: the parts that stand alone)
pub mod host;
pub mod text;
