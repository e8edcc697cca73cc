//! [`Cyclic`]: contiguous blocks of variables, in order.

use super::{InFlight, Next, Outlook, Plan, Round, Schedule, Variables};
use crate::state::{Reader, StateError, Writer};

/// Blocks of `parallelism` neighbouring variables, from the first to the last, once an epoch.
///
/// The plainest schedule, and a poor one for parallel updates wherever neighbours depend on each other.
#[derive(Debug)]
pub struct Cyclic {
    variables: Variables,
    parallelism: usize,
    next: usize,
    in_flight: InFlight,
}

impl Cyclic {
    /// Updates `parallelism` variables a round, at least 1.
    pub fn new(variables: Variables, parallelism: usize) -> Self {
        Self { variables, parallelism: parallelism.max(1), next: 0, in_flight: InFlight::default() }
    }
}

impl Schedule for Cyclic {
    fn begin_epoch(&mut self, _: &Outlook) -> Plan {
        self.next = 0;
        Plan::Stepwise
    }

    fn next_round(&mut self) -> Next {
        if self.next >= self.variables.len() {
            return Next::EndOfEpoch;
        }
        let end = (self.next + self.parallelism).min(self.variables.len());
        let block: Vec<u32> = (self.next as u32..end as u32).filter(|&j| !self.in_flight.holds(j)).collect();
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
