//! [`Plan`]: the division of a cross-validation's rows into folds, and the models that it fits.

use std::sync::Arc;

use raddle_common::folds::{FoldLabels, assign};
use raddle_datasets::Filled;

use super::criterion::Criterion;
use super::rows::RowTerms;
use super::splits::{FoldRows, Split, folds_of};
use crate::data::problem::Problem;
use crate::error::LassoError;
use crate::params::Lasso;

/// The lambdas of every fold.
#[derive(Debug, Clone)]
pub(crate) enum Grid {
    /// `points` lambdas from lambda_max of all rows to lambda_max over `ratio`, evenly spaced in their
    /// logarithm.
    Even { points: usize, ratio: f64 },
    /// The given lambdas, falling.
    Given(Arc<[f64]>),
}

/// The division of the rows, and the models to fit.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) lasso: Lasso,
    pub(crate) folds: usize,
    pub(crate) grid: Grid,
    pub(crate) seed: u64,
    /// The l1 ratios to choose from; empty for that of the Lasso.
    pub(crate) l1_ratios: Vec<f64>,
    pub(crate) criterion: Criterion,
    /// `true` if folds have equal shares of every class; `None` decides by the loss.
    pub(crate) stratify: Option<bool>,
    /// A number for each row: rows with equal numbers stay together.
    pub(crate) groups: Option<Vec<u32>>,
    /// Training and test rows of each fold, in place of those drawn by folds and seed.
    pub(crate) splits: Option<Vec<Split>>,
    /// Missing values, which each fold fills with the means of its own training rows.
    pub(crate) filled: Vec<Filled>,
    /// Weights and offsets of the rows.
    pub(crate) rows: RowTerms,
}

impl Plan {
    /// Checks that the rows can be cut into this many folds.
    pub(super) fn check_count(&self, rows: usize) -> Result<(), LassoError> {
        match (&self.splits, self.folds) {
            (Some(_), _) => Ok(()),
            (None, folds @ 0..2) => {
                let range = "there must be at least 2";
                Err(LassoError::Parameter { name: "folds", value: folds.to_string(), range })
            }
            (None, folds) if folds > rows => Err(LassoError::FewRows { rows, folds }),
            (None, _) => Ok(()),
        }
    }

    /// Returns the rows of each fold.
    pub(super) fn cut(&mut self, problem: &Problem) -> Result<Vec<FoldRows>, LassoError> {
        self.check_measure()?;
        let folds = match self.splits.take() {
            Some(splits) => {
                for (with, is_there) in
                    [("strata", self.stratify.is_some()), ("groups", self.groups.is_some())]
                {
                    if is_there {
                        return Err(LassoError::NotOffered { what: "splits", with });
                    }
                }
                let folds = folds_of(splits, problem.rows())?;
                if !folds.iter().flat_map(|fold| &fold.test).any(|&row| self.rows.weight(row) > 0.0) {
                    return Err(LassoError::NoWeight);
                }
                folds
            }
            None => self.deal(problem)?.into_iter().map(FoldRows::without).collect(),
        };
        self.folds = folds.len();
        if let Some(classes) = problem.classes().filter(|_| self.criterion == Criterion::Auc) {
            self.check_area(problem, classes, &folds)?;
        }
        if self.lasso.which_loss().scores_each_class() {
            self.check_classes(problem, &folds)?;
        }
        Ok(folds)
    }

    /// Checks that the loss has the measure.
    fn check_measure(&self) -> Result<(), LassoError> {
        let refuse =
            |value: &str, range| Err(LassoError::Parameter { name: "measure", value: value.into(), range });
        let loss = self.lasso.which_loss();
        if self.criterion == Criterion::Auc && loss.scores_each_class() {
            return refuse("auc", "it is of two classes: choose another measure");
        }
        if self.criterion.needs_classes() && !loss.has_classes() {
            let named = Criterion::NAMES.iter().find(|(_, criterion)| *criterion == self.criterion);
            let name = named.map_or("", |(name, _)| name);
            return refuse(name, "it is of classes: choose a loss of classes, or another measure");
        }
        Ok(())
    }

    /// Returns the rows that each of the even folds holds out.
    fn deal(&self, problem: &Problem) -> Result<Vec<Vec<usize>>, LassoError> {
        let refuse = |name, value: String, range| Err(LassoError::Parameter { name, value, range });
        let (rows, loss) = (problem.rows(), self.lasso.which_loss());
        if self.stratify == Some(true) && !loss.has_classes() {
            return refuse("stratify", "on".into(), "only classes can be dealt out evenly: leave it out");
        }
        let strata: Option<Vec<u32>> = match (self.stratify.unwrap_or(loss.has_classes()), problem.classes())
        {
            (true, _) if loss.scores_each_class() => {
                let labels = problem.labels();
                let number = |y: &f64| labels.iter().position(|label| label == y).unwrap_or(0) as u32;
                Some(problem.given.iter().map(number).collect())
            }
            (true, Some([low, _])) => Some(problem.given.iter().map(|y| u32::from(*y != low)).collect()),
            _ => None,
        };
        if let Some(groups) = &self.groups {
            if groups.len() != rows {
                let range = "there must be a value for each row";
                return refuse("fold-by", format!("{} values for {rows} rows", groups.len()), range);
            }
            let mut values = groups.clone();
            values.sort_unstable();
            values.dedup();
            if values.len() < self.folds {
                let value =
                    format!("a column with {} different values for {} folds", values.len(), self.folds);
                return refuse("fold-by", value, "each fold needs a value of its own: choose fewer folds");
            }
        }
        let of = FoldLabels { strata: strata.as_deref(), groups: self.groups.as_deref() };
        Ok(assign(rows, self.folds, self.seed, of))
    }

    /// Checks that every fold tests rows of positive weight of both classes.
    fn check_area(&self, problem: &Problem, classes: [f64; 2], folds: &[FoldRows]) -> Result<(), LassoError> {
        let lacks = |fold: &FoldRows, class: f64| {
            !fold.test.iter().any(|&row| self.rows.weight(row) > 0.0 && problem.given[row] == class)
        };
        for (rows, fold) in folds.iter().zip(1..) {
            if let Some(&class) = classes.iter().find(|class| lacks(rows, **class)) {
                return Err(LassoError::FoldClass { fold, folds: self.folds, class });
            }
        }
        Ok(())
    }

    /// Checks that every fold is fitted on rows of positive weight of every class.
    ///
    /// # Errors
    /// If one is not; the error names the first such class, and the first fold without it.
    fn check_classes(&self, problem: &Problem, folds: &[FoldRows]) -> Result<(), LassoError> {
        let (labels, rows) = (problem.labels(), problem.rows());
        let number = |y: &f64| labels.iter().position(|label| label == y);
        let numbers: Vec<Option<usize>> = problem.given.iter().map(number).collect();
        let lacking = |(fold, of): (usize, &FoldRows)| {
            let mut has = vec![false; labels.len()];
            let counted = of.train(rows).into_iter().filter(|&row| self.rows.weight(row) > 0.0);
            counted.filter_map(|row| numbers[row]).for_each(|class| has[class] = true);
            has.iter().position(|has| !has).map(|class| (class, fold))
        };
        match folds.iter().enumerate().filter_map(lacking).min() {
            Some((class, fold)) => {
                Err(folds[fold].refused((fold, self.folds), LassoError::NoClass { class: labels[class] }))
            }
            None => Ok(()),
        }
    }
}
