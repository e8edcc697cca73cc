//! [`Folds`]: a cross-validation in progress, for callers that run its fits themselves.

use raddle_datasets::Matrix;
use raddle_tabular::folds::{FoldLabels, FoldRows, FoldTable, RowValues, absent, assign, distinct};

use super::curve::{Curve, FoldScores};
use super::measure::{Measure, Truth};
use super::plan::CrossValidation;
use crate::data::problem::Problem;
use crate::error::LinearError;
use crate::model::Fit;
use crate::params::Linear;
use crate::path::Path;

/// The folds of a [`CrossValidation`]: their rows, and the measures collected so far.
#[derive(Debug)]
pub struct Folds {
    plan: CrossValidation,
    table: FoldTable,
    /// Number of each row's class.
    labels: Vec<u32>,
    problem: Problem,
    scores: Vec<Option<FoldScores>>,
}

/// The held-out rows of one fold, and the problem of the other rows.
#[derive(Debug)]
pub struct Fold {
    number: usize,
    /// The rows that are not held out.
    pub problem: Problem,
}

impl Folds {
    pub(super) fn new(mut plan: CrossValidation, x: Matrix, y: Vec<f64>) -> Result<Self, LinearError> {
        let values = RowValues { weights: plan.weights.take(), offset: None };
        let problem = plan.problem(&x, &y, values.weights.clone())?;
        let classes = problem.classes();
        let labels: Vec<u32> =
            y.iter().map(|value| classes.partition_point(|class| class < value) as u32).collect();
        check(&plan, &problem)?;
        let of = FoldLabels { strata: Some(&labels), groups: plan.groups.as_deref() };
        let folds = assign(y.len(), plan.folds, plan.seed, of).into_iter().map(FoldRows::without).collect();
        let (scores, filled) = (vec![None; plan.folds], std::mem::take(&mut plan.filled));
        let table = FoldTable { x, y, values, filled, folds };
        let folds = Self { plan, table, labels, problem, scores };
        folds.check_classes()?;
        Ok(folds)
    }

    /// Returns the number of folds, K.
    pub fn count(&self) -> usize {
        self.plan.folds
    }

    /// Returns the problem of all rows.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Returns the values of C, ascending.
    pub fn costs(&self) -> &[f64] {
        &self.plan.costs
    }

    /// Returns the rows (from 0, ascending) that fold `number` (from 0) holds out.
    pub fn held_out(&self, number: usize) -> &[usize] {
        &self.table.folds[number].test
    }

    /// Checks that every fold has training rows of every class and, for the area under the curve, held-out
    /// rows of both classes.
    fn check_classes(&self) -> Result<(), LinearError> {
        let (classes, folds) = (self.problem.classes(), self.plan.folds);
        let counted = |row: usize| self.table.values.weight(row) > 0.0;
        let class = |row: usize| counted(row).then_some(self.labels[row] as usize);
        for (rows, fold) in self.table.folds.iter().zip(1..) {
            let refuse =
                |class: usize, does| Err(LinearError::FoldClass { fold, folds, does, class: classes[class] });
            if let Some(lacks) = absent(rows.training(self.labels.len()), classes.len(), class) {
                return refuse(lacks, "is fitted on");
            }
            let tested = rows.test.iter().copied();
            if let (Measure::Auc, Some(lacks)) = (self.plan.measure, absent(tested, classes.len(), class)) {
                return refuse(lacks, "holds out");
            }
        }
        Ok(())
    }

    /// Makes fold `number` (from 0), with columns scaled by its training rows.
    ///
    /// # Errors
    /// If these rows cannot be prepared.
    pub fn fold(&self, number: usize) -> Result<Fold, LinearError> {
        let (x, y, values) = self.table.training(number);
        Ok(Fold { number, problem: self.plan.problem(&x, &y, values.weights)? })
    }

    /// Returns the parameters for fitting a fold at each C.
    pub fn path(&self) -> Path {
        let path = self.plan.linear.clone().without_start().path(self.plan.costs.clone());
        self.plan.epochs.into_iter().fold(path, Path::epochs)
    }

