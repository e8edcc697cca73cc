//! [`Parties`]: the parameters of a fit over parties.

use std::collections::BTreeMap;
use std::convert::Infallible;

use raddle::exact::power_above;
use raddle::schedule::EachShard;
use raddle::{Engine, Lazy, LazyParts, Outcome, PinnedShard};
use raddle_datasets::Matrix;

use super::program::{Known, PartiesProgram, Summed};
use super::rows::PartyRows;
use crate::data::bias::Bias;
use crate::error::LinearError;
use crate::model::{Fit, Scorer, StandardErrors};
use crate::params::Linear;
use crate::sums::{MOST_COLUMNS, SumShard, check_loss, refuse};

/// Default of the fewest rows for each column.
const ROWS_PER_COLUMN: u64 = 10;

/// The parameters of a linear classifier of two classes over parties, whose rows stay with them. Model, gap
/// and standard errors have the bytes of [`BySums`](crate::BySums) on the rows of all parties, with the
/// same bounds.
///
/// ```
/// use raddle_linear::{Linear, Loss, Parties};
///
/// let data = raddle_datasets::embedded::diabetes();
/// let is_second = data.y.iter().map(|y| *y > 152.0).collect();
/// let parties = Parties::new(Linear::params().loss(Loss::Logistic), 1, vec![[-512.0, 512.0]; 10]);
/// let rows = parties.rows(&data.x, is_second)?;
/// let outcome = parties.engine(vec![(0, rows.clone())])?.run()?;
/// let (fit, counted) = parties.finish(&rows, outcome)?;
/// assert_eq!(counted.rows.iter().sum::<u64>(), 442);
/// assert!(fit.gap() <= 1e-4 && fit.errors.is_some());
/// # Ok::<(), raddle_linear::LinearError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Parties {
    linear: Linear,
    parties: usize,
    bounds: Vec<[f64; 2]>,
    bias: f64,
    shards: usize,
    least_rows: Option<u64>,
}

/// Sums of the first round over the rows of all parties, and the number of all sums.
#[derive(Debug, Clone, PartialEq)]
pub struct Counted {
    /// Number of rows of each class.
    pub rows: Vec<u64>,
    /// Mean of each column.
    pub means: Vec<f64>,
    /// Number of sums of each round, which each party hands out.
    pub sums: Vec<u64>,
}

impl Parties {
    /// Makes parameters for so many parties, whose columns have these least and greatest values; with a bias
    /// of 1, and 4 shards a party.
    pub fn new(linear: Linear, parties: usize, bounds: Vec<[f64; 2]>) -> Self {
        Self { linear, parties, bounds, bias: 1.0, shards: 4, least_rows: None }
    }

    /// Sets the value of the constant column; 0 leaves it out.
    pub fn bias(self, bias: f64) -> Self {
        Self { bias, ..self }
    }

    /// Sets the number of shards of each party, which is the most of its workers.
    pub fn shards(self, shards: usize) -> Self {
        Self { shards: shards.max(1), ..self }
    }

    /// Sets the fewest rows of all parties together that are fitted. The default is 10 for each column: sums
    /// of fewer rows tell more on them.
    pub fn least_rows(self, rows: u64) -> Self {
        Self { least_rows: Some(rows), ..self }
    }

    /// Checks what can be checked without rows.
    ///
    /// # Errors
    /// If the loss or a bound is not for sums, or there are too many columns.
    pub fn check(&self) -> Result<(), LinearError> {
        check_loss(self.linear.loss)?;
        if self.bounds.len() > MOST_COLUMNS {
            let why = format!(
                "there are {} columns, and sums have a number for each pair of columns: give at most \
                 {MOST_COLUMNS}",
                self.bounds.len()
            );
            return refuse("by", why);
        }
        let is_usual = |bounds: &&[f64; 2]| bounds[0] <= bounds[1] && largest(bounds) <= 1e100;
        if let Some([least, most]) = self.bounds.iter().find(|bounds| !is_usual(bounds)) {
            let why = format!("[{least}, {most}]: give the least value first, and numbers up to 1e100");
            return refuse("bounds", why);
        }
        if self.bounds.is_empty() || !self.bias.is_finite() {
            let (rows, columns) = (1, self.bounds.len());
            return Err(LinearError::Empty { rows, columns });
        }
        Ok(())
    }

