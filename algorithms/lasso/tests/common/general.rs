//! An oracle for all losses and the elastic net: the definitions, and proximal gradient steps with momentum.

use raddle_datasets::Matrix;
use raddle_lasso::{Fit, Loss, Preparation};

use super::{Oracle, predictions, same_gap};

/// A prepared problem with its loss and penalty.
pub(crate) struct General {
    /// The prepared columns; the response in it is that of the squared loss.
    pub prepared: Oracle,
    x: Matrix,
    /// The response as the loss uses it.
    y: Vec<f64>,
    loss: Loss,
    l1_ratio: f64,
    /// `true` if an intercept is fitted; coefficients are reported on the original scale.
    intercept: bool,
    original: bool,
}

impl General {
    pub(crate) fn new(x: &Matrix, y: &[f64], preparation: Preparation, loss: Loss, l1_ratio: f64) -> Self {
        let prepared = Oracle::new(x, y, preparation);
        let middle =
            (y.iter().copied().fold(f64::MAX, f64::min) + y.iter().copied().fold(f64::MIN, f64::max)) / 2.0;
        let response = match loss {
            Loss::Squared => prepared.y.clone(),
            Loss::Multinomial => unreachable!("it has an oracle of its own"),
            Loss::Poisson => y.to_vec(),
            Loss::Logistic => y.iter().map(|&value| if value > middle { 1.0 } else { -1.0 }).collect(),
        };
        let (intercept, original) = match preparation {
            Preparation::Standard { intercept, .. } => (intercept && loss != Loss::Squared, true),
            _ => (false, false),
        };
        Self { prepared, x: x.clone(), y: response, loss, l1_ratio, intercept, original }
    }

    fn n(&self) -> f64 {
        self.y.len() as f64
    }

