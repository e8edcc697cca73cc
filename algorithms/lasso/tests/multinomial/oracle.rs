//! Plain proximal gradient steps with momentum, over dense columns, without any code of the program.

use super::Solution;
use raddle_common::testing::pairs;

/// Objective by its definition.
pub(crate) struct Naive {
    /// Columns as prepared; the next fields are the class numbers of the rows, and their weights of mean 1.
    columns: Vec<Vec<f64>>,
    y: Vec<usize>,
    weights: Vec<f64>,
    centers: Vec<f64>,
    scales: Vec<f64>,
    pub(crate) terms: Terms,
}

#[derive(Clone)]
pub(crate) struct Terms {
    pub(crate) classes: usize,
    pub(crate) lambda: f64,
    pub(crate) l1_ratio: f64,
    pub(crate) intercept: bool,
    pub(crate) standardize: bool,
    pub(crate) weights: Vec<f64>,
    pub(crate) factors: Vec<f64>,
    pub(crate) bounds: Vec<(f64, f64)>,
}

impl Terms {
    pub(crate) fn plain(classes: usize, lambda: f64, rows: usize, columns: usize) -> Self {
        Self {
            classes,
            lambda,
            l1_ratio: 1.0,
            intercept: true,
            standardize: true,
            weights: vec![1.0; rows],
            factors: vec![1.0; columns],
            bounds: vec![(f64::NEG_INFINITY, f64::INFINITY); columns],
        }
    }
}

impl Naive {
    pub(crate) fn new(x: &[Vec<f64>], y: &[f64], terms: Terms) -> Self {
        let n = y.len() as f64;
        let total: f64 = terms.weights.iter().sum();
        let weights: Vec<f64> = terms.weights.iter().map(|weight| weight * n / total).collect();
        let mut labels = y.to_vec();
        labels.sort_by(f64::total_cmp);
        labels.dedup();
        let y = y.iter().map(|y| labels.iter().position(|label| label == y).unwrap()).collect();
        let (mut columns, mut centers, mut scales) = (Vec::new(), Vec::new(), Vec::new());
        for column in x {
            let mean = column.iter().zip(&weights).map(|(x, w)| w * x).sum::<f64>() / n;
            let center = if terms.intercept { mean } else { 0.0 };
            let deviation = column.iter().zip(&weights).map(|(x, w)| w * (x - mean).powi(2)).sum::<f64>() / n;
            let scale = if terms.standardize { deviation.sqrt() } else { 1.0 };
            columns.push(column.iter().map(|x| (x - center) / scale).collect());
            centers.push(center);
            scales.push(scale);
        }
        Self { columns, y, weights, centers, scales, terms }
    }

    fn n(&self) -> f64 {
        self.y.len() as f64
    }

    /// Returns the scores of coefficients of prepared columns, row by row.
    fn scores(&self, b: &Solution) -> Vec<Vec<f64>> {
        let score = |row: usize, (intercept, b): &(f64, Vec<f64>)| {
            intercept + self.columns.iter().zip(b).map(|(x, b)| x[row] * b).sum::<f64>()
        };
        (0..self.y.len()).map(|row| b.iter().map(|class| score(row, class)).collect()).collect()
    }

    /// Returns the losses and probabilities of all rows.
    fn rows(&self, b: &Solution) -> Vec<(f64, Vec<f64>)> {
        let of = |(scores, y): (Vec<f64>, &usize)| {
            let most = scores.iter().copied().fold(f64::MIN, f64::max);
            let powers: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
            let sum: f64 = powers.iter().sum();
            (sum.ln() + most - scores[*y], powers.iter().map(|power| power / sum).collect())
        };
        self.scores(b).into_iter().zip(&self.y).map(of).collect()
    }

    /// Returns w (y - p) by row and class.
    fn residuals(&self, b: &Solution) -> Vec<Vec<f64>> {
        let rows = self.rows(b).into_iter().zip(&self.y).zip(&self.weights);
        rows.map(|(((_, p), y), w)| {
            p.iter().enumerate().map(|(k, p)| w * (f64::from(u8::from(k == *y)) - p)).collect()
        })
        .collect()
    }

    fn slope(&self, residuals: &[Vec<f64>], j: usize, class: usize) -> f64 {
        self.columns[j].iter().zip(residuals).map(|(x, r)| x * r[class]).sum::<f64>() / self.n()
    }

