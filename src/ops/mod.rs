//! The use-cases, one a file: what a front end asks for, carried out over layouts and store.

pub mod summary;
