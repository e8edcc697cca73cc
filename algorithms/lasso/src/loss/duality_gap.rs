//! [`DualityGap`]: primal and dual objective, whose difference bounds the distance of a fit from the optimum.
//!
//! **Dual points.** With r minus the derivative of the loss by the scores, every multiple k r with k |x_j'r|
//! <= L for all columns is feasible: for the squared loss any k, for smooth ones k in \[0, 1\]. An intercept
//! adds the condition that the entries of r sum to zero. For the squared loss centring ensures it; for smooth
//! losses the intercept is exact whenever a certificate is computed.
//!
//! **Elastic net.** The squared norm with weight R is a squared loss of further rows sqrt(R) b against a
//! response of zeros (Zou and Hastie, "Regularization and variable selection via the elastic net", 2005,
//! lemma 1). The residual of those rows is -sqrt(R) b, so that x_j'r becomes x_j'r - R b_j, and both
//! objectives gain a term in R |b|^2.
//!
//! **Ridge.** Without an l1 term (L = 0) every theta is a dual point, with the objective theta'y -
//! theta'theta / 2 - |X'theta|^2 / (2 R). At theta = r, with e_j = x_j'r - R b_j, the last term is
//! R |b|^2 / 2 + b'e + e'e / (2 R), at most R |b|^2 / 2 + max |e| |b|_1 + p max |e|^2 / (2 R).

use super::linear_predictor::{Response, Scores};
use crate::penalties::charge;

/// Primal and dual objective of the problem scaled by n.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DualityGap {
    pub(crate) primal: f64,
    pub(crate) dual: f64,
    /// k: the dual point is the residual times this.
    pub(crate) scale: f64,
    /// `true` if residual and coefficients are zero: the problem without a response, which zero solves.
    is_zero: bool,
}

/// Contributions of the penalties and the columns to both objectives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Norms<'a> {
    /// The norm |b|_1; the next field is |b|^2.
    pub(crate) l1: f64,
    pub(crate) squares: f64,
    /// L, the weight of |b|_1; the next field is R, the weight of |b|^2 / 2.
    pub(crate) penalty: f64,
    pub(crate) ridge: f64,
    /// max |x_j'r - R b_j|.
    pub(crate) largest: f64,
    /// p, the number of columns.
    pub(crate) columns: usize,
    /// Coefficients at their bounds, which do not count in `largest`: see `penalties/bounds.rs`.
    pub(crate) active_bounds: &'a [(f64, f64)],
}

impl Norms<'_> {
    /// Returns the largest feasible multiple of the residual: infinite if no column correlates with it, even
    /// if lambda is 0.
    fn bound(self) -> f64 {
        if self.largest > 0.0 { self.penalty / self.largest } else { f64::INFINITY }
    }

    /// `true` without an l1 term.
    fn is_ridge(self) -> bool {
        self.penalty == 0.0 && self.ridge > 0.0
    }

    /// Without an l1 term, returns a bound of what the columns cost the dual objective beyond R |b|^2 / 2.
    fn inexact(self) -> f64 {
        let squares = self.columns as f64 * self.largest * self.largest / (2.0 * self.ridge);
        if self.is_ridge() { self.largest * self.l1 + squares } else { 0.0 }
    }

    /// Returns R |b|^2, the squared residual of the ridge's rows.
    fn ridged(self) -> f64 {
        if self.ridge > 0.0 { self.ridge * self.squares } else { 0.0 }
    }
}

impl DualityGap {
    /// For the squared loss, at the dual point that is the residual's best feasible multiple (Massias,
    /// Gramfort and Salmon, "Celer: a fast solver for the Lasso with dual extrapolation", 2018), from r'r and
    /// y'r: D = k y'r - k^2 r'r / 2.
    pub(crate) fn squared(rr: f64, yr: f64, norms: Norms<'_>) -> Self {
        let rr = rr + norms.ridged();
        let scale = match norms.active_bounds {
            _ if norms.is_ridge() => 1.0,
            [] => best_scale(yr, rr, norms.bound()),
            _ => norms.bound().min(1.0),
        };
        Self {
            primal: 0.5 * rr + norms.penalty * norms.l1,
            dual: scale * yr
                - 0.5 * scale * scale * rr
                - charge(norms.active_bounds, scale, norms.penalty)
                - norms.inexact(),
            scale,
            is_zero: rr == 0.0 && norms.l1 == 0.0,
        }
    }

    /// For a smooth loss, at k = min(1, L / max |x_j'r|) times the residual (Ndiaye, Fercoq, Gramfort and
    /// Salmon, "Gap safe screening rules for sparsity enforcing penalties", 2017, section 2.2).
    pub(crate) fn smooth(response: Response<'_>, scores: &Scores, norms: Norms<'_>) -> Self {
        let (scale, ridged) = (norms.bound().min(1.0), norms.ridged());
        let primal = scores.sums.loss + norms.penalty * norms.l1 + 0.5 * ridged;
        let is_zero = norms.l1 == 0.0 && response.loss.is_exact(&scores.sums);
        let charged = charge(norms.active_bounds, scale, norms.penalty);
        let dual = scores.dual(response, scale) - 0.5 * scale * scale * ridged - charged;
        Self { primal, dual, scale, is_zero }
    }

    /// Returns (P - D) / P; 0 for the problem without a response, which zero solves; infinite if values
    /// overflow or underflow, as nothing is then certified.
    pub(crate) fn relative(self) -> f64 {
        let gap = (self.primal - self.dual) / self.primal;
        if self.is_zero {
            0.0
        } else if gap.is_nan() || self.primal < f64::MIN_POSITIVE {
            f64::INFINITY
        } else {
            // Rounding may leave the dual slightly above the primal.
            gap.max(0.0)
        }
    }
}

/// Returns the best feasible multiple of a residual r: y'r / r'r, clipped to the bound. 0, which is always
/// feasible, if r is zero or the bound is NaN, as after an overflow.
pub(crate) fn best_scale(yr: f64, rr: f64, bound: f64) -> f64 {
    if rr > 0.0 && bound >= 0.0 { (yr / rr).clamp(-bound, bound) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NORMS: Norms<'_> = Norms {
        l1: 2.0,
        squares: 4.0,
        penalty: 1.0,
        ridge: 0.0,
        largest: 1.0,
        columns: 1,
        active_bounds: &[],
    };

    #[test]
    fn what_overflows_or_underflows_is_not_certified() {
        let infinite = f64::INFINITY;
        for (rr, yr, norms) in [
            (infinite, infinite, NORMS),
            (infinite, infinite, Norms { penalty: infinite, largest: infinite, ..NORMS }),
            (1.0, 1.0, Norms { penalty: f64::NAN, ..NORMS }),
            (1.0, 1.0, Norms { penalty: -1.0, ..NORMS }),
            (f64::NAN, 1.0, Norms { largest: f64::NAN, ..NORMS }),
            // A penalty whose product with the coefficients underflows is not zero.
            (0.0, 0.0, Norms { penalty: 1e-200, l1: 1e-200, ..NORMS }),
            (1e-310, 1e-310, Norms { penalty: 0.0, ..NORMS }),
        ] {
            let gap = DualityGap::squared(rr, yr, norms).relative();
            assert!(gap >= 0.5, "{rr} {yr} {norms:?}: {gap}");
        }
    }

    #[test]
    fn no_response_is_solved_by_zero() {
        let norms = Norms { l1: 0.0, squares: 0.0, largest: 0.0, ..NORMS };
        assert_eq!(DualityGap::squared(0.0, 0.0, norms).relative(), 0.0);
    }
}
