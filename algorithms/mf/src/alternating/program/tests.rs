//! The program of alternating least squares, step by step.

use super::*;
use crate::params::Equations;

#[test]
fn an_epoch_costs_its_rows_or_columns_and_what_it_measures() {
    let rows = LeastSquares {
        rank: 4,
        biases: true,
        equations: Equations::Cholesky,
        implicit: None,
        reg: 0.1,
        unweighted: false,
        non_negative: false,
    };
    let columns = CoordinateDescent {
        rank: 4,
        biases: true,
        inner: 3,
        reg: 0.1,
        bias_reg: 0.1,
        unweighted: false,
        non_negative: false,
    };
    let (parts, given) = (5, 100);
    // Both sides have five parts: all rows at once, or three passes over each of six columns.
    for (way, tasks) in [(SideSolver::Rows(rows), 2 * 5), (SideSolver::Columns(columns), 2 * 5 * 6 * 3)] {
        for (measure, measured) in [(Some(7), 5 * 7), (None, 0)] {
            let mut schedule = Alternation::new(way, parts, 2, measure);
            for epoch in 0..2 {
                let metric = Metric::new("rmse", 1.0, "training data");
                let start = EpochStart { epoch, metric, objective: None, weights: Vec::new(), batch_hint: 0 };
                let Plan::Known(rounds) = schedule.begin_epoch(&start) else { panic!("plans are known") };
                let tasks_of = rounds.iter().map(|round| (round.tasks.len() as u64, &round.phase));
                let sum: u64 =
                    tasks_of.map(|(tasks, phase)| tasks * schedule.cost(epoch, phase, given)).sum();
                assert_eq!(sum, tasks * given + measured, "{way:?}");
            }
        }
    }
}
