//! [`CoordinateStep`]: the proximal step of one coefficient, which rounds take and certificates weigh columns
//! by.

use crate::data::design::View;
use crate::loss::soft_threshold;
use crate::penalties::Terms;

/// The quadratic model of the objective along one coordinate, at a boundary whose lambda is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CoordinateStep<'a> {
    /// L, the weight of |b|_1, scaled by n.
    pub(crate) penalty: f64,
    /// R, the weight of |b|^2 / 2, likewise.
    pub(crate) ridge: f64,
    /// The curvature of a row: its bound, or the mean over the rows,
    pub(crate) curvature: f64,
    /// and, where there is no bound, each row's.
    pub(crate) local: Option<&'a [f64]>,
    pub(crate) terms: &'a Terms,
}

impl CoordinateStep<'_> {
    /// The best value of column `j`'s coefficient `before`, where the column has the product `slope` with the
    /// residual and the squared norm `norm`.
    pub(crate) fn minimiser(&self, j: usize, slope: f64, before: f64, norm: f64) -> f64 {
        self.minimiser_at(j, slope, before, self.curvature * norm)
    }

    /// The minimiser for a quadratic of this curvature.
    fn minimiser_at(&self, j: usize, slope: f64, before: f64, curvature: f64) -> f64 {
        let ridge = self.ridge * self.terms.ridge(j);
        self.terms.clamp(j, soft_threshold(slope + curvature * before, self.penalty) / (curvature + ridge))
    }

    /// The value to which a round moves a coefficient: no score by more than 1 where curvature grows, and
    /// there by as much as it may.
    pub(crate) fn after(&self, j: usize, slope: f64, before: f64, norm: f64, column: View<'_>) -> f64 {
        let Some(weights) = self.local else { return self.minimiser(j, slope, before, norm) };
        let (norm, most) = column.weighed(weights);
        let after = self.minimiser_at(j, slope, before, std::f64::consts::E * norm.max(f64::MIN_POSITIVE));
        before + (after - before).clamp(-1.0 / most, 1.0 / most)
    }
}
