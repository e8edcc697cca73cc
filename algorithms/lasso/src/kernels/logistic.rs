//! The logistic loss, its derivatives and its dual, value by value, with an exponential and a logarithm of its own.
//!
//! The platform's `exp` and `ln` are not used: they differ between platforms, and they take one value at a time.
//! Here every step is an IEEE operation or a fused multiply-add on eight lanes, the same in all vector forms.

use super::form::{Kernel, run};
use super::lanes::{LANES, Lanes};

/// Margins beyond this count as this: exp(-708) is the smallest power that is a normal number.
const MOST_MARGIN: f64 = 708.0;

/// Sums over the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LogisticSums {
    /// Of log(1 + exp(-y f)).
    pub loss: f64,
    /// Of the residual.
    pub residual: f64,
    /// Of the weights.
    pub weights: f64,
}

/// The logistic loss log(1 + exp(-y f)) at scores f with labels y = 1 or -1. Writes r = -(its derivative by f) = y s
/// and w = (its second derivative) = s (1 - s), where s = 1 / (1 + exp(y f)), and returns the sums of all three.
///
/// All slices are as long as `y`.
pub fn logistic(y: &[f64], scores: &[f64], residual: &mut [f64], weights: &mut [f64]) -> LogisticSums {
    run(Loss { y, scores, residual, weights })
}

/// The sum of the binary entropies H(k s), H(p) = -p ln p - (1 - p) ln(1 - p), for s as in [`logistic`] and k in
/// \[0, 1\]: the dual value of the point that is k times the residual.
pub fn logistic_entropy(y: &[f64], scores: &[f64], k: f64) -> f64 {
    run(Entropy { y, scores, k })
}

type Eight = [f64; LANES];

#[inline(always)]
fn eight(of: impl Fn(usize) -> f64) -> Eight {
    let mut result = [0.0; LANES];
    for (lane, result) in result.iter_mut().enumerate() {
        *result = of(lane);
    }
    result
}

/// `p[0] + z (p[1] + z (...))`.
#[inline(always)]
fn polynomial<const N: usize>(p: &[f64; N], z: Eight) -> Eight {
    let mut sum = [p[N - 1]; LANES];
    for &coefficient in p[..N - 1].iter().rev() {
        sum = eight(|l| sum[l].mul_add(z[l], coefficient));
    }
    sum
}

/// 1 / k!.
const EXP: [f64; 14] = {
    let mut terms = [1.0; 14];
    let mut k = 1;
    while k < 14 {
        terms[k] = terms[k - 1] / k as f64;
        k += 1;
    }
    terms
};

/// 2 / (2k + 1): 2 atanh(s) = s times this polynomial in s^2.
const fn atanh<const N: usize>() -> [f64; N] {
    let mut terms = [2.0; N];
    let mut k = 1;
    while k < N {
        terms[k] = 2.0 / (2 * k + 1) as f64;
        k += 1;
    }
    terms
}

/// Enough terms where |s| <= 1/3,
const ATANH: [f64; 17] = atanh();

/// and where |s| <= (sqrt 2 - 1) / (sqrt 2 + 1).
const ATANH_NEAR: [f64; 11] = atanh();

/// ln 2 as a sum: the first part has trailing zeros, so that small multiples of it are exact.
const LN2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];

/// exp(-m) for m in \[0, 708\].
///
/// -m = k ln 2 + x with whole k, |x| <= ln(2) / 2; exp x by its series, and k is added to the exponent.
#[inline(always)]
fn exp_minus(m: Eight) -> Eight {
    // Adding 1.5 * 2^52 rounds to a whole number, which then stands in the lowest bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let shifted = eight(|l| (-m[l]).mul_add(std::f64::consts::LOG2_E, ROUND));
    let k = eight(|l| shifted[l] - ROUND);
    let x = eight(|l| k[l].mul_add(-LN2[1], k[l].mul_add(-LN2[0], -m[l])));
    let power = polynomial(&EXP, x);
    eight(|l| f64::from_bits(power[l].to_bits().wrapping_add(shifted[l].to_bits() << 52)))
}

/// ln(1 + e) for e in \[0, 1\], or in \[-1/2, 0\]: 2 atanh(e / (2 + e)).
#[inline(always)]
fn ln_1p(e: Eight) -> Eight {
    let s = eight(|l| e[l] / (2.0 + e[l]));
    let sum = polynomial(&ATANH, eight(|l| s[l] * s[l]));
    eight(|l| s[l] * sum[l])
}

