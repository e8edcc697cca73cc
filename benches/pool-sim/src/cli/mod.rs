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

/// Options of the short help, with their text there.
const COMMON: &[(&str, &str)] = &[
    ("nodes", "number of nodes; 16 by default"),
    ("slots", "slots of each node; 4 by default"),
    ("policy", "greedy, fifo, drf, las, optimus, ones, oasis, pdors or random"),
    ("rescale", "seconds without work after a change"),
    ("load", "load of the jobs; 1 by default"),
    ("seed", "seed of random policies"),
];

const LINE: CommandLine<'static> = CommandLine {
    default: "simulate",
    free: Free { neutral: &[], limits: &[] },
    common: COMMON,
    features: &[],
    foreign: ForeignWords { options: &[], verbs: &[], arguments: &[] },
};

/// Entry point of the program `pool-sim`.
pub fn main() -> ExitCode {
    raddle_cli::main("pool-sim", || match LINE.parse() {
        Verb::Simulate(options) => ticks::simulate(&options),
    })
}
