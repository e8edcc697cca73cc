//! A program without data: what its tasks do, and how its objective goes, is up to the test.

use raddle::schedule::Round;
use raddle::{Boundary, Metric, Program, Task, Update, UpdateBlock, Verbs, Verdict, Visibility};

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
    type Shard = ();
    type Block = ();
    type Pinned = ();
    type Replica = ();
    type Partial = ();
    type Change = ();
    type Phase = ();

    fn verbs() -> Verbs<Self> {
        Verbs::new().update().update_block()
    }
    fn visibility(&self) -> Visibility {
        self.visibility
    }
    fn aggregate(&self, _: &Round, (): &mut (), _: Vec<(u32, ())>) {}
    fn commit(&self, (): &(), (): &mut ()) {}
    fn evaluate(&self, _: &Boundary, _: u32, (): &mut (), (): &()) {}
    fn conclude(&self, boundary: &Boundary, (): &mut (), (): &(), _: Vec<(u32, ())>) -> Verdict<()> {
        let metric = Metric::new("none", 1.0, "nothing");
        Verdict { objective: (self.objective)(boundary), ..Verdict::new(metric) }
    }
}

impl<W: Fn(&Task) + Send + Sync + 'static> Update for Toy<W> {
    fn update(&self, task: &Task, (): &mut (), (): &()) {
        (self.work)(task);
    }
}

impl<W: Fn(&Task) + Send + Sync + 'static> UpdateBlock for Toy<W> {
    fn update_block(&self, task: &Task, (): &mut (), (): &mut (), (): &()) {
        (self.work)(task);
    }
}
