//! [`AlternatingStopping`]: the best factors so far, and the decision when an alternating run ends.

use raddle::Status;

use super::course::{Course, Turn};
use super::sides::{FactorColumns, FactorMatrices};

/// Number of evaluations without a new best after which a run ends.
const PATIENCE: u64 = 3;

/// The pinned block of an alternating run.
#[derive(Debug, Clone, Default)]
pub struct AlternatingStopping {
    pub(crate) best: f64,
    pub(crate) best_epoch: u64,
    without_progress: u64,
    /// The metric after each epoch.
    pub(crate) log: Vec<f64>,
    /// The best columns of users and items, once measured; `None` for least squares, whose shards keep their
    /// rows.
    pub(crate) kept: Option<[FactorColumns; 2]>,
    /// The choice of weight and regularisation, and the epoch at which it was made.
    pub(crate) course: Option<Course>,
    chosen_at: u64,
    /// Squared norms of the changes of this epoch, and of the factors.
    pub(crate) moved: (f64, f64),
    /// Sum of the measure on held-out ratings after this epoch, and the number of ratings or users in it.
    pub(crate) measured: (f64, u64),
}

raddle::state!(AlternatingStopping {
    best,
    best_epoch,
    without_progress,
    log,
    kept,
    course,
    chosen_at,
    moved,
    measured
});

impl AlternatingStopping {
    /// The state of a run that begins, perhaps with a choice.
    pub(crate) fn new(course: Option<Course>) -> Self {
        Self { best: f64::INFINITY, course, ..Self::default() }
    }

    /// Records the measure of lists after `epoch` epochs, while weight and regularisation are chosen; returns
    /// what the next one does.
    pub(super) fn choose(&mut self, epoch: u64, ndcg: f64) -> Option<Turn> {
        let course = self.course.as_mut().filter(|course| !course.is_over())?;
        (self.best_epoch, self.chosen_at) = (epoch, epoch);
        Some(course.record(ndcg))
    }

    /// Returns the number of epochs of the fit, after the choice, up to this one.
    pub(super) fn length(&self, epoch: u64) -> u64 {
        epoch.saturating_sub(self.chosen_at)
    }

    /// `true` if the best factors are not those after this number of epochs.
    pub(super) fn is_earlier(&self, epochs: u64) -> bool {
        self.kept.is_some() && self.best_epoch != epochs
    }

    /// Checks that a run can be in this state.
    pub(super) fn is_possible(&self) -> bool {
        self.without_progress <= PATIENCE && !self.best.is_nan()
    }

    /// Adds the changes of half an epoch, of each shard in order.
    pub(super) fn move_by(&mut self, halves: impl Iterator<Item = (f64, f64)>) {
        let moved = halves.fold((0.0, 0.0), |sum, half| (sum.0 + half.0, sum.1 + half.1));
        self.moved = (self.moved.0 + moved.0, self.moved.1 + moved.1);
    }

    /// Records the value to be minimised after `epoch` epochs, if measured; returns why the run is over, if
    /// it is.
    pub(crate) fn next(
        &mut self,
        epochs: u64,
        epoch: u64,
        error: Option<f64>,
        sides: &FactorMatrices,
    ) -> Option<Status> {
        let completed = (self.length(epoch) >= epochs).then_some(Status::Completed);
        let Some(error) = error else {
            self.best_epoch = epoch;
            return completed;
        };
        if error < self.best {
            (self.best, self.best_epoch, self.without_progress) = (error, epoch, 0);
            self.kept = Some(sides.columns.clone());
        } else {
            self.without_progress += 1;
        }
        if self.without_progress >= PATIENCE { Some(Status::Converged) } else { completed }
    }
}