    /// Checks the rows of a party, and copies them.
    ///
    /// # Errors
    /// If a value is beyond its bound, or there are no rows.
    pub fn rows(&self, x: &Matrix, is_second: Vec<bool>) -> Result<PartyRows, LinearError> {
        let (rows, columns) = (x.rows(), x.cols());
        if rows != is_second.len() || columns != self.bounds.len() {
            let what = "values of the response, or columns";
            return Err(LinearError::Lengths { what, rows, values: is_second.len() });
        }
        if rows == 0 {
            return Err(LinearError::Empty { rows, columns });
        }
        let rows = PartyRows::of(x, is_second, self.bias);
        for row in 0..rows.count() {
            let (at, values) = rows.rows.row(row);
            let mut dense = vec![0.0; columns];
            at.iter().zip(values).for_each(|(&at, &value)| {
                if let Some(of) = dense.get_mut(at as usize) {
                    *of = value;
                }
            });
            let is_within = |(value, bounds): (&f64, &[f64; 2])| (bounds[0]..=bounds[1]).contains(value);
            if let Some(column) = dense.iter().zip(&self.bounds).position(|pair| !is_within(pair)) {
                let (value, [least, most]) = (dense[column], self.bounds[column]);
                if value.is_nan() {
                    return Err(LinearError::NotFinite { row: row + 1, what: "a value" });
                }
                let bound = if value < least { least } else { most };
                return Err(LinearError::Beyond { row: row + 1, column: column + 1, value, bound });
            }
        }
        Ok(rows)
    }

    fn program(&self) -> PartiesProgram {
        let own = (self.bias != 0.0).then_some(self.bias.abs());
        let scales = self.bounds.iter().map(largest).chain(own).map(power_above).collect();
        let least_rows = self.least_rows.unwrap_or(ROWS_PER_COLUMN * self.bounds.len() as u64);
        PartiesProgram { linear: self.linear.clone(), scales, least_rows }
    }

    /// Returns the engine of a fit, in a process that has the rows of these parties, by their numbers from 0.
    /// Other parties have none here.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn engine(&self, here: Vec<(usize, PartyRows)>) -> Result<Engine<PartiesProgram>, LinearError> {
        self.check()?;
        let (here, each): (BTreeMap<usize, PartyRows>, _) = (here.into_iter().collect(), self.shards);
        let count = self.parties * each;
        let make = move |number: u32| -> Result<_, Infallible> {
            let (party, number) = (number as usize / each, number as usize % each);
            let shard = here.get(&party).map_or_else(SumShard::default, |rows| rows.shard(number, each));
            Ok(PinnedShard(shard))
        };
        let shards = Lazy::new(count, make);
        let (pinned, replica) = (Summed::default(), Known::default());
        let parts = LazyParts { shards, blocks: Vec::new().into(), pinned, replica };
        Ok(Engine::new(self.program(), EachShard::new(count as u32), parts))
    }

    /// Makes the fit of a party from the outcome of [`engine`](Self::engine): the model is that of all
    /// parties, the dual values and the training error are those of its own rows. Also returns the sums of
    /// the first round.
    ///
    /// # Errors
    /// If all rows are of one class, or there are too few.
    pub fn finish(
        &self,
        rows: &PartyRows,
        outcome: Outcome<PartiesProgram>,
    ) -> Result<(Fit, Counted), LinearError> {
        let Summed { rows: counts, mut means, standing, sums } = outcome.parts.pinned;
        let (c, bounds) = self.program().bounds(&counts)?;
        let (w, loss) = (standing.weights(), self.linear.loss);
        let (mut dual, mut costs, mut wrong) = (Vec::new(), Vec::new(), 0);
        for (row, &is_second) in rows.is_second.iter().enumerate() {
            let (score, cost) = (rows.rows.dot(row, w), bounds.factors[usize::from(is_second)]);
            let sign = if is_second { 1.0 } else { -1.0 };
            dual.push(cost * loss.slopes(sign * score).0);
            costs.push(cost);
            wrong += usize::from((score > 0.0) != is_second);
        }
        let columns = self.bounds.len();
        let nonzero = w.iter().take(columns).enumerate().filter(|(_, value)| **value != 0.0);
        let (found, errors) = standing.judged(&bounds, c).unwrap_or_default();
        let scorer = Scorer {
            coefficients: nonzero.map(|(at, value)| (at as u32, *value)).collect(),
            intercept: w.get(columns).map_or(0.0, |weight| weight * self.bias),
            dual,
            objective: found.primal,
            gap: found.gap(),
        };
        let fit = Fit {
            scorers: vec![scorer],
            bias: Bias::Penalized(self.bias),
            c,
            loss,
            classes: vec![0.0, 1.0],
            costs,
            distinct: rows.count(),
            scales: None,
            training_error: wrong as f64 / rows.count() as f64,
            errors: errors.map(|errors| StandardErrors::of(errors, self.bias)),
            report: outcome.report,
            trace: outcome.trace,
            columns,
        };
        means.truncate(columns);
        Ok((fit, Counted { rows: counts, means, sums }))
    }
}

/// Returns the largest absolute value within bounds.
fn largest([least, most]: &[f64; 2]) -> f64 {
    least.abs().max(most.abs())
}
