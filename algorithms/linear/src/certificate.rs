//! [`Certificate`]: both objectives at a dual point and weights.

use crate::data::binary::Binary;

/// Objectives of weights and of a dual point.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Certificate {
    /// P = |w|^2 / 2 + sum c phi(m).
    pub(crate) primal: f64,
    /// D = sum psi(a) - |w|^2 / 2.
    pub(crate) dual: f64,
}

impl Certificate {
    /// Objectives of a dual point and the weights that follow from it.
    pub(crate) fn of(binary: &Binary<'_>, a: &[f64], w: &[f64]) -> Self {
        Self::at(binary, a, w, &binary.margins(w))
    }

    /// Objectives where the margins are known.
    pub(crate) fn at(binary: &Binary<'_>, a: &[f64], w: &[f64], margins: &[f64]) -> Self {
        let half = 0.5 * w.iter().map(|w| w * w).sum::<f64>();
        let gained: f64 = a.iter().zip(&binary.costs).map(|(&a, &c)| binary.loss.dual(a, c)).sum();
        Self { primal: half + binary.lost(margins), dual: gained - half }
    }

    /// (P - D) / P, at least 0 where sums are exact.
    pub(crate) fn gap(self) -> f64 {
        if self.primal == 0.0 { 0.0 } else { ((self.primal - self.dual) / self.primal).max(0.0) }
    }
}

raddle::state!(Certificate { primal, dual });
