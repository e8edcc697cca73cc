//! [`observed`]: work on a thread of its own, whose reports are handled on the caller's thread.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};

/// Sender of reports of work under [`observed`] to the caller's thread, from any other.
#[derive(Debug)]
pub struct Reporter<R>(Sender<Option<Report<R>>>);

/// A report, and the channel for its answer.
#[derive(Debug)]
struct Report<R> {
    content: R,
    answer: SyncSender<ControlFlow<()>>,
}

/// Signals, when it is dropped, that the work is over, even by a panic.
struct End<R>(Sender<Option<Report<R>>>);

impl<R> Reporter<R> {
    /// Sends a report, waits until the observer has seen it, and returns its answer. After a
    /// [`Break`](ControlFlow::Break) all reports get that answer at once.
    pub fn report(&self, content: R) -> ControlFlow<()> {
        let (answer, answered) = sync_channel(1);
        match self.0.send(Some(Report { content, answer })) {
            Ok(()) => answered.recv().unwrap_or(ControlFlow::Break(())),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

impl<R> Clone for Reporter<R> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<R> Drop for End<R> {
    fn drop(&mut self) {
        // Nobody listens if the observer panicked.
        let _ = self.0.send(None);
    }
}

/// Does `work` on a thread of its own, and calls `observer` on this thread with all reports, from any thread,
/// in the order of their arrival.
///
/// After a [`Break`](ControlFlow::Break) the observer is not called any more; the work receives that answer,
/// and decides itself when to end. A panic of the work or the observer continues here.
///
/// ```
/// use std::ops::ControlFlow;
/// let mut seen = Vec::new();
/// let work = |reporter: raddle::Reporter<usize>| {
///     raddle::side_by_side(2, 4, |number| {
///         let _ = reporter.report(number);
///         ControlFlow::Continue(number * number)
///     })
/// };
/// let squares = raddle::observed(work, |number| {
///     seen.push(number); // no lock: it is this thread
///     ControlFlow::Continue(())
/// });
/// assert_eq!((squares.len(), seen.len()), (4, 4));
/// ```
pub fn observed<T: Send, R: Send>(
    work: impl FnOnce(Reporter<R>) -> T + Send,
    mut observer: impl FnMut(R) -> ControlFlow<()>,
) -> T {
    let (sender, reports) = channel();
    std::thread::scope(|scope| {
        // Dropped before the scope waits for the thread: a report has no answer then, should this one panic.
        let reports = reports;
        let worker = scope.spawn(move || {
            let _end = End(sender.clone());
            work(Reporter(sender))
        });
        let mut goes_on = ControlFlow::Continue(());
        while let Ok(Some(Report { content, answer })) = reports.recv() {
            if goes_on.is_continue() {
                goes_on = observer(content);
            }
            // A thread that panicked waits for no answer.
            let _ = answer.send(goes_on);
        }
        drop(reports);
        worker.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::side_by_side::side_by_side;

    /// Lanes that report until they are told to end: how often each has.
    fn counting(reporter: &Reporter<usize>, lanes: usize, most: usize) -> Vec<usize> {
        let count = |lane| (0..most).take_while(|_| reporter.report(lane).is_continue()).count();
        let counts = side_by_side(lanes, lanes, |lane| ControlFlow::Continue(count(lane)));
        counts.into_iter().flatten().collect()
    }

    #[test]
    fn every_report_of_every_lane_is_seen_on_the_callers_thread() {
        for lanes in [1, 2, 5] {
            let (here, mut seen) = (std::thread::current().id(), vec![0; lanes]);
            let counts = observed(
                |reporter| counting(&reporter, lanes, 40),
                |lane| {
                    assert_eq!(std::thread::current().id(), here);
                    seen[lane] += 1;
                    ControlFlow::Continue(())
                },
            );
            assert_eq!((counts, seen), (vec![40; lanes], vec![40; lanes]));
        }
    }

    #[test]
    fn a_break_is_the_answer_to_all_and_the_observer_is_called_no_more() {
        let mut calls = 0;
        let counts = observed(
            |reporter| counting(&reporter, 3, usize::MAX),
            |_| {
                calls += 1;
                if calls == 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        assert_eq!((calls, counts.iter().sum::<usize>()), (10, 9));
    }

    #[test]
    fn a_panic_of_either_ends_both() {
        let of_work = || observed(|_: Reporter<()>| panic!("at work"), |()| ControlFlow::Continue(()));
        assert_eq!(catch_unwind(of_work).unwrap_err().downcast_ref(), Some(&"at work"));
        let mut counts = Vec::new();
        let of_observer = AssertUnwindSafe(|| {
            observed(|reporter| counts = counting(&reporter, 2, usize::MAX), |_| panic!("an observer"));
        });
        assert_eq!(catch_unwind(of_observer).unwrap_err().downcast_ref(), Some(&"an observer"));
        assert_eq!(counts, [0, 0], "both lanes were told");
    }

    #[test]
    fn a_reporter_that_outlives_the_work_does_not_hold_it_up() {
        let kept = observed(|reporter: Reporter<u8>| reporter, |_| ControlFlow::Continue(()));
        assert!(kept.report(1).is_break());
    }
}
