//! The command line of `pool-sim`.

use std::process::ExitCode;

use clap::Parser;
use raddle_cli::{CommandLine, ForeignWords, Free};

mod options;
mod slots;
mod tables;
mod ticks;

/// Simulate scheduling policies on the jobs of a cluster.
#[derive(Debug, Parser)]
#[command(name = "pool-sim", version)]
enum Verb {
    /// Simulate jobs on a cluster under scheduling policies.
    Simulate(Box<options::Options>),
}

/// Names of options in other schedulers, with advice for users who type them.
const FOREIGN: ForeignWords<'static> = ForeignWords {
    options: &[
        ("scheduler schedule scheduling-policy strategy algorithm queueing", "--policy"),
        ("num-nodes n-nodes machines servers", "--nodes"),
        ("gpus gpus-per-node slots-per-node cores-per-node workers-per-node", "--slots"),
        ("interval period round-duration round tick-length", "--tick"),
        ("jobs job-file queue trace workload jobs-file", "[spec] the jobs have no option: `pool-sim {x}`"),
    ],
    verbs: &[],
    arguments: &[],
};

const LINE: CommandLine<'static> = CommandLine {
    default: "simulate",
    free: Free { neutral: &[], limits: &[] },
    common: &["nodes", "slots", "policy", "rescale", "load", "seed", "explain"],
    features: &[],
    foreign: FOREIGN,
};

/// Entry point of the program `pool-sim`.
pub fn main() -> ExitCode {
    raddle_cli::main("pool-sim", || match LINE.parse() {
        Verb::Simulate(options) if options.is_in_slots() => slots::simulate(&options),
        Verb::Simulate(options) => ticks::simulate(&options),
    })
}
