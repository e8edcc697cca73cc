//! Mehrotra's interior point on the dual of the hinge loss: a box, whose two sides have multipliers s and t.

use super::factor::Factor;
use crate::data::problem::Problem;
use crate::loss::{Certificate, Loss, weights_of};

const STEPS: usize = 80;
/// Part of the way to the nearest bound that is gone.
const SHARE: f64 = 0.995;

/// Dual point to this relative gap, or as near as rounding lets it. `None` where there is no factor.
pub(crate) fn interior(problem: &Problem, costs: &[f64], target: f64) -> Option<Vec<f64>> {
    let (rows, signs) = (&problem.rows, &problem.signs);
    let some: Vec<usize> = (0..rows.count()).filter(|&row| costs[row] > 0.0).collect();
    let mut a: Vec<f64> = costs.iter().map(|c| c / 2.0).collect();
    let w = weights_of(problem, &a);
    let beyond = |w: &[f64], row: usize| signs[row] * rows.dot(row, w) - 1.0;
    let mut s: Vec<f64> = (0..rows.count()).map(|row| beyond(&w, row).max(0.0) + 1.0).collect();
    let mut t: Vec<f64> = (0..rows.count()).map(|row| (-beyond(&w, row)).max(0.0) + 1.0).collect();
    let mut best: Option<(f64, Vec<f64>)> = None;
    for _ in 0..STEPS {
        let w = weights_of(problem, &a);
        let gap = Certificate::of(problem, Loss::Hinge, costs, &a, &w).gap();
        if best.as_ref().is_none_or(|(least, _)| gap < *least) {
            best = Some((gap, a.clone()));
        }
        if gap <= target {
            break;
        }
        let residual: Vec<f64> = (0..a.len()).map(|row| beyond(&w, row) - s[row] + t[row]).collect();
        let mut r = vec![0.0; a.len()];
        some.iter().for_each(|&row| r[row] = 1.0 / (s[row] / a[row] + t[row] / (costs[row] - a[row])));
        let Some(factor) = Factor::new(rows, &r) else { break };
        // The step for these two products that are wanted, a s and (c - a) t, less those that are.
        let step = |wanted: &dyn Fn(usize) -> (f64, f64)| -> Step {
            let mut right = vec![0.0; a.len()];
            let mut sum = vec![0.0; rows.width()];
            for &row in &some {
                let (lower, upper) = wanted(row);
                right[row] = r[row] * (-residual[row] + lower / a[row] - upper / (costs[row] - a[row]));
                rows.add(row, signs[row] * right[row], &mut sum);
            }
            let moved = factor.solve(&sum);
            let mut step = Step { a: right, s: vec![0.0; a.len()], t: vec![0.0; a.len()] };
            for &row in &some {
                step.a[row] -= r[row] * signs[row] * rows.dot(row, &moved);
                let ((lower, upper), da) = (wanted(row), step.a[row]);
                step.s[row] = (lower - s[row] * da) / a[row];
                step.t[row] = (upper + t[row] * da) / (costs[row] - a[row]);
            }
            step
        };
        let far = |step: &Step| -> f64 {
            let to = |value: f64, change: f64| if change < 0.0 { -value / change } else { f64::INFINITY };
            let of = |&row: &usize| {
                let (da, ds, dt) = (step.a[row], step.s[row], step.t[row]);
                to(a[row], da).min(to(costs[row] - a[row], -da)).min(to(s[row], ds)).min(to(t[row], dt))
            };
            (SHARE * some.iter().map(of).fold(f64::INFINITY, f64::min)).min(1.0)
        };
        let products = |along: f64, step: &Step| -> f64 {
            let of = |&row: &usize| {
                let at = a[row] + along * step.a[row];
                at * (s[row] + along * step.s[row]) + (costs[row] - at) * (t[row] + along * step.t[row])
            };
            some.iter().map(of).sum::<f64>() / (2 * some.len()) as f64
        };
        let is = |row: usize| (a[row] * s[row], (costs[row] - a[row]) * t[row]);
        let greedy = step(&|row| (-is(row).0, -is(row).1));
        let (now, then) = (products(0.0, &greedy), products(far(&greedy), &greedy));
        let centre = now * (then / now).powi(3);
        let taken = step(&|row| {
            let second = greedy.a[row];
            (centre - is(row).0 - second * greedy.s[row], centre - is(row).1 + second * greedy.t[row])
        });
        let along = far(&taken);
        let is_number = along > 1e-12 && some.iter().all(|&row| taken.a[row].is_finite());
        if !is_number {
            break;
        }
        for &row in &some {
            a[row] = (a[row] + along * taken.a[row]).clamp(costs[row] * 1e-18, costs[row] * (1.0 - 1e-15));
            s[row] += along * taken.s[row];
            t[row] += along * taken.t[row];
        }
    }
    best.map(|(_, a)| a)
}

/// A direction.
struct Step {
    a: Vec<f64>,
    s: Vec<f64>,
    t: Vec<f64>,
}
