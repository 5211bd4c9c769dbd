//! postroom: one post room for every AI agent's inbox.

pub mod text;
