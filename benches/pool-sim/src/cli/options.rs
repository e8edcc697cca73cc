//! The options of `pool-sim`.

use clap::Args;
use raddle::cli::{Error, UseOptions, choose, refuse_without_effect};
use raddle_pool::policy::{Cluster, PlanSettings, Policy, las};

use crate::policy::names::{Settings, policy};
use crate::policy::ones::{Options as OnesOptions, Score};
use crate::{SimulateError, Spec};

const EXAMPLES: &str = "Examples:
  pool-sim synth:jobs:n=160,seed=1
  pool-sim pollux --load 1.5 --policy las,optimus --json
  pool-sim pollux:6 --policy ones --score published --explain

Jobs are published workloads (pollux:1 to pollux:8, or pollux for all: tables in RADDLE_DATA/cluster), a random mix of fits (n \
jobs by a seed, which arrive within hours=8), or a file of profiles: in TOML a [[job]] with name, at (seconds), epochs, start \
(seconds) and speeds = [[workers, epochs a second], ...]; optional are least, most, requested, value and deadline (seconds after \
at). synth:slots are the jobs of PD-ORS: machines with accelerators, cores and memory, workers and parameter servers, and a \
lower rate across machines (settings nodes, slots, jobs, lo, load, seed, seeds, tiny, arrivals). ONES lets the batch of a \
published job grow with its workers; the other policies keep it as submitted.";

/// Policies that are compared where none are named.
pub(super) const DEFAULT: [&str; 3] = ["las", "optimus", "ones"];
/// Most nodes, and most slots of a node.
const MOST: (u32, u32) = (10_000, 1024);
/// Most schedules of a population, and most cycles a decision.
const MOST_SCHEDULES: usize = 10_000;

/// The options of `pool-sim`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The jobs: pollux:6, pollux, synth:jobs:n=160,seed=1, synth:slots:lo=0.5,load=1,seed=1, or a file of profiles.
    #[arg(value_name = "SPEC")]
    pub(super) spec: String,
    /// Number of nodes.
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(super) nodes: u32,
    /// Slots of each node.
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(super) slots: u32,
    /// Policies, with commas: fifo, drf (equal dominant shares), las (Tiresias), optimus, ones, oasis, pdors, random.
    /// Default: las,optimus,ones; in slots fifo,drf,oasis,pdors.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    policy: Vec<String>,
    /// Seconds in which a job whose share changed holds it and does nothing. Default: 30 for pollux, 1 for synth, 0.1 for
    /// profiles.
    #[arg(long, value_name = "SECONDS")]
    pub(super) rescale: Option<f64>,
    /// Seconds from one decision to the next. Default: 60, for profiles 1.
    #[arg(long, value_name = "SECONDS")]
    pub(super) tick: Option<f64>,
    /// Load of the jobs: for pollux 0.5, 1, 1.5 or 2; for synth a factor of their lengths.
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    pub(super) load: f64,
    /// Seed of policies that draw.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// For las: workers times seconds after which a job goes to the second queue. Default: 57600.
    #[arg(long, value_name = "X")]
    threshold: Option<f64>,
    /// For ones: all jobs count, or as published those that run. Default: all.
    #[arg(long, value_name = "all|published")]
    score: Option<String>,
    /// For ones: number of schedules. Default: 16.
    #[arg(long, value_name = "N")]
    population: Option<usize>,
    /// For ones: cycles a decision. Default: 1.
    #[arg(long, value_name = "N")]
    cycles: Option<usize>,
    /// For ones: schedules that evolve, or random ones in place of crossover and mutation. Default: evolved.
    #[arg(long, value_name = "evolved|random")]
    schedules: Option<String>,
    /// For ones: what is left of a job is known where it can be, or predicted from jobs that have ended. Default: known.
    #[arg(long, value_name = "known|none")]
    knowledge: Option<String>,
    /// Write a line for each decision that changes something; with --json they are among the results.
    #[arg(long)]
    pub(super) explain: bool,
    #[command(flatten)]
    pub(super) use_options: UseOptions,
}

impl Options {
    /// The jobs, as they are named.
    pub(super) fn spec(&self) -> Result<Spec, Error> {
        Spec::parse(&self.spec).map_err(refuse)
    }

    /// The cluster.
    pub(super) fn cluster(&self) -> Result<Cluster, Error> {
        for (name, value, most) in [("nodes", self.nodes, MOST.0), ("slots", self.slots, MOST.1)] {
            if !(1..=most).contains(&value) {
                return Err(Error::usage(format!("--{name} {value}: choose 1 to {most}")));
            }
        }
        Ok(Cluster::of_slots(self.nodes as usize, self.slots))
    }

