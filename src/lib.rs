//! postroom: one post room for every AI agent's inbox.

pub mod layout;
pub mod model;
pub mod ops;
pub mod render;
pub mod store;
pub mod text;
