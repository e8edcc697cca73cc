//! Conjugate gradients on the dual of the hinge losses, preconditioned by sweeps. A double sweep goes over a
//! fixed order of the free rows forward and back and sets each to its best dual value within its bounds; then
//! the best point of the plane of this step and the last one is taken, in which rows at their bounds take no
//! part.
//!
//! For a quadratic function without bounds, these are preconditioned conjugate gradients with symmetric
//! Gauss-Seidel sweeps (Axelsson, "A survey of preconditioned iterative methods", 1985) in the form of
//! Takahashi, 1965. No step makes the dual objective worse.

use raddle::cancellation_point;

use super::judge::{Judge, Weights};
use crate::data::binary::Binary;
use raddle_kernels::algebra::dot;
use raddle_kernels::sweeps::{Coordinate, double_sweep};

/// Double sweeps between two passes that look at all rows.
const SWEEPS: usize = 10;

/// Limit on the squared length of a step relative to that of the weights, above which its slopes are computed
/// from w.
const COARSE: f64 = 1e-9;

/// Makes ten double sweeps from dual values and from the last step, which is empty if there was none; the
/// final point is offered. `known` are the weights that follow from the initial point, if known; returns
/// those of the final point.
pub(crate) fn sweeps(
    judge: &mut Judge<'_>,
    (all, known): (&mut [f64], Option<Weights>),
    last_of_all: &mut Vec<f64>,
) -> Weights {
    let binary = judge.binary;
    let Weights { w, margins } = known.unwrap_or_else(|| Weights::of(binary, all));
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
    judge.offer(all)
}

/// The free rows: their dual values, the last step, and how the step moved w. The objective to minimise is
/// |w|^2 / 2 + sum own a^2 / 2 - sum a.
struct Face<'a> {
    binary: &'a Binary<'a>,
    free: &'a [Coordinate],
    a: Vec<f64>,
    last: Vec<f64>,
    moved: Vec<f64>,
    /// Weights before the step; then those that follow from `a`.
    before: Vec<f64>,
    w: Vec<f64>,
}

impl Face<'_> {
    /// Makes a double sweep, and goes to the best point of the plane of its step and the last one.
    fn step(&mut self) {
        let (rows, free) = (self.binary.rows, self.free);
        let a_before = self.a.clone();
        cancellation_point(4 * rows.stored() as u64);
        double_sweep(rows.view(), free, &mut self.a, &mut self.w);
        // Directions for the rows between their bounds: the sweep's step, and the last one.
        let (mut z, mut p) = (vec![0.0; free.len()], vec![0.0; free.len()]);
        let mut dz: Vec<f64> =
            self.w.iter().zip(&self.before).map(|(after, before)| after - before).collect();
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
        let (along, beyond, gained) = self.best((&z, &dz), &p);
        let mut w = vec![0.0; dz.len()];
        let parts = self.w.iter().zip(&dz).zip(&self.moved);
        w.iter_mut().zip(parts).for_each(|(to, ((w, dz), dp))| *to = w + along * dz + beyond * dp);
        let mut a = self.a.clone();
        // The change of the objective is added up row by row: the objective itself stops changing in its last
        // digits long before the margins do.
        let mut change = -gained;
        for (at, of) in free.iter().enumerate() {
            let wanted = self.a[at] + along * z[at] + beyond * p[at];
            a[at] = wanted.clamp(0.0, of.upper);
            if a[at] != wanted {
                let (row, back) = (of.row as usize, a[at] - wanted);
                let slope = of.sign * rows.dot(row, &w) - 1.0 + of.own * wanted;
                change += back * (slope + 0.5 * back * of.curvature);
                rows.add(row, of.sign * back, &mut w);
            }
        }
        // If cutting to the bounds makes the objective worse, the step ends at the first bound.
        if change <= 0.0 {
            (self.a, self.w) = (a, w);
        } else {
            let room = |(at, of): (usize, &Coordinate)| {
                let (a, step) = (self.a[at], along * z[at] + beyond * p[at]);
                let to = if step < 0.0 { -a } else { of.upper - a };
                if step == 0.0 { f64::INFINITY } else { to / step }
            };
            let part = free.iter().enumerate().map(room).fold(1.0, f64::min);
            for (at, of) in free.iter().enumerate() {
                self.a[at] = (self.a[at] + part * (along * z[at] + beyond * p[at])).clamp(0.0, of.upper);
            }
            let parts = self.w.iter_mut().zip(&dz).zip(&self.moved);
            parts.for_each(|((w, dz), dp)| *w += part * (along * dz + beyond * dp));
        }
        self.last = self.a.iter().zip(&a_before).map(|(after, before)| after - before).collect();
        for ((moved, before), after) in self.moved.iter_mut().zip(&mut self.before).zip(&self.w) {
            (*moved, *before) = (after - *before, *after);
        }
    }

    /// Returns the multiples of the sweep's step, which moves w by dz, and of the last step that minimise the
    /// objective on their plane; and the decrease.
    fn best(&self, (z, dz): (&[f64], &[f64]), p: &[f64]) -> (f64, f64, f64) {
        let dp = &self.moved;
        let [mut zz, mut zp, mut pp] = [dot(dz, dz), dot(dz, dp), dot(dp, dp)];
        // Slopes of the directions from their changes of w or, if rounding of w would hide these, from the
        // margins of rows.
        let is_coarse = zz > COARSE * dot(&self.w, &self.w);
        let [mut gz, mut gp] = if is_coarse { [dot(&self.w, dz), dot(&self.w, dp)] } else { [0.0; 2] };
        for (at, of) in self.free.iter().enumerate().filter(|(at, _)| z[*at] != 0.0 || p[*at] != 0.0) {
            let (z, p) = (z[at], p[at]);
            let margin =
                if is_coarse { 0.0 } else { of.sign * self.binary.rows.dot(of.row as usize, &self.w) };
            let slope = margin + of.own * self.a[at] - 1.0;
            gz += slope * z;
            gp += slope * p;
            zz += of.own * z * z;
            zp += of.own * z * p;
            pp += of.own * p * p;
        }
        let determinant = zz * pp - zp * zp;
        let (along, beyond) = if determinant > 1e-12 * zz * pp {
            ((gp * zp - gz * pp) / determinant, (gz * zp - gp * zz) / determinant)
        } else if zz > 0.0 {
            (-gz / zz, 0.0)
        } else {
            (0.0, 0.0)
        };
        (along, beyond, -0.5 * (gz * along + gp * beyond))
    }
}
