//! [`BySums`]: the parameters of a fit by exact sums.

use std::ops::Range;

use raddle::exact::{ExactSums, Grid, power_above, recut};
use raddle::prelude::*;
use raddle::{Lazy, LazyParts, Outcome};

use super::judged::Standing;
use super::point::{Bounds, Point};
use super::program::SumsProgram;
use super::shard::SumShard;
use crate::data::problem::Problem;
use crate::data::rows::Rows;
use crate::error::LinearError;
use crate::loss::Loss;
use crate::model::{Fit, StandardErrors};
use crate::params::Linear;

/// Limit on the number of columns.
pub(crate) const MOST_COLUMNS: usize = 2000;
/// Fraction of the values below which rows are sparse if they have more than `FEW_COLUMNS` columns.
const DENSE: f64 = 0.02;
const FEW_COLUMNS: usize = 100;
/// Approximate default number of shards, and of the words that all their sums may take.
const SHARDS: usize = 64;
const WORDS: usize = 1 << 25;

/// The parameters of a linear classifier of two classes that is fitted by exact sums over rows: model, gap
/// and standard errors have the same bytes for any order of the rows, and any cut into shards.
///
/// ```
/// use raddle_linear::{BySums, Linear, Loss, Problem};
///
/// let data = raddle_datasets::embedded::diabetes();
/// let y: Vec<f64> = data.y.iter().map(|y| f64::from(u8::from(*y > 152.0))).collect();
/// let problem = Problem::new(&data.x, &y, 1.0)?;
/// let sums = BySums::new(Linear::params().loss(Loss::Logistic).tolerance(1e-9));
/// let fit = sums.clone().shards(1).fit(&problem)?;
/// assert_eq!(fit.digest(), sums.shards(16).fit(&problem)?.digest());
/// assert!(fit.errors.is_some_and(|errors| errors.columns.len() == 10));
/// # Ok::<(), raddle_linear::LinearError>(())
/// ```
#[derive(Debug, Clone)]
pub struct BySums {
    linear: Linear,
    shards: Option<usize>,
    ends: Option<Vec<f64>>,
    bounds: Option<Vec<f64>>,
}

impl BySums {
    /// Makes parameters with up to 64 equal shards, and bounds that follow from the data.
    pub fn new(linear: Linear) -> Self {
        Self { linear, shards: None, ends: None, bounds: None }
    }

    /// Sets the number of shards, which are equal.
    pub fn shards(self, shards: usize) -> Self {
        Self { shards: Some(shards), ends: None, ..self }
    }

    /// Cuts the rows at these shares of all, which rise up to 1.
    pub fn cut_at(self, ends: Vec<f64>) -> Self {
        Self { ends: Some(ends), ..self }
    }

    /// Declares a bound for the values of each column, in place of those that follow from the data. Columns
    /// are scaled by the power of two above it: other rows with the same bounds are added up on the same
    /// grid.
    pub fn bounds(self, bounds: Vec<f64>) -> Self {
        Self { bounds: Some(bounds), ..self }
    }

    /// Checks what can be checked without data.
    ///
    /// # Errors
    /// If the loss has no second derivatives, or several classes.
    pub fn check(&self) -> Result<(), LinearError> {
        check_loss(self.linear.loss)
    }

    /// Refuses problems that are not for sums.
    fn check_problem(&self, problem: &Problem) -> Result<(), LinearError> {
        self.check()?;
        let columns = problem.columns();
        if problem.machines() > 1 {
            let classes = problem.classes().len();
            return refuse("by", format!("the response has {classes} classes, and sums need two"));
        }
        if columns > MOST_COLUMNS {
            let why = format!(
                "the data have {columns} columns, and sums at most {MOST_COLUMNS}, as they have a number for \
                 each pair of columns: leave the option out, or cut rows with --parts"
            );
            return refuse("by", why);
        }
        let rows = problem.distinct();
        let stored: usize = (0..rows).map(|row| problem.rows.length(row)).sum();
        let share = stored as f64 / (rows * problem.rows.width()) as f64;
        if columns > FEW_COLUMNS && share < DENSE {
            let why = format!(
                "{:.1} % of the values are not 0, and sums are for dense rows: leave the option out, or cut \
                 rows with --parts",
                100.0 * share
            );
            return refuse("by", why);
        }
        if problem.bias.is_free() {
            let why = "it is free, and dual values that follow from sums do not add up to 0: give a number, \
                       such as 100, which is hardly penalised";
            return refuse("bias", why);
        }
        if problem.rows.is_scaled() {
            let why = "standard deviations depend on the order of the rows by rounding: divide the columns \
                       before, or leave it out";
            return refuse("scale", why);
        }
        Ok(())
    }

