//! Cross-validation compared with its definition: coordinate descent fold by fold, and errors summed row by
//! row.

use raddle_common::testing::pairs;
use raddle_datasets::Matrix;
use raddle_lasso::{
    Choice, Criterion, CrossValidated, Folds, Lasso, LassoError, Loss, Preparation, Problem, Rule,
};

use crate::common::{self, Oracle, classes, dense, random_data, sparse};

const USUAL: [Preparation; 4] = [
    Preparation::Standard { intercept: true, standardize: true },
    Preparation::Standard { intercept: true, standardize: false },
    Preparation::Standard { intercept: false, standardize: true },
    Preparation::Standard { intercept: false, standardize: false },
];

/// Returns the folds, without a fit.
fn folds(x: &Matrix, y: &[f64], count: usize, seed: u64) -> Folds {
    let cv = Lasso::params().cv().folds(count).seed(seed);
    cv.start(x.clone(), y.to_vec(), Preparation::default()).unwrap()
}

/// Some rows of columns.
fn rows_of(columns: &[Vec<f64>], rows: &[usize]) -> Vec<Vec<f64>> {
    columns.iter().map(|column| rows.iter().map(|&row| column[row]).collect()).collect()
}

/// Runs coordinate descent on prepared columns until nothing changes; returns coefficients on the original
/// scale, and the intercept.
fn descend(
    columns: &[Vec<f64>],
    y: &[f64],
    lambda: f64,
    intercept: bool,
    standardize: bool,
) -> (Vec<f64>, f64) {
    let n = y.len() as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / n;
    let center = |values: &[f64]| if intercept { mean(values) } else { 0.0 };
    let (mut centers, mut scales, mut prepared) = (Vec::new(), Vec::new(), Vec::new());
    for column in columns {
        let about = mean(column);
        let deviation = (column.iter().map(|v| (v - about).powi(2)).sum::<f64>() / n).sqrt();
        let varies = deviation > 1e-12;
        let scale = if standardize && varies { 1.0 / deviation } else { 1.0 };
        let scale = if intercept && !varies { 0.0 } else { scale };
        centers.push(center(column));
        scales.push(scale);
        prepared.push(column.iter().map(|v| (v - center(column)) * scale).collect::<Vec<f64>>());
    }
    let mut residual: Vec<f64> = y.iter().map(|value| value - center(y)).collect();
    let mut b = vec![0.0; columns.len()];
    for _ in 0..100_000 {
        let mut moved = 0.0f64;
        for (j, column) in prepared.iter().enumerate() {
            let norm: f64 = column.iter().map(|v| v * v).sum();
            if norm == 0.0 {
                continue;
            }
            let z = column.iter().zip(&residual).map(|(v, r)| v * r).sum::<f64>() + norm * b[j];
            let after = z.signum() * (z.abs() - n * lambda).max(0.0) / norm;
            let step = after - b[j];
            b[j] = after;
            residual.iter_mut().zip(column).for_each(|(r, v)| *r -= v * step);
            moved = moved.max(step.abs() * norm.sqrt());
        }
        if moved < 1e-12 {
            break;
        }
    }
    let original: Vec<f64> = b.iter().zip(&scales).map(|(b, scale)| b * scale).collect();
    let shift: f64 = original.iter().zip(&centers).map(|(b, center)| b * center).sum();
    (original, center(y) - shift)
}

