//! [`CrossValidation`]: its parameters, and the division of its rows into folds.

use std::sync::Arc;

use raddle_datasets::Filled;
use raddle_tabular::folds::{FoldLabels, FoldRows, RowValues, Rule, absent, assign, distinct};

use super::criterion::Criterion;
use super::splits::{Split, folds_of, refused};
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

raddle_common::params! {
    /// A Lasso whose lambda is chosen by K-fold cross-validation: its parameters, unchecked until they are
    /// used.
    ///
    /// The rows are shuffled by the seed and cut into K even folds. For each fold, a path of lambdas is
    /// fitted on the other rows, centred and scaled by these rows only, and every point of the path is
    /// certified; its error is measured on the fold. The lambdas are the same everywhere, from lambda_max of
    /// all rows down, as in glmnet. The mean over all rows and its standard error make a
    /// [`Curve`](super::curve::Curve); at the lambda that the rule chooses, all rows are fitted once more.
    /// (Hastie, Tibshirani and Friedman, "The Elements of Statistical Learning", 2nd edition, 7.10.)
    ///
    /// | name | default | range | what it does |
    /// |---|---|---|---|
    /// | `folds` | 5 | 2 to n | K |
    /// | `path` | 100 points, ratio 100 | >= 1, >= 1 | lambdas with even logarithms, from lambda_max |
    /// | `lambdas` | those of `path` | > 0 | the lambdas themselves |
    /// | `seed` | 42 | | seed of the shuffling of the rows |
    /// | `rule` | `Min` | | which lambda of the curve is chosen |
    /// | `l1_ratios` | that of the Lasso | as `l1_ratio` | a path for each; the best mean is chosen |
    /// | `criterion` | `Deviance` | | measure of held-out rows |
    /// | `stratify` | for classes | for classes alone | every fold gets its share of every class |
    /// | `groups` | none | a number for each row | rows with equal numbers are held out together |
    /// | `splits` | none | no `stratify`, no `groups` | training and test rows of each fold |
    ///
    /// If no column varies with the response, the path starts at the largest lambda_max of the folds, or at
    /// 1e-15 if that is 0, too, and the coefficients are zeros. A point of a fold's path counts even if it
    /// does not reach the tolerance, because it makes no more progress or because
    /// [`whole_path`](Lasso::whole_path) moves on: [`worst_gap`](super::CrossValidated::worst_gap) has the
    /// largest gap.
    ///
    /// All other parameters are taken from the [`Lasso`]; its lambda is replaced, and its coefficients to
    /// start from are used for the last fit only. Folds are fitted side by side on the workers; the result is
    /// the same, bit for bit, for any number of them. X is held at most twice, and once more for each worker,
    /// in addition to what a fit takes besides the data.
    ///
    /// ```
    /// use raddle_lasso::{Lasso, Preparation, Rule};
    ///
    /// let data = raddle_datasets::embedded::diabetes();
    /// let cv = Lasso::params().cv().folds(10).rule(Rule::OneSe);
    /// let chosen = cv.fit(data.x, data.y, Preparation::default())?;
    /// let (min, simple) = (chosen.curve.choose(Rule::Min), chosen.curve.choose(Rule::OneSe));
    /// assert!(simple.lambda > min.lambda && simple.mean <= min.mean + min.se);
    /// assert!(chosen.fit.report.metric.is_reached() && chosen.worst_gap <= 1e-6);
    /// # Ok::<(), raddle_lasso::LassoError>(())
    /// ```
    pub struct CrossValidation {
        /// Sets K.
        folds(folds: usize) = 5;
        /// Sets the seed of the assignment of rows to folds.
        seed(seed: u64) = 42;
        /// Sets the values of the data that were missing and filled with means: each fold fills them with the
        /// means of its training rows.
        filled(filled: Vec<Filled>) = Vec::new();
        /// Sets the l1 ratios to choose from; by default the l1 ratio of the Lasso.
        l1_ratios(l1_ratios: Vec<f64>) = Vec::new();
        /// Sets the measure of held-out rows.
        criterion(criterion: Criterion) = Criterion::default();
        /// Sets whether every fold gets its share of every class.
        stratify(stratify: bool);
        /// Keeps rows together: `groups` has a number for each row, and rows with equal numbers are in one
        /// fold.
        groups(groups: Vec<u32>);
        /// Sets training and test rows of each fold, which need not be complements. `folds` and `seed` are
        /// then not used, and `stratify` and `groups` are refused. [`Curve`](super::curve::Curve) says how
        /// the folds are averaged.
        ///
        /// ```
        /// use raddle_lasso::{Lasso, Preparation, Split};
        /// let data = raddle_datasets::embedded::diabetes();
        /// // Each time the next hundred rows, by all before them.
        /// let split = |at: usize| Split { train: (0..at).collect(), test: (at..at + 100).collect() };
        /// let cv = Lasso::params().cv().splits([142, 242, 342].map(split).to_vec());
        /// assert_eq!(cv.fit(data.x, data.y, Preparation::default())?.folds.len(), 3);
        /// # Ok::<(), raddle_lasso::LassoError>(())
        /// ```
        splits(splits: Vec<Split>);
        /// Sets the rule by which lambda is chosen.
        rule(rule: Rule) = Rule::Min;
    }
    lasso: Lasso = Lasso::params();
    grid: Grid = Grid::Even { points: 100, ratio: 100.0 };
    /// Weights and offsets of the rows.
    rows: RowValues = RowValues::default();
}

