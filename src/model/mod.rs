//! The words of DESIGN §1 as types: pure values and rules, with no I/O, clock or environment.
//!
//! Everything above (layouts, store, use-cases, front ends) speaks in these types; this module
//! imports nothing else of the crate.

pub mod date;
pub mod event;
pub mod inbox;
pub mod letter;
pub mod message;
pub mod name;
pub mod plan;
pub mod status;
pub mod thread;
