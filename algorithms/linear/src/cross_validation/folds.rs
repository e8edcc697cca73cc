//! [`Folds`]: a cross-validation in progress, for callers that run its fits themselves.

use raddle::{Engine, Outcome};
use raddle_common::folds::{FoldLabels, assign};
use raddle_datasets::Matrix;

use super::curve::{Curve, FoldScores};
use super::measure::{Measure, Truth};
use super::plan::CrossValidation;
use crate::data::problem::Problem;
use crate::error::LinearError;
use crate::loss::Loss;
use crate::model::Fit;
use crate::params::Linear;
use crate::run::program::LinearProgram;

/// The folds of a [`CrossValidation`]: their rows, and the measures collected so far.
#[derive(Debug)]
pub struct Folds {
    plan: CrossValidation,
    x: Matrix,
    y: Vec<f64>,
    /// Number of each row's class.
    labels: Vec<u32>,
    problem: Problem,
    /// Rows that each fold holds out, ascending.
    held_out: Vec<Vec<usize>>,
    scores: Vec<Option<FoldScores>>,
}

/// The held-out rows of one fold, and the problem of the other rows.
#[derive(Debug)]
pub struct Fold {
    number: usize,
    problem: Problem,
}

impl Folds {
    pub(super) fn new(plan: CrossValidation, x: Matrix, y: Vec<f64>) -> Result<Self, LinearError> {
        let problem = plan.problem(&x, &y, plan.weights.clone())?;
        let classes = problem.classes();
        let labels: Vec<u32> =
            y.iter().map(|value| classes.partition_point(|class| class < value) as u32).collect();
        check(&plan, &problem)?;
        let of = FoldLabels { strata: Some(&labels), groups: plan.groups.as_deref() };
        let held_out = assign(y.len(), plan.folds, plan.seed, of);
        let scores = vec![None; plan.folds];
        let folds = Self { plan, x, y, labels, problem, held_out, scores };
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
        &self.held_out[number]
    }

    fn weight(&self, row: usize) -> f64 {
        self.plan.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// Checks that every fold has training rows of every class and, for the area under the curve, held-out
    /// rows of both classes.
    fn check_classes(&self) -> Result<(), LinearError> {
        let (classes, rows) = (self.problem.classes(), 0..self.y.len());
        for (number, test) in self.held_out.iter().enumerate() {
            let (mut fitted, mut tested) = (vec![false; classes.len()], vec![false; classes.len()]);
            for row in rows.clone().filter(|&row| self.weight(row) > 0.0) {
                let is_held_out = test.binary_search(&row).is_ok();
                let seen = if is_held_out { &mut tested } else { &mut fitted };
                seen[self.labels[row] as usize] = true;
            }
            let lacks = |seen: &[bool]| seen.iter().position(|seen| !seen).map(|at| classes[at]);
            let of = (number + 1, self.plan.folds);
            if let Some(class) = lacks(&fitted) {
                return Err(LinearError::FoldClass { fold: of.0, folds: of.1, does: "is fitted on", class });
            }
            if let (Measure::Auc, Some(class)) = (self.plan.measure, lacks(&tested)) {
                return Err(LinearError::FoldClass { fold: of.0, folds: of.1, does: "holds out", class });
            }
        }
        Ok(())
    }

    /// Makes fold `number` (from 0), with columns scaled by its training rows.
    ///
    /// # Errors
    /// If these rows cannot be prepared.
    pub fn fold(&self, number: usize) -> Result<Fold, LinearError> {
        let is_kept = |row: &usize| self.held_out[number].binary_search(row).is_err();
        let kept: Vec<usize> = (0..self.y.len()).filter(is_kept).collect();
        let y: Vec<f64> = kept.iter().map(|&row| self.y[row]).collect();
        let weights = self.plan.weights.as_ref().map(|of| kept.iter().map(|&row| of[row]).collect());
        Ok(Fold { number, problem: self.plan.problem(&self.select(&kept, number), &y, weights)? })
    }

    /// Selects rows, and fills their missing values with the means of a fold's training rows.
    fn select(&self, rows: &[usize], fold: usize) -> Matrix {
        if self.plan.filled.is_empty() {
            return self.x.select_rows(rows);
        }
        let (mut x, all) = (self.x.clone(), (0..self.y.len()).collect::<Vec<_>>());
        x.fill_again(&self.plan.filled, &all, |row| self.held_out[fold].binary_search(&row).is_err());
        x.select_rows(rows)
    }

    /// Returns the parameters for fitting a fold at the value of C with index `point`, starting from the fit
    /// before it, if there is one.
    pub fn linear(&self, point: usize, before: Option<&Fit>) -> Linear {
        let linear = self.plan.linear.clone().without_start().c(self.plan.costs[point]);
        match before {
            Some(fit) => linear.start_from_dual(fit.scorers.iter().map(|of| of.dual.clone()).collect()),
            None => linear,
        }
    }

    /// Returns the engine that fits a fold with these parameters.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn engine(&self, fold: &Fold, linear: &Linear) -> Result<Engine<LinearProgram>, LinearError> {
        linear.engine(&fold.problem)
    }

