//! `linear`: fits a linear classifier with a certificate, and predicts with it.

use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    cli::main()
}
