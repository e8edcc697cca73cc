//! Newton steps on the primal objective of a loss with a slope: semismooth for the squared hinge.

use super::factor::{Factor, is_possible};
use crate::data::problem::Problem;
use crate::loss::{Certificate, Loss, weights_of};

const STEPS: usize = 60;
/// Halvings of a step, at most.
const HALVINGS: usize = 40;

/// Dual point of the primal optimum, from these weights on, to this relative gap or as near as rounding lets it.
/// `None` where there is no factor.
pub(crate) fn newton(
    problem: &Problem,
    (loss, costs): (Loss, &[f64]),
    from: &[f64],
    target: f64,
) -> Option<Vec<f64>> {
    let rows = &problem.rows;
    let mut w = from.to_vec();
    let margins_of = |w: &[f64]| -> Vec<f64> {
        (0..rows.count()).map(|row| problem.signs[row] * rows.dot(row, w)).collect()
    };
    let lost = |margins: &[f64]| -> f64 {
        let of = |(m, c): (&f64, &f64)| if *c > 0.0 { c * loss.value(*m) } else { 0.0 };
        margins.iter().zip(costs).map(of).sum()
    };
    let half = |w: &[f64]| 0.5 * w.iter().map(|w| w * w).sum::<f64>();
    let mut margins = margins_of(&w);
    let mut best: Option<(f64, Vec<f64>)> = None;
    for _ in 0..STEPS {
        let slopes = |row: usize| {
            let (down, second) = loss.slopes(margins[row]);
            (costs[row] * down, costs[row] * second)
        };
        let (a, r): (Vec<f64>, Vec<f64>) = (0..rows.count()).map(slopes).unzip();
        let of_dual = weights_of(problem, &a);
        let gap = Certificate::of(problem, loss, costs, &a, &of_dual).gap();
        if best.as_ref().is_none_or(|(least, _)| gap < *least) {
            best = Some((gap, a));
        }
        if gap <= target || !is_possible(rows, r.iter().filter(|r| **r > 0.0).count()) {
            break;
        }
        let gradient: Vec<f64> = w.iter().zip(&of_dual).map(|(w, of_dual)| w - of_dual).collect();
        let direction = Factor::new(rows, &r)?.solve(&gradient);
        let along = margins_of(&direction);
        let slope: f64 = gradient.iter().zip(&direction).map(|(g, d)| g * d).sum();
        let now = half(&w) + lost(&margins);
        let stepped = |step: f64| -> (Vec<f64>, Vec<f64>) {
            let w = w.iter().zip(&direction).map(|(w, d)| w - step * d).collect();
            (w, margins.iter().zip(&along).map(|(m, d)| m - step * d).collect())
        };
        let mut steps = (0..HALVINGS).map(|halvings| 0.5_f64.powi(halvings as i32));
        let better = steps.find_map(|step| {
            let (w, margins) = stepped(step);
            (half(&w) + lost(&margins) < now - 1e-4 * step * slope).then_some((w, margins))
        });
        match better {
            Some((next, _)) => {
                margins = margins_of(&next);
                w = next;
            }
            // Rounding hides what the step gains: it is taken once more whole, and the better dual point stays.
            None => {
                let (next, _) = stepped(1.0);
                let margins = margins_of(&next);
                let a: Vec<f64> =
                    (0..rows.count()).map(|row| costs[row] * loss.slopes(margins[row]).0).collect();
                let gap = Certificate::of(problem, loss, costs, &a, &weights_of(problem, &a)).gap();
                if best.as_ref().is_none_or(|(least, _)| gap < *least) {
                    best = Some((gap, a));
                }
                break;
            }
        }
    }
    best.map(|(_, a)| a)
}