    /// Makes the fit from the outcome of such a run.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn finish(
        &self,
        fold: &Fold,
        linear: &Linear,
        outcome: Outcome<LinearProgram>,
    ) -> Result<Fit, LinearError> {
        linear.finish(&fold.problem, outcome)
    }

    /// Measures the fits of a fold, one for each C, on its held-out rows.
    pub fn score(&self, fold: &Fold, fits: &[Fit]) -> FoldScores {
        let held_out = &self.held_out[fold.number];
        let x = self.select(held_out, fold.number);
        let labels: Vec<u32> = held_out.iter().map(|&row| self.labels[row]).collect();
        let weights: Vec<f64> = held_out.iter().map(|&row| self.weight(row)).collect();
        let truth = Truth { labels: &labels, weights: &weights, classes: self.problem.classes().len() };
        FoldScores {
            fold: fold.number,
            rows: weights.iter().sum(),
            values: fits.iter().map(|fit| self.plan.measure.of(truth, &fit.scores(&x))).collect(),
            support: fits.iter().map(|fit| fit.scorers.iter().map(|of| of.support()).sum()).collect(),
            worst_gap: fits.iter().map(Fit::gap).fold(0.0, f64::max),
        }
    }

    /// Adds the measures of a fold; folds may come in any order.
    ///
    /// # Errors
    /// If the measures belong to another cross-validation.
    pub fn add(&mut self, scores: FoldScores) -> Result<(), LinearError> {
        let points = self.plan.costs.len();
        let fits =
            scores.fold < self.plan.folds && scores.values.len() == points && scores.support.len() == points;
        if !fits {
            let why = "these measures are of another cross-validation".into();
            return Err(LinearError::Parameter { name: "folds", why });
        }
        let place = scores.fold;
        self.scores[place] = Some(scores);
        Ok(())
    }

    /// Returns the largest relative duality gap of the folds measured so far.
    pub fn worst_gap(&self) -> f64 {
        self.scores.iter().flatten().map(|scores| scores.worst_gap).fold(0.0, f64::max)
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
        Ok(Curve::new(self.plan.measure, &self.plan.costs, &scores))
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
    if plan.measure == Measure::LogLoss && plan.linear.which_loss() != Loss::Logistic {
        return refuse(
            "measure",
            "log-loss needs probabilities: choose the logistic loss, or another measure".into(),
        );
    }
    let Some(groups) = &plan.groups else { return Ok(()) };
    if groups.len() != rows {
        return Err(LinearError::Lengths { what: "groups", rows, values: groups.len() });
    }
    let mut values = groups.clone();
    values.sort_unstable();
    values.dedup();
    if values.len() < folds {
        let count = values.len();
        let why =
            format!("a column with {count} different values for {folds} folds: each needs one of its own");
        return refuse("groups", why);
    }
    Ok(())
}
