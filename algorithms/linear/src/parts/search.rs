//! [`Search`]: the number of parts sought by what an epoch gains for its counted cost (after Kaufmann, Parnell and
//! Kourtis, "Elastic CoCoA: scaling in to improve convergence", 2018).

/// A neighbour is tried in each epoch of this residue, and kept if it gains so much more for its cost.
const EVERY: u64 = 3;
const BETTER: f64 = 1.05;

/// Numbers of parts with the virtual time of an epoch, a worker for each part; and where the search stands.
#[derive(Debug, Clone)]
pub(super) struct Search {
    /// (parts, time), parts ascending.
    times: Vec<(u32, f64)>,
    pub(super) state: SearchState,
}

/// Where a search stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SearchState {
    /// Position of the number that is held.
    at: u64,
    /// Position of the number that runs.
    runs: u64,
    /// `true` if fewer parts are tried next.
    down: bool,
    /// Gain for its cost of the last epoch with the number that is held.
    rate: f64,
    /// Objective when the last epoch began.
    before: Option<f64>,
}

raddle::state!(SearchState { at, runs, down, rate, before });

impl Search {
    /// A search that begins with the most parts.
    pub(super) fn new(times: Vec<(u32, f64)>) -> Self {
        let at = times.len().saturating_sub(1) as u64;
        Self { times, state: SearchState { at, runs: at, down: true, rate: 0.0, before: None } }
    }

    /// `true` if the state is one of this search.
    pub(super) fn fits(&self, state: &SearchState) -> bool {
        state.at.max(state.runs) < self.times.len() as u64
    }

    /// Parts of the epoch that begins, by the objective at its boundary, which falls.
    pub(super) fn next(&mut self, epoch: u64, objective: Option<f64>) -> u32 {
        let Self { times, state } = self;
        if let (Some(before), Some(now)) = (state.before, objective) {
            let rate = (before - now) / times[state.runs as usize].1;
            if state.runs == state.at {
                state.rate = rate;
            } else if rate >= BETTER * state.rate {
                (state.at, state.rate) = (state.runs, rate);
            } else {
                state.down = !state.down;
            }
        }
        state.before = objective;
        state.runs = state.at;
        if epoch % EVERY == EVERY - 1 && times.len() > 1 {
            let last = times.len() as u64 - 1;
            state.down = if state.at == 0 { false } else { state.down || state.at == last };
            state.runs = if state.down { state.at - 1 } else { state.at + 1 };
        }
        times[state.runs as usize].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gains of an epoch by parts; costs fall with parts.
    fn parts(gains: [f64; 3]) -> Vec<u32> {
        let mut search = Search::new(vec![(1, 4.0), (2, 2.0), (4, 1.0)]);
        let mut objective = 0.0;
        let mut ran = Vec::new();
        for epoch in 0..12 {
            let parts = search.next(epoch, Some(objective));
            objective -= gains[parts.ilog2() as usize];
            ran.push(parts);
        }
        ran
    }

    #[test]
    fn a_neighbour_is_tried_every_third_epoch_and_kept_where_it_gains_more_for_its_cost() {
        assert_eq!(parts([1.0, 1.0, 1.0]), [4, 4, 2, 4, 4, 2, 4, 4, 2, 4, 4, 2]);
        assert_eq!(parts([9.0, 3.0, 1.0]), [4, 4, 2, 2, 2, 1, 1, 1, 2, 1, 1, 2]);
        assert_eq!(parts([4.0, 3.0, 1.0]), [4, 4, 2, 2, 2, 1, 2, 2, 4, 2, 2, 1]);
    }
}
