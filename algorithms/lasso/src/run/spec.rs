//! [`Spec`]: the specification of a run, which every part of it may read.

use std::sync::Arc;

use crate::data::columns::Columns;
use crate::lambdas::{Course, LeaveRule};
use crate::loss::Objective;
use crate::loss::rows::Rows;
use crate::penalties::Terms;

/// Specification of a run: objective, data, lambdas and tolerance.
#[derive(Debug)]
pub(crate) struct Spec {
    /// The rows as the loss uses them.
    pub(crate) rows: Rows,
    /// The weighted response of a quadratic, with which shards multiply entering columns; smooth losses need
    /// no such products.
    pub(crate) gram_response: Vec<f64>,
    /// Roots of the weights, by which columns are multiplied for the Gram; empty if all rows count equally.
    pub(crate) roots: Vec<f64>,
    pub(crate) objective: Objective,
    /// Number of columns.
    pub(crate) columns: usize,
    /// Penalties of the columns.
    pub(crate) terms: Arc<Terms>,
    /// The working set of a quadratic has no Gram if it is larger than this.
    pub(crate) most_members: usize,
    /// The lambdas, in order.
    pub(crate) course: Course,
    /// Rule by which a path moves on from a point that is not certified.
    pub(crate) leave: Option<LeaveRule>,
    /// Relative duality gap at which the run is done.
    pub(crate) tolerance: f64,
    /// `true` if a schedule of rounds needs weights for all columns.
    pub(crate) weights: bool,
    /// `true` if a working set is solved.
    pub(crate) working_set: bool,
}

/// Largest number of members of a sparse matrix that have a Gram. A Newton step on more members takes longer
/// than epochs over their columns, which have few values: farmads / 30 and / 100 are solved in a third of the
/// time that a Gram of up to 5,000 members takes, imdb2 / 50 in two thirds, and limits of 1,000 and 2,000 are
/// no better. With everything computed from it, a Gram takes 20 bytes for each pair: 45 MB.
const MOST: usize = 1500;

/// Bytes of a Gram for each stored value, which itself takes twelve, if memory is to stay near that of the
/// data; [`ANYHOW`] bytes are added.
const FOR_EACH: usize = 3;
const ANYHOW: usize = 12_000_000;

/// Returns how many members may have a Gram. For dense columns there is no limit, as they take as much memory
/// as the largest possible Gram.
pub(crate) fn most_members(design: &Columns, frugal: bool) -> usize {
    match (design.is_sparse(), frugal) {
        (false, _) => usize::MAX,
        (true, false) => MOST,
        (true, true) => ((FOR_EACH * design.stored() + ANYHOW) / 20).isqrt().min(MOST),
    }
}

impl Spec {
    /// Returns the smallest |x_j'r| of a violator at the only lambda, if the largest |x_j'r| without
    /// coefficients is at least `largest`.
    pub(crate) fn least_threshold(&self, largest: f64) -> f64 {
        // Rounding must not lift the result above the solver's threshold.
        (1.0 - 1e-9) * self.objective.weights(self.penalty(0, largest)).0
    }

    /// `true` without an l1 term: the coefficients were solved for before the first boundary.
    pub(crate) fn is_ridge(&self) -> bool {
        self.objective.l1_ratio == 0.0
    }

    /// Returns n times the lambda at a position, for max |x_j'r| without coefficients.
    pub(crate) fn penalty(&self, position: usize, largest: f64) -> f64 {
        self.course.penalty(position, self.rows.len(), largest / self.objective.l1_ratio)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::design::Design;

    #[test]
    fn grams_of_sparse_members_take_the_memory_that_they_may() {
        let dense = Columns::Here(Arc::new(Design::Dense { rows: 2, values: vec![0.0; 6] }));
        let sparse = |stored: usize| {
            let (starts, indices, values) = (vec![0, stored], vec![0; stored], vec![0.0; stored]);
            Columns::Here(Arc::new(Design::Sparse { rows: 1, starts, indices, values, shift: Vec::new() }))
        };
        for frugal in [false, true] {
            assert_eq!(most_members(&dense, frugal), usize::MAX);
        }
        for stored in [0, 1000, 1_000_000, 5_000_000, 12_000_000] {
            let columns = sparse(stored);
            assert_eq!(most_members(&columns, false), MOST);
            // 20 bytes for each pair must fit into 12 MB plus 3 bytes for each value.
            let (most, room) = (most_members(&columns, true), 12_000_000 + 3 * stored);
            assert!(20 * most * most <= room && most <= MOST, "{stored}: {most}");
            assert!(20 * (most + 1) * (most + 1) > room || most == MOST, "{stored}: {most}");
        }
        assert_eq!(most_members(&sparse(12_000_000), true), MOST);
    }
}
