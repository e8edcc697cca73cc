//! [`FoldRun`]: identifies a run of a cross-validation.

/// Run of a cross-validation: the path of an l1 ratio on a fold, or the last fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoldRun {
    /// The fold, from 0; `None` for the fit of all rows at the chosen lambda.
    pub fold: Option<usize>,
    /// The share of the l1 norm in the penalty.
    pub l1_ratio: f64,
}
