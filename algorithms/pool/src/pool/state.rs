//! [`Pool`]: the state of a pool, which events move on.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::event::{Action, Event, EventKind};
use super::fit::{Fit, Phase};
use super::settings::Settings;
use super::share::share_out;
use crate::policy::names::Unknown;
use crate::policy::{Cluster, Policy};

/// A change of the workers of a job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// Time of the change.
    pub at: f64,
    /// Number of the job, in order of submission.
    pub job: usize,
    /// Number of workers after the change.
    pub workers: u32,
}

/// The state of a pool.
pub struct Pool {
    pub(super) settings: Settings,
    pub(super) cluster: Cluster,
    pub(super) policy: Box<dyn Policy>,
    pub(super) fits: Vec<Fit>,
    pub(super) by_name: BTreeMap<String, usize>,
    /// Positions in `fits` by the number that policies use for a job.
    pub(super) by_id: Vec<usize>,
    pub(super) now: f64,
    pub(super) is_stopping: bool,
    changes: Vec<Change>,
    /// Serial shares of programs, learnt from jobs with several numbers of workers.
    pub(super) serial: BTreeMap<Arc<str>, f64>,
}

impl Pool {
    /// A pool without jobs, at time 0.
    ///
    /// # Errors
    /// No policy has the name.
    pub fn new(settings: Settings) -> Result<Self, Unknown> {
        Ok(Self {
            cluster: settings.cluster(),
            policy: settings.policy.policy()?,
            settings,
            fits: Vec::new(),
            by_name: BTreeMap::new(),
            by_id: Vec::new(),
            now: 0.0,
            is_stopping: false,
            changes: Vec::new(),
            serial: BTreeMap::new(),
        })
    }

    /// Settings of the pool.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Jobs of the pool, in order of submission.
    pub fn fits(&self) -> &[Fit] {
        &self.fits
    }

    /// The job of this name.
    pub fn fit(&self, name: &str) -> Option<&Fit> {
        self.by_name.get(name).map(|&at| &self.fits[at])
    }

    /// Time of the last event, in seconds since the pool began.
    pub fn now(&self) -> f64 {
        self.now
    }

    /// Changes of workers, in order of time.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// `true` if the pool was interrupted and not opened again.
    pub fn is_stopping(&self) -> bool {
        self.is_stopping
    }

    /// `true` if no job has a process, and none is to get one.
    pub fn is_over(&self) -> bool {
        self.fits.iter().all(|fit| fit.is_over() || (self.is_stopping && !fit.is_alive()))
    }

    /// Time at which the pool wants to be woken, in seconds since it began: at the next arrival, or at the
    /// next decision of a policy that plans by slots.
    pub fn wakes(&self) -> Option<f64> {
        if self.is_stopping {
            return None;
        }
        let waits = |fit: &&Fit| fit.phase == Phase::Waiting && fit.request.at > self.now;
        let arrival = self.fits.iter().filter(waits).map(|fit| fit.request.at).min_by(f64::total_cmp);
        let is_there = self.fits.iter().any(|fit| fit.id.is_some() && !fit.is_over());
        let slot = self.policy.slot().filter(|_| is_there).map(|slot| next_slot(self.now, slot));
        arrival.into_iter().chain(slot).min_by(f64::total_cmp)
    }

    /// Expected end of a job with workers, if it is known what is left, in seconds since the pool began.
    pub fn expected(&self, fit: &Fit) -> Option<f64> {
        let view = self.view(fit, fit.id?, false);
        let rate = view.speed.rate(fit.workers(), 1);
        let end = fit.since + view.left.or(view.course)? / rate;
        (rate > 0.0).then_some(end.max(self.now))
    }

    /// `true` if a job has ended after the time that it was given, or is not expected to end by then.
    pub fn is_late(&self, fit: &Fit) -> bool {
        let end = fit.ended.or_else(|| self.expected(fit)).unwrap_or(self.now);
        fit.by().is_some_and(|by| end > by)
    }

    /// Applies an event, and returns the actions that follow. An event that is earlier than the one before
    /// counts as simultaneous.
    pub fn apply(&mut self, event: &Event) -> Vec<Action> {
        let before: Vec<u32> = self.fits.iter().map(Fit::workers).collect();
        self.pass(event);
        let actions = self.follow(&event.what);
        for (job, fit) in self.fits.iter().enumerate() {
            if fit.workers() != before.get(job).copied().unwrap_or(0) {
                self.changes.push(Change { at: self.now, job, workers: fit.workers() });
            }
        }
        actions
    }

    /// Advances the clock to an event, and counts the service until then.
    fn pass(&mut self, event: &Event) {
        let now = if event.at > self.now { event.at } else { self.now };
        // It is unknown when the processes of a killed pool ended.
        if event.what != EventKind::Reopened {
            for fit in &mut self.fits {
                fit.service += f64::from(fit.workers()) * (now - self.now);
            }
        }
        self.now = now;
    }

    fn follow(&mut self, what: &EventKind) -> Vec<Action> {
        let mut actions = Vec::new();
        let mut decider = None;
        match what {
            EventKind::Submitted(requests) => requests.iter().for_each(|request| self.submit(request)),
            EventKind::Boundary(boundary) => {
                actions.extend(self.pause_again(boundary));
                decider = self.boundary(boundary);
            }
            EventKind::Ended { job, status, said, .. } => self.ended(job, *status, said),
            EventKind::Lost { job } => {
                if !self.lost(job) {
                    return actions;
                }
            }
            EventKind::Silent { job } => {
                if let Some(fit) = self.by_name.get(job).map(|&at| &mut self.fits[at]) {
                    fit.silent = fit.is_alive();
                }
                return actions;
            }
            EventKind::Cancelled { job } => actions.extend(self.cancel(job)),
            EventKind::Time => {}
            EventKind::Interrupted => self.is_stopping = true,
            EventKind::Reopened => self.reopen(),
        }
        self.release();
        if self.is_stopping {
            actions.extend(self.stop());
        } else {
            self.decide(decider);
            actions.extend(share_out(&self.settings, self.now, &mut self.fits));
        }
        actions
    }
}

/// Start of the first slot after a time, in seconds since the pool began.
fn next_slot(now: f64, slot: f64) -> f64 {
    let next = ((now / slot + 1e-9).floor() + 1.0) * slot;
    // The time may be so large that adding a slot does not change it.
    if next > now { next } else { now * (1.0 + f64::EPSILON) }
}
