//! The command line of `pool`.

use std::process::ExitCode;

/// The body of the program `pool`.
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
