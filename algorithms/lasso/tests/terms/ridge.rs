//! Without an l1 term: ridge regression, and no penalty at all, next to solutions of their normal equations.

use std::fmt::Write as _;
use std::fs;

use raddle_common::testing::{Program, pairs};
use raddle_lasso::{Fit, Lasso, Loss};
use serde_json::Value;

use super::oracle::Solution;
use super::{apart, data, exported, problem, whole_weights};
use crate::common::{WAYS, dense, sparse};

/// Columns, response and weights of a problem.
struct Naive {
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
    weights: Vec<f64>,
    intercept: bool,
    standardize: bool,
}

impl Naive {
    fn new(rows: usize, columns: usize, (intercept, standardize, weighted): (bool, bool, bool)) -> Self {
        let (x, y) = data(Loss::Squared, rows, columns, 17);
        let weights = if weighted { whole_weights(rows) } else { vec![1.0; rows] };
        Self { x, y, weights, intercept, standardize }
    }

    fn mean(&self, values: &[f64]) -> f64 {
        self.sum(values, &vec![1.0; values.len()]) / self.weights.iter().sum::<f64>()
    }

    fn sum(&self, a: &[f64], b: &[f64]) -> f64 {
        pairs(pairs(a, b), &self.weights).map(|((a, b), weight)| a * b * weight).sum()
    }

    /// Returns columns and response as prepared, with the deviations that divided the columns.
    fn prepared(&self) -> (Vec<Vec<f64>>, Vec<f64>, Vec<f64>) {
        let less = |values: &[f64], by: f64| values.iter().map(|value| value - by).collect::<Vec<f64>>();
        let center = |values: &[f64]| less(values, if self.intercept { self.mean(values) } else { 0.0 });
        let deviation = |values: &[f64]| {
            let apart = less(values, self.mean(values));
            if self.standardize {
                (self.sum(&apart, &apart) / self.weights.iter().sum::<f64>()).sqrt()
            } else {
                1.0
            }
        };
        let deviations: Vec<f64> = self.x.iter().map(|column| deviation(column)).collect();
        let divided =
            |(column, by): (&Vec<f64>, &f64)| center(column).iter().map(|value| value / by).collect();
        let columns = pairs(&self.x, &deviations).map(divided).collect();
        (columns, center(&self.y), deviations)
    }

    /// Solves (X'WX / W + lambda I) b = X'Wy / W by elimination with pivots.
    fn solution(&self, lambda: f64) -> Solution {
        let ((columns, y, deviations), all) = (self.prepared(), self.weights.iter().sum::<f64>());
        let count = columns.len();
        let mut rows: Vec<Vec<f64>> = (0..count)
            .map(|i| {
                let of =
                    |j: usize| self.sum(&columns[i], &columns[j]) / all + if i == j { lambda } else { 0.0 };
                (0..count).map(of).chain([self.sum(&columns[i], &y) / all]).collect()
            })
            .collect();
        for at in 0..count {
            let largest =
                (at..count).max_by(|a, b| rows[*a][at].abs().total_cmp(&rows[*b][at].abs())).unwrap();
            rows.swap(at, largest);
            let pivot = rows[at].clone();
            for (_, row) in rows.iter_mut().enumerate().filter(|(number, _)| *number != at) {
                let factor = row[at] / pivot[at];
                row.iter_mut().zip(&pivot).for_each(|(value, by)| *value -= factor * by);
            }
        }
        let b: Vec<f64> = (0..count).map(|at| rows[at][count] / rows[at][at] / deviations[at]).collect();
        let shift: f64 = pairs(&self.x, &b).map(|(column, b)| self.mean(column) * b).sum();
        (if self.intercept { self.mean(&self.y) - shift } else { 0.0 }, b)
    }

