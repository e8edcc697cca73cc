//! The options of `pool-sim`.

use clap::Args;
use raddle_cli::{Error, UseOptions, choose, refuse_without_effect};
use raddle_pool::policy::{Cluster, Knowledge, PlanSettings, Policy};

use crate::policy::las::THRESHOLD;
use crate::policy::names::{NAMES, Settings, policy};
use crate::{SimulateError, Spec};

const EXAMPLES: &str = "Examples:
  pool-sim synth:jobs:n=160,seed=1
  pool-sim pollux --load 1.5 --policy las,optimus --json
  pool-sim pollux:6 --policy ones

Jobs are published workloads (pollux:1 to pollux:8, or pollux for all: tables in RADDLE_DATA/cluster), a random mix of fits (n \
jobs by a seed, which arrive within hours=8), or a file of profiles: in TOML a [[job]] with name, at (seconds), epochs, start \
(seconds) and speeds = [[workers, epochs a second], ...]; optional are least, most, requested, value and deadline (seconds after \
at). synth:slots are the jobs of PD-ORS: machines with accelerators, cores and memory, workers and parameter servers, and a \
lower rate across machines (settings nodes, slots, jobs, lo, load, seed, seeds, tiny, arrivals). Greedy and ONES let the batch \
of a published job grow with its workers; the other policies keep it as submitted.";

/// Default policies of a comparison.
pub(super) const DEFAULT: [&str; 5] = ["greedy", "drf", "las", "optimus", "ones"];
/// Maximum number of nodes, and of slots of a node.
const MOST: (u32, u32) = (10_000, 1024);

/// The options of `pool-sim`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Jobs: pollux:6, pollux, synth:jobs:n=160,seed=1, synth:slots:lo=0.5,load=1,seed=1, or a file of
    /// profiles.
    #[arg(value_name = "SPEC")]
    pub(super) spec: String,
    /// Number of nodes. Default: 16.
    #[arg(long, value_name = "N")]
    nodes: Option<u32>,
    /// Number of slots of each node. Default: 4.
    #[arg(long, value_name = "N")]
    slots: Option<u32>,
    /// Policies, separated by commas: greedy, fifo, drf (dominant resource fairness), las (Tiresias),
    /// optimus, ones, oasis, pdors, random. Default: greedy,drf,las,optimus,ones; for synth:slots
    /// fifo,drf,oasis,pdors.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    policy: Vec<String>,
    /// Seconds without work after a change of a job's placement. Default: 30 for pollux, 1 for synth, 0.1 for
    /// profiles.
    #[arg(long, value_name = "SECONDS")]
    pub(super) rescale: Option<f64>,
    /// Seconds between two decisions. Default: 60, for profiles 1.
    #[arg(long, value_name = "SECONDS")]
    pub(super) tick: Option<f64>,
    /// Load of the jobs: for pollux 0.5, 1, 1.5 or 2; for synth:jobs a factor of their lengths. Default: 1.
    #[arg(long, value_name = "X")]
    load: Option<f64>,
    /// Seed of policies that draw random numbers. Default: 1.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// For las: service after which a job moves to the second queue, in workers times seconds. Default:
    /// 57600.
    #[arg(long, value_name = "X")]
    threshold: Option<f64>,
    /// For greedy: use the work left as it is known, learn it from jobs that have ended, or use nothing
    /// (none). Default: known.
    #[arg(long, value_name = "known|learnt|none")]
    knowledge: Option<String>,
    /// For pdors and oasis: minimum price, as a share of the maximum; 0 is the paper's. Default:
    /// 1e-4.
    #[arg(long, value_name = "X")]
    floor: Option<f64>,
    #[command(flatten)]
    pub(super) use_options: UseOptions,
}

impl Options {
    /// The jobs, as given by the user.
    pub(super) fn spec(&self) -> Result<Spec, Error> {
        Spec::parse(&self.spec).map_err(refuse)
    }

    /// The cluster.
    pub(super) fn cluster(&self) -> Result<Cluster, Error> {
        let (nodes, slots) = self.size();
        for (name, value, most) in [("nodes", nodes, MOST.0), ("slots", slots, MOST.1)] {
            if !(1..=most).contains(&value) {
                return Err(Error::usage(format!("--{name} {value}: choose 1 to {most}")));
            }
        }
        Ok(Cluster::of_slots(nodes as usize, slots))
    }

