//! [`with_terms`]: the solver on one Gram for members with groups or bounds.

use super::alternate::{Limit, alternate};
use super::boxed::{self, Boxed};
use super::grouped::{self, Grouped};
use super::local::{Local, ObjectiveGap};
use crate::penalties::Terms;

/// Runs [`alternate`] for an objective with groups or bounds; `squares` computes r'r.
pub(super) fn with_terms(
    local: &mut Local,
    terms: &Terms,
    penalty: f64,
    limit: Limit,
    squares: impl Fn(&Local) -> f64,
) -> ObjectiveGap {
    let squares = |local: &Local| squares(local).max(0.0);
    if terms.has_groups() {
        let mut turns = Grouped::new(local, terms, penalty, limit.gap);
        let measure = |local: &Local| grouped::measure(local, terms, squares(local), penalty);
        return alternate(local, &mut turns, limit, measure);
    }
    let measure = |local: &Local| boxed::measure(local, terms, squares(local), penalty);
    alternate(local, &mut Boxed { terms, penalty }, limit, measure)
}
