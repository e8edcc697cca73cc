//! [`Score`]: the number that schedules are compared by; the least is the best.

use super::estimate::{Estimate, Estimates};
use super::operators::counts;
use crate::policy::JobId;

/// Share that a job counts less in the schedule that resizes it.
const RESIZED: f64 = 0.1;

/// Score of schedules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// As published: slots times the predicted remaining time, over the jobs that run; jobs that wait count nothing.
    Published,
    /// Over all jobs: minus the speed-up of each over the root of its remaining time on one slot, a tenth less for one that is
    /// resized.
    All,
}

impl Score {
    /// Score of a schedule.
    pub(super) fn of(self, about: &Estimates, individual: &[Option<JobId>]) -> f64 {
        let of = |(id, count)| about.of(id).map_or(0.0, |about| self.of_job(about, count));
        counts(individual).into_iter().map(of).sum()
    }

    /// What a job on so many slots, one or more, adds to the score of a schedule.
    fn of_job(self, about: &Estimate, count: u32) -> f64 {
        let speedup = about.speedup(count);
        match self {
            Self::Published => f64::from(count) * about.remaining / speedup.max(f64::MIN_POSITIVE),
            Self::All => {
                let share = if about.held > 0 && about.held != count { 1.0 - RESIZED } else { 1.0 };
                -share * speedup / about.remaining.sqrt()
            }
        }
    }
}
