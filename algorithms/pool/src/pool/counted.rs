//! [`by_count`]: drives a pool by counted cost.
//!
//! The clock is simulated. An epoch of cost c that began at t on n workers ends at t + c/s times the seconds
//! of a unit of cost, s the speed-up on n workers by [`Amdahl`]'s law; starts, pauses and changes of workers
//! take no time. The driver waits until each running job has reported its next boundary or its end, and only
//! then applies the earliest of these events. So every time and every decision is the same on any machine.
//!
//! A lost process changes nothing either, whether the pool was lost with it or not: the driver starts the
//! process again and lets it run up to the boundary that the pool knows. A job that waits at a boundary has
//! no need of a process until it continues.

use std::collections::BTreeSet;

use super::event::{Action, Boundary, Event, EventKind};
use super::fit::{Fit, Phase};
use super::replay::{Pending, Replay};
use super::request::Request;
use super::runs::{Carried, Keep, Runs, act};
use super::settings::Clock;
use super::speedup::Amdahl;
use super::state::Pool;

/// Drives a pool until all jobs are over, or until it was interrupted and all jobs are paused. The first
/// event is the submission of `submitted`.
///
/// # Errors
/// If an event cannot be stored.
pub fn by_count<K: Keep>(
    replay: &mut Replay,
    submitted: Vec<Request>,
    runs: &mut dyn Runs,
    keep: &mut K,
) -> Result<Carried, K::Error> {
    let Replay { pool, told } = replay;
    let mut turns = Turns { absent: BTreeSet::new(), told: std::mem::take(told) };
    turns.reopen(pool, runs);
    if !submitted.is_empty() {
        turns.step(pool, Event { at: pool.now(), what: EventKind::Submitted(submitted) }, runs, keep)?;
    }
    while !pool.is_over() {
        let event = match turns.gather(pool, runs, keep)? {
            Gathered::Interrupted => return turns.interrupt(pool, runs, keep),
            Gathered::Event(event) => event,
            Gathered::All => match turns.first(pool) {
                Some(event) => event,
                None => return Ok(Carried::Stalled),
            },
        };
        turns.step(pool, event, runs, keep)?;
    }
    Ok(Carried::Over)
}

/// Outcome of [`Turns::gather`].
enum Gathered {
    /// Every running job has reported its next event.
    All,
    /// An event that has to be applied at once.
    Event(Event),
    Interrupted,
}

/// Driver of a pool by counted cost, with the reported events that are not applied yet.
struct Turns {
    /// Jobs that wait at a boundary, as far as the pool knows, and have no process.
    absent: BTreeSet<String>,
    told: Pending,
}

impl Turns {
    /// Stores and applies an event, and carries out the resulting actions.
    fn step<K: Keep>(
        &mut self,
        pool: &mut Pool,
        event: Event,
        runs: &mut dyn Runs,
        keep: &mut K,
    ) -> Result<(), K::Error> {
        keep.event(&event)?;
        let actions = pool.apply(&event);
        self.told.follow(&event);
        self.follow(pool, runs, &event, &actions);
        keep.shown(pool, &event, &actions);
        Ok(())
    }

    /// Starts the processes of a pool that is opened again.
    fn reopen(&mut self, pool: &Pool, runs: &mut dyn Runs) {
        for fit in pool.fits().iter().filter(|fit| fit.is_alive()) {
            if self.told.first(fit.name()).is_some() {
                self.absent.insert(fit.name().into());
            } else {
                self.again(fit, runs);
            }
        }
    }

    /// Starts the process of a job again. A job that waits, or was about to end, needs none.
    fn again(&mut self, fit: &Fit, runs: &mut dyn Runs) {
        match fit.phase {
            Phase::Running { workers } => runs.start(&fit.request, workers),
            Phase::Ending => runs.start(&fit.request, fit.last),
            Phase::Held => drop(self.absent.insert(fit.name().into())),
            Phase::Pausing { .. } | Phase::Cancelling { .. } => {
                self.absent.insert(fit.name().into());
                self.told.tell(gone(fit.name()));
            }
            Phase::Waiting | Phase::Queued | Phase::Over(_) => {}
        }
    }

    /// Waits until every job that runs or is about to end has reported its next event.
    fn gather<K: Keep>(
        &mut self,
        pool: &Pool,
        runs: &mut dyn Runs,
        keep: &mut K,
    ) -> Result<Gathered, K::Error> {
        let event = |what| Ok(Gathered::Event(Event { at: pool.now(), what }));
        while pool.fits().iter().any(|fit| fit.is_awaited() && self.told.first(fit.name()).is_none()) {
            let Event { what, .. } = runs.next(None);
            match &what {
                EventKind::Interrupted => return Ok(Gathered::Interrupted),
                EventKind::Submitted(_) | EventKind::Cancelled { .. } => return event(what),
                EventKind::Time | EventKind::Silent { .. } | EventKind::Reopened => {}
                EventKind::Lost { job } if self.told.first(job).is_none() => return event(what),
                // The reported event remains valid; a new process is started when the job continues.
                EventKind::Lost { job } => drop(self.absent.insert(job.clone())),
                EventKind::Boundary(boundary) => {
                    let Some(fit) = pool.fit(&boundary.job) else { continue };
                    match fit.phase {
                        // The process is still catching up with the boundary that the pool knows.
                        Phase::Running { .. } | Phase::Ending if boundary.epoch <= fit.epoch => {
                            runs.go_on(&boundary.job, fit.last);
                        }
                        Phase::Running { .. } if !self.told.has_boundary(&boundary.job) => {
                            self.keep(what, keep)?;
                        }
                        // The process was lost and started again, and the new one has not been asked to
                        // pause.
                        Phase::Pausing { .. } if !boundary.is_last => runs.pause(&boundary.job),
                        _ => {}
                    }
                }
                EventKind::Ended { .. } => self.keep(what, keep)?,
            }
        }
        Ok(Gathered::All)
    }

