//! [`Bias`]: the intercept of a classifier.

/// The intercept of a classifier: the coefficient of a constant column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bias {
    /// The column has this value, and its coefficient is penalised like the others; 0 leaves it out.
    Penalized(f64),
    /// The column has the value 1, and its coefficient is not penalised.
    Free,
}

impl Bias {
    /// Returns the value of the constant column; 0 if there is none.
    pub fn value(self) -> f64 {
        match self {
            Self::Penalized(value) => value,
            Self::Free => 1.0,
        }
    }

    /// Returns `true` if the intercept is not penalised.
    pub fn is_free(self) -> bool {
        self == Self::Free
    }
}

/// Returns the penalty of weights: half the sum of their squares.
pub(crate) fn half_square(w: &[f64]) -> f64 {
    0.5 * w.iter().map(|w| w * w).sum::<f64>()
}

impl From<f64> for Bias {
    fn from(value: f64) -> Self {
        Self::Penalized(value)
    }
}
