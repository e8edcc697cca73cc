//! Fork and join: divides the work of one task among the cores that its run may use.
//!
//! While the first worker aggregates, relates or concludes, the others wait for it. [`each`] lets their
//! threads help with work that falls into parts which do not touch each other: blocks of rows, strips of
//! products. No result may depend on the number of helper threads, or on which of them does which part; that
//! is up to the parts, each of which writes its own piece.
//!
//! Helpers are the threads of the run's workers. A thread that is done with its own tasks stays awake for a
//! moment, if its run has work of this kind at all, because waking a thread takes as long as some parts.

#![allow(unsafe_code)] // work that borrows is shown to threads that have it no longer than it lives

use std::any::Any;
use std::cell::RefCell;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::Thread;
use std::time::{Duration, Instant};

use crate::panic_context;
use crate::simd_level::SimdLevel;
use crate::sync::lock;

/// Number of multiply-adds below which helpers would come too late: some tens of microseconds.
const WORTH: u64 = 200_000;

/// Time that a helper stays awake without work: while the first worker does its own work; and, next, before
/// that starts.
const OPEN: Duration = Duration::from_millis(2);
const SHUT: Duration = Duration::from_micros(100);

/// A step of a worker that takes no longer than this had nothing to do.
const IDLE: Duration = Duration::from_micros(20);

thread_local! {
    static HELPERS: RefCell<Option<Arc<HelperThreads>>> = const { RefCell::new(None) };
}

/// Threads of a run that may help the first worker, and the work that is offered to them.
#[derive(Default)]
pub struct HelperThreads {
    /// Helpers that have joined, without the thread that offers work.
    others: Mutex<Vec<Thread>>,
    /// The work on offer; and, next, its number, and the number of helpers that are doing it.
    work: Mutex<Option<Work<'static>>>,
    number: AtomicU64,
    inside: AtomicUsize,
    /// `true` while the first worker does its own work.
    open: AtomicBool,
    /// The panic of a helper, if one failed.
    panic: Mutex<Option<Failed>>,
}

/// A panic, and the place where it began.
type Failed = (Box<dyn Any + Send>, Option<String>);

/// Work that any number of threads may do at the same time.
type Work<'a> = &'a (dyn Fn() + Sync);

impl HelperThreads {
    /// Makes this thread one of the helpers, as long as there is a core for each.
    pub fn join(&self) -> Option<Helper> {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let mut others = lock(&self.others);
        if others.len() + 1 >= cores {
            return None;
        }
        others.push(std::thread::current());
        Some(Helper { seen: self.number.load(Ordering::Acquire), since: Instant::now() })
    }

    /// Runs `body`, the first worker's own work, with these helpers.
    pub fn during<T>(self: &Arc<Self>, body: impl FnOnce() -> T) -> T {
        /// Restores the helpers that were current, even if the body panics.
        struct Restore(Option<Arc<HelperThreads>>);
        impl Drop for Restore {
            fn drop(&mut self) {
                let helpers = HELPERS.replace(self.0.take());
                helpers.inspect(|helpers| helpers.open.store(false, Ordering::Release));
            }
        }
        let _restore = Restore(HELPERS.replace(Some(Arc::clone(self))));
        self.open.store(true, Ordering::Release);
        body()
    }