    fn keep<K: Keep>(&mut self, what: EventKind, keep: &mut K) -> Result<(), K::Error> {
        keep.told(&what)?;
        self.told.tell(what);
        Ok(())
    }

    /// The earliest of the reported events and of the time at which the pool wants to be woken. Of equal
    /// times the job that was submitted first comes first, and the wake-up last.
    fn first(&self, pool: &Pool) -> Option<Event> {
        let mut first: Option<Event> = None;
        for fit in pool.fits() {
            let Some(what) = self.told.first(fit.name()) else { continue };
            let at = end(pool, fit, what);
            if first.as_ref().is_none_or(|first| at < first.at) {
                let what = match what.clone() {
                    EventKind::Boundary(of) => {
                        EventKind::Boundary(Boundary { seconds: at - fit.since, ..of })
                    }
                    what => what,
                };
                first = Some(Event { at, what });
            }
        }
        let wakes = pool.wakes();
        match first {
            Some(first) if wakes.is_none_or(|wakes| first.at <= wakes) => Some(first),
            _ => wakes.map(|at| Event { at, what: EventKind::Time }),
        }
    }

    /// Carries out the actions that follow from an event.
    fn follow(&mut self, pool: &Pool, runs: &mut dyn Runs, event: &Event, actions: &[Action]) {
        match &event.what {
            EventKind::Lost { job } => {
                pool.fit(job).into_iter().for_each(|fit| self.again(fit, runs));
            }
            EventKind::Ended { job, .. } => drop(self.absent.remove(job)),
            // A process is started again so that the end of the job is reported, too.
            EventKind::Boundary(Boundary { job, is_last: true, .. })
                if !self.told.has_end(job) && self.absent.remove(job) =>
            {
                pool.fit(job).into_iter().for_each(|fit| self.again(fit, runs));
            }
            _ => {}
        }
        for action in actions {
            match action {
                Action::GoOn { job, workers } if self.absent.remove(job) => {
                    act(runs, pool, &Action::Start { job: job.clone(), workers: *workers });
                }
                // The job has ended in the meantime.
                Action::Pause { job } | Action::Cancel { job } if self.told.has_end(job) => {}
                Action::Pause { job } | Action::Cancel { job } if self.absent.contains(job) => {
                    self.told.tell(gone(job));
                }
                _ => act(runs, pool, action),
            }
        }
    }

    /// Pauses every process: each writes a checkpoint and ends. The state of the pool does not change, so
    /// that it can be resumed from there; the boundaries that jobs reach are stored with their cost.
    fn interrupt<K: Keep>(
        &mut self,
        pool: &Pool,
        runs: &mut dyn Runs,
        keep: &mut K,
    ) -> Result<Carried, K::Error> {
        let has_process = |fit: &&Fit| {
            fit.is_alive() && !self.absent.contains(fit.name()) && !self.told.has_end(fit.name())
        };
        let mut alive: BTreeSet<&str> = pool.fits().iter().filter(has_process).map(Fit::name).collect();
        for name in &alive {
            let waits = pool.fit(name).is_some_and(|fit| fit.phase == Phase::Held);
            if waits || self.told.has_boundary(name) {
                runs.pause(name);
            }
        }
        while !alive.is_empty() {
            match runs.next(None).what {
                EventKind::Boundary(boundary) => {
                    let is_next =
                        |fit: &Fit| matches!(fit.phase, Phase::Running { .. }) && boundary.epoch > fit.epoch;
                    runs.pause(&boundary.job);
                    let is_told = self.told.first(&boundary.job).is_some();
                    if !is_told && pool.fit(&boundary.job).is_some_and(is_next) {
                        self.keep(EventKind::Boundary(boundary), keep)?;
                    }
                }
                EventKind::Ended { job, .. } | EventKind::Lost { job } => drop(alive.remove(job.as_str())),
                _ => {}
            }
        }
        Ok(Carried::Interrupted)
    }
}

/// The end of a job that has no process.
fn gone(job: &str) -> EventKind {
    EventKind::Ended { job: job.into(), status: 130, cost: 0.0, said: String::new() }
}

/// Time at which a reported event happens, in seconds since the pool began.
fn end(pool: &Pool, fit: &Fit, what: &EventKind) -> f64 {
    let cost = match what {
        // The checkpoint was written before the pool knew of its boundary: epochs of a run cost much the
        // same.
        EventKind::Boundary(boundary) if boundary.cost == 0.0 => {
            fit.cost * boundary.epoch.saturating_sub(fit.epoch) as f64
        }
        EventKind::Boundary(Boundary { cost, .. }) | EventKind::Ended { cost, .. } => cost.max(0.0),
        _ => 0.0,
    };
    match (&fit.phase, pool.settings().clock) {
        (Phase::Running { workers }, Clock::Counted { seconds_per_cost }) => {
            let law = Amdahl::of_share(fit.serial);
            (fit.since + cost * law.seconds(*workers) * seconds_per_cost).max(pool.now())
        }
        // Ends that the pool has asked for take no time.
        _ => pool.now(),
    }
}
