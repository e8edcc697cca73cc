//! [`Pool`]: the state of a pool, and its transitions.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::event::{Action, Boundary, Event, EventKind};
use super::fit::{End, Fit, Phase};
use super::request::Request;
use super::settings::Settings;
use super::share::share_out;
use crate::policy::names::Unknown;
use crate::policy::{Allocation, Cluster, Job, JobId, Policy, Promise, Unfit, promisable};

/// Weight of the last epoch in the serial share of a program.
const LEARNT: f64 = 0.2;

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
    settings: Settings,
    cluster: Cluster,
    policy: Box<dyn Policy>,
    fits: Vec<Fit>,
    by_name: BTreeMap<String, usize>,
    /// Positions in `fits` by the number that policies use for a job.
    by_id: Vec<usize>,
    now: f64,
    is_stopping: bool,
    changes: Vec<Change>,
    /// Serial shares of programs, learnt from jobs with several numbers of workers.
    serial: BTreeMap<Arc<str>, f64>,
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

    fn submit(&mut self, request: &Request) {
        if !self.by_name.contains_key(&request.name) {
            self.by_name.insert(request.name.clone(), self.fits.len());
            // A job arrives no earlier than its submission, and its deadline counts from its arrival.
            self.fits.push(Fit::new(Request { at: request.at.max(self.now), ..request.clone() }));
        }
    }

    /// Action that pauses a job again: it was asked to pause, and reports another boundary because its
    /// process was lost and started again since then.
    fn pause_again(&self, boundary: &Boundary) -> Option<Action> {
        let fit = self.fit(&boundary.job)?;
        let is_told = matches!(fit.phase, Phase::Pausing { .. }) && !boundary.is_last;
        is_told.then(|| Action::Pause { job: boundary.job.clone() })
    }

    /// Moves a job to a boundary, and returns its position if it was running, or if its process was lost
    /// before its end and is back.
    fn boundary(&mut self, boundary: &Boundary) -> Option<usize> {
        let at = *self.by_name.get(&boundary.job)?;
        let fit = &mut self.fits[at];
        let workers = match fit.phase {
            Phase::Running { workers } => workers,
            Phase::Ending if !boundary.is_last => fit.last,
            _ => return None,
        };
        fit.learn(boundary, workers);
        let before = self.serial.get(&fit.program).copied().unwrap_or(fit.serial);
        if let Some(law) = fit.speeds.fitted(before).filter(|_| fit.speeds.has_shape()) {
            self.serial.insert(fit.program.clone(), before + LEARNT * (law.share() - before));
        }
        let phase = if boundary.is_last { Phase::Ending } else { Phase::Held };
        (fit.phase, fit.since) = (phase, self.now);
        Some(at)
    }

    fn ended(&mut self, job: &str, status: i32, said: &str) {
        let Some(&at) = self.by_name.get(job) else { return };
        let fit = &self.fits[at];
        if !fit.is_alive() {
            return;
        }
        let is_pausing = matches!(fit.phase, Phase::Pausing { .. });
        match (status, &fit.phase) {
            (_, Phase::Cancelling { .. }) => self.over(at, End::Cancelled),
            (0 | 3, _) => self.over(at, End::Done { status }),
            (INTERRUPTED, _) if is_pausing || self.is_stopping => self.queue(at),
            // The job was interrupted from outside, or a job that cannot be paused did not end as it should.
            (INTERRUPTED, _) => {
                self.lost(job);
            }
            _ if is_pausing && !fit.request.elastic => self.queue(at),
            _ => {
                let said = if said.is_empty() { String::new() } else { format!(": {said}") };
                self.over(at, End::Failed { why: format!("exit status {status}{said}") });
            }
        }
    }

    /// Queues a job whose process is lost, to be started again. Returns `false` if that changes nothing.
    fn lost(&mut self, job: &str) -> bool {
        let Some(&at) = self.by_name.get(job) else { return false };
        let is_counted = self.settings.is_counted();
        let fit = &mut self.fits[at];
        match fit.phase {
            Phase::Waiting | Phase::Queued | Phase::Over(_) => return false,
            Phase::Cancelling { .. } => self.over(at, End::Cancelled),
            Phase::Pausing { .. } => self.queue(at),
            Phase::Running { .. } | Phase::Held | Phase::Ending => {
                if fit.is_lost_for_good() {
                    let why =
                        "its process was lost 3 times without completing an epoch in between: see its log";
                    self.over(at, End::Failed { why: why.into() });
                } else if is_counted {
                    // Losses take no counted cost: the driver starts the process again.
                    return false;
                } else {
                    self.queue(at);
                }
            }
        }
        true
    }

    fn cancel(&mut self, job: &str) -> Option<Action> {
        let &at = self.by_name.get(job)?;
        let fit = &mut self.fits[at];
        match fit.phase {
            Phase::Over(_) | Phase::Cancelling { .. } => None,
            Phase::Waiting | Phase::Queued => {
                self.over(at, End::Cancelled);
                None
            }
            Phase::Running { .. } | Phase::Held | Phase::Ending | Phase::Pausing { .. } => {
                let workers = fit.workers();
                (fit.phase, fit.since) = (Phase::Cancelling { workers }, self.now);
                Some(Action::Cancel { job: job.into() })
            }
        }
    }

    /// Queues all jobs that had a process: none is alive after the pool was opened again.
    fn reopen(&mut self) {
        self.is_stopping = false;
        for at in 0..self.fits.len() {
            match self.fits[at].phase {
                Phase::Cancelling { .. } => self.over(at, End::Cancelled),
                Phase::Running { .. } | Phase::Held | Phase::Ending | Phase::Pausing { .. } => self.queue(at),
                Phase::Waiting | Phase::Queued | Phase::Over(_) => {}
            }
        }
    }

    fn queue(&mut self, at: usize) {
        let fit = &mut self.fits[at];
        (fit.phase, fit.since, fit.silent, fit.last) = (Phase::Queued, self.now, false, 0);
    }

    fn over(&mut self, at: usize, end: End) {
        let fit = &self.fits[at];
        let view = fit.id.map(|id| self.view(fit, id, true));
        let fit = &mut self.fits[at];
        let is_refused = matches!(end, End::Refused { .. });
        (fit.phase, fit.since, fit.silent, fit.share) = (Phase::Over(end), self.now, false, 0);
        fit.ended = Some(self.now);
        if let Some(view) = view.filter(|_| !is_refused) {
            self.policy.ended(&view);
        }
    }

    /// Releases jobs whose time of arrival has passed and that come after none but successful jobs. A job
    /// that comes after a failed one fails with it.
    fn release(&mut self) {
        loop {
            let next = (0..self.fits.len()).find_map(|at| Some((at, self.admits(at)?)));
            match next {
                Some((at, Ok(()))) => {
                    let fit = &mut self.fits[at];
                    fit.id = Some(JobId(self.by_id.len() as u32));
                    fit.arrived = Some(self.now);
                    (fit.phase, fit.since) = (Phase::Queued, self.now);
                    self.by_id.push(at);
                }
                Some((at, Err(why))) => self.over(at, End::Failed { why }),
                None => break,
            }
        }
    }

    /// Returns whether a waiting job is released now or fails; `None` as long as it has to wait.
    fn admits(&self, at: usize) -> Option<Result<(), String>> {
        let fit = &self.fits[at];
        if fit.phase != Phase::Waiting {
            return None;
        }
        let mut is_free = fit.request.at <= self.now;
        for name in &fit.request.after {
            match self.fit(name).map(|before| &before.phase) {
                Some(Phase::Over(End::Done { .. })) => {}
                Some(Phase::Over(_)) => {
                    return Some(Err(format!("it comes after {name}, which did not succeed")));
                }
                Some(_) => is_free = false,
                None => return Some(Err(format!("it comes after {name}, which does not exist"))),
            }
        }
        is_free.then_some(Ok(()))
    }

    /// A job as policies see it. A profile of its own says more of its speed-up than other jobs do.
    fn view(&self, fit: &Fit, id: JobId, is_deciding: bool) -> Job {
        let learnt = self.serial.get(&fit.program).filter(|_| fit.request.profile.is_none());
        fit.view(id, is_deciding, learnt.copied().unwrap_or(fit.serial))
    }

    /// Asks the policy for the shares of all jobs.
    fn decide(&mut self, decider: Option<usize>) {
        let here = self.by_id.iter().enumerate().filter(|(_, at)| !self.fits[**at].is_over());
        let views: Vec<Job> =
            here.map(|(id, &at)| self.view(&self.fits[at], JobId(id as u32), decider == Some(at))).collect();
        if views.is_empty() {
            return;
        }
        let Allocation { placements, promises, .. } = self.policy.decide(self.now, &self.cluster, &views);
        // A policy cannot grant more workers than there are.
        let mut free = self.settings.workers;
        for view in &views {
            let fit = &mut self.fits[self.by_id[view.id.0 as usize]];
            let share = placements.get(&view.id).map_or(0, |placement| placement.workers());
            fit.share = share.min(fit.most()).min(free);
            free -= fit.share;
        }
        for (id, promise) in promises {
            let Some(&at) = self.by_id.get(id.0 as usize) else { continue };
            if self.fits[at].promise.is_some() {
                continue;
            }
            self.fits[at].promise = Some(promise);
            if let Promise::Refused(earliest) = promise {
                let unfit = views.iter().find(|view| view.id == id);
                let unfit = unfit.and_then(|view| promisable(self.now, &self.cluster, view).err());
                self.over(at, End::Refused { why: refusal(self.now, earliest, unfit) });
            }
        }
    }

    /// Pauses the jobs that wait; running jobs follow at their boundaries. A job that cannot be paused is
    /// ended, and starts from the beginning when the pool is resumed.
    fn stop(&mut self) -> Vec<Action> {
        let mut actions = Vec::new();
        for fit in &mut self.fits {
            match fit.phase {
                Phase::Held => {
                    (fit.phase, fit.since) = (Phase::Pausing { workers: 0 }, self.now);
                    actions.push(Action::Pause { job: fit.name().into() });
                }
                Phase::Running { workers } if !fit.request.elastic => {
                    (fit.phase, fit.since) = (Phase::Pausing { workers }, self.now);
                    actions.push(Action::Cancel { job: fit.name().into() });
                }
                _ => {}
            }
        }
        actions
    }
}

/// Exit status of an interrupted run, which has a checkpoint.
const INTERRUPTED: i32 = 130;

/// Start of the first slot after a time, in seconds since the pool began.
fn next_slot(now: f64, slot: f64) -> f64 {
    let next = ((now / slot + 1e-9).floor() + 1.0) * slot;
    // The time may be so large that adding a slot does not change it.
    if next > now { next } else { now * (1.0 + f64::EPSILON) }
}

/// Message of a refusal.
fn refusal(now: f64, earliest: Option<f64>, unfit: Option<Unfit>) -> String {
    match (unfit, earliest) {
        (Some(unfit), _) => unfit.to_string(),
        (None, Some(end)) => format!(
            "the earliest end that could be promised is {:.1} s from its arrival: give it a later deadline",
            end - now
        ),
        (None, None) => {
            "no end within the planned hours is worth its price: give it a larger value or a later deadline"
                .into()
        }
    }
}
