//! The share of the deviance that a fit explains, compared with its definition applied to the predictions of
//! the exported model.

use raddle_datasets::Matrix;
use raddle_lasso::{Fit, Lasso, Loss, Preparation, Problem};

use crate::common::{dense, predictions, random, random_data, sparse};

/// Returns the deviance of one row from its score, or from a constant mean (the logarithm of the probability
/// of its class).
fn deviance(loss: Loss, y: f64, score: f64) -> f64 {
    match loss {
        Loss::Squared => (y - score).powi(2),
        Loss::Logistic => 2.0 * (-(2.0 * y - 1.0) * score).exp().ln_1p(),
        Loss::Poisson => {
            let mean = score.exp();
            2.0 * (if y > 0.0 { y * (y / mean).ln() } else { 0.0 } - (y - mean))
        }
        Loss::Multinomial => unreachable!("it has a score for each class"),
    }
}

/// Returns the score of a constant mean.
fn link(loss: Loss, mean: f64) -> f64 {
    match loss {
        Loss::Squared => mean,
        Loss::Logistic => (mean / (1.0 - mean)).ln(),
        Loss::Poisson => mean.ln(),
        Loss::Multinomial => unreachable!("it has a score for each class"),
    }
}

fn response(loss: Loss, y: &[f64]) -> Vec<f64> {
    let mut sorted = y.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let above = |value: f64, third: usize| f64::from(u8::from(value > sorted[third * y.len() / 3]));
    let of = |value: &f64| match loss {
        Loss::Squared => *value,
        Loss::Logistic => f64::from(u8::from(*value > 0.1)),
        Loss::Poisson => (2.0 * value.abs()).round(),
        Loss::Multinomial => above(*value, 1) + above(*value, 2),
    };
    y.iter().map(of).collect()
}

fn fit(x: &Matrix, y: &[f64], loss: Loss, terms: (Option<&[f64]>, Option<&[f64]>)) -> Fit {
    let mut problem = Problem::new(x.clone(), y.to_vec(), Preparation::default()).unwrap();
    if let Some(weights) = terms.0 {
        problem = problem.weights(weights.to_vec()).unwrap();
    }
    if let Some(offset) = terms.1 {
        problem = problem.offset(offset.to_vec()).unwrap();
    }
    Lasso::params().loss(loss).ratio(5.0).fit(&problem).unwrap()
}

fn told(fit: &Fit) -> f64 {
    fit.explained.1.unwrap()
}

#[test]
fn the_share_is_that_of_the_predictions_with_weights_and_offsets() {
    let (columns, values) = random_data(80, 12, 0.7, 5);
    let mut next = random(9);
    let mut weights: Vec<f64> = (0..80).map(|_| 1.5 + next()).collect();
    weights[7] = 0.0;
    let offset: Vec<f64> = (0..80).map(|_| 0.3 * next()).collect();
    let ones = vec![1.0; 80];
    for loss in [Loss::Squared, Loss::Logistic, Loss::Poisson] {
        let y = response(loss, &values);
        for x in [dense(&columns), sparse(&columns)] {
            for terms in [
                (None, None),
                (Some(&weights[..]), None),
                (None, Some(&offset[..])),
                (Some(&weights[..]), Some(&offset[..])),
            ] {
                let fit = fit(&x, &y, loss, terms);
                let weights = terms.0.unwrap_or(&ones);
                let mut scores = predictions(&x, &fit.coefficients, fit.intercept);
                scores.iter_mut().zip(terms.1.unwrap_or(&[])).for_each(|(score, offset)| *score += offset);
                let sum = |of: &dyn Fn(usize) -> f64| (0..80).map(|row| weights[row] * of(row)).sum::<f64>();
                let constant = link(loss, sum(&|row| y[row]) / sum(&|_| 1.0));
                let error = sum(&|row| deviance(loss, y[row], scores[row]));
                let expected = 1.0 - error / sum(&|row| deviance(loss, y[row], constant));
                assert!(
                    (told(&fit) - expected).abs() < 1e-9,
                    "{loss:?} {terms:?}: {} {expected}",
                    told(&fit)
                );
                assert!(expected > 0.02, "{loss:?}: something is explained");
            }
        }
    }
}

#[test]
fn the_share_of_several_classes_is_that_of_their_probabilities() {
    let (columns, values) = random_data(80, 12, 0.7, 5);
    let (x, y) = (dense(&columns), response(Loss::Multinomial, &values));
    let weights: Vec<f64> = (0..80).map(|row| f64::from(row % 3)).collect();
    let fit = fit(&x, &y, Loss::Multinomial, (Some(&weights), None));
    let scores: Vec<Vec<f64>> = (0..3)
        .map(|class| {
            let (intercept, coefficients) = fit.of_class(class);
            predictions(&x, &coefficients, intercept)
        })
        .collect();
    let probability = |row: usize| {
        let powers: Vec<f64> = scores.iter().map(|of| of[row].exp()).collect();
        powers[y[row] as usize] / powers.iter().sum::<f64>()
    };
    let total: f64 = weights.iter().sum();
    let share =
        |class: f64| (0..80).filter(|&row| y[row] == class).map(|row| weights[row]).sum::<f64>() / total;
    let error: f64 = (0..80).map(|row| -weights[row] * probability(row).ln()).sum();
    let constant: f64 = (0..80).map(|row| -weights[row] * share(y[row]).ln()).sum();
    assert!((told(&fit) - (1.0 - error / constant)).abs() < 1e-9, "{} {error} {constant}", told(&fit));
}

#[test]
fn nothing_is_explained_of_a_response_that_does_not_vary() {
    let (columns, _) = random_data(20, 5, 1.0, 3);
    let flat = Problem::new(dense(&columns), vec![2.0; 20], Preparation::default()).unwrap();
    let fit = Lasso::params().lambda(1.0).fit(&flat).unwrap();
    assert_eq!(fit.explained, ("R2", Err("as the response does not vary")));
}
