//! Running the program.

use std::path::Path;
use std::process::{Command, Stdio};

use sha2::{Digest as _, Sha256};

pub(crate) use raddle_common::testing::{Ran, not_empty};

/// `raddle-data WORDS...` with this data folder, not started yet. It reaches nothing but loopback.
pub(crate) fn command(data: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle-data"));
    command.args(line.split_whitespace()).env("RADDLE_DATA", data).stdin(Stdio::null());
    for variable in ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY"] {
        command.env_remove(variable.to_lowercase()).env(variable, "http://127.0.0.1:9");
    }
    command.env_remove("no_proxy").env("NO_PROXY", "127.0.0.1,localhost").env_remove("SSL_CERT_FILE");
    command
}

/// Runs a line.
pub(crate) fn run(data: &Path, line: &str) -> Ran {
    Ran::new(command(data, line).output().unwrap())
}

/// Runs a line that must end with this status.
pub(crate) fn ends(data: &Path, line: &str, code: i32) -> Ran {
    let ran = run(data, line);
    assert_eq!(ran.code, Some(code), "{line}\n{}\n{}", ran.out, ran.err);
    ran
}

/// SHA-256 as 64 digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
