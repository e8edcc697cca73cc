//! `raddle`: runs programs on several processes, and asks after runs.

use std::process::ExitCode;

fn main() -> ExitCode {
    raddle::cli::launch::main()
}
