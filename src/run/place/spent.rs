//! [`Spent`]: time of tasks.

/// Seconds of tasks, and the part of them that only measured the model.
#[derive(Default)]
pub(super) struct Spent {
    pub(super) busy: f64,
    pub(super) measured: f64,
}

impl Spent {
    pub(super) fn add(&mut self, task: Self) {
        self.busy += task.busy;
        self.measured += task.measured;
    }
}
