//! Solvers: each takes a dual point nearer to the best one.

mod factor;
pub(crate) mod interior;
pub(crate) mod newton;
pub(crate) mod passes;

pub(crate) use factor::{cost_of_step, is_possible};
