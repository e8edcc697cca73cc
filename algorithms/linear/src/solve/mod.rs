//! Solvers: each moves a dual point closer to the optimum.

mod curvature;
pub(crate) mod gram;
pub(crate) mod intercept;
pub(crate) mod interior;
pub(crate) mod judge;
pub(crate) mod line;
pub(crate) mod newton;
pub(crate) mod passes;
pub(crate) mod sweeps;
pub(crate) mod together;
mod weighted;
