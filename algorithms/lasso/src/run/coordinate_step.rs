//! [`CoordinateStep`]: the proximal step of one coefficient, taken by rounds and used by certificates to
//! weigh columns.

use crate::data::design::View;
use crate::loss::soft_threshold;
use crate::penalties::Terms;

/// The quadratic model of the objective along one coordinate, at a boundary whose lambda is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CoordinateStep<'a> {
    /// L, the weight of |b|_1, scaled by n.
    pub(crate) penalty: f64,
    /// R, the weight of |b|^2 / 2, scaled by n.
    pub(crate) ridge: f64,
    /// The second derivative of a row's loss: its bound, or the mean over the rows.
    pub(crate) curvature: f64,
    /// Second derivative of each row, if there is no bound.
    pub(crate) local: Option<&'a [f64]>,
    pub(crate) terms: &'a Terms,
}

impl CoordinateStep<'_> {
    /// Returns the minimiser over column `j`'s coefficient, which is `before`, if the column has the product
    /// `slope` with the residual and the squared norm `norm`.
    pub(crate) fn minimiser(&self, j: usize, slope: f64, before: f64, norm: f64) -> f64 {
        self.minimiser_at(j, slope, before, self.curvature * norm)
    }

    /// Returns the minimiser of a quadratic with this curvature.
    fn minimiser_at(&self, j: usize, slope: f64, before: f64, curvature: f64) -> f64 {
        let ridge = self.ridge * self.terms.ridge(j);
        self.terms.clamp(j, soft_threshold(slope + curvature * before, self.penalty) / (curvature + ridge))
    }

    /// Returns the value to which a round moves a coefficient. Where the second derivative grows, the step
    /// moves no score by more than 1, and uses the largest second derivative on the way.
    pub(crate) fn after(&self, j: usize, slope: f64, before: f64, norm: f64, column: View<'_>) -> f64 {
        let Some(weights) = self.local else { return self.minimiser(j, slope, before, norm) };
        let (norm, most) = column.weighed(weights);
        let after = self.minimiser_at(j, slope, before, std::f64::consts::E * norm.max(f64::MIN_POSITIVE));
        before + (after - before).clamp(-1.0 / most, 1.0 / most)
    }
}