/// (mean, standard error) over rows and folds, at each lambda.
fn expected(
    columns: &[Vec<f64>],
    y: &[f64],
    folds: &Folds,
    (intercept, standardize): (bool, bool),
) -> Vec<(f64, f64)> {
    let curve = folds.lambdas(0).iter().map(|&lambda| {
        let mut errors = Vec::new();
        for number in 0..folds.count() {
            let held = folds.held_out(number).to_vec();
            let kept: Vec<usize> = (0..y.len()).filter(|row| !held.contains(row)).collect();
            let train: Vec<f64> = kept.iter().map(|&row| y[row]).collect();
            let (b, b0) = descend(&rows_of(columns, &kept), &train, lambda, intercept, standardize);
            let error = |&row: &usize| {
                let predicted = b0 + columns.iter().zip(&b).map(|(column, b)| column[row] * b).sum::<f64>();
                (y[row] - predicted).powi(2)
            };
            errors.push(held.iter().map(error).collect::<Vec<f64>>());
        }
        let all: Vec<f64> = errors.concat();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let of_fold = |errors: &Vec<f64>| errors.iter().sum::<f64>() / errors.len() as f64;
        let weighted: f64 =
            errors.iter().map(|fold| fold.len() as f64 * (of_fold(fold) - mean).powi(2)).sum::<f64>();
        (mean, (weighted / all.len() as f64 / (errors.len() as f64 - 1.0)).sqrt())
    });
    curve.collect()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-5 * b.abs().max(1e-6)
}

/// Compares a cross-validation with the definition.
fn holds(
    columns: &[Vec<f64>],
    y: &[f64],
    count: usize,
    points: usize,
    preparation: Preparation,
) -> CrossValidated {
    let Preparation::Standard { intercept, standardize } = preparation else { panic!("usual") };
    let mut last = None;
    for x in [dense(columns), sparse(columns)] {
        let context = format!("{count} folds, {preparation:?}, sparse {}", x.is_sparse());
        let cv = || Lasso::params().tolerance(1e-11).cv().folds(count).path(points, 30.0);
        let folds = cv().start(x.clone(), y.to_vec(), preparation).unwrap();
        let done = cv().fit(x.clone(), y.to_vec(), preparation).unwrap();
        let expected = expected(columns, y, &folds, (intercept, standardize));
        let first = Oracle::new(&x, y, preparation).lambda_max();
        assert_eq!(done.curve.points.len(), points);
        for ((point, (mean, se)), at) in pairs(&done.curve.points, &expected).zip(0..) {
            let lambda = first * 30f64.powf(-f64::from(at) / (points as f64 - 1.0));
            assert!((point.lambda / lambda - 1.0).abs() < 1e-9, "{context}, point {at}");
            assert!(close(point.mean, *mean), "{context}, point {at}: mean {} {mean}", point.mean);
            assert!(close(point.se, *se), "{context}, point {at}: se {} {se}", point.se);
        }
        // The rules, applied to the definition's own numbers.
        let best = (0..points).fold(0, |best, at| if expected[at].0 < expected[best].0 { at } else { best });
        let chosen = done.curve.position(Rule::Min);
        assert!(close(expected[chosen].0, expected[best].0), "{context}: {chosen} {best}");
        let bound = expected[best].0 + expected[best].1;
        let simple = done.curve.position(Rule::OneSe);
        assert!(expected[simple].0 <= bound * (1.0 + 1e-5), "{context}");
        assert!(expected[..simple].iter().all(|(mean, _)| *mean > bound * (1.0 - 1e-5)), "{context}");
        // Everything is certified, including the fit of all rows.
        assert!(done.worst_gap <= 1e-11 && done.folds.iter().all(|run| run.metric.is_reached()), "{context}");
        let oracle = Oracle::new(&x, y, preparation);
        oracle.check(&done.fit, &context);
        assert!((done.fit.lambda / done.curve.points[chosen].lambda - 1.0).abs() < 1e-15, "{context}");
        last = Some(done);
    }
    last.unwrap()
}

#[test]
fn the_curve_is_that_of_the_definition() {
    for (rows, columns) in [(40, 12), (24, 40)] {
        let (x, y) = random_data(rows, columns, 0.6, 21);
        for preparation in USUAL {
            holds(&x, &y, 4, 12, preparation);
        }
    }
}

#[test]
fn folds_need_not_be_even_and_may_be_single_rows() {
    let (x, y) = random_data(17, 6, 1.0, 22);
    for count in [2, 3, 5, 16, 17] {
        holds(&x, &y, count, 6, Preparation::default());
    }
}

