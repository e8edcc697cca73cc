//! Boundaries: evaluating, concluding, starting the next epoch or ending the generation.

use super::check::check_no_lag;
use super::gathering::{Gathering, merged};
use super::guard::is_worse;
use super::{GenerationExit, Hub, MOST_ROLLBACKS, Progress, Stage, Unconcluded};
use crate::base::panic_context::PanicContext;
use crate::base::state::Shared;
use crate::program::context::Conclude;
use crate::program::partials::Partials;
use crate::program::verdict::{Metric, Status, Verdict};
use crate::program::{Program, Visibility};
use crate::run::fingerprints::{BoundaryFingerprint, Component, Fingerprints, fingerprint, fingerprint_of};
use crate::run::message::Message;
use crate::run::place::Outbox;
use crate::run::record::{Ending, EpochRecord, Limit};
use crate::run::saved_state::pinned_state;
use crate::schedule::{EpochStart, Plan};

impl<P: Program> Hub<P> {
    pub(super) fn evaluate(&mut self, out: &mut Outbox<P>) {
        for change in std::mem::take(&mut self.held) {
            self.commit(change);
        }
        // Kept as it is before it is concluded where a checkpoint of it may be written: a resumed run
        // concludes it under its own target.
        let at = self.boundary();
        self.checkpoint = self.settings.may_checkpoint(at.epoch);
        let checkpoint = self.checkpoint;
        self.send_to_all(out, |changes| Message::Boundary { changes, at, checkpoint });
        self.stage = Stage::Evaluating { shares: Gathering::of(self.workers), fingerprints: Vec::new() };
    }

    pub(super) fn conclude(
        &mut self,
        partials: Partials<P::Partial>,
        fingerprints: Vec<(Component, u64)>,
        out: &mut Outbox<P>,
    ) -> Result<(), String> {
        let first = self.ended.verdict.is_none();
        let boundary = self.boundary();
        let epoch = boundary.epoch;
        self.state.progress.epoch = epoch;
        let pinned = self.checkpoint.then(|| pinned_state(&*self.program, &self.state.pinned));
        let at = PanicContext::verb("merge").epoch(epoch);
        let partials = merged(self.merger.as_ref(), None, partials, at);
        at.then("conclude").enter();
        let verdict = {
            let (pinned, replica) = (&mut self.state.pinned, self.replica.borrow());
            self.program.conclude(Conclude { boundary, pinned, replica: &replica, partials })
        };
        self.keep_fingerprint(fingerprints, &verdict);
        let (record, start, worse) = self.judge(verdict, pinned, out)?;
        self.ended.verdict = Some((start.metric.clone(), start.objective));
        match self.show(record, &start) {
            Some(ending) => self.part(GenerationExit::Finished(ending), start, out),
            None if self.settings.ends_after(epoch, self.asked, first) => {
                self.part(GenerationExit::Reconfigure, start, out)
            }
            None => {
                // No checkpoint is written after all.
                if let Some(change) = self.state.unconcluded.take().and_then(|before| before.change) {
                    self.commit(Shared::new(change));
                }
                if !worse {
                    self.accept(&start, out);
                }
                self.begin_epoch(start, out)?;
            }
        }
        Ok(())
    }

    /// Processes a verdict: returns the start of the next epoch, and `true` if the guard has rolled back.
    fn judge(
        &mut self,
        verdict: Verdict<P::Change>,
        pinned: Option<Vec<u8>>,
        out: &mut Outbox<P>,
    ) -> Result<(EpochRecord, EpochStart, bool), String> {
        let epoch = self.state.progress.epoch;
        let Verdict {
            mut metric,
            measured,
            status,
            position,
            objective,
            weights,
            batch_hint,
            change,
            shown,
            note,
        } = verdict;
        self.check_given("the verdict's weights name", &weights)?;
        let last = self.state.progress.last;
        if measured {
            self.state.progress.last = Some(metric.value);
        } else {
            metric.value = last.unwrap_or(f64::NAN);
        }
        let worse = self.accepted.as_ref().is_some_and(|accepted| is_worse(objective, accepted.objective));
        let mut record = self.record(Some(&metric).filter(|_| measured).cloned(), objective, worse);
        (record.shown, record.note, record.position) = (shown, note, position);
        let mut start = EpochStart { epoch, metric, objective, weights, batch_hint };
        self.state.progress.status = if worse {
            start = self.roll_back(out)?;
            self.state.progress.last = last;
            Status::Continue
        } else {
            self.state.progress.rollbacks_in_a_row = 0;
            match pinned {
                // It is committed when the checkpoint is written.
                Some(pinned) => {
                    // The last measurement before it counts, should nothing be measured when it is concluded
                    // anew.
                    self.state.unconcluded = Some(Unconcluded { pinned, change, last });
                }
                None => change.into_iter().for_each(|change| self.commit(Shared::new(change))),
            }
            let is_lost = measured && !start.metric.value.is_finite();
            if is_lost { Status::Diverged } else { status }
        };
        Ok((record, start, worse))
    }

