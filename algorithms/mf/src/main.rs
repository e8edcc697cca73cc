//! `mf`: factorizes ratings, recommends, and predicts.

use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    cli::main()
}
