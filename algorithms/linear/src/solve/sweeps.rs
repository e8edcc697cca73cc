//! Conjugate gradients on the dual of the hinge losses, preconditioned by sweeps: over a fixed order of the free rows
//! forward and back, each brought to its best dual value within its bounds; then the best point of the plane of this
//! step and the last one, in which rows at their bounds take no part.
//!
//! Of a quadratic function without bounds these are preconditioned conjugate gradients with symmetric Gauss-Seidel
//! sweeps (Axelsson, "A survey of preconditioned iterative methods", 1985) in the form of Takahashi, 1965. No step is
//! taken that makes the dual objective worse.

use super::judge::Judge;
use crate::data::binary::Binary;
use crate::kernels::{Coordinate, DoubleSweep, run};
use raddle_lasso::kernels::dot;

/// Double sweeps between two passes that look at all rows.
const SWEEPS: usize = 10;

/// Ten double sweeps from dual values, and from the last step, which is without elements if there was none; the point
/// they come to is offered.
pub(crate) fn sweeps(judge: &mut Judge<'_>, all: &mut [f64], last_of_all: &mut Vec<f64>) {
    let binary = judge.binary;
    let w = binary.weights_of(all);
    let margins = binary.margins(&w);
    let is_free = |coordinate: &Coordinate| {
        let a = all[coordinate.row as usize];
        let slope = margins[coordinate.row as usize] - 1.0 + coordinate.own * a;
        (a > 0.0 || slope < 0.0) && (a < coordinate.upper || slope > 0.0)
    };
    let free: Vec<Coordinate> =
        (0..all.len()).filter_map(|row| binary.coordinate(row)).filter(is_free).collect();
    let stored: usize = free.iter().map(|of| binary.rows.row(of.row as usize).0.len()).sum();
    last_of_all.resize(all.len(), 0.0);
    let of_free = |values: &[f64]| free.iter().map(|of| values[of.row as usize]).collect::<Vec<f64>>();
    let mut face = Face {
        binary,
        free: &free,
        a: of_free(all),
        last: of_free(last_of_all),
        moved: vec![0.0; w.len()],
        before: w.clone(),
        w,
    };
    for (of, &step) in free.iter().zip(&face.last).filter(|(_, step)| **step != 0.0) {
        binary.rows.add(of.row as usize, of.sign * step, &mut face.moved);
    }
    (0..SWEEPS).for_each(|_| face.step());
    last_of_all.fill(0.0);
    for (of, (&a, &last)) in free.iter().zip(face.a.iter().zip(&face.last)) {
        (all[of.row as usize], last_of_all[of.row as usize]) = (a, last);
    }
    judge.count(4.0 * SWEEPS as f64 * stored as f64 + 2.0 * binary.rows.stored() as f64);
    judge.offer(all);
}

/// The free rows: their dual values, the last step and how it moved w. What is made small is |w|^2 / 2 +
/// sum own a^2 / 2 - sum a.
struct Face<'a> {
    binary: &'a Binary<'a>,
    free: &'a [Coordinate],
    a: Vec<f64>,
    last: Vec<f64>,
    moved: Vec<f64>,
    /// The weights before the step, and those that follow from `a`.
    before: Vec<f64>,
    w: Vec<f64>,
}

impl Face<'_> {
    /// A double sweep, and the best point of the plane of its step and the last one.
    fn step(&mut self) {
        let (rows, free) = (self.binary.rows, self.free);
        let a_before = self.a.clone();
        run(DoubleSweep { rows, coordinates: free, a: &mut self.a, w: &mut self.w });
        // Directions of the rows between their bounds: the sweep's step, and the last one.
        let (mut z, mut p) = (vec![0.0; free.len()], vec![0.0; free.len()]);
        let mut dz: Vec<f64> = self.w.iter().zip(&self.before).map(|(after, before)| after - before).collect();
        for (at, of) in free.iter().enumerate() {
            let step = self.a[at] - a_before[at];
            if self.a[at] > 0.0 && self.a[at] < of.upper {
                (z[at], p[at]) = (step, self.last[at]);
            } else {
                for (step, moved) in [(step, &mut dz), (self.last[at], &mut self.moved)] {
                    if step != 0.0 {
                        rows.add(of.row as usize, -of.sign * step, moved);
                    }
                }
            }
        }
        let (along, beyond) = self.best((&z, &dz), &p);
        let mut w = vec![0.0; dz.len()];
        let parts = self.w.iter().zip(&dz).zip(&self.moved);
        w.iter_mut().zip(parts).for_each(|(to, ((w, dz), dp))| *to = w + along * dz + beyond * dp);
        let mut a = self.a.clone();
        let mut is_cut = false;
        for (at, of) in free.iter().enumerate() {
            let wanted = self.a[at] + along * z[at] + beyond * p[at];
            a[at] = wanted.clamp(0.0, of.upper);
            if a[at] != wanted {
                rows.add(of.row as usize, of.sign * (a[at] - wanted), &mut w);
                is_cut = true;
            }
        }
        // Where no bound cuts it, the best point of a plane is not worse than another, whatever rounding says.
        if !is_cut || self.change(&a, &w) <= 0.0 {
            (self.a, self.w) = (a, w);
        }
        self.last = self.a.iter().zip(&a_before).map(|(after, before)| after - before).collect();
        for ((moved, before), after) in self.moved.iter_mut().zip(&mut self.before).zip(&self.w) {
            (*moved, *before) = (after - *before, *after);
        }
    }

    /// Change of the objective on the way to other values and their weights: of differences, as two sums would differ
    /// by rounding.
    fn change(&self, a: &[f64], w: &[f64]) -> f64 {
        let of_weights = w.iter().zip(&self.w).map(|(then, now)| 0.5 * (then - now) * (then + now));
        let of = |((of, then), now): ((&Coordinate, &f64), &f64)| (0.5 * of.own * (then + now) - 1.0) * (then - now);
        of_weights.sum::<f64>() + self.free.iter().zip(a).zip(&self.a).map(of).sum::<f64>()
    }

    /// Steps along the sweep's step and the last one, of which the former moves w by dz, that lead to the least
    /// objective of their plane.
    fn best(&self, (z, dz): (&[f64], &[f64]), p: &[f64]) -> (f64, f64) {
        let dp = &self.moved;
        let [mut gz, mut gp] = [dot(&self.w, dz), dot(&self.w, dp)];
        let [mut zz, mut zp, mut pp] = [dot(dz, dz), dot(dz, dp), dot(dp, dp)];
        for (at, of) in self.free.iter().enumerate() {
            let (slope, z, p) = (of.own * self.a[at] - 1.0, z[at], p[at]);
            gz += slope * z;
            gp += slope * p;
            zz += of.own * z * z;
            zp += of.own * z * p;
            pp += of.own * p * p;
        }
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
