//! [`Weighted`]: solves (R^-1 + Z Z') v = b for Newton steps and interior point methods, by rows or by
//! columns.

use super::gram::{Factor, Lower, Side, factoring};
use crate::data::binary::Binary;

/// Limit on the number of rows that are kept: this factor and the next take no more memory than the largest.
const MOST: usize = 5792;

/// The rows of a factor by rows, in its order.
#[derive(Default)]
pub(crate) struct KeptRows {
    rows: Vec<usize>,
    weights: Vec<f64>,
    factor: Factor,
    /// Number of first rows that are those of the next system, too.
    same: usize,
}

impl KeptRows {
    /// Sorts the rows of the next system so that as many as possible are the first of this one; the others
    /// follow by margin, as those that are next to leave have the largest.
    pub(crate) fn begin(&mut self, next: &mut [usize], r: &[f64], margins: &[f64]) {
        let same = self.rows.iter().zip(&self.weights).take_while(|&(&row, weight)| r[row] == *weight);
        self.same = same.count();
        let mut place = vec![usize::MAX; r.len()];
        self.rows[..self.same].iter().enumerate().for_each(|(at, &row)| place[row] = at);
        next.sort_by(|&a, &b| place[a].cmp(&place[b]).then(margins[a].total_cmp(&margins[b])));
    }

    /// Returns the multiplications that the first rows save.
    pub(crate) fn saved(&self) -> f64 {
        factoring(self.same)
    }
}

/// A factored system of rows with weights r.
pub(crate) struct Weighted<'a> {
    binary: &'a Binary<'a>,
    /// Rows with nonzero weight.
    some: &'a [usize],
    r: &'a [f64],
    factor: Factor,
    side: Side,
}

impl<'a> Weighted<'a> {
    /// Factors I + S Z Z' S with S = R^1/2, or I + Z'RZ; `None` if rounding makes it singular. `gram` is Z Z'
    /// of these rows, or Z'RZ; by columns, no row is kept.
    pub(crate) fn new(
        binary: &'a Binary<'a>,
        (some, r): (&'a [usize], &'a [f64]),
        (side, mut gram): (Side, Lower),
        kept: &KeptRows,
    ) -> Option<Self> {
        if side == Side::Rows {
            let roots: Vec<f64> = some.iter().map(|&row| r[row].sqrt()).collect();
            for (i, root) in roots.iter().enumerate() {
                let line = &mut gram.values[i * gram.stride..][..=i];
                line.iter_mut().zip(&roots).for_each(|(value, other)| *value *= root * other);
            }
        }
        let penalized = gram.order - usize::from(side == Side::Columns && binary.bias.is_free());
        (0..penalized).for_each(|at| gram.add_diagonal(at, 1.0));
        Some(Self { binary, some, r, factor: gram.factored_after(&kept.factor, kept.same)?, side })
    }

    /// Returns the rows with their factor, for the next system; none of one by columns, or of too many.
    pub(crate) fn kept(self) -> KeptRows {
        if self.side == Side::Columns || self.some.len() > MOST {
            return KeptRows::default();
        }
        let weights = self.some.iter().map(|&row| self.r[row]).collect();
        KeptRows { rows: self.some.to_vec(), weights, factor: self.factor, same: 0 }
    }

    /// Returns v for a right side b of all rows, of which those with a weight count; and Z'v. A free
    /// intercept makes the signed sum of v 0: Z'v ends with the intercept.
    pub(crate) fn solve(&self, b: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (binary, mut v) = (self.binary, vec![0.0; b.len()]);
        if self.side == Side::Rows {
            self.by_rows(b, &mut v);
            if !binary.bias.is_free() {
                let sum = binary.weights_of(&v);
                return (v, sum);
            }
            let mut per = vec![0.0; b.len()];
            self.by_rows(&binary.signs, &mut per);
            let total = |of: &[f64]| of.iter().zip(&binary.signs).map(|(v, sign)| v * sign).sum::<f64>();
            let intercept = total(&v) / total(&per);
            v.iter_mut().zip(&per).for_each(|(v, per)| *v -= intercept * per);
            let mut sum = binary.weights_of(&v);
            let last = sum.len() - 1;
            sum[last] = intercept;
            return (v, sum);
        }
        // v = R (b - Z x) with x = (I + Z'RZ)^-1 Z'R b, which equals Z'v.
        let mut x = vec![0.0; binary.rows.width()];
        self.some
            .iter()
            .for_each(|&row| binary.rows.add(row, binary.signs[row] * self.r[row] * b[row], &mut x));
        self.factor.solve(&mut x);
        self.some.iter().for_each(|&row| v[row] = self.r[row] * (b[row] - binary.margin(row, &x)));
        (v, x)
    }

