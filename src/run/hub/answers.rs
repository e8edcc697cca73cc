//! Answers of places, and the steps of the hub that they allow.

use std::sync::Arc;
use std::time::Instant;

use super::gathering::merged;
use super::{Hub, Stage, TURN};
use crate::base::cancel::{self, Cancellable as _};
use crate::base::state::Shared;
use crate::program::Program;
use crate::program::context::Aggregate;
use crate::run::fingerprints::{Component, Fingerprints, fingerprint_of, unequal_replicas};
use crate::run::message::{Answer, Message};
use crate::run::place::Outbox;
use crate::run::places::Places;

impl<P: Program> Hub<P> {
    /// Receives an answer, and continues the run as far as that allows.
    pub(crate) fn receive(&mut self, message: Message<P>, out: &mut Outbox<P>) -> Result<(), String> {
        if self.ended.exit.is_some() {
            return Ok(());
        }
        let helpers = Arc::clone(&self.helpers);
        let taken = cancel::caught(|| helpers.during(|| self.take_in(message, out)));
        taken.unwrap_or_else(|| self.cancel(out))
    }

    /// Ends the run within the epoch, if the epoch is cancelled.
    pub(crate) fn look(&mut self, out: &mut Outbox<P>) -> Result<(), String> {
        if self.ended.exit.is_none() && self.settings.is_cancelled() { self.cancel(out) } else { Ok(()) }
    }

    fn take_in(&mut self, message: Message<P>, out: &mut Outbox<P>) -> Result<(), String> {
        match message {
            Message::Partials { round, answer } => {
                self.charge(&answer);
                let at = self.flights.iter().position(|flight| flight.number == round);
                let Some(at) = at.filter(|&at| self.flights[at].partials.waits()) else {
                    let is_late = self.verbs.enough.is_some() && round < self.issued;
                    return if is_late { Ok(()) } else { Err(unasked("the partials of a round", &answer)) };
                };
                self.flights[at].partials.put(answer.partials);
                self.end_if_enough(at)?;
                self.advance(out)
            }
            Message::PlanDone { answer } => {
                self.charge(&answer);
                let Stage::Known { last, partials } = &mut self.stage else {
                    return Err(unasked("the partials of a plan", &answer));
                };
                let Some(partials) = partials.add(answer.partials) else { return Ok(()) };
                if let Some(round) = last.take() {
                    let at = self.state.progress.panic_context("merge");
                    let partials = merged(self.merger.as_ref(), Some(&round.phase), partials, at);
                    at.then("aggregate").enter();
                    let pinned = &mut self.state.pinned;
                    let change = self.program.aggregate(Aggregate { round: &round, pinned, partials });
                    self.fingerprint_change(0, &change);
                    self.commit(Shared::new(change));
                }
                self.evaluate(out);
                Ok(())
            }
            Message::Pieces { answer } => self.take_pieces(answer, out),
            Message::Shares { answer, fingerprints: some } => {
                self.charge(&answer);
                let Stage::Evaluating { shares, fingerprints } = &mut self.stage else {
                    return Err(unasked("shares of a metric", &answer));
                };
                fingerprints.extend(some);
                let Some(shares) = shares.add(answer.partials) else { return Ok(()) };
                let fingerprints = std::mem::take(fingerprints);
                self.compare(&fingerprints)?;
                self.conclude(shares, fingerprints, out)
            }
            // The dataflow handles it before it comes here.
            Message::Here { .. } => Ok(()),
            _ => Err("the hub was sent an order, which is for places".into()),
        }
    }

    fn take_pieces(&mut self, answer: Answer<P>, out: &mut Outbox<P>) -> Result<(), String> {
        self.charge(&answer);
        let Stage::Relating { pieces, .. } = &mut self.stage else {
            return Err(unasked("pieces to relate", &answer));
        };
        let Some(pieces) = pieces.add(answer.partials) else { return Ok(()) };
        let Stage::Relating { candidates, .. } = std::mem::replace(&mut self.stage, Stage::Stepwise) else {
            return Ok(());
        };
        let next = self.relate(&candidates, pieces)?;
        self.take_step(next, out)?;
        self.advance(out)
    }

    /// Delivers messages to places on this thread and takes their answers, until nothing is left to do or
    /// other operators have their turn: they wait for no more than a task and a [`TURN`]. Returns `true` if
    /// there is more to do.
    pub(crate) fn run_local(&mut self, places: &mut Places<P>, out: &mut Outbox<P>) -> Result<bool, String> {
        let began = Instant::now();
        loop {
            self.look(out)?;
            for (to, message) in out.drain(..) {
                places.receive(to, message);
            }
            if began.elapsed() > TURN {
                return Ok(true);
            }
            if !places.run(out)? {
                return Ok(false);
            }
            for (_, message) in std::mem::take(out) {
                self.receive(message, out)?;
            }
        }
    }

    /// Keeps the fingerprint of a round's change, if all are kept.
    pub(super) fn fingerprint_change(&mut self, round: u64, change: &P::Change) {
        if self.settings.fingerprints == Fingerprints::All {
            self.changes.push((Component::Change(round), fingerprint_of(change)));
        }
    }

    /// Checks that the replicas of all workers are equal.
    fn compare(&self, fingerprints: &[(Component, u64)]) -> Result<(), String> {
        let Some((one, other)) = unequal_replicas(fingerprints) else { return Ok(()) };
        let epoch = self.state.progress.epoch;
        Err(format!(
            "the replicas of workers {one} and {other} differ at the end of epoch {epoch}: something changes \
             a replica outside `commit`, or `commit` does not do the same on every worker"
        ))
    }

    fn charge(&mut self, answer: &Answer<P>) {
        if let Some(load) = self.load.get_mut(answer.worker as usize) {
            *load += answer.busy;
        }
        if let Some(measured) = self.measured.get_mut(answer.worker as usize) {
            *measured += answer.measured;
        }
    }
}

/// Returns the error for an answer that no round waits for.
fn unasked<P: Program>(what: &str, answer: &Answer<P>) -> String {
    format!("worker {} answers with {what}, for which nobody waits", answer.worker)
}
