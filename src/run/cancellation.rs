//! [`Cancellation`]: decides if the current epoch is cancelled, and which boundaries are kept to return to.
//! Both decisions depend on the clock; neither changes what is computed.

use std::env;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use crate::base::cancel;
use crate::base::sync::lock;

/// Seconds that the run waits for an epoch once it is to end; and, next, before the first boundary, when
/// there is no model to write yet.
const GRACE: f64 = 0.3;
const GRACE_AT_FIRST: f64 = 0.9;
/// Keeping a boundary may take one part in this many of the time since the last one was kept.
const COST: u32 = 50;
/// `true` if the environment variable `RADDLE_KEEP` is `first`: later boundaries are then not kept, so that
/// two runs of one program execute equally many instructions, and `benches/counts.sh` can compare them.
static FIRST_ALONE: LazyLock<bool> = LazyLock::new(|| env::var("RADDLE_KEEP").is_ok_and(|it| it == "first"));

/// State of a run's cancellation, one for all its generations.
#[derive(Debug, Default)]
pub(crate) struct Cancellation {
    is: AtomicBool,
    /// `true` in the process that decides: that of the hub, which informs the others.
    decides: AtomicBool,
    /// `true` if the run has other processes: it always waits for its first boundary.
    has_others: AtomicBool,
    /// `true` once a boundary is kept.
    has_boundary: AtomicBool,
    /// Moment at which a boundary was last kept, and the time that this took, over all workers of this
    /// process.
    kept: Mutex<Option<(Instant, Duration)>>,
    /// For tests: the epoch that is cancelled, and the number of checks after which that happens.
    planned: Option<(u64, u64)>,
    epoch: AtomicU64,
    looks: AtomicU64,
}

impl Cancellation {
    /// Cancels this epoch after this number of checks, and keeps every boundary: for tests.
    pub(crate) fn planned(epoch: u64, looks: u64) -> Self {
        Self { planned: Some((epoch, looks)), ..Self::default() }
    }

    /// `true` if the current epoch is cancelled.
    pub(crate) fn is(&self) -> bool {
        self.is.load(Ordering::Acquire)
    }

    /// Cancels the current epoch, on the order of the process of the hub.
    pub(crate) fn cancel(&self) {
        self.is.store(true, Ordering::Release);
    }

    /// Sets whether this process decides.
    pub(crate) fn set_decides(&self, decides: bool) {
        self.decides.store(decides, Ordering::Release);
    }

    /// Notes that the run has other processes.
    pub(crate) fn set_has_others(&self) {
        self.has_others.store(true, Ordering::Release);
    }

    /// Notes the start of an epoch.
    pub(crate) fn begin_epoch(&self, epoch: u64) {
        self.epoch.store(epoch + 1, Ordering::Relaxed);
    }

    /// Decides whether to keep the current boundary: the first of a generation, and later ones if that costs
    /// little.
    pub(crate) fn is_worth_keeping(&self, is_first: bool) -> bool {
        let mut kept = lock(&self.kept);
        let cheap = |(at, cost): (Instant, Duration)| !*FIRST_ALONE && at.elapsed() >= COST * cost;
        let is_worth_it = is_first || self.planned.is_some() || kept.is_none_or(cheap);
        if is_worth_it {
            *kept = Some((Instant::now(), Duration::ZERO));
            self.has_boundary.store(true, Ordering::Release);
        }
        is_worth_it
    }

    /// Keeps a part of a boundary, and counts the time that it takes.
    pub(crate) fn keep<T>(&self, part: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let result = cancel::shielded(part);
        if let Some((_, cost)) = lock(&self.kept).as_mut() {
            *cost += began.elapsed();
        }
        result
    }

    /// `true` if a test has planned which epoch is cancelled.
    pub(super) fn is_planned(&self) -> bool {
        self.planned.is_some()
    }

    /// Returns the minimum of seconds that the run waits for an epoch once it is to end; `None` in a process
    /// that does not cancel epochs.
    pub(super) fn grace(&self) -> Option<f64> {
        let is = |of: &AtomicBool| of.load(Ordering::Acquire);
        match (is(&self.decides), is(&self.has_boundary), is(&self.has_others)) {
            (true, true, _) => Some(GRACE),
            (true, false, false) => Some(GRACE_AT_FIRST),
            _ => None,
        }
    }

    /// Counts a check of a planned cancellation; returns `true` if it is due.
    pub(super) fn is_planned_now(&self) -> bool {
        self.planned.is_some_and(|(epoch, looks)| {
            self.epoch.load(Ordering::Relaxed) == epoch + 1
                && self.looks.fetch_add(1, Ordering::Relaxed) >= looks
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_boundary_is_kept_and_later_ones_where_that_costs_little() {
        let cancellation = Cancellation::default();
        assert!(cancellation.is_worth_keeping(true));
        cancellation.keep(|| {
            let began = Instant::now();
            while began.elapsed() < Duration::from_millis(20) {
                std::hint::spin_loop();
            }
        });
        // Unless the machine stands still for a second.
        assert!(!cancellation.is_worth_keeping(false));
        assert!(cancellation.is_worth_keeping(true));
        // That one was free.
        assert!(cancellation.is_worth_keeping(false));
    }
}
