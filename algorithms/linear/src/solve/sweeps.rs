//! Conjugate gradients on the dual of the hinge losses, preconditioned by sweeps: over a fixed order of the free rows
//! forward and back, each brought to its best dual value within its bounds; then the best point of the plane of this
//! step and the last one, in which rows at their bounds take no part.
//!
//! Of a quadratic function without bounds these are preconditioned conjugate gradients with symmetric Gauss-Seidel
//! sweeps (Axelsson, "A survey of preconditioned iterative methods", 1985) in the form of Takahashi, 1965. No step is
//! taken that makes the dual objective worse.

use super::judge::Judge;
use crate::data::binary::Binary;
use crate::loss::Loss;

/// Double sweeps between two passes that look at all rows.
const SWEEPS: usize = 10;

/// Iterate: dual values, and the last step.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Swept {
    pub(crate) a: Vec<f64>,
    last: Vec<f64>,
}

raddle::state!(Swept { a, last });

impl Swept {
    /// From these dual values.
    pub(crate) fn from(a: &[f64]) -> Self {
        Self { a: a.to_vec(), last: vec![0.0; a.len()] }
    }

    /// `true` if there is a place for each row.
    pub(crate) fn is_of(&self, count: usize) -> bool {
        [&self.a, &self.last].iter().all(|values| values.len() == count)
    }
}

/// Ten double sweeps; the point they come to is offered.
pub(crate) fn sweeps(judge: &mut Judge<'_>, at: &mut Swept) {
    let binary = judge.binary;
    let own: Vec<f64> = match binary.loss {
        Loss::SquaredHinge => binary.costs.iter().map(|c| if *c > 0.0 { 0.5 / c } else { 0.0 }).collect(),
        _ => vec![0.0; binary.count()],
    };
    let mut w = binary.weights_of(&at.a);
    let margins = binary.margins(&w);
    let is_free = |&row: &usize| {
        let (a, slope) = (at.a[row], margins[row] - 1.0 + own[row] * at.a[row]);
        binary.costs[row] > 0.0 && (a > 0.0 || slope < 0.0) && (a < binary.upper(row) || slope > 0.0)
    };
    let free: Vec<usize> = (0..binary.count()).filter(is_free).collect();
    let stored: usize = free.iter().map(|&row| binary.rows.row(row).0.len()).sum();
    let mut moved_last = binary.weights_of(&at.last);
    let plane = Plane { binary, own: &own, free: &free };
    for _ in 0..SWEEPS {
        let (a_before, w_before) = (at.a.clone(), w.clone());
        free.iter().chain(free.iter().rev()).for_each(|&row| plane.settle(row, &mut at.a, &mut w));
        let (a_swept, w_swept) = (at.a.clone(), w.clone());
        let objective = plane.objective(&a_swept, &w_swept);
        // Directions of the rows between their bounds: the sweep's, and the last step.
        let (mut z, mut p) = (vec![0.0; at.a.len()], vec![0.0; at.a.len()]);
        let mut moved: Vec<f64> =
            w_swept.iter().zip(&w_before).map(|(after, before)| after - before).collect();
        for &row in &free {
            let (a, step) = (at.a[row], at.a[row] - a_before[row]);
            if a > 0.0 && a < binary.upper(row) {
                (z[row], p[row]) = (step, at.last[row]);
            } else {
                binary.rows.add(row, -binary.signs[row] * step, &mut moved);
                binary.rows.add(row, -binary.signs[row] * at.last[row], &mut moved_last);
            }
        }
        let (along, beyond) = plane.best((&at.a, &w), (&z, &moved), (&p, &moved_last));
        w.iter_mut().zip(moved.iter().zip(&moved_last)).for_each(|(w, (m, l))| *w += along * m + beyond * l);
        for &row in &free {
            let wanted = at.a[row] + along * z[row] + beyond * p[row];
            at.a[row] = wanted.clamp(0.0, binary.upper(row));
            if at.a[row] != wanted {
                binary.rows.add(row, binary.signs[row] * (at.a[row] - wanted), &mut w);
            }
        }
        let is_better = plane.objective(&at.a, &w) < objective;
        if !is_better {
            (at.a, w) = (a_swept, w_swept);
        }
        for &row in &free {
            at.last[row] = at.a[row] - a_before[row];
        }
        moved_last = w.iter().zip(&w_before).map(|(after, before)| after - before).collect();
    }
    judge.count(4.0 * SWEEPS as f64 * stored as f64 + 2.0 * binary.rows.stored() as f64);
    judge.offer(&at.a);
}

/// The dual objective on the free rows, to be made small: |w|^2 / 2 + sum own a^2 / 2 - sum a.
struct Plane<'a> {
    binary: &'a Binary<'a>,
    own: &'a [f64],
    free: &'a [usize],
}

impl Plane<'_> {
    /// Brings a row to its best dual value.
    fn settle(&self, row: usize, a: &mut [f64], w: &mut [f64]) {
        let binary = self.binary;
        let curvature = binary.rows.square(row) + self.own[row];
        let slope = binary.margin(row, w) - 1.0 + self.own[row] * a[row];
        let upper = binary.upper(row);
        let next = if curvature > 0.0 { (a[row] - slope / curvature).clamp(0.0, upper) } else { upper };
        if next != a[row] {
            binary.rows.add(row, binary.signs[row] * (next - a[row]), w);
            a[row] = next;
        }
    }

    fn objective(&self, a: &[f64], w: &[f64]) -> f64 {
        let of = |&row: &usize| (0.5 * self.own[row] * a[row] - 1.0) * a[row];
        0.5 * product(w, w) + self.free.iter().map(of).sum::<f64>()
    }

    /// Steps along two directions, each with its change of w, that lead to the least objective of their plane.
    fn best(
        &self,
        (a, w): (&[f64], &[f64]),
        (z, dz): (&[f64], &[f64]),
        (p, dp): (&[f64], &[f64]),
    ) -> (f64, f64) {
        let sum = |of: &dyn Fn(usize) -> f64| self.free.iter().map(|&row| of(row)).sum::<f64>();
        let slope = |d: &[f64], moved: &[f64]| {
            product(w, moved) + sum(&|row| (self.own[row] * a[row] - 1.0) * d[row])
        };
        let curved = |d: &[f64], e: &[f64], own: f64| own + sum(&|row| self.own[row] * d[row] * e[row]);
        let (gz, gp) = (slope(z, dz), slope(p, dp));
        let (zz, zp, pp) =
            (curved(z, z, product(dz, dz)), curved(z, p, product(dz, dp)), curved(p, p, product(dp, dp)));
        let determinant = zz * pp - zp * zp;
        if determinant > 1e-12 * zz * pp {
            ((gp * zp - gz * pp) / determinant, (gz * zp - gp * zz) / determinant)
        } else if zz > 0.0 {
            (-gz / zz, 0.0)
        } else {
            (0.0, 0.0)
        }
    }
}

fn product(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
