//! Correlations of columns.

use raddle::fork_join;
use raddle::schedule::Dependencies;

use super::design::{Column, View};
use raddle_kernels::algebra::{RowPiece, gram, gram_by_rows, sum_squares};

/// Number of evenly strided rows on which dense correlations are estimated if a sample suffices: enough to
/// detect 0.9.
const DENSE_SAMPLE: usize = 128;

/// Sparse correlations are estimated on this number of runs of [`RUN`] consecutive rows, evenly spread. A
/// column has few entries in each run, and a search finds them without reading the others.
const RUNS: usize = 16;
const RUN: usize = 64;

/// An estimate above this is replaced by the exact correlation if a column has fewer than [`FEW`] entries in
/// the sample.
const DOUBTFUL: f64 = 0.5;
const FEW: usize = 16;

/// Rows of products held at once: a buffer for all of them would take new memory, whose page faults cost more
/// than the products.
const STRIP: usize = 32;

/// Sketch of a column for comparison with others.
#[derive(Debug, Clone)]
pub enum ColumnSketch {
    /// Values of a dense column at equal strides, scaled to length 1. It is taken where the column is, and
    /// only the sketch is sent.
    Unit(Vec<f64>),
    /// A sparse column; how much of it is read depends on the column it is compared with.
    Whole(Column),
}

impl ColumnSketch {
    fn unit(&self) -> Option<&[f64]> {
        match self {
            Self::Unit(unit) => Some(unit),
            Self::Whole(_) => None,
        }
    }

    fn view(&self) -> Option<View<'_>> {
        match self {
            Self::Unit(_) => None,
            Self::Whole(column) => Some(column.view()),
        }
    }
}

raddle::state!(
    enum ColumnSketch {
        Unit(unit),
        Whole(column),
    }
);

/// The rows from which correlations of columns are computed.
#[derive(Debug, Clone, Copy)]
pub struct Correlator {
    /// Number of rows of the columns.
    pub rows: usize,
    /// `true` to estimate on a sample of the rows: good enough to detect
    /// [`CORRELATION_LIMIT`](crate::CORRELATION_LIMIT).
    pub sample: bool,
}

impl Correlator {
    /// Sketches a column.
    pub(crate) fn sketch(self, column: Column) -> ColumnSketch {
        match column.view().filled() {
            Some(values) => ColumnSketch::Unit(self.unit(values)),
            None => ColumnSketch::Whole(column),
        }
    }

    /// Returns the [`correlations`](Self::correlations) from sketches of the columns.
    pub(crate) fn of_sketches(self, sketches: &[Option<&ColumnSketch>]) -> Dependencies {
        let Some(first) = sketches.iter().flatten().find_map(|sketch| sketch.unit()) else {
            let views: Vec<_> = sketches.iter().map(|sketch| sketch.and_then(ColumnSketch::view)).collect();
            return self.correlations(&views);
        };
        // A missing column is zero everywhere.
        let (length, zeros) = (first.len(), vec![0.0; first.len()]);
        let units: Vec<&[f64]> = sketches
            .iter()
            .map(|sketch| {
                sketch.and_then(ColumnSketch::unit).filter(|unit| unit.len() == length).unwrap_or(&zeros)
            })
            .collect();
        dense(&units)
    }

