//! What people, programs and prompts see: the last step of a message's journey.
//!
//! Nothing of a message leaves here raw: text goes through [`shown`], JSON through [`json`].

pub mod age;
pub mod agent;
pub mod arrival;
pub mod boot;
pub mod checkup;
mod fields;
#[cfg(feature = "cli")]
mod grid;
pub mod json;
pub mod made;
#[cfg(feature = "cli")]
pub mod page;
#[cfg(feature = "cli")]
pub mod palette;
pub mod schedule;
pub mod shown;
pub mod summary;
#[cfg(feature = "cli")]
pub mod table;
pub mod template;
pub mod view;

#[cfg(test)]
pub(crate) mod samples;
