//! An oracle that shares no code with the crate: the objective with all its terms by definition, minimised by
//! proximal gradient steps, and its optimality conditions.

use raddle_datasets::Matrix;
use raddle_lasso::Loss;

use raddle_common::testing::pairs;

use crate::common::raw_columns;

/// Objective by its definition.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) loss: Loss,
    pub(crate) lambda: f64,
    pub(crate) l1_ratio: f64,
    pub(crate) intercept: bool,
    pub(crate) standardize: bool,
    pub(crate) weights: Vec<f64>,
    pub(crate) offset: Vec<f64>,
    pub(crate) factors: Vec<f64>,
    /// Bounds on the original scale.
    pub(crate) bounds: Vec<(f64, f64)>,
    /// The group of each column, whose penalty is the norm of the group times the root of its size.
    pub(crate) groups: Vec<usize>,
}

/// A problem whose columns are centred (with an intercept) and divided by their deviations, both weighted.
pub(crate) struct Naive {
    terms: Terms,
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
    /// Weights that sum to 1.
    w: Vec<f64>,
    mean: Vec<f64>,
    /// Factor from a coefficient on the original scale to one on the prepared scale.
    unit: Vec<f64>,
}

/// Intercept and coefficients on the original scale.
pub(crate) type Solution = (f64, Vec<f64>);

impl Terms {
    pub(crate) fn plain(loss: Loss, lambda: f64, rows: usize, columns: usize) -> Self {
        Self {
            loss,
            lambda,
            l1_ratio: 1.0,
            intercept: true,
            standardize: true,
            weights: vec![1.0; rows],
            offset: vec![0.0; rows],
            factors: vec![1.0; columns],
            bounds: vec![(f64::NEG_INFINITY, f64::INFINITY); columns],
            groups: (0..columns).collect(),
        }
    }
}

impl Naive {
    /// Makes the problem; labels of the logistic loss are 1 and -1.
    pub(crate) fn new(x: &Matrix, y: &[f64], terms: Terms) -> Self {
        let n = y.len();
        let total: f64 = terms.weights.iter().sum();
        let w: Vec<f64> = terms.weights.iter().map(|weight| weight / total).collect();
        let mut full = Vec::new();
        for column in raw_columns(x) {
            let mut values = vec![0.0; n];
            column.into_iter().for_each(|(row, value)| values[row] = value);
            full.push(values);
        }
        let (mut mean, mut unit) = (Vec::new(), Vec::new());
        for column in &mut full {
            let average: f64 = column.iter().zip(&w).map(|(x, w)| w * x).sum();
            let variance: f64 = column.iter().zip(&w).map(|(x, w)| w * (x - average).powi(2)).sum();
            mean.push(if terms.intercept { average } else { 0.0 });
            unit.push(if terms.standardize { variance.sqrt() } else { 1.0 });
            let (mean, unit) = (mean[mean.len() - 1], unit[unit.len() - 1]);
            column.iter_mut().for_each(|x| *x = (*x - mean) / unit);
        }
        Self { terms, x: full, y: y.to_vec(), w, mean, unit }
    }

    fn scores(&self, b0: f64, b: &[f64]) -> Vec<f64> {
        let mut scores: Vec<f64> = self.terms.offset.iter().map(|offset| offset + b0).collect();
        for (column, value) in self.x.iter().zip(b) {
            scores.iter_mut().zip(column).for_each(|(score, x)| *score += x * value);
        }
        scores
    }

    /// Returns loss and minus its derivative.
    fn row(&self, i: usize, score: f64) -> (f64, f64) {
        let y = self.y[i];
        match self.terms.loss {
            Loss::Multinomial => unreachable!("it has an oracle of its own"),
            Loss::Squared => ((y - score).powi(2) / 2.0, y - score),
            Loss::Logistic => {
                let margin = y * score;
                let s = 1.0 / (1.0 + margin.exp());
                ((-margin).max(0.0) + (-margin.abs()).exp().ln_1p(), y * s)
            }
            Loss::Poisson => {
                let constant = if y > 0.0 { y * y.ln() - y } else { 0.0 };
                (score.exp() - y * score + constant, y - score.exp())
            }
        }
    }

    /// Returns the smooth part, and minus its gradient, starting with the intercept's.
    fn smooth(&self, b0: f64, b: &[f64]) -> (f64, f64, Vec<f64>) {
        let scores = self.scores(b0, b);
        let rows: Vec<(f64, f64)> = (0..self.y.len()).map(|i| self.row(i, scores[i])).collect();
        let counted = |of: &dyn Fn(usize) -> f64| -> f64 {
            (0..self.y.len()).filter(|&i| self.w[i] > 0.0).map(|i| self.w[i] * of(i)).sum()
        };
        let mut value = counted(&|i| rows[i].0);
        let slope = counted(&|i| rows[i].1);
        let mut slopes = Vec::new();
        for (j, column) in self.x.iter().enumerate() {
            let ridge = self.terms.lambda * (1.0 - self.terms.l1_ratio) * self.terms.factors[j];
            value += 0.5 * ridge * b[j] * b[j];
            slopes.push(counted(&|i| rows[i].1 * column[i]) - ridge * b[j]);
        }
        (value, slope, slopes)
    }

    fn threshold(&self, j: usize) -> f64 {
        let size = self.group(j).count() as f64;
        self.terms.lambda * self.terms.l1_ratio * self.terms.factors[j] * size.sqrt()
    }

