//! On public data the model is as good as it is known to be possible, and the numbers printed are its own.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]

use raddle_datasets::ratings::Held;
use raddle_datasets::registry;
use raddle_mf::{Method, Mf, Problem, Ranking};

fn split(name: &str) -> Option<(Problem, Held)> {
    let ratings = registry::real_ratings(name)?;
    let (users, items) = (ratings.users.len(), ratings.items.len());
    let held = Held::compared(ratings.triples, users, items);
    Some((Problem::new(users, items, held.train.clone()).unwrap(), held))
}

#[test]
fn few_epochs_come_as_far_as_others_in_many() {
    let Some((problem, held)) = split("ml-100k") else { return };
    let fit = Mf::params().rank(32).epochs(8).workers(2).fit(&problem).unwrap();
    let (rmse, mae) = fit.model.errors(&held.out);
    assert!(rmse < 0.912 && mae < rmse, "{rmse} {mae}");
}

#[test]
fn validation_finds_a_length_and_the_best_factors() {
    let Some((problem, held)) = split("ml-100k") else { return };
    let problem = problem.validate_on_share(0.05, 42).unwrap();
    let fit = Mf::params().rank(16).workers(2).fit(&problem).unwrap();
    assert!((fit.model.errors(problem.measured().unwrap()).0 / fit.best.unwrap() - 1.0).abs() < 1e-5);
    assert!(fit.model.errors(&held.out).0 < 0.92);
}

#[test]
fn least_squares_and_coordinate_descent_come_near() {
    let Some((problem, held)) = split("ml-100k") else { return };
    for method in [Method::Als, Method::Ccd] {
        let fit = Mf::params().method(method).rank(8).epochs(8).workers(2).fit(&problem).unwrap();
        let (rmse, _) = fit.model.errors(&held.out);
        assert!(rmse < 0.94, "{method:?}: {rmse}");
    }
}

#[test]
fn clicks_are_recommended_far_better_than_by_chance() {
    let Some((problem, held)) = split("douban-3k") else { return };
    let mf = Mf::params().method(Method::Als).implicit(20.0).rank(16).epochs(4).workers(2);
    let model = mf.fit(&problem).unwrap().model;
    let ranking = Ranking::measure(&model, &held.train, &held.out, 10);
    assert!(ranking.auc > 0.8 && ranking.ndcg > 0.02, "{ranking:?}");
}