    /// Solves by rows, without a free intercept.
    fn by_rows(&self, b: &[f64], v: &mut [f64]) {
        let mut u: Vec<f64> = self.some.iter().map(|&row| self.r[row].sqrt() * b[row]).collect();
        self.factor.solve(&mut u);
        self.some.iter().zip(u).for_each(|(&row, u)| v[row] = self.r[row].sqrt() * u);
    }
}

#[cfg(test)]
mod tests {
    use raddle::random::Stream;
    use raddle_datasets::embedded;

    use super::*;
    use crate::Problem;
    use crate::loss::Loss;
    use crate::solve::gram::RowProducts;

    /// Solutions by columns and by rows satisfy the system, with all rows, few and none.
    #[test]
    fn solutions_solve_by_columns_and_by_rows() {
        let data = embedded::diabetes();
        let y: Vec<f64> = data.y.iter().map(|y| f64::from(u8::from(*y > 152.0))).collect();
        let problem = Problem::new(&data.x, &y, 1.0).unwrap();
        let binary = problem.binary(0, Loss::Hinge, &[1.0, 1.0]).unwrap();
        let (none, mut compared) = (KeptRows::default(), 0);
        for few in [442_usize, 40, 7, 0] {
            let mut draw = Stream::new(&[few as u64]);
            let r: Vec<f64> = (0..442).map(|row| if row < few { draw.unit() } else { 0.0 }).collect();
            let some: Vec<usize> = (0..442).filter(|&row| r[row] > 0.0).collect();
            let b: Vec<f64> = (0..442).map(|_| draw.unit() - 0.5).collect();
            let mut columns = Lower::zeros(binary.rows.width());
            some.iter().for_each(|&row| columns.add_row(binary.rows, row, r[row]));
            let mut rows = RowProducts::default();
            // Members that come later, and rows that are no members of this system.
            rows.grow(&binary, &some[some.len() / 2..]);
            rows.grow(&binary, &(0..few.div_ceil(2) + 5).collect::<Vec<_>>());
            rows.grow(&binary, &some);
            for (side, gram) in [(Side::Columns, columns), (Side::Rows, rows.of(&binary, &some))] {
                let (v, sum) = Weighted::new(&binary, (&some, &r), (side, gram), &none).unwrap().solve(&b);
                for &row in &some {
                    let back = v[row] / r[row] + binary.margin(row, &sum);
                    assert!((back - b[row]).abs() < 1e-8, "{few} {side:?} {row}: {back}");
                    compared += 1;
                }
            }
        }
        assert_eq!(compared, 2 * (442 + 40 + 7));
    }

    #[test]
    fn the_first_rows_of_another_factor_change_no_bit() {
        let data = embedded::diabetes();
        let y: Vec<f64> = data.y.iter().map(|y| f64::from(u8::from(*y > 152.0))).collect();
        let problem = Problem::new(&data.x, &y, 1.0).unwrap();
        let binary = problem.binary(0, Loss::SquaredHinge, &[1.0, 1.0]).unwrap();
        let mut draw = Stream::new(&[3]);
        let [r, b] = [(); 2].map(|()| (0..442).map(|_| draw.unit()).collect::<Vec<f64>>());
        let mut rows = RowProducts::default();
        rows.grow(&binary, &(0..300).collect::<Vec<_>>());
        let gram = |some: &[usize]| (Side::Rows, rows.of(&binary, some));
        let before: Vec<usize> = (0..200).rev().collect();
        let none = KeptRows::default();
        let mut kept = Weighted::new(&binary, (&before, &r), gram(&before), &none).unwrap().kept();
        // The rows that follow are other ones, more of them or fewer.
        for (same, more) in [(200, 0..0), (130, 250..300), (130, 250..290), (47, 200..300), (5, 200..201)] {
            let mut some: Vec<usize> = before[..same].iter().copied().chain(more).collect();
            let counts = |row: usize| if some.contains(&row) { r[row] } else { 0.0 };
            let now: Vec<f64> = (0..442).map(counts).collect();
            kept.begin(&mut some, &now, &b);
            assert_eq!((kept.same, &some[..same]), (same, &before[..same]));
            let solved = |kept| Weighted::new(&binary, (&some, &now), gram(&some), kept).unwrap().solve(&b);
            assert_eq!(solved(&none), solved(&kept), "{same} of {}", some.len());
        }
    }
}
