//! Small problems compared with simple dense methods: gradient steps with momentum.

use raddle_linear::{Linear, Loss};

use crate::common::{Data, LOSSES, all};

/// Coefficients by projected gradient steps with momentum on the dual of the hinge losses, or on the primal
/// of the logistic loss.
fn naive(data: &Data, loss: Loss, c: f64) -> Vec<f64> {
    let (n, p) = (data.y.len(), data.x.cols());
    let z: Vec<Vec<f64>> = (0..n)
        .map(|row| {
            let mut z = vec![0.0; p];
            data.rows[row].iter().for_each(|(column, value)| z[*column] += data.sign(row) * value);
            z
        })
        .collect();
    let dot = |a: &[f64], b: &[f64]| (0..p).map(|at| a[at] * b[at]).sum::<f64>();
    let weights = |a: &[f64]| -> Vec<f64> {
        (0..p).map(|column| (0..n).map(|row| a[row] * z[row][column]).sum()).collect()
    };
    let squares: f64 = z.iter().map(|z| dot(z, z)).sum();
    let is_primal = loss == Loss::Logistic;
    let steepest = match loss {
        Loss::Hinge => squares,
        Loss::SquaredHinge => squares + 0.5 / c,
        Loss::Logistic | Loss::Multinomial => 1.0 + c * squares / 4.0,
    };
    let step = |at: &[f64]| -> Vec<f64> {
        if is_primal {
            let pull: Vec<f64> = z.iter().map(|z| c / (1.0 + dot(z, at).exp())).collect();
            let pull = weights(&pull);
            return (0..p).map(|column| at[column] - (at[column] - pull[column]) / steepest).collect();
        }
        let (w, own) = (weights(at), if loss == Loss::Hinge { 0.0 } else { 0.5 / c });
        let upper = if loss == Loss::Hinge { c } else { f64::INFINITY };
        (0..n)
            .map(|row| (at[row] - (dot(&z[row], &w) - 1.0 + own * at[row]) / steepest).clamp(0.0, upper))
            .collect()
    };
    let mut x = vec![0.0; if is_primal { p } else { n }];
    let (mut ahead, mut t) = (x.clone(), 1.0_f64);
    for round in 0..30_000 {
        let next = step(&ahead);
        // Momentum is reset now and then.
        let grown = if round % 400 == 399 { 1.0 } else { (1.0 + (1.0 + 4.0 * t * t).sqrt()) / 2.0 };
        let push = if grown == 1.0 { 0.0 } else { (t - 1.0) / grown };
        ahead = (0..next.len()).map(|at| next[at] + push * (next[at] - x[at])).collect();
        (x, t) = (next, grown);
    }
    if is_primal { x } else { weights(&x) }
}

#[test]
fn small_problems_have_the_solution_of_a_naive_method() {
    let data = Data::clouds(24, 4, 5);
    for loss in LOSSES {
        for c in [0.01, 1.0, 100.0] {
            let fit = Linear::params().loss(loss).c(c).tolerance(1e-12).fit(&data.problem(0.0)).unwrap();
            let (found, wanted) = (all(&fit.scorers[0].coefficients, 4), naive(&data, loss, c));
            let costs = vec![c; 24];
            let best = data.primal(loss, &costs, (&wanted, 0.0, 0.0.into()));
            let ours = data.primal(loss, &costs, (&found, 0.0, 0.0.into()));
            assert!((ours - best).abs() <= 1e-8 * best, "{} C {c}: {ours} {best}", loss.name());
            let apart = (0..4).map(|at| (found[at] - wanted[at]).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-4, "{} C {c}: {found:?} {wanted:?}", loss.name());
        }
    }
}

/// One against the rest: each scorer is the fit of a problem of two classes.
#[test]
fn scorers_of_several_classes_are_those_of_a_class_against_the_rest() {
    let data = Data::classes(4, (40, 5), 6);
    for loss in LOSSES {
        let linear = Linear::params().loss(loss).tolerance(1e-11);
        let fit = linear.fit(&data.problem(1.0)).unwrap();
        for (scorer, alone) in raddle_common::testing::pairs(&fit.scorers, data.binaries()) {
            let alone = &linear.fit(&alone.problem(1.0)).unwrap().scorers[0];
            let [a, b] = [scorer, alone].map(|of| all(&of.coefficients, 5));
            let apart = (0..5).map(|at| (a[at] - b[at]).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-4 && (scorer.intercept - alone.intercept).abs() < 1e-4, "{a:?} {b:?}");
            assert!((scorer.objective - alone.objective).abs() <= 1e-10 * alone.objective);
        }
        // The largest score says the class.
        let scores = fit.scores(&data.x);
        let largest = |row: usize| (0..4).max_by(|a, b| scores[*a][row].total_cmp(&scores[*b][row])).unwrap();
        let wrong = (0..40).filter(|&row| data.y[row] != largest(row) as f64 + 1.0).count();
        assert_eq!(fit.training_error, wrong as f64 / 40.0);
        assert!(fit.training_error < 0.5);
    }
}
