//! A program without data: the work of its tasks and its objective are given by the test.

use raddle::{
    Aggregate, BlockTaskOf, Boundary, Conclude, Evaluate, Metric, Program, Task, TaskOf, Update, UpdateBlock,
    Verdict, Visibility,
};

/// A task does `work`; at a boundary the objective is `objective`.
pub(crate) struct Toy<W> {
    pub(crate) work: W,
    pub(crate) objective: fn(&Boundary) -> Option<f64>,
    pub(crate) visibility: Visibility,
}

impl<W: Fn(&Task) + Send + Sync + 'static> Toy<W> {
    /// Without an objective; changes become visible at the boundary.
    pub(crate) fn new(work: W) -> Self {
        Self { work, objective: |_| None, visibility: Visibility::AtBoundary }
    }
}

impl<W: Fn(&Task) + Send + Sync + 'static> Program for Toy<W> {
    raddle::program!(; update, update_block);
    fn visibility(&self) -> Visibility {
        self.visibility
    }
    fn aggregate(&self, _: Aggregate<'_, Self>) {}
    fn commit(&self, (): &(), (): &mut ()) {}
    fn evaluate(&self, _: Evaluate<'_, Self>) {}
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<()> {
        let metric = Metric::new("none", 1.0, "nothing");
        Verdict { objective: (self.objective)(&at.boundary), ..Verdict::new(metric) }
    }
}

impl<W: Fn(&Task) + Send + Sync + 'static> Update for Toy<W> {
    fn update(&self, at: TaskOf<'_, Self>) {
        (self.work)(at.task);
    }
}

impl<W: Fn(&Task) + Send + Sync + 'static> UpdateBlock for Toy<W> {
    fn update_block(&self, at: BlockTaskOf<'_, Self>) {
        (self.work)(at.task);
    }
}
