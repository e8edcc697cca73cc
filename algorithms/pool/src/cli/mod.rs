//! The command line of `pool`.

use std::process::ExitCode;

use clap::Parser;
use raddle::cli::{CommandLine, Free};

mod duration;
mod job_line;
mod jobs;
mod simulate;
mod simulate_options;
mod simulate_slots;
mod tables;

/// A pool: many elastic fits on the cores there are, under policies that are tried in a simulator.
#[derive(Debug, Parser)]
#[command(name = "pool", version, after_help = EXAMPLES)]
enum Verb {
    /// Simulate jobs on a cluster under policies.
    Simulate(Box<simulate_options::Options>),
}

const EXAMPLES: &str = "Examples:
  pool simulate synth:jobs:n=160,seed=1
  pool simulate pollux:6 --policy las,optimus,ones
  pool simulate synth:slots:lo=0.5,seeds=10

Exit status: 0 done, 1 failed, 2 bad usage or input, 130 interrupted.";

/// Options of the short help, and their lines there.
const COMMON: &[(&str, &str)] = &[
    ("nodes", "number of nodes; 16 by default"),
    ("slots", "slots of each node; 4 by default"),
    ("policy", "fifo, drf, las, optimus, ones, oasis, pdors; several with commas"),
    ("rescale", "seconds in which a resized job does nothing"),
    ("load", "load of the jobs; 1 by default"),
    ("seed", "seed of policies that draw"),
    ("explain", "a line a decision that changes something"),
];

const LINE: CommandLine<'static> = CommandLine {
    default: "simulate",
    free: Free { neutral: &[], limits: &[] },
    common: COMMON,
    features: &[],
};

/// The body of the program `pool`.
pub fn main() -> ExitCode {
    raddle::cli::main("pool", || match LINE.parse() {
        Verb::Simulate(options) if options.is_in_slots() => simulate_slots::simulate(&options),
        Verb::Simulate(options) => simulate::simulate(&options),
    })
}
