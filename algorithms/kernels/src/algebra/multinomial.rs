//! The multinomial loss, its derivatives and its dual, for scores that are listed class by class.

use super::LossSums;
use super::elementary::{Eight, MOST_EXPONENT, eight, exp_minus, ln, ln_1p, padded};
use super::form::{Kernel, run};
use super::lanes::{LANES, Lanes};

/// Rows of a response of classes: the class of each from 0, n scores for each of K classes, and the rows' own
/// weights.
#[derive(Clone, Copy, Debug)]
pub struct ClassRows<'a> {
    pub y: &'a [f64],
    /// K n scores: that of row i and class k is at k n + i.
    pub scores: &'a [f64],
    /// Weights of the rows; all 1 if there are none. A row of weight 0 counts nothing.
    pub own: Option<&'a [f64]>,
}

in_every_form! {
    /// The loss log sum_k exp(f_k) - f_y of each row at its scores f. Writes r_k = [k = y] - p_k, which is
    /// minus its derivative by f_k, and p_k = exp(f_k) / sum exp(f), from which the second derivatives are
    /// computed; all times the row's weight. Returns the sums of all three.
    pub fn multinomial(rows: ClassRows<'_>, residual: &mut [f64], parts: &mut [f64]) -> LossSums = losses_in;

    /// Returns the sum of the entropies -sum_k u_k log u_k, u_k = [k = y] - s r_k, times the rows' weights,
    /// for s in \[0, 1\]: the dual value of the point that is s times the residual.
    pub fn multinomial_entropy(rows: ClassRows<'_>, scale: f64) -> f64 = entropies_in;
}

impl ClassRows<'_> {
    fn classes(&self) -> usize {
        self.scores.len() / self.y.len().max(1)
    }

    /// Returns eight scores of a class, of the rows from `first` on.
    #[inline(always)]
    fn score(&self, class: usize, first: usize) -> Eight {
        let n = self.y.len();
        padded(&self.scores[class * n + first..class * n + n.min(first + LANES)])
    }

    #[inline(always)]
    fn own(&self, first: usize) -> Eight {
        let end = self.y.len().min(first + LANES);
        match self.own {
            Some(own) => padded(&own[first..end]),
            None => eight(|l| if first + l < end { 1.0 } else { 0.0 }),
        }
    }

    #[inline(always)]
    fn y(&self, first: usize) -> Eight {
        padded(&self.y[first..self.y.len().min(first + LANES)])
    }

    /// Returns the largest score, and the first class that has it.
    #[inline(always)]
    fn largest(&self, first: usize) -> (Eight, Eight) {
        let (mut most, mut at) = (self.score(0, first), [0.0; LANES]);
        for class in 1..self.classes() {
            let score = self.score(class, first);
            at = eight(|l| if score[l] > most[l] { class as f64 } else { at[l] });
            most = eight(|l| most[l].max(score[l]));
        }
        (most, at)
    }
}

/// Returns exp(f - the largest score).
#[inline(always)]
fn power<L: Lanes>(score: &Eight, most: &Eight) -> Eight {
    exp_minus::<L>(eight(|l| (most[l] - score[l]).min(MOST_EXPONENT)))
}

/// Returns ln(1 + e) for e >= 0.
#[inline(always)]
fn ln_above<L: Lanes>(e: Eight) -> Eight {
    let (near, far) = (ln_1p::<L>(eight(|l| e[l].min(1.0))), ln::<L>(eight(|l| 1.0 + e[l])));
    eight(|l| if e[l] > 1.0 { far[l] } else { near[l] })
}

#[inline(always)]
fn losses_in<L: Lanes>(rows: ClassRows<'_>, residual: &mut [f64], parts: &mut [f64]) -> LossSums {
    let (n, classes) = (rows.y.len(), rows.classes());
    let mut sums = [[0.0; LANES]; 3];
    for first in (0..n).step_by(LANES) {
        let (own, y) = (rows.own(first), rows.y(first));
        let (most, at) = rows.largest(first);
        // Sums without the largest power, and without that of the response's class: 1 less a probability
        // near 1 is not computed by subtraction.
        let (mut below, mut others, mut total) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        let (mut score_of_y, mut unknown) = ([0.0; LANES], [0.0; LANES]);
        for class in 0..classes {
            let score = rows.score(class, first);
            let e = power::<L>(&score, &most);
            let number = class as f64;
            below = eight(|l| below[l] + if number == at[l] { 0.0 } else { e[l] });
            others = eight(|l| others[l] + if number == y[l] { 0.0 } else { e[l] });
            total = eight(|l| total[l] + e[l]);
            score_of_y = eight(|l| if number == y[l] { score[l] } else { score_of_y[l] });
            // The loss of a score that is not finite is NaN.
            unknown = eight(|l| 0.0_f64.mul_add(score[l], unknown[l]));
        }
        let log = ln_above::<L>(below);
        let loss = eight(|l| most[l] - score_of_y[l] + log[l] + unknown[l]);
        let weighted = |l: usize, value: f64| if own[l] > 0.0 { own[l] * value } else { 0.0 };
        sums[0] = eight(|l| sums[0][l] + weighted(l, loss[l]));
        let count = LANES.min(n - first);
        for class in 0..classes {
            let e = power::<L>(&rows.score(class, first), &most);
            let is_own = eight(|l| if class as f64 == y[l] { 1.0 } else { 0.0 });
            let p = eight(|l| weighted(l, e[l] / total[l]));
            let r = eight(|l| if is_own[l] > 0.0 { weighted(l, others[l] / total[l]) } else { -p[l] });
            let place = class * n + first;
            residual[place..place + count].copy_from_slice(&r[..count]);
            parts[place..place + count].copy_from_slice(&p[..count]);
            sums[1] = eight(|l| sums[1][l] + r[l]);
            sums[2] = eight(|l| sums[2][l] + p[l]);
        }
    }
    let [loss, residual, weights] = sums.map(|sum| L::load(&sum).sum());
    LossSums { loss, residual, weights }
}

#[inline(always)]
fn entropies_in<L: Lanes>(rows: ClassRows<'_>, scale: f64) -> f64 {
    let (n, classes) = (rows.y.len(), rows.classes());
    let mut sums = [0.0; LANES];
    for first in (0..n).step_by(LANES) {
        let (own, y) = (rows.own(first), rows.y(first));
        let (most, _) = rows.largest(first);
        let (mut total, mut others) = ([0.0; LANES], [0.0; LANES]);
        for class in 0..classes {
            let e = power::<L>(&rows.score(class, first), &most);
            total = eight(|l| total[l] + e[l]);
            others = eight(|l| others[l] + if class as f64 == y[l] { 0.0 } else { e[l] });
        }
        let mut entropy = [0.0; LANES];
        for class in 0..classes {
            let e = power::<L>(&rows.score(class, first), &most);
            // u of the response's class is 1 - q: both are computed without cancellation.
            let q = eight(|l| scale * others[l] / total[l]);
            let is_own = eight(|l| if class as f64 == y[l] { 1.0 } else { 0.0 });
            let u = eight(|l| if is_own[l] > 0.0 { 1.0 - q[l] } else { scale * e[l] / total[l] });
            let u = eight(|l| u[l].max(f64::MIN_POSITIVE));
            let (log, near) = (ln::<L>(u), ln_1p::<L>(eight(|l| -q[l].min(0.5))));
            let log = eight(|l| if is_own[l] > 0.0 && q[l] <= 0.5 { near[l] } else { log[l] });
            entropy = eight(|l| entropy[l] - u[l] * log[l]);
        }
        sums = eight(|l| sums[l] + if own[l] > 0.0 { own[l] * entropy[l] } else { 0.0 });
    }
    L::load(&sums).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_base::simd_level::SimdLevel;

    /// Rows of three classes at scores of every size.
    fn points() -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let sizes = [0.0, -0.0, 1e-12, 0.3, 1.7, 36.0, 40.0, 300.0, 700.0, 1e4];
        let rows: Vec<[f64; 3]> =
            sizes.iter().flat_map(|&a| sizes.iter().map(move |&b| [a, -b, 0.25 * a - 0.5 * b])).collect();
        let y = (0..rows.len()).map(|row| (row % 3) as f64).collect();
        let scores = (0..3).flat_map(|class| rows.iter().map(move |row| row[class])).collect();
        let own = (0..rows.len()).map(|row| 0.5 * (row % 4) as f64).collect();
        (y, scores, own)
    }

    /// Returns minus the logarithm of a probability, and the probabilities, from differences of scores.
    fn plain(f: [f64; 3], y: usize) -> (f64, [f64; 3]) {
        let most = f.iter().copied().fold(f64::MIN, f64::max);
        let at = f.iter().position(|&score| score == most).unwrap_or(0);
        let below: f64 = (0..3).filter(|k| *k != at).map(|k| (f[k] - most).exp()).sum();
        let total: f64 = f.iter().map(|score| (score - most).exp()).sum();
        (most - f[y] + below.ln_1p(), f.map(|score| (score - most).exp() / total))
    }

    #[test]
    fn loss_derivatives_and_dual_are_those_of_the_definition() {
        let (y, scores, own) = points();
        let n = y.len();
        let near = |a: f64, b: f64| assert!((a - b).abs() <= 2e-15 * b.abs() + 1e-290, "{a:e} {b:e}");
        for i in 0..n {
            let f: [f64; 3] = std::array::from_fn(|class| scores[class * n + i]);
            let class = y[i] as usize;
            let (loss, p) = plain(f, class);
            for own in [None, Some(own[i])] {
                let (own, weight) = (own.as_ref().map(std::slice::from_ref), own.unwrap_or(1.0));
                let rows = ClassRows { y: &y[i..=i], scores: &f, own };
                let (mut r, mut q) = ([9.0; 3], [9.0; 3]);
                near(multinomial(rows, &mut r, &mut q).loss, weight * loss);
                for k in 0..3 {
                    near(q[k], weight * p[k]);
                    let others: f64 = (0..3).filter(|l| *l != class).map(|l| p[l]).sum();
                    near(r[k], weight * if k == class { others } else { -p[k] });
                }
                for scale in [0.0, 1e-3, 0.7, 1.0] {
                    let others: f64 = (0..3).filter(|l| *l != class).map(|l| scale * p[l]).sum();
                    let mut entropy = -(1.0 - others) * (-others).ln_1p();
                    if others > 0.5 {
                        let own = 1.0 - others;
                        entropy = if own > 0.0 { -own * own.ln() } else { 0.0 };
                    }
                    let entropy = (0..3)
                        .filter(|l| *l != class && scale * p[*l] > 0.0)
                        .fold(entropy, |sum, l| sum - scale * p[l] * (scale * p[l]).ln());
                    let (found, entropy) = (multinomial_entropy(rows, scale), weight * entropy);
                    // If another class is nearly certain, u = 1 - q has an error of two ulps of 1, and its
                    // logarithm is at most 37: rounding compared with the loss, which is above log 2.
                    let beside = if p[class] < 0.5 { 37.0 * 2.0 * f64::EPSILON } else { 1e-290 };
                    assert!((found - entropy).abs() <= 1e-13 * entropy + beside, "{found:e} {entropy:e}");
                }
            }
        }
    }

    #[test]
    fn all_vector_forms_give_the_same_bits() {
        let (y, scores, own) = points();
        for n in [1, 7, 8, 9, y.len()] {
            let scores: Vec<f64> = (0..3).flat_map(|class| scores[class * y.len()..][..n].to_vec()).collect();
            for own in [None, Some(&own[..n])] {
                let rows = ClassRows { y: &y[..n], scores: &scores, own };
                let forms = SimdLevel::in_every_form(|| {
                    let (mut r, mut q) = (vec![0.0; 3 * n], vec![0.0; 3 * n]);
                    let LossSums { loss, residual, weights } = multinomial(rows, &mut r, &mut q);
                    let all = [loss, residual, weights, multinomial_entropy(rows, 0.97)];
                    all.iter().chain(&r).chain(&q).map(|value| value.to_bits()).collect::<Vec<_>>()
                });
                for (name, form) in &forms {
                    assert_eq!(form, &forms[0].1, "{name}, {n} rows");
                }
            }
        }
    }
}
