//! Slopes and norms of groups, for the conclusion of a boundary.

use crate::penalties::Terms;

/// Returns the slope of the loss minus that of the ridge.
pub(super) fn less(slope: f64, ridge: f64, coefficient: f64) -> f64 {
    if ridge > 0.0 { slope - ridge * coefficient } else { slope }
}

/// Returns the largest |x_g'r - R b_g|_2 of the groups whose columns are given.
pub(super) fn largest_group<'a>(
    terms: &Terms,
    columns: impl Iterator<Item = (&'a (u32, f64), &'a f64)>,
    ridge: f64,
) -> f64 {
    let mut columns: Vec<(u32, f64)> = columns
        .map(|(&(j, value), &slope)| (j, less(slope, ridge * terms.ridge(j as usize), value)))
        .collect();
    columns.sort_unstable_by_key(|&(j, _)| j);
    by_group(terms, &columns).into_iter().fold(0.0, f64::max)
}

/// Returns the sum of |b_g|_2.
pub(super) fn norm(terms: &Terms, columns: &[(u32, f64)]) -> f64 {
    by_group(terms, columns).into_iter().sum()
}

/// Returns the norm of each group; the columns are in order.
fn by_group(terms: &Terms, columns: &[(u32, f64)]) -> Vec<f64> {
    let groups = columns.chunk_by(|a, b| terms.group(a.0 as usize) == terms.group(b.0 as usize));
    groups.map(|group| group.iter().map(|(_, value)| value * value).sum::<f64>().sqrt()).collect()
}
