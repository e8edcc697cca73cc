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
}

/// The ratings of a file, joined from its blocks.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) narrow: Vec<f32>,
    /// Values in double precision; then `narrow` is empty.
    pub(super) wide: Option<Vec<f64>>,
    /// Spread of the narrow values.
    pub(super) spread: Spread,
}

impl Gathered {
    pub(super) fn new(precision: Precision, capacity: usize) -> Self {
        let (narrow, wide) = match precision {
            Precision::Double => (0, Some(capacity)),
            Precision::Single => (capacity, None),
        };
        let wide = wide.map(Vec::with_capacity);
        Self { narrow: Vec::with_capacity(narrow), wide, spread: Spread::default() }
    }

    pub(super) fn take(&mut self, values: &Values) {
        match (values, &mut self.wide) {
            (Values::Narrow(values, sums), _) => {
                self.narrow.extend_from_slice(values);
                self.spread.join(&sums.spread());
            }
            (Values::Wide(values), Some(wide)) => wide.extend_from_slice(values),
            // All blocks are read in the same precision.
            (Values::Wide(_), None) => {}
        }
    }
}
