//! Each solver compared with a naive dense oracle that shares no code with it.

use raddle_common::testing::pairs;
use raddle_datasets::Triples;
use raddle_mf::{Equations, Fit, FoldIn, Method, Mf, Model, Problem, ScheduleKind};

use crate::common::{How, SPARSE, fit, generated, ratings};

/// Returns `sum (r - prediction)^2 + reg sum n (|p|^2 + |q|^2 + biases^2)`.
fn objective(model: &Model, triples: &Triples, reg: f64, bias_reg: f64) -> f64 {
    let square = |row: &[f32]| row.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>();
    let mut users = vec![0.0; model.users()];
    let mut items = vec![0.0; model.items()];
    let mut sum = 0.0;
    for (user, item, value) in triples.iter() {
        sum += (f64::from(value) - model.predict(user, item)).powi(2);
        users[user as usize] += 1.0;
        items[item as usize] += 1.0;
    }
    for (row, &count) in users.iter().enumerate() {
        let bias = f64::from(model.user_biases[row]).powi(2);
        sum += count * (reg * square(model.user(row as u32)) + bias_reg * bias);
    }
    for (row, &count) in items.iter().enumerate() {
        let bias = f64::from(model.item_biases[row]).powi(2);
        sum += count * (reg * square(model.item(row as u32)) + bias_reg * bias);
    }
    sum
}

fn problem() -> Problem {
    Problem::new(90, 60, ratings()).unwrap()
}

/// Solves A x = b by Gaussian elimination with pivoting.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for j in 0..n {
        let pivot = (j..n).max_by(|&x, &y| a[x][j].abs().total_cmp(&a[y][j].abs())).unwrap();
        a.swap(j, pivot);
        b.swap(j, pivot);
        for i in j + 1..n {
            let factor = a[i][j] / a[j][j];
            let row = a[j].clone();
            a[i].iter_mut().zip(&row).for_each(|(value, above)| *value -= factor * above);
            b[i] -= factor * b[j];
        }
    }
    for j in (0..n).rev() {
        let known: f64 = (j + 1..n).map(|k| a[j][k] * b[k]).sum();
        b[j] = (b[j] - known) / a[j][j];
    }
    b
}

/// A quadratic function of a row, `x'A x - 2 b'x + c`, with the weight of its square in A.
struct Quadratic {
    a: Vec<Vec<f64>>,
    b: Vec<f64>,
    c: f64,
}

impl Quadratic {
    /// The sum of `weight (target - x'features)^2` over pairs, and `ridge |x|^2`.
    fn new(width: usize, ridge: f64, pairs: impl Iterator<Item = (Vec<f64>, f64, f64)>) -> Self {
        let (mut a, mut b, mut c) = (vec![vec![0.0; width]; width], vec![0.0; width], 0.0);
        for (x, weight, target) in pairs {
            for i in 0..width {
                (0..width).for_each(|j| a[i][j] += weight * x[i] * x[j]);
                b[i] += weight * target * x[i];
            }
            c += weight * target * target;
        }
        (0..width).for_each(|i| a[i][i] += ridge);
        Self { a, b, c }
    }

    fn at(&self, x: &[f64]) -> f64 {
        let of = |(i, &value): (usize, &f64)| {
            let row: f64 = pairs(&self.a[i], x).map(|(a, x)| a * x).sum();
            value * (row - 2.0 * self.b[i])
        };
        x.iter().enumerate().map(of).sum::<f64>() + self.c
    }

    /// Checks that a row is the minimum, by the value there.
    fn check(self, row: &[f32], what: &str) {
        let found = self.at(&row.iter().map(|&value| f64::from(value)).collect::<Vec<f64>>());
        let least = self.at(&solve(self.a.clone(), self.b.clone()));
        assert!(found - least <= 1e-8 * self.c, "{what}: {found} where {least} can be had");
    }
}

#[test]
fn least_squares_end_where_no_item_can_be_moved() {
    let (triples, problem) = (ratings(), problem());
    for (power, reg, biases) in [(1.0, 0.1, true), (0.5, 0.5, true), (0.0, 3.0, true), (1.0, 0.1, false)] {
        for equations in [Equations::Cholesky, Equations::Gradients(12)] {
            let mf = Mf::params().method(Method::Als).rank(4).reg(reg).reg_power(power).biases(biases);
            let model = fit(&mf.equations(equations).epochs(6), &problem, How::workers(1)).model;
            for item in 0..60 {
                let own: Vec<_> = triples.iter().filter(|rating| rating.1 == item).collect();
                let of = |&(user, _, value): &(u32, u32, f32)| {
                    let mut x: Vec<f64> = model.user(user).iter().map(|&value| f64::from(value)).collect();
                    x.extend(biases.then_some(1.0));
                    let known = model.mean + f64::from(model.user_biases[user as usize]);
                    (x, 1.0, f64::from(value) - known)
                };
                let ridge = reg * (own.len() as f64).powf(power);
                let mut row: Vec<f32> = model.item(item).to_vec();
                row.extend(biases.then_some(model.item_biases[item as usize]));
                let quadratic = Quadratic::new(row.len(), ridge, own.iter().map(of));
                quadratic.check(&row, &format!("{equations:?}, power {power}, item {item}"));
            }
        }
    }
}

