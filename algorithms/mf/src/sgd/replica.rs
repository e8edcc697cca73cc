//! [`Replica`]: the layout of the data, of which every worker has a copy; with the answers of shards and the
//! plans of epochs.

use std::sync::Arc;

use super::partition::Partition;
use crate::input::source::Counts;
use crate::model::Side;
use raddle_kernels::factors::Steps;

/// Copy on every worker of the data's layout.
#[derive(Debug, Clone, Default)]
pub struct Replica {
    pub(crate) partitioning: Option<Arc<GridPartitioning>>,
}

raddle::state!(Replica { partitioning });

/// The layout of the data, made from the counts of all shards before the first epoch.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct GridPartitioning {
    pub(crate) users: Partition,
    pub(crate) items: Partition,
    /// The mean of the ratings.
    pub(crate) mean: f64,
    /// Center of the ratings, subtracted from each: the mean, or 0.
    pub(crate) center: f64,
    /// Scale by which centred ratings are divided: the standard deviation; or 1 if that is at most a
    /// millionth of the mean, which for equal ratings is rounding.
    pub(crate) scale: f64,
    /// Root mean square of the ratings less `center`.
    pub(crate) deviation: f64,
}

raddle::state!(GridPartitioning { users, items, mean, center, scale, deviation });

impl GridPartitioning {
    /// Returns the rows of a side.
    pub(crate) fn side(&self, side: Side) -> &Partition {
        match side {
            Side::Users => &self.users,
            Side::Items => &self.items,
        }
    }

    /// Returns the geometric mean of the mean numbers of ratings of users and items.
    pub(crate) fn middle(&self) -> f64 {
        let number: u64 = self.users.counts.iter().map(|&count| u64::from(count)).sum();
        number as f64 / (self.users.rows.len() as f64 * self.items.rows.len() as f64).sqrt()
    }
}

/// Plan of an epoch.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct EpochPlan {
    /// Number of the stage: a new stage starts with new factors.
    pub(crate) stage: u32,
    /// `true` if the present factors are the best so far, so that a copy is kept.
    pub(crate) keep: bool,
    pub(crate) steps: Steps,
}

raddle::state!(EpochPlan { stage, keep, steps });

/// Answer of a shard.
#[derive(Debug)]
pub enum Answer {
    /// After a task: squared errors.
    Errors(Errors),
    /// At the first boundary: counts of the data, where the shard has a chunk of the input.
    Counts(Option<Box<Counts>>),
    /// At any other boundary.
    Nothing(()),
}

raddle::state!(
    enum Answer {
        Errors(errors),
        Counts(counts),
        Nothing(nothing),
    }
);

/// Squared errors of training and of measuring, and those of each cell.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Errors {
    pub(crate) trained: Squares,
    pub(crate) measured: Squares,
    /// (cell, mean squared error as met in training).
    pub(crate) cells: Vec<(u32, f64)>,
}

raddle::state!(Errors { trained, measured, cells });

/// A sum of squared errors.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Squares {
    pub(crate) sum: f64,
    pub(crate) count: u64,
}

raddle::state!(Squares { sum, count });

impl Squares {
    pub(crate) fn add(&mut self, other: Self) {
        self.sum += other.sum;
        self.count += other.count;
    }

    /// Returns the root of the mean; infinite for no values.
    pub(crate) fn root_mean(self) -> f64 {
        if self.count == 0 { f64::INFINITY } else { (self.sum / self.count as f64).sqrt() }
    }
}

impl Errors {
    pub(crate) fn add(&mut self, other: Self) {
        self.trained.add(other.trained);
        self.measured.add(other.measured);
        self.cells.extend(other.cells);
    }
}

/// Change that a boundary makes visible: before the first epoch, the layout of the data.
#[derive(Debug, Clone, Default)]
pub struct Change {
    pub(crate) partitioning: Option<Arc<GridPartitioning>>,
}

raddle::state!(Change { partitioning });

impl Change {
    pub(crate) fn commit(&self, replica: &mut Replica) {
        if let Some(partitioning) = &self.partitioning {
            replica.partitioning = Some(Arc::clone(partitioning));
        }
    }
}
