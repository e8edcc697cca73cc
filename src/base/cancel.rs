//! Cancellation of the current epoch: [`cancellation_point`], at which long work can end, and the unwinding
//! that ends it.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

/// Counted cost between two checks of the clock: some milliseconds.
pub const BETWEEN: u64 = 1 << 21;

/// A run whose threads can ask if it is to end within the current epoch.
pub trait Cancellable: Send + Sync {
    /// `true` if the current epoch is cancelled, for a thread that waits: such checks are not counted, as
    /// their number depends on the clock.
    fn is_cancelled_while_waiting(&self) -> bool {
        self.is_cancelled()
    }

    /// `true` if the current epoch is cancelled; once `true`, always.
    fn is_cancelled(&self) -> bool;

    /// Returns the counted cost after which to check again.
    fn between(&self) -> u64 {
        BETWEEN
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<dyn Cancellable>>> = const { RefCell::new(None) };
    /// Counted cost until the next check.
    static LEFT: Cell<u64> = const { Cell::new(BETWEEN) };
}

/// Payload of an unwinding that is no panic: the work is given up, and its result is not needed.
struct Cancelled;

/// Lets the long work of a verb end here, if its run is to end: call this in loops, each time with the
/// counted cost of the work since the last call, in multiply-adds (`Engine::costs`).
/// If the run is to end within the epoch ([`Stop`](crate::stop::Stop),
/// `Engine::time_limit`), the verb ends by unwinding, the epoch is cancelled,
/// and the run returns to the last boundary that it has kept: nothing of the epoch is left. Otherwise, and
/// outside a run, the call returns and has no effect.
///
/// Verbs that take less than a tenth of a second need no such point: the engine checks between two tasks.
#[inline]
pub fn cancellation_point(cost: u64) {
    match LEFT.get().checked_sub(cost) {
        Some(left) => LEFT.set(left),
        None => look(),
    }
}

/// Checks at once if the epoch is cancelled, and ends the work if it is.
#[cold]
pub fn look() {
    let is_cancelled = CURRENT.with_borrow(|current| {
        LEFT.set(current.as_ref().map_or(BETWEEN, |run| run.between()));
        current.as_ref().is_some_and(|run| run.is_cancelled())
    });
    if is_cancelled {
        // No panic hook is called, as this is no panic.
        resume_unwind(Box::new(Cancelled));
    }
}

/// `true` if an unwinding ends work that is given up.
pub fn is_cancellation(payload: &(dyn Any + Send)) -> bool {
    payload.is::<Cancelled>()
}

/// Does `work` for a run: cancellation points in it ask this run.
pub fn during<T>(run: &Arc<dyn Cancellable>, work: impl FnOnce() -> T) -> T {
    let _restore = Restore(CURRENT.replace(Some(Arc::clone(run))));
    LEFT.set(run.between());
    work()
}

/// Does `work` to its end even if the run is cancelled, such as returning to a boundary, keeping one, or
/// leaving. Cancellation points in it return. Points on helper threads still ask the run, so such work must
/// have none there.
pub fn shielded<T>(work: impl FnOnce() -> T) -> T {
    let _restore = Restore(CURRENT.take());
    work()
}

/// Restores the run that was current, even if the work unwinds.
struct Restore(Option<Arc<dyn Cancellable>>);

impl Drop for Restore {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
        LEFT.set(0);
    }
}

/// Does `work`; returns `None` if it is given up at a cancellation point.
pub fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => Some(result),
        Err(payload) if is_cancellation(&*payload) => None,
        Err(panic) => resume_unwind(panic),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// A run that is cancelled the third time that it is asked.
    struct Third(AtomicU64);

    impl Cancellable for Third {
        fn is_cancelled(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed) >= 2
        }

        fn between(&self) -> u64 {
            100
        }
    }

    #[test]
    fn work_ends_at_the_first_point_behind_the_request_by_counted_cost() {
        let third: Arc<dyn Cancellable> = Arc::new(Third(AtomicU64::new(0)));
        let mut done = 0;
        let ended = during(&third, || {
            caught(|| {
                for _ in 0..1000 {
                    cancellation_point(10);
                    done += 10;
                }
            })
        });
        // The run is asked after each hundred.
        assert_eq!((ended, done), (None, 320));
    }

    #[test]
    fn what_is_shielded_goes_on_to_its_end_and_what_follows_does_not() {
        let third: Arc<dyn Cancellable> = Arc::new(Third(AtomicU64::new(2)));
        let mut steps = 0;
        let ended = during(&third, || {
            caught(|| {
                shielded(|| (0..10).for_each(|_| cancellation_point(u64::MAX)));
                steps += 1;
                cancellation_point(1);
                steps += 1;
            })
        });
        assert_eq!((ended, steps), (None, 1));
    }

    #[test]
    fn outside_a_run_work_goes_on_and_a_panic_is_a_panic() {
        assert_eq!(caught(|| (0..10).for_each(|_| cancellation_point(u64::MAX))), Some(()));
        assert!(catch_unwind(|| caught(|| panic!("a mistake"))).is_err());
        assert!(CURRENT.with_borrow(Option::is_none));
    }
}