    /// Keeps the boundary's fingerprint, if all are kept.
    fn keep_fingerprint(&mut self, mut fingerprints: Vec<(Component, u64)>, verdict: &Verdict<P::Change>) {
        if self.settings.fingerprints != Fingerprints::All {
            return;
        }
        // Equal on all workers: that of the first stands for all.
        fingerprints.retain(|(part, _)| !matches!(part, Component::Replica(1..)));
        fingerprints
            .push((Component::Pinned, fingerprint(&pinned_state(&*self.program, &self.state.pinned))));
        let concluded =
            (verdict.metric.value, verdict.objective, verdict.change.as_ref().map(fingerprint_of));
        fingerprints.push((Component::Conclusion, fingerprint_of(&concluded)));
        fingerprints.sort_unstable();
        let mut parts = std::mem::take(&mut self.changes);
        parts.append(&mut fingerprints);
        self.ended.fingerprints.push(BoundaryFingerprint { epoch: self.state.progress.epoch, parts });
    }

    /// Returns the reason that the run is over at this boundary, if it is.
    pub(super) fn ending(&self, start: &EpochStart) -> Option<Ending> {
        let Progress { status, rollbacks_in_a_row, epoch, .. } = self.state.progress;
        let objective_is_lost = start.objective.is_some_and(|value| !value.is_finite());
        match status {
            Status::Diverged => Some(Ending::Diverged),
            _ if start.metric.is_reached() => Some(Ending::Target),
            _ if objective_is_lost || rollbacks_in_a_row >= MOST_ROLLBACKS => Some(Ending::Diverged),
            Status::Completed if start.metric.is_missed() => Some(Ending::Limit(Limit::Epochs)),
            Status::Converged | Status::Completed => Some(Ending::Converged),
            Status::Continue => self.settings.limit_reached(epoch),
        }
    }

    /// Shows the boundary's record, on which an observer may ask the run to stop, and returns the ending of
    /// the run, if it ends.
    fn show(&mut self, mut record: EpochRecord, start: &EpochStart) -> Option<Ending> {
        record.ending = self.ending(start);
        if record.ending.is_none() {
            PanicContext::verb("the schedule's wanted").epoch(record.epoch).enter();
            record.wanted = self.state.schedule.wanted(start);
        }
        PanicContext::verb("the observer").epoch(record.epoch).enter();
        (self.watcher)(&record, &self.replica.borrow());
        record.ending = record.ending.or_else(|| self.ending(start));
        let ending = record.ending;
        self.ended.records.push(record);
        ending
    }

    pub(super) fn begin_epoch(&mut self, start: EpochStart, out: &mut Outbox<P>) -> Result<(), String> {
        self.keep(&start, out);
        self.settings.cancellation.begin_epoch(start.epoch);
        (self.issued, self.listed) = (0, None);
        self.state.progress.before = (self.state.progress.totals, self.state.schedule.counts());
        self.stage = Stage::Stepwise;
        PanicContext::verb("the schedule's begin_epoch").epoch(start.epoch).enter();
        match self.state.schedule.begin_epoch(&start) {
            Plan::Stepwise => {}
            Plan::Known(rounds) if self.program.visibility() == Visibility::EachRound => {
                self.listed = Some(rounds.into());
            }
            Plan::Known(mut rounds) => {
                for (number, round) in rounds.iter_mut().enumerate() {
                    self.check(round)?;
                    check_no_lag(round, number)?;
                    self.prepare(round);
                    self.count(round);
                    for task in &round.tasks {
                        if let Some(block) = task.block {
                            self.ended.block_at[block as usize] = self.placement[task.shard as usize];
                        }
                    }
                }
                self.check_folds(&rounds)?;
                let (last, rounds) = (rounds.last().cloned(), Shared::new(rounds));
                let epoch = start.epoch;
                self.send_to_all(out, |changes| Message::Plan { epoch, changes, rounds: rounds.clone() });
                self.stage = Stage::Known { last, partials: Gathering::of(self.workers) };
            }
        }
        self.advance(out)
    }

    pub(super) fn part(&mut self, exit: GenerationExit, start: EpochStart, out: &mut Outbox<P>) {
        self.send_to_all(out, |changes| Message::Leave { changes });
        self.state.progress.start = Some(start);
        self.ended.exit = Some(exit);
        self.stage = Stage::Over;
    }

    /// Makes the record of the epoch: its counts and measures.
    fn record(&mut self, metric: Option<Metric>, objective: Option<f64>, rolled_back: bool) -> EpochRecord {
        let (totals, counts) = (self.state.progress.totals, self.state.schedule.counts());
        let (before, counted) = self.state.progress.before;
        let measured = std::mem::replace(&mut self.measured, vec![0.0; self.workers]);
        EpochRecord {
            epoch: self.state.progress.epoch,
            seconds: self.settings.elapsed(),
            measured: measured.into_iter().fold(0.0, f64::max),
            workers: self.workers,
            objective,
            metric,
            updates: totals.updates - before.updates,
            rounds: totals.rounds - before.rounds,
            candidates: counts.candidates.saturating_sub(counted.candidates),
            rejected: counts.rejected.saturating_sub(counted.rejected),
            rolled_back,
            load: std::mem::replace(&mut self.load, vec![0.0; self.workers]),
            cost: self.take_cost(),
            log: self.state.schedule.take_log(),
            ..EpochRecord::default()
        }
    }
}
