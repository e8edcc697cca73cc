//! Selection of the columns that enter the working set: how many, and which violate most.

/// How a working set grows.
struct Growth {
    /// Largest size of the first working set.
    first: usize,
    /// A later working set may be this many times as large as the support.
    factor: f64,
}

impl Growth {
    /// For n rows: fewer rows can distinguish fewer columns, and a set larger than n makes the Gram singular.
    fn for_rows(rows: usize) -> Self {
        if rows < 100 { Self { first: 40, factor: 1.5 } } else { Self { first: 100, factor: 2.0 } }
    }
}

/// Smallest number of columns to add.
const LEAST: usize = 10;

/// Returns how many columns to add to a working set with `support` nonzero coefficients and `rows` rows:
/// max(first, factor * support) - support, at most half of rows - support, at least 10.
///
/// The second bound keeps the support from reaching n, where the Gram is singular and Newton steps fail: it
/// does what a continuation in lambda would, at the wanted lambda from the start and without parameters.
pub fn columns_to_add(rows: usize, support: usize) -> usize {
    let growth = Growth::for_rows(rows);
    let size = growth.first.max((growth.factor * support as f64) as usize);
    size.saturating_sub(support).min(rows.saturating_sub(support) / 2).max(LEAST)
}

/// Returns the `most` columns with the largest |c|, of those with |c| > `threshold` that `skip` does not
/// name, by descending |c| and then by column. `first` is the column of `c[0]`. NaN counts as no violation.
pub fn top_violators(
    first: u32,
    c: &[f64],
    threshold: f64,
    most: usize,
    skip: impl Fn(u32) -> bool,
) -> Vec<(u32, f64)> {
    let named = (first..).zip(c.iter().copied());
    let mut violators: Vec<(u32, f64)> = named.filter(|&(j, c)| c.abs() > threshold && !skip(j)).collect();
    let worst_first =
        |a: &(u32, f64), b: &(u32, f64)| b.1.abs().total_cmp(&a.1.abs()).then_with(|| a.0.cmp(&b.0));
    if violators.len() > most {
        violators.select_nth_unstable_by(most, worst_first);
        violators.truncate(most);
    }
    violators.sort_unstable_by(worst_first);
    violators
}

/// Key that orders (column, x_j'r) by falling |x_j'r|, equal ones by column.
pub(crate) fn worst_first(&(variable, gradient): &(u32, f64)) -> (std::cmp::Reverse<u64>, u32) {
    (std::cmp::Reverse(gradient.abs().to_bits()), variable)
}

/// Keeps the `most` entries with the largest |x_j'r|, in no order.
pub(crate) fn keep_worst(violators: &mut Vec<(u32, f64)>, most: usize) {
    if violators.len() > most {
        violators.select_nth_unstable_by_key(most, worst_first);
        violators.truncate(most);
    }
}
