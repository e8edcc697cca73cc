//! Cancellation of the epoch under way: [`cancellation_point`], where long work can end, and the unwinding
//! that ends it.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

/// Counted cost between two looks at the clock: some milliseconds.
pub(crate) const BETWEEN: u64 = 1 << 21;

/// Says whether the run that a thread works for is to end within the epoch under way.
pub(crate) trait Cancellable: Send + Sync {
    /// The same, asked by a thread that waits: such looks are not counted, as their number is up to the
    /// clock.
    fn is_cancelled_while_waiting(&self) -> bool {
        self.is_cancelled()
    }

    /// `true` if the epoch under way is cancelled: from then on, always.
    fn is_cancelled(&self) -> bool;

    /// Counted cost after which to ask again.
    fn between(&self) -> u64 {
        BETWEEN
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<dyn Cancellable>>> = const { RefCell::new(None) };
    /// Counted cost until the next look.
    static LEFT: Cell<u64> = const { Cell::new(BETWEEN) };
}

/// Payload of an unwinding that is no panic: the work is given up, and nobody needs its result.
struct Cancelled;

/// Point at which the long work of a verb can end: call it in loops, each time with the counted cost of the
/// work since the last call, in multiply-adds ([`Engine::costs`](crate::Engine::costs)). Where the run is to
/// end within the epoch ([`Stop`](crate::Stop), [`Engine::time_limit`](crate::Engine::time_limit)), the verb
/// ends here by unwinding, the epoch is cancelled, and the run goes back to the last boundary that it has
/// kept: nothing of the epoch is left. Else it returns, and nothing has changed. Outside a run nothing
/// happens.
///
/// Verbs that take less than a tenth of a second need none: the engine looks between two tasks.
#[inline]
pub fn cancellation_point(cost: u64) {
    match LEFT.get().checked_sub(cost) {
        Some(left) => LEFT.set(left),
        None => look(),
    }
}

/// Looks at once whether the epoch is cancelled, and ends the work if it is.
#[cold]
pub(crate) fn look() {
    let is_cancelled = CURRENT.with_borrow(|current| {
        LEFT.set(current.as_ref().map_or(BETWEEN, |run| run.between()));
        current.as_ref().is_some_and(|run| run.is_cancelled())
    });
    if is_cancelled {
        // No hook is called: it is no panic.
        resume_unwind(Box::new(Cancelled));
    }
}

/// `true` if an unwinding ends work that is given up.
pub(crate) fn is_cancellation(payload: &(dyn Any + Send)) -> bool {
    payload.is::<Cancelled>()
}

/// Does `work` for a run: points in it ask this one.
pub(crate) fn during<T>(run: &Arc<dyn Cancellable>, work: impl FnOnce() -> T) -> T {
    let _restore = Restore(CURRENT.replace(Some(Arc::clone(run))));
    LEFT.set(run.between());
    work()
}

/// Does `work` to its end, though the run may be cancelled: going back to a boundary, keeping one, and
/// leaving. Points in it return. Those of threads that help with it ask the run all the same: such work needs
/// none.
pub(crate) fn shielded<T>(work: impl FnOnce() -> T) -> T {
    let _restore = Restore(CURRENT.take());
    work()
}

/// Puts back the run that was current, even if the work unwinds.
struct Restore(Option<Arc<dyn Cancellable>>);

impl Drop for Restore {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
        LEFT.set(0);
    }
}

/// Does `work`; `None` if it is given up at a point.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
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
        // Asked behind each hundred.
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