    fn bounds(&self, j: usize) -> (f64, f64) {
        let (lower, upper) = self.terms.bounds[j];
        (lower * self.scales[j], upper * self.scales[j])
    }

    /// Returns P of coefficients on the original scale.
    pub(crate) fn primal(&self, b: &Solution) -> f64 {
        let b = self.prepared(b);
        let loss: f64 = self.rows(&b).iter().zip(&self.weights).map(|((loss, _), w)| w * loss).sum();
        let Terms { lambda, l1_ratio, factors, .. } = &self.terms;
        let one = |(b, f): (&f64, &f64)| f * (l1_ratio * b.abs() + (1.0 - l1_ratio) / 2.0 * b * b);
        loss / self.n() + lambda * b.iter().flat_map(|(_, b)| b.iter().zip(factors).map(one)).sum::<f64>()
    }

    /// Returns D at a dual point (row by row), and the largest violation of its conditions as a share of
    /// their bounds. Without bounds on coefficients.
    pub(crate) fn dual(&self, theta: &[f64]) -> (f64, f64) {
        let Terms { classes, lambda, l1_ratio, factors, intercept, .. } = &self.terms;
        let rows: Vec<Vec<f64>> = theta.chunks(*classes).map(<[f64]>::to_vec).collect();
        let mut dual = 0.0;
        for ((theta, y), w) in pairs(pairs(&rows, &self.y), &self.weights).filter(|(_, w)| **w > 0.0) {
            for (k, theta) in theta.iter().enumerate() {
                let u = f64::from(u8::from(k == *y)) - theta / w;
                assert!(u >= -1e-12, "outside of what the conjugate allows: {u}");
                dual -= if u > 0.0 { w * u * u.ln() } else { 0.0 };
            }
        }
        let (mut dual, mut missed) = (dual / self.n(), 0.0f64);
        for class in 0..*classes {
            for (j, factor) in factors.iter().enumerate() {
                let excess = (self.slope(&rows, j, class).abs() - lambda * l1_ratio * factor).max(0.0);
                if *l1_ratio < 1.0 && *factor > 0.0 {
                    dual -= excess * excess / (2.0 * lambda * (1.0 - l1_ratio) * factor);
                } else {
                    missed = missed.max(excess / (lambda * l1_ratio * factor.max(1e-3)));
                }
            }
            if *intercept {
                missed = missed.max(rows.iter().map(|row| row[class]).sum::<f64>().abs() / self.n());
            }
        }
        (dual, missed)
    }

    /// Converts to the scale of the prepared columns.
    fn prepared(&self, b: &Solution) -> Solution {
        b.iter()
            .map(|(intercept, b)| {
                let moved: f64 = b.iter().zip(&self.centers).map(|(b, center)| b * center).sum();
                (intercept + moved, b.iter().zip(&self.scales).map(|(b, scale)| b * scale).collect())
            })
            .collect()
    }

    /// Converts to the original scale, less the amounts that may be added to all classes: for intercepts and
    /// columns without a penalty.
    fn original(&self, b: &Solution) -> Solution {
        let mut b: Solution = b
            .iter()
            .map(|(intercept, b)| {
                let b: Vec<f64> = b.iter().zip(&self.scales).map(|(b, scale)| b / scale).collect();
                let moved: f64 = b.iter().zip(&self.centers).map(|(b, center)| b * center).sum();
                (intercept - moved, b)
            })
            .collect();
        let classes = b.len() as f64;
        for j in (0..self.columns.len()).filter(|&j| self.terms.factors[j] == 0.0) {
            let mean = b.iter().map(|(_, b)| b[j]).sum::<f64>() / classes;
            b.iter_mut().for_each(|(intercept, b)| {
                b[j] -= mean;
                *intercept += mean * self.centers[j];
            });
        }
        let mean = b.iter().map(|(intercept, _)| intercept).sum::<f64>() / classes;
        b.iter_mut().for_each(|(intercept, _)| *intercept -= mean);
        b
    }