#[test]
fn columns_that_are_constant_inside_a_fold_are_left_out_there() {
    let (mut x, y) = random_data(20, 5, 1.0, 23);
    // Column 1 varies in one row only, column 3 in none: without that row, both are constant.
    x[1] = vec![2.5; 20];
    x[1][7] = 9.0;
    x[3] = vec![-1.5; 20];
    let mut rare = vec![0.0; 20];
    rare[11] = 4.0;
    x.push(rare);
    for preparation in USUAL {
        holds(&x, &y, 20, 6, preparation);
        holds(&x, &y, 4, 6, preparation);
    }
}

#[test]
fn every_row_is_held_out_once_in_even_folds_that_the_seed_names() {
    let (x, y) = random_data(23, 3, 1.0, 24);
    let x = dense(&x);
    for count in [2, 5, 23] {
        let folds = folds(&x, &y, count, 7);
        let held: Vec<Vec<usize>> = (0..count).map(|number| folds.held_out(number).to_vec()).collect();
        assert!(
            held.iter()
                .all(|rows| rows.is_sorted() && (23 / count..=23usize.div_ceil(count)).contains(&rows.len()))
        );
        let mut all = held.concat();
        all.sort_unstable();
        assert_eq!(all, (0..23).collect::<Vec<usize>>());
    }
    let cut = |seed| folds(&x, &y, 5, seed).held_out(0).to_vec();
    assert_eq!(cut(1), cut(1));
    assert_ne!(cut(1), cut(2));
}

#[test]
fn the_same_bits_for_any_workers_and_shards() {
    let (x, y) = random_data(60, 90, 0.5, 25);
    let x = sparse(&x);
    let run = |workers, shards| {
        let lasso = Lasso::params().workers(workers).shards(shards);
        let done =
            lasso.cv().path(15, 50.0).seed(3).fit(x.clone(), y.clone(), Preparation::default()).unwrap();
        let bits = |value: f64| value.to_bits();
        let curve: Vec<[u64; 4]> = done
            .curve
            .points
            .iter()
            .map(|point| [point.lambda, point.mean, point.se, point.nonzeros].map(bits))
            .collect();
        let fit: Vec<(u32, u64)> = done.fit.coefficients.iter().map(|&(j, value)| (j, bits(value))).collect();
        (curve, fit, bits(done.fit.intercept), bits(done.worst_gap))
    };
    let one = run(1, 1);
    for (workers, shards) in [(2, 2), (3, 7)] {
        assert!(run(workers, shards) == one, "{workers} workers, {shards} shards");
    }
}

#[test]
fn the_last_fit_is_the_fit_at_that_lambda_wherever_it_starts() {
    let (x, y) = random_data(50, 30, 1.0, 26);
    let x = dense(&x);
    let chosen = |lasso: Lasso| {
        lasso
            .cv()
            .rule(Rule::OneSe)
            .path(20, 100.0)
            .fit(x.clone(), y.clone(), Preparation::default())
            .unwrap()
    };
    let done = chosen(Lasso::params());
    let problem = raddle_lasso::Problem::new(x.clone(), y.clone(), Preparation::default()).unwrap();
    let fit = Lasso::params().lambda(done.fit.lambda).fit(&problem).unwrap();
    assert_eq!((&fit.coefficients, fit.intercept), (&done.fit.coefficients, done.fit.intercept));
    let warm = chosen(Lasso::params().tolerance(1.1e-6).init(fit.coefficients));
    assert_eq!((warm.fit.report.epochs, warm.curve), (0, chosen(Lasso::params().tolerance(1.1e-6)).curve));
}