/// ln q for a positive normal number q.
#[inline(always)]
fn ln(q: Eight) -> Eight {
    const MANTISSA: u64 = (1 << 52) - 1;
    // 2^52 + (the exponent's bits), as a number.
    let biased = eight(|l| f64::from_bits(0x4330_0000_0000_0000 | (q[l].to_bits() >> 52)));
    let half = eight(|l| f64::from_bits((q[l].to_bits() & MANTISSA) | 0x3fe0_0000_0000_0000));
    let low = half.map(|half| half < std::f64::consts::FRAC_1_SQRT_2);
    let f = eight(|l| if low[l] { 2.0 * half[l] } else { half[l] });
    let k = eight(|l| biased[l] - (4_503_599_627_370_496.0 + 1022.0) - if low[l] { 1.0 } else { 0.0 });
    let s = eight(|l| (f[l] - 1.0) / (f[l] + 1.0));
    let sum = polynomial(&ATANH_NEAR, eight(|l| s[l] * s[l]));
    eight(|l| k[l].mul_add(LN2[0], k[l].mul_add(LN2[1], s[l] * sum[l])))
}

/// e = exp(-|y f|), and y f.
#[inline(always)]
fn margins(y: &Eight, scores: &Eight) -> (Eight, Eight) {
    let margin = eight(|l| y[l] * scores[l]);
    (exp_minus(eight(|l| margin[l].abs().min(MOST_MARGIN))), margin)
}

struct Loss<'a> {
    y: &'a [f64],
    scores: &'a [f64],
    residual: &'a mut [f64],
    weights: &'a mut [f64],
}

impl Kernel for Loss<'_> {
    type Output = LogisticSums;

    #[inline(always)]
    fn run<L: Lanes>(self) -> LogisticSums {
        let (y, last_y) = self.y.as_chunks::<LANES>();
        let (scores, last_scores) = self.scores.as_chunks::<LANES>();
        let (residual, last_residual) = self.residual.as_chunks_mut::<LANES>();
        let (weights, last_weights) = self.weights.as_chunks_mut::<LANES>();
        let mut sums = [[0.0; LANES]; 3];
        for (((y, scores), residual), weights) in y.iter().zip(scores).zip(residual).zip(weights) {
            let values = loss(y, scores);
            (*residual, *weights) = (values[1], values[2]);
            for (sum, value) in sums.iter_mut().zip(&values) {
                *sum = eight(|l| sum[l] + value[l]);
            }
        }
        let count = last_y.len().min(last_scores.len());
        if count > 0 {
            let values = loss(&padded(last_y), &padded(last_scores));
            last_residual.copy_from_slice(&values[1][..last_residual.len()]);
            last_weights.copy_from_slice(&values[2][..last_weights.len()]);
            for (sum, value) in sums.iter_mut().zip(&values) {
                *sum = eight(|l| sum[l] + if l < count { value[l] } else { 0.0 });
            }
        }
        let [loss, residual, weights] = sums.map(|sum| L::load(&sum).sum());
        LogisticSums { loss, residual, weights }
    }
}

/// The loss, y s and s (1 - s).
#[inline(always)]
fn loss(y: &Eight, scores: &Eight) -> [Eight; 3] {
    let (e, margin) = margins(y, scores);
    let log = ln_1p(e);
    // 0 * margin: no loss is known of a score that is not finite.
    let losses = eight(|l| (-margin[l]).max(0.0) + 0.0_f64.mul_add(margin[l], log[l]));
    let inverse = eight(|l| 1.0 / (1.0 + e[l]));
    let r = eight(|l| y[l] * if margin[l] >= 0.0 { e[l] * inverse[l] } else { inverse[l] });
    [losses, r, eight(|l| e[l] * inverse[l] * inverse[l])]
}

struct Entropy<'a> {
    y: &'a [f64],
    scores: &'a [f64],
    k: f64,
}

impl Kernel for Entropy<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let (y, last_y) = self.y.as_chunks::<LANES>();
        let (scores, last_scores) = self.scores.as_chunks::<LANES>();
        let mut sums = [0.0; LANES];
        for (y, scores) in y.iter().zip(scores) {
            let entropy = entropy(y, scores, self.k);
            sums = eight(|l| sums[l] + entropy[l]);
        }
        let count = last_y.len().min(last_scores.len());
        if count > 0 {
            let entropy = entropy(&padded(last_y), &padded(last_scores), self.k);
            sums = eight(|l| sums[l] + if l < count { entropy[l] } else { 0.0 });
        }
        L::load(&sums).sum()
    }
}

