//! Cancelled epochs: boundaries are kept if that costs little, and the run ends in the state of the last one
//! kept.

use super::{GenerationExit, Hub, Progress, Stage};
use crate::base::cancel;
use crate::base::panic_context::PanicContext;
use crate::base::state::{Learned, Reader, StateError};
use crate::program::Program;
use crate::run::message::Message;
use crate::run::place::Outbox;
use crate::run::saved_state::pinned_state;
use crate::schedule::EpochStart;

/// A boundary that is kept, in the state after its conclusion.
pub(super) struct Kept {
    /// Learned state of the pinned block, as bytes, and the whole schedule.
    pinned: Vec<u8>,
    schedule: Vec<u8>,
    progress: Progress,
    start: EpochStart,
    block_at: Vec<u32>,
}

impl<P: Program> Hub<P> {
    /// Keeps the current boundary, if an epoch may be cancelled and keeping it is worth the time.
    pub(super) fn keep(&mut self, start: &EpochStart, out: &mut Outbox<P>) {
        let is_first = self.kept.is_none();
        if !self.settings.keeps_boundaries() || !self.settings.cancellation.is_worth_keeping(is_first) {
            return;
        }
        let epoch = start.epoch;
        // The commits of this boundary belong to it.
        self.send_to_all(out, |changes| Message::Keep { changes, epoch });
        self.kept = None;
        let kept = self.settings.cancellation.keep(|| {
            PanicContext::verb("save of the schedule").epoch(epoch).enter();
            Kept {
                schedule: self.state.schedule_bytes(),
                pinned: pinned_state(&*self.program, &self.state.pinned),
                progress: self.state.progress.clone(),
                start: start.clone(),
                block_at: self.ended.block_at.clone(),
            }
        });
        self.kept = Some(kept);
    }

    /// Ends the run within an epoch, of which nothing is kept.
    pub(crate) fn cancel(&mut self, out: &mut Outbox<P>) -> Result<(), String> {
        if self.ended.exit.is_some() {
            return Ok(());
        }
        let (kept, ending) = (self.kept.take(), self.settings.cancelled_ending());
        let epoch = kept.as_ref().map(|kept| kept.start.epoch);
        out.extend((0..self.workers as u32).map(|worker| (worker, Message::Cancel { kept: epoch })));
        self.stage = Stage::Over;
        self.flights.clear();
        match kept {
            None => self.ended.exit = Some(GenerationExit::BeforeBoundary(ending)),
            Some(kept) => {
                let broken = |why| format!("a boundary that was kept cannot be read: {why}");
                cancel::shielded(|| self.go_back_to(kept)).map_err(broken)?;
                self.ended.exit = Some(GenerationExit::Finished(ending));
            }
        }
        Ok(())
    }

    fn go_back_to(&mut self, kept: Kept) -> Result<(), StateError> {
        let Kept { pinned, schedule, progress, start, block_at } = kept;
        let epoch = start.epoch;
        PanicContext::verb("load_pinned").epoch(epoch).enter();
        self.program.load_pinned(&mut self.state.pinned, &mut Learned::of(&pinned))?;
        PanicContext::verb("load of the schedule").epoch(epoch).enter();
        self.state.schedule.load(&mut Reader::new(&schedule))?;
        self.ended.verdict = Some((start.metric.clone(), start.objective));
        self.ended.block_at = block_at;
        // Later boundaries were shown, but the run does not end at them.
        self.ended.records.retain(|record| record.epoch <= epoch);
        self.ended.fingerprints.retain(|boundary| boundary.epoch <= epoch);
        self.state.unconcluded = None;
        self.state.progress = Progress { start: Some(start), ..progress };
        Ok(())
    }
}
