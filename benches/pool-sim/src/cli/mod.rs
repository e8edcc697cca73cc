//! The command line of `pool-sim`.

use std::process::ExitCode;

use clap::Parser;
use raddle::cli::{CommandLine, ForeignWords, Free};

mod options;
mod slots;
mod tables;
mod ticks;

/// Simulates jobs on a cluster under policies of a pool.
#[derive(Debug, Parser)]
#[command(name = "pool-sim", version)]
enum Verb {
    /// Simulate jobs on a cluster under policies.
    Simulate(Box<options::Options>),
}

/// Options of the short help, and their lines there.
const COMMON: &[(&str, &str)] = &[
    ("nodes", "number of nodes; 16 by default"),
    ("slots", "slots of each node; 4 by default"),
    ("policy", "fifo, drf, las, optimus, ones, oasis, pdors or random"),
    ("rescale", "seconds that a change of workers costs"),
    ("load", "load of the jobs; 1 by default"),
    ("seed", "seed of policies that draw"),
    ("explain", "a line a decision that changes something"),
];

/// Words of other programs, and what is said to them.
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
    common: COMMON,
    features: &[],
    foreign: FOREIGN,
};

/// The body of the program `pool-sim`.
pub fn main() -> ExitCode {
    raddle::cli::main("pool-sim", || match LINE.parse() {
        Verb::Simulate(options) if options.is_in_slots() => slots::simulate(&options),
        Verb::Simulate(options) => ticks::simulate(&options),
    })
}
