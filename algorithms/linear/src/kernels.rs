//! Arithmetic of rows of few values, in AVX-512, AVX2 and portable form with the same bits.
//!
//! A product has eight lanes: stored value t is added to lane t mod 8, and the lanes are added as everywhere. Sums of rows
//! run value by value, one fused multiply-add each.

#[cfg(target_arch = "x86_64")]
use raddle_common::f64x8::{Avx2, Avx512};
use raddle_common::f64x8::{F64x8, LANES, Portable};

raddle::vector_kernels!(F64x8: Portable, Avx2, Avx512);

#[inline(always)]
fn product<L: F64x8>(columns: &[u32], values: &[f64], w: &[f64]) -> f64 {
    let (columns, last_columns) = columns.as_chunks::<LANES>();
    let (values, last_values) = values.as_chunks::<LANES>();
    let mut sum = L::zero();
    for (columns, values) in columns.iter().zip(values) {
        sum = L::load(values).mul_add(L::gather(w, columns), sum);
    }
    if !last_columns.is_empty() {
        sum = L::load_part(last_values).mul_add(L::gather_part(w, last_columns), sum);
    }
    sum.sum()
}

#[inline(always)]
fn add(columns: &[u32], values: &[f64], factor: f64, w: &mut [f64]) {
    for (&column, &value) in columns.iter().zip(values) {
        if let Some(w) = w.get_mut(column as usize) {
            *w = value.mul_add(factor, *w);
        }
    }
}

/// Compressed rows, borrowed: row i has `values[starts[i]..starts[i + 1]]` in the columns
/// `columns[starts[i]..starts[i + 1]]`.
#[derive(Clone, Copy)]
pub(crate) struct RowsView<'a> {
    pub(crate) starts: &'a [usize],
    pub(crate) columns: &'a [u32],
    pub(crate) values: &'a [f64],
}

impl<'a> RowsView<'a> {
    /// Columns and values of a row.
    #[inline(always)]
    pub(crate) fn row(self, row: usize) -> (&'a [u32], &'a [f64]) {
        let stored = self.starts[row]..self.starts[row + 1];
        (&self.columns[stored.clone()], &self.values[stored])
    }
}

/// Products of all rows with a vector.
pub(crate) struct Products<'a> {
    pub(crate) rows: RowsView<'a>,
    pub(crate) w: &'a [f64],
    pub(crate) out: &'a mut [f64],
}

impl Kernel for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: F64x8>(self) {
        for (row, out) in self.out.iter_mut().enumerate() {
            let (columns, values) = self.rows.row(row);
            *out = product::<L>(columns, values, self.w);
        }
    }
}

/// Sum of all rows, each with a factor of its own.
pub(crate) struct Sum<'a> {
    pub(crate) rows: RowsView<'a>,
    pub(crate) factors: &'a [f64],
    pub(crate) out: &'a mut [f64],
}

impl Kernel for Sum<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: F64x8>(self) {
        for (row, &factor) in self.factors.iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
            let (columns, values) = self.rows.row(row);
            add(columns, values, factor, self.out);
        }
    }
}

/// One coordinate of a hinge loss's dual.
#[derive(Clone, Copy)]
pub(crate) struct Coordinate {
    pub(crate) row: u32,
    pub(crate) sign: f64,
    /// Curvature that the loss adds to the square of the row.
    pub(crate) own: f64,
    pub(crate) curvature: f64,
    pub(crate) upper: f64,
}

impl Coordinate {
    /// The slope at a dual value, and the best dual value; w follows it.
    #[inline(always)]
    fn settle<L: F64x8>(
        &self,
        rows: RowsView<'_>,
        a: &mut f64,
        w: &mut [f64],
        is_held: impl FnOnce(f64, f64) -> bool,
    ) -> Option<f64> {
        let (columns, values) = rows.row(self.row as usize);
        let slope = self.own.mul_add(*a, self.sign.mul_add(product::<L>(columns, values, w), -1.0));
        if is_held(slope, self.upper) {
            return None;
        }
        // An empty row: its margin is 0 whatever its dual value.
        let wanted = if self.curvature > 0.0 { *a - slope / self.curvature } else { self.upper };
        let next = wanted.max(0.0).min(self.upper);
        if next != *a {
            add(columns, values, self.sign * (next - *a), w);
            *a = next;
        }
        Some(slope)
    }
}

/// A sweep over coordinates in their order and back, each brought to its best dual value.
pub(crate) struct DoubleSweep<'a> {
    pub(crate) rows: RowsView<'a>,
    pub(crate) coordinates: &'a [Coordinate],
    /// Dual values, in the order of the coordinates.
    pub(crate) a: &'a mut [f64],
    pub(crate) w: &'a mut [f64],
}

impl Kernel for DoubleSweep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: F64x8>(self) {
        for (coordinate, a) in self.coordinates.iter().zip(self.a.iter_mut()) {
            let _ = coordinate.settle::<L>(self.rows, a, self.w, |_, _| false);
        }
        for (coordinate, a) in self.coordinates.iter().zip(self.a.iter_mut()).rev() {
            let _ = coordinate.settle::<L>(self.rows, a, self.w, |_, _| false);
        }
    }
}

/// A pass over coordinates in groups, which lose those that a bound holds by more than the thresholds; gives the largest
/// and the smallest projected slope, and the number of values that were looked at.
pub(crate) struct Pass<'a> {
    pub(crate) rows: RowsView<'a>,
    pub(crate) groups: &'a mut [Vec<Coordinate>],
    pub(crate) a: &'a mut [f64],
    pub(crate) w: &'a mut [f64],
    pub(crate) thresholds: (f64, f64),
}

impl Kernel for Pass<'_> {
    type Output = (f64, f64, usize);

    #[inline(always)]
    fn run<L: F64x8>(self) -> (f64, f64, usize) {
        let (most, least) = self.thresholds;
        let (mut highest, mut lowest, mut visited) = (f64::NEG_INFINITY, f64::INFINITY, 0);
        for group in self.groups {
            group.retain(|coordinate| {
                let row = coordinate.row as usize;
                visited += self.rows.row(row).0.len();
                let before = self.a[row];
                let held = |slope: f64, upper: f64| {
                    (before == 0.0 && slope > most) || (before == upper && slope < least)
                };
                let Some(slope) = coordinate.settle::<L>(self.rows, &mut self.a[row], self.w, held) else {
                    return false;
                };
                let is_at_bound =
                    (before == 0.0 && slope >= 0.0) || (before == coordinate.upper && slope <= 0.0);
                let projected = if is_at_bound { 0.0 } else { slope };
                (highest, lowest) = (highest.max(projected), lowest.min(projected));
                true
            });
        }
        (highest, lowest, visited)
    }
}
