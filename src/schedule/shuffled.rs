//! [`Shuffled`]: blocks of variables in a new random order every epoch.

use super::sweep::Sweep;
use super::{EpochStart, Next, Plan, Round, Schedule, Variables};
use crate::base::random::Stream;
use crate::base::state::{Reader, StateError, Writer};
use crate::program::Phase;
use crate::program::verbs::Verb;

/// Every variable once an epoch, in a uniformly random order, `parallelism` at a time.
///
/// Parallel coordinate descent without structure (Bradley et al., "Parallel coordinate descent for
/// L1-regularized loss minimization", 2011): spread-out blocks are safe far beyond contiguous ones.
#[derive(Debug)]
pub struct Shuffled<F = ()> {
    sweep: Sweep<F>,
    seed: u64,
}

impl Shuffled {
    /// Updates `parallelism` variables a round, at least 1; the order of epoch `e` is the stream (`seed`,
    /// `e`).
    pub fn new(variables: Variables, parallelism: usize, seed: u64) -> Self {
        Self { sweep: Sweep::new(variables, parallelism), seed }
    }

    /// With rounds of this phase.
    pub fn phase<F>(self, phase: F) -> Shuffled<F> {
        Shuffled { sweep: self.sweep.phase(phase), seed: self.seed }
    }
}

impl<F: Phase> Schedule<F> for Shuffled<F> {
    fn identity(&self) -> String {
        format!("shuffled, seed {}, {}", self.seed, self.sweep.identity())
    }

    fn variables(&self) -> Option<&Variables> {
        Some(self.sweep.variables())
    }

    fn check(&self, shards: usize, _: usize) -> Result<(), String> {
        self.sweep.check(shards)
    }

    fn requires(&self) -> Vec<Verb> {
        vec![Verb::Update]
    }

    fn begin_epoch(&mut self, start: &EpochStart) -> Plan<F> {
        let mut stream = Stream::new(&[self.seed, start.epoch]);
        self.sweep.begin(|order| stream.shuffle(order));
        Plan::Stepwise
    }

    fn next_round(&mut self) -> Next<F> {
        self.sweep.next_round()
    }

    fn learn(&mut self, round: &Round<F>, _: &[(u32, f64)]) {
        self.sweep.land(round);
    }

    fn reduce_parallelism(&mut self) {
        self.sweep.reduce_parallelism();
    }

    fn save(&self, out: &mut Writer) {
        self.sweep.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        self.sweep.load(from)
    }
}
