//! State of a place at a boundary: written to a checkpoint, fingerprinted, or kept for the guard.

use std::sync::Arc;

use super::Place;
use crate::base::panic_context::PanicContext;
use crate::base::state::{Learned, from_bytes, to_bytes};
use crate::program::{Boundary, Program};
use crate::run::fingerprints::{Component, Fingerprints, fingerprint, fingerprint_of};
use crate::run::message::Message;
use crate::run::saved_state::shard_state;

/// A boundary to which the guard may return.
pub(super) struct Snapshot<P: Program> {
    shards: Vec<(u32, Vec<u8>)>,
    blocks: Vec<(u32, Vec<u8>)>,
    replica: P::Replica,
}

impl<P: Program> Place<P> {
    /// Writes the state here to a checkpoint of the boundary, as it is before it is evaluated.
    pub(super) fn write(&self, at: &Boundary) -> Result<(), String> {
        let Some(checkpoints) = &self.options.checkpoints else { return Ok(()) };
        let shards = self.shards.iter().map(|(&number, shard)| (number, shard));
        let blocks = self.blocks.iter().filter(|&(&number, _)| !self.is_early(number));
        let blocks = blocks.map(|(&number, block)| (number, block));
        checkpoints.write_parts(at.epoch, &*self.program, shards, blocks)
    }

    /// Returns the learned state of each shard here.
    pub(super) fn shard_state(&self) -> Vec<(u32, Vec<u8>)> {
        let shards = self.shards.iter();
        shards.map(|(&number, shard)| (number, shard_state(&*self.program, number, shard))).collect()
    }

    /// Returns the fingerprints of all parts here, as far as they are kept.
    pub(super) fn fingerprint(&self) -> Vec<(Component, u64)> {
        let mut fingerprints = Vec::new();
        if self.options.fingerprints == Fingerprints::Off {
            return fingerprints;
        }
        PanicContext::verb("save of the replica").of("worker", self.worker).enter();
        fingerprints.push((Component::Replica(self.worker), fingerprint_of(&*self.replica.borrow())));
        if self.options.fingerprints == Fingerprints::All {
            fingerprints.extend(
                self.shard_state()
                    .iter()
                    .map(|(number, bytes)| (Component::Shard(*number), fingerprint(bytes))),
            );
            let here = self.blocks.iter().filter(|&(&number, _)| !self.is_early(number));
            fingerprints
                .extend(here.map(|(&number, block)| (Component::Block(number), fingerprint_of(block))));
        }
        fingerprints
    }

    /// Returns the current boundary: learned state, blocks and replica.
    fn snapshot(&self) -> Snapshot<P> {
        let blocks = self.blocks.iter().filter(|&(&number, _)| !self.is_early(number));
        Snapshot {
            shards: self.shard_state(),
            blocks: blocks.map(|(&number, block)| (number, to_bytes(block))).collect(),
            replica: self.replica.borrow().clone(),
        }
    }

    fn save_snapshot(&mut self) {
        self.snapshot = Some(self.snapshot());
    }

    fn load_snapshot(&mut self) -> Result<(), String> {
        let Some(snapshot) = self.snapshot.take() else { return Ok(()) };
        self.go_back_to(&snapshot)?;
        self.snapshot = Some(snapshot);
        Ok(())
    }

    /// Obeys an order to keep the current boundary, or to return to one.
    pub(super) fn obey(&mut self, order: Message<P>) -> Result<(), String> {
        match order {
            Message::SaveSnapshot { changes } => {
                self.commit(&changes);
                self.save_snapshot();
            }
            Message::LoadSnapshot => self.load_snapshot()?,
            Message::Keep { changes, epoch } => {
                self.commit(&changes);
                self.keep(epoch);
            }
            _ => {}
        }
        Ok(())
    }

    /// Keeps the boundary after this number of epochs, to return to if an epoch is cancelled.
    fn keep(&mut self, epoch: u64) {
        // The one before is dropped first: both may be large.
        self.kept = None;
        let cancellation = Arc::clone(&self.options.cancellation);
        self.kept = Some((epoch, cancellation.keep(|| self.snapshot())));
    }

    /// Drops all current work, and leaves with the state of the boundary that was kept, if one was.
    pub(super) fn cancel(&mut self, kept: Option<u64>) -> Result<(), String> {
        (self.step, self.plan, self.cancelled) = (None, None, None);
        (self.left, self.has_gone_back) = (true, true);
        // The boundary to return to may be the current one, with the order to keep it still unread. Other
        // orders are dropped.
        for order in std::mem::take(&mut self.inbox) {
            match order {
                Message::SaveSnapshot { .. } | Message::LoadSnapshot | Message::Keep { .. } => {
                    self.obey(order)?
                }
                _ => {}
            }
        }
        let Some(epoch) = kept else { return Ok(()) };
        let Some((_, snapshot)) = self.kept.take().filter(|(kept, _)| *kept == epoch) else {
            return Err(format!("worker {} has not kept the boundary after {epoch} epochs", self.worker));
        };
        // All that has arrived since belongs to the cancelled epoch.
        self.early.clear();
        self.go_back_to(&snapshot)
    }

    fn go_back_to(&mut self, snapshot: &Snapshot<P>) -> Result<(), String> {
        let broken = |error| format!("the snapshot of a boundary cannot be read back: {error}");
        for (number, bytes) in &snapshot.shards {
            if let Some(shard) = self.shards.get_mut(number) {
                PanicContext::verb("load_state").of("shard", *number).enter();
                self.program.load_state(shard, &mut Learned::of(bytes)).map_err(broken)?;
            }
        }
        // Blocks may have ended the epoch elsewhere: those that were here at the boundary are here again.
        let early = &self.early;
        self.blocks.retain(|number, _| early.iter().any(|(early, _)| early == number));
        for (number, bytes) in &snapshot.blocks {
            self.blocks.insert(*number, from_bytes(bytes).map_err(broken)?);
        }
        *self.replica.borrow_mut() = snapshot.replica.clone();
        Ok(())
    }
}
