//! [`Runs`]: what stands between a pool and its processes.

use super::event::{Action, Event, Happening};
use super::request::Request;
use super::state::Pool;

/// Something that happened, with the time at which it did.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// Seconds since the pool began, by the wall clock. By counted cost nobody looks at it.
    pub at: f64,
    /// The happening. `Time` where nothing happened up to the time that was waited for.
    pub what: Happening,
}

/// The processes of jobs, and whoever talks to the pool.
///
/// After `start` a job *runs*. One that is elastic tells a boundary and *waits*, until `go_on` lets it run or `pause` ends it; and so
/// on, up to its last boundary, at which it does not wait. What is told of a job:
///
/// - `Boundary` at each boundary, the last one included, with the counted cost of the epoch that ends there. The first one that a
///   process shows is that before its first epoch, or of the checkpoint that it goes on from, with cost 0. A checkpoint is
///   written after the answer, so that no process goes on from a boundary that the pool does not know. Where a process was
///   lost and started again by others than the pool, its boundaries from there on are told again.
/// - once, at the end of its process, `Ended` with the exit status; or `Lost` where there is none, as a signal ended it, it could
///   not be started, or nothing can be heard of it any longer and it was ended for that. After `pause` the status is 130, with a
///   checkpoint at this boundary.
///
/// What is not elastic tells its end alone. After `cancel` a process ends, whether it runs or waits, and tells `Ended` or `Lost`; a
/// boundary that it tells on the way is not answered. Nothing is told of a job after its end, until it is started again. `go_on`
/// and `pause` of a job that has gone on, or back, or ended meanwhile have no effect.
///
/// `Silent` tells that a job that runs has not told anything for long; it may still do. `Submitted`, `Cancelled` and `Interrupted`
/// come from people. `Reopened` is never told. When a pool is carried on no process of an earlier time may be left.
pub trait Runs {
    /// Starts the process of a job: anew, or from its last checkpoint where its folder has a run.
    fn start(&mut self, job: &Request, workers: u32);

    /// Lets a job that waits go on with so many workers.
    fn go_on(&mut self, job: &str, workers: u32);

    /// Lets a job that waits write a checkpoint, and end.
    fn pause(&mut self, job: &str);

    /// Ends the process of a job: nothing of it is needed any longer.
    fn cancel(&mut self, job: &str);

    /// Seconds since the pool began, by the wall clock.
    fn now(&self) -> f64;

    /// Waits for what happens next, up to a time in seconds since the pool began; without one, as long as it takes. Jobs that were
    /// submitted while nothing was asked are told, too.
    fn next(&mut self, until: Option<f64>) -> Told;
}

/// Memory of a pool: each line is kept before anything follows from it.
pub trait Keep {
    /// Reason for which it cannot be kept.
    type Error;

    /// Keeps an event that the pool is about to take in.
    ///
    /// # Errors
    /// If it cannot be kept: the pool then goes no further.
    fn event(&mut self, event: &Event) -> Result<(), Self::Error>;

    /// Keeps what a job told, by counted cost, before its turn has come.
    ///
    /// # Errors
    /// As above.
    fn told(&mut self, what: &Happening) -> Result<(), Self::Error>;

    /// Looks at the pool after each event.
    fn shown(&mut self, _pool: &Pool, _event: &Event, _actions: &[Action]) {}
}

/// The way in which a pool was carried on to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carried {
    /// All jobs are over.
    Over,
    /// It was interrupted, and every job that has begun is paused.
    Interrupted,
    /// Jobs are left that its policy gives nothing, and nothing else is to come.
    Stalled,
}

/// Does one thing.
pub(super) fn act(runs: &mut dyn Runs, pool: &Pool, action: &Action) {
    match action {
        Action::Cancel { job } => runs.cancel(job),
        Action::Pause { job } => runs.pause(job),
        Action::GoOn { job, workers } => runs.go_on(job, *workers),
        Action::Start { job, workers } => {
            if let Some(fit) = pool.fit(job) {
                runs.start(&fit.request, *workers);
            }
        }
    }
}
