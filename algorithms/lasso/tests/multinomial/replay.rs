//! A multinomial fit has the same bytes however it is carried out, and continues from a checkpoint as if it
//! had not ended.

use raddle_lasso::{Choice, Fit, Lasso, Loss, Preparation, Problem};

use super::data;
use crate::common::options::{Named, options};
use crate::common::{WAYS, dense, in_turn, sparse};

const ROWS: usize = 60;
const COLUMNS: usize = 120;

fn bits(fit: &Fit) -> (String, Vec<u64>, Option<u64>, u64, u64) {
    let (report, dual) = (&fit.report, fit.dual.iter().map(|value| value.to_bits()).collect());
    (fit.digest(), dual, report.objective.map(f64::to_bits), report.metric.value.to_bits(), report.epochs)
}

fn all_options() -> Vec<Named> {
    let own: [Named; 3] = [
        ("plain", |problem| problem, |lasso| lasso),
        ("path", |problem| problem, |lasso| lasso.path(6, 20.0)),
        ("net", |problem| problem, |lasso| lasso.l1_ratio(0.5)),
    ];
    own.into_iter().chain(options::<ROWS, COLUMNS>()).collect()
}

#[test]
fn every_option_replays_for_any_number_of_workers_rescales_and_kills() {
    let (x, y) = data(3, ROWS, COLUMNS, 71);
    let folder = tempfile::tempdir().unwrap();
    let storages = [("dense", dense as fn(&[Vec<f64>]) -> _), ("sparse", sparse)];
    let mut turn = 0;
    for (of_option, (name, on_problem, on_lasso)) in all_options().into_iter().enumerate() {
        for (kind, make) in in_turn(storages, of_option) {
            let given = on_problem(Problem::new(make(&x), y.clone(), Preparation::default()).unwrap());
            for schedule in [Choice::WorkingSet, Choice::Priority, Choice::Shuffled] {
                if name == "path" && schedule != Choice::WorkingSet {
                    continue;
                }
                let lasso = || {
                    let lasso =
                        Lasso::params().loss(Loss::Multinomial).ratio(20.0).shards(7).schedule(schedule);
                    on_lasso(lasso.parallelism(12).tolerance(1e-9))
                };
                let context = format!("{name}, {kind}, {schedule:?}");
                let plain = lasso().fit_with(&given, |engine| engine.epochs(6)).unwrap();
                assert!(plain.report.epochs >= 2 && !plain.coefficients.is_empty(), "{context}");
                turn += 1;
                for (workers, serialized) in in_turn(WAYS, turn) {
                    let fit = lasso()
                        .workers(workers)
                        .fit_with(&given, |engine| engine.epochs(6).threads(workers).serialized(serialized));
                    assert_eq!(bits(&fit.unwrap()), bits(&plain), "{context}, {workers}, {serialized}");
                }
                let rescaled = lasso()
                    .workers(2)
                    .fit_with(&given, |engine| engine.epochs(6).threads(4).rescale(&[(1, 4), (2, 1)]));
                let rescaled = rescaled.unwrap();
                assert!(rescaled.report.generations.len() > 1, "{context}: it did not rescale");
                assert_eq!(bits(&rescaled), bits(&plain), "{context}, 2 -> 4 -> 1");
                let checkpoint = folder.path().join(format!("{name}-{kind}-{schedule:?}"));
                let cut = lasso()
                    .fit_with(&given, |engine| {
                        engine.identity(&*context).epochs(2).checkpoint(1, &checkpoint)
                    })
                    .unwrap();
                assert!(cut.report.epochs <= 2, "{context}");
                let resumed = lasso()
                    .workers(3)
                    .fit_with(&given, |engine| engine.identity(&*context).epochs(6).resume(&checkpoint))
                    .unwrap();
                let (a, b) = (bits(&resumed), bits(&plain));
                assert_eq!((&a.0, &a.1, &a.2), (&b.0, &b.1, &b.2), "{context}, resumed");
            }
        }
    }
}