    /// Returns |x_i'x_j| / (|x_i| |x_j|) for all pairs; 0 where a column is constant or missing.
    pub fn correlations(self, views: &[Option<View<'_>>]) -> Dependencies {
        match views.iter().flatten().next() {
            Some(View { indices: None, values, .. }) => {
                let zeros = vec![0.0; values.len()];
                let filled =
                    |view: &Option<View<'_>>| self.unit(view.and_then(View::filled).unwrap_or(&zeros));
                let units: Vec<Vec<f64>> = views.iter().map(filled).collect();
                dense(&units.iter().map(|unit| &unit[..]).collect::<Vec<_>>())
            }
            Some(_) => self.sparse(views),
            None => Dependencies::none(views.len()),
        }
    }

    /// Returns the values of a dense column, all or a sample of them, scaled to length 1; zeros stay zeros.
    fn unit(self, column: &[f64]) -> Vec<f64> {
        let stride = if self.sample { column.len().div_ceil(DENSE_SAMPLE).max(1) } else { 1 };
        let mut unit: Vec<f64> = column.iter().step_by(stride).copied().collect();
        let norm = sum_squares(&unit).sqrt();
        unit.iter_mut().for_each(|value| *value *= if norm > 0.0 { 1.0 / norm } else { 0.0 });
        unit
    }

    /// Returns the correlations of sparse columns from all rows, or estimates from the runs, which are
    /// unbiased as they are scaled by the norms of the whole columns. Where few sampled entries make two rare
    /// columns look alike, all their entries are compared.
    fn sparse(self, views: &[Option<View<'_>>]) -> Dependencies {
        let (count, rows) = (views.len(), self.rows);
        let sample = self.sample && rows > RUNS * RUN;
        let runs: Vec<usize> = (0..RUNS).map(|run| rows * run / RUNS).collect();
        let sampled: Vec<(Vec<u32>, Vec<f64>)> =
            views.iter().filter(|_| sample).map(|view| in_runs(view, &runs)).collect();
        let columns: Vec<(&[u32], &[f64])> = match sample {
            true => sampled.iter().map(|(rows, values)| (&rows[..], &values[..])).collect(),
            false => views.iter().map(stored).collect(),
        };
        let kept = if sample { RUNS * RUN } else { rows };
        let mut piece = RowPiece::new(0..kept as u32);
        piece.append(&columns);
        let mut products = vec![0.0; count * count];
        gram_by_rows(&piece, 0, &mut products, count);
        let scale = rows as f64 / kept as f64;
        let about = |view: &Option<View<'_>>| {
            view.map_or((0.0, 0.0), |view| (view.sum_squares(rows).sqrt(), view.shift))
        };
        let about: Vec<(f64, f64)> = views.iter().map(about).collect();
        let mut dependencies = Dependencies::none(count);
        for (i, row) in dependencies.rows_mut().enumerate() {
            for j in 0..i {
                let ((a, shift), (b, other)) = (about[i], about[j]);
                let correlation = |product: f64| {
                    let centred = product - rows as f64 * shift * other;
                    if a > 0.0 && b > 0.0 { (centred / (a * b)).clamp(-1.0, 1.0) } else { 0.0 }
                };
                let mut estimate = correlation(products[i * count + j] * scale);
                let few = sample && columns[i].0.len().min(columns[j].0.len()) < FEW;
                if few && estimate.abs() > DOUBTFUL {
                    estimate = correlation(meet(&views[i], &views[j]));
                }
                row[j] = estimate.abs() as f32;
            }
        }
        dependencies
    }
}

/// Products of all pairs of columns of equal length, [`STRIP`] rows at a time, on all threads by
/// [`fork_join`].
fn dense(units: &[&[f64]]) -> Dependencies {
    let count = units.len();
    let mut dependencies = Dependencies::none(count);
    let length = units.first().map_or(0, |unit| unit.len());
    let mut rows: Vec<&mut [f32]> = dependencies.rows_mut().collect();
    fork_join::each(
        (count * count * length / 2) as u64,
        rows.chunks_mut(STRIP).enumerate(),
        |(strip, rows)| {
            let (first, end) = (strip * STRIP, strip * STRIP + rows.len());
            let mut products = vec![0.0; rows.len() * end];
            gram(&units[first..end], &units[..end], first, &mut products, end);
            for (row, products) in rows.iter_mut().zip(products.chunks_exact(end)) {
                row.iter_mut().zip(products).for_each(|(strength, product)| *strength = product.abs() as f32);
            }
        },
    );
    dependencies
}

fn stored<'a>(view: &Option<View<'a>>) -> (&'a [u32], &'a [f64]) {
    view.and_then(View::stored).unwrap_or((&[], &[]))
}

/// Returns the product of two sparse columns, whose rows ascend.
fn meet(one: &Option<View<'_>>, other: &Option<View<'_>>) -> f64 {
    let ((rows, values), (others, weights)) = (stored(one), stored(other));
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while i < rows.len() && j < others.len() {
        if rows[i] == others[j] {
            sum += values[i] * weights[j];
        }
        let (row, other) = (rows[i], others[j]);
        i += usize::from(row <= other);
        j += usize::from(other <= row);
    }
    sum
}

