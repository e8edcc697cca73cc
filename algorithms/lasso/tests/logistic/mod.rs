//! The logistic loss and the elastic net: certificates against an oracle, replay, the command line.

mod certificate;
mod command_line;
mod elastic_net;
mod extremes;
mod replay;

use raddle::Ending;
use raddle_datasets::Matrix;
use raddle_lasso::{Choice, Fit, Lasso, Loss, Preparation, Problem};

use crate::common::PREPARATIONS;
use crate::common::general::General;

const SCHEDULES: [Choice; 4] = [Choice::WorkingSet, Choice::Priority, Choice::Shuffled, Choice::Cyclic];

/// A problem with its data.
struct Given<'a> {
    x: &'a Matrix,
    y: &'a [f64],
    preparation: Preparation,
    loss: Loss,
    l1_ratio: f64,
}

impl Given<'_> {
    fn oracle(&self) -> General {
        General::new(self.x, self.y, self.preparation, self.loss, self.l1_ratio)
    }

    fn fit(&self, lasso: Lasso, epochs: u64) -> Fit {
        let problem = Problem::new(self.x.clone(), self.y.to_vec(), self.preparation).unwrap();
        let lasso = lasso.loss(self.loss).l1_ratio(self.l1_ratio);
        lasso.fit_with(&problem, |engine| engine.epochs(epochs)).unwrap()
    }

    /// Fits a path, and compares each of its points with the oracle.
    fn check_path(&self) {
        let (fit, oracle) = (self.fit(Lasso::params().path(20, 50.0), 2000), self.oracle());
        assert_eq!((fit.points.len(), fit.report.ending), (20, Ending::Target));
        for point in &fit.points {
            let (primal, dual) = oracle.of(&point.coefficients, point.intercept, point.lambda);
            let gap = (primal - dual) / primal;
            assert!(gap <= 1.01e-6, "{}: {gap:e}", point.lambda);
        }
    }

    /// Fits, and compares the fit with the oracle's own optimum.
    fn certified(&self, lasso: Lasso, context: &str) -> Fit {
        let (fit, oracle) = (self.fit(lasso, 5000), self.oracle());
        oracle.check(&fit, context);
        assert_eq!(fit.report.ending, Ending::Target, "{context}: gap {:e}", fit.report.metric.value);
        let largest = oracle.lambda_max();
        assert!(
            (fit.lambda_max - largest).abs() <= 1e-9 * largest,
            "{context}: {} {largest}",
            fit.lambda_max
        );
        let (primal, _) = oracle.of(&fit.coefficients, fit.intercept, fit.lambda);
        let (best, dual) = oracle.solve(fit.lambda, 1e-9);
        assert!(
            best - dual <= 1e-8 * best,
            "{context}: the oracle itself is off, by {:e}",
            (best - dual) / best
        );
        let rounding = 1e-12 * primal;
        assert!(primal >= dual - rounding, "{context}: {primal} is below what is possible, {dual}");
        let target = fit.report.metric.target.unwrap();
        assert!(primal - best <= target * primal + rounding, "{context}: {primal} {best}");
        fit
    }
}
