//! Links the unwinder into the command. It would otherwise be a shared library of its own (`libgcc_s`), which
//! each start looks for, maps, and lets ask the processor what it can do: a tenth of a millisecond; see
//! docs/speed.md.
//!
//! Only with the GNU C library, and only where the compiler that links has the unwinder as an archive;
//! elsewhere nothing changes. Programs that use the library without its feature `cli` are left as they are.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let gnu = variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ENV") == "gnu";
    if gnu && env::var_os("CARGO_FEATURE_CLI").is_some() && archive_is_there() {
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
    }
}

/// Asks the compiler that is going to link: it answers with the path of a file that it knows, else with the
/// bare name.
fn archive_is_there() -> bool {
    let native = variable("HOST") == variable("TARGET");
    let Some(linker) = env::var_os("RUSTC_LINKER").or_else(|| native.then(|| "cc".into())) else { return false };
    let Ok(answer) = Command::new(linker).arg("-print-file-name=libgcc_eh.a").output() else { return false };
    Path::new(String::from_utf8_lossy(&answer.stdout).trim()).is_absolute()
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}
