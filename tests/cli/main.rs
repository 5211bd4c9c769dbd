//! The command as people, agents and scripts use it: one binary, every test in a world of its own.

mod cases;
mod changes;
mod looking;
mod sending;
mod support;
mod threads;
