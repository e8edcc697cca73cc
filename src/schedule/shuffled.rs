//! [`Shuffled`]: blocks of variables in a new random order every epoch.

use super::{InFlight, Next, Outlook, Plan, Round, Schedule, Variables};
use crate::random::Stream;
use crate::state::{Reader, StateError, Writer};

/// Every variable once an epoch, in a uniformly random order, `parallelism` at a time.
///
/// What parallel coordinate descent does without structure (Bradley et al., "Parallel coordinate descent for
/// L1-regularized loss minimization", 2011): spread-out blocks are safe far beyond contiguous ones.
#[derive(Debug)]
pub struct Shuffled {
    variables: Variables,
    parallelism: usize,
    seed: u64,
    order: Vec<u32>,
    next: usize,
    in_flight: InFlight,
}

impl Shuffled {
    /// Updates `parallelism` variables a round, at least 1; the order of epoch `e` is the stream (`seed`, `e`).
    pub fn new(variables: Variables, parallelism: usize, seed: u64) -> Self {
        let parallelism = parallelism.max(1);
        Self { variables, parallelism, seed, order: Vec::new(), next: 0, in_flight: InFlight::default() }
    }
}

impl Schedule for Shuffled {
    fn begin_epoch(&mut self, outlook: &Outlook) -> Plan {
        self.order = (0..self.variables.len() as u32).collect();
        Stream::new(&[self.seed, outlook.epoch]).shuffle(&mut self.order);
        self.next = 0;
        Plan::Stepwise
    }

    fn next_round(&mut self) -> Next {
        if self.next >= self.order.len() {
            return Next::EndOfEpoch;
        }
        let end = (self.next + self.parallelism).min(self.order.len());
        let block: Vec<u32> =
            self.order[self.next..end].iter().copied().filter(|&j| !self.in_flight.holds(j)).collect();
        self.next = end;
        self.in_flight.hand_out(&block);
        Next::Round(self.variables.round(0, &block))
    }

    fn learn(&mut self, round: &Round, _: &[(u32, f64)]) {
        self.in_flight.land(round);
    }

    fn shrink(&mut self) {
        self.parallelism = (self.parallelism / 2).max(1);
    }

    fn save(&self, out: &mut Writer) {
        out.write(&self.parallelism);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        self.parallelism = from.read()?;
        self.in_flight = InFlight::default();
        Ok(())
    }
}
