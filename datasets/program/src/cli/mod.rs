//! The command line of `raddle data`.

use std::process::ExitCode;

use clap::Parser;
use raddle_cli::CommandLine;

mod ask;
mod fetch;
mod foreign;
mod generate;
mod interrupted;
mod list;
mod network;
mod obtain;
mod path;
mod verify;

/// Fetch, check and list public datasets by name, and write generated data as files.
#[derive(Debug, Parser)]
#[command(name = "raddle-data", version, after_help = EXAMPLES)]
enum Verb {
    /// List datasets, their licences and which are fetched. This is the default command.
    List(list::Options),
    /// Fetch a dataset by its name, or a file by its URL.
    Fetch(fetch::Options),
    /// Check the SHA-256 digests of the files in the data folder.
    Verify(verify::Options),
    /// Print the path of a dataset in the data folder.
    Path(path::Options),
    /// Write generated data to a file.
    Generate(generate::Options),
}

const EXAMPLES: &str = "Examples:
  raddle data list
  raddle data fetch ml-1m --yes
  raddle data verify
  raddle data path ml-1m
  raddle data generate synth:groups:n=500,p=5000,s=50 groups.csv

Datasets are in the data folder: $RADDLE_DATA or, if that is not set,
$XDG_CACHE_HOME/raddle or ~/.cache/raddle.

Exit status: 0 done, 1 failed, 2 bad usage or input, 130 interrupted.";

const LINE: CommandLine<'static> = CommandLine {
    default: "list",
    free: raddle_cli::Free { neutral: &[], limits: &[] },
    common: &["yes", "to", "from", "sha256"],
    features: if cfg!(feature = "fetch") { &["fetch"] } else { &[] },
    sources: "",
    foreign: foreign::FOREIGN,
};

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    raddle_cli::main("raddle-data", || match LINE.parse() {
        Verb::List(options) => list::list(&options),
        Verb::Fetch(options) => fetch::fetch(&options),
        Verb::Verify(options) => verify::verify(&options),
        Verb::Path(options) => path::path(&options),
        Verb::Generate(options) => generate::generate(&options),
    })
}
