//! `raddle-data`: public sets by name, fetched, checked and made readable, and generated ones as files.

use std::process::ExitCode;

mod catalogue;
mod cli;
mod convert;
mod digest;
mod download;
mod entry;
mod part;
mod place;
mod transport;

fn main() -> ExitCode {
    cli::main()
}
