//! [`InFlight`]: variables that are handed out and not yet learned.

use std::collections::HashSet;

use super::Round;

/// The variables of rounds that are handed out and whose commits the schedule has not learned yet.
///
/// A variable in flight must not be handed out again: its next update would start from a value that is about
/// to change. With staleness 0 nothing is ever in flight when a round is chosen.
#[derive(Debug, Clone, Default)]
pub struct InFlight {
    held: HashSet<u32>,
}

impl InFlight {
    /// `true` if the variable is in flight.
    pub fn holds(&self, variable: u32) -> bool {
        self.held.contains(&variable)
    }

    /// Marks these variables as in flight.
    pub fn hand_out(&mut self, variables: &[u32]) {
        self.held.extend(variables);
    }

    /// Lands a round whose commits have been learned.
    pub fn land<F>(&mut self, round: &Round<F>) {
        for variable in round.tasks.iter().flat_map(|task| &task.variables) {
            self.held.remove(variable);
        }
    }

    /// The variables in flight, in rising order.
    pub fn variables(&self) -> Vec<u32> {
        let mut variables: Vec<u32> = self.held.iter().copied().collect();
        variables.sort_unstable();
        variables
    }
}
