//! postroom: one post room for every AI agent's inbox.

pub mod config;
pub mod layout;
pub mod model;
pub mod store;
pub mod text;
