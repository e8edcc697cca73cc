//! [`ProcessMerger`]: merges the answers of a process's workers into one, if another process aggregates
//! rounds, or if the process is a party, whose sums are masked.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::merging::{Merger, Merging};
use crate::base::panic_context::PanicContext;
use crate::base::sync::lock;
use crate::parties::{Masks, Moment};
use crate::program::Program;

/// Name of a round: its epoch and number. A plan or a boundary is named by its epoch, as there is only one at
/// a time.
pub(crate) type RoundName = (u64, Option<u64>);

/// Partials by shard.
type Merged<P> = Vec<(u32, <P as Program>::Partial)>;

/// Merging of the partials of a process's workers: the last worker to answer a round answers for all, the
/// others send no partials. The hub waits for all of them anyway, so no round ends later.
pub(crate) struct ProcessMerger<P: Program> {
    merger: Merger<P>,
    workers: u32,
    /// Rounds that some workers have answered: the number of answers, and the partials so far.
    open: Mutex<HashMap<RoundName, (u32, Merged<P>)>>,
    /// Masks of the merged partials.
    masks: Option<Masks>,
}

impl<P: Program> ProcessMerger<P> {
    /// Makes the merging for the workers in this process, if there are several; `shard_at` has the worker of
    /// each shard.
    pub(crate) fn new(
        program: &Arc<P>,
        shard_at: &[u32],
        workers: u32,
        is_here: impl Fn(u32) -> bool,
    ) -> Option<Self> {
        let workers = (0..workers).filter(|&worker| is_here(worker)).count() as u32;
        let merger = Merger::new(program, shard_at.len() as u32, |shard| is_here(shard_at[shard as usize]))?;
        (workers > 1).then(|| Self { merger, workers, open: Mutex::default(), masks: None })
    }

    /// Makes the merging of all partials of so many workers of a party into one, which is masked; `None` if
    /// the partials are no exact sums.
    pub(crate) fn masked(program: &Arc<P>, shards: u32, workers: u32, masks: Masks) -> Option<Self> {
        // The numbers of the shards do not count in exact sums: whatever is there becomes one.
        let merger = Merger::of_all(program, shards, Merging::AtShards)?;
        P::verbs().merge?.masked?;
        Some(Self { merger, workers, open: Mutex::default(), masks: Some(masks) })
    }

    /// Takes the partials of a worker. If it is the last to answer, of the given number of workers of this
    /// process or of all of them, returns the merged partials of all.
    pub(crate) fn merge(
        &self,
        phase: Option<&P::Phase>,
        name: RoundName,
        answering: Option<u32>,
        partials: Merged<P>,
        at: PanicContext,
    ) -> Merged<P> {
        let mut open = lock(&self.open);
        let (answered, all) = open.entry(name).or_default();
        *answered += 1;
        all.extend(partials);
        if *answered < answering.unwrap_or(self.workers) {
            return Vec::new();
        }
        let (_, all) = open.remove(&name).unwrap_or_default();
        drop(open);
        let mut merged = self.merger.merge(phase, all, at);
        if let Some(masks) = &self.masks {
            // Within an epoch, a plan is one more round.
            let (epoch, round) = (name.0, name.1.or(phase.map(|_| u64::MAX)));
            for words in merged.iter_mut().filter_map(|(_, partial)| self.merger.words(partial)) {
                if let Err(why) = masks.add_to(Moment { epoch, round }, words) {
                    panic!("{why}");
                }
            }
        }
        merged
    }
}
