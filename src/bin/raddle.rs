//! `raddle`: runs programs on several processes, and administers such runs.

use std::process::ExitCode;

fn main() -> ExitCode {
    raddle::cli::launch::main()
}
