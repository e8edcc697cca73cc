//! The Poisson loss, its derivatives and its dual, value by value.

use super::elementary::{
    EXP, Eight, MOST_EXPONENT, RowFunction, eight, ln, ln_1p, losses, polynomial, reduced, sum_of,
};
use super::lanes::Lanes;
use super::{GivenRows, LossSums};

/// The Poisson loss y log(y / m) - (y - m) at scores f with the means m = exp(f), for responses y that are 0
/// or normal positive numbers; m for y = 0. Writes r = -(its derivative by f) = y - m and w = (its second
/// derivative) = m, and returns the sums of all three.
///
/// If rows have weights of their own, loss, residual and second derivative of a row are multiplied by its
/// weight. All slices are as long as `y`.
pub fn poisson(given: GivenRows<'_>, residual: &mut [f64], weights: &mut [f64]) -> LossSums {
    losses(given, residual, weights, Loss)
}

/// Returns the dual value of the point that is k times the residual r, for k in \[0, 1\]: with m = y - k r,
/// the sum of k r log m + y log(y / m) - (y - m).
pub fn poisson_dual(given: GivenRows<'_>, k: f64) -> f64 {
    sum_of(given, Dual { k })
}

/// Coefficients 1 / (k + 2)! of the series of (exp x - 1 - x) / x^2.
const REST: [f64; 12] = {
    let mut terms = [0.0; 12];
    let mut k = 0;
    while k < 12 {
        terms[k] = EXP[k + 2];
        k += 1;
    }
    terms
};

/// Means relative to their responses, or to 1 if the response is 0.
struct Means {
    /// The response, or 1.
    base: Eight,
    is_zero: [bool; 8],
    /// log base; the next field is t = f - log base.
    log: Eight,
    t: Eight,
    /// exp t; the next fields are exp t - 1, and exp t - 1 - t, without cancellation for t near 0.
    exp: Eight,
    exp_m1: Eight,
    excess: Eight,
}

#[inline(always)]
fn means<L: Lanes>(y: &Eight, scores: &Eight) -> Means {
    let is_zero = y.map(|y| y == 0.0);
    let base = eight(|l| if is_zero[l] { 1.0 } else { y[l] });
    let log = ln::<L>(base);
    let t = eight(|l| scores[l] - log[l]);
    let (shifted, k, x) = reduced(t.map(|t| -t.clamp(-MOST_EXPONENT, MOST_EXPONENT)));
    let rest = polynomial::<L, _>(&REST, x);
    let rest = eight(|l| x[l] * x[l] * rest[l]);
    let one = 1.0f64.to_bits();
    let scale = shifted.map(|shifted| f64::from_bits(one.wrapping_add(shifted.to_bits() << 52)));
    let part = eight(|l| scale[l] * (x[l] + rest[l]));
    let (exp, exp_m1) = (eight(|l| part[l] + scale[l]), eight(|l| part[l] + (scale[l] - 1.0)));
    let excess = eight(|l| if k[l] == 0.0 { rest[l] } else { exp_m1[l] - t[l] });
    Means { base, is_zero, log, t, exp, exp_m1, excess }
}

/// The loss, y - m and m.
struct Loss;

impl RowFunction<3> for Loss {
    #[inline(always)]
    fn of<L: Lanes>(&self, y: &Eight, scores: &Eight) -> [Eight; 3] {
        let Means { base, is_zero, t, exp, exp_m1, excess, .. } = means::<L>(y, scores);
        // 0 * t: the loss of a score that is not finite is NaN.
        let losses = eight(|l| base[l] * 0.0f64.mul_add(t[l], if is_zero[l] { exp[l] } else { excess[l] }));
        let r = eight(|l| -base[l] * if is_zero[l] { exp[l] } else { exp_m1[l] });
        [losses, r, eight(|l| base[l] * exp[l])]
    }
}

/// With z = k (exp t - 1), m is y (1 + z) and the value y (z - z log y - (1 + z) log(1 + z)); for y = 0 it is
/// m - m log m with m = k exp f.
struct Dual {
    k: f64,
}