    /// Returns the minimiser.
    pub(crate) fn solve(&self) -> Solution {
        let Terms { classes, lambda, l1_ratio, ref factors, intercept, .. } = self.terms;
        let p = self.columns.len();
        // An upper bound of the largest eigenvalue of the weighted Gram with the column of ones; one half
        // bounds the curvature.
        let (mut v, mut v0, mut largest) = (vec![1.0; p], 1.0, 0.0f64);
        for _ in 0..100 {
            let one: Solution = vec![(if intercept { v0 } else { 0.0 }, v.clone())];
            let image: Vec<f64> =
                self.scores(&one).iter().zip(&self.weights).map(|(row, w)| w * row[0]).collect();
            v = self.columns.iter().map(|x| x.iter().zip(&image).map(|(x, i)| x * i).sum()).collect();
            v0 = if intercept { image.iter().sum() } else { 0.0 };
            largest = v.iter().map(|v| v * v).sum::<f64>().sqrt().hypot(v0);
            v.iter_mut().for_each(|v| *v /= largest);
            v0 /= largest;
        }
        let curvature = 0.55 * largest / self.n()
            + lambda * (1.0 - l1_ratio) * factors.iter().fold(0.0, |a: f64, b| a.max(*b));
        let mut b: Solution = vec![(0.0, vec![0.0; p]); classes];
        let (mut at, mut t) = (b.clone(), 1.0f64);
        for _ in 0..60_000 {
            let residuals = self.residuals(&at);
            let mut next = at.clone();
            for (class, (intercept_of, own)) in next.iter_mut().enumerate() {
                for (j, value) in own.iter_mut().enumerate() {
                    let slope =
                        self.slope(&residuals, j, class) - lambda * (1.0 - l1_ratio) * factors[j] * *value;
                    let z = *value + slope / curvature;
                    let (lower, upper) = self.bounds(j);
                    *value = (z.signum() * (z.abs() - lambda * l1_ratio * factors[j] / curvature).max(0.0))
                        .clamp(lower, upper);
                }
                if intercept {
                    let slope: f64 = residuals.iter().map(|row| row[class]).sum::<f64>() / self.n();
                    *intercept_of += slope / curvature;
                }
            }
            let flat = |b: &Solution| -> Vec<f64> {
                b.iter().flat_map(|(b0, b)| [*b0].into_iter().chain(b.iter().copied())).collect()
            };
            let (ends, starts, from) = (flat(&next), flat(&b), flat(&at));
            let against: f64 = ends
                .iter()
                .zip(&starts)
                .zip(&from)
                .map(|((end, start), from)| (from - end) * (end - start))
                .sum();
            let moved = ends.iter().zip(&starts).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let t_next = if against > 0.0 { 1.0 } else { (1.0 + (1.0 + 4.0 * t * t).sqrt()) / 2.0 };
            let keep = if t_next == 1.0 { 0.0 } else { (t - 1.0) / t_next };
            for ((at, next), before) in at.iter_mut().zip(&next).zip(&b) {
                at.0 = next.0 + keep * (next.0 - before.0);
                at.1 = next.1.iter().zip(&before.1).map(|(next, b)| next + keep * (next - b)).collect();
            }
            (b, t) = (next, t_next);
            if moved < 1e-13 {
                break;
            }
        }
        self.original(&b)
    }

    /// Returns the largest violation of the optimality conditions, relative to lambda.
    pub(crate) fn violation(&self, b: &Solution) -> f64 {
        let b = self.prepared(b);
        let residuals = self.residuals(&b);
        let Terms { lambda, l1_ratio, factors, intercept, .. } = &self.terms;
        let mut worst = 0.0f64;
        for (class, (_, own)) in b.iter().enumerate() {
            if *intercept {
                worst = worst.max((residuals.iter().map(|row| row[class]).sum::<f64>() / self.n()).abs());
            }
            for (j, b) in own.iter().enumerate() {
                let l = lambda * l1_ratio * factors[j];
                let slope = self.slope(&residuals, j, class) - lambda * (1.0 - l1_ratio) * factors[j] * b;
                let (lower, upper) = self.bounds(j);
                let near = |bound: f64| bound.is_finite() && (b - bound).abs() <= 1e-9 * bound.abs();
                assert!(*b >= lower - 1e-12 && *b <= upper + 1e-12, "column {j}: {b} is outside");
                if !near(upper) {
                    worst = worst.max(slope - if *b < 0.0 { -l } else { l });
                }
                if !near(lower) {
                    worst = worst.max((if *b > 0.0 { l } else { -l }) - slope);
                }
            }
        }
        worst / lambda
    }
}
