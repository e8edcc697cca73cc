//! The logistic loss, its derivatives and its dual, value by value.

use super::elementary::{Eight, MOST_EXPONENT, RowFunction, eight, exp_minus, ln, ln_1p, losses, sum_of};
use super::lanes::Lanes;
use super::{GivenRows, LossSums};

/// The logistic loss log(1 + exp(-y f)) at scores f with labels y = 1 or -1. Writes r = -(its derivative by
/// f) = y s and w = (its second derivative) = s (1 - s), where s = 1 / (1 + exp(y f)), and returns the sums
/// of all three.
///
/// If rows have weights of their own, loss, residual and second derivative of a row are multiplied by its
/// weight. All slices are as long as `y`.
pub fn logistic(given: GivenRows<'_>, residual: &mut [f64], weights: &mut [f64]) -> LossSums {
    losses(given, residual, weights, Loss)
}

/// Returns the sum of the binary entropies H(k s), H(p) = -p ln p - (1 - p) ln(1 - p), for s as in
/// [`logistic`] and k in \[0, 1\]: the dual value of the point that is k times the residual.
pub fn logistic_entropy(given: GivenRows<'_>, k: f64) -> f64 {
    sum_of(given, Entropy { k })
}

/// Returns e = exp(-|y f|), and y f.
#[inline(always)]
fn margins<L: Lanes>(y: &Eight, scores: &Eight) -> (Eight, Eight) {
    let margin = eight(|l| y[l] * scores[l]);
    (exp_minus::<L>(eight(|l| margin[l].abs().min(MOST_EXPONENT))), margin)
}

/// The loss, y s and s (1 - s).
struct Loss;

impl RowFunction<3> for Loss {
    #[inline(always)]
    fn of<L: Lanes>(&self, y: &Eight, scores: &Eight) -> [Eight; 3] {
        let (e, margin) = margins::<L>(y, scores);
        let log = ln_1p::<L>(e);
        // 0 * margin: the loss of a score that is not finite is NaN.
        let losses = eight(|l| (-margin[l]).max(0.0) + 0.0_f64.mul_add(margin[l], log[l]));
        let inverse = eight(|l| 1.0 / (1.0 + e[l]));
        let r = eight(|l| y[l] * if margin[l] >= 0.0 { e[l] * inverse[l] } else { inverse[l] });
        [losses, r, eight(|l| e[l] * inverse[l] * inverse[l])]
    }
}

/// H(k s). The smaller of k s and 1 - k s is formed without cancellation, for H is steep at both ends.
struct Entropy {
    k: f64,
}

impl RowFunction<1> for Entropy {
    #[inline(always)]
    fn of<L: Lanes>(&self, y: &Eight, scores: &Eight) -> [Eight; 1] {
        let k = self.k;
        let (e, margin) = margins::<L>(y, scores);
        let inverse = eight(|l| 1.0 / (1.0 + e[l]));
        // s and 1 - s are e / (1 + e) and 1 / (1 + e), or the reverse.
        let s = eight(|l| if margin[l] >= 0.0 { e[l] * inverse[l] } else { inverse[l] });
        let other = eight(|l| if margin[l] >= 0.0 { inverse[l] } else { e[l] * inverse[l] });
        let q = eight(|l| {
            let (p, rest) = (k * s[l], (1.0 - k).mul_add(s[l], other[l]));
            p.min(rest).max(f64::MIN_POSITIVE)
        });
        let (log, log_rest) = (ln::<L>(q), ln_1p::<L>(q.map(|q| -q)));
        [eight(|l| -(q[l] * log[l]) - (1.0 - q[l]) * log_rest[l])]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::loss_checks::{assert_same_in_every_form, assert_weighted};
    use raddle_common::testing::pairs;

    /// Scores of every size, with alternating labels.
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
        for (&y, &score) in pairs(&y, &scores) {
            let (mut r, mut w) = ([0.0], [0.0]);
            let LossSums { loss, .. } = logistic((&[y], &[score], None), &mut r, &mut w);
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
            for (&y, &score) in pairs(&y, &scores) {
                let value = logistic_entropy((&[y], &[score], None), k);
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
        assert_same_in_every_form((&y, &scores, None), logistic, logistic_entropy);
    }

    #[test]
    fn weights_multiply_rows_and_a_weight_of_0_leaves_one_out() {
        assert_weighted(points(), logistic, logistic_entropy);
    }
}
