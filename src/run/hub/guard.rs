//! The guard: an epoch that worsens the objective is rolled back, and the parallelism is reduced.

use super::{Accepted, Hub};
use crate::base::panic_context::PanicContext;
use crate::base::state::{Reader, StateError, from_bytes, to_bytes};
use crate::program::Program;
use crate::run::message::Message;
use crate::run::place::Outbox;
use crate::schedule::EpochStart;

impl<P: Program> Hub<P> {
    /// Keeps a boundary that did not worsen the objective, if there is a guard and an objective to watch.
    pub(super) fn accept(&mut self, start: &EpochStart, out: &mut Outbox<P>) {
        let guarded = self.settings.guard && !self.program.is_monotone();
        let Some(objective) = start.objective.filter(|_| guarded) else { return };
        // The commits of this boundary belong to it.
        self.send_to_all(out, |changes| Message::SaveSnapshot { changes });
        // Pinned block and schedule are kept whole: nothing is made again when the guard rolls back.
        PanicContext::verb("save of the schedule").epoch(start.epoch).enter();
        let schedule = self.state.schedule_bytes();
        PanicContext::verb("save of the pinned block").epoch(start.epoch).enter();
        self.accepted = Some(Accepted {
            objective,
            pinned: to_bytes(&self.state.pinned),
            schedule,
            start: start.clone(),
            block_at: self.ended.block_at.clone(),
        });
    }

    /// Returns to the accepted boundary with less parallelism.
    pub(super) fn roll_back(&mut self, out: &mut Outbox<P>) -> Result<EpochStart, String> {
        let broken = |error: StateError| format!("the snapshot of a boundary cannot be read back: {error}");
        let Some(accepted) = &self.accepted else { return Err("there is no boundary to return to".into()) };
        let epoch = self.state.progress.epoch;
        PanicContext::verb("load of the pinned block").epoch(epoch).enter();
        self.state.pinned = from_bytes(&accepted.pinned).map_err(broken)?;
        PanicContext::verb("the schedule's load, reduce_parallelism or save").epoch(epoch).enter();
        self.state.schedule.load(&mut Reader::new(&accepted.schedule)).map_err(broken)?;
        self.ended.block_at.clone_from(&accepted.block_at);
        let start = EpochStart { epoch: self.state.progress.epoch, ..accepted.start.clone() };
        self.state.schedule.reduce_parallelism();
        // The next rollback starts from the shrunken schedule, not from the one that failed.
        let schedule = self.state.schedule_bytes();
        if let Some(accepted) = &mut self.accepted {
            accepted.schedule = schedule;
        }
        self.state.progress.staleness /= 2;
        self.state.progress.rollbacks_in_a_row += 1;
        self.state.progress.totals.rollbacks += 1;
        self.send_to_all(out, |_| Message::LoadSnapshot);
        Ok(start)
    }
}

/// `true` if an objective is worse than the accepted one by more than rounding; NaN is worse than any number.
pub(super) fn is_worse(objective: Option<f64>, accepted: f64) -> bool {
    let limit = accepted + 1e-9 * accepted.abs();
    objective.is_none_or(|objective| objective.is_nan() || objective > limit)
}