/// Returns the entries in the rows `start..start + RUN` for each start, with the rows of the sample numbered
/// consecutively.
fn in_runs(view: &Option<View<'_>>, starts: &[usize]) -> (Vec<u32>, Vec<f64>) {
    let (indices, values) = stored(view);
    let (mut rows, mut kept, mut to) = (Vec::new(), Vec::new(), 0);
    for (run, &start) in starts.iter().enumerate() {
        let from = to + indices[to..].partition_point(|&row| (row as usize) < start);
        // A run has at most as many entries as rows.
        let near = &indices[from..indices.len().min(from + RUN)];
        to = from + near.partition_point(|&row| (row as usize) < start + RUN);
        rows.extend(indices[from..to].iter().map(|&row| (run * RUN + row as usize - start) as u32));
        kept.extend_from_slice(&values[from..to]);
    }
    (rows, kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sparse_view<'a>((rows, values): &'a (Vec<u32>, Vec<f64>)) -> Option<View<'a>> {
        Some(View::sparse(rows, values, 0.0))
    }

    /// Rare columns that share one row, and a duplicate of one of them: a sample of the rows must not take
    /// the first for tied, nor miss the second.
    #[test]
    fn rare_columns_that_meet_once_are_not_tied() {
        let rows = 64 * 1024;
        let column = |other: u32| {
            let mut stored: Vec<u32> = (0..40).map(|at| (at * 1601 + other) % rows).collect();
            stored.push(7);
            stored.sort_unstable();
            stored.dedup();
            let values = vec![1.0; stored.len()];
            (stored, values)
        };
        let columns = [column(100), column(700), column(100)];
        let views: Vec<_> = columns.iter().map(sparse_view).collect();
        let found = Correlator { rows: rows as usize, sample: true }.correlations(&views);
        let shared = columns[0].0.iter().filter(|row| columns[1].0.contains(row)).count() as f64;
        let exact = shared / ((columns[0].0.len() * columns[1].0.len()) as f64).sqrt();
        assert!(f64::from(found.between(0, 1)) <= exact.max(DOUBTFUL) + 1e-6);
        assert!(found.between(0, 2) > 0.999, "{}", found.between(0, 2));
    }

    #[test]
    fn a_sample_has_the_entries_of_its_runs() {
        let rows: Vec<u32> = (0..5 * RUN as u32).step_by(3).collect();
        let column = (rows.clone(), rows.iter().map(|&row| f64::from(row)).collect());
        let starts = [0, RUN + 5, 3 * RUN + 1];
        let number = |row: usize| starts.iter().position(|start| (*start..start + RUN).contains(&row));
        let of_run = |&row: &u32| Some((number(row as usize)?, row));
        let expected = rows.iter().filter_map(of_run);
        let (found, values): (Vec<u32>, Vec<f64>) = expected
            .map(|(run, row)| ((run * RUN + row as usize - starts[run]) as u32, f64::from(row)))
            .unzip();
        assert_eq!(in_runs(&sparse_view(&column), &starts), (found, values));
    }

    /// Without a sample, the correlations follow the definition.
    #[test]
    fn all_rows_give_the_correlations_themselves() {
        let column = |seed: u32| {
            let rows: Vec<u32> = (0..200).filter(|row| (row * 7 + seed * 11) % 5 < 2).collect();
            let values: Vec<f64> = rows.iter().map(|row| f64::from((row * 3 + seed) % 7) - 2.5).collect();
            (rows, values)
        };
        let columns: Vec<_> = (0..5).map(column).collect();
        let views: Vec<_> = columns.iter().map(sparse_view).collect();
        let found = Correlator { rows: 200, sample: false }.correlations(&views);
        let dense = |(rows, values): &(Vec<u32>, Vec<f64>)| {
            let mut dense = [0.0; 200];
            rows.iter().zip(values).for_each(|(&row, value)| dense[row as usize] = *value);
            dense
        };
        let dot = |a: &[f64; 200], b: &[f64; 200]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for i in 1..5 {
            for j in 0..i {
                let (a, b) = (dense(&columns[i]), dense(&columns[j]));
                let expected = dot(&a, &b).abs() / (dot(&a, &a) * dot(&b, &b)).sqrt();
                assert!((f64::from(found.between(i, j)) - expected).abs() < 1e-6);
            }
        }
    }
}
