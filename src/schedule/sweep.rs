//! [`Sweep`]: one pass over an order of variables, a block at a time.

use super::{InFlight, Next, Round, Variables};
use crate::base::state::{Reader, StateError, Writer};
use crate::program::Phase;

/// One pass over an order of variables, `parallelism` at a time: the common part of schedules without
/// priorities.
#[derive(Debug)]
pub(super) struct Sweep<F> {
    phase: F,
    variables: Variables,
    parallelism: usize,
    order: Vec<u32>,
    next: usize,
    in_flight: InFlight,
}

impl Sweep<()> {
    pub(super) fn new(variables: Variables, parallelism: usize) -> Self {
        let (order, in_flight) = (Vec::new(), InFlight::default());
        Self { phase: (), variables, parallelism, order, next: 0, in_flight }
    }

    pub(super) fn phase<F>(self, phase: F) -> Sweep<F> {
        let Self { phase: (), variables, parallelism, order, next, in_flight } = self;
        Sweep { phase, variables, parallelism, order, next, in_flight }
    }
}

impl<F: Phase> Sweep<F> {
    pub(super) fn variables(&self) -> &Variables {
        &self.variables
    }

    pub(super) fn identity(&self) -> String {
        format!("parallelism {}, {}", self.parallelism, self.variables.identity())
    }

    pub(super) fn check(&self, shards: usize) -> Result<(), String> {
        super::check_parallelism(self.parallelism)?;
        self.variables.check(shards)
    }

    /// Starts a new pass, with the variables in the order into which `arrange` puts the ascending one.
    pub(super) fn begin(&mut self, arrange: impl FnOnce(&mut [u32])) {
        self.order = (0..self.variables.len() as u32).collect();
        arrange(&mut self.order);
        self.next = 0;
    }

    /// Returns the next block, without the variables that are still in flight.
    pub(super) fn next_round(&mut self) -> Next<F> {
        if self.next >= self.order.len() {
            return Next::EndOfEpoch;
        }
        let end = self.next.saturating_add(self.parallelism.max(1)).min(self.order.len());
        let block = self.order[self.next..end].iter().copied().filter(|&j| !self.in_flight.holds(j));
        let block: Vec<u32> = block.collect();
        self.next = end;
        self.in_flight.hand_out(&block);
        Next::Round(self.variables.round(self.phase.clone(), &block))
    }

    /// Lands a round that has been learned.
    pub(super) fn land(&mut self, round: &Round<F>) {
        self.in_flight.land(round);
    }

    pub(super) fn reduce_parallelism(&mut self) {
        self.parallelism = (self.parallelism / 2).max(1);
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.write(&self.parallelism);
    }

    pub(super) fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        let parallelism = from.read()?;
        // The parallelism is only ever reduced.
        if !(1..=self.parallelism).contains(&parallelism) {
            return Err(StateError::new("the parallelism of this run"));
        }
        self.parallelism = parallelism;
        self.in_flight = InFlight::default();
        Ok(())
    }
}
