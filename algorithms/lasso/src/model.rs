//! [`Fit`]: a fitted Lasso with its certificate.

use raddle::{EpochRecord, ModelDigest, Outcome, RunReport};

use crate::data::problem::Problem;
use crate::loss::{Loss, Objective};
use crate::penalties::Terms;
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
    /// The dual point of the certificate, n values: theta = k r, where r is minus the derivative of each row's loss by its
    /// score and k the factor that makes it feasible. With a the l1 ratio and x_j the columns as prepared,
    ///
    /// ```text
    /// |x_j'theta| <= n lambda                                              (a = 1)
    /// D = 1/n sum_i d(y_i, theta_i) - 1/(2 n^2 lambda (1 - a)) sum_j max(0, |x_j'theta| - n lambda a)^2
    ///
    /// squared   d = theta y - theta^2 / 2                                  (y centred, where the fit is)
    /// logistic  d = -(p log p + (1 - p) log(1 - p)),  p = theta y,         (y = 1 or -1)
    /// poisson   d = theta log(m) + y log(y / m) - (y - m),  m = y - theta
    /// ```
    ///
    /// A column with a factor f_j has n lambda f_j in place of n lambda, one without a penalty has 0. A side that
    /// bounds forbid limits no x_j'theta; where a coefficient stands at its bound u, D is charged u/n max(0,
    /// |x_j'theta| - n lambda f_j) instead. Of a group of m columns the limit is that of |x_g'theta|_2, n lambda f_g
    /// sqrt(m).
    ///
    /// With weights (of mean 1) a row gives w_i d(y_i, theta_i / w_i), and with offsets a smooth loss's D is less 1/n
    /// sum_i theta_i o_i; the response of the squared loss is less them. The second sum is only of an elastic net (a <
    /// 1; it bounds P no worse than what the metric says). With an intercept the values sum to zero. Of a path, that of
    /// [`coefficients`](Self::coefficients); other points have a [`dual_scale`](Point::dual_scale).
    pub dual: Vec<f64>,
    /// What the run counted, and its certificate; of a path, the worst point's.
    pub report: RunReport,
    /// A record an epoch.
    pub trace: Vec<EpochRecord>,
    is_path: bool,
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
    /// k: the point's dual point is this times minus the derivative of each row's loss at its coefficients, as in
    /// [`Fit::dual`].
    pub dual_scale: f64,
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
        let penalty = replica.stage.map_or(f64::NAN, |stage| stage.penalty);
        let (scale, intercept) = (solver.scale(), replica.rows.intercept);
        let freed = solver.freed.clone();
        let last = Solution { penalty, gap: 0.0, scale, intercept, coefficients: fitted.collect(), freed };
        let Point { lambda, intercept, coefficients, .. } = Point::new(problem, &solver.terms, &last);
        Self {
            coefficients,
            intercept,
            lambda,
            lambda_max: solver.largest() / problem.rows() as f64 / l1_ratio,
            loss,
            l1_ratio,
            classes: if loss.has_classes() { problem.classes() } else { None },
            dual: replica.rows.residual.iter().map(|residual| scale * residual).collect(),
            points: solver
                .solutions()
                .iter()
                .map(|solution| Point::new(problem, &solver.terms, solution))
                .collect(),
            report,
            trace,
            is_path: solver.is_path(),
        }
    }

    /// SHA-256 of the model, 64 hexadecimal digits: equal exactly when two models are, and equal to `model_digest` in the
    /// report of `lasso`. It is over the columns (u32, from 1), the coefficients, the intercept and lambda (f64), all
    /// little-endian; of a path, over these of each point in order.
    pub fn digest(&self) -> String {
        let digest = ModelDigest::default();
        if !self.is_path {
            return digested(digest, &self.coefficients, [self.intercept, self.lambda]).finish();
        }
        let add =
            |digest, point: &Point| digested(digest, &point.coefficients, [point.intercept, point.lambda]);
        self.points.iter().fold(digest, add).finish()
    }
}

impl Point {
    /// On the original scale.
    fn new(problem: &Problem, terms: &Terms, solution: &Solution) -> Self {
        let scaled = solution.coefficients.iter().map(|&(j, value)| {
            let column = terms.original(j);
            let value = value * terms.unit(j as usize) * problem.scale(column);
            (column, terms.within(column, value))
        });
        let mut coefficients: Vec<(u32, f64)> = scaled.collect();
        if !solution.freed.is_empty() || terms.has_groups() {
            let freed = solution.freed.iter().filter(|(_, value)| *value != 0.0);
            coefficients.extend(freed.map(|&(j, value)| (j, value * problem.scale(j))));
            coefficients.sort_unstable_by_key(|&(j, _)| j);
        }
        let centered: f64 = coefficients.iter().map(|&(j, value)| value * problem.center(j)).sum();
        Self {
            lambda: solution.penalty / problem.rows() as f64,
            gap: solution.gap,
            intercept: solution.intercept - centered,
            dual_scale: solution.scale,
            coefficients,
        }
    }
}

fn digested(digest: ModelDigest, coefficients: &[(u32, f64)], rest: [f64; 2]) -> ModelDigest {
    let columns: Vec<u32> = coefficients.iter().map(|(column, _)| column + 1).collect();
    let values: Vec<f64> = coefficients.iter().map(|(_, value)| *value).collect();
    digest.u32s(&columns).f64s(&values).f64s(&rest)
}
