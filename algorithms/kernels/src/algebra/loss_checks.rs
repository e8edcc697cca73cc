//! Properties that tests check for every loss kernel.

use super::elementary::{GivenRows, LossSums};
use raddle_base::simd_level::SimdLevel;

/// Evaluates a loss and its dual in every vector form, for some lengths, and checks that all give the same
/// bits.
pub(super) fn assert_same_in_every_form(
    (y, scores, own): GivenRows<'_>,
    loss: impl Fn(GivenRows<'_>, &mut [f64], &mut [f64]) -> LossSums,
    dual: impl Fn(GivenRows<'_>, f64) -> f64,
) {
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    for length in [0, 1, 7, 8, 9, 64, y.len()] {
        let given = (&y[..length], &scores[..length], own.map(|own| &own[..length]));
        let forms = SimdLevel::in_every_form(|| {
            let (mut r, mut w) = (vec![0.0; length], vec![0.0; length]);
            let LossSums { loss, residual, weights } = loss(given, &mut r, &mut w);
            (bits(&[loss, residual, weights, dual(given, 0.97)]), bits(&r), bits(&w))
        });
        for (name, form) in &forms {
            assert_eq!(form, &forms[0].1, "{name}, {length} values");
        }
    }
}

/// Checks that weights, including 0, multiply the rows of a loss and of its dual.
pub(super) fn assert_weighted(
    (y, scores): (Vec<f64>, Vec<f64>),
    loss: impl Fn(GivenRows<'_>, &mut [f64], &mut [f64]) -> LossSums,
    dual: impl Fn(GivenRows<'_>, f64) -> f64,
) {
    let own: Vec<f64> = (0..y.len()).map(|i| 0.5 * (i % 4) as f64).collect();
    assert_same_in_every_form((&y, &scores, Some(&own)), &loss, &dual);
    // One more row, without weight, at a NaN score.
    let (y, scores) = ([&y[..], &y[..1]].concat(), [&scores[..], &[f64::NAN]].concat());
    let own = [&own[..], &[0.0]].concat();
    let (mut r, mut w) = (vec![1.0; y.len()], vec![1.0; y.len()]);
    let sums = loss((&y, &scores, Some(&own)), &mut r, &mut w);
    let (mut sum, mut sum_of_dual) = (0.0, 0.0);
    for (i, own) in own.iter().enumerate() {
        let (mut residual, mut weight) = ([0.0], [0.0]);
        let of = loss((&[y[i]], &[scores[i]], None), &mut residual, &mut weight);
        if *own == 0.0 {
            assert_eq!((r[i], w[i]), (0.0, 0.0));
            continue;
        }
        assert_eq!((r[i], w[i]), (own * residual[0], own * weight[0]));
        sum += own * of.loss;
        sum_of_dual += own * dual((&[y[i]], &[scores[i]], None), 0.9);
    }
    let got = dual((&y, &scores, Some(&own)), 0.9);
    let near = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-12 * b.abs();
    assert!(near(sums.loss, sum) && near(got, sum_of_dual), "{sums:?} {sum} {got} {sum_of_dual}");
}
