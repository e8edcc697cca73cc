//! Cross-validation: its curve against naive fits, its choice, its bytes.

use raddle_common::testing::pairs;
use raddle_linear::{Bias, CrossValidation, Linear, Loss, Measure, Problem, Rule};

use crate::common::{Data, LOSSES};

const COSTS: [f64; 4] = [0.01, 0.1, 1.0, 10.0];

fn cv(
    data: &Data,
    loss: Loss,
    change: impl Fn(CrossValidation) -> CrossValidation,
) -> raddle_linear::CrossValidated {
    let cv = Linear::params().loss(loss).tolerance(1e-9).cv().costs(COSTS.to_vec()).folds(4);
    change(cv).fit(data.x.clone(), data.y.clone()).unwrap()
}

#[test]
fn a_limit_that_ends_a_fold_before_its_last_c_is_told() {
    let data = Data::clouds(60, 5, 11);
    let plan = Linear::params().tolerance(1e-9).cv().costs(COSTS.to_vec()).folds(4);
    let refused = plan.fit_with(data.x.clone(), data.y.clone(), |engine| engine.epochs(2)).unwrap_err();
    assert!(refused.to_string().contains("of 4 values of C: raise it"), "{refused}");
}

/// The accuracy of fits from zeros, each of the rows that a fold does not hold out.
#[test]
fn a_curve_is_that_of_cold_fits_of_the_other_rows() {
    // One class is the largest: of classes of one size the row without a value would be a draw.
    let Data { x, mut y, .. } = Data::classes(3, (60, 5), 12);
    y.iter_mut().step_by(10).for_each(|y| *y = 1.0);
    for data in [Data::clouds(60, 5, 11), Data::of(x, y)] {
        for loss in LOSSES {
            let plan = || Linear::params().loss(loss).tolerance(1e-9).cv().costs(COSTS.to_vec()).folds(4);
            let folds = plan().start(data.x.clone(), data.y.clone()).unwrap();
            let chosen = plan().fit(data.x.clone(), data.y.clone()).unwrap();
            assert!(chosen.worst_gap <= 1e-9);
            let mut seen = vec![0; 60];
            let held_out: Vec<Vec<usize>> = (0..4).map(|number| folds.held_out(number).to_vec()).collect();
            held_out.iter().flatten().for_each(|row| seen[*row] += 1);
            assert_eq!(seen, [1; 60]);
            for (c, point) in pairs(COSTS, &chosen.curve.points) {
                let mut shares = Vec::new();
                for test in &held_out {
                    let train: Vec<usize> = (0..60).filter(|row| !test.contains(row)).collect();
                    let y: Vec<f64> = train.iter().map(|&row| data.y[row]).collect();
                    let problem = Problem::new(&data.x.select_rows(&train), &y, 1.0).unwrap();
                    let fit = Linear::params().loss(loss).c(c).tolerance(1e-9).fit(&problem).unwrap();
                    let scores = fit.scores(&data.x);
                    let class = |row: usize| match &scores[..] {
                        [one] => fit.classes[usize::from(one[row] > 0.0)],
                        all => {
                            let best = (0..all.len()).max_by(|a, b| all[*a][row].total_cmp(&all[*b][row]));
                            fit.classes[best.unwrap()]
                        }
                    };
                    let right = test.iter().filter(|row| class(**row) == data.y[**row]).count();
                    shares.push(right as f64 / test.len() as f64);
                }
                // Folds of equal size.
                let mean = shares.iter().sum::<f64>() / 4.0;
                let deviation = (shares.iter().map(|of| (of - mean).powi(2)).sum::<f64>() / 3.0).sqrt();
                assert!((point.mean - mean).abs() < 1e-12, "{} C {c}: {} {mean}", loss.name(), point.mean);
                assert!((point.se - deviation / 2.0).abs() < 1e-12, "{} {deviation}", point.se);
                assert_eq!(point.c, c);
            }
        }
    }
}

