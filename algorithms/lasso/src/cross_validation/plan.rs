//! [`Plan`]: how the rows of a cross-validation are cut, and what is fitted on them.

use raddle_datasets::Filled;

use super::assignment::{FoldLabels, assign};
use super::criterion::Criterion;
use super::rows::RowTerms;
use crate::data::problem::Problem;
use crate::error::LassoError;
use crate::params::Lasso;

/// How the rows are cut and what is fitted on them.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) lasso: Lasso,
    pub(crate) folds: usize,
    pub(crate) points: usize,
    pub(crate) ratio: f64,
    pub(crate) seed: u64,
    /// The l1 ratios to choose from; none for that of the Lasso.
    pub(crate) l1_ratios: Vec<f64>,
    pub(crate) criterion: Criterion,
    /// Folds have even parts of every class; by the loss unless it is given.
    pub(crate) stratify: Option<bool>,
    /// A number for each row: those of one stay together.
    pub(crate) groups: Option<Vec<u32>>,
    /// Missing values, which each fold fills with the means of its own training rows.
    pub(crate) filled: Vec<Filled>,
    /// Weights and offsets of the rows.
    pub(crate) rows: RowTerms,
}

impl Plan {
    /// The rows that each fold holds out.
    pub(super) fn cut(&self, problem: &Problem) -> Result<Vec<Vec<usize>>, LassoError> {
        let refuse = |name, value: String, range| Err(LassoError::Parameter { name, value, range });
        let has_classes = self.lasso.which_loss().has_classes();
        if self.criterion == Criterion::Auc && self.lasso.which_loss().scores_each_class() {
            return refuse("measure", "auc".into(), "it is of two classes: choose another measure");
        }
        if self.criterion.needs_classes() && !has_classes {
            let named = Criterion::NAMES.iter().find(|(_, criterion)| *criterion == self.criterion);
            let name = named.map_or("", |(name, _)| name).to_owned();
            return refuse("measure", name, "it is of classes: choose a loss of classes, or another measure");
        }
        if self.stratify == Some(true) && !has_classes {
            return refuse("stratify", "on".into(), "only classes can be dealt out evenly: leave it out");
        }
        let (rows, classes) = (problem.rows(), problem.classes());
        let strata: Option<Vec<u32>> = match (self.stratify.unwrap_or(has_classes), classes) {
            (true, _) if self.lasso.which_loss().scores_each_class() => {
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
        let held_out = assign(rows, self.folds, self.seed, of);
        if let Some([low, high]) = classes.filter(|_| self.criterion == Criterion::Auc) {
            let counts = |row: usize| self.rows.weight(row) > 0.0;
            let lacks = |rows: &Vec<usize>, class: f64| {
                !rows.iter().any(|&row| counts(row) && problem.given[row] == class)
            };
            for (rows, fold) in held_out.iter().zip(1..) {
                if let Some(&class) = [low, high].iter().find(|class| lacks(rows, **class)) {
                    return Err(LassoError::FoldClass { fold, folds: self.folds, class });
                }
            }
        }
        if self.lasso.which_loss().scores_each_class() {
            self.check_classes(problem, &held_out)?;
        }
        Ok(held_out)
    }

    /// Check that every class has rows of positive weight outside of each fold.
    ///
    /// # Errors
    /// If one is in a fold alone.
    fn check_classes(&self, problem: &Problem, held_out: &[Vec<usize>]) -> Result<(), LassoError> {
        for class in problem.labels() {
            let counts = |row: &usize| self.rows.weight(*row) > 0.0 && problem.given[*row] == class;
            let mut with = held_out.iter().zip(1..).filter(|(rows, _)| rows.iter().any(counts));
            if let (Some((_, fold)), None) = (with.next(), with.next()) {
                let why = Box::new(LassoError::NoClass { class });
                return Err(LassoError::InFold { fold, folds: self.folds, why });
            }
        }
        Ok(())
    }
}