    /// Returns P and D, of the mean loss, of a fit's coefficients and dual point.
    fn certificate(&self, fit: &Fit, lambda: f64) -> (f64, f64) {
        let ((columns, y, deviations), n) = (self.prepared(), self.y.len() as f64);
        let b: Vec<f64> = pairs(exported(fit, columns.len()).1, &deviations).map(|(b, by)| b * by).collect();
        // Weights have the mean 1.
        let share = n / self.weights.iter().sum::<f64>();
        let fitted = |row: usize| pairs(&columns, &b).map(|(column, b)| column[row] * b).sum::<f64>();
        let residual: Vec<f64> = (0..y.len()).map(|row| y[row] - fitted(row)).collect();
        let squares: f64 = b.iter().map(|b| b * b).sum();
        let primal = share * self.sum(&residual, &residual) / (2.0 * n) + lambda / 2.0 * squares;
        let gained = |((theta, y), weight): ((&f64, &f64), &f64)| {
            let weight = share * weight;
            if weight > 0.0 { theta * y - theta * theta / (2.0 * weight) } else { 0.0 }
        };
        let gains: f64 = pairs(pairs(&fit.dual, &y), &self.weights).map(gained).sum();
        let slope = |column: &Vec<f64>| pairs(column, &fit.dual).map(|(x, theta)| x * theta).sum::<f64>();
        let slopes: f64 = columns.iter().map(|column| slope(column).powi(2)).sum();
        (primal, gains / n - slopes / (2.0 * n * n * lambda))
    }
}

const PREPARATIONS: [(bool, bool, bool); 5] = [
    (true, true, false),
    (true, false, true),
    (false, true, false),
    (false, false, true),
    (true, true, true),
];

#[test]
fn ridge_is_the_solution_of_its_normal_equations_and_certified() {
    for (rows, columns) in [(60, 12), (30, 80)] {
        for preparation in PREPARATIONS {
            let naive = Naive::new(rows, columns, preparation);
            for lambda in [1e-3, 1.0, 100.0] {
                for make in [dense, sparse] {
                    let problem = problem(make(&naive.x), &naive.y, naive.intercept, naive.standardize);
                    let problem = problem.weights(naive.weights.clone()).unwrap();
                    let fit = Lasso::params().l1_ratio(0.0).lambda(lambda).tolerance(1e-10);
                    let fit = fit.fit(&problem).unwrap();
                    let context = format!("{rows} x {columns} {preparation:?} lambda {lambda}");
                    let off = apart(&exported(&fit, columns), &naive.solution(lambda));
                    assert!(off < 1e-8, "{context}: {off:e}");
                    assert_eq!(
                        (fit.lambda_max, fit.gradient, fit.report.epochs),
                        (0.0, None, 0),
                        "{context}"
                    );
                    let (primal, dual) = naive.certificate(&fit, lambda);
                    let (gap, said) = ((primal - dual) / primal, fit.report.metric.value);
                    assert!((-1e-12..=1e-10).contains(&gap) && said <= 1e-10, "{context}: {gap:e} {said:e}");
                }
            }
        }
    }
}

#[test]
fn without_a_penalty_it_is_least_squares_and_its_gradient_is_said() {
    for preparation in PREPARATIONS {
        let naive = Naive::new(60, 12, preparation);
        for make in [dense, sparse] {
            let problem = problem(make(&naive.x), &naive.y, naive.intercept, naive.standardize);
            let fit =
                Lasso::params().lambda(0.0).fit(&problem.weights(naive.weights.clone()).unwrap()).unwrap();
            let off = apart(&exported(&fit, 12), &naive.solution(0.0));
            assert!(off < 1e-8, "{preparation:?}: {off:e}");
            assert!(fit.gradient.unwrap() < 1e-12 && fit.report.metric.is_reached(), "{:?}", fit.gradient);
        }
    }
    // Of columns that depend on each other the later has no coefficient; more than rows fit all rows.
    let mut naive = Naive::new(30, 80, (true, true, false));
    naive.x[1] = naive.x[0].iter().map(|value| 2.0 * value - 1.0).collect();
    let fit = Lasso::params().lambda(0.0).fit(&problem(dense(&naive.x), &naive.y, true, true)).unwrap();
    let (intercept, b) = exported(&fit, 80);
    assert!(b[0] != 0.0 && b[1] == 0.0 && b.iter().filter(|b| **b != 0.0).count() == 29, "{b:?}");
    for (row, y) in naive.y.iter().enumerate() {
        let score = intercept + pairs(&naive.x, &b).map(|(column, b)| column[row] * b).sum::<f64>();
        assert!((score - y).abs() < 1e-8, "{score} {y}");
    }
}