impl RowFunction<1> for Dual {
    #[inline(always)]
    fn of<L: Lanes>(&self, y: &Eight, scores: &Eight) -> [Eight; 1] {
        let k = self.k;
        let Means { base, is_zero, log, t, exp, exp_m1, .. } = means::<L>(y, scores);
        let z = exp_m1.map(|exp_m1| k * exp_m1);
        // m over the base, computed without cancellation.
        let m = eight(|l| {
            if is_zero[l] { k * exp[l] } else { k.mul_add(exp[l], 1.0 - k) }.max(f64::MIN_POSITIVE)
        });
        let (far, near) = (ln::<L>(m), ln_1p::<L>(z.map(|z| z.clamp(-0.5, 0.5))));
        let log_m = eight(|l| if !is_zero[l] && z[l].abs() <= 0.5 { near[l] } else { far[l] });
        let positive = eight(|l| base[l] * (z[l] - z[l] * log[l] - m[l] * log_m[l]));
        [eight(|l| 0.0f64.mul_add(t[l], if is_zero[l] { m[l] - m[l] * log_m[l] } else { positive[l] }))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::loss_checks::{assert_same_in_every_form, assert_weighted};
    use raddle_common::testing::pairs;

    /// Scores of every size, with alternating counts.
    fn points() -> (Vec<f64>, Vec<f64>) {
        let mut scores = vec![0.0, -0.0, 1e-300, 1e-12, 1e-5, 0.346, 0.347, 3.0, 36.0, 300.0];
        scores.extend((1..200).map(|i| f64::from(i) * 0.073));
        let scores: Vec<f64> = scores.iter().flat_map(|&score| [score, -score]).collect();
        let counts = [0.0, 1.0, 2.0, 7.5, 1e-3, 1e6];
        let y = (0..scores.len()).map(|i| counts[i % counts.len()]).collect();
        (y, scores)
    }

    #[test]
    fn the_loss_and_its_derivatives_are_those_of_the_definition() {
        let (y, scores) = points();
        for (&y, &score) in pairs(&y, &scores) {
            let (mut r, mut w) = ([0.0], [0.0]);
            let LossSums { loss, .. } = poisson((&[y], &[score], None), &mut r, &mut w);
            let mean = libm::exp(score);
            // If mean and count are far apart, the definition itself has no cancellation.
            let expected = if y > 0.0 { y * (y.ln() - score) - (y - mean) } else { mean };
            let size = y * (1.0 + score.abs()) + mean;
            assert!((loss - expected).abs() <= 1e-14 * size, "{y} {score}: {loss:e} {expected:e}");
            assert!((r[0] - (y - mean)).abs() <= 2e-15 * (1.0 + score.abs()) * (y + mean), "{y} {score}");
            assert!(
                (w[0] - mean).abs() <= 1e-15 * (2.0 + score.abs() + y.max(1.0).ln()) * mean,
                "{y} {score}"
            );
            assert!(loss >= 0.0, "{y} {score}: {loss:e}");
        }
    }

    #[test]
    fn near_the_count_the_loss_keeps_its_digits() {
        for y in [1.0f64, 3.0, 1e6] {
            for step in [1e-3, -1e-3, 1e-6] {
                let (mut r, mut w) = ([0.0], [0.0]);
                let score = libm::log(y) + step;
                let step = score - libm::log(y);
                let LossSums { loss, .. } = poisson((&[y], &[score], None), &mut r, &mut w);
                let expected = y * step * step * (0.5 + step / 6.0 + step * step / 24.0);
                assert!((loss - expected).abs() <= 1e-8 * expected, "{y} {step}: {loss:e} {expected:e}");
            }
        }
    }

    /// The conjugate of f -> y log y - y - y f + exp f at -d, derived by hand: minus (m log m - m - y log y +
    /// y), m = y - d.
    #[test]
    fn the_dual_is_that_of_the_definition() {
        let (y, scores) = points();
        for k in [1.0, 1.0 - 1e-9, 0.9, 0.5, 1e-3, 0.0] {
            for (&y, &score) in pairs(&y, &scores) {
                let value = poisson_dual((&[y], &[score], None), k);
                let m = (1.0 - k) * y + k * libm::exp(score);
                let x_log = |x: f64| if x > 0.0 { x * x.ln() } else { 0.0 };
                let expected = x_log(y) - y - x_log(m) + m;
                let size = y * (1.0 + y.max(1e-3).ln().abs()) + m * (1.0 + m.max(1e-300).ln().abs());
                assert!(
                    (value - expected).abs() <= 1e-14 * size + 1e-300,
                    "{k} {y} {score}: {value:e} {expected:e}"
                );
            }
        }
    }

    #[test]
    fn no_loss_is_known_of_scores_that_are_not_finite() {
        for score in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e300] {
            for y in [0.0, 3.0] {
                let (mut r, mut w) = ([0.0], [0.0]);
                let LossSums { loss, .. } = poisson((&[y], &[score], None), &mut r, &mut w);
                assert!(loss.is_nan() || loss > 1e300, "{y} {score}: {loss:e}");
            }
        }
    }

    #[test]
    fn all_vector_forms_give_the_same_bits() {
        let (y, scores) = points();
        assert_same_in_every_form((&y, &scores, None), poisson, poisson_dual);
    }

    #[test]
    fn weights_multiply_rows_and_a_weight_of_0_leaves_one_out() {
        assert_weighted(points(), poisson, poisson_dual);
    }
}
