//! Sums, sweeps and passes over rows of few values, in AVX-512, AVX2 and portable form with the same bits.
//! Single rows are multiplied and added by the Lasso's kernels for columns.

use crate::algebra::{SparseColumns, sparse_add, sparse_product};
#[cfg(target_arch = "x86_64")]
use crate::f64x8::{Avx2, Avx512};
use crate::f64x8::{F64x8, LANES, Portable};

raddle_base::vector_kernels!(F64x8: Portable, Avx2, Avx512);

/// The sum of all rows, each times a factor.
pub struct Sum<'a> {
    pub rows: SparseColumns<'a>,
    pub factors: &'a [f64],
    pub out: &'a mut [f64],
}

impl Sum<'_> {
    /// Adds the rows to `out`.
    pub fn add_up(self) {
        run(self);
    }
}

impl Kernel for Sum<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: F64x8>(self) {
        for (row, &factor) in self.factors.iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
            let (columns, values) = self.rows.column(row);
            sparse_add(self.out, factor, columns, values);
        }
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
    fn settle<L: F64x8>(
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

/// A sweep over coordinates in order and back, each set to its best dual value.
pub struct DoubleSweep<'a> {
    pub rows: SparseColumns<'a>,
    pub coordinates: &'a [Coordinate],
    /// Dual values, in the order of the coordinates.
    pub a: &'a mut [f64],
    pub w: &'a mut [f64],
}

impl DoubleSweep<'_> {
    /// Sweeps forward and back.
    pub fn sweep(self) {
        run(self);
    }
}

impl Kernel for DoubleSweep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: F64x8>(self) {
        for (coordinate, a) in self.coordinates.iter().zip(self.a.iter_mut()) {
            let _ = coordinate.settle::<L>(self.rows, a, self.w, None);
        }
        for (coordinate, a) in self.coordinates.iter().zip(self.a.iter_mut()).rev() {
            let _ = coordinate.settle::<L>(self.rows, a, self.w, None);
        }
    }
}

/// A pass over coordinates in groups, from which those are removed that a bound holds by more than the
/// thresholds; returns the largest and the smallest projected slope, and the number of values read.
pub struct Pass<'a> {
    pub rows: SparseColumns<'a>,
    pub groups: &'a mut [Vec<Coordinate>],
    pub a: &'a mut [f64],
    pub w: &'a mut [f64],
    pub thresholds: (f64, f64),
}

impl Pass<'_> {
    /// Visits the coordinates; returns the largest and the smallest projected slope, and the number of values
    /// read.
    pub fn visit(self) -> (f64, f64, usize) {
        run(self)
    }
}

impl Kernel for Pass<'_> {
    type Output = (f64, f64, usize);

    #[inline(always)]
    fn run<L: F64x8>(self) -> (f64, f64, usize) {
        let (most, least) = self.thresholds;
        let (mut highest, mut lowest, mut visited) = (f64::NEG_INFINITY, f64::INFINITY, 0);
        for group in self.groups {
            // A loop, as a closure would be compiled without the form's instructions.
            let mut kept = 0;
            for at in 0..group.len() {
                let coordinate = group[at];
                let row = coordinate.row as usize;
                visited += self.rows.column(row).0.len();
                let bounds = Bounds { before: self.a[row], upper: coordinate.upper, most, least };
                let Some(slope) = coordinate.settle::<L>(self.rows, &mut self.a[row], self.w, Some(bounds))
                else {
                    continue;
                };
                let is_at_bound = (bounds.before == 0.0 && slope >= 0.0)
                    || (bounds.before == coordinate.upper && slope <= 0.0);
                let projected = if is_at_bound { 0.0 } else { slope };
                (highest, lowest) = (highest.max(projected), lowest.min(projected));
                group[kept] = coordinate;
                kept += 1;
            }
            group.truncate(kept);
        }
        (highest, lowest, visited)
    }
}

/// The downward slope of the squared hinge's sum along a line, and its growth, at a step from these margins.
pub struct Squares<'a> {
    pub margins: &'a [f64],
    pub along: &'a [f64],
    pub costs: &'a [f64],
    pub t: f64,
}

impl Squares<'_> {
    /// Returns the downward slope, and its growth.
    pub fn slope(self) -> (f64, f64) {
        run(self)
    }

    /// Adds the rows to sums, one lane each.
    #[inline(always)]
    fn add(&self, (margins, along, costs): Three<'_>, (down, curved): (&mut Lanes, &mut Lanes)) {
        for lane in 0..margins.len() {
            let short = (1.0 - (margins[lane] + self.t * along[lane])).max(0.0);
            let steep = 2.0 * costs[lane] * along[lane];
            down[lane] += steep * short;
            // Without a branch: which rows have too small margins is unpredictable.
            curved[lane] += if short > 0.0 { steep * along[lane] } else { 0.0 };
        }
    }
}

/// Margins, their changes along the line, and costs.
type Three<'a> = (&'a [f64], &'a [f64], &'a [f64]);
type Lanes = [f64; LANES];

impl Kernel for Squares<'_> {
    type Output = (f64, f64);

    #[inline(always)]
    fn run<L: F64x8>(self) -> (f64, f64) {
        let (mut down, mut curved) = ([0.0; LANES], [0.0; LANES]);
        let ((margins, m), (along, a), (costs, c)) = (
            self.margins.as_chunks::<LANES>(),
            self.along.as_chunks::<LANES>(),
            self.costs.as_chunks::<LANES>(),
        );
        for ((margins, along), costs) in margins.iter().zip(along).zip(costs) {
            self.add((margins, along, costs), (&mut down, &mut curved));
        }
        self.add((m, a, c), (&mut down, &mut curved));
        (L::load(&down).sum(), L::load(&curved).sum())
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
            let thresholds = (0.5, -0.5);
            let pass = Pass { rows, groups: &mut groups, a: &mut a, w: &mut w, thresholds };
            let (highest, lowest, visited) = pass.visit();
            DoubleSweep { rows, coordinates: &coordinates, a: &mut a, w: &mut w }.sweep();
            Sum { rows, factors: &a, out: &mut sum }.add_up();
            let (down, curved) = Squares { margins: &a, along: &sum[..36], costs: &a, t: 0.3 }.slope();
            let numbers =
                [highest, lowest, visited as f64, down, curved].into_iter().chain(a).chain(w).chain(sum);
            numbers.map(f64::to_bits).collect()
        };
        let forms: Vec<Vec<u64>> = SimdLevel::available().into_iter().map(|form| form.during(bits)).collect();
        assert!(forms[0].iter().any(|bits| f64::from_bits(*bits) > 0.0));
        assert!(forms.windows(2).all(|two| two[0] == two[1]), "{} forms", forms.len());
    }
}