/// Every loss has a fit without a penalty: slopes of the mean loss are 0.
#[test]
fn other_losses_without_a_penalty_are_at_their_minimum() {
    for loss in super::LOSSES {
        let (x, y) = data(loss, 80, 4, 23);
        let fit = Lasso::params().loss(loss).lambda(0.0).fit(&problem(dense(&x), &y, true, true)).unwrap();
        assert!(fit.gradient.unwrap() < 1e-10 && fit.coefficients.len() == 4, "{loss:?}: {:?}", fit.gradient);
    }
}

#[test]
fn any_number_of_workers_has_the_same_bits() {
    let naive = Naive::new(30, 80, (true, true, true));
    let problem = problem(dense(&naive.x), &naive.y, true, true).weights(naive.weights.clone()).unwrap();
    for lasso in [Lasso::params().l1_ratio(0.0).lambda(0.1), Lasso::params().lambda(0.0)] {
        let digest = |(workers, wire)| {
            let lasso = lasso.clone().shards(5).workers(workers);
            lasso.fit_with(&problem, |engine| engine.serialized(wire)).unwrap().digest()
        };
        let all = WAYS.map(digest);
        assert!(all.iter().all(|one| *one == all[0]), "{all:?}");
    }
}

#[test]
fn the_program_fits_both_and_says_what_is_proven() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, lasso) = (folder.path(), Program::at(env!("CARGO_BIN_EXE_lasso")));
    let ran = lasso.ends(folder, "fit diabetes --l1-ratio 0 --lambda 0.5 --out ridge", 0);
    assert!(
        ran.out.contains("Ridge regression on diabetes: 10 of 10 coefficients are not zero"),
        "{}",
        ran.out
    );
    let report: Value = serde_json::from_slice(&fs::read(folder.join("ridge/report.json")).unwrap()).unwrap();
    assert!(report["metric"]["value"].as_f64().unwrap() < 1e-6 && report["results"]["gradient"].is_null());
    assert_eq!(lasso.ends(folder, "predict ridge diabetes", 0).out.lines().count(), 442);
    let one = &report["model_digest"];
    for options in ["--workers 3 --shards 16", "--workers 7"] {
        let line = format!("fit diabetes --l1-ratio 0 --lambda 0.5 {options}");
        assert_eq!(lasso.report(folder, &line)["model_digest"], *one, "{options}");
    }
    let ran = lasso.ends(folder, "fit diabetes --lambda 0 --out none", 0);
    let said = "Regression without a penalty on diabetes: 10 of 10 coefficients are not zero at lambda 0";
    let is_said = ran.out.contains(said) && ran.out.contains("; the largest slope of the mean loss is ");
    assert!(is_said, "{}", ran.out);
    let report: Value = serde_json::from_slice(&fs::read(folder.join("none/report.json")).unwrap()).unwrap();
    assert!(report["results"]["gradient"].as_f64().unwrap() < 1e-9, "{report}");
    // Without a penalty, no share of it matters.
    for options in ["--l1-ratio 0 --workers 3", "--l1-ratio 0.5"] {
        let other = lasso.report(folder, &format!("fit diabetes --lambda 0 {options}"));
        assert_eq!(other["model_digest"], report["model_digest"], "{options}");
    }
    for (line, why) in [
        (
            "fit diabetes --l1-ratio 0",
            "--l1-ratio is 0, which is ridge: no lambda is so large that all coefficients are 0",
        ),
        ("path diabetes --l1-ratio 0", "give one lambda"),
        ("cv diabetes --l1-ratio 0,1", "give one lambda"),
        (
            "fit diabetes --l1-ratio 0 --lambda 1 --nonnegative",
            "it is fitted without factors, bounds and groups",
        ),
        ("fit diabetes --l1-ratio 0 --lambda 1 --loss poisson", "it is for the squared loss"),
        ("fit diabetes --l1-ratio 0 --lambda 1 --schedule cyclic", "all coefficients are solved for at once"),
        ("fit diabetes --l1-ratio 0 --lambda 1 --init ridge", "leave the initial ones out"),
        ("fit diabetes --lambda 0 --nonnegative", "--lambda is 0: no column has a penalty then"),
        ("path diabetes --lambdas 1,0", "--lambdas is 0: it must be a positive number"),
        ("fit diabetes --lambda -1", "--lambda is -1: it must be 0, for no penalty, or a positive number"),
        ("fit diabetes --l1-ratio 1e-12", "--l1-ratio is 1e-12: it must be 0, or 1e-9 at least"),
    ] {
        let refused = lasso.ends(folder, line, 2);
        assert!(refused.err.contains(why), "{line}: {}", refused.err);
    }
}