    /// Returns C and the factors of the classes, from weights that are added exactly.
    fn factors(&self, problem: &Problem) -> Result<(f64, Vec<f64>), LinearError> {
        let sums = match problem.own_weights() {
            // Sums of ones are exact.
            None => problem.class_weights(),
            Some(weights) => {
                let most = weights.iter().copied().fold(0.0, f64::max);
                let grid = Grid::new(most, weights.len() as u64).ok_or_else(too_large)?;
                let count = problem.classes().len();
                let mut sums = ExactSums::wide(grid, count);
                for (weight, &place) in weights.iter().zip(problem.rows.places().of_rows()) {
                    let mut of_classes = vec![0.0; count];
                    of_classes[problem.class(place as usize)] = *weight;
                    sums.add(&of_classes).map_err(|_| too_large())?;
                }
                let words = sums.words();
                (0..count).map(|class| grid.wide_value(words[class], words[count + class])).collect()
            }
        };
        self.linear.factors_by(problem, sums)
    }

    /// Returns the power of two above the values of each column, and that of the bias.
    fn scales(&self, problem: &Problem) -> Result<Vec<f64>, LinearError> {
        let columns = problem.columns();
        let mut bounds = vec![0.0_f64; problem.rows.width()];
        if let Some(declared) = &self.bounds {
            if declared.len() != columns {
                let values = declared.len();
                return refuse(
                    "bounds",
                    format!("there are {values} for {columns} columns: give one for each"),
                );
            }
            if let Some(bad) = declared.iter().find(|bound| !(1e-100..=1e100).contains(*bound)) {
                return refuse("bounds", format!("one is {bad}: each must be a number from 1e-100 to 1e100"));
            }
            bounds[..columns].copy_from_slice(declared);
        }
        // The column of the bias has no declared bound.
        let declared = if self.bounds.is_some() { columns } else { 0 };
        let mut beyond = None;
        problem.rows.each(|first, rows| {
            for place in 0..rows.count() {
                let (columns, values) = rows.row(place);
                for (&column, &value) in columns.iter().zip(values) {
                    let bound = &mut bounds[column as usize];
                    if column as usize >= declared {
                        *bound = bound.max(value.abs());
                    } else if value.abs() > *bound {
                        beyond.get_or_insert((first + place, column, value, *bound));
                    }
                }
            }
        })?;
        match beyond {
            Some((place, column, value, bound)) => {
                let rows = problem.rows.places().of_rows();
                let row = rows.iter().position(|&of| of as usize == place).unwrap_or(place);
                Err(LinearError::Beyond { row: row + 1, column: column as usize + 1, value, bound })
            }
            None => Ok(bounds.into_iter().map(power_above).collect()),
        }
    }

    /// Returns the bounds of rows whose losses have these weights.
    fn bounds_of(&self, problem: &Problem, costs: &[f64]) -> Result<Bounds, LinearError> {
        let most = costs.iter().copied().fold(0.0, f64::max);
        let (rows, loss) = (problem.rows() as u64, self.linear.loss);
        Ok(Bounds { scales: self.scales(problem)?, most, rows, loss, factors: [1.0; 2] })
    }

    /// Returns the range of places of each shard.
    fn cut(&self, problem: &Problem) -> Vec<Range<usize>> {
        let (rows, width) = (problem.distinct(), problem.rows.width());
        let most = (WORDS / (width * width / 2 + 1)).clamp(1, SHARDS);
        let count = self.shards.unwrap_or(most).clamp(1, rows);
        let equal = || (1..=count).map(|end| end as f64 / count as f64).collect();
        let mut ends: Vec<f64> = self.ends.clone().unwrap_or_else(equal);
        ends.pop();
        ends.push(1.0);
        let mut start = 0;
        let range = |places: Vec<usize>| {
            start += places.len();
            start - places.len()..start
        };
        recut((0..rows).collect(), &ends).into_iter().map(range).collect()
    }

