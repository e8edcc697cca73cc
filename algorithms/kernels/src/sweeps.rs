//! Sums, sweeps and passes over rows of few values, in AVX-512, AVX2 and portable form with the same bits.
//! Single rows are multiplied and added by the Lasso's kernels for columns.

use crate::algebra::lanes::{LANES, Lanes, Portable};
use crate::algebra::{SparseColumns, sparse_add, sparse_product};
#[cfg(target_arch = "x86_64")]
use crate::f64x8::{Avx2, Avx512};

raddle_base::vector_kernels!(Lanes: Portable, Avx2, Avx512);

in_every_form! {
    /// Adds all rows, each times its factor, to `out`.
    pub fn add_rows(rows: SparseColumns<'_>, factors: &[f64], out: &mut [f64]) = add_rows_in;

    /// Sweeps over coordinates in order and back, each set to its best dual value. Dual values are in the
    /// order of the coordinates.
    pub fn double_sweep(rows: SparseColumns<'_>, coordinates: &[Coordinate], a: &mut [f64], w: &mut [f64]) =
        double_sweep_in;

    /// Passes over coordinates in groups, from which those are removed that a bound holds by more than the
    /// thresholds; returns the largest and the smallest projected slope, and the number of values read.
    pub fn pass(
        rows: SparseColumns<'_>,
        groups: &mut [Vec<Coordinate>],
        a: &mut [f64],
        w: &mut [f64],
        max_slope: f64,
        min_slope: f64,
    ) -> (f64, f64, usize) = pass_in;

    /// Returns the downward slope of the squared hinge's sum along a line, and its growth, at the step `t`
    /// from these margins, which change by `along`.
    pub fn squares_slope(margins: &[f64], along: &[f64], costs: &[f64], t: f64) -> (f64, f64) = squares_in;
}

#[inline(always)]
fn add_rows_in<L: Lanes>(rows: SparseColumns<'_>, factors: &[f64], out: &mut [f64]) {
    for (row, &factor) in factors.iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
        let (columns, values) = rows.column(row);
        sparse_add(out, factor, columns, values);
    }
}

/// One coordinate of a hinge loss's dual.
#[derive(Clone, Copy)]
pub struct Coordinate {
    pub row: u32,
    pub sign: f64,
    /// Curvature that the loss adds to the squared norm of the row.
    pub own: f64,
    pub curvature: f64,
    pub upper: f64,
}

/// Bounds of a dual value, with the slopes beyond which a value at a bound is set aside for a while.
#[derive(Clone, Copy)]
struct Bounds {
    before: f64,
    upper: f64,
    most: f64,
    least: f64,
}

impl Bounds {
    #[inline(always)]
    fn hold(self, slope: f64) -> bool {
        (self.before == 0.0 && slope > self.most) || (self.before == self.upper && slope < self.least)
    }
}

impl Coordinate {
    /// Computes the slope at a dual value, and the best dual value unless it is held at a bound; updates w.
    #[inline(always)]
    fn settle<L: Lanes>(
        &self,
        rows: SparseColumns<'_>,
        a: &mut f64,
        w: &mut [f64],
        bounds: Option<Bounds>,
    ) -> Option<f64> {
        let (columns, values) = rows.column(self.row as usize);
        let slope = self.own.mul_add(*a, self.sign.mul_add(sparse_product::<L>(columns, values, w), -1.0));
        if bounds.is_some_and(|bounds| bounds.hold(slope)) {
            return None;
        }
        // The margin of an empty row is 0 whatever its dual value.
        let wanted = if self.curvature > 0.0 { *a - slope / self.curvature } else { self.upper };
        let next = wanted.max(0.0).min(self.upper);
        if next != *a {
            sparse_add(w, self.sign * (next - *a), columns, values);
            *a = next;
        }
        Some(slope)
    }
}

#[inline(always)]
fn double_sweep_in<L: Lanes>(
    rows: SparseColumns<'_>,
    coordinates: &[Coordinate],
    a: &mut [f64],
    w: &mut [f64],
) {
    for (coordinate, a) in coordinates.iter().zip(a.iter_mut()) {
        let _ = coordinate.settle::<L>(rows, a, w, None);
    }
    for (coordinate, a) in coordinates.iter().zip(a.iter_mut()).rev() {
        let _ = coordinate.settle::<L>(rows, a, w, None);
    }
}

#[inline(always)]
fn pass_in<L: Lanes>(
    rows: SparseColumns<'_>,
    groups: &mut [Vec<Coordinate>],
    a: &mut [f64],
    w: &mut [f64],
    most: f64,
    least: f64,
) -> (f64, f64, usize) {
    let (mut highest, mut lowest, mut visited) = (f64::NEG_INFINITY, f64::INFINITY, 0);
    for group in groups {
        // A loop, as a closure would be compiled without the form's instructions.
        let mut kept = 0;
        for at in 0..group.len() {
            let coordinate = group[at];
            let row = coordinate.row as usize;
            visited += rows.column(row).0.len();
            let bounds = Bounds { before: a[row], upper: coordinate.upper, most, least };
            let Some(slope) = coordinate.settle::<L>(rows, &mut a[row], w, Some(bounds)) else { continue };
            let is_at_bound =
                (bounds.before == 0.0 && slope >= 0.0) || (bounds.before == coordinate.upper && slope <= 0.0);
            let projected = if is_at_bound { 0.0 } else { slope };
            (highest, lowest) = (highest.max(projected), lowest.min(projected));
            group[kept] = coordinate;
            kept += 1;
        }
        group.truncate(kept);
    }
    (highest, lowest, visited)
}

#[inline(always)]
fn squares_in<L: Lanes>(margins: &[f64], along: &[f64], costs: &[f64], t: f64) -> (f64, f64) {
    let (mut down, mut curved) = ([0.0; LANES], [0.0; LANES]);
    let ((margins, m), (along, a), (costs, c)) =
        (margins.as_chunks::<LANES>(), along.as_chunks::<LANES>(), costs.as_chunks::<LANES>());
    for ((margins, along), costs) in margins.iter().zip(along).zip(costs) {
        add_squares([margins, along, costs], t, &mut down, &mut curved);
    }
    add_squares([m, a, c], t, &mut down, &mut curved);
    (L::load(&down).sum(), L::load(&curved).sum())
}

/// Adds rows to sums of the slope and of its growth, a lane each.
#[inline(always)]
fn add_squares(
    [margins, along, costs]: [&[f64]; 3],
    t: f64,
    down: &mut [f64; LANES],
    curved: &mut [f64; LANES],
) {
    for lane in 0..margins.len() {
        let short = (1.0 - (margins[lane] + t * along[lane])).max(0.0);
        let steep = 2.0 * costs[lane] * along[lane];
        down[lane] += steep * short;
        // Without a branch: which rows have too small margins is unpredictable.
        curved[lane] += if short > 0.0 { steep * along[lane] } else { 0.0 };
    }
}

#[cfg(test)]
mod tests {
    use raddle_base::simd_level::SimdLevel;

    use super::*;

    /// Rows of 0 to 20 values.
    fn rows() -> (Vec<usize>, Vec<u32>, Vec<f64>) {
        let lengths = (0..60_usize).map(|row| row * 7 % 21);
        let starts: Vec<usize> = std::iter::once(0)
            .chain(lengths.scan(0, |sum, of| {
                *sum += of;
                Some(*sum)
            }))
            .collect();
        let count = starts[60];
        let value = |at: usize| ((at * 37 % 101) as f64 - 50.0) / 7.0;
        (starts, (0..count).map(|at| (at * 13 % 40) as u32).collect(), (0..count).map(value).collect())
    }

    #[test]
    fn every_form_gives_the_same_bits() {
        let (starts, columns, values) = rows();
        let rows = SparseColumns { starts: &starts, rows: &columns, values: &values };
        let coordinate = |row: usize| {
            let square: f64 = rows.column(row).1.iter().map(|value| value * value).sum();
            let sign = if row.is_multiple_of(3) { 1.0 } else { -1.0 };
            Coordinate { row: row as u32, sign, own: 0.05, curvature: square + 0.05, upper: 0.7 }
        };
        let coordinates: Vec<Coordinate> = (0..60).map(coordinate).collect();
        let bits = || -> Vec<u64> {
            let (mut a, mut w, mut sum) = (vec![0.0; 60], vec![0.0; 40], vec![0.0; 40]);
            let mut groups: Vec<Vec<Coordinate>> = coordinates.chunks(16).map(<[_]>::to_vec).collect();
            let (highest, lowest, visited) = pass(rows, &mut groups, &mut a, &mut w, 0.5, -0.5);
            double_sweep(rows, &coordinates, &mut a, &mut w);
            add_rows(rows, &a, &mut sum);
            let (down, curved) = squares_slope(&a, &sum[..36], &a, 0.3);
            let numbers =
                [highest, lowest, visited as f64, down, curved].into_iter().chain(a).chain(w).chain(sum);
            numbers.map(f64::to_bits).collect()
        };
        let forms: Vec<Vec<u64>> = SimdLevel::available().into_iter().map(|form| form.during(bits)).collect();
        assert!(forms[0].iter().any(|bits| f64::from_bits(*bits) > 0.0));
        assert!(forms.windows(2).all(|two| two[0] == two[1]), "{} forms", forms.len());
    }
}