    /// Does `work` on this thread, and on all helpers that come before it is done.
    fn share(&self, work: Work<'_>) {
        /// Withdraws the work, and waits for helpers that are doing it.
        struct Retire<'a>(&'a HelperThreads);
        impl Drop for Retire<'_> {
            fn drop(&mut self) {
                lock(&self.0.work).take();
                let mut turns = 0_u32;
                while self.0.inside.load(Ordering::Acquire) > 0 {
                    turns += 1;
                    relax(turns);
                }
            }
        }
        // SAFETY: no thread has the work longer than this function runs: a helper that takes it is counted
        // inside before the lock is released; `Retire` takes the work back under the same lock and then waits
        // until nobody is inside.
        let shown = unsafe { std::mem::transmute::<Work<'_>, Work<'static>>(work) };
        lock(&self.panic).take();
        *lock(&self.work) = Some(shown);
        let retire = Retire(self);
        self.number.fetch_add(1, Ordering::Release);
        lock(&self.others).iter().for_each(Thread::unpark);
        self.attempt(work);
        drop(retire);
        if let Some((panic, place)) = lock(&self.panic).take() {
            panic_context::set_location(place);
            resume_unwind(panic);
        }
    }

    /// Does the work on offer, if there is any.
    fn help(&self) {
        let work = {
            let shown = lock(&self.work);
            let Some(work) = *shown else { return };
            self.inside.fetch_add(1, Ordering::AcqRel);
            work
        };
        self.attempt(work);
        self.inside.fetch_sub(1, Ordering::AcqRel);
    }

    /// Does the work, and keeps its panic if it fails: the first that does not follow from another one.
    fn attempt(&self, work: Work<'_>) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            let mut kept = lock(&self.panic);
            if kept.as_ref().is_none_or(|(kept, _)| kept.is::<Follows>()) {
                *kept = Some((panic, panic_context::take_location()));
            }
        }
    }
}

/// State of a helper: the number of the last work that it has seen.
pub struct Helper {
    seen: u64,
    /// Moment from which the helper has had nothing to do.
    since: Instant,
}

impl Helper {
    /// Helps if work is on offer; returns `true` to stay awake for more.
    pub fn attend(&mut self, helpers: &HelperThreads) -> bool {
        let number = helpers.number.load(Ordering::Acquire);
        if number != self.seen {
            self.seen = number;
            helpers.help();
            self.since = Instant::now();
        }
        let awake = if helpers.open.load(Ordering::Acquire) { OPEN } else { SHUT };
        // A run that never offered work is not expected to.
        number > 0 && self.since.elapsed() < awake
    }

    /// Notes a step of the worker that started at `since`.
    pub fn worked(&mut self, since: Instant) {
        if since.elapsed() > IDLE {
            self.since = Instant::now();
        }
    }
}

/// Waits for another core, or, after a while, for the thread that needs this one.
fn relax(turns: u32) {
    if turns < 1000 { std::hint::spin_loop() } else { std::thread::yield_now() }
}

/// Returns the number of threads that [`each`] may use here, at least 1: to choose how finely to divide work,
/// never what is computed.
pub fn count() -> usize {
    HELPERS.with_borrow(|helpers| 1 + helpers.as_ref().map_or(0, |helpers| lock(&helpers.others).len()))
}

/// Calls `act` on each part, on this thread and on as many helpers as come, and returns when all are done.
/// Parts are started in their order.
///
/// `cost` is the number of operations of all parts together: if they are few, this thread does them alone.
pub fn each<T: Send>(cost: u64, parts: impl IntoIterator<Item = T, IntoIter: Send>, act: impl Fn(T) + Sync) {
    let helpers = if cost < WORTH || count() == 1 { None } else { HELPERS.take() };
    let Some(helpers) = helpers else { return parts.into_iter().for_each(act) };
    /// Makes nested calls run on the thread that does the part.
    struct Restore(Arc<HelperThreads>);
    impl Drop for Restore {
        fn drop(&mut self) {
            HELPERS.set(Some(Arc::clone(&self.0)));
        }
    }
    let restore = Restore(helpers);
    let parts = Mutex::new(parts.into_iter());
    let level = SimdLevel::current();
    restore.0.share(&|| {
        level.during(|| {
            // The lock is released before the part is begun.
            let next = || lock(&parts).next();
            while let Some(part) = next() {
                act(part);
            }
        });
    });
}