#[test]
fn the_model_is_the_fit_of_all_rows_at_the_chosen_c() {
    let data = Data::clouds(60, 5, 13);
    for rule in [Rule::Min, Rule::OneSe] {
        let chosen = cv(&data, Loss::Hinge, |cv| cv.rule(rule).measure(Measure::Auc));
        let c = chosen.curve.choose(rule).c;
        let alone = Linear::params().loss(Loss::Hinge).c(c).tolerance(1e-9).fit(&data.problem(1.0)).unwrap();
        assert_eq!(chosen.fit.digest(), alone.digest());
    }
}

/// The log-loss of all classes together is that of their scores' softmax.
#[test]
fn classes_together_and_free_intercepts_are_chosen_by_held_out_rows() {
    let data = Data::classes(3, (66, 5), 17);
    let plan = || {
        let linear = Linear::params().loss(Loss::Multinomial).tolerance(1e-12);
        linear.cv().costs(COSTS.to_vec()).folds(3).measure(Measure::LogLoss).bias(Bias::Free)
    };
    let folds = plan().start(data.x.clone(), data.y.clone()).unwrap();
    let chosen = plan().workers(2).fit(data.x.clone(), data.y.clone()).unwrap();
    assert!(chosen.worst_gap <= 1e-12);
    let (mut lost, mut count) = (0.0, 0);
    for number in 0..3 {
        let test = folds.held_out(number);
        let train: Vec<usize> = (0..66).filter(|row| !test.contains(row)).collect();
        let y: Vec<f64> = train.iter().map(|&row| data.y[row]).collect();
        let problem = Problem::new(&data.x.select_rows(&train), &y, Bias::Free).unwrap();
        let linear = Linear::params().loss(Loss::Multinomial).c(COSTS[1]).tolerance(1e-12);
        let scores = linear.fit(&problem).unwrap().scores(&data.x);
        for &row in test {
            let sum: f64 = scores.iter().map(|of| of[row].exp()).sum();
            lost += sum.ln() - scores[data.y[row] as usize - 1][row];
            count += 1;
        }
    }
    let (mean, found) = (lost / f64::from(count), chosen.curve.points[1].mean);
    assert!((mean - found).abs() < 1e-6, "{mean} {found}");
    let c = chosen.curve.choose(Rule::Min).c;
    let alone = Linear::params().loss(Loss::Multinomial).c(c).tolerance(1e-12);
    assert_eq!(chosen.fit.digest(), alone.fit(&data.problem(Bias::Free)).unwrap().digest());
}

#[test]
fn any_number_of_workers_chooses_alike() {
    let data = Data::classes(3, (66, 5), 14);
    let of = |workers| {
        let chosen =
            cv(&data, Loss::Logistic, |cv| cv.measure(Measure::LogLoss).scaled(true).workers(workers));
        (chosen.curve.points, chosen.fit.digest())
    };
    let one = of(1);
    for workers in [2, 3, 7] {
        assert_eq!(of(workers), one);
    }
    let other = cv(&data, Loss::Logistic, |cv| cv.measure(Measure::LogLoss).scaled(true).seed(1));
    assert_ne!(other.curve.points, one.0);
}

