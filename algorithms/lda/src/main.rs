//! `lda`: fits a topic model, infers topics with it, and shows its topics.

use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    cli::main()
}