    fn group(&self, j: usize) -> impl Iterator<Item = usize> + '_ {
        let groups = &self.terms.groups;
        (0..groups.len()).filter(move |&i| groups[i] == groups[j])
    }

    /// Returns the norm of the group of column j.
    fn norm(&self, j: usize, values: &[f64]) -> f64 {
        self.group(j).map(|i| values[i] * values[i]).sum::<f64>().sqrt()
    }

    fn bounds(&self, j: usize) -> (f64, f64) {
        let (lower, upper) = self.terms.bounds[j];
        (lower * self.unit[j], upper * self.unit[j])
    }

    /// Returns the minimiser, by proximal gradient steps with momentum, restarts and backtracking.
    pub(crate) fn solve(&self) -> Solution {
        let p = self.x.len();
        let (mut b0, mut b) = (0.0, vec![0.0; p]);
        let (mut at0, mut at, mut t, mut curvature) = (b0, b.clone(), 1.0f64, 1.0f64);
        for _ in 0..60_000 {
            let (value, slope, slopes) = self.smooth(at0, &at);
            let (next0, next) = loop {
                let next0 = if self.terms.intercept { at0 + slope / curvature } else { 0.0 };
                let z: Vec<f64> = (0..p).map(|j| at[j] + slopes[j] / curvature).collect();
                let moved = |j: usize| {
                    let (lower, upper) = self.bounds(j);
                    // The group shrinks as a whole; for a single column this is the soft threshold.
                    let size = self.norm(j, &z);
                    let keep = (1.0 - self.threshold(j) / curvature / size.max(1e-300)).max(0.0);
                    (keep * z[j]).clamp(lower, upper)
                };
                let next: Vec<f64> = (0..p).map(moved).collect();
                let steps = || next.iter().zip(&at).map(|(next, at)| next - at);
                let squares = (next0 - at0).powi(2) + steps().map(|step| step * step).sum::<f64>();
                let linear = slope * (next0 - at0)
                    + steps().zip(&slopes).map(|(step, slope)| step * slope).sum::<f64>();
                let bound = value - linear + 0.5 * curvature * squares;
                if self.smooth(next0, &next).0 <= bound + 1e-15 * value.abs() {
                    break (next0, next);
                }
                curvature *= 2.0;
            };
            let change = (next0 - b0).abs() + next.iter().zip(&b).map(|(a, b)| (a - b).abs()).sum::<f64>();
            let size = next0.abs() + next.iter().map(|b| b.abs()).sum::<f64>();
            let against: f64 =
                next.iter().zip(&b).zip(&at).map(|((next, b), at)| (at - next) * (next - b)).sum();
            let up = if against + (at0 - next0) * (next0 - b0) > 0.0 {
                1.0
            } else {
                (1.0 + (1.0 + 4.0 * t * t).sqrt()) / 2.0
            };
            let keep = if up == 1.0 { 0.0 } else { (t - 1.0) / up };
            at = next.iter().zip(&b).map(|(next, b)| next + keep * (next - b)).collect();
            at0 = next0 + keep * (next0 - b0);
            (b0, b, t) = (next0, next, up);
            if change <= 1e-14 * size {
                break;
            }
        }
        let original: Vec<f64> = b.iter().zip(&self.unit).map(|(b, unit)| b / unit).collect();
        let shift: f64 = original.iter().zip(&self.mean).map(|(b, mean)| b * mean).sum();
        (b0 - shift, original)
    }

    /// Returns the largest violation of the optimality conditions at exported coefficients, relative to the
    /// largest slope without coefficients.
    pub(crate) fn violation(&self, (intercept, coefficients): &Solution) -> f64 {
        let b: Vec<f64> = coefficients.iter().zip(&self.unit).map(|(b, unit)| b * unit).collect();
        let b0 = intercept + coefficients.iter().zip(&self.mean).map(|(b, mean)| b * mean).sum::<f64>();
        let (_, slope, slopes) = self.smooth(b0, &b);
        let (_, _, first) = self.smooth(0.0, &vec![0.0; b.len()]);
        let size = first.iter().fold(1e-300, |most: f64, slope| most.max(slope.abs()));
        let mut worst = if self.terms.intercept { slope.abs() } else { 0.0 };
        let all = b.clone();
        for (j, (&b, &slope)) in pairs(&b, &slopes).enumerate() {
            let ((lower, upper), l) = (self.bounds(j), self.threshold(j));
            let near = |bound: f64| (b - bound).abs() <= 1e-12 * bound.abs();
            if self.group(j).count() > 1 {
                // The slope is that of the norm; if the group is 0, its slopes are at most that long.
                let (size, length) = (self.norm(j, &all), self.norm(j, &slopes));
                worst = worst.max(if size > 0.0 { (slope - l * b / size).abs() } else { length - l });
                continue;
            }
            let outside = (lower - b).max(b - upper) > 1e-12 * b.abs();
            assert!(!outside, "column {j}: {b} is outside {lower} to {upper}");
            // Where b may rise, the slope is at most that of the penalty; where it may fall, at least.
            if !near(upper) {
                worst = worst.max(slope - if b < 0.0 { -l } else { l });
            }
            if !near(lower) {
                worst = worst.max((if b > 0.0 { l } else { -l }) - slope);
            }
        }
        worst / size
    }
}
