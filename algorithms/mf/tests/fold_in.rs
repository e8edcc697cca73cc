//! Rows that are folded in: into a model or separately, for new users or for existing ones.

use proptest::prelude::*;
use raddle::random::Stream;
use raddle_datasets::Triples;
use raddle_mf::{FoldIn, Model, Query, Recommender, Seen};

const ITEMS: u32 = 40;
const USERS: usize = 6;

fn model(seed: u64, non_negative: bool) -> Model {
    let mut model = Model { mean: 3.0, ..Model::zeros(USERS, ITEMS as usize, 3) };
    let mut stream = Stream::new(&[seed]);
    let Model { user_factors, item_factors, user_biases, item_biases, .. } = &mut model;
    for values in [user_factors, item_factors, user_biases, item_biases] {
        values
            .iter_mut()
            .for_each(|value| *value = stream.unit() as f32 - if non_negative { 0.0 } else { 0.5 });
    }
    model
}

fn how(implicit: bool, biases: bool, reg_power: f64) -> FoldIn {
    FoldIn { reg: 0.1, reg_power, biases, implicit: implicit.then_some(4.0), count_alone: false }
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// The slopes of the objective of a row, by each of its factors and its bias, if it has one.
fn slopes(how: &FoldIn, model: &Model, row: (&[f32], f32), ratings: &[(u32, f32)]) -> Vec<f64> {
    let (p, b) = (row.0, f64::from(row.1));
    let dot = |q: &[f32]| -> f64 { p.iter().zip(q).map(|(&p, &q)| f64::from(p) * f64::from(q)).sum() };
    let absent = how.implicit.map_or(0.0, |weight| f64::from(ITEMS) / weight);
    let count = (ratings.len() as f64 + absent).powf(how.reg_power);
    let mut slopes: Vec<f64> = p.iter().map(|&p| how.reg * count * f64::from(p)).collect();
    slopes.push(how.reg * count * b);
    let mut take = |item: u32, weight: f64, target: f64, bias: bool| {
        let q = model.item(item);
        let c = f64::from(model.item_biases[item as usize]);
        let error = weight * (target - if bias { model.mean + b + c } else { 0.0 } - dot(q));
        slopes.iter_mut().zip(q).for_each(|(slope, &q)| *slope -= error * f64::from(q));
        slopes[q.len()] -= if bias { error } else { 0.0 };
    };
    match how.implicit {
        None => ratings.iter().for_each(|&(item, value)| take(item, 1.0, f64::from(value), true)),
        Some(weight) => (0..ITEMS).for_each(|item| {
            let given: Vec<f64> =
                ratings.iter().filter(|rating| rating.0 == item).map(|r| f64::from(r.1)).collect();
            match given.is_empty() {
                true => take(item, 1.0, 0.0, false),
                false => given.iter().for_each(|value| {
                    // A value below 0 is not preferred, with the confidence of its size.
                    let preference = if *value > 0.0 { 1.0 } else { 0.0 };
                    take(item, 1.0 + weight * value.abs(), preference, false);
                }),
            }
        }),
    }
    slopes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn rows_beside_a_model_are_those_that_it_would_get(
        seed: u64, implicit: bool, biases: bool, non_negative: bool, reg_power in 0.0f64..=1.0,
        ratings in proptest::collection::btree_map((0u32..4, 0u32..ITEMS), -3.0f32..5.0, 0..40),
    ) {
        let (model, how) = (model(seed, non_negative), how(implicit, biases, reg_power));
        let triples: Triples = ratings.iter().map(|(&(user, item), &value)| (user, item, value)).collect();
        let rows = how.solver(&model).users(&model, &triples, 4).unwrap();
        let mut wider = model.clone();
        how.users(&mut wider, &triples, 4).unwrap();
        prop_assert_eq!(bits(&rows.factors), bits(&wider.user_factors[USERS * 3..]));
        prop_assert_eq!(bits(&rows.biases), bits(&wider.user_biases[USERS..]));
        // Also one at a time, in place of existing users, and of one beyond.
        let mut refitted = model.clone();
        for (user, at) in [(0u32, 3u32), (5, 1), (8, 2)] {
            let own: Triples = triples.iter().filter(|r| r.0 == at).map(|(_, item, value)| (0, item, value)).collect();
            let one = how.solver(&model).users(&model, &own, 1).unwrap();
            prop_assert_eq!(bits(&one.factors), bits(wider.user(USERS as u32 + at)));
            let mut alone = model.clone();
            how.refit_users(&mut alone, &[user], &own).unwrap();
            prop_assert_eq!(bits(alone.user(user)), bits(&one.factors));
            refitted = alone;
        }
        prop_assert_eq!(refitted.users(), 9);
        prop_assert_eq!(bits(&refitted.user_factors[..18]), bits(&model.user_factors));
        prop_assert!(refitted.user_factors[18..24].iter().all(|&value| value == 0.0));
        // At the minimum all slopes are zero.
        if !non_negative && biases {
            for at in 0..4u32 {
                let own: Vec<(u32, f32)> =
                    triples.iter().filter(|r| r.0 == at).map(|(_, item, value)| (item, value)).collect();
                let row = (&rows.factors[at as usize * 3..][..3], rows.biases[at as usize]);
                for slope in slopes(&how, &model, row, &own) {
                    prop_assert!(slope.abs() < 1e-3, "{slope}");
                }
            }
        }
    }

    #[test]
    fn who_is_folded_in_is_recommended_what_a_user_of_the_model_would_be(
        seed: u64, implicit: bool,
        ratings in proptest::collection::btree_map((0u32..3, 0u32..ITEMS), 0.5f32..5.0, 0..30),
    ) {
        let (model, how) = (model(seed, false), how(implicit, true, 1.0));
        let triples: Triples = ratings.iter().map(|(&(user, item), &value)| (user, item, value)).collect();
        let seen = Seen::new(&triples, 3);
        let query = Query::best(7).without_rows(&seen);
        let mut recommender = Recommender::new(model.clone());
        let rows = how.solver(&model).users(&model, &triples, 3).unwrap();
        let mut beside = Vec::new();
        recommender.each_of(&rows, &query, |_, best| beside.push(best.to_vec()));
        prop_assert_eq!(recommender.model(), &model);
        // The same three as users of a model, and in place of users.
        let users = [1, 4, 7];
        recommender.put_users(&users, &rows);
        let mut refitted = model.clone();
        how.refit_users(&mut refitted, &users, &triples).unwrap();
        prop_assert_eq!(recommender.model(), &refitted);
        let mut within = Vec::new();
        recommender.each(&users, &query, |_, best| within.push(best.to_vec()));
        prop_assert_eq!(&within, &beside);
        let fresh = Recommender::new(refitted);
        for user in 0..9 {
            prop_assert_eq!(fresh.one(user, &Query::best(5)), recommender.one(user, &Query::best(5)));
        }
    }
}

#[test]
fn a_row_that_cannot_be_folded_in_leaves_the_model_as_it_is() {
    let (model, how) = (model(1, false), how(false, true, 1.0));
    let mut changed = model.clone();
    for (rating, why) in [
        ((0, ITEMS, 1.0), "names item 40, but there are 40"),
        ((2, 0, 1.0), "names user 2, but there are 2"),
        ((0, 0, f32::NAN), "rating 1 is NaN"),
    ] {
        let refused = how.refit_users(&mut changed, &[0, 1], &[rating].into_iter().collect()).unwrap_err();
        assert!(refused.to_string().contains(why), "{refused}");
        assert!(how.solver(&model).users(&model, &[rating].into_iter().collect(), 2).is_err());
    }
    assert_eq!(changed, model);
}
