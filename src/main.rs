//! The `postroom` command. Everything is in the library; see `postroom::cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    postroom::cli::run()
}
