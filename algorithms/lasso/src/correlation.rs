//! What ties columns together: their correlations.

use raddle::schedule::Dependencies;

use crate::design::View;
use crate::kernels::{RowPiece, gram_by_rows, gram_lower, sum_squares};

/// Dense correlations are estimated on about so many rows where a sample will do: enough to see 0.8.
const DENSE_SAMPLE: usize = 128;

/// Sparse ones on so many rows: a column has few entries in each.
const SPARSE_SAMPLE: usize = 1024;

/// |x_i'x_j| / (|x_i| |x_j|) for all pairs; 0 where a column is constant or missing. With `sample` it is estimated on
/// evenly strided rows.
pub(crate) fn correlations(views: &[Option<View<'_>>], rows: usize, sample: bool) -> Dependencies {
    let count = views.len();
    let products = match views.iter().flatten().next() {
        Some(View::Dense(_)) => dense(views, if sample { rows.div_ceil(DENSE_SAMPLE) } else { 1 }),
        Some(View::Sparse { .. }) => {
            // A power of two: which rows belong to it is one mask, where a division would cost more than the products.
            sparse(views, rows, if sample { (rows / SPARSE_SAMPLE).next_power_of_two() } else { 1 })
        }
        None => vec![0.0; count * count],
    };
    let mut dependencies = Dependencies::none(count);
    for i in 1..count {
        for j in 0..i {
            dependencies.set(j, i, products[i * count + j].abs() as f32);
        }
    }
    dependencies
}

/// Products of the columns' sampled values, each column scaled to length 1 there: below the diagonal of count^2.
fn dense(views: &[Option<View<'_>>], stride: usize) -> Vec<f64> {
    let unit = |view: &Option<View<'_>>| {
        let sampled = view.and_then(View::filled).unwrap_or(&[]).iter().step_by(stride.max(1));
        let mut sampled: Vec<f64> = sampled.copied().collect();
        let norm = sum_squares(&sampled).sqrt();
        sampled.iter_mut().for_each(|value| *value *= if norm > 0.0 { 1.0 / norm } else { 0.0 });
        sampled
    };
    let units: Vec<Vec<f64>> = views.iter().map(unit).collect();
    let length = units.iter().map(Vec::len).max().unwrap_or(0);
    // A missing column is zero everywhere.
    let zeros = vec![0.0; length];
    let columns: Vec<&[f64]> =
        units.iter().map(|unit| if unit.is_empty() { &zeros } else { &unit[..] }).collect();
    let mut products = vec![0.0; columns.len() * columns.len()];
    gram_lower(&columns, &mut products, columns.len());
    products
}

/// Unbiased estimates of the correlations from every `stride`-th row: scaled by the whole columns' norms, not by
/// those of the sample, so that two rare columns that meet in one sampled row do not look alike.
fn sparse(views: &[Option<View<'_>>], rows: usize, stride: usize) -> Vec<f64> {
    let count = views.len();
    let stride = stride.next_power_of_two() as u32;
    let (mask, shift) = (stride - 1, stride.trailing_zeros());
    let sampled: Vec<(Vec<u32>, Vec<f64>)> = views
        .iter()
        .map(|view| {
            let (indices, values) = view.and_then(View::stored).unwrap_or((&[], &[]));
            let kept = indices.iter().zip(values).filter(|(row, _)| *row & mask == 0);
            kept.map(|(row, value)| (row >> shift, *value)).unzip()
        })
        .collect();
    let columns: Vec<(&[u32], &[f64])> =
        sampled.iter().map(|(rows, values)| (&rows[..], &values[..])).collect();
    let mut piece = RowPiece::new(0..rows.div_ceil(stride as usize) as u32);
    piece.append(&columns);
    let mut products = vec![0.0; count * count];
    gram_by_rows(&piece, 0, &mut products, count);
    let about = |view: &Option<View<'_>>| {
        view.map_or((0.0, 0.0), |view| (view.sum_squares(rows).sqrt(), view.shift()))
    };
    let about: Vec<(f64, f64)> = views.iter().map(about).collect();
    for i in 0..count {
        for j in 0..i {
            let ((a, shift), (b, other)) = (about[i], about[j]);
            let product = products[i * count + j] * f64::from(stride) - rows as f64 * shift * other;
            products[i * count + j] =
                if a > 0.0 && b > 0.0 { (product / (a * b)).clamp(-1.0, 1.0) } else { 0.0 };
        }
    }
    products
}
