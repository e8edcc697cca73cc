//! [`Values`]: ratings as they are read, in single or in double precision.

use super::precision::{Precision, Spread, SpreadSums};

/// Ratings as they are read.
pub(super) enum Values {
    /// Single precision, with the spread and the errors of narrowing.
    Narrow(Vec<f32>, SpreadSums),
    Wide(Vec<f64>),
}

impl Values {
    pub(super) fn new(precision: Precision, capacity: usize) -> Self {
        match precision {
            Precision::Double => Self::Wide(Vec::with_capacity(capacity)),
            Precision::Single => Self::Narrow(Vec::with_capacity(capacity), SpreadSums::default()),
        }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, value: f64) {
        match self {
            Self::Narrow(values, sums) => {
                values.push(value as f32);
                sums.add(value);
            }
            Self::Wide(values) => values.push(value),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Narrow(values, _) => values.len(),
            Self::Wide(values) => values.len(),
        }
    }

    /// Returns the spread of narrow values.
    pub(super) fn spread(&self) -> Spread {
        match self {
            Self::Narrow(_, sums) => sums.spread(),
            Self::Wide(_) => Spread::default(),
        }
    }
}
