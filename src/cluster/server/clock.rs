//! [`Clock`]: seconds of a coordinator.

use std::time::Instant;

/// Most seconds by which the coordinator's clock advances between two checks: a longer gap means that the
/// coordinator itself was stopped, with messages of others still unread.
const ABSENCE: f64 = 0.5;

/// Clock of seconds since the coordinator began, without the time in which it was stopped.
pub(super) struct Clock {
    now: f64,
    checked: Instant,
}

impl Clock {
    pub(super) fn new() -> Self {
        Self { now: 0.0, checked: Instant::now() }
    }

    pub(super) fn now(&mut self) -> f64 {
        let since = self.checked.elapsed();
        self.checked += since;
        self.now = passed(self.now, since.as_secs_f64());
        self.now
    }
}

/// Clock time after so many more seconds, of which at most [`ABSENCE`] count.
pub(super) fn passed(now: f64, since: f64) -> f64 {
    now + since.min(ABSENCE)
}
