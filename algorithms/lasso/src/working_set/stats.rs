//! Counted work: what a run did, in numbers that are the same on every machine.

use std::ops::AddAssign;

/// Counted work of a solve; a multiply-add counts as two operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Coordinate-descent epochs.
    pub epochs: u64,
    /// Coordinates that epochs changed.
    pub updates: u64,
    /// Newton steps tried.
    pub newtons: u64,
    /// Newton steps that stayed on their face and were taken whole.
    pub whole_steps: u64,
    /// Directions of Newton steps followed to a point where a coefficient vanishes, by line search.
    pub line_searches: u64,
    /// Newton steps replaced by block pivoting.
    pub pivotings: u64,
    /// Rounds of block pivoting.
    pub pivot_rounds: u64,
    /// Factorisations from the start; the others kept the factor and extended it.
    pub factorisations: u64,
    /// Operations of the epochs.
    pub epoch_flops: u64,
    /// Operations of factorisations and of the rows added to factors.
    pub factor_flops: u64,
    /// Operations of triangular solves and of gradients that follow Newton steps.
    pub solve_flops: u64,
    /// Operations on members that a factor holds although they have left the support.
    pub hold_flops: u64,
    /// Corners of the homotopy's paths.
    pub corners: u64,
    /// Operations of following the paths.
    pub homotopy_flops: u64,
    /// Elements copied into compact matrices.
    pub gathered: u64,
}

impl Work {
    /// All operations.
    pub fn flops(&self) -> u64 {
        self.epoch_flops + self.factor_flops + self.solve_flops + self.hold_flops + self.homotopy_flops
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.epochs += other.epochs;
        self.updates += other.updates;
        self.newtons += other.newtons;
        self.whole_steps += other.whole_steps;
        self.line_searches += other.line_searches;
        self.pivotings += other.pivotings;
        self.pivot_rounds += other.pivot_rounds;
        self.factorisations += other.factorisations;
        self.epoch_flops += other.epoch_flops;
        self.factor_flops += other.factor_flops;
        self.solve_flops += other.solve_flops;
        self.hold_flops += other.hold_flops;
        self.corners += other.corners;
        self.homotopy_flops += other.homotopy_flops;
        self.gathered += other.gathered;
    }
}
