//! [`side_by_side`]: several runs at the same time, each on threads of its own.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::sync::{into_inner, lock};

/// Does `count` pieces of work, such as fits of folds, at most `lanes` of them at a time, and returns their
/// results in order.
///
/// The pieces are started in order, each on one thread. No result may depend on which of them run at the same
/// time. After a [`Break`](ControlFlow::Break) no further piece is started, and pieces that were never
/// started have no result. A panic in a piece continues here.
///
/// ```
/// use std::ops::ControlFlow;
/// let squares = raddle::side_by_side(2, 4, |number| ControlFlow::Continue(number * number));
/// assert_eq!(squares, [Some(0), Some(1), Some(4), Some(9)]);
/// ```
pub fn side_by_side<T: Send>(
    lanes: usize,
    count: usize,
    work: impl Fn(usize) -> ControlFlow<T, T> + Sync,
) -> Vec<Option<T>> {
    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let results: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let lane = || {
        while !is_over.load(Ordering::Acquire) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(result) = results.get(number) else { break };
            let (done, goes_on) = match work(number) {
                ControlFlow::Continue(done) => (done, true),
                ControlFlow::Break(done) => (done, false),
            };
            *lock(result) = Some(done);
            if !goes_on {
                is_over.store(true, Ordering::Release);
            }
        }
    };
    std::thread::scope(|scope| {
        (1..lanes.min(count)).for_each(|_| drop(scope.spawn(lane)));
        lane();
    });
    results.into_iter().map(into_inner).collect()
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn results_stand_in_order_for_any_number_of_lanes() {
        for lanes in [0, 1, 2, 7, 40] {
            let done = side_by_side(lanes, 20, |number| ControlFlow::Continue(3 * number));
            assert_eq!(done, (0..20).map(|number| Some(3 * number)).collect::<Vec<_>>(), "{lanes}");
        }
        assert!(side_by_side(3, 0, |_| ControlFlow::Continue(())).is_empty());
    }

    #[test]
    fn so_many_are_under_way_at_once() {
        // Each waits for two others: with fewer lanes this would wait for ever.
        let meet = Barrier::new(3);
        let done = side_by_side(3, 6, |_| {
            meet.wait();
            ControlFlow::Continue(())
        });
        assert_eq!(done, [Some(()); 6]);
    }

    #[test]
    fn nothing_begins_after_a_break_and_a_panic_ends_the_whole() {
        let done = side_by_side(1, 5, |number| match number {
            2 => ControlFlow::Break(number),
            _ => ControlFlow::Continue(number),
        });
        assert_eq!(done, [Some(0), Some(1), Some(2), None, None]);
        for lanes in [1, 2] {
            let bad = |number| {
                assert_ne!(number, 3, "a piece that fails");
                ControlFlow::<(), ()>::Continue(())
            };
            assert!(catch_unwind(|| side_by_side(lanes, 6, bad)).is_err());
        }
    }
}
