//! `raddle`: runs programs as several processes, and inspects and controls runs.

use std::process::ExitCode;

fn main() -> ExitCode {
    raddle_cli::launch::main()
}
