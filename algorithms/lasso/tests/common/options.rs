//! Options of rows and columns that the tests of several losses try.

use raddle_datasets::Matrix;
use raddle_lasso::{Choice, Lasso, Problem};

use super::{dense, in_turn, sparse};

/// Factors and bounds by name.
pub(crate) type Kind = (&'static str, Vec<f64>, Vec<(f64, f64)>);

pub(crate) fn kinds<const COLUMNS: usize>() -> Vec<Kind> {
    let (one, infinite) = (vec![1.0; COLUMNS], f64::INFINITY);
    let free = vec![(-infinite, infinite); COLUMNS];
    let mixed: Vec<f64> = (0..COLUMNS).map(|j| [1.0, 0.3, 2.5, 1.0][j % 4]).collect();
    let nonnegative = vec![(0.0, infinite); COLUMNS];
    let narrow: Vec<(f64, f64)> = (0..COLUMNS)
        .map(|j| [(-0.05, 0.04), (-infinite, 0.03), (0.0, 0.02), (-0.01, 0.0), (0.0, 0.0)][j % 5])
        .collect();
    vec![
        ("plain", one.clone(), free.clone()),
        ("unpenalized", (0..COLUMNS).map(|j| f64::from(u8::from(j % 3 != 1))).collect(), free.clone()),
        ("factors", mixed.clone(), free),
        ("nonnegative", one.clone(), nonnegative.clone()),
        ("bounds", one, narrow.clone()),
        ("factors and nonnegative", mixed.clone(), nonnegative),
        ("factors and bounds", mixed, narrow),
    ]
}

/// Ways to prepare: with an intercept or without, and with columns scaled or not.
pub(crate) const PREPARED: [(bool, bool); 3] = [(true, true), (true, false), (false, false)];

/// A way to solve: the storage of columns, the schedule, and how near a fit comes to the optimum.
pub(crate) type Solved = (fn(&[Vec<f64>]) -> Matrix, Choice, f64);

/// The ways to solve of this turn: a working set, and rounds.
pub(crate) fn solved(turn: usize) -> Vec<Solved> {
    let working_sets: [Solved; 2] = [(dense, Choice::WorkingSet, 1e-6), (sparse, Choice::WorkingSet, 1e-6)];
    let rounds: [Solved; 4] = [
        (dense, Choice::Priority, 1e-5),
        (sparse, Choice::Cyclic, 1e-5),
        (sparse, Choice::Priority, 1e-5),
        (dense, Choice::Cyclic, 1e-5),
    ];
    in_turn(working_sets, turn).into_iter().chain(in_turn(rounds, turn)).collect()
}

/// Whole weights, some of them 0.
pub(crate) fn whole_weights(rows: usize) -> Vec<f64> {
    (0..rows).map(|row| f64::from(u32::try_from((row * 7 + 1) % 4).unwrap())).collect()
}

/// An option by name: how to set it on the problem, and on the parameters.
pub(crate) type Named = (&'static str, fn(Problem) -> Problem, fn(Lasso) -> Lasso);

/// Each option of rows and columns that every loss has, alone.
pub(crate) fn options<const ROWS: usize, const COLUMNS: usize>() -> Vec<Named> {
    vec![
        ("weights", |problem| problem.weights(whole_weights(ROWS)).unwrap(), |lasso| lasso),
        (
            "factors",
            |problem| problem,
            |lasso| {
                lasso.factors((0..COLUMNS).map(|j| 0.5 + f64::from(u8::try_from(j % 4).unwrap())).collect())
            },
        ),
        (
            "unpenalized",
            |problem| problem,
            |lasso| lasso.factors((0..COLUMNS).map(|j| f64::from(u8::from(j % 60 != 7))).collect()),
        ),
        ("bounds", |problem| problem, |lasso| lasso.bounds(vec![(-0.05, 0.1); COLUMNS])),
    ]
}
