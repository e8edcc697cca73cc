//! The working set of a fit with a smooth loss: a proximal Newton method over the members.
//!
//! **Scale.** F(b, b_0) = sum loss(y, f) + L |b|_1 + R |b|^2 / 2 with f = X b + b_0: n times the objective,
//! L = n lambda times the share of the l1 norm, R = n lambda times that of the squared norm.
//!
//! **Solver.** At f the loss is replaced by its second-order model, a weighted least-squares problem: an
//! elastic net over the members that matter, which the machinery of the squared loss solves (coordinate
//! descent, Newton steps on the support, block pivoting). A line search on F towards its solution keeps F
//! falling (Lee, Sun and Saunders, "Proximal Newton-type methods for minimizing composite functions", 2014).
//! The weighted Gram, which is most of the work, is kept as long as its model predicts the fall of the gap,
//! and extended by members that come to matter.

mod classes;
mod measured;
mod model;
mod set;
mod solve_state;
#[cfg(test)]
mod tests;

pub(crate) use set::{ProximalCheckpoint, ProximalSet, SolveData, Target};
pub(crate) use solve_state::SolveState;
