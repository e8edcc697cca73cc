//! [`Standing`]: the best weights so far, and the judgement of a step by the sums at its end.

use raddle::exact::Grid;
use raddle::prelude::*;

use super::newton::{Curved, newton_step, standard_errors};
use super::point::{Bounds, Grids, Point};
use crate::certificate::Certificate;
use crate::data::bias::half_square;
use crate::loss::Loss;

/// Fraction of the fall that the slope promises that a step must reach.
const ENOUGH: f64 = 1e-4;
/// Relative change of the objective that may be one of rounding.
const ROUNDING: f64 = 1e-9;

/// Name of the metric, and what it is of.
const GAP: &str = "relative-duality-gap";
const ROWS: &str = "training data";

/// The state of a fit where its sums meet.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    /// Weights with the smallest gap; none before the first round.
    pub(super) best: Vec<f64>,
    pub(super) found: Certificate,
    /// Second derivatives at the best weights: the lower triangle by scaled columns, without the penalty.
    pub(super) second: Vec<f64>,
    /// Objective where the current step starts, and its slope there.
    base: (f64, f64),
    /// The point whose sums are next, as the replica has it.
    pub(super) point: Point,
    /// `true` once no step makes progress.
    pub(super) is_over: bool,
}

raddle::state!(Standing { best, found, second, base, point, is_over });

/// The sums of a round as numbers.
struct Sums {
    /// Dual terms, losses, and losses at the halvings of the step.
    losses: Vec<f64>,
    /// w = sum a y x, by scaled columns.
    first: Vec<f64>,
    /// Lower triangle of sum r x x', by scaled columns.
    second: Vec<f64>,
}

impl Sums {
    /// Reads the words of a round: those of the losses, of the first and of the second derivatives.
    fn read(words: &[i64], grids: Grids, width: usize) -> Self {
        let (losses, second) = words.split_at(words.len() - width * (width + 1) / 2);
        let (losses, first) = losses.split_at(losses.len() - 2 * width);
        let wide = |grid: Grid, words: &[i64]| -> Vec<f64> {
            let (high, low) = words.split_at(words.len() / 2);
            high.iter().zip(low).map(|(high, low)| grid.wide_value(*high, *low)).collect()
        };
        let second = second.iter().map(|word| grids.second.value(*word)).collect();
        Self { losses: wide(grids.losses, losses), first: wide(grids.first, first), second }
    }
}

impl Standing {
    /// Makes the state of a fit that starts at a point.
    pub(crate) fn at(point: Point) -> Self {
        Self { point, ..Self::default() }
    }

    /// Judges the point by the words of its sums, and goes on to the next.
    pub(crate) fn go_on(&mut self, words: &[i64], bounds: &Bounds) {
        if let Some(grids) = bounds.grids(&self.point) {
            let next = self.next(Sums::read(words, grids, bounds.scales.len()), bounds);
            match bounds.grids(&next) {
                Some(_) => self.point = next,
                None => self.is_over = true,
            }
        }
    }

    /// Concludes a boundary.
    pub(crate) fn verdict<C>(&self, tolerance: f64) -> Verdict<C> {
        let Self { best, found, is_over, .. } = self;
        if best.is_empty() {
            return Verdict::unmeasured(GAP, ROWS);
        }
        let metric = Metric::new(GAP, found.gap(), ROWS).target(tolerance);
        let status = if *is_over { Status::Converged } else { Status::Continue };
        let mut verdict = Verdict::new(metric.certified()).status(status);
        verdict.objective = Some(found.primal);
        verdict.show("primal", found.primal).show("dual", found.dual)
    }

    /// Returns the point whose sums are next.
    pub(crate) fn point(&self) -> &Point {
        &self.point
    }

    /// Returns the best weights, those of the first point before any was judged.
    pub(crate) fn weights(&self) -> &[f64] {
        if self.best.is_empty() { &self.point.w } else { &self.best }
    }

    /// Returns the certificate of the best weights, and their standard errors for losses of weight `c`, which
    /// the logistic loss has; `None` before any were judged.
    pub(crate) fn judged(&self, bounds: &Bounds, c: f64) -> Option<(Certificate, Option<Vec<f64>>)> {
        let curved = Curved { second: &self.second, scales: &bounds.scales };
        let errors = || standard_errors(curved, c, bounds.rounding());
        let errors = (!self.best.is_empty() && bounds.loss == Loss::Logistic).then(errors);
        (!self.best.is_empty()).then_some((self.found, errors))
    }

