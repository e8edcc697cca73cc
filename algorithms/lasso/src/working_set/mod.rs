//! The working set of a Lasso: its members' Gram matrix, and the second-order solver that works on it.
//!
//! **Scale.** F(b) = 1/2 |y - X b|^2 + L |b|_1 with L = n lambda: everything here is n times the objective
//! with 1/(2n). q = X'y and g = X'(y - X b) are over the members only, which are numbered by **slot** in
//! order of entry.
//!
//! **Solver.** A small set is solved exactly, along a path that starts at its coefficients (`homotopy.rs`).
//! In a larger set epochs of coordinate descent on the Gram alternate with Newton steps on the support: on a
//! face (a fixed set of nonzero coefficients with fixed signs) F is a quadratic, whose minimum one linear
//! solve gives exactly. If that minimum lies outside the face, the better of two points is taken: that of an
//! exact line search towards the minimum, and that of block pivoting (drop all members with a wrong sign,
//! solve again). If columns of the support nearly depend on each other, several line searches use the same
//! factor. Nothing here depends on threads or clocks, only on computed values and counted work.

mod alternate;
mod basis;
mod boxed;
mod by_columns;
mod candidates;
mod compact;
mod epoch;
mod face;
mod factor;
mod grouped;
mod homotopy;
mod inner;
mod inverse;
mod lazy;
mod line_search;
mod local;
mod newton;
mod places;
mod proximal;
mod set;
mod symmetric;
#[cfg(test)]
mod tests;
mod with_terms;

pub(crate) use by_columns::ByColumns;
pub use candidates::{columns_to_add, top_violators};
pub(crate) use candidates::{keep_worst, worst_first};
pub use lazy::LazyBounds;
pub use local::ObjectiveGap;
pub(crate) use proximal::{ProximalCheckpoint, ProximalSet, SolveData, SolveState, Target};
pub(crate) use set::SetCheckpoint;
pub use set::{SolveReport, WorkingSet};
