//! [`by_count`]: a pool by counted cost.
//!
//! Time passes by counted cost over workers: an epoch of cost c that began at t with n workers ends at t + c/n, times the seconds of a
//! unit of cost. Jobs wait for each other: what happens first is known once each job that runs has told what comes of it. So every
//! time and decision is that of any other machine; nothing else passes time, no start, pause or change of workers.
//!
//! A process that is lost, with the pool or alone, changes nothing either: it is started again and let go on up to the boundary
//! that the pool knows. One that waits has no need of a process until it goes on.

use std::collections::BTreeSet;

use super::event::{Action, Boundary, Event, What};
use super::fit::{Fit, Phase};
use super::replay::{Pending, Replay};
use super::request::Request;
use super::runs::{Carried, Keep, Runs, Told, act};
use super::settings::Clock;
use super::state::Pool;

/// Carries a pool on until all is over, or it was interrupted and all jobs are paused. First it is told what was `submitted`.
///
/// # Errors
/// If something cannot be kept.
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
        turns.step(pool, Event { at: pool.now(), what: What::Submitted(submitted) }, runs, keep)?;
    }
    while !pool.is_over() {
        let event = match turns.gather(pool, runs, keep)? {
            Gathered::Interrupted => return Ok(turns.interrupt(pool, runs)),
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

/// The way in which a round of waiting ended.
enum Gathered {
    /// Every job that runs has told what comes of it.
    All,
    /// Somebody wants something at once.
    Event(Event),
    Interrupted,
}

/// Happenings that jobs have told, as far as their turn has not come.
struct Turns {
    /// Jobs that wait at a boundary, as the pool knows it, and have no process.
    absent: BTreeSet<String>,
    told: Pending,
}

impl Turns {
    /// Takes in an event, and does what follows.
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

    /// Starts who was running.
    fn reopen(&mut self, pool: &Pool, runs: &mut dyn Runs) {
        for fit in pool.fits().iter().filter(|fit| fit.is_alive()) {
            if self.told.first(fit.name()).is_some() {
                self.absent.insert(fit.name().into());
            } else {
                self.again(fit, runs);
            }
        }
    }

    /// Starts the process of a job again; one that waits, or was to end, needs none.
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

    /// Waits until every job that runs or is to end has told what comes of it.
    fn gather<K: Keep>(
        &mut self,
        pool: &Pool,
        runs: &mut dyn Runs,
        keep: &mut K,
    ) -> Result<Gathered, K::Error> {
        let event = |what| Ok(Gathered::Event(Event { at: pool.now(), what }));
        while pool.fits().iter().any(|fit| fit.is_awaited() && self.told.first(fit.name()).is_none()) {
            let Told { what, .. } = runs.next(None);
            match &what {
                What::Interrupted => return Ok(Gathered::Interrupted),
                What::Submitted(_) | What::Cancelled { .. } => return event(what),
                What::Time | What::Silent { .. } | What::Reopened => {}
                What::Lost { job } if self.told.first(job).is_none() => return event(what),
                // What it told stands, and it is started when it goes on.
                What::Lost { job } => drop(self.absent.insert(job.clone())),
                What::Boundary(boundary) => {
                    let Some(fit) = pool.fit(&boundary.job) else { continue };
                    match fit.phase {
                        // It is only on its way to where the pool knows it.
                        Phase::Running { .. } | Phase::Ending if boundary.epoch <= fit.epoch => {
                            runs.go_on(&boundary.job, fit.last);
                        }
                        Phase::Running { .. } if !self.told.has_boundary(&boundary.job) => {
                            self.keep(what, keep)?;
                        }
                        // Its process was lost and is back: nobody has told the new one.
                        Phase::Pausing { .. } if !boundary.is_last => runs.pause(&boundary.job),
                        _ => {}
                    }
                }
                What::Ended { .. } => self.keep(what, keep)?,
            }
        }
        Ok(Gathered::All)
    }

    fn keep<K: Keep>(&mut self, what: What, keep: &mut K) -> Result<(), K::Error> {
        keep.told(&what)?;
        self.told.tell(what);
        Ok(())
    }

    /// The first event of those that jobs have told and what the pool is to be woken for. Of equal times the job that was submitted
    /// first comes first, and then the time itself.
    fn first(&self, pool: &Pool) -> Option<Event> {
        let mut first: Option<Event> = None;
        for fit in pool.fits() {
            let Some(what) = self.told.first(fit.name()) else { continue };
            let at = end(pool, fit, what);
            if first.as_ref().is_none_or(|first| at < first.at) {
                first = Some(Event { at, what: timed(what.clone(), fit, at) });
            }
        }
        let wakes = pool.wakes();
        match first {
            Some(first) if wakes.is_none_or(|wakes| first.at <= wakes) => Some(first),
            _ => wakes.map(|at| Event { at, what: What::Time }),
        }
    }

    /// Does what follows from an event.
    fn follow(&mut self, pool: &Pool, runs: &mut dyn Runs, event: &Event, actions: &[Action]) {
        match &event.what {
            What::Lost { job } => {
                pool.fit(job).into_iter().for_each(|fit| self.again(fit, runs));
            }
            What::Ended { job, .. } => drop(self.absent.remove(job)),
            // Its end is to be seen, too.
            What::Boundary(Boundary { job, is_last: true, .. })
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
                // It has ended meanwhile.
                Action::Pause { job } | Action::Cancel { job } if self.told.has_end(job) => {}
                Action::Pause { job } | Action::Cancel { job } if self.absent.contains(job) => {
                    self.told.tell(gone(job));
                }
                _ => act(runs, pool, action),
            }
        }
    }

    /// Lets every process write a checkpoint and end. The pool itself stays as it is, and goes on from there.
    fn interrupt(&mut self, pool: &Pool, runs: &mut dyn Runs) -> Carried {
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
                What::Boundary(boundary) => runs.pause(&boundary.job),
                What::Ended { job, .. } | What::Lost { job } => drop(alive.remove(job.as_str())),
                _ => {}
            }
        }
        Carried::Interrupted
    }
}

/// The end of a process that there is not.
fn gone(job: &str) -> What {
    What::Ended { job: job.into(), status: 130, cost: 0.0, said: String::new() }
}

/// Time at which something is that a job told.
fn end(pool: &Pool, fit: &Fit, what: &What) -> f64 {
    let cost = match what {
        // A checkpoint that was written before the pool knew of its boundary: epochs of a run cost much the same.
        What::Boundary(boundary) if boundary.cost == 0.0 => {
            fit.cost * boundary.epoch.saturating_sub(fit.epoch) as f64
        }
        What::Boundary(Boundary { cost, .. }) | What::Ended { cost, .. } => cost.max(0.0),
        _ => 0.0,
    };
    match (&fit.phase, pool.settings().clock) {
        (Phase::Running { workers }, Clock::Counted { seconds_per_cost }) => {
            (fit.since + cost / f64::from(*workers) * seconds_per_cost).max(pool.now())
        }
        // Ends that the pool has asked for are at once.
        _ => pool.now(),
    }
}

/// A boundary with the seconds of its epoch by counted cost.
fn timed(what: What, fit: &Fit, at: f64) -> What {
    match what {
        What::Boundary(boundary) => What::Boundary(Boundary { seconds: at - fit.since, ..boundary }),
        what => what,
    }
}
