//! An empty program with the same libc: what starting a process costs, whatever it does then.
//! `benches/side_by_side/run.py` measures the start of postroom against it.

fn main() {}