    /// Measures the fits of a fold, one for each C, on its held-out rows.
    pub fn score(&self, fold: &Fold, fits: &[Fit]) -> FoldScores {
        let held_out = self.held_out(fold.number);
        let x = self.table.select(held_out, fold.number);
        let labels: Vec<u32> = held_out.iter().map(|&row| self.labels[row]).collect();
        let weights = self.table.weights(fold.number);
        let truth = Truth { labels: &labels, weights: &weights, classes: self.problem.classes().len() };
        FoldScores {
            place: fold.number,
            rows: weights.iter().sum(),
            means: fits.iter().map(|fit| self.plan.measure.of(truth, &fit.scores(&x), fit.loss)).collect(),
            sizes: fits.iter().map(Fit::support).collect(),
            worst_gap: fits.iter().map(Fit::gap).fold(0.0, f64::max),
        }
    }

    /// Adds the measures of a fold; folds may come in any order.
    ///
    /// # Errors
    /// If the measures belong to another cross-validation.
    pub fn add(&mut self, scores: FoldScores) -> Result<(), LinearError> {
        let rows = |fold| self.table.weights(fold).iter().sum();
        let fits = scores.place < self.plan.folds && scores.fits(rows(scores.place), self.plan.costs.len());
        if !fits {
            let why = "these measures are of another cross-validation".into();
            return Err(LinearError::Parameter { name: "folds", why });
        }
        let place = scores.place;
        self.scores[place] = Some(scores);
        Ok(())
    }

    /// Returns the largest relative duality gap of the folds measured so far.
    pub fn worst_gap(&self) -> f64 {
        FoldScores::worst_gap(&self.scores)
    }

    /// Returns the curve over all folds.
    ///
    /// # Errors
    /// If a fold has not been measured.
    pub fn curve(&self) -> Result<Curve, LinearError> {
        let scores: Vec<&FoldScores> = self.scores.iter().flatten().collect();
        if scores.len() < self.plan.folds {
            let why = format!("{} of {} are measured", scores.len(), self.plan.folds);
            return Err(LinearError::Parameter { name: "folds", why });
        }
        let measure = self.plan.measure;
        Ok(Curve::new((measure.title(), measure.is_larger_better()), None, &self.plan.costs, &scores))
    }

    /// Returns the parameters for fitting all rows at this C.
    pub fn all(&self, c: f64) -> Linear {
        self.plan.linear.clone().c(c)
    }
}

/// Checks a plan against the problem of all rows.
fn check(plan: &CrossValidation, problem: &Problem) -> Result<(), LinearError> {
    let refuse = |name, why: String| Err(LinearError::Parameter { name, why });
    let (folds, rows) = (plan.folds, problem.rows());
    if folds < 2 || folds > rows {
        return refuse("folds", format!("it is {folds}: it must be from 2 to {rows}, the number of rows"));
    }
    if plan.costs.is_empty() {
        return refuse("C", "there is none to choose from: give at least one".into());
    }
    for c in &plan.costs {
        plan.linear.clone().without_start().c(*c).factors(problem)?;
    }
    if plan.measure == Measure::Auc && problem.classes().len() > 2 {
        let why =
            format!("auc is for two classes, and there are {}: choose another", problem.classes().len());
        return refuse("measure", why);
    }
    if plan.measure == Measure::LogLoss && !plan.linear.loss.has_probabilities() {
        return refuse(
            "measure",
            "log-loss needs probabilities: choose the logistic loss, or another measure".into(),
        );
    }
    let Some(groups) = &plan.groups else { return Ok(()) };
    if groups.len() != rows {
        return Err(LinearError::Lengths { what: "groups", rows, values: groups.len() });
    }
    let count = distinct(groups);
    if count < folds {
        let why =
            format!("a column with {count} different values for {folds} folds: each needs one of its own");
        return refuse("groups", why);
    }
    Ok(())
}
