//! Builds the unwinder into the program, where it would otherwise be a shared library of its own (`libgcc_s`):
//! each start looks for that, maps it and lets it ask the processor what it can do, for a tenth of a
//! millisecond. docs/speed.md has the figures.
//!
//! Only with the GNU C library, only for the command, and only where the compiler that links has the unwinder
//! as an archive; elsewhere nothing changes.

use std::env;
use std::path::Path;
use std::process::Command;

const ARCHIVE: &str = "libgcc_eh.a";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if is(&["CARGO_CFG_TARGET_OS", "CARGO_CFG_TARGET_ENV"], &["linux", "gnu"]) && has("CARGO_FEATURE_CLI") && at_hand() {
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
    }
}

fn is(names: &[&str], values: &[&str]) -> bool {
    names.iter().zip(values).all(|(name, value)| env::var(name).is_ok_and(|found| found == *value))
}

fn has(name: &str) -> bool {
    env::var_os(name).is_some()
}

/// Whether the compiler that is going to link knows where the archive lies: it says so with its path.
fn at_hand() -> bool {
    let own = env::var_os("HOST") == env::var_os("TARGET");
    let Some(linker) = env::var_os("RUSTC_LINKER").or(own.then(|| "cc".into())) else { return false };
    let Ok(told) = Command::new(linker).arg(format!("-print-file-name={ARCHIVE}")).output() else { return false };
    Path::new(String::from_utf8_lossy(&told.stdout).trim()).is_absolute()
}
