//! What the front ends share: from options and the environment to a [`run::Run`], which every command
//! and every call starts with.

pub mod run;
pub mod start;
pub mod summary;
pub mod watch;
