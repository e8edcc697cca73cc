//! [`Preparation`]: the centring and scaling of data before they are fitted.

/// Preparation of data before they are fitted.
///
/// | name | default | what it does |
/// |---|---|---|
/// | `intercept` | true | centres columns (and the response of the squared loss), fits an intercept |
/// | `standardize` | true | divides columns by their deviation; coefficients stay on the original scale |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preparation {
    /// Intercept and scaling as users of a Lasso expect them.
    Standard {
        /// An intercept is fitted.
        intercept: bool,
        /// Each column is divided by its population standard deviation.
        standardize: bool,
    },
    /// For comparisons: columns centred and scaled, all values stored, the response centred (for the squared
    /// loss); coefficients stay on that scale and there is no intercept.
    DenseStd,
    /// For comparisons: columns as stored, the response centred (for the squared loss); no intercept.
    SparseRaw,
}

impl Default for Preparation {
    fn default() -> Self {
        Self::Standard { intercept: true, standardize: true }
    }
}
