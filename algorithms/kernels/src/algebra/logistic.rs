//! The logistic loss, its derivatives and its dual, value by value.

use super::elementary::{
    Eight, MOST_EXPONENT, RowFunction, eight, exp_minus, ln, ln_1p, losses, padded, sum_of,
};
use super::form::{Kernel, run};
use super::lanes::{LANES, Lanes};
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

/// Returns the sum of the losses that [`logistic`] returns, to the bit.
pub fn logistic_loss(given: GivenRows<'_>) -> f64 {
    sum_of(given, LossAlone)
}

/// Returns the sum of the binary entropies H(k s), H(p) = -p ln p - (1 - p) ln(1 - p), for s as in
/// [`logistic`] and k in \[0, 1\]: the dual value of the point that is k times the residual.
pub fn logistic_entropy(given: GivenRows<'_>, k: f64) -> f64 {
    sum_of(given, Entropy { k })
}

/// Returns the sum of the entropies of dual values a of rows with weights c,
/// -a ln(a / c) - (c - a) ln(1 - a / c); a row of weight 0 has none.
pub fn logistic_dual(a: &[f64], costs: &[f64]) -> f64 {
    sum_of((a, costs, None), DualTerm)
}

in_every_form! {
    /// Returns the downward slope of the logistic losses' sum along a line, and its growth, at the step `t`
    /// from these margins, which change by `along`.
    pub fn logistic_slope(margins: &[f64], along: &[f64], costs: &[f64], t: f64) -> (f64, f64) = slope_in;
}

#[inline(always)]
fn slope_in<L: Lanes>(margins: &[f64], along: &[f64], costs: &[f64], t: f64) -> (f64, f64) {
    let (mut down, mut curved) = ([0.0; LANES], [0.0; LANES]);
    let parts = margins.chunks(LANES).zip(along.chunks(LANES)).zip(costs.chunks(LANES));
    for ((margins, along), costs) in parts {
        // What is padded has weight 0.
        let [margins, along, costs] = [padded(margins), padded(along), padded(costs)];
        let moved = eight(|l| t.mul_add(along[l], margins[l]));
        let [share, second] = slopes::<L>(&moved);
        down = eight(|l| (costs[l] * along[l]).mul_add(share[l], down[l]));
        curved = eight(|l| (costs[l] * along[l] * along[l]).mul_add(second[l], curved[l]));
    }
    (L::load(&down).sum(), L::load(&curved).sum())
}

