//! [`Fit`]: a fitted Lasso with its certificate.

use raddle::{EpochRecord, Outcome, RunReport};

use crate::data::problem::Problem;
use crate::loss::{Loss, Objective};
use crate::run::program::LassoProgram;
use crate::run::solution::Solution;

/// A fitted Lasso.
#[derive(Debug, Clone)]
pub struct Fit {
    /// (column from 0, coefficient on the original scale) where it is not zero, by column. For a path, those of the
    /// last lambda.
    pub coefficients: Vec<(u32, f64)>,
    /// The intercept; 0 if none was asked for.
    pub intercept: f64,
    /// lambda; of a path, the last.
    pub lambda: f64,
    /// The smallest lambda without support.
    pub lambda_max: f64,
    /// The loss.
    pub loss: Loss,
    /// The share of the l1 norm in the penalty.
    pub l1_ratio: f64,
    /// For a loss of two classes, the response's two values, ascending: scores above 0 speak for the second.
    pub classes: Option<[f64; 2]>,
    /// The points that are certified, in order: one, or those of a path.
    pub points: Vec<Point>,
    /// What the run counted, and its certificate; of a path, the worst point's.
    pub report: RunReport,
    /// A record an epoch.
    pub trace: Vec<EpochRecord>,
}

/// A certified point of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// lambda.
    pub lambda: f64,
    /// Relative duality gap.
    pub gap: f64,
    /// The intercept; 0 if none was asked for.
    pub intercept: f64,
    /// (column from 0, coefficient on the original scale) where it is not zero, by column.
    pub coefficients: Vec<(u32, f64)>,
}

impl Fit {
    /// The fit that a run of [`Lasso::engine`](crate::Lasso::engine) on this problem has come to.
    pub fn new(problem: &Problem, outcome: Outcome<LassoProgram>) -> Self {
        let Outcome { parts, report, trace, .. } = outcome;
        let fitted = parts.shards.iter().flat_map(|shard| {
            let nonzero = shard.coefficients.iter().enumerate().filter(|(_, value)| **value != 0.0);
            nonzero.map(|(at, &value)| (shard.first + at as u32, value))
        });
        let (replica, solver) = (&parts.replica, &parts.pinned);
        let Objective { loss, l1_ratio, .. } = solver.objective();
        let (penalty, intercept) = (replica.penalty, replica.rows.intercept);
        let last = Solution { penalty, gap: 0.0, intercept, coefficients: fitted.collect() };
        let Point { lambda, intercept, coefficients, .. } = Point::new(problem, &last);
        Self {
            coefficients,
            intercept,
            lambda,
            lambda_max: solver.largest() / problem.rows() as f64 / l1_ratio,
            loss,
            l1_ratio,
            classes: if loss.has_classes() { problem.classes() } else { None },
            points: solver.solutions().iter().map(|solution| Point::new(problem, solution)).collect(),
            report,
            trace,
        }
    }
}

impl Point {
    /// On the original scale.
    fn new(problem: &Problem, solution: &Solution) -> Self {
        let scaled = solution.coefficients.iter().map(|&(j, value)| (j, value * problem.scale(j)));
        let coefficients: Vec<(u32, f64)> = scaled.collect();
        let centered: f64 = coefficients.iter().map(|&(j, value)| value * problem.center(j)).sum();
        Self {
            lambda: solution.penalty / problem.rows() as f64,
            gap: solution.gap,
            intercept: solution.intercept - centered,
            coefficients,
        }
    }
}