#[test]
fn implicit_least_squares_count_every_pair() {
    // All pairs of a small square: the oracle forms the full equations, which the solver never does.
    let triples: Triples = (0..12)
        .flat_map(|user| {
            (0..9)
                .filter(move |item| (user * item) % 4 == 1)
                .map(move |item| (user, item, 1.0 + (user % 3) as f32))
        })
        .collect();
    let problem = Problem::new(12, 9, triples.clone()).unwrap();
    for (power, equations) in [0.0, 0.5, 1.0]
        .into_iter()
        .flat_map(|power| [Equations::Cholesky, Equations::Gradients(10)].map(|how| (power, how)))
    {
        let mf = Mf::params().method(Method::Als).implicit(4.0).rank(3).reg(0.5).reg_power(power);
        let model = fit(&mf.epochs(5).equations(equations), &problem, How::workers(1)).model;
        for item in 0..9 {
            let count = triples.iter().filter(|rating| rating.1 == item).count();
            if count == 0 {
                assert_eq!(model.item(item), [0.0; 3]);
                continue;
            }
            let of = |user: u32| {
                let x = model.user(user).iter().map(|&value| f64::from(value)).collect();
                let seen = triples.iter().find(|rating| (rating.0, rating.1) == (user, item));
                (
                    x,
                    seen.map_or(1.0, |rating| 1.0 + 4.0 * f64::from(rating.2)),
                    f64::from(u8::from(seen.is_some())),
                )
            };
            // Users who did not click count a fourth each.
            let ridge = 0.5 * (count as f64 + 12.0 / 4.0).powf(power);
            let quadratic = Quadratic::new(3, ridge, (0..12).map(of));
            quadratic.check(model.item(item), &format!("{equations:?}, power {power}, item {item}"));
        }
    }
}

#[test]
fn alternating_epochs_never_raise_the_objective() {
    let (triples, problem) = (ratings(), problem());
    for (method, bias_reg) in [(Method::Als, 0.1), (Method::Ccd, 0.02)] {
        let mf = Mf::params().method(method).rank(4).reg(0.1).bias_reg(0.02);
        let value = |epochs| {
            let found = fit(&mf.clone().epochs(epochs), &problem, How::workers(1));
            objective(&found.model, &triples, 0.1, bias_reg)
        };
        let values: Vec<f64> = [1, 2, 4, 8, 16].map(value).to_vec();
        assert!(
            values.is_sorted_by(|before, after| *after <= before * (1.0 + 1e-5)),
            "{method:?}: {values:?}"
        );
    }
}

#[test]
fn coordinate_descent_ends_where_no_value_can_be_moved() {
    let (triples, problem) = (ratings(), problem());
    let mf = Mf::params().method(Method::Ccd).rank(3).reg(0.2).bias_reg(0.2).epochs(150);
    let model = fit(&mf, &problem, How::workers(1)).model;
    let at = objective(&model, &triples, 0.2, 0.2);
    for (row, by) in (0..30).flat_map(|row| [(row, 0.01), (row, -0.01)]) {
        for change in 0..3 {
            let mut other = model.clone();
            match change {
                0 => other.user_factors[row * 5] += by,
                1 => other.item_factors[row * 5 + 1] += by,
                _ => other.user_biases[row] += by,
            }
            let moved = objective(&other, &triples, 0.2, 0.2);
            assert!(moved > at - 1e-4, "{change} {row} {by}: {moved} below {at}");
        }
    }
}

