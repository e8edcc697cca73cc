//! A fit is a pure function of data, parameters and seed: its bytes are the same however it is carried out.

use raddle::replay;
use raddle_datasets::{Options, StoredTable};
use raddle_linear::{Bias, InParts, Linear, Loss, Problem};

use crate::common::{Data, LOSSES};
use crate::leaving;

#[test]
fn fits_replay_to_the_bit() {
    for problem in [Data::clouds(80, 6, 7).problem(1.0), Data::classes(5, (60, 6), 8).problem(1.0)] {
        for loss in LOSSES {
            // Passes first, then a direct solver.
            let linear = Linear::params().loss(loss).c(10.0).tolerance(1e-13);
            replay::check(|| linear.engine(&problem).unwrap().epochs(5)).unwrap();
        }
    }
}

#[test]
fn classes_together_and_free_intercepts_replay_to_the_bit() {
    let (two, five) = (Data::clouds(80, 6, 7), Data::classes(5, (60, 6), 8));
    for (data, loss, bias) in [
        (&five, Loss::Multinomial, Bias::Free),
        (&five, Loss::Multinomial, Bias::Penalized(1.0)),
        (&two, Loss::Logistic, Bias::Free),
        (&two, Loss::SquaredHinge, Bias::Free),
    ] {
        let problem = data.problem(bias);
        let linear = Linear::params().loss(loss).c(10.0).tolerance(1e-11);
        replay::check(|| linear.engine(&problem).unwrap().epochs(5)).unwrap();
        let digest = |workers| linear.fit_with(&problem, |engine| engine.workers(workers)).unwrap().digest();
        let one = digest(1);
        assert_eq!([digest(2), digest(4), digest(7)], [&one, &one, &one].map(String::clone));
    }
}

#[test]
fn digests_are_those_of_any_number_of_workers_and_of_a_seed() {
    for data in [Data::diabetes(), Data::classes(5, (60, 6), 8)] {
        let problem = data.problem(1.0);
        let fit = |seed, workers| {
            // So loose that passes alone come to it: their order is the seed's.
            let linear = Linear::params().loss(Loss::SquaredHinge).tolerance(0.3).seed(seed);
            linear.fit_with(&problem, |engine| engine.workers(workers).epochs(1)).unwrap().digest()
        };
        let one = fit(1, 1);
        assert_eq!([fit(1, 2), fit(1, 3), fit(1, 7)], [&one, &one, &one].map(String::clone));
        assert_ne!(fit(2, 1), one);
    }
}

/// `RADDLE_LEAVES=10` lets it leave at each of the first ten boundaries, on 2x1, 3x1 and 2x2.
#[test]
fn the_first_process_may_leave_at_any_boundary() {
    let data = Data::diabetes();
    let folder = tempfile::tempdir().unwrap();
    let table = StoredTable::open("diabetes", &Options::default(), folder.path()).unwrap();
    let problems =
        [("in memory", data.problem(1.0)), ("in a file", Problem::by_parts(&table, &data.y, 1.0).unwrap())];
    let mut left = 0;
    for (place, problem) in &problems {
        for (loss, plan) in LOSSES.into_iter().zip(["4", "0:16,2:4", "auto"]) {
            let settings =
                InParts::new(Linear::params().loss(loss).c(0.01).tolerance(1e-9), plan.parse().unwrap());
            let make = || settings.engine(problem).unwrap().epochs(8);
            left += leaving::check(&format!("{loss:?} in {plan} parts, rows {place}"), left, &make);
        }
    }
    println!("the first process left {left} times");
}
