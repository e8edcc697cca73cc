//! The command line of `pool-sim`.

use std::process::ExitCode;

use clap::Parser;
use raddle_cli::{CommandLine, ForeignWords, Free};

mod options;
mod tables;
mod ticks;

/// Simulate scheduling policies on the jobs of a cluster.
#[derive(Debug, Parser)]
#[command(name = "pool-sim", version)]
enum Verb {
    /// Simulate jobs on a cluster under scheduling policies.
    Simulate(Box<options::Options>),
}

const LINE: CommandLine<'static> = CommandLine {
    default: "simulate",
    free: Free { neutral: &[], limits: &[] },
    common: &["nodes", "slots", "policy", "rescale", "load", "seed"],
    features: &[],
    sources: "",
    foreign: ForeignWords { options: &[], verbs: &[], arguments: &[] },
};

/// Entry point of the program `pool-sim`.
pub fn main() -> ExitCode {
    raddle_cli::main("pool-sim", || match LINE.parse() {
        Verb::Simulate(options) => ticks::simulate(&options),
    })
}
