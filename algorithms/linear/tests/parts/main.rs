//! Parts: what they cost, that they replay, and that no row is lost.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]

mod rounds;

use raddle_datasets::registry;
use raddle_linear::{InParts, Linear, Loss, PartPlan, Problem, Sigma};

/// The set that CoCoA's code is shown on.
fn cocoa() -> Option<Problem> {
    registry::real("cocoa-demo").map(|table| Problem::new(&table.x, &table.y, 0.0).unwrap())
}

/// A hinge fit to a relative gap of 1e-2.
fn hinge(lambda: f64, seed: u64) -> Linear {
    Linear::params().loss(Loss::Hinge).lambda(lambda).tolerance(1e-2).seed(seed)
}

/// `true` if the long forms of tests are asked for.
fn is_long() -> bool {
    std::env::var_os("RADDLE_LONG").is_some()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
