//! Standard errors by a naive method, from the coefficients of the fit.

use raddle_common::testing::pairs;
use raddle_linear::BySums;

use super::*;

/// Returns the inverse of a matrix, by Gauss and Jordan with pivots.
fn inverse(mut of: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = of.len();
    of.iter_mut()
        .enumerate()
        .for_each(|(at, line)| line.extend((0..n).map(|j| f64::from(u8::from(j == at)))));
    for at in 0..n {
        let pivot = (at..n).max_by(|&a, &b| of[a][at].abs().total_cmp(&of[b][at].abs())).unwrap();
        of.swap(at, pivot);
        let by = of[at][at];
        of[at].iter_mut().for_each(|value| *value /= by);
        let line = of[at].clone();
        for (other, of) in of.iter_mut().enumerate().filter(|(other, _)| *other != at) {
            let by = of[at];
            assert!(other < n);
            of.iter_mut().zip(&line).for_each(|(value, of_line)| *value -= by * of_line);
        }
    }
    of.into_iter().map(|line| line[n..].to_vec()).collect()
}

#[test]
fn standard_errors_are_those_of_the_inverse_information() {
    let given = Given::clouds(500, 6, 21);
    for (bias, weighted) in [(1.0, false), (4.0, true), (0.0, false)] {
        let problem = Problem::new(&given.matrix(), &given.y, bias).unwrap();
        let weights = if weighted { given.weights.clone() } else { vec![1.0; given.y.len()] };
        let problem = problem.weights(weights.clone()).unwrap();
        let linear = Linear::params().loss(Loss::Logistic).lambda(1e-12).tolerance(1e-10);
        let fit = BySums::new(linear).fit(&problem).unwrap();
        let (scorer, errors) = (&fit.scorers[0], fit.errors.as_ref().unwrap());
        let constant = usize::from(bias != 0.0);
        let mut w = vec![0.0; 6];
        scorer.coefficients.iter().for_each(|(column, value)| w[*column as usize] = *value);
        let mut information = vec![vec![0.0; 6 + constant]; 6 + constant];
        for (row, weight) in pairs(&given.rows, &weights) {
            let score = scorer.intercept + pairs(row, &w).map(|(x, w)| x * w).sum::<f64>();
            let p = 1.0 / (1.0 + (-score).exp());
            let row: Vec<f64> = row.iter().copied().chain(vec![1.0; constant]).collect();
            for (line, x) in information.iter_mut().zip(&row) {
                line.iter_mut().zip(&row).for_each(|(sum, other)| *sum += weight * p * (1.0 - p) * x * other);
            }
        }
        let expected: Vec<f64> =
            inverse(information).iter().enumerate().map(|(at, line)| line[at].sqrt()).collect();
        let found: Vec<f64> = errors.columns.iter().copied().chain(errors.intercept).collect();
        assert!(fit.gap() <= 1e-10, "{}", fit.gap());
        for (found, expected) in pairs(&found, &expected) {
            assert!((found - expected).abs() <= 1e-8 * expected, "bias {bias}: {found} and {expected}");
        }
    }
}

#[test]
fn columns_that_depend_on_each_other_have_no_standard_errors() {
    let mut given = Given::clouds(100, 4, 3);
    given.rows.iter_mut().for_each(|row| (row[2], row[3]) = (row[0], 0.0));
    let fit = BySums::new(linear(Loss::Logistic, 1.0)).fit(&given.problem()).unwrap();
    let errors = fit.errors.unwrap().columns;
    assert!(errors[0].is_nan() && errors[2].is_nan() && errors[3].is_nan(), "{errors:?}");
    // Next to one value far beyond all others, those of the column are too small for the grid.
    // Next to one value far beyond all others, those of the column become too small for the grid.
    for (far_out, is_known) in [(1e3, true), (1e4, true), (1e5, false), (1e7, false)] {
        let mut far = Given::clouds(100, 4, 3);
        far.rows[0][1] = far_out;
        let fit = BySums::new(linear(Loss::Logistic, 1.0)).fit(&far.problem()).unwrap();
        let error = fit.errors.unwrap().columns[1];
        assert!(if is_known { (error - 6.1606).abs() < 1e-3 } else { error.is_nan() }, "{far_out}: {error}");
    }
    // A squared hinge is no likelihood.
    let fit = BySums::new(linear(Loss::SquaredHinge, 1.0)).fit(&given.problem()).unwrap();
    assert!(fit.errors.is_none());
}
