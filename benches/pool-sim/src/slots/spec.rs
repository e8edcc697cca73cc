//! Specifications of instances: `synth:slots:lo=0.5,load=1,seed=1`.

use std::path::PathBuf;

use crate::error::SimulateError;

/// Specification of generated instances.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// Number of machines.
    pub nodes: u32,
    /// Number of slots.
    pub slots: u32,
    /// Number of jobs.
    pub jobs: u32,
    /// Minimum rate of a worker across machines, where its rate on one machine is 1; the maximum is 0.9.
    pub lo: f64,
    /// Factor of the work of the jobs; at 1 a job takes 1 to 15 slots on its maximum of workers.
    pub load: f64,
    /// Seed of the first instance.
    pub seed: u64,
    /// Number of instances, with consecutive seeds.
    pub seeds: u32,
    /// `true` for two small machines and little work, for which an optimum can be computed.
    pub tiny: bool,
    /// Table with times of arrival (column `timestamp`), such as `philly.csv.gz`; without it arrivals are
    /// uniform.
    pub arrivals: Option<PathBuf>,
}

const PREFIX: &str = "synth:slots";

/// Parses a specification.
///
/// # Errors
/// A setting that is unknown, or whose value is out of range.
pub fn parse(spec: &str) -> Result<Spec, SimulateError> {
    let settings = spec.strip_prefix(PREFIX).and_then(|rest| match rest.strip_prefix(':') {
        None if rest.is_empty() => Some(""),
        settings => settings,
    });
    let refuse = |message: String| SimulateError::Spec { spec: spec.into(), message };
    let settings = settings.ok_or_else(|| {
        let form = "write synth:slots: and settings, such as synth:slots:lo=0.5,load=1,seed=1";
        refuse(format!("this is not an instance in slots: {form}"))
    })?;
    let fields: Vec<(&str, &str)> = settings
        .split(',')
        .filter(|field| !field.is_empty())
        .map(|field| field.split_once('=').unwrap_or((field, "")))
        .collect();
    let tiny = fields.contains(&("tiny", ""));
    let mut read = if tiny { Spec::tiny() } else { Spec::default() };
    for (name, value) in fields {
        let wrong = |asked: &str| refuse(format!("{name}={value}: give {asked}"));
        let count = |most: u32| {
            let given = value.parse().ok().filter(|&n| (1..=most).contains(&n));
            given.ok_or_else(|| wrong(&format!("a whole number from 1 to {most}")))
        };
        let number = |most: f64, asked: &str| {
            value.parse().ok().filter(|&x: &f64| x > 0.0 && x <= most).ok_or_else(|| wrong(asked))
        };
        match name {
            "nodes" if tiny => return Err(wrong("no nodes: tiny has 2 machines")),
            "nodes" => read.nodes = count(200)?,
            "slots" => read.slots = count(1000)?,
            "jobs" => read.jobs = count(100_000)?,
            "lo" => read.lo = number(0.9, "a number above 0, at most 0.9")?,
            "load" => read.load = number(1e6, "a number above 0, at most a million")?,
            "seed" => read.seed = value.parse().map_err(|_| wrong("a whole number"))?,
            "seeds" => read.seeds = count(100_000)?,
            "tiny" if value.is_empty() => {}
            "tiny" => return Err(wrong("no value: tiny stands alone")),
            "arrivals" if value == "uniform" => read.arrivals = None,
            "arrivals" if value.is_empty() => return Err(wrong("`uniform` or the path of a table")),
            "arrivals" => read.arrivals = Some(value.into()),
            _ => {
                let known = "nodes, slots, jobs, lo, load, seed, seeds, tiny and arrivals";
                return Err(refuse(format!("no setting is called {name}: there are {known}")));
            }
        }
    }
    Ok(read)
}

impl Default for Spec {
    /// 20 machines, 40 slots, 50 jobs.
    fn default() -> Self {
        Self {
            nodes: 20,
            slots: 40,
            jobs: 50,
            lo: 0.5,
            load: 1.0,
            seed: 1,
            seeds: 1,
            tiny: false,
            arrivals: None,
        }
    }
}

impl Spec {
    /// 2 machines, 6 slots, 5 jobs.
    pub fn tiny() -> Self {
        Self { nodes: 2, slots: 6, jobs: 5, tiny: true, ..Self::default() }
    }
}
