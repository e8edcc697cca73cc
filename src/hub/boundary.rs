//! Boundaries: certifying, concluding, beginning the next epoch or ending the generation.

use std::sync::Arc;

use super::guard::is_worse;
use super::{Hub, IN_VAIN, Parting, Phase};
use crate::message::Message;
use crate::place::Outbox;
use crate::program::{Boundary, Certificate, Program, Verdict, Visibility};
use crate::record::{Ending, EpochRecord};
use crate::schedule::{Outlook, Plan};

impl<P: Program> Hub<P> {
    pub(super) fn certify(&mut self, out: &mut Outbox<P>) {
        for change in std::mem::take(&mut self.held) {
            self.commit(change);
        }
        for (worker, unsent) in self.unsent.iter_mut().enumerate() {
            out.push((worker as u32, Message::Boundary { changes: std::mem::take(unsent) }));
        }
        self.phase = Phase::Certifying { waiting: self.workers, shares: Vec::new() };
    }

    pub(super) fn conclude(
        &mut self,
        shares: Vec<(u32, P::Partial)>,
        out: &mut Outbox<P>,
    ) -> Result<(), String> {
        let first = self.verdict.is_none();
        if !first {
            self.state.progress.epoch += 1;
        }
        let epoch = self.state.progress.epoch;
        let boundary = Boundary { epoch, shards: self.placement.len() as u32 };
        let verdict = {
            let replica = self.replica.borrow();
            self.program.conclude(&boundary, &mut self.state.pinned, &replica, shares)
        };
        let Verdict { certificate, objective, weights, wanted, change } = verdict;
        let worse = self.accepted.as_ref().is_some_and(|accepted| is_worse(objective, accepted.objective));
        self.record(&certificate, objective, worse);
        let mut outlook = Outlook { epoch, certificate, objective, weights, wanted };
        if worse {
            outlook = self.roll_back(out)?;
        } else {
            self.state.progress.in_vain = 0;
            if let Some(change) = change {
                self.commit(Arc::new(change));
            }
        }
        self.verdict = Some((outlook.certificate.clone(), outlook.objective));
        match self.ending(&outlook) {
            Some(ending) => self.part(Parting::Over(ending), outlook, out),
            None if self.settings.cut_after(epoch, self.workers) && !first => {
                self.part(Parting::Cut, outlook, out)
            }
            None => {
                if !worse {
                    self.accept(&outlook, out);
                }
                self.begin_epoch(outlook, out)?;
            }
        }
        Ok(())
    }

    /// Why the run is over at this boundary, if it is.
    pub(super) fn ending(&self, outlook: &Outlook) -> Option<Ending> {
        let diverged = outlook.certificate.value.is_nan()
            || outlook.objective.is_some_and(|value| !value.is_finite())
            || self.state.progress.in_vain >= IN_VAIN;
        if outlook.certificate.reached {
            Some(Ending::Reached)
        } else if diverged {
            Some(Ending::Diverged)
        } else if outlook.certificate.stalled {
            Some(Ending::Stalled)
        } else {
            self.settings.limit_reached(self.state.progress.epoch)
        }
    }

    pub(super) fn begin_epoch(&mut self, outlook: Outlook, out: &mut Outbox<P>) -> Result<(), String> {
        (self.issued, self.aggregated, self.listed) = (0, 0, None);
        self.before = (self.state.progress.totals, self.state.schedule.counts());
        self.phase = Phase::Stepwise;
        match self.state.schedule.begin_epoch(&outlook) {
            Plan::Stepwise => {}
            Plan::Known(rounds) if self.program.visibility() == Visibility::EachRound => {
                self.listed = Some(rounds.into());
            }
            Plan::Known(rounds) => {
                for round in &rounds {
                    self.check(round)?;
                    self.count(round);
                    for task in &round.tasks {
                        if let Some(block) = task.block {
                            self.block_at[block as usize] = self.placement[task.shard as usize];
                        }
                    }
                }
                let rounds = Arc::new(rounds);
                for (worker, unsent) in self.unsent.iter_mut().enumerate() {
                    let (epoch, changes) = (outlook.epoch, std::mem::take(unsent));
                    out.push((worker as u32, Message::Plan { epoch, changes, rounds: Arc::clone(&rounds) }));
                }
                self.phase = Phase::Known { waiting: self.workers, partials: Vec::new() };
            }
        }
        self.advance(out)
    }

    pub(super) fn part(&mut self, parting: Parting, outlook: Outlook, out: &mut Outbox<P>) {
        for (worker, unsent) in self.unsent.iter_mut().enumerate() {
            out.push((worker as u32, Message::Leave { changes: std::mem::take(unsent) }));
        }
        self.state.progress.outlook = Some(outlook);
        self.parting = Some(parting);
        self.phase = Phase::Over;
    }

    pub(super) fn record(&mut self, certificate: &Certificate, objective: Option<f64>, rolled_back: bool) {
        let (totals, counts) = (self.state.progress.totals, self.state.schedule.counts());
        let (before, counted) = self.before;
        self.before = (totals, counts);
        let measured = std::mem::replace(&mut self.measured, vec![0.0; self.workers]);
        let record = EpochRecord {
            epoch: self.state.progress.epoch,
            data_version: 0,
            seconds: self.settings.elapsed(),
            measured: measured.into_iter().fold(0.0, f64::max),
            workers: self.workers,
            objective,
            certificate: certificate.value,
            updates: totals.updates - before.updates,
            rounds: totals.rounds - before.rounds,
            candidates: counts.candidates.saturating_sub(counted.candidates),
            rejected: counts.rejected.saturating_sub(counted.rejected),
            rolled_back,
            load: std::mem::replace(&mut self.load, vec![0.0; self.workers]),
            log: self.state.schedule.take_log(),
        };
        (self.watcher)(&record);
        self.records.push(record);
    }
}
