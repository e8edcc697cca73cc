//! [`Priority`]: the structure-aware schedule, after STRADS.

mod forming;
mod settings;
#[cfg(test)]
mod tests;

use forming::Forming;
pub use settings::PrioritySettings;

use super::dependency_cache::Cache;
use super::{
    Counts, Dependencies, EpochStart, InFlight, Next, Plan, Round, RoundLog, Schedule, Variables, Weights,
};
use crate::base::state::{Reader, StateError, Writer};
use crate::program::Phase;
use crate::program::verbs::Verb;

/// Samples candidates by importance, and hands out those that do not depend on each other.
///
/// After STRADS (Lee et al., "On model parallelization and scheduling strategies for distributed machine
/// learning", 2014). Each round: draw P' candidates with probability proportional to how far they moved last
/// (plus a base weight); ask the program for their dependencies, where these are not cached; keep, in order
/// of weight, those that depend on none already taken *or in flight*; refill from a fresh batch while there
/// is room; stop at P variables, or at the counted cost of P average ones, so that rounds are even. The kept
/// ones go to their owners, or merge into blocks of even counted cost.
///
/// Beyond STRADS: weights start from the program's own importance (the gradient) and are renewed by it at
/// every boundary where it gives one, so no uniform warm-up is needed; rejected candidates are replaced;
/// dependencies are cached; variables in flight count. A pair is checked only where both have a weight: a
/// variable that does not move hurts no other. The work of a round grows with P', not with the number of
/// variables (but for its logarithm).
#[derive(Debug)]
pub struct Priority<F = ()> {
    phase: F,
    variables: Variables,
    settings: PrioritySettings,
    weights: Weights,
    cache: Cache,
    in_flight: InFlight,
    counts: Counts,
    log: Vec<RoundLog>,
    epoch: u64,
    round: u64,
    rounds: u64,
    budget: u64,
    forming: Forming,
    /// For each variable, the number of the round that it was last considered for; and the number of this
    /// round.
    considered: Vec<u64>,
    mark: u64,
}

impl Priority {
    /// A schedule over these variables.
    pub fn new(variables: Variables, settings: PrioritySettings) -> Self {
        let weights = Weights::new(variables.len(), settings.base);
        Self {
            phase: (),
            weights,
            settings,
            cache: Cache::default(),
            in_flight: InFlight::default(),
            counts: Counts::default(),
            log: Vec::new(),
            epoch: 0,
            round: 0,
            rounds: 0,
            budget: 0,
            forming: Forming::default(),
            considered: vec![0; variables.len()],
            mark: 1,
            variables,
        }
    }

    /// With rounds of this phase; candidates are related in this phase, too.
    pub fn phase<F>(self, phase: F) -> Priority<F> {
        let Self { variables, settings, weights, cache, in_flight, counts, log, .. } = self;
        let Self { epoch, round, rounds, budget, forming, considered, mark, .. } = self;
        Priority {
            phase,
            variables,
            settings,
            weights,
            cache,
            in_flight,
            counts,
            log,
            epoch,
            round,
            rounds,
            budget,
            forming,
            considered,
            mark,
        }
    }
}

impl<F: Phase> Schedule<F> for Priority<F> {
    fn identity(&self) -> String {
        let PrioritySettings { parallelism, candidates, rho, base, batches, rounds, seed, explain: _ } =
            self.settings;
        format!(
            "priority, parallelism {parallelism}, candidates {candidates}, rho {rho:?}, base {base}, batches \
             {batches}, rounds {rounds:?}, seed {seed}, {}",
            self.variables.identity()
        )
    }

    fn variables(&self) -> Option<&Variables> {
        Some(&self.variables)
    }

    fn check(&self, shards: usize, _: usize) -> Result<(), String> {
        super::check_parallelism(self.settings.parallelism)?;
        let PrioritySettings { base, rho, .. } = self.settings;
        if !(base.is_finite() && base >= 0.0) {
            return Err(format!("a base weight of {base} makes no sense: give 0 or more"));
        }
        if rho.is_some_and(f32::is_nan) {
            return Err("a limit of NaN on dependencies makes no sense: give a number, or none".into());
        }
        self.variables.check(shards)
    }

    fn requires(&self) -> Vec<Verb> {
        let relate = self.settings.rho.map(|_| Verb::Relate);
        std::iter::once(Verb::Update).chain(relate).collect()
    }

    fn begin_epoch(&mut self, start: &EpochStart) -> Plan<F> {
        for &(variable, weight) in &start.weights {
            self.weights.set(variable as usize, weight);
        }
        let count = self.variables.len();
        let sweep = count.div_ceil(self.settings.most());
        (self.epoch, self.round, self.rounds) =
            (start.epoch, 0, self.settings.rounds.unwrap_or(sweep) as u64);
        let mean = self.variables.total_cost().div_ceil(count.max(1) as u64);
        self.budget = mean.saturating_mul(self.settings.parallelism as u64);
        self.forming = Forming::default();
        self.mark += 1;
        Plan::Stepwise
    }

    fn next_round(&mut self) -> Next<F> {
        if self.round >= self.rounds || self.variables.is_empty() {
            return Next::EndOfEpoch;
        }
        self.draw_batch();
        self.proceed()
    }

    fn decide(&mut self, dependencies: &Dependencies) -> Next<F> {
        let asked = std::mem::take(&mut self.forming.asked);
        self.cache.extend(&asked, dependencies);
        self.proceed()
    }

    fn learn(&mut self, round: &Round<F>, deltas: &[(u32, f64)]) {
        self.in_flight.land(round);
        for &(variable, distance) in deltas {
            self.weights.set(variable as usize, distance.abs());
        }
    }

    fn reduce_parallelism(&mut self) {
        self.settings.parallelism = (self.settings.parallelism / 2).max(1);
        self.settings.candidates = (self.settings.candidates / 2).max(1);
    }

    fn counts(&self) -> Counts {
        self.counts
    }

    fn take_log(&mut self) -> Vec<RoundLog> {
        std::mem::take(&mut self.log)
    }

    fn save(&self, out: &mut Writer) {
        out.write(&self.settings.parallelism);
        out.write(&self.settings.candidates);
        out.write(&self.weights.as_slice().to_vec());
        out.write(&self.counts);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        let (parallelism, candidates): (usize, usize) = (from.read()?, from.read()?);
        // Both are only ever reduced.
        if !(1..=self.settings.parallelism).contains(&parallelism)
            || !(1..=self.settings.candidates).contains(&candidates)
        {
            return Err(StateError::new("the parallelism of this run"));
        }
        (self.settings.parallelism, self.settings.candidates) = (parallelism, candidates);
        let weights: Vec<f64> = from.read()?;
        let fit = weights.len() == self.variables.len() && weights.iter().all(|weight| *weight >= 0.0);
        if !fit {
            return Err(StateError::new("the weights of as many variables"));
        }
        for (variable, weight) in weights.into_iter().enumerate() {
            self.weights.set(variable, weight);
        }
        self.counts = from.read()?;
        self.in_flight = InFlight::default();
        Ok(())
    }
}