    /// Number of nodes, and of slots of each.
    pub(super) fn size(&self) -> (u32, u32) {
        (self.nodes.unwrap_or(16), self.slots.unwrap_or(4))
    }

    /// The load of the jobs.
    pub(super) fn load(&self) -> f64 {
        self.load.unwrap_or(1.0)
    }

    /// `true` for the jobs of PD-ORS, which are simulated by slots.
    pub(super) fn is_in_slots(&self) -> bool {
        self.spec == "synth:slots" || self.spec.starts_with("synth:slots:")
    }

    /// Refuses options that have no effect on jobs in slots: what they settle stands in the specification.
    pub(super) fn refuse_in_slots(&self) -> Result<(), Error> {
        let given = [
            ("--nodes", self.nodes.is_some()),
            ("--slots", self.slots.is_some()),
            ("--load", self.load.is_some()),
            ("--seed", self.seed.is_some()),
            ("--knowledge", self.knowledge.is_some()),
            ("--rescale", self.rescale.is_some()),
            ("--tick", self.tick.is_some()),
            ("--threshold", self.threshold.is_some()),
        ];
        refuse_without_effect(&given, "with jobs in slots")
    }

    /// Checked names of the given policies, or `default` if there are none.
    pub(super) fn named<'a>(&'a self, default: &[&'a str]) -> Result<Vec<&'a str>, Error> {
        if self.policy.is_empty() {
            return Ok(default.to_vec());
        }
        self.settings()?;
        for (at, name) in self.policy.iter().enumerate() {
            choose("--policy", name, &NAMES.map(|name| (name, ())))?;
            if self.policy[..at].contains(name) {
                return Err(Error::usage(format!("--policy: `{name}` is given twice: keep one")));
            }
        }
        Ok(self.policy.iter().map(String::as_str).collect())
    }

    /// Creates a policy, in its initial state.
    pub(super) fn make(&self, name: &str) -> Result<Box<dyn Policy>, Error> {
        let unknown = || Error::usage(format!("--policy {name}: no policy has this name"));
        policy(name, &self.settings()?).ok_or_else(unknown)
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
        if lacks("greedy") {
            refuse_without_effect(&[("--knowledge", self.knowledge.is_some())], "without --policy greedy")?;
        }
        if lacks("pdors") && lacks("oasis") {
            let given = [("--floor", self.floor.is_some())];
            refuse_without_effect(&given, "without --policy pdors or oasis")?;
        }
        let threshold = self.threshold.unwrap_or(THRESHOLD);
        if !(threshold > 0.0 && threshold.is_finite()) {
            return Err(Error::usage(format!("--threshold {threshold}: choose a number above 0")));
        }
        // Slots are ticks, and plans reach a day ahead.
        let slot = self.tick.unwrap_or(60.0);
        let plan = PlanSettings::default();
        let plan = PlanSettings {
            slot,
            ahead: (86_400.0 / slot).clamp(1.0, 10_000.0) as u32,
            rescale: self.rescale.unwrap_or(1.0),
            floor: self.floor()?.unwrap_or(plan.floor),
            ..plan
        };
        let given = self.knowledge.as_deref();
        let knowledge =
            given.map_or(Ok(Knowledge::Known), |given| choose("--knowledge", given, &Knowledge::NAMES))?;
        Ok(Settings { seed: self.seed.unwrap_or(1), knowledge, threshold, plan })
    }

    /// The minimum price, if it is given.
    pub(super) fn floor(&self) -> Result<Option<f64>, Error> {
        match self.floor.filter(|floor| !(0.0..=1.0).contains(floor)) {
            Some(floor) => Err(Error::usage(format!("--floor {floor}: choose a share from 0 to 1"))),
            None => Ok(self.floor),
        }
    }
}

/// Converts an error of a simulation: a setting out of range is bad usage, faults of files are bad input, and
/// faults of a policy are failures.
pub(super) fn refuse(error: SimulateError) -> Error {
    match error {
        SimulateError::Setting { .. } => Error::usage(format!("--{error}")),
        SimulateError::Allocation { .. } | SimulateError::Stalled { .. } => Error::failed(error),
        _ => Error::input(error),
    }
}