impl CrossValidation {
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
        if self.lasso.loss.scores_each_class() {
            self.check_classes(problem, &folds)?;
        }
        Ok(folds)
    }

    /// Checks that the loss has the measure.
    fn check_measure(&self) -> Result<(), LassoError> {
        let refuse =
            |value: &str, range| Err(LassoError::Parameter { name: "measure", value: value.into(), range });
        let loss = self.lasso.loss;
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
        let (rows, loss) = (problem.rows(), self.lasso.loss);
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
            let values = distinct(groups);
            if values < self.folds {
                let value = format!("a column with {values} different values for {} folds", self.folds);
                return refuse("fold-by", value, "each fold needs a value of its own: choose fewer folds");
            }
        }
        let of = FoldLabels { strata: strata.as_deref(), groups: self.groups.as_deref() };
        Ok(assign(rows, self.folds, self.seed, of))
    }

    /// Checks that every fold tests rows of positive weight of both classes.
    fn check_area(&self, problem: &Problem, classes: [f64; 2], folds: &[FoldRows]) -> Result<(), LassoError> {
        let lacking = |(rows, fold): (&FoldRows, usize)| {
            let class = absent(rows.test.iter().copied(), 2, self.class_of(problem, &classes))?;
            Some(LassoError::FoldClass { fold, folds: self.folds, class: classes[class] })
        };
        folds.iter().zip(1..).find_map(lacking).map_or(Ok(()), Err)
    }

    /// Checks that every fold is fitted on rows of positive weight of every class.
    ///
    /// # Errors
    /// If one is not; the error names the first such class, and the first fold without it.
    fn check_classes(&self, problem: &Problem, folds: &[FoldRows]) -> Result<(), LassoError> {
        let (labels, rows) = (problem.labels(), problem.rows());
        let lacking = |(fold, of): (usize, &FoldRows)| {
            absent(of.training(rows), labels.len(), self.class_of(problem, &labels))
                .map(|class| (class, fold))
        };
        folds.iter().enumerate().filter_map(lacking).min().map_or(Ok(()), |(class, fold)| {
            Err(refused(&folds[fold], fold, self.folds, LassoError::NoClass { class: labels[class] }))
        })
    }

    /// Returns the function that numbers the class of a row with a positive weight.
    fn class_of<'a>(
        &'a self,
        problem: &'a Problem,
        labels: &'a [f64],
    ) -> impl Fn(usize) -> Option<usize> + 'a {
        let number = |row: usize| labels.iter().position(|label| *label == problem.given[row]);
        move |row| (self.rows.weight(row) > 0.0).then(|| number(row)).flatten()
    }
}