    /// Returns the engine of a fit.
    ///
    /// # Errors
    /// If a parameter is out of range, the problem is not for sums, or a value is beyond its bound.
    pub fn engine(&self, problem: &Problem) -> Result<Engine<SumsProgram>, LinearError> {
        self.check_problem(problem)?;
        let (_, factors) = self.factors(problem)?;
        let (loss, none) = (self.linear.loss, Rows::default());
        let signs = problem.over(&none, 0, loss, &factors).signs;
        let costs = problem.costs(&factors);
        let bounds = self.bounds_of(problem, &costs)?;
        let width = bounds.scales.len();
        let point = Point::first(width);
        if !bounds.are_usual() {
            return Err(too_large());
        }
        // The rows of the matrix at each place.
        let mut of_places: Vec<Vec<f64>> = vec![Vec::new(); problem.distinct()];
        for (cost, &place) in costs.iter().zip(problem.rows.places().of_rows()) {
            if *cost > 0.0 {
                of_places[place as usize].push(cost * signs[place as usize]);
            }
        }
        let ranges = self.cut(problem);
        let triangle = (width * (width + 1) / 2) as u64;
        let counted = |range: &Range<usize>| range.len() as u64 * (triangle + 4 * width as u64) + 1;
        let costs = ranges.iter().map(counted).collect();
        let schedule = EachShard::new(ranges.len() as u32);
        let (source, count) = (problem.rows.clone(), ranges.len());
        let make = move |number: u32| -> Result<SumShard, LinearError> {
            let range = ranges[number as usize].clone();
            let here = (0..).zip(&of_places[range.clone()]);
            let (at, signed) = here.flat_map(|(at, rows)| rows.iter().map(move |&row| (at, row))).unzip();
            Ok(SumShard { rows: source.slice(range)?, at, signed })
        };
        let program = SumsProgram { bounds, tolerance: self.linear.tolerance };
        let pinned = Standing::at(point.clone());
        let parts =
            LazyParts { shards: Lazy::new(count, make), blocks: Vec::new().into(), pinned, replica: point };
        Ok(Engine::new(program, schedule, parts).costs(costs))
    }

    /// Fits on the current thread.
    ///
    /// # Errors
    /// If a parameter is out of range, or the run fails.
    pub fn fit(&self, problem: &Problem) -> Result<Fit, LinearError> {
        self.fit_with(problem, |engine| engine)
    }

    /// Fits on an engine that `change` may configure, such as its number of workers.
    ///
    /// # Errors
    /// The errors of [`fit`](Self::fit).
    pub fn fit_with(
        &self,
        problem: &Problem,
        change: impl FnOnce(Engine<SumsProgram>) -> Engine<SumsProgram>,
    ) -> Result<Fit, LinearError> {
        let outcome = change(self.engine(problem)?).run()?;
        self.finish(problem, outcome)
    }

    /// Makes the fit from the outcome of [`engine`](Self::engine) on this problem. Objective and gap are
    /// those of the sums; the dual values are -c phi'(m) at the weights.
    ///
    /// # Errors
    /// If a parameter is out of range, or rows cannot be read.
    pub fn finish(&self, problem: &Problem, outcome: Outcome<SumsProgram>) -> Result<Fit, LinearError> {
        let (c, factors) = self.factors(problem)?;
        let (loss, none) = (self.linear.loss, Rows::default());
        let binary = problem.over(&none, 0, loss, &factors);
        let standing = &outcome.parts.pinned;
        let w = standing.weights().to_vec();
        let products = problem.rows.products(&w)?;
        let rows = products.iter().zip(&binary.signs).zip(&binary.costs);
        let dual = rows.map(|((product, sign), cost)| cost * loss.slopes(sign * product).0).collect();
        let judged = standing.judged(&self.bounds_of(problem, &problem.costs(&factors))?, c);
        let run = (outcome.report, outcome.trace);
        let mut fit = Fit::of(problem, (loss, c, &factors), vec![(dual, Some(w))], run)?;
        let Some((found, errors)) = judged else { return Ok(fit) };
        if let Some(scorer) = fit.scorers.first_mut() {
            (scorer.objective, scorer.gap) = (found.primal, found.gap());
        }
        fit.errors = errors.map(|errors| StandardErrors::of(errors, problem.bias.value()));
        Ok(fit)
    }
}

/// Refuses losses that are not for sums.
pub(crate) fn check_loss(loss: Loss) -> Result<(), LinearError> {
    match loss {
        Loss::SquaredHinge | Loss::Logistic => Ok(()),
        Loss::Hinge => {
            refuse("by", "the hinge has no second derivatives to add up: choose squared-hinge, or --parts")
        }
        Loss::Multinomial => {
            refuse("by", "sums are those of two classes, not of the multinomial loss: choose logistic")
        }
    }
}

pub(crate) fn refuse<T>(name: &'static str, why: impl Into<String>) -> Result<T, LinearError> {
    Err(LinearError::Parameter { name, why: why.into() })
}

/// Error of weights that no grid is made for.
pub(crate) fn too_large() -> LinearError {
    let why = "the weights of rows are too large or too small to be added exactly: scale C or the weights";
    LinearError::Parameter { name: "by", why: why.into() }
}