/// Gradient steps by their definition: one rating after another, in double precision.
fn steps_by_definition(triples: &Triples, epochs: u32) -> f64 {
    let count = triples.len() as f64;
    let mean = triples.values.iter().map(|&value| f64::from(value)).sum::<f64>() / count;
    let variance = triples.values.iter().map(|&value| (f64::from(value) - mean).powi(2)).sum::<f64>() / count;
    let scale = variance.sqrt();
    let mut state = 1_u64;
    let mut start = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 40) as f64 / (1 << 23) as f64 - 1.0) * 0.1
    };
    let mut p: Vec<[f64; 4]> = (0..90).map(|_| std::array::from_fn(|_| start())).collect();
    let mut q: Vec<[f64; 4]> = (0..60).map(|_| std::array::from_fn(|_| start())).collect();
    let (mut b, mut c) = (vec![0.0; 90], vec![0.0; 60]);
    let mut error = 0.0;
    for epoch in 0..=epochs {
        let turn = std::f64::consts::PI * f64::from(epoch) / f64::from(epochs);
        let step = 0.08 * (0.02 + 0.49 * (1.0 + turn.cos()));
        error = 0.0;
        for (user, item, value) in triples.iter() {
            let (u, i) = (user as usize, item as usize);
            let product: f64 = (0..4).map(|f| p[u][f] * q[i][f]).sum();
            let z = (f64::from(value) - mean) / scale - b[u] - c[i] - product;
            error += z * z;
            if epoch == epochs {
                continue;
            }
            b[u] += 0.3 * step * (z - 0.02 / scale * b[u]);
            c[i] += 0.3 * step * (z - 0.02 / scale * c[i]);
            for f in 0..4 {
                let old = p[u][f];
                p[u][f] += step * (z * q[i][f] - 0.02 / scale * old);
                q[i][f] += step * (z * old - 0.02 / scale * q[i][f]);
            }
        }
    }
    (error / count).sqrt() * scale
}

#[test]
fn gradient_steps_come_as_far_as_their_definition() {
    let triples = ratings();
    let by_definition = steps_by_definition(&triples, 40);
    for schedule in [ScheduleKind::Rotation, ScheduleKind::Priority] {
        let mf = Mf::params().rank(4).epochs(40).step(0.08).reg(0.02).schedule(schedule).shards(3);
        let found = fit(&mf, &problem(), How::workers(1));
        let error = found.model.errors(&triples).0;
        assert!(
            (error / by_definition - 1.0).abs() < 0.06,
            "{schedule:?}: {error}, by definition {by_definition}"
        );
    }
}

#[test]
fn biases_of_sparse_rows_begin_with_damped_means() {
    let triples = generated(SPARSE);
    let problem = Problem::new(400, 300, triples.clone()).unwrap();
    // Steps of nearly 0 leave the initial factors.
    let mf = Mf::params().rank(2).epochs(1).step(1e-9).init_scale(1e-9);
    let model = fit(&mf, &problem, How::workers(1)).model;
    let rest = |user: u32, item: u32, value: f32, bias: &dyn Fn(u32, u32) -> f64| {
        f64::from(value) - model.mean - bias(user, item)
    };
    for item in 0..300 {
        let own = triples.iter().filter(|rating| rating.1 == item);
        let (sum, count) = own.fold((0.0, 0.0), |(sum, count), (user, item, value)| {
            (sum + rest(user, item, value, &|_, _| 0.0), count + 1.0)
        });
        let wanted = sum / (count + 3.0);
        assert!((f64::from(model.item_biases[item as usize]) - wanted).abs() < 1e-5, "item {item}");
    }
    for user in 0..400 {
        let own = triples.iter().filter(|rating| rating.0 == user);
        let (sum, count) = own.fold((0.0, 0.0), |(sum, count), (user, item, value)| {
            let of_item = |_, item: u32| f64::from(model.item_biases[item as usize]);
            (sum + rest(user, item, value, &of_item), count + 1.0)
        });
        let wanted = sum / (count + 3.0);
        assert!((f64::from(model.user_biases[user as usize]) - wanted).abs() < 1e-5, "user {user}");
    }
}

#[test]
fn a_run_that_ends_before_its_first_epoch_knows_the_mean_alone() {
    let triples = ratings();
    let mean = triples.values.iter().map(|&value| f64::from(value)).sum::<f64>() / triples.len() as f64;
    for method in [Method::Sgd, Method::Als, Method::Ccd] {
        let how = How { epochs: Some(0), ..How::workers(2) };
        let found = fit(&Mf::params().method(method).rank(3), &problem(), how);
        let expected = Model { mean: found.model.mean, ..Model::zeros(90, 60, 3) };
        assert!(found.report.epochs == 0 && found.model == expected, "{method:?}: {:?}", found.model);
        assert!((found.model.mean - mean).abs() < 1e-6, "{method:?}: {}, not {mean}", found.model.mean);
    }
}

#[test]
fn factors_may_be_kept_positive_in_every_solver() {
    let problem = problem();
    for method in [Method::Sgd, Method::Als, Method::Ccd] {
        for biases in [true, false] {
            let mf = Mf::params().method(method).rank(4).epochs(12).non_negative(true).biases(biases);
            let Fit { model, .. } = fit(&mf, &problem, How::workers(1));
            assert!(
                model.user_factors.iter().chain(&model.item_factors).all(|&value| value >= 0.0),
                "{method:?}"
            );
            assert!(model.user_factors.iter().any(|&value| value > 0.0), "{method:?}");
            assert_eq!(model.mean == 0.0, !biases, "{method:?}");
            let error = model.errors(&ratings()).0;
            assert!(error < 0.8, "{method:?}, biases {biases}: {error}");
        }
    }
}

