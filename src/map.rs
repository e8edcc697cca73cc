//! [`map`]: work without training, such as inference.

use std::marker::PhantomData;

use crate::base::error::EngineError;
use crate::base::state::State;
use crate::engine::{Engine, Parts};
use crate::program::Program;
use crate::program::context::{Aggregate, Conclude, Evaluate, TaskOf};
use crate::program::verbs::Update;
use crate::program::verdict::{Status, Verdict};
use crate::schedule::EachShard;

/// Applies `work` to every item, on this number of workers, and returns the results in the order of the
/// items.
///
/// Each item is one task, and should take at least some 100 us: a range of rows, not a row. The result does
/// not depend on the number of workers.
///
/// ```
/// let rows: Vec<f64> = (0..1000).map(f64::from).collect();
/// let parts = rows.chunks(100).map(<[f64]>::to_vec).collect();
/// let sums = raddle::map(parts, 2, |part: &Vec<f64>| part.iter().sum::<f64>())?;
/// assert_eq!((sums.len(), sums[0]), (10, 4950.0));
/// # Ok::<(), raddle::EngineError>(())
/// ```
///
/// # Errors
/// If there are no workers, threads cannot be started, or `work` panics.
pub fn map<T: State, R: State>(
    items: Vec<T>,
    workers: usize,
    work: impl Fn(&T) -> R + Send + Sync + 'static,
) -> Result<Vec<R>, EngineError> {
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let schedule = EachShard::new(items.len() as u32);
    let parts = Parts { shards: items, blocks: Vec::new(), pinned: Vec::new(), replica: () };
    let engine = Engine::new(Map { work, of: PhantomData }, schedule, parts);
    Ok(engine.workers(workers).run()?.parts.pinned)
}

/// A program of one round, with a task for every shard.
struct Map<T, R, W> {
    work: W,
    of: PhantomData<fn(&T) -> R>,
}

impl<T: State, R: State, W: Fn(&T) -> R + Send + Sync + 'static> Program for Map<T, R, W> {
    crate::program!(Shard = T, Pinned = Vec<R>, Partial = Option<R>, Change = (); update);

    fn aggregate(&self, at: Aggregate<'_, Self>) {
        at.pinned.extend(at.partials.into_iter().flatten());
    }

    fn commit(&self, (): &(), (): &mut ()) {}

    fn evaluate(&self, _: Evaluate<'_, Self>) -> Option<R> {
        None
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<()> {
        let status = if at.boundary.epoch == 0 { Status::Continue } else { Status::Completed };
        Verdict::unmeasured("none", "nothing").status(status)
    }
}

impl<T: State, R: State, W: Fn(&T) -> R + Send + Sync + 'static> Update for Map<T, R, W> {
    fn update(&self, at: TaskOf<'_, Self>) -> Option<R> {
        Some((self.work)(at.shard))
    }
}
