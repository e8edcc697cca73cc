//! [`Search`]: searches the number of parts with the most progress of an epoch relative to its counted cost
//! (after Kaufmann, Parnell and Kourtis, "Elastic CoCoA: scaling in to improve convergence", 2018).

/// Epoch of the first trial.
const FIRST: u64 = 5;
/// Epochs from a successful trial to the next; each unsuccessful one adds one.
const EVERY: u64 = 3;
/// Factor by which a trial must increase the progress per cost to be kept.
const BETTER: f64 = 1.05;

/// The numbers of parts, with the virtual time of an epoch with one worker per part, and the state of the
/// search.
#[derive(Debug, Clone)]
pub(super) struct Search {
    /// Pairs (parts, time), with parts ascending.
    times: Vec<(u32, f64)>,
    pub(super) state: SearchState,
}

/// The state of a search.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SearchState {
    /// Index of the current number of parts.
    at: u64,
    /// Index of the number of parts in the running epoch, which may be a trial.
    runs: u64,
    /// `true` if the next trial has fewer parts.
    down: bool,
    /// Epoch of the next trial; then the number of epochs from the last trial to it.
    next: u64,
    wait: u64,
    /// Progress per cost of the last epoch with the current number of parts.
    rate: f64,
    /// Objective at the start of the last epoch.
    before: Option<f64>,
}

raddle::state!(SearchState { at, runs, down, next, wait, rate, before });

impl Search {
    /// Starts a search with the most parts.
    pub(super) fn new(times: Vec<(u32, f64)>) -> Self {
        let at = times.len().saturating_sub(1) as u64;
        let state =
            SearchState { at, runs: at, down: true, next: FIRST, wait: EVERY, rate: 0.0, before: None };
        Self { times, state }
    }

    /// Returns `true` if the state belongs to this search.
    pub(super) fn fits(&self, state: &SearchState) -> bool {
        state.at.max(state.runs) < self.times.len() as u64 && state.next.max(state.wait) < 1 << 62
    }

    /// Returns the number of parts for the epoch that starts, given the objective at its boundary, which
    /// falls.
    pub(super) fn next(&mut self, epoch: u64, objective: Option<f64>) -> u32 {
        let Self { times, state } = self;
        if let (Some(before), Some(now)) = (state.before, objective) {
            let rate = (before - now) / times[state.runs as usize].1;
            let is_trial = state.runs != state.at;
            if !is_trial {
                state.rate = rate;
            } else if rate >= BETTER * state.rate {
                (state.at, state.rate, state.wait) = (state.runs, rate, EVERY);
            } else {
                (state.down, state.wait) = (!state.down, state.wait + 1);
            }
            if is_trial {
                state.next = (epoch + state.wait).saturating_sub(1);
            }
        }
        (state.before, state.runs) = (objective, state.at);
        if epoch >= state.next && times.len() > 1 {
            let last = times.len() as u64 - 1;
            state.down = state.at > 0 && (state.down || state.at == last);
            state.runs = if state.down { state.at - 1 } else { state.at + 1 };
        }
        times[state.runs as usize].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a search for these gains of an epoch by number of parts; costs fall with the number of parts.
    fn parts(gains: [f64; 3]) -> String {
        let mut search = Search::new(vec![(1, 4.0), (2, 2.0), (4, 1.0)]);
        let (mut objective, mut ran) = (0.0, String::new());
        for epoch in 0..24 {
            let parts = search.next(epoch, Some(objective));
            objective -= gains[parts.ilog2() as usize];
            ran += &parts.to_string();
        }
        ran
    }

    #[test]
    fn a_neighbour_is_tried_now_and_then_and_kept_where_it_gains_more_for_its_cost() {
        assert_eq!(parts([1.0, 1.0, 1.0]), "444442444244442444442444");
        assert_eq!(parts([9.0, 3.0, 1.0]), "444442221112111211112111");
        assert_eq!(parts([4.0, 3.0, 1.0]), "444442221222422221222224");
    }
}