#[test]
fn what_cannot_be_cross_validated_is_refused_by_name() {
    let (x, y) = random_data(6, 4, 1.0, 1);
    let x = dense(&x);
    let refused = |cv: raddle_lasso::CrossValidation, y: &[f64], preparation| {
        cv.fit(x.clone(), y.to_vec(), preparation).unwrap_err().to_string()
    };
    let usual = Preparation::default();
    for (cv, why) in [
        (
            Lasso::params().cv().folds(7),
            "6 rows cannot be cut into 7 folds, which need a row each: choose --folds from 2 to 6",
        ),
        (Lasso::params().cv().folds(1), "folds is 1: there must be at least 2"),
        (Lasso::params().cv().folds(0), "folds is 0: there must be at least 2"),
        (Lasso::params().cv().path(0, 10.0), "points is 0"),
        (Lasso::params().cv().path(10, 0.5), "ratio is 0.5"),
        (Lasso::params().cv().path(10, f64::NAN), "ratio is NaN"),
        (Lasso::params().tolerance(2.0).cv(), "tol is 2"),
        (Lasso::params().schedule(Choice::Cyclic).cv(), "schedule is of rounds"),
    ] {
        let error = refused(cv, &y, usual);
        assert!(error.contains(why), "{error}");
    }
    assert!(refused(Lasso::params().cv(), &y, Preparation::DenseStd).contains("mode is DenseStd"));
    assert!(refused(Lasso::params().cv().lambdas(vec![]), &y, usual).contains("points is 0"));
    assert!(
        refused(Lasso::params().cv().lambdas(vec![1.0, 0.0]), &y, usual).contains("lambdas is 0: it must be")
    );
    assert!(refused(Lasso::params().cv(), &y[..5], usual).contains("give one for each row"));
}

#[test]
fn a_fold_that_was_cut_short_is_not_scored() {
    let (x, y) = random_data(30, 40, 1.0, 27);
    let cv = Lasso::params().cv().path(30, 100.0);
    let folds = cv.start(dense(&x), y, Preparation::default()).unwrap();
    assert!(matches!(folds.curves(), Err(LassoError::Fold { fold: 1, certified: 0, points: 30 })));
    let fold = folds.fold(0).unwrap();
    let outcome = folds.engine(&fold, 0).unwrap().epochs(2).run().unwrap();
    let Err(LassoError::Fold { fold: 1, certified, points: 30 }) = folds.score(&fold, 0, outcome) else {
        panic!("a part of a path was scored")
    };
    assert!((1..30).contains(&certified), "{certified}");
}

/// The share of pairs in order, each a row of the larger class and a row of the smaller class.
fn area(y: &[f64], larger: f64, scores: &[f64]) -> f64 {
    let (mut right, mut pairs) = (0.0, 0.0);
    for a in (0..y.len()).filter(|&a| y[a] == larger) {
        for b in (0..y.len()).filter(|&b| y[b] != larger) {
            right += if scores[a] > scores[b] {
                1.0
            } else if scores[a] == scores[b] {
                0.5
            } else {
                0.0
            };
            pairs += 1.0;
        }
    }
    right / pairs
}

/// A measure of rows by its definition.
fn measured(criterion: Criterion, loss: Loss, y: &[f64], larger: f64, scores: &[f64]) -> f64 {
    let rows = || y.iter().zip(scores);
    let mean = |row: &dyn Fn(f64, f64) -> f64| rows().map(|(&y, &s)| row(y, s)).sum::<f64>() / y.len() as f64;
    let p = |score: f64| 1.0 / (1.0 + (-score).exp());
    let one = |y: f64| if y == larger { 1.0 } else { 0.0 };
    match (criterion, loss) {
        (Criterion::Auc, _) => area(y, larger, scores),
        (Criterion::Accuracy, _) => mean(&|y, s| if (y == larger) == (p(s) > 0.5) { 1.0 } else { 0.0 }),
        (Criterion::Deviance, Loss::Logistic) => {
            mean(&|y, s| -2.0 * if y == larger { p(s).ln() } else { p(-s).ln() })
        }
        (Criterion::Mse, Loss::Logistic) => mean(&|y, s| (one(y) - p(s)).powi(2)),
        (Criterion::Mae, Loss::Logistic) => mean(&|y, s| (one(y) - p(s)).abs()),
        (Criterion::Mae, Loss::Poisson) => mean(&|y, s| (y - s.exp()).abs()),
        (Criterion::Mse, Loss::Poisson) => mean(&|y, s| (y - s.exp()).powi(2)),
        (Criterion::Deviance, Loss::Poisson) => {
            mean(&|y, s| 2.0 * (if y > 0.0 { y * (y.ln() - s) } else { 0.0 } - (y - s.exp())))
        }
        (Criterion::Mae, Loss::Squared) => mean(&|y, s| (y - s).abs()),
        _ => mean(&|y, s| (y - s).powi(2)),
    }
}

