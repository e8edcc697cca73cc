//! [`by_count`]: a pool by counted cost.
//!
//! Time passes by counted cost over workers: an epoch of cost c that began at t with n workers ends at t + c/n, times the seconds of a
//! unit of cost. Jobs wait for each other: what happens first is known once each job that runs has told what comes of it. So every
//! time and decision is that of any other machine; nothing else passes time, no start, pause or change of workers.
//!
//! A process that is lost, with the pool or alone, changes nothing either: it is started again and let go on up to the boundary
//! that the pool knows. One that waits has no need of a process until it goes on.

use std::collections::{BTreeMap, BTreeSet};

use super::event::{Action, Boundary, Event, What};
use super::fit::{Fit, Phase};
use super::replay::Replay;
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
    runs: &mut impl Runs,
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

/// What jobs have told, as far as its turn has not come.
struct Turns {
    /// Jobs that wait at a boundary, as the pool knows it, and have no process.
    absent: BTreeSet<String>,
    told: BTreeMap<String, What>,
}

impl Turns {
    /// Takes in an event, and does what follows.
    fn step<K: Keep>(
        &mut self,
        pool: &mut Pool,
        event: Event,
        runs: &mut impl Runs,
        keep: &mut K,
    ) -> Result<(), K::Error> {
        keep.event(&event)?;
        let actions = pool.apply(&event);
        self.follow(pool, runs, &event, &actions);
        keep.shown(pool, &event, &actions);
        Ok(())
    }

    /// Starts who was running.
    fn reopen(&mut self, pool: &Pool, runs: &mut impl Runs) {
        for fit in pool.fits().iter().filter(|fit| fit.is_alive()) {
            match fit.phase {
                Phase::Running { workers } if !self.told.contains_key(fit.name()) => {
                    runs.start(&fit.request, workers);
                }
                _ => self.leave(fit),
            }
        }
    }

    /// Does without the process of a job that waits, or was to end.
    fn leave(&mut self, fit: &Fit) {
        self.absent.insert(fit.name().into());
        if matches!(fit.phase, Phase::Pausing { .. } | Phase::Cancelling { .. }) {
            self.told.insert(fit.name().into(), gone(fit.name()));
        }
    }

    /// Waits until every job that runs or is to end has told what comes of it.
    fn gather<K: Keep>(
        &mut self,
        pool: &Pool,
        runs: &mut impl Runs,
        keep: &mut K,
    ) -> Result<Gathered, K::Error> {
        let event = |what| Ok(Gathered::Event(Event { at: pool.now(), what }));
        while pool.fits().iter().any(|fit| fit.is_awaited() && !self.told.contains_key(fit.name())) {
            let Told { what, .. } = runs.next(None);
            match &what {
                What::Interrupted => return Ok(Gathered::Interrupted),
                What::Submitted(_) | What::Cancelled { .. } => return event(what),
                What::Time | What::Silent { .. } | What::Reopened => {}
                What::Lost { job } => {
                    let Some(fit) = pool.fit(job) else { continue };
                    match fit.phase {
                        Phase::Running { .. } if !self.told.contains_key(job) => return event(what),
                        // What it told stands, and it is started when it goes on.
                        _ => self.leave(fit),
                    }
                }
                What::Boundary(Boundary { job, epoch, .. }) => {
                    let Some(fit) = pool.fit(job) else { continue };
                    match fit.phase {
                        // It is only on its way to where the pool knows it.
                        Phase::Running { workers } if *epoch <= fit.epoch => runs.go_on(job, workers),
                        Phase::Running { .. } => self.keep(what, keep)?,
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
        let job = what.job().unwrap_or_default().to_owned();
        self.told.insert(job, what);
        Ok(())
    }

    /// What happens first, of what jobs have told and what the pool is to be woken for. Of equal times the job that was submitted
    /// first comes first, and then the time itself.
    fn first(&mut self, pool: &Pool) -> Option<Event> {
        let mut first: Option<(f64, &Fit)> = None;
        for fit in pool.fits() {
            let Some(what) = self.told.get(fit.name()) else { continue };
            let at = end(pool, fit, what);
            if first.is_none_or(|(before, _)| at < before) {
                first = Some((at, fit));
            }
        }
        let wakes = pool.wakes();
        match first {
            Some((at, fit)) if wakes.is_none_or(|wakes| at <= wakes) => {
                let what = self.told.remove(fit.name())?;
                Some(Event { at, what: timed(what, fit, at) })
            }
            _ => wakes.map(|at| Event { at, what: What::Time }),
        }
    }

    /// Does what follows from an event.
    fn follow(&mut self, pool: &Pool, runs: &mut impl Runs, event: &Event, actions: &[Action]) {
        if let What::Lost { job } = &event.what
            && let Some(fit) = pool.fit(job)
            && let Phase::Running { workers } = fit.phase
        {
            runs.start(&fit.request, workers);
        }
        for action in actions {
            match action {
                Action::GoOn { job, workers } if self.absent.remove(job) => {
                    act(runs, pool, &Action::Start { job: job.clone(), workers: *workers });
                }
                Action::Pause { job } | Action::Cancel { job } if self.absent.contains(job) => {
                    self.told.insert(job.clone(), gone(job));
                }
                // It ended meanwhile.
                Action::Cancel { job } if matches!(self.told.get(job), Some(What::Ended { .. })) => {}
                Action::Cancel { job } => {
                    // Its end is what comes now.
                    self.told.remove(job);
                    act(runs, pool, action);
                }
                _ => act(runs, pool, action),
            }
        }
        if let What::Ended { job, .. } = &event.what {
            self.absent.remove(job);
        }
    }

    /// Lets every process write a checkpoint and end. The pool itself stays as it is, and goes on from there.
    fn interrupt(&mut self, pool: &Pool, runs: &mut impl Runs) -> Carried {
        let has_ended = |name: &str| matches!(self.told.get(name), Some(What::Ended { .. }));
        let mut alive: BTreeSet<&str> = pool
            .fits()
            .iter()
            .filter(|fit| fit.is_alive() && !self.absent.contains(fit.name()) && !has_ended(fit.name()))
            .map(Fit::name)
            .collect();
        for name in &alive {
            let waits = pool.fit(name).is_some_and(|fit| fit.phase == Phase::Held);
            if waits || self.told.contains_key(*name) {
                runs.pause(name);
            }
        }
        while !alive.is_empty() {
            match runs.next(None).what {
                What::Boundary(Boundary { job, .. }) => runs.pause(&job),
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
        What::Boundary(Boundary { cost, .. }) | What::Ended { cost, .. } => cost.max(0.0),
        _ => 0.0,
    };
    match (fit.phase.clone(), pool.settings().clock) {
        (Phase::Running { workers }, Clock::Counted { seconds_per_cost }) => {
            (fit.since + cost / f64::from(workers) * seconds_per_cost).max(pool.now())
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
