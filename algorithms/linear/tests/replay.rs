//! A fit is a pure function of data, parameters and seed: its bytes are the same however it is carried out.

use raddle::replay;
use raddle_linear::{Linear, Loss};

use crate::common::{Data, LOSSES};

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