/// Each point of each curve equals single fits of the training rows, measured by the definition.
#[test]
fn every_measure_of_every_loss_is_the_one_of_its_definition() {
    let (columns, y) = random_data(48, 12, 0.8, 31);
    let x = dense(&columns);
    for (loss, y) in [
        (Loss::Squared, y.clone()),
        (Loss::Logistic, classes(&y, 2.0, 5.0)),
        (Loss::Poisson, y.iter().map(|y| (y.abs() / 3.0).floor()).collect()),
    ] {
        for (name, criterion) in Criterion::NAMES {
            if criterion.needs_classes() && loss != Loss::Logistic {
                continue;
            }
            let lasso = Lasso::params().loss(loss).tolerance(1e-11);
            let cv =
                || lasso.clone().cv().folds(3).path(5, 20.0).criterion(criterion).l1_ratios(vec![1.0, 0.4]);
            let folds = cv().start(x.clone(), y.clone(), Preparation::default()).unwrap();
            let done = cv().rule(Rule::OneSe).fit(x.clone(), y.clone(), Preparation::default()).unwrap();
            assert_eq!(done.curves.len(), 2);
            for (curve, (ratio, l1_ratio)) in pairs(&done.curves, [1.0, 0.4].into_iter().enumerate()) {
                assert_eq!((curve.series, curve.measure), (Some(l1_ratio), criterion.title(loss)));
                for (at, point) in curve.points.iter().enumerate() {
                    let lambda = folds.lambdas(ratio)[at];
                    assert_eq!(point.lambda, lambda);
                    let (mut means, mut sizes) = (Vec::new(), Vec::new());
                    for number in 0..3 {
                        let held = folds.held_out(number).to_vec();
                        let kept: Vec<usize> = (0..y.len()).filter(|row| !held.contains(row)).collect();
                        let of = |rows: &[usize]| rows.iter().map(|&row| y[row]).collect::<Vec<f64>>();
                        let train = dense(&rows_of(&columns, &kept));
                        let problem = Problem::new(train, of(&kept), Preparation::default()).unwrap();
                        let fit = lasso.clone().l1_ratio(l1_ratio).lambda(lambda).fit(&problem).unwrap();
                        let scores = common::predictions(
                            &dense(&rows_of(&columns, &held)),
                            &fit.coefficients,
                            fit.intercept,
                        );
                        means.push(measured(criterion, loss, &of(&held), 5.0, &scores));
                        sizes.push(held.len() as f64);
                    }
                    let rows: f64 = sizes.iter().sum();
                    let over =
                        |values: &[f64]| values.iter().zip(&sizes).map(|(v, n)| v * n).sum::<f64>() / rows;
                    let mean = over(&means);
                    let squares: Vec<f64> = means.iter().map(|m| (m - mean).powi(2)).collect();
                    let context = format!("{loss:?} {name} l1 {l1_ratio} point {at}");
                    assert!(close(point.mean, mean), "{context}: {} {mean}", point.mean);
                    assert!(
                        (point.se - (over(&squares) / 2.0).sqrt()).abs() < 1e-5,
                        "{context}: {}",
                        point.se
                    );
                }
            }
            // The best mean over both, then the rule on that curve.
            let sign = if criterion.is_larger_better() { -1.0 } else { 1.0 };
            let best =
                |at: usize| done.curves[at].points.iter().map(|p| sign * p.mean).fold(f64::MAX, f64::min);
            let ratio = usize::from(best(1) < best(0));
            let points = &done.curves[ratio].points;
            let least = points.iter().find(|point| sign * point.mean == best(ratio)).unwrap();
            let simple =
                points.iter().find(|point| sign * point.mean <= sign * least.mean + least.se).unwrap();
            assert_eq!(
                (Some(done.fit.l1_ratio), done.fit.lambda),
                (done.curves[ratio].series, simple.lambda)
            );
            assert_eq!(done.curve, done.curves[ratio]);
        }
    }
}