    /// Returns loss and minus its derivative, of one row.
    fn row(&self, i: usize, score: f64) -> (f64, f64) {
        match self.loss {
            Loss::Multinomial => unreachable!("it has an oracle of its own"),
            Loss::Squared => ((self.y[i] - score).powi(2) / 2.0, self.y[i] - score),
            Loss::Poisson => {
                let (y, mean) = (self.y[i], score.exp());
                (if y > 0.0 { y * (y.ln() - score) - (y - mean) } else { mean }, y - mean)
            }
            Loss::Logistic => {
                let margin = self.y[i] * score;
                let e = (-margin.abs()).exp();
                let s = if margin > 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) };
                ((-margin).max(0.0) + e.ln_1p(), self.y[i] * s)
            }
        }
    }

    fn scores(&self, b: &[f64], intercept: f64) -> Vec<f64> {
        let mut scores = vec![intercept; self.y.len()];
        for (column, &value) in self.prepared.columns.iter().zip(b).filter(|(_, value)| **value != 0.0) {
            column.iter().for_each(|&(row, x)| scores[row] += x * value);
        }
        scores
    }

    /// Returns P and D at these coefficients, for scores that may have been computed elsewhere. The dual
    /// point is a multiple of the residual; if an intercept requires it to sum to zero, the sign with the
    /// larger sum is scaled down first.
    pub(crate) fn values(&self, b: &[f64], scores: &[f64], lambda: f64) -> (f64, f64) {
        let rows: Vec<(f64, f64)> = scores.iter().enumerate().map(|(i, &score)| self.row(i, score)).collect();
        let loss: f64 = rows.iter().map(|row| row.0).sum();
        let mut r: Vec<f64> = rows.iter().map(|row| row.1).collect();
        if self.intercept {
            let up: f64 = r.iter().filter(|r| **r > 0.0).sum();
            let down: f64 = -r.iter().filter(|r| **r < 0.0).sum::<f64>();
            r.iter_mut()
                .for_each(|r| *r *= if *r > 0.0 { (down / up).min(1.0) } else { (up / down).min(1.0) });
        }
        let (penalty, ridge) = (self.n() * lambda * self.l1_ratio, self.n() * lambda * (1.0 - self.l1_ratio));
        let slopes =
            self.prepared.columns.iter().zip(b).map(|(column, b)| super::dot(column, &r) - ridge * b);
        let largest = slopes.map(f64::abs).fold(0.0, f64::max);
        let bound = if largest > 0.0 { penalty / largest } else { f64::INFINITY };
        let squares: f64 = b.iter().map(|b| b * b).sum();
        let primal = loss + penalty * b.iter().map(|b| b.abs()).sum::<f64>() + ridge * squares / 2.0;
        let dual = match self.loss {
            Loss::Multinomial => unreachable!("it has an oracle of its own"),
            Loss::Squared => {
                let rr = r.iter().map(|r| r * r).sum::<f64>() + ridge * squares;
                let yr = r.iter().zip(&self.y).map(|(r, y)| r * y).sum::<f64>();
                let k = (yr / rr.max(1e-300)).clamp(-bound, bound);
                k * yr - k * k * rr / 2.0
            }
            Loss::Poisson => {
                let k = bound.min(1.0);
                // Minus the conjugate of y log y - y - y f + exp f at -k r, which is m log m - m - y log y +
                // y.
                let x_log = |x: f64| if x > 0.0 { x * x.ln() } else { 0.0 };
                let row = |(y, r): (&f64, &f64)| {
                    let m = y - k * r;
                    x_log(*y) - y - x_log(m) + m
                };
                self.y.iter().zip(&r).map(row).sum::<f64>() - k * k * ridge * squares / 2.0
            }
            Loss::Logistic => {
                let k = bound.min(1.0);
                let entropy = |r: &f64| {
                    let p = k * r.abs();
                    let left = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
                    left(p) - (1.0 - p) * (-p).max(-1.0 + 1e-300).ln_1p()
                };
                r.iter().map(entropy).sum::<f64>() - k * k * ridge * squares / 2.0
            }
        };
        (primal / self.n(), dual / self.n())
    }

    /// Returns (P - D) / P of a fit, from its exported numbers.
    pub(crate) fn gap(&self, fit: &Fit) -> f64 {
        let (primal, dual) = self.of(&fit.coefficients, fit.intercept, fit.lambda);
        if primal == 0.0 { 0.0 } else { (primal - dual) / primal }
    }

    /// Returns P of exported coefficients, D at a dual point, and the largest violation of its conditions as
    /// a share of their bounds: those of columns without a ridge, and that of the intercept.
    pub(crate) fn at_dual(&self, fit: &Fit, theta: &[f64]) -> (f64, f64, f64) {
        let (primal, _) = self.of(&fit.coefficients, fit.intercept, fit.lambda);
        let (penalty, ridge) =
            (self.n() * fit.lambda * self.l1_ratio, self.n() * fit.lambda * (1.0 - self.l1_ratio));
        let rows = self.y.iter().zip(theta).map(|(&y, &t)| match self.loss {
            Loss::Multinomial => unreachable!("it has an oracle of its own"),
            Loss::Squared => t * y - t * t / 2.0,
            Loss::Logistic => {
                let left = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
                left(t * y) + left(1.0 - t * y)
            }
            Loss::Poisson => {
                let m = y - t;
                t * m.ln() + if y > 0.0 { y * (y / m).ln() } else { 0.0 } - (y - m)
            }
        });
        let (mut dual, mut missed) = (rows.sum::<f64>(), 0.0f64);
        for column in &self.prepared.columns {
            let excess = (super::dot(column, theta).abs() - penalty).max(0.0);
            if ridge > 0.0 {
                dual -= excess * excess / (2.0 * ridge);
            } else {
                missed = missed.max(excess / penalty);
            }
        }
        if self.intercept {
            let sizes: f64 = theta.iter().map(|t| t.abs()).sum();
            missed = missed.max(theta.iter().sum::<f64>().abs() / sizes.max(1e-300));
        }
        (primal, dual / self.n(), missed)
    }

    /// P and D of exported coefficients.
    pub(crate) fn of(&self, coefficients: &[(u32, f64)], intercept: f64, lambda: f64) -> (f64, f64) {
        let b = self.prepared.scaled(coefficients);
        let scores = match self.loss {
            Loss::Logistic | Loss::Poisson if self.original => predictions(&self.x, coefficients, intercept),
            _ => self.scores(&b, 0.0),
        };
        self.values(&b, &scores, lambda)
    }

    /// Returns max |x_j'r| / (n a) without coefficients, at the best intercept.
    pub(crate) fn lambda_max(&self) -> f64 {
        let mean = if self.intercept { self.y.iter().sum::<f64>() / self.n() } else { 0.0 };
        let half = if self.loss == Loss::Logistic { 0.5 } else { 1.0 };
        // Without an intercept each mean is exp 0.
        let mean = if self.loss == Loss::Poisson && !self.intercept { 1.0 } else { mean };
        let r: Vec<f64> = self.y.iter().map(|y| half * (y - mean)).collect();
        let largest = self.prepared.columns.iter().map(|column| super::dot(column, &r).abs());
        largest.fold(0.0, f64::max) / self.n() / self.l1_ratio
    }

    /// Returns the last (P, D) of proximal gradient steps with momentum and restarts (Beck and Teboulle 2009;
    /// O'Donoghue and Candes 2015), which end when the gap is at most `gap` or the steps are used up. Not for
    /// the Poisson loss, whose curvature has no bound.
    pub(crate) fn solve(&self, lambda: f64, gap: f64) -> (f64, f64) {
        assert_ne!(self.loss, Loss::Poisson, "its curvature has no bound");
        let columns = &self.prepared.columns;
        let (n, p) = (self.n(), columns.len());
        let (penalty, ridge) = (lambda * self.l1_ratio, lambda * (1.0 - self.l1_ratio));
        // The largest eigenvalue of the Gram with the column of ones, from above.
        let mut v: Vec<f64> = (0..p).map(|j| 1.0 + (j % 7) as f64).collect();
        let (mut v0, mut largest) = (1.0, 0.0f64);
        for _ in 0..60 {
            let image = self.scores(&v, if self.intercept { v0 } else { 0.0 });
            v = columns.iter().map(|column| super::dot(column, &image)).collect();
            v0 = if self.intercept { image.iter().sum() } else { 0.0 };
            largest = v.iter().map(|v| v * v).sum::<f64>().sqrt().hypot(v0);
            v.iter_mut().for_each(|v| *v /= largest);
            v0 /= largest;
        }
        let curvature = 1.1 * largest * if self.loss == Loss::Logistic { 0.25 } else { 1.0 } / n + ridge;
        let (mut b, mut b0) = (vec![0.0; p], 0.0);
        let (mut at, mut at0, mut t) = (b.clone(), b0, 1.0f64);
        for step in 0..200_000 {
            let r: Vec<f64> =
                self.scores(&at, at0).iter().enumerate().map(|(i, &score)| self.row(i, score).1).collect();
            let moved = |(column, at): (&Vec<(usize, f64)>, &f64)| {
                let z = at + (super::dot(column, &r) / n - ridge * at) / curvature;
                z.signum() * (z.abs() - penalty / curvature).max(0.0)
            };
            let next: Vec<f64> = columns.iter().zip(&at).map(moved).collect();
            let next0 = if self.intercept { at0 + r.iter().sum::<f64>() / n / curvature } else { 0.0 };
            let against: f64 =
                next.iter().zip(&b).zip(&at).map(|((next, b), at)| (at - next) * (next - b)).sum();
            let t_next = if against + (at0 - next0) * (next0 - b0) > 0.0 {
                1.0
            } else {
                (1.0 + (1.0 + 4.0 * t * t).sqrt()) / 2.0
            };
            let keep = if t_next == 1.0 { 0.0 } else { (t - 1.0) / t_next };
            at = next.iter().zip(&b).map(|(next, b)| next + keep * (next - b)).collect();
            at0 = next0 + keep * (next0 - b0);
            (b, b0, t) = (next, next0, t_next);
            if step % 50 == 0 {
                let (primal, dual) = self.values(&b, &self.scores(&b, b0), lambda);
                if primal - dual <= gap * primal {
                    break;
                }
            }
        }
        self.values(&b, &self.scores(&b, b0), lambda)
    }

    /// Properties of every fit, whatever its data and however it ended.
    pub(crate) fn check(&self, fit: &Fit, context: &str) {
        let metric = &fit.report.metric;
        let gap = self.gap(fit);
        let b = self.prepared.coefficients(fit);
        let rounding = 10.0 * self.prepared.rounding(&b, fit.lambda * self.l1_ratio);
        let same = same_gap(metric.value, gap) || metric.value.max(gap) < rounding.max(1e-11);
        assert!(same, "{context}: printed {:e}, computed {gap:e}", metric.value);
        assert!(metric.certified && metric.target.is_some(), "{context}");
        assert_eq!(metric.is_reached(), fit.report.ending == raddle::Ending::Target, "{context}");
        assert!(fit.coefficients.iter().all(|(_, value)| *value != 0.0 && value.is_finite()), "{context}");
        assert!(fit.intercept.is_finite(), "{context}");
    }
}