    /// Judges the point by its sums; returns the next one, which is the same once no step makes progress.
    fn next(&mut self, sums: Sums, bounds: &Bounds) -> Point {
        let point = &self.point.clone();
        let Sums { losses, first, second } = sums;
        let primal = half_square(&point.w) + losses[1];
        let of_dual: Vec<f64> = first.iter().zip(&bounds.scales).map(|(sum, scale)| sum * scale).collect();
        let found = Certificate { primal, dual: losses[0] - half_square(&of_dual) };
        let is_first = self.best.is_empty();
        let is_better = is_first || found.difference() < self.found.difference();
        let (base, slope) = self.base;
        // Where only rounding errors are left of the objective, the bound may still come closer.
        let is_lower = primal <= base + ENOUGH * slope || is_better && primal <= base * (1.0 + ROUNDING);
        if !(is_first || is_lower) {
            return self.halved(point, point.halvings(bounds.loss).zip(&losses[2..]));
        }
        if is_better {
            (self.best, self.found, self.second) = (point.w.clone(), found, second.clone());
        }
        // Minus the gradient, by scaled columns.
        let down = first.iter().zip(&point.w).zip(&bounds.scales).map(|((sum, w), scale)| sum - w / scale);
        let down: Vec<f64> = down.collect();
        let curved = Curved { second: &second, scales: &bounds.scales };
        let Some(scaled) = newton_step(curved, &down) else { return self.over(point) };
        let slope = -scaled.iter().zip(&down).map(|(step, down)| step * down).sum::<f64>();
        let step: Vec<f64> = scaled.iter().zip(&bounds.scales).map(|(step, scale)| step / scale).collect();
        let w: Vec<f64> = point.w.iter().zip(&step).map(|(w, step)| w + step).collect();
        if slope.is_nan() || slope >= 0.0 || w == point.w {
            return self.over(point);
        }
        self.base = (primal, slope);
        Point { w, step }
    }

    /// Returns the best halving of a step that went too far.
    fn halved<'a>(&mut self, point: &Point, halvings: impl Iterator<Item = (f64, &'a f64)>) -> Point {
        let objective = |(back, lost): (f64, &f64)| {
            let w = point.without(back);
            (half_square(&w) + lost, back, w)
        };
        let least = halvings.map(objective).min_by(|one, other| one.0.total_cmp(&other.0));
        match least {
            Some((primal, back, w)) if primal < self.base.0 => {
                // The slope of what is left of the step: the fall is at most that of a convex objective.
                self.base.1 *= 1.0 - back;
                Point { w, step: Vec::new() }
            }
            _ => self.over(point),
        }
    }

    fn over(&mut self, point: &Point) -> Point {
        self.is_over = true;
        point.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Losses of one column at a point, and at the halvings of its step that are below what the others have.
    fn sums(loss: f64, halvings: usize, low: Option<(usize, f64)>) -> Sums {
        let mut losses = vec![loss; 2 + halvings];
        low.into_iter().for_each(|(halving, loss)| losses[1 + halving] = loss);
        Sums { losses, first: vec![2.0], second: vec![1.0] }
    }

    #[test]
    fn a_step_is_judged_by_the_slope_of_what_is_left_of_it() {
        let bounds =
            Bounds { scales: vec![1.0], most: 1.0, rows: 1, loss: Loss::SquaredHinge, factors: [1.0; 2] };
        for halving in [1, 12, 16, 24] {
            let left = 0.5_f64.powi(halving as i32);
            let point = Point { w: vec![1.0], step: vec![1.0] };
            // The objective is 10 where the step begins, and falls there by 100 times what is left of it.
            let (base, best) = ((10.0, -100.0), vec![0.0]);
            let mut standing = Standing { best, second: vec![1.0], base, ..Standing::at(point) };
            let lower = 10.0 - 10.0 * left - 0.5 * left * left;
            let next = standing.next(sums(100.0, 24, Some((halving, lower))), &bounds);
            assert!(!standing.is_over && next.step.is_empty() && next.w == [left], "{halving}: {next:?}");
            standing.point = next;
            let after = standing.next(sums(lower, 0, None), &bounds);
            assert!(!standing.is_over && !after.step.is_empty(), "{halving}");
            assert!(standing.base.0 < 10.0 && standing.base.1 < 0.0, "{halving}: {:?}", standing.base);
        }
        // A step along which no halving is lower is the last.
        let best = vec![0.0];
        let point = Point { w: vec![1.0], step: vec![1.0] };
        let mut standing = Standing { best, base: (10.0, -100.0), ..Standing::at(point) };
        standing.next(sums(100.0, 24, None), &bounds);
        assert!(standing.is_over);
    }
}
