//! [`Certificate`]: the primal objective of weights and the dual objective of a dual point.

use raddle_kernels::algebra::logistic_dual;

use crate::data::bias::half_square;
use crate::data::binary::Binary;
use crate::loss::Loss;

/// The objectives of weights and of a dual point. The weights need not follow from the point.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Certificate {
    /// P = |w|^2 / 2 + sum c phi(m).
    pub(crate) primal: f64,
    /// D = sum psi(a) - |w(a)|^2 / 2.
    pub(crate) dual: f64,
}

impl Certificate {
    /// Returns the primal objective of weights with these margins.
    pub(crate) fn primal_of(binary: &Binary<'_>, w: &[f64], margins: &[f64]) -> f64 {
        half_square(binary.penalized(w)) + binary.lost(margins)
    }

    /// Returns the dual objective of a dual point from which these weights follow.
    pub(crate) fn dual_of(binary: &Binary<'_>, a: &[f64], w: &[f64]) -> f64 {
        let gained: f64 = match binary.loss {
            Loss::Logistic => logistic_dual(a, &binary.costs),
            _ => a.iter().zip(&binary.costs).map(|(&a, &c)| binary.loss.dual(a, c)).sum(),
        };
        gained - half_square(binary.penalized(w))
    }

    /// Returns P - D.
    pub(crate) fn difference(self) -> f64 {
        self.primal - self.dual
    }

    /// Returns (P - D) / P, which is not negative apart from rounding.
    pub(crate) fn gap(self) -> f64 {
        if self.primal == 0.0 { 0.0 } else { ((self.primal - self.dual) / self.primal).max(0.0) }
    }
}

raddle::state!(Certificate { primal, dual });
