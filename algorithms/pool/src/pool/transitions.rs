//! Transitions of jobs: what an event changes in the state of a [`Pool`].

use super::event::{Action, Boundary};
use super::fit::{End, Fit, Phase};
use super::request::Request;
use super::state::Pool;
use crate::policy::JobId;

/// Weight of the last epoch in the serial share of a program.
const LEARNT: f64 = 0.2;

/// Exit status of an interrupted run, which has a checkpoint.
const INTERRUPTED: i32 = 130;

impl Pool {
    pub(super) fn submit(&mut self, request: &Request) {
        if !self.by_name.contains_key(&request.name) {
            self.by_name.insert(request.name.clone(), self.fits.len());
            // A job arrives no earlier than its submission, and its deadline counts from its arrival.
            self.fits.push(Fit::new(Request { at: request.at.max(self.now), ..request.clone() }));
        }
    }

    /// Action that pauses a job again: it was asked to pause, and reports another boundary because its
    /// process was lost and started again since then.
    pub(super) fn pause_again(&self, boundary: &Boundary) -> Option<Action> {
        let fit = self.fit(&boundary.job)?;
        let is_told = matches!(fit.phase, Phase::Pausing { .. }) && !boundary.is_last;
        is_told.then(|| Action::Pause { job: boundary.job.clone() })
    }

    /// Moves a job to a boundary, and returns its position if it was running, or if its process was lost
    /// before its end and is back.
    pub(super) fn boundary(&mut self, boundary: &Boundary) -> Option<usize> {
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

    pub(super) fn ended(&mut self, job: &str, status: i32, said: &str) {
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
    pub(super) fn lost(&mut self, job: &str) -> bool {
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

    pub(super) fn cancel(&mut self, job: &str) -> Option<Action> {
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
    pub(super) fn reopen(&mut self) {
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

    pub(super) fn over(&mut self, at: usize, end: End) {
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
    pub(super) fn release(&mut self) {
        while let Some((at, admitted)) = (0..self.fits.len()).find_map(|at| Some((at, self.admits(at)?))) {
            match admitted {
                Ok(()) => {
                    let fit = &mut self.fits[at];
                    fit.id = Some(JobId(self.by_id.len() as u32));
                    fit.arrived = Some(self.now);
                    (fit.phase, fit.since) = (Phase::Queued, self.now);
                    self.by_id.push(at);
                }
                Err(why) => self.over(at, End::Failed { why }),
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

    /// Pauses the jobs that wait; running jobs follow at their boundaries. A job that cannot be paused is
    /// ended, and starts from the beginning when the pool is resumed.
    pub(super) fn stop(&mut self) -> Vec<Action> {
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
