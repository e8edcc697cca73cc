//! Coefficients on independent columns, for supports that outgrow the rows, where coordinate descent is too
//! slow.
//!
//! If columns of the support depend on each other there is a d with X_S d = 0: along it the fit is constant
//! and |b|_1 is linear, so F does not rise in one of the two directions. Moving until a coefficient vanishes,
//! again and again, ends on independent columns, as every Lasso has a solution with (Tibshirani, "The lasso
//! problem and uniqueness", 2013, section 2): there the face has one minimum, and a Newton step finds it.
//! Coordinate descent instead moves along d in steps of the order of lambda.

use super::local::Local;
use raddle_kernels::algebra::{dot, solve_lower, solve_lower_transposed};

/// A column depends on the basis if, once the basis is projected out, less than this share of its squared
/// norm is left.
pub(super) const DEPENDENT: f64 = 1e-10;

/// Members that are independent under a symmetric matrix, such as the Gram of their columns, with its
/// Cholesky factor row by row.
pub(super) struct Basis {
    pub(super) members: Vec<usize>,
    l: Vec<f64>,
    stride: usize,
    /// A member is independent if more than this share of its diagonal element is left once the basis is
    /// projected out.
    dependent: f64,
}

/// Makes the columns of the support independent without raising F.
pub(crate) fn reduce(local: &mut Local) {
    let mut support: Vec<usize> = (0..local.b.len()).filter(|&i| local.b[i] != 0.0).collect();
    // Large coefficients enter the basis first, as small ones vanish sooner.
    support.sort_by(|&i, &j| local.b[j].abs().total_cmp(&local.b[i].abs()).then(i.cmp(&j)));
    let mut target: Vec<f64> = support.iter().map(|&i| local.b[i]).collect();
    let place: Vec<usize> = {
        let mut place = vec![0; local.b.len()];
        support.iter().enumerate().for_each(|(at, &i)| place[i] = at);
        place
    };
    let mut basis = Basis::new(support.len(), DEPENDENT);
    for &entering in &support {
        let row = local.gram.row(entering);
        let Some(mut shares) = basis.try_push(entering, |i| row[i]) else { continue };
        // Column `entering` is the sum of the basis columns times `shares`: as its coefficient falls by t,
        // theirs change by t times `shares`.
        solve_lower_transposed(&basis.l, basis.stride, &mut shares);
        let own = target[place[entering]];
        let rise: f64 =
            basis.members.iter().zip(&shares).map(|(&i, share)| target[place[i]].signum() * share).sum();
        let way = if rise * own.signum() <= 1.0 { own.signum() } else { -own.signum() };
        let (mut length, mut first) =
            if way == own.signum() { (own.abs(), None) } else { (f64::INFINITY, None) };
        for (at, (&i, share)) in basis.members.iter().zip(&shares).enumerate() {
            let (value, change) = (target[place[i]], way * share);
            if value * change < 0.0 && -value / change < length {
                (length, first) = (-value / change, Some(at));
            }
        }
        if !length.is_finite() {
            continue;
        }
        target[place[entering]] -= way * length;
        for (&i, share) in basis.members.iter().zip(&shares) {
            target[place[i]] += way * length * share;
        }
        match first {
            None => target[place[entering]] = 0.0,
            Some(at) => {
                target[place[basis.members[at]]] = 0.0;
                basis.remove(at);
                // If rounding still makes the column dependent, it stays outside with its coefficient.
                basis.try_push(entering, |i| row[i]);
            }
        }
    }
    local.move_to(&support, &target);
}

impl Basis {
    /// An empty basis with capacity for `most` members.
    pub(super) fn new(most: usize, dependent: f64) -> Self {
        Self { members: Vec::with_capacity(most), l: vec![0.0; most * most], stride: most, dependent }
    }

    /// Adds a member; `element` returns the elements of its row. If it depends on the basis, it stays out and
    /// L^-1 times its elements is returned.
    pub(super) fn try_push(&mut self, member: usize, element: impl Fn(usize) -> f64) -> Option<Vec<f64>> {
        let size = self.members.len();
        let mut row: Vec<f64> = self.members.iter().map(|&i| element(i)).collect();
        solve_lower(&self.l, self.stride, &mut row);
        let diagonal = element(member);
        let pivot = diagonal - dot(&row, &row);
        if size == self.stride || pivot.is_nan() || pivot <= self.dependent * diagonal {
            return Some(row);
        }
        let place = &mut self.l[size * self.stride..][..=size];
        place[..size].copy_from_slice(&row);
        place[size] = pivot.sqrt();
        self.members.push(member);
        None
    }

    /// Returns the solution for these values, one for each member.
    pub(super) fn solve(&self, mut values: Vec<f64>) -> Vec<f64> {
        solve_lower(&self.l, self.stride, &mut values);
        solve_lower_transposed(&self.l, self.stride, &mut values);
        values
    }

    /// Removes the member at `at`: the rows after it move up, and rotations make them triangular again.
    fn remove(&mut self, at: usize) {
        self.members.remove(at);
        let stride = self.stride;
        let mut rotations: Vec<(f64, f64)> = Vec::with_capacity(self.members.len() - at);
        for i in at..self.members.len() {
            self.l.copy_within((i + 1) * stride..(i + 1) * stride + i + 2, i * stride);
            let row = &mut self.l[i * stride..][..i + 2];
            for (j, &(c, s)) in (at..).zip(&rotations) {
                (row[j], row[j + 1]) = (c * row[j] + s * row[j + 1], c * row[j + 1] - s * row[j]);
            }
            let length = libm::hypot(row[i], row[i + 1]);
            rotations.push((row[i] / length, row[i + 1] / length));
            (row[i], row[i + 1]) = (length, 0.0);
        }
    }
}
