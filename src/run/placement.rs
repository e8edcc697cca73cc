//! Placement: the worker of each shard, a pure function of counted costs that is tested without a cluster.

use std::ops::Range;
use std::sync::Arc;

use crate::schedule::even_parts;

/// Placement of a generation's shards, and of its blocks at the start.
pub(crate) struct Layout {
    /// The workers that were asked for, and those of them that have a shard: no more than there are shards.
    pub(crate) asked: usize,
    pub(crate) workers: usize,
    /// Threads that carry the workers, those of them that are in this process, and the thread of each worker.
    pub(crate) threads: usize,
    pub(crate) here: Range<usize>,
    pub(crate) thread_of: Arc<Vec<u32>>,
    /// The worker of each shard, and of each block.
    pub(crate) shard_at: Arc<Vec<u32>>,
    pub(crate) block_at: Vec<u32>,
}

impl Layout {
    /// `true` if a worker is in this process.
    pub(crate) fn is_here(&self, worker: u32) -> bool {
        self.thread_of.get(worker as usize).is_some_and(|&thread| self.here.contains(&(thread as usize)))
    }

    /// `true` if there are workers in other processes.
    pub(crate) fn is_distributed(&self) -> bool {
        self.here.len() < self.threads
    }

    /// Returns the number of processes, all of which have equally many threads.
    pub(crate) fn processes(&self) -> usize {
        self.threads / self.here.len().max(1)
    }

    /// Returns the number of this process, from 0.
    pub(crate) fn process(&self) -> usize {
        self.here.start / self.here.len().max(1)
    }

    /// Returns the first worker of this process, or `u32::MAX` if it has none.
    pub(crate) fn first_here(&self) -> u32 {
        (0..self.workers as u32).find(|&worker| self.is_here(worker)).unwrap_or(u32::MAX)
    }
}

/// Returns the worker of each shard: contiguous ranges of shards of about equal counted cost.
///
/// Placement only decides where the tasks of a shard run: no result depends on it.
///
/// ```
/// assert_eq!(raddle::placement::even(&[1, 1, 2, 4], 2), [0, 0, 0, 1]);
/// ```
pub fn even(costs: &[u64], workers: usize) -> Vec<u32> {
    let mut placement = vec![0; costs.len()];
    for (worker, range) in even_parts(costs, workers.max(1)).into_iter().enumerate() {
        placement[range].fill(worker as u32);
    }
    placement
}

/// Returns the number of shards that change worker between two placements.
pub fn moves(before: &[u32], after: &[u32]) -> usize {
    before.iter().zip(after).filter(|(from, to)| from != to).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_workers_than_shards_leave_some_idle() {
        let placement = even(&[5, 5], 7);
        assert_eq!(placement.len(), 2);
        assert_ne!(placement[0], placement[1]);
        assert!(placement.iter().all(|&worker| worker < 7));
        assert!(even(&[], 3).is_empty());
    }
}
