//! [`Runs`]: the interface between a pool and the processes of its jobs.

use super::event::{Action, Event, EventKind};
use super::request::Request;
use super::state::Pool;

/// Processes of the jobs of a pool, with the requests of its users.
///
/// After `start` a job *runs*. An elastic job reports each boundary and *waits* there, until `go_on` lets it
/// continue or `pause` ends it. It does not wait at its last boundary. Events of a job:
///
/// - `Boundary` at each boundary, the last one included, with the counted cost of the epoch that ends there.
///   The first boundary that a process reports is the one before its first epoch, or of the checkpoint that
///   it resumes from, with cost 0. A checkpoint is written after the answer, so that no process resumes from
///   a boundary that the pool does not know. If a process was lost and not started again by the pool, it
///   reports its boundaries from there on again.
/// - `Ended` with the exit status, once, at the end of the process; or `Lost` if there is no status: a signal
///   ended the process, it could not be started, or it was ended because it could not be reached. After
///   `pause` the status is 130, with a checkpoint at this boundary.
///
/// A job that is not elastic reports its end only. After `cancel` a process ends, whether it runs or waits,
/// and `Ended` or `Lost` follows; boundaries that it reports until then are not answered. No event of a job
/// follows its end, until it is started again. `go_on` and `pause` have no effect on a job that does not
/// wait.
///
/// `Silent` says that a running job has reported nothing for a long time; it may still do so. `Submitted`,
/// `Cancelled` and `Interrupted` come from users. `Reopened` never comes from here. When a pool is resumed,
/// no process from before may be alive.
pub trait Runs {
    /// Starts the process of a job, from its last checkpoint if its folder has a run.
    fn start(&mut self, job: &Request, workers: u32);

    /// Lets a waiting job continue with `workers` workers.
    fn go_on(&mut self, job: &str, workers: u32);

    /// Makes a waiting job write a checkpoint and end.
    fn pause(&mut self, job: &str);

    /// Ends the process of a job, whose result is no longer needed.
    fn cancel(&mut self, job: &str);

    /// Seconds since the pool began, in real time.
    fn now(&self) -> f64;

    /// Waits for the next event until a time in seconds since the pool began, or without limit if there is
    /// none. The event is `Time` if nothing happened before. It comes with the real time, which counted cost
    /// does not use. Jobs that were submitted between two calls are reported, too.
    fn next(&mut self, until: Option<f64>) -> Event;
}

/// Storage of a pool: each event is stored before any action follows from it.
pub trait Keep {
    /// Error of the storage.
    type Error;

    /// Stores an event that the pool is about to apply.
    ///
    /// # Errors
    /// If the event cannot be stored. The pool then stops.
    fn event(&mut self, event: &Event) -> Result<(), Self::Error>;

    /// Stores an event that a job has reported, by counted cost, and that is not applied yet.
    ///
    /// # Errors
    /// If the event cannot be stored.
    fn told(&mut self, what: &EventKind) -> Result<(), Self::Error>;

    /// Called after each event, with the new state of the pool and its actions.
    fn shown(&mut self, _pool: &Pool, _event: &Event, _actions: &[Action]) {}
}

/// Outcome of driving a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carried {
    /// All jobs are over.
    Over,
    /// The pool was interrupted, and every job that had started is paused.
    Interrupted,
    /// Jobs are left that the policy gives no workers, and no event is to come.
    Stalled,
}

/// Carries out an action.
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
