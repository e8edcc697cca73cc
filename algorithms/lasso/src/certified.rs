//! [`Certified`]: primal and dual objective, whose difference bounds how far a fit is from the optimum.
//!
//! **Dual points.** With r minus the derivative of the loss by the scores, every multiple k r with
//! k |x_j'r| <= L for all columns is feasible: for the squared loss any k, for the logistic one k in \[0, 1\]. An
//! intercept adds the condition that the entries of r sum to zero. For the squared loss centring has seen to it, for
//! the logistic one the intercept is exact whenever a certificate is computed.
//!
//! **Elastic net.** The squared norm with weight R is a squared loss of further rows sqrt(R) b against a response of
//! zeros (Zou and Hastie, "Regularization and variable selection via the elastic net", 2005, lemma 1). The residual
//! of those rows is -sqrt(R) b, so that x_j'r becomes x_j'r - R b_j, and both objectives gain a term in R |b|^2.

use crate::scores::Scores;

/// Primal and dual objective of the problem scaled by n.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Certified {
    pub(crate) primal: f64,
    pub(crate) dual: f64,
}

/// What the penalties and the columns contribute.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Norms {
    /// |b|_1 and |b|^2,
    pub(crate) l1: f64,
    pub(crate) squares: f64,
    /// the weights L of the first and R of half the second,
    pub(crate) penalty: f64,
    pub(crate) ridge: f64,
    /// and max |x_j'r - R b_j|.
    pub(crate) largest: f64,
}

impl Norms {
    /// The largest feasible multiple of the residual. One that no column sees is feasible at any, even where lambda
    /// is 0.
    fn bound(self) -> f64 {
        if self.largest > 0.0 { self.penalty / self.largest } else { f64::INFINITY }
    }

    /// R |b|^2, the squared residual of the ridge's rows.
    fn ridged(self) -> f64 {
        if self.ridge > 0.0 { self.ridge * self.squares } else { 0.0 }
    }
}

impl Certified {
    /// For the squared loss, at the dual point that is the residual's best feasible multiple (Massias, Gramfort and
    /// Salmon, "Celer: a fast solver for the Lasso with dual extrapolation", 2018), from r'r and y'r:
    /// D = k y'r - k^2 r'r / 2.
    pub(crate) fn squared(rr: f64, yr: f64, norms: Norms) -> Self {
        let (bound, rr) = (norms.bound(), rr + norms.ridged());
        let scale = if rr > 0.0 { (yr / rr).clamp(-bound, bound) } else { 0.0 };
        Self { primal: 0.5 * rr + norms.penalty * norms.l1, dual: scale * yr - 0.5 * scale * scale * rr }
    }

    /// For the logistic loss, at k = min(1, L / max |x_j'r|) times the residual (Ndiaye, Fercoq, Gramfort and Salmon,
    /// "Gap safe screening rules for sparsity enforcing penalties", 2017, section 2.2): D is the sum of the binary
    /// entropies of k s_i, s_i = 1 / (1 + exp(y_i f_i)).
    pub(crate) fn logistic(y: &[f64], scores: &Scores, norms: Norms) -> Self {
        let (scale, ridged) = (norms.bound().min(1.0), norms.ridged());
        let primal = scores.sums.loss + norms.penalty * norms.l1 + 0.5 * ridged;
        Self { primal, dual: scores.dual(y, scale) - 0.5 * scale * scale * ridged }
    }

    /// (P - D) / P; 0 for the problem without a response, which zero solves; infinite once values overflow.
    pub(crate) fn relative(self) -> f64 {
        let gap = (self.primal - self.dual) / self.primal;
        match (self.primal == 0.0, gap.is_nan()) {
            (true, _) => 0.0,
            (false, true) => f64::INFINITY,
            // Rounding may leave the dual a little above the primal.
            (false, false) => gap.max(0.0),
        }
    }
}
