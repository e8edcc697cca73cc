//! [`Spent`]: seconds of tasks.

use std::time::Instant;

/// Seconds of tasks, and the part of them that only measured the model.
#[derive(Default)]
pub(super) struct Spent {
    pub(super) busy: f64,
    pub(super) measured: f64,
}

impl Spent {
    /// Makes the seconds of work, all of which only measured the model if `is_evaluation`.
    pub(super) fn new(busy: f64, is_evaluation: bool) -> Self {
        Self { busy, measured: if is_evaluation { busy } else { 0.0 } }
    }

    /// Makes the seconds since this moment.
    pub(super) fn since(started: Instant, is_evaluation: bool) -> Self {
        Self::new(started.elapsed().as_secs_f64(), is_evaluation)
    }

    pub(super) fn add(&mut self, task: Self) {
        self.busy += task.busy;
        self.measured += task.measured;
    }
}
