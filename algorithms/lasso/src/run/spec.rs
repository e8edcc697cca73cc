//! [`Spec`]: what a run is asked for, which every part of it may read.

use std::sync::Arc;

use crate::lambdas::Course;
use crate::loss::Objective;
use crate::loss::rows::Rows;
use crate::penalties::Terms;

/// What is minimised, at which lambdas, and how exactly.
#[derive(Debug)]
pub(crate) struct Spec {
    /// The rows as the loss sees them.
    pub(crate) rows: Rows,
    /// What shards multiply columns that enter with, of a quadratic: the response, weighted. Smooth losses need no products.
    pub(crate) gram_response: Vec<f64>,
    /// Roots of the weights, with which columns enter the Gram; empty where all rows count alike.
    pub(crate) roots: Vec<f64>,
    pub(crate) objective: Objective,
    /// What sets columns apart.
    pub(crate) terms: Arc<Terms>,
    /// The lambdas, one after the other.
    pub(crate) course: Course,
    /// Relative duality gap at which the run is done.
    pub(crate) tolerance: f64,
    /// Whether a schedule of rounds wants weights for all columns.
    pub(crate) weights: bool,
    /// Whether a working set is wanted.
    pub(crate) working_set: bool,
}

impl Spec {
    /// What |x_j'r| must exceed to violate at the only lambda, if the largest |x_j'r| without coefficients is no less.
    pub(crate) fn least_floor(&self, largest: f64) -> f64 {
        // Rounding must not lift it above what the solver asks for.
        (1.0 - 1e-9) * self.objective.weights(self.penalty(0, largest)).0
    }

    /// n times the lambda at a position, for max |x_j'r| without coefficients.
    pub(crate) fn penalty(&self, position: usize, largest: f64) -> f64 {
        self.course.penalty(position, self.rows.len(), largest / self.objective.l1_ratio)
    }
}
