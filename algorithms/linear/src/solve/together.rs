//! Newton steps for all classes together. A step d solves (I + X'MX) d = -gradient by conjugate gradients,
//! where M has the second derivatives of the losses, c (diag(p) - p p'), for each row (`curvature.rs`).
//!
//! Gradients and steps sum to 0 over the classes, as probabilities do not change if all scores of a row move
//! alike; what eases the steps is made to keep that.

use raddle::cancellation_point;
use raddle_kernels::algebra::dot;

use super::curvature::{Curvature, centre};
use super::gram::Lower;
use super::judge::Best;
use crate::certificate::Certificate;
use crate::data::softmax::{Losses, Softmax};

/// Conjugate gradients end once a step gains at most this share of the mean gain of the steps so far (Nash
/// and Sofer, "Assessing a search direction within a truncated-Newton method", 1990): a share that falls
/// with the gap, between these.
const CUT: (f64, f64) = (1e-6, 0.5);
/// Fraction of the tolerance that the gap behind a step is expected to have if conjugate gradients end early.
const AHEAD: f64 = 0.3;
/// Fraction of the initial slope at which a search along a step ends, and the most evaluations.
const ENOUGH: f64 = 0.1;
const SEARCH: usize = 40;
/// Fraction of the losses by which their sum may rise in a step, as it is rounded.
const RISE: f64 = 1e-12;
/// Steps of free intercepts; then the fraction of the rows' weights below which their slopes are rounding.
const SETTLING: usize = 30;
const ROUNDING: f64 = 1e-15;
/// Fraction of the rows' weights up to which the slopes of free intercepts are those of a dual point: with
/// larger ones, its objective bounds nothing.
const FEASIBLE: f64 = 1e-12;
/// Steps without progress after which the fit is given up; then the smallest relative progress that counts,
/// of the distance between the objectives, and of the primal one.
const IDLE: usize = 6;
const LEAST: (f64, f64) = (1e-3, 1e-13);

/// Makes steps from these weights until the gap is at most `tolerance` or so many multiplications, the
/// `budget`, are used up; returns `false` if no step makes progress any more.
pub(crate) fn together(
    problem: &Softmax<'_>,
    best: &mut Best,
    w: &mut [f64],
    tolerance: f64,
    mut budget: f64,
) -> bool {
    let (mut idle, pass) = (0, 2.0 * (problem.rows.stored() * problem.block()) as f64);
    centre(problem, w);
    loop {
        let before = best.found;
        let at = Point::settled(problem, w);
        let gradient = offer(problem, best, w, &at.losses);
        budget -= 2.0 * pass;
        cancellation_point(2 * pass as u64);
        let is_less = |after: f64, before: f64, least: f64| after < before * (1.0 - least);
        let apart = |of: Certificate| of.primal - of.dual;
        let is_further = is_less(apart(best.found), apart(before), LEAST.0)
            || is_less(best.found.primal, before.primal, LEAST.1);
        idle = if is_further { 0 } else { idle + 1 };
        if best.found.gap() <= tolerance || budget <= 0.0 {
            return true;
        }
        if idle > IDLE {
            return false;
        }
        let curvature = Curvature::new(problem, &at.losses, pass);
        let accuracy = CUT.1.min(best.found.gap().sqrt()).max(CUT.0);
        // Half the squared gradient is the distance of the objectives.
        let enough = 2.0 * AHEAD * tolerance * best.found.primal;
        let (d, products) = curvature.solve(&gradient, accuracy, enough);
        budget -= 2.0 * pass * products as f64 + curvature.cost;
        let step = at.best_step(problem, w, &d);
        if step == 0.0 {
            return false;
        }
        w.iter_mut().zip(&d).for_each(|(w, d)| *w += step * d);
    }
}

/// Offers weights and the dual values that follow from their losses, unless free intercepts are not at their
/// best values. Returns minus the gradient.
fn offer(problem: &Softmax<'_>, best: &mut Best, w: &[f64], losses: &Losses) -> Vec<f64> {
    let mut sums = vec![0.0; w.len()];
    problem.rows.add_blocks(&problem.blocks(&losses.pulls), problem.block(), &mut sums);
    let primal = problem.primal(w, losses);
    if primal < best.found.primal {
        best.found.primal = primal;
        best.w.copy_from_slice(w);
    }
    let penalized = problem.penalized(w);
    let most = FEASIBLE * problem.costs.iter().sum::<f64>();
    let is_feasible = sums[penalized..].iter().all(|slope| slope.abs() <= most);
    let gradient = || sums[..penalized].iter().zip(w).map(|(sum, w)| sum - w);
    // Entropies take time: half the squared gradient says whether they are worth it.
    if is_feasible && primal - 0.5 * gradient().map(|g| g * g).sum::<f64>() > best.found.dual {
        let a = problem.dual_values(&losses.pulls);
        let dual = problem.dual(&a, &sums);
        if dual > best.found.dual {
            (best.found.dual, best.a) = (dual, a);
        }
    }
    sums[..penalized].iter_mut().zip(w).for_each(|(sum, w)| *sum -= w);
    sums
}

/// The scores of weights, class by class, and their losses.
struct Point {
    scores: Vec<f64>,
    losses: Losses,
}

