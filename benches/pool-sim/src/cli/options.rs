//! The options of `pool-sim`.

use clap::Args;
use raddle_cli::{Error, UseOptions, choose, refuse_without_effect};
use raddle_pool::policy::{Cluster, Knowledge, PlanSettings, Policy};

use crate::policy::names::{NAMES, Settings, policy};
use crate::{SimulateError, Spec};

const EXAMPLES: &str = "Examples:
  pool-sim synth:jobs:n=160,seed=1
  pool-sim pollux --load 1.5 --policy las,optimus --json
  pool-sim pollux:6 --policy ones

Jobs are published workloads (pollux:1 to pollux:8, or pollux for all: tables in RADDLE_DATA/cluster), a random mix of fits (n \
jobs by a seed, which arrive within hours=8), or a file of profiles: in TOML a [[job]] with name, at (seconds), epochs, start \
(seconds) and speeds = [[workers, epochs a second], ...]; optional are least, most, requested, value and deadline (seconds after \
at). Greedy and ONES let the batch \
of a published job grow with its workers; the other policies keep it as submitted.";

/// Default policies of a comparison.
const DEFAULT: [&str; 5] = ["greedy", "drf", "las", "optimus", "ones"];
/// Maximum number of nodes, and of slots of a node.
const MOST: (u32, u32) = (10_000, 1024);

/// The options of `pool-sim`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Jobs: a workload by name, or a file of profiles. Names are pollux:6, pollux and
    /// synth:jobs:n=160,seed=1.
    #[arg(value_name = "SPEC")]
    pub(super) spec: String,
    /// Number of nodes. Default: 16.
    #[arg(long, value_name = "N")]
    nodes: Option<u32>,
    /// Number of slots of each node. Default: 4.
    #[arg(long, value_name = "N")]
    slots: Option<u32>,
    /// Policies, separated by commas. Give greedy, fifo, drf (dominant resource fairness), las (Tiresias),
    /// optimus, ones, oasis, pdors or random. Default: greedy,drf,las,optimus,ones.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    policy: Vec<String>,
    /// Seconds without work after a change of placement. Default: 30 for pollux, 1 for synth, 0.1 for
    /// profiles.
    #[arg(long, value_name = "SECONDS")]
    pub(super) rescale: Option<f64>,
    /// Seconds between two decisions. Default: 60, for profiles 1.
    #[arg(long, value_name = "SECONDS")]
    pub(super) tick: Option<f64>,
    /// Load of the jobs. For pollux 0.5, 1, 1.5 or 2; for synth:jobs a factor of their lengths. Default: 1.
    #[arg(long, value_name = "X")]
    load: Option<f64>,
    /// Seed of policies that draw random numbers. Default: 1.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// For greedy: work left that the policy uses. known is the true work, learnt is estimated from jobs that
    /// have ended, and none uses no estimate. Default: known.
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

    /// Names of the policies.
    fn names(&self) -> Vec<&str> {
        match self.policy.is_empty() {
            true => DEFAULT.to_vec(),
            false => self.policy.iter().map(String::as_str).collect(),
        }
    }

    /// Checked names of the policies.
    pub(super) fn checked_names(&self) -> Result<Vec<&str>, Error> {
        self.settings()?;
        for (at, name) in self.policy.iter().enumerate() {
            choose("--policy", name, &NAMES.map(|name| (name, ())))?;
            if self.policy[..at].contains(name) {
                return Err(Error::usage(format!("--policy: `{name}` is given twice: keep one")));
            }
        }
        Ok(self.names())
    }

    /// Creates a policy, in its initial state.
    pub(super) fn make(&self, name: &str) -> Result<Box<dyn Policy>, Error> {
        policy(name, &self.settings()?).ok_or_else(|| Error::usage(format!("no policy is called {name}")))
    }

    fn settings(&self) -> Result<Settings, Error> {
        let lacks = |name: &str| !self.names().contains(&name);
        if lacks("greedy") {
            refuse_without_effect(&[("--knowledge", self.knowledge.is_some())], "without --policy greedy")?;
        }
        if lacks("pdors") && lacks("oasis") {
            let given = [("--floor", self.floor.is_some())];
            refuse_without_effect(&given, "without --policy pdors or oasis")?;
        }
        // Slots are ticks, and plans reach a day ahead.
        let slot = self.tick.unwrap_or(60.0);
        let plan = PlanSettings::default();
        let plan = PlanSettings {
            slot,
            ahead: (86_400.0 / slot).clamp(1.0, 10_000.0) as u32,
            rescale: self.rescale.unwrap_or(1.0),
            floor: self.floor.unwrap_or(plan.floor),
            ..plan
        };
        if !(0.0..=1.0).contains(&plan.floor) {
            return Err(Error::usage(format!("--floor {}: choose a share from 0 to 1", plan.floor)));
        }
        let given = self.knowledge.as_deref();
        let knowledge =
            given.map_or(Ok(Knowledge::Known), |given| choose("--knowledge", given, &Knowledge::NAMES))?;
        Ok(Settings { seed: self.seed.unwrap_or(1), knowledge, plan })
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
