//! [`Cyclic`]: contiguous blocks of variables, in order.

use super::sweep::Sweep;
use super::{EpochStart, Next, Plan, Round, Schedule, Variables};
use crate::base::state::{Reader, StateError, Writer};
use crate::program::Phase;
use crate::program::verbs::Verb;

/// Blocks of `parallelism` neighbouring variables, from the first to the last, once an epoch.
///
/// This is the simplest schedule, and a poor one for parallel updates if neighbours depend on each other.
#[derive(Debug)]
pub struct Cyclic<F = ()>(Sweep<F>);

impl Cyclic {
    /// Makes a schedule that updates `parallelism` variables a round, at least 1.
    pub fn new(variables: Variables, parallelism: usize) -> Self {
        Self(Sweep::new(variables, parallelism))
    }

    /// With rounds of this phase.
    pub fn phase<F>(self, phase: F) -> Cyclic<F> {
        Cyclic(self.0.phase(phase))
    }
}

impl<F: Phase> Schedule<F> for Cyclic<F> {
    fn identity(&self) -> String {
        format!("cyclic, {}", self.0.identity())
    }

    fn variables(&self) -> Option<&Variables> {
        Some(self.0.variables())
    }

    fn check(&self, shards: usize, _: usize) -> Result<(), String> {
        self.0.check(shards)
    }

    fn requires(&self) -> Vec<Verb> {
        vec![Verb::Update]
    }

    fn begin_epoch(&mut self, _: &EpochStart) -> Plan<F> {
        self.0.begin(|_| {});
        Plan::Stepwise
    }

    fn next_round(&mut self) -> Next<F> {
        self.0.next_round()
    }

    fn learn(&mut self, round: &Round<F>, _: &[(u32, f64)]) {
        self.0.land(round);
    }

    fn reduce_parallelism(&mut self) {
        self.0.reduce_parallelism();
    }

    fn save(&self, out: &mut Writer) {
        self.0.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        self.0.load(from)
    }
}