/// H(k s). The smaller of k s and 1 - k s is formed without cancellation, for H is steep at both ends.
#[inline(always)]
fn entropy(y: &Eight, scores: &Eight, k: f64) -> Eight {
    let (e, margin) = margins(y, scores);
    let inverse = eight(|l| 1.0 / (1.0 + e[l]));
    // s and 1 - s are e / (1 + e) and 1 / (1 + e), or the other way round.
    let s = eight(|l| if margin[l] >= 0.0 { e[l] * inverse[l] } else { inverse[l] });
    let other = eight(|l| if margin[l] >= 0.0 { inverse[l] } else { e[l] * inverse[l] });
    let q = eight(|l| {
        let (p, rest) = (k * s[l], (1.0 - k).mul_add(s[l], other[l]));
        p.min(rest).max(f64::MIN_POSITIVE)
    });
    let (log, log_rest) = (ln(q), ln_1p(q.map(|q| -q)));
    eight(|l| -(q[l] * log[l]) - (1.0 - q[l]) * log_rest[l])
}

#[inline(always)]
fn padded(last: &[f64]) -> Eight {
    eight(|l| last.get(l).copied().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::in_every_form;

    /// Scores of every size, labels in turns.
    fn points() -> (Vec<f64>, Vec<f64>) {
        let mut scores = vec![0.0, -0.0, 1e-300, 1e-12, 0.346, 0.347, 36.0, 40.0, 700.0, 800.0, 1e10, 1e300];
        scores.extend((1..400).map(|i| f64::from(i) * 0.173));
        let scores: Vec<f64> = scores.iter().flat_map(|&score| [score, -score]).collect();
        let y = (0..scores.len()).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
        (y, scores)
    }

    #[test]
    fn the_loss_and_its_derivatives_are_those_of_the_definition() {
        let (y, scores) = points();
        for (&y, &score) in y.iter().zip(&scores) {
            let (mut r, mut w) = ([0.0], [0.0]);
            let LogisticSums { loss, .. } = logistic(&[y], &[score], &mut r, &mut w);
            let margin = y * score;
            let expected = (-margin).max(0.0) + (-margin.abs()).exp().ln_1p();
            let s = if margin > 0.0 {
                (-margin).exp() / (1.0 + (-margin).exp())
            } else {
                1.0 / (1.0 + margin.exp())
            };
            let near = |a: f64, b: f64| (a - b).abs() <= 4e-16 * b.abs() + 1e-300;
            assert!(near(loss, expected), "{margin}: {loss:e} {expected:e}");
            assert!(near(r[0], y * s), "{margin}: {:e} {s:e}", r[0]);
            let e = (-margin.abs()).exp();
            assert!(near(w[0], e / (1.0 + e) / (1.0 + e)), "{margin}: {:e}", w[0]);
        }
    }

    #[test]
    fn the_entropy_is_that_of_the_definition() {
        let (y, scores) = points();
        for k in [1.0, 1.0 - 1e-9, 0.9, 0.5, 1e-3, 0.0] {
            for (&y, &score) in y.iter().zip(&scores) {
                let value = logistic_entropy(&[y], &[score], k);
                let e = (-(y * score).abs()).exp();
                let (s, rest) = match y * score >= 0.0 {
                    true => (e / (1.0 + e), 1.0 / (1.0 + e)),
                    false => (1.0 / (1.0 + e), e / (1.0 + e)),
                };
                let (p, rest) = (k * s, rest + (1.0 - k) * s);
                let q = p.min(rest);
                let expected = if q > 0.0 { -q * q.ln() - (1.0 - q) * (-q).ln_1p() } else { 0.0 };
                assert!(
                    (value - expected).abs() <= 1e-15 * expected + 1e-300,
                    "{k} {score}: {value:e} {expected:e}"
                );
            }
        }
    }

    #[test]
    fn all_vector_forms_give_the_same_bits() {
        let (y, scores) = points();
        for length in [0, 1, 7, 8, 9, 64, y.len()] {
            let forms = in_every_form(|| {
                let (mut r, mut w) = (vec![0.0; length], vec![0.0; length]);
                let sums = logistic(&y[..length], &scores[..length], &mut r, &mut w);
                let entropy = logistic_entropy(&y[..length], &scores[..length], 0.97);
                let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                (bits(&[sums.loss, sums.residual, sums.weights, entropy]), bits(&r), bits(&w))
            });
            for (name, form) in &forms {
                assert_eq!(form, &forms[0].1, "{name}, {length} values");
            }
        }
    }
}