#[test]
fn folding_in_solves_the_rows_of_those_who_are_new() {
    let triples = ratings();
    let (old, new): (Vec<_>, Vec<_>) = triples.iter().partition(|rating| rating.0 < 80);
    let problem = Problem::new(80, 60, old.into_iter().collect::<Triples>()).unwrap();
    let mut model = fit(&Mf::params().rank(4).epochs(30), &problem, How::workers(1)).model;
    let fresh: Triples = new.iter().map(|&(user, item, value)| (user - 80, item, value)).collect();
    let how = FoldIn { reg: 0.05, reg_power: 1.0, biases: true, implicit: None, count_alone: false };
    let before = model.clone();
    how.users(&mut model, &fresh, 10).unwrap();
    assert_eq!((model.users(), &model.item_factors), (90, &before.item_factors));
    let known = before.errors(&new.iter().map(|&(_, item, value)| (u32::MAX, item, value)).collect()).0;
    let folded = model.errors(&new.into_iter().collect()).0;
    assert!(folded < 0.75 * known, "{folded} where nothing was known {known}");
    // The same for the other side: an item known to all users gets its own row back.
    let mut wider = before.clone();
    let again: Triples = triples
        .iter()
        .filter(|rating| rating.0 < 80 && rating.1 == 3)
        .map(|(user, _, value)| (user, 0, value))
        .collect();
    how.items(&mut wider, &again, 1).unwrap();
    let (there, here): (f64, f64) = (0..80)
        .map(|user| (before.predict(user, 3), wider.predict(user, 60)))
        .fold((0.0, 0.0), |(distance, size), (a, b)| {
            (distance + (a - b).powi(2), size + (a - before.mean).powi(2))
        });
    assert!(there < 0.25 * here, "{there} of {here}");
    // Rows folded into a model without negative factors have none.
    let mf = Mf::params().rank(4).epochs(10).non_negative(true);
    let mut positive = fit(&mf, &problem, How::workers(1)).model;
    how.users(&mut positive, &fresh, 10).unwrap();
    assert!(positive.user_factors.iter().all(|&value| value >= 0.0));
    assert!(how.users(&mut wider, &[(0, 99, 1.0)].into_iter().collect(), 1).is_err());
}

/// Returns NDCG at 10 by its definition, with a full sort of all items.
fn ndcg(model: &Model, train: &Triples, held_out: &Triples) -> f64 {
    let (mut sum, mut users) = (0.0, 0);
    for user in 0..model.users() as u32 {
        let of = |triples: &Triples| -> Vec<u32> {
            triples.iter().filter(|rating| rating.0 == user).map(|rating| rating.1).collect()
        };
        let (seen, wanted) = (of(train), of(held_out));
        if wanted.is_empty() {
            continue;
        }
        let mut items: Vec<u32> = (0..model.items() as u32).filter(|item| !seen.contains(item)).collect();
        items.sort_by(|&a, &b| model.predict(user, b).total_cmp(&model.predict(user, a)).then(a.cmp(&b)));
        let gain = |place: usize| 1.0 / (place as f64 + 2.0).log2();
        let hits = items.iter().take(10).enumerate().filter(|(_, item)| wanted.contains(item));
        let most: f64 = (0..wanted.len().min(10)).map(gain).sum();
        sum += hits.map(|(place, _)| gain(place)).sum::<f64>() / most;
        users += 1;
    }
    sum / f64::from(users)
}

#[test]
fn implicit_feedback_stops_by_the_lists_that_it_makes() {
    let problem = problem().validate_on_share(0.2, 3).unwrap();
    let held_out = problem.measured().unwrap().clone();
    for shards in [1, 4] {
        let mf = Mf::params().method(Method::Als).implicit(5.0).rank(3).shards(shards);
        for epochs in [1, 2, 5] {
            let found = fit(&mf.clone().epochs(epochs), &problem, How::workers(2));
            let by_definition = ndcg(&found.model, problem.train(), &held_out);
            assert!((found.best.unwrap() - by_definition).abs() < 1e-9, "{:?} {by_definition}", found.best);
            assert_eq!(found.report.metric.value, found.best.unwrap());
            assert_eq!(
                (&*found.report.metric.name, found.log.len() as u64),
                ("ndcg@10", found.report.epochs)
            );
            assert_eq!(found.log.iter().copied().fold(0.0, f64::max), found.best.unwrap());
        }
        // Without a given length the run continues until three epochs bring no gain.
        let found = fit(&mf, &problem, How::workers(1));
        assert_eq!(found.report.epochs, found.best_epoch + 3);
    }
}