/// Calls `act` on each part as [`each`] does, for parts that need the results of earlier ones: `act` may ask
/// for these, and waits if another thread is still computing one. Returns all results, in the order of the
/// parts.
pub fn chain<T: Send, R: Send + Sync>(
    cost: u64,
    parts: Vec<T>,
    act: impl Fn(T, &EarlierParts<'_, R>) -> R + Sync,
) -> Vec<R> {
    /// Marks a part as ended, even if it panics, because others wait for it.
    struct Ending<'a, R>(&'a OnceLock<Option<R>>);
    impl<R> Drop for Ending<'_, R> {
        fn drop(&mut self) {
            // Nothing happens where the part has a result.
            let _ = self.0.set(None);
        }
    }
    let given: Vec<OnceLock<Option<R>>> = parts.iter().map(|_| OnceLock::new()).collect();
    each(cost, parts.into_iter().enumerate(), |(number, part)| {
        let ending = Ending(&given[number]);
        let _ = ending.0.set(Some(act(part, &EarlierParts(&given[..number]))));
    });
    given.into_iter().filter_map(|given| given.into_inner().flatten()).collect()
}

/// Panic of a part that waited for one that failed: the panic of that one is reported.
struct Follows;

/// Results of the parts of a [`chain`] that come before one.
pub struct EarlierParts<'a, R>(&'a [OnceLock<Option<R>>]);

impl<R> EarlierParts<'_, R> {
    /// Iterates over the results, in the order of the parts, and waits for each.
    pub fn each(&self) -> impl Iterator<Item = &R> {
        self.0.iter().map(|given| {
            let mut turns = 0;
            loop {
                match given.get() {
                    Some(Some(given)) => break given,
                    Some(None) => resume_unwind(Box::new(Follows)),
                    None => turns += 1,
                }
                relax(turns);
            }
        })
    }
}

/// Runs `body` with this number of threads, at most the number of cores: for tests that any number gives the
/// same bits.
pub fn during<T>(threads: usize, body: impl FnOnce() -> T) -> T {
    /// Ends the other threads, even if the body panics.
    struct End<'a>(&'a AtomicBool);
    impl Drop for End<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }
    let (helpers, over, ready) =
        (Arc::new(HelperThreads::default()), AtomicBool::new(false), AtomicUsize::new(1));
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| {
                let helper = helpers.join();
                ready.fetch_add(1, Ordering::AcqRel);
                let Some(mut helper) = helper else { return };
                while !over.load(Ordering::Acquire) {
                    helper.attend(&helpers);
                    std::thread::yield_now();
                }
            });
        }
        let _end = End(&over);
        while ready.load(Ordering::Acquire) < threads {
            std::thread::yield_now();
        }
        helpers.during(body)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_done_once_with_any_number_of_hands() {
        for threads in [1, 2, 5] {
            let mut values = vec![0_u32; 1000];
            let there = during(threads, || {
                let parts = values.chunks_mut(7).zip(1..);
                each(WORTH, parts, |(part, number)| part.iter_mut().for_each(|value| *value += number));
                each(WORTH, 0..10, |_| assert_eq!(count(), 1));
                count()
            });
            assert!((1..=threads).contains(&there));
            assert!(values.iter().zip(0..).all(|(&value, at)| value == at / 7 + 1));
        }
        assert_eq!(count(), 1);
    }

    #[test]
    fn the_parts_of_a_chain_see_what_those_before_them_gave() {
        for threads in [1, 3] {
            during(threads, || {
                for _ in 0..100 {
                    let given = chain(WORTH, (0..100).collect(), |part: u64, earlier| {
                        part + earlier.each().last().copied().unwrap_or(0)
                    });
                    let expected = (0..100).map(|part| part * (part + 1) / 2);
                    assert!(given.into_iter().eq(expected));
                }
            });
        }
    }

    #[test]
    fn a_part_that_panics_ends_the_whole_on_whichever_thread_it_is() {
        for bad in 0..20 {
            let fails = |at: usize| assert!(at != bad, "a part that fails");
            assert!(catch_unwind(|| during(2, || each(WORTH, 0..20, fails))).is_err());
            let waits = |at: usize, earlier: &EarlierParts<'_, ()>| {
                fails(at);
                assert_eq!(earlier.each().count(), at);
            };
            let failed = catch_unwind(|| during(2, || chain(WORTH, (0..20).collect(), waits))).unwrap_err();
            assert_eq!(failed.downcast_ref(), Some(&"a part that fails"));
            assert_eq!(count(), 1);
        }
    }
}
