//! A client from another ecosystem: the Python SDK of the protocol, run by `tests/mcp_client.py` against
//! what it recorded. `.ci/run` installs the SDK and names its interpreter in `POSTROOM_MCP_PYTHON`; where
//! none is named, and `target/mcp-sdk` has none, this is passed over, and says so.

use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn the_python_sdk_gets_what_was_recorded() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let named = std::env::var_os("POSTROOM_MCP_PYTHON").map(PathBuf::from);
    let required = named.is_some();
    let python = named.unwrap_or_else(|| root.join("target/mcp-sdk/bin/python"));
    if !required && !python.exists() {
        println!("skipped: the Python SDK of the protocol is not installed; .ci/run installs it");
        return;
    }
    let ran = Command::new(python)
        .arg(root.join("tests/mcp_client.py"))
        .env("POSTROOM", env!("CARGO_BIN_EXE_postroom"))
        .output()
        .expect("the interpreter runs");
    let text = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{text}");
    println!("{text}");
}