/// Returns s = 1 / (1 + exp(m)) and s (1 - s) of margins m.
#[inline(always)]
fn slopes<L: Lanes>(margins: &Eight) -> [Eight; 2] {
    let e = exp_minus::<L>(eight(|l| margins[l].abs().min(MOST_EXPONENT)));
    let inverse = eight(|l| 1.0 / (1.0 + e[l]));
    let share = eight(|l| if margins[l] >= 0.0 { e[l] * inverse[l] } else { inverse[l] });
    [share, eight(|l| e[l] * inverse[l] * inverse[l])]
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

/// The loss, whose derivatives the compiler leaves out.
struct LossAlone;

impl RowFunction<1> for LossAlone {
    #[inline(always)]
    fn of<L: Lanes>(&self, y: &Eight, scores: &Eight) -> [Eight; 1] {
        [Loss.of::<L>(y, scores)[0]]
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

/// The entropy of a dual value a, given first, of a row of weight c: c H(a / c).
struct DualTerm;

impl RowFunction<1> for DualTerm {
    #[inline(always)]
    fn of<L: Lanes>(&self, a: &Eight, costs: &Eight) -> [Eight; 1] {
        // The smaller part of the weight; 0 / 0 of a row without weight counts as the smallest number, too.
        let q = eight(|l| (a[l].min(costs[l] - a[l]) / costs[l]).max(f64::MIN_POSITIVE));
        let (log, log_rest) = (ln::<L>(q), ln_1p::<L>(q.map(|q| -q)));
        [eight(|l| costs[l] * (-(q[l] * log[l]) - (1.0 - q[l]) * log_rest[l]))]
    }
}

#[cfg(test)]
mod tests {
    use raddle_base::simd_level::SimdLevel;

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
        // That of the system has errors of its own on Windows.
        let exp = libm::exp;
        let (y, scores) = points();
        for (&y, &score) in pairs(&y, &scores) {
            let (mut r, mut w) = ([0.0], [0.0]);
            let LossSums { loss, .. } = logistic((&[y], &[score], None), &mut r, &mut w);
            let margin = y * score;
            let expected = (-margin).max(0.0) + libm::log1p(exp(-margin.abs()));
            let s =
                if margin > 0.0 { exp(-margin) / (1.0 + exp(-margin)) } else { 1.0 / (1.0 + exp(margin)) };
            let near = |a: f64, b: f64| (a - b).abs() <= 4e-16 * b.abs() + 1e-300;
            assert!(near(loss, expected), "{margin}: {loss:e} {expected:e}");
            assert!(near(r[0], y * s), "{margin}: {:e} {s:e}", r[0]);
            let e = exp(-margin.abs());
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
        let costs: Vec<f64> = (0..scores.len()).map(|i| (i % 5) as f64).collect();
        let values = || {
            let (down, curved) = logistic_slope(&scores, &y, &costs, 0.7);
            let losses = [1, 11, y.len()].map(|count| {
                let given = (&y[..count], &scores[..count], Some(&costs[..count]));
                let sums = logistic(given, &mut vec![0.0; count], &mut vec![0.0; count]);
                assert_eq!(logistic_loss(given).to_bits(), sums.loss.to_bits());
                sums.loss
            });
            ([down, curved, logistic_dual(&costs, &y)].map(f64::to_bits), losses.map(f64::to_bits))
        };
        let forms: Vec<_> = SimdLevel::available().into_iter().map(|form| form.during(values)).collect();
        assert!(forms.windows(2).all(|two| two[0] == two[1]), "{} forms", forms.len());
    }

    #[test]
    fn the_slope_on_a_line_is_the_sum_of_the_rows_slopes() {
        let (y, margins) = points();
        let along: Vec<f64> = (0..y.len()).map(|i| (i % 7) as f64 - 3.0).collect();
        for (count, t) in [(1, 0.0), (11, 0.5), (y.len(), 1e-3)] {
            let costs: Vec<f64> = (0..count).map(|i| (i % 4) as f64).collect();
            let (down, curved) = logistic_slope(&margins[..count], &along[..count], &costs, t);
            let (mut expected, mut growth) = (0.0, 0.0);
            for ((m, d), c) in margins.iter().zip(&along).zip(&costs) {
                let e = (-(m + t * d).abs()).exp();
                let share = if m + t * d >= 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) };
                expected += c * d * share;
                growth += c * d * d * e / (1.0 + e) / (1.0 + e);
            }
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-13 * b.abs();
            assert!(near(down, expected) && near(curved, growth), "{count}: {down} {expected}");
        }
    }

    #[test]
    fn dual_values_have_their_entropies_and_none_at_the_bounds() {
        for (a, c) in [(0.3, 1.0), (99.0, 100.0), (1e-9, 2.0), (0.0, 3.0), (3.0, 3.0), (0.0, 0.0)] {
            let term = |part: f64| if part > 0.0 { part * (part / c).ln() } else { 0.0 };
            let (found, expected) = (logistic_dual(&[a], &[c]), -term(a) - term(c - a));
            assert!((found - expected).abs() <= 1e-14 * c + 1e-300, "{a} {c}: {found} {expected}");
        }
    }

    #[test]
    fn weights_multiply_rows_and_a_weight_of_0_leaves_one_out() {
        assert_weighted(points(), logistic, logistic_entropy);
    }
}
