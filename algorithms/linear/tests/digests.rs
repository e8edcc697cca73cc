//! The models of `linear` are those of `tests/digests.tsv`, bit for bit.

use raddle_linear::{Bias, InParts, Linear, Loss, PartPlan};

use crate::common::Data;

#[path = "../../../tests/digests/mod.rs"]
mod rows;

#[test]
fn models_keep_their_bits() {
    rows::check("linear", env!("CARGO_BIN_EXE_linear"));
}

/// No set that is at hand everywhere has more than two classes.
#[test]
fn models_of_all_classes_together_keep_their_bits() {
    let mut found = Vec::new();
    // The classes' matrices are factored for few columns, and diagonal for many.
    for (rows, columns) in [(60, 6), (30, 200)] {
        for bias in [Bias::Free, Bias::Penalized(1.0)] {
            let linear = Linear::params().loss(Loss::Multinomial).c(10.0).tolerance(1e-8);
            let problem = Data::classes(5, (rows, columns), 8).problem(bias);
            found.push(linear.fit(&problem).unwrap().digest()[..16].to_owned());
        }
    }
    assert_eq!(found, ["a943bbbb25610a2e", "51b927cd08a29fc9", "d16da6ef749a199d", "f8e86ae205a0af6f"]);
}

/// Links are declared in a file, which a row of the table cannot bring along.
#[test]
fn models_of_delayed_parts_keep_their_bits() {
    let problem = Data::diabetes().problem(1.0).scaled();
    let digest = |loss| {
        let parts = InParts::new(Linear::params().loss(loss).c(0.01), PartPlan::constant(4));
        let links = "0 100 0\n1 10 1".parse().unwrap();
        let outcome = parts.delayed(&problem, links, 8).unwrap().epochs(2).workers(3).run().unwrap();
        parts.finish(&problem, outcome).unwrap().digest()[..16].to_owned()
    };
    assert_eq!(
        [Loss::Hinge, Loss::SquaredHinge, Loss::Logistic].map(digest),
        ["20f1038e4d71a84e", "f38cd470e45026c7", "eb54e0d413360ea6"]
    );
}
