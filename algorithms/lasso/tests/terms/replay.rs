//! A fit with terms has the same bytes however it is carried out.

use raddle_lasso::{Choice, Fit, Lasso};

use super::{LOSSES, data, offsets, problem};
use crate::common::options::{Named, options};
use crate::common::{WAYS, dense, in_turn, sparse};

pub(crate) const ROWS: usize = 60;
pub(crate) const COLUMNS: usize = 180;

fn bits(fit: &Fit) -> (String, Option<u64>, u64, u64) {
    let report = &fit.report;
    (fit.digest(), report.objective.map(f64::to_bits), report.metric.value.to_bits(), report.epochs)
}

/// Each option alone.
pub(crate) fn all_options() -> Vec<Named> {
    let own: [Named; 3] = [
        ("offset", |problem| problem.offset(offsets(ROWS, 9)).unwrap(), |lasso| lasso),
        ("nonnegative", |problem| problem, |lasso| lasso.bounds(vec![(0.0, f64::INFINITY); COLUMNS])),
        (
            "groups",
            |problem| problem,
            |lasso| lasso.groups((0..COLUMNS).map(|j| u32::try_from(j % 50).unwrap()).collect()),
        ),
    ];
    own.into_iter().chain(options::<ROWS, COLUMNS>()).collect()
}

#[test]
fn every_option_replays_for_any_number_of_workers_and_rescales() {
    let mut turn = 0;
    for (of_option, (name, on_problem, on_lasso)) in all_options().into_iter().enumerate() {
        for (of_loss, loss) in LOSSES.into_iter().enumerate() {
            let (x, y) = data(loss, ROWS, COLUMNS, 71);
            for make in in_turn([dense as fn(&[Vec<f64>]) -> _, sparse], of_option + of_loss) {
                let given = on_problem(problem(make(&x), &y, true, true));
                let rounds = if name == "groups" { &[][..] } else { &[Choice::Priority, Choice::Shuffled] };
                for &schedule in [Choice::WorkingSet].iter().chain(rounds) {
                    let lasso = || {
                        let lasso = Lasso::params().loss(loss).ratio(30.0).shards(7).schedule(schedule);
                        on_lasso(lasso.parallelism(12).tolerance(1e-9))
                    };
                    let context = format!("{name}, {loss:?}, {schedule:?}");
                    let plain = lasso().fit_with(&given, |engine| engine.epochs(6)).unwrap();
                    assert!(plain.report.epochs >= 2 && !plain.coefficients.is_empty(), "{context}");
                    turn += 1;
                    for (workers, serialized) in in_turn(WAYS, turn) {
                        let fit = lasso().workers(workers).fit_with(&given, |engine| {
                            engine.epochs(6).threads(workers).serialized(serialized)
                        });
                        assert_eq!(bits(&fit.unwrap()), bits(&plain), "{context}, {workers}, {serialized}");
                    }
                    let rescaled = lasso()
                        .workers(2)
                        .fit_with(&given, |engine| engine.epochs(6).threads(4).rescale(&[(1, 4), (2, 1)]));
                    let rescaled = rescaled.unwrap();
                    assert!(rescaled.report.generations.len() > 1, "{context}: it did not rescale");
                    assert_eq!(bits(&rescaled), bits(&plain), "{context}, 2 -> 4 -> 1");
                }
            }
        }
    }
}
