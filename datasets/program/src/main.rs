//! `raddle-data`: fetches, checks and converts public sets by name, and writes generated ones.

use std::process::ExitCode;

mod catalogue;
mod cli;
mod convert;
mod digest;
mod download;
mod part;
mod place;
mod provenance;
mod transport;

fn main() -> ExitCode {
    cli::main()
}