    /// `true` if the jobs are those in slots.
    pub(super) fn is_in_slots(&self) -> bool {
        self.spec == "synth:slots" || self.spec.starts_with("synth:slots:")
    }

    /// Refuses what has no meaning for jobs in slots.
    pub(super) fn refuse_in_slots(&self) -> Result<(), Error> {
        let given = [
            ("--rescale", self.rescale.is_some()),
            ("--tick", self.tick.is_some()),
            ("--threshold", self.threshold.is_some()),
            ("--explain", self.explain),
        ];
        refuse_without_effect(&given, "with jobs in slots")
    }

    /// The names that were given, each checked and once; without any, these.
    pub(super) fn named<'a>(&'a self, default: &[&'a str]) -> Result<Vec<&'a str>, Error> {
        if self.policy.is_empty() {
            return Ok(default.to_vec());
        }
        let settings = self.settings()?;
        for (at, name) in self.policy.iter().enumerate() {
            policy(name, &settings).map_err(|why| Error::usage(format!("--policy: {why}")))?;
            if self.policy[..at].contains(name) {
                return Err(Error::usage(format!("--policy: `{name}` is given twice: keep one")));
            }
        }
        Ok(self.policy.iter().map(String::as_str).collect())
    }

    /// A policy that has decided nothing yet.
    pub(super) fn make(&self, name: &str) -> Result<Box<dyn Policy>, Error> {
        policy(name, &self.settings()?).map_err(|why| Error::usage(format!("--policy: {why}")))
    }

    fn settings(&self) -> Result<Settings, Error> {
        let names: Vec<&str> = match self.policy.is_empty() {
            true => DEFAULT.to_vec(),
            false => self.policy.iter().map(String::as_str).collect(),
        };
        let lacks = |name: &str| !names.contains(&name);
        if lacks("las") {
            refuse_without_effect(&[("--threshold", self.threshold.is_some())], "without --policy las")?;
        }
        if lacks("ones") {
            let given = [
                ("--score", self.score.is_some()),
                ("--population", self.population.is_some()),
                ("--cycles", self.cycles.is_some()),
                ("--schedules", self.schedules.is_some()),
                ("--knowledge", self.knowledge.is_some()),
            ];
            refuse_without_effect(&given, "without --policy ones")?;
        }
        let threshold = self.threshold.unwrap_or(las::THRESHOLD);
        if !(threshold > 0.0 && threshold.is_finite()) {
            return Err(Error::usage(format!("--threshold {threshold}: choose a number above 0")));
        }
        // Plans are made of ticks, a day ahead.
        let slot = self.tick.unwrap_or(60.0);
        let plan = PlanSettings {
            slot,
            ahead: (86_400.0 / slot).clamp(1.0, 10_000.0) as u32,
            rescale: self.rescale.unwrap_or(1.0),
            ..PlanSettings::default()
        };
        Ok(Settings { seed: self.seed, threshold, ones: self.ones()?, plan })
    }

    fn ones(&self) -> Result<OnesOptions, Error> {
        let scores = [("all", Score::All), ("published", Score::Published)];
        let score =
            self.score.as_deref().map_or(Ok(Score::All), |given| choose("--score", given, &scores))?;
        let mut ones = OnesOptions::of(score);
        if let Some(given) = &self.schedules {
            ones.random = choose("--schedules", given, &[("evolved", false), ("random", true)])?;
        }
        if let Some(given) = &self.knowledge {
            ones.knowledge = choose("--knowledge", given, &[("known", true), ("none", false)])?;
        }
        for (name, given, of) in [
            ("--population", self.population, &mut ones.population),
            ("--cycles", self.cycles, &mut ones.cycles),
        ] {
            let Some(given) = given else { continue };
            if !(1..=MOST_SCHEDULES).contains(&given) {
                return Err(Error::usage(format!("{name} {given}: choose 1 to {MOST_SCHEDULES}")));
            }
            *of = given;
        }
        Ok(ones)
    }
}

/// Error of a simulation: a setting is bad usage, what a file says is bad input, and a policy that goes wrong has failed.
pub(super) fn refuse(error: SimulateError) -> Error {
    match error {
        SimulateError::Setting { .. } => Error::usage(format!("--{error}")),
        SimulateError::Allocation { .. } | SimulateError::Stalled { .. } => Error::failed(error),
        _ => Error::input(error),
    }
}
