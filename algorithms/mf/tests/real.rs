//! On public data the model is as good as known results, and the printed numbers are its own.

use raddle_datasets::ratings::HeldOut;
use raddle_datasets::registry;
use raddle_mf::{Method, Mf, Model, Problem, Ranking};

fn split(name: &str) -> Option<(Problem, HeldOut)> {
    let ratings = registry::real_ratings(name)?;
    let (users, items) = (ratings.users.len(), ratings.items.len());
    let held = HeldOut::compared(ratings.triples, users, items);
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
fn uneven_data_needs_no_settings() {
    let Some((problem, held)) = split("jester-1") else { return };
    let error = |mf: Mf| mf.rank(16).epochs(5).workers(2).fit(&problem).unwrap().model.errors(&held.out).0;
    let (by_counts, alike) = (error(Mf::params()), error(Mf::params().count_power(0.0)));
    assert!(by_counts < 0.95 * alike, "{by_counts}, with steps all alike {alike}");
}

#[test]
fn validation_finds_a_length_and_the_best_factors() {
    for name in ["ml-100k", "ml-latest-small", "douban-3k", "ml-1m", "jester-1", "epinions-770k"] {
        let Some((problem, held)) = split(name) else { return };
        let problem = problem.validate_on_share(0.05, 42).unwrap();
        let fit = Mf::params().workers(2).fit(&problem).unwrap();
        let again = fit.model.errors(problem.measured().unwrap()).0;
        assert!((again / fit.best.unwrap() - 1.0).abs() < 1e-5, "{name}");
        // A longer run is not worthwhile, and none is tried.
        assert!(fit.report.epochs <= 14, "{name}: {} epochs", fit.report.epochs);
        let longer = Mf::params().epochs(40).workers(2).fit(&problem).unwrap();
        let [error, after_longer] = [&fit, &longer].map(|fit| fit.model.errors(&held.out).0);
        assert!(error < 1.001 * after_longer, "{name}: {error}, after more epochs {after_longer}");
        assert!(name != "ml-100k" || error < 0.92, "{error}");
    }
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
    let mf = Mf::params().method(Method::Als).implicit(5.0).rank(16).epochs(4).workers(2);
    let model = mf.fit(&problem).unwrap().model;
    let ranking = Ranking::measure(&model, &held.train, &held.out, 10);
    // By chance: scores without meaning. By popularity: the most rated items for everybody.
    let by_chance =
        Ranking::measure(&biased(&model, |item| f64::from(item) * 0.618 % 1.0), &held.train, &held.out, 10);
    let counts = held.train.items.iter().fold(vec![0.0; model.items()], |mut counts, &item| {
        counts[item as usize] += 1.0;
        counts
    });
    let popular = Ranking::measure(&biased(&model, |item| counts[item as usize]), &held.train, &held.out, 10);
    assert!((by_chance.auc - 0.5).abs() < 0.05, "{by_chance:?}");
    assert!(
        ranking.ndcg > 10.0 * by_chance.ndcg && ranking.ndcg > 1.2 * popular.ndcg,
        "{ranking:?}, {popular:?}"
    );
    assert!(ranking.auc > popular.auc.max(0.8), "{ranking:?}, {popular:?}");
}

/// A model that gives items these scores for all users.
fn biased(like: &Model, score: impl Fn(u32) -> f64) -> Model {
    let item_biases = (0..like.items() as u32).map(|item| score(item) as f32).collect();
    Model { item_biases, ..Model::zeros(like.users(), like.items(), 1) }
}