/// A weight of a class is that of each of its rows, in every verb.
#[test]
fn weights_of_classes_are_those_of_their_rows() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, lasso) = (folder.path(), Program::at(env!("CARGO_BIN_EXE_lasso")));
    let (x, y) = data(Loss::Squared, 60, 4, 29);
    let mut order = y.clone();
    order.sort_by(f64::total_cmp);
    let kind = |y: f64| ["low", "middle", "high"][usize::from(y >= order[15]) + usize::from(y >= order[35])];
    let count = |name: &str| y.iter().filter(|y| kind(**y) == name).count() as f64;
    let mut text = String::from("a,b,c,d,w,u,kind\n");
    for (row, y) in y.iter().enumerate() {
        x.iter().for_each(|column| write!(text, "{},", column[row]).unwrap());
        let (name, weight) = (kind(*y), (1 + row % 3) as f64);
        let given = if name == "low" {
            3.0
        } else if name == "high" {
            0.5
        } else {
            1.0
        };
        writeln!(text, "{},{},{name}", given * weight, 60.0 / (3.0 * count(name))).unwrap();
    }
    fs::write(folder.join("kinds.csv"), text).unwrap();
    let of = |options: &str| {
        lasso.ends(folder, &format!("{options} --out run --force --quiet"), 0);
        fs::read(folder.join("run/coef.tsv")).unwrap()
    };
    let start = "kinds.csv --y kind --loss multinomial --drop";
    for verb in ["fit", "path --points 4", "cv --folds 3 --points 4"] {
        let (verb, more) = verb.split_once(' ').unwrap_or((verb, ""));
        let by_class = of(&format!("{verb} {start} w,u --class-weights balanced {more}"));
        assert_eq!(by_class, of(&format!("{verb} {start} w --weights u {more}")), "{verb}");
        assert_ne!(by_class, of(&format!("{verb} {start} w,u {more}")), "{verb}");
    }
    fs::write(
        folder.join("each.txt"),
        (0..60).fold(String::new(), |all, row| all + &format!("{}\n", 1 + row % 3)),
    )
    .unwrap();
    let both = of(&format!("fit {start} w,u --class-weights low=3,high=0.5 --weights each.txt"));
    assert_eq!(both, of(&format!("fit {start} u --weights w")));
    for (line, why) in [
        (
            "fit kinds.csv --y kind --loss multinomial --class-weights none=2",
            "the response has no class none",
        ),
        (
            "fit kinds.csv --y kind --loss multinomial --class-weights low=0",
            "a number from 1e-100 to 1e100 for some classes",
        ),
        ("fit diabetes --class-weights balanced", "--class-weights has no effect with --loss squared"),
    ] {
        let refused = lasso.ends(folder, line, 2);
        assert!(refused.err.contains(why), "{line}: {}", refused.err);
    }
}
