//! The decision to cancel the current epoch: the run is to end, and the next boundary is too far away.

use crate::base::cancel::{BETWEEN, Cancellable};
use crate::run::record::{Ending, Limit};
use crate::run::settings::Settings;

/// Part of the run's time so far that the run waits for an epoch, if that is longer than the minimum.
const PART: f64 = 0.05;

impl Settings {
    /// `true` if boundaries are kept, because the run may be asked to end within an epoch.
    pub(crate) fn keeps_boundaries(&self) -> bool {
        self.may_stop || self.time_limit.is_some() || self.cancellation.is_planned()
    }

    /// Returns the ending of a run whose epoch is cancelled.
    pub(crate) fn cancelled_ending(&self) -> Ending {
        if self.time_limit.is_some() && !self.stop.is_requested() {
            Ending::Limit(Limit::Time)
        } else {
            Ending::Interrupted
        }
    }

    /// `true` if the run is to end, and the current epoch takes too long.
    fn is_overdue(&self) -> bool {
        let Some(grace) = self.cancellation.grace() else { return false };
        let is_over = |since: f64, before: f64| since >= grace.max(PART * before);
        let stopped = self.stop.requested_at().is_some_and(|at| {
            // A request that was made before the run started counts from the start.
            let since = at.elapsed().min(self.started.elapsed()).as_secs_f64();
            self.stop.is_requested_now() || is_over(since, self.elapsed() - since)
        });
        stopped || self.time_limit.is_some_and(|limit| is_over(self.elapsed() - limit, limit))
    }
}

impl Cancellable for Settings {
    fn is_cancelled(&self) -> bool {
        if self.cancellation.is() {
            return true;
        }
        let is = self.cancellation.is_planned_now() || self.is_overdue();
        if is {
            self.cancellation.cancel();
        }
        is
    }

    fn is_cancelled_while_waiting(&self) -> bool {
        if self.cancellation.is_planned() { self.cancellation.is() } else { self.is_cancelled() }
    }

    /// Interval between two checks; a planned cancellation counts every point.
    fn between(&self) -> u64 {
        if self.cancellation.is_planned() { 0 } else { BETWEEN }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::cancellation::Cancellation;

    #[test]
    fn only_the_process_of_the_hub_decides_and_others_are_told() {
        let settings = |cancellation: Cancellation| {
            let settings = Settings::alone();
            settings.stop.request_now();
            Settings { may_stop: true, cancellation: std::sync::Arc::new(cancellation), ..settings }
        };
        let other = settings(Cancellation::default());
        assert!(!other.is_cancelled());
        other.cancellation.cancel();
        assert!(other.is_cancelled());
        let first = Cancellation::default();
        first.set_decides(true);
        assert!(settings(first).is_cancelled());
        // The first boundary of several processes is waited for.
        let several = Cancellation::default();
        several.set_decides(true);
        several.set_has_others();
        assert!(!settings(several).is_cancelled());
    }
}