#[test]
fn classes_are_dealt_out_evenly_and_groups_stay_together() {
    let (columns, y) = random_data(61, 6, 1.0, 33);
    let (x, y) = (dense(&columns), classes(&y, 0.0, 1.0));
    let groups: Vec<u32> = (0..61).map(|row| row % 17).collect();
    let cv = || Lasso::params().loss(Loss::Logistic).cv().folds(4);
    let cut = |cv: raddle_lasso::CrossValidation| {
        let folds = cv.start(x.clone(), y.clone(), Preparation::default()).unwrap();
        (0..4).map(|number| folds.held_out(number).to_vec()).collect::<Vec<_>>()
    };
    let ones = |rows: &Vec<usize>| rows.iter().filter(|&&row| y[row] == 1.0).count();
    let spread = |folds: &[Vec<usize>]| {
        let counts: Vec<usize> = folds.iter().map(ones).collect();
        counts.iter().max().unwrap() - counts.iter().min().unwrap()
    };
    let even = cut(cv());
    assert_eq!(even, cut(cv().stratify(true)), "it is the default of classes");
    assert!(spread(&even) <= 1);
    assert!(
        (0..20).any(|seed| spread(&cut(cv().stratify(false).seed(seed))) > 1),
        "chance alone does not do that"
    );
    for stratify in [true, false] {
        let together = cut(cv().groups(groups.clone()).stratify(stratify));
        let mut all = together.concat();
        all.sort_unstable();
        assert_eq!(all, (0..61).collect::<Vec<usize>>());
        for group in 0..17 {
            let has = |rows: &&Vec<usize>| rows.iter().any(|&row| groups[row] == group);
            assert_eq!(together.iter().filter(has).count(), 1, "group {group}");
        }
        assert!(together.iter().all(|rows| (10..=20).contains(&rows.len())));
    }
}

#[test]
fn measures_folds_and_groups_that_make_no_sense_are_refused() {
    let (columns, y) = random_data(24, 4, 1.0, 35);
    let refused = |cv: raddle_lasso::CrossValidation, y: &[f64]| {
        cv.fit(dense(&columns), y.to_vec(), Preparation::default()).unwrap_err().to_string()
    };
    let logistic = || Lasso::params().loss(Loss::Logistic).cv();
    let mut rare = vec![0.0; 24];
    rare[3..6].fill(1.0);
    for (cv, y, why) in [
        (Lasso::params().cv().criterion(Criterion::Auc), &y, "measure is auc: it is of classes"),
        (Lasso::params().cv().criterion(Criterion::Accuracy), &y, "measure is accuracy: it is of classes"),
        (Lasso::params().cv().stratify(true), &y, "stratify is on: only classes"),
        (
            Lasso::params().cv().groups(vec![0; 24]),
            &y,
            "fold-by is a column with 1 different values for 5 folds",
        ),
        (Lasso::params().cv().groups(vec![0; 7]), &y, "fold-by is 7 values for 24 rows"),
        (Lasso::params().cv().l1_ratios(vec![0.5, 1.5]), &y, "l1-ratio is 1.5"),
        (logistic().folds(4).criterion(Criterion::Auc), &rare, "of 4 holds out no row of the class 1"),
        (logistic(), &vec![1.0; 24], "1 distinct value"),
    ] {
        let error = refused(cv, y);
        assert!(error.contains(why), "{error}");
    }
    // As many folds as the rare class has rows: each fold has one of them.
    let done = logistic().folds(3).path(4, 5.0).criterion(Criterion::Auc);
    done.fit(dense(&columns), rare, Preparation::default()).unwrap();
}
