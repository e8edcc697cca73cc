//! Slots of a generation: state that waits for its worker while no computation runs, or that its worker has
//! put back.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use super::Generation;
use crate::base::sync::lock;
use crate::program::Program;
use crate::run::fingerprints::Fingerprints;
use crate::run::hub::{GenerationTotals, Hub};
use crate::run::local_state::{GenerationResult, LocalState};
use crate::run::place::{Place, PlaceOptions};
use crate::run::places::Places;
use crate::run::record::EpochRecord;
use crate::run::settings::Settings;
use crate::run::traffic::Traffic;

impl<P: Program> Generation<P> {
    /// Takes the state of a thread's workers out of the slots.
    pub(crate) fn take_workers(&self, thread: u32) -> Places<P> {
        let mut slots = lock(&self.slots);
        slots.began.get_or_insert_with(Instant::now);
        let workers =
            (0..self.layout.workers as u32).filter(|&w| self.layout.thread_of[w as usize] == thread);
        let workers: Vec<u32> = workers.collect();
        let Settings { reversed, fingerprints, merging, .. } = *self.settings;
        // One replica alone has nothing to differ from.
        let fingerprints = if fingerprints == Fingerprints::Replicas && self.layout.workers == 1 {
            Fingerprints::Off
        } else {
            fingerprints
        };
        let checkpoints = self.settings.checkpoints.as_ref().map(|(_, checkpoints)| Arc::clone(checkpoints));
        let cancellation = Arc::clone(&self.settings.cancellation);
        let options = PlaceOptions { reversed, fingerprints, merging, checkpoints, cancellation };
        let place = |&worker: &u32| {
            let shards = take_placed(&mut slots.local.shards, &self.layout.shard_at, worker);
            let blocks = take_placed(&mut slots.local.blocks, &self.layout.block_at, worker);
            let (program, placement) = (Arc::clone(&self.program), Arc::clone(&self.layout.shard_at));
            let replica = slots.local.replica.clone();
            let mut place = Place::new(program, worker, options.clone(), placement, shards, blocks, replica);
            place.slowdown.clone_from(&self.settings.slowdown);
            place.process.clone_from(&self.merger);
            place
        };
        Places::new(workers.first().copied().unwrap_or(0), workers.iter().map(place).collect(), reversed)
    }

    /// Makes the hub, for the first worker.
    pub(crate) fn hub(self: &Arc<Self>, place: &Place<P>) -> Option<Hub<P>> {
        let state = lock(&self.slots).hub.take()?;
        let replica = std::rc::Rc::clone(&place.replica);
        let (program, settings) = (Arc::clone(&self.program), Arc::clone(&self.settings));
        let generation = Arc::clone(self);
        let watcher =
            Box::new(move |record: &EpochRecord, replica: &P::Replica| generation.observe(record, replica));
        Some(Hub::new(program, settings, state, &self.layout, replica, Arc::clone(&self.helpers), watcher))
    }

    /// Puts the state of a thread's workers back.
    pub(crate) fn leave(&self, places: &mut Places<P>) {
        let mut slots = lock(&self.slots);
        let first = self.layout.first_here();
        for (worker, place) in places.iter_mut() {
            for (number, shard) in std::mem::take(&mut place.shards) {
                slots.local.shards[number as usize] = Some(shard);
            }
            for (number, block) in std::mem::take(&mut place.blocks) {
                slots.local.blocks[number as usize] = Some(block);
            }
            // The replicas are equal: one worker's copy is kept for the whole process.
            if worker == first {
                slots.local.replica = place.replica.borrow().clone();
            }
        }
    }

    /// Puts the hub's state back.
    pub(crate) fn leave_hub(&self, hub: Hub<P>) {
        let mut slots = lock(&self.slots);
        let traffic = slots.ended.traffic;
        slots.ended = GenerationTotals { traffic, at: Some(Instant::now()), ..hub.ended };
        slots.hub = Some(hub.state);
    }

    pub(crate) fn count(&self, traffic: Traffic) {
        lock(&self.slots).ended.traffic += traffic;
    }

    /// Takes the state that was put back in this process; `None` if something is missing.
    pub(crate) fn take_back(&self) -> Option<GenerationResult<P>> {
        let mut slots = lock(&self.slots);
        let here = |&worker: &u32| self.layout.is_here(worker);
        let missing = |placement: &[u32], there: &dyn Fn(usize) -> bool| {
            placement.iter().enumerate().any(|(number, worker)| here(worker) && !there(number))
        };
        let hub = slots.hub.take();
        let shard_is_missing = missing(&self.layout.shard_at, &|number| slots.local.shards[number].is_some());
        if shard_is_missing || (hub.is_none() && self.layout.here.start == 0) {
            return None;
        }
        let (shards, blocks) = (take(&mut slots.local.shards), take(&mut slots.local.blocks));
        let local = LocalState { shards, blocks, replica: slots.local.replica.clone() };
        let (began, ended) = (slots.began, std::mem::take(&mut slots.ended));
        Some(GenerationResult { local, hub, began, epoch: slots.epoch, ended })
    }
}

/// Takes all out and leaves the slots empty.
fn take<T>(slots: &mut [Option<T>]) -> Vec<Option<T>> {
    slots.iter_mut().map(Option::take).collect()
}

fn take_placed<T>(slots: &mut [Option<T>], placement: &[u32], worker: u32) -> BTreeMap<u32, T> {
    let here = placement.iter().enumerate().filter(|&(_, &at)| at == worker);
    here.filter_map(|(number, _)| Some((number as u32, slots[number].take()?))).collect()
}