impl Point {
    /// Evaluates weights once free intercepts have their best values: dual values then sum to 0, with signs,
    /// for each class.
    fn settled(problem: &Softmax<'_>, w: &mut [f64]) -> Self {
        let mut scores = problem.listed(&problem.products(w));
        let mut losses = problem.losses(&scores);
        if !problem.bias.is_free() {
            return Self { scores, losses };
        }
        let (count, first) = (problem.count(), w.len() - problem.block());
        let all: f64 = problem.costs.iter().sum();
        let slopes =
            |losses: &Losses| losses.pulls.chunks(count).map(|of| of.iter().sum()).collect::<Vec<f64>>();
        let size = |slopes: &[f64]| slopes.iter().fold(0.0_f64, |most, slope| most.max(slope.abs()));
        let mut left = slopes(&losses);
        for _ in 0..SETTLING {
            let Some(mut step) = intercepts(problem, &losses, &left) else { break };
            let (mut next, mut then) = (Vec::new(), Losses::default());
            // A step that goes too far is halved.
            for _ in 0..SEARCH {
                next.clone_from(&scores);
                next.chunks_mut(count)
                    .zip(&step)
                    .for_each(|(of, step)| of.iter_mut().for_each(|s| *s += step));
                then = problem.losses(&next);
                if size(&slopes(&then)) < size(&left) {
                    break;
                }
                step.iter_mut().for_each(|step| *step *= 0.5);
            }
            let after = slopes(&then);
            if size(&after) >= size(&left) {
                break;
            }
            (scores, losses, left) = (next, then, after);
            w[first..].iter_mut().zip(&step).for_each(|(w, step)| *w += step);
            if size(&left) <= ROUNDING * all {
                break;
            }
        }
        Self { scores, losses }
    }

    /// Returns the step from weights along a direction at which the objective's slope is nearly 0; 0 if it
    /// does not fall.
    fn best_step(&self, problem: &Softmax<'_>, w: &[f64], d: &[f64]) -> f64 {
        let penalized = problem.penalized(w);
        let (linear, square) = (dot(&w[..penalized], &d[..penalized]), dot(&d[..penalized], &d[..penalized]));
        let along = problem.listed(&problem.products(d));
        let slope = |t: f64, losses: &Losses| linear + t * square - dot(&losses.pulls, &along);
        let steepest = slope(0.0, &self.losses);
        if steepest >= 0.0 || steepest.is_nan() {
            return 0.0;
        }
        let (mut low, mut high, mut t) = ((0.0, steepest), None, 1.0);
        for _ in 0..SEARCH {
            let moved: Vec<f64> =
                self.scores.iter().zip(&along).map(|(score, along)| score + t * along).collect();
            let losses = problem.losses(&moved);
            let found = slope(t, &losses);
            // A slope that jumps may be small where the objective has risen.
            let risen = losses.sum - self.losses.sum + t * linear + 0.5 * t * t * square;
            if found.abs() <= ENOUGH * -steepest && risen <= RISE * self.losses.sum {
                return t;
            }
            if found < 0.0 {
                low = (t, found);
            } else {
                high = Some((t, found));
            }
            t = match high {
                None => 2.0 * t,
                // Between the ends by their slopes, but well within.
                Some((end, most)) => {
                    let share = (-low.1 / (most - low.1)).clamp(0.1, 0.9);
                    low.0 + share * (end - low.0)
                }
            };
        }
        low.0
    }
}

/// Returns the Newton step of the intercepts for these slopes; `None` if rounding prevents it.
fn intercepts(problem: &Softmax<'_>, losses: &Losses, slopes: &[f64]) -> Option<Vec<f64>> {
    let (count, classes) = (problem.count(), problem.classes);
    let chances: Vec<f64> = losses
        .shares
        .chunks(count)
        .flat_map(|of| of.iter().zip(&problem.costs).map(|(s, c)| if *c > 0.0 { s / c } else { 0.0 }))
        .collect();
    let mut matrix = Lower::zeros(classes);
    let mut largest = 0.0_f64;
    for (class, shares) in losses.shares.chunks(count).enumerate() {
        for (other, chances) in chances.chunks(count).take(class + 1).enumerate() {
            matrix.values[class * matrix.stride + other] -= dot(shares, chances);
        }
        matrix.add_diagonal(class, shares.iter().sum());
        largest = largest.max(matrix.values[class * matrix.stride + class]);
    }
    // Moving all intercepts alike changes nothing.
    for class in 0..classes {
        matrix.values[class * matrix.stride..][..=class].iter_mut().for_each(|value| *value += largest);
    }
    let mut step = slopes.to_vec();
    matrix.factored()?.solve(&mut step);
    step.iter().all(|step| step.is_finite()).then_some(step)
}

#[cfg(test)]
mod tests {
    use raddle_datasets::{Csc, Matrix};

    use super::*;
    use crate::data::bias::Bias;
    use crate::data::problem::Problem;

    #[test]
    fn dual_values_count_only_where_free_intercepts_have_their_best_values() {
        let x = Csc::new_csc((5, 1), vec![0, 5], vec![0, 1, 2, 3, 4], vec![0.5, 1.0, 2.0, 3.0, 1.5]);
        let data = Problem::new(&Matrix::Sparse(x), &[0.0, 1.0, 2.0, 0.0, 1.0], Bias::Free).unwrap();
        let rows = data.rows.whole().unwrap();
        let problem = data.softmax(rows, &[1.0; 3]);
        let mut w = vec![0.0; rows.width() * problem.block()];
        // Two rows, two rows and one row, of equal probabilities.
        let losses = problem.losses(&problem.listed(&problem.products(&w)));
        let found = Certificate { primal: losses.sum, dual: 0.0 };
        let mut best = Best { found, w: w.clone(), ..Best::default() };
        offer(&problem, &mut best, &w, &losses);
        assert_eq!(best.found.dual, 0.0);
        let losses = Point::settled(&problem, &mut w).losses;
        offer(&problem, &mut best, &w, &losses);
        assert!(best.found.dual > 0.0 && best.found.dual <= best.found.primal, "{:?}", best.found);
    }
}
