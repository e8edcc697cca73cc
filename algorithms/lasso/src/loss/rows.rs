//! [`Rows`]: the data of each row other than its columns.

use std::sync::Arc;

use super::free::Free;

/// The rows as a loss uses them: responses and, if given, weights and offsets, n values each.
///
/// Weights have the mean 1, so that the sum of the weighted losses is n times what is minimised. They are
/// part of the loss: the residual of a row is minus the derivative of its weighted loss, and every product
/// x_j'r has the same form as without weights. A row of weight 0 counts nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    pub(crate) y: Arc<Vec<f64>>,
    pub(crate) weights: Option<Arc<Vec<f64>>>,
    /// Score of a row without coefficients; empty for a quadratic, whose response it is subtracted from.
    pub(crate) offset: Option<Arc<Vec<f64>>>,
    /// K if each row has a score for each of K classes; else 0. Scores are listed class by class.
    pub(crate) classes: usize,
    /// `true` if an intercept is fitted.
    pub(crate) intercept: bool,
    /// Columns without a penalty.
    pub(crate) free: Option<Arc<Free>>,
}

impl Rows {
    /// Rows without weights or offsets.
    #[cfg(test)]
    pub(crate) fn plain(y: Vec<f64>) -> Self {
        Self { y: Arc::new(y), ..Self::default() }
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.y.len()
    }

    /// Returns the number of scores.
    pub(crate) fn scores(&self) -> usize {
        self.y.len() * self.classes.max(1)
    }

    /// Returns the number of coefficients without a penalty: those of free columns and, with classes, the
    /// intercepts.
    pub(crate) fn parts(&self) -> usize {
        let free = self.free.as_ref().map_or(0, |free| free.len());
        match self.classes {
            0 => free,
            classes => classes * (free + usize::from(self.intercept)),
        }
    }

    /// Converts coefficients along free columns (and intercepts, with classes) to the intercepts by class and
    /// (column, coefficient) of free columns as prepared; with classes, those of a column are adjacent.
    pub(crate) fn told(&self, parts: &[f64]) -> (Vec<f64>, Vec<(u32, f64)>) {
        let of = |parts: &[f64]| self.free.as_ref().map_or_else(Vec::new, |free| free.coefficients(parts));
        if self.classes == 0 {
            return (Vec::new(), of(parts));
        }
        let (parts, count) = (symmetric(parts, self.classes), parts.len() / self.classes);
        let mut intercepts = vec![0.0; self.classes];
        let mut freed = Vec::new();
        for (class, parts) in parts.chunks_exact(count.max(1)).enumerate() {
            if self.intercept {
                intercepts[class] = parts[0];
            }
            let own = of(&parts[usize::from(self.intercept)..]).into_iter();
            freed.extend(own.map(|(column, value)| (column * self.classes as u32 + class as u32, value)));
        }
        freed.sort_unstable_by_key(|&(column, _)| column);
        (intercepts, freed)
    }

    /// Returns the weights, unless all are 1.
    pub(crate) fn weights(&self) -> Option<&[f64]> {
        self.weights.as_ref().map(|weights| &weights[..])
    }

    /// Returns the scores without coefficients and intercept.
    pub(crate) fn start(&self) -> Vec<f64> {
        self.offset.as_ref().map_or_else(|| vec![0.0; self.scores()], |offset| offset.to_vec())
    }

    /// Returns the weighted product of values of rows.
    pub(crate) fn dot(&self, a: &[f64], b: &[f64]) -> f64 {
        match self.weights() {
            None => raddle_kernels::algebra::dot(a, b),
            Some(weights) => a.iter().zip(b).zip(weights).map(|((a, b), weight)| weight * a * b).sum(),
        }
    }

    /// Multiplies values of rows by their weights.
    pub(crate) fn weigh(&self, values: &mut [f64]) {
        if let Some(weights) = self.weights() {
            values.iter_mut().zip(weights).for_each(|(value, weight)| *value *= weight);
        }
    }

    /// Projects the free columns out of the unweighted residual of a quadratic; returns their coefficients
    /// along the basis.
    pub(crate) fn freed(&self, residual: &mut [f64]) -> Vec<f64> {
        let Some(free) = &self.free else { return Vec::new() };
        let parts = free.take_out(self, residual);
        parts.iter().zip(&free.base).map(|(part, base)| part + base).collect()
    }

    /// Returns r'r and y'r of a quadratic, each row weighted once, for the residual r, which is already
    /// weighted.
    pub(crate) fn products(&self, residual: &[f64]) -> (f64, f64) {
        use raddle_kernels::algebra::{dot, sum_squares};
        let yr = dot(&self.y, residual);
        let Some(weights) = self.weights() else { return (sum_squares(residual), yr) };
        let unweighted = |(r, weight): (&f64, &f64)| if *weight > 0.0 { r / weight } else { 0.0 };
        let unweighted: Vec<f64> = residual.iter().zip(weights).map(unweighted).collect();
        (dot(&unweighted, residual), yr)
    }

    /// Returns the weighted response, and the roots of the weights (empty without weights), by which columns
    /// are multiplied for the Gram of a quadratic.
    pub(crate) fn for_gram(&self) -> (Vec<f64>, Vec<f64>) {
        let (mut response, roots) =
            (self.y.to_vec(), self.weights().unwrap_or(&[]).iter().map(|weight| weight.sqrt()));
        self.weigh(&mut response);
        (response, roots.collect())
    }

    /// Returns y'y, weighted.
    pub(crate) fn squares(&self) -> f64 {
        match self.weights() {
            None => raddle_kernels::algebra::sum_squares(&self.y),
            Some(weights) => self.y.iter().zip(weights).map(|(y, weight)| weight * y * y).sum(),
        }
    }
}

/// Subtracts from coefficients that are listed class by class their means over the classes.
pub(crate) fn symmetric(parts: &[f64], classes: usize) -> Vec<f64> {
    let count = parts.len() / classes.max(1);
    let mean = |at: usize| (0..classes).map(|class| parts[class * count + at]).sum::<f64>() / classes as f64;
    let means: Vec<f64> = (0..count).map(mean).collect();
    parts.iter().enumerate().map(|(at, part)| part - means[at % count.max(1)]).collect()
}