#[test]
fn rows_of_a_group_are_held_out_together_and_weights_count_them() {
    let data = Data::clouds(60, 5, 15);
    let groups: Vec<u32> = (0..60).map(|row| row / 5).collect();
    let weights: Vec<f64> = (0..60).map(|row| f64::from(1 + row % 2)).collect();
    let plan = Linear::params().cv().folds(4).groups(groups.clone()).weights(weights.clone());
    let folds = plan.costs(vec![1.0, 0.1]).start(data.x.clone(), data.y.clone()).unwrap();
    assert_eq!((folds.count(), folds.costs()), (4, &[0.1, 1.0][..]));
    for number in 0..4 {
        let of: std::collections::BTreeSet<u32> =
            folds.held_out(number).iter().map(|row| groups[*row]).collect();
        assert_eq!(folds.held_out(number).len(), 5 * of.len());
    }
    // A row of weight 2 counts as two rows of the same group.
    let twice: Vec<usize> = (0..60).flat_map(|row| vec![row; 1 + row % 2]).collect();
    let rows: Vec<Vec<(usize, f64)>> = twice.iter().map(|&row| data.rows[row].clone()).collect();
    let y: Vec<f64> = twice.iter().map(|&row| data.y[row]).collect();
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for column in 0..5 {
        for (row, of) in rows.iter().enumerate() {
            for (_, value) in of.iter().filter(|(at, _)| *at == column) {
                indices.push(row as u32);
                values.push(*value);
            }
        }
        starts.push(indices.len());
    }
    let x = raddle_datasets::Matrix::Sparse(raddle_datasets::Csc::new_csc(
        (twice.len(), 5),
        starts,
        indices,
        values,
    ));
    // In folds of one group each, the assignment is the same for both up to its order.
    let linear =
        || Linear::params().tolerance(1e-10).cv().costs(vec![0.1, 1.0]).folds(12).measure(Measure::Accuracy);
    let weighted =
        linear().groups(groups.clone()).weights(weights).fit(data.x.clone(), data.y.clone()).unwrap();
    let of_rows = twice.iter().map(|&row| groups[row]).collect();
    let repeated = linear().groups(of_rows).fit(x, y).unwrap();
    for (a, b) in pairs(weighted.curve.points, repeated.curve.points) {
        assert!((a.mean - b.mean).abs() < 1e-12 && (a.se - b.se).abs() < 1e-12, "{a:?} {b:?}");
    }
}

#[test]
fn plans_that_cannot_be_are_refused_by_name() {
    let data = Data::classes(3, (30, 3), 16);
    let two = Data::clouds(30, 3, 16);
    let said = |data: &Data, change: &dyn Fn(CrossValidation) -> CrossValidation| {
        let cv = change(Linear::params().cv());
        cv.fit(data.x.clone(), data.y.clone()).unwrap_err().to_string()
    };
    for (change, why) in [
        (
            &(|cv: CrossValidation| cv.folds(1)) as &dyn Fn(CrossValidation) -> CrossValidation,
            "folds: it is 1",
        ),
        (&|cv: CrossValidation| cv.folds(31), "folds: it is 31"),
        (&|cv: CrossValidation| cv.folds(20), "is fitted on no row of the class"),
        (&|cv: CrossValidation| cv.costs(vec![1.0, f64::NAN]), "C: it is NaN"),
        (&|cv: CrossValidation| cv.costs(vec![0.0]), "C: it is 0"),
        (&|cv: CrossValidation| cv.costs(Vec::new()), "C: there is none"),
        (&|cv: CrossValidation| cv.measure(Measure::Auc), "measure: auc is for two classes, and there are 3"),
        (&|cv: CrossValidation| cv.measure(Measure::LogLoss), "measure: log-loss needs probabilities"),
        (
            &|cv: CrossValidation| cv.groups(vec![1; 30]),
            "groups: a column with 1 different values for 5 folds",
        ),
        (&|cv: CrossValidation| cv.groups(vec![1; 3]), "30 rows, but there are 3 groups"),
        (&|cv: CrossValidation| cv.weights(vec![1.0; 3]), "30 rows, but there are 3 weights"),
    ] {
        let of = if why.contains("no row of the class") {
            // One row of its class: no fold that holds it out has another.
            let y = (0..30).map(|row| if row == 7 { 9.0 } else { f64::from(row % 2) }).collect();
            said(&Data::of(data.x.clone(), y), change)
        } else {
            said(&data, change)
        };
        assert!(of.contains(why), "{of}");
    }
    let lonely = Data::of(two.x.clone(), (0..30).map(|row| f64::from(u8::from(row < 2))).collect());
    let of = said(&lonely, &|cv| cv.measure(Measure::Auc));
    assert!(of.contains("holds out no row of the class 1"), "{of}");
}
