//! [`Problem`]: the checked rows of two or more classes.

use std::sync::Arc;

use raddle::random::Stream;
use raddle_datasets::{Matrix, StoredTable, room};

use super::binary::Binary;
use super::rows::Rows;
use super::source::RowSource;
use super::stored::StoredProblem;
use crate::error::LinearError;
use crate::loss::Loss;

/// A response with more values than this is not taken for classes.
const MOST_CLASSES: usize = 1000;

/// A response with more values than this needs two rows per value on average; otherwise it is taken for
/// numbers.
const FEW_CLASSES: usize = 100;

/// Rows of K classes with their weights; clones share the rows.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The rows in a random order, which sweeps follow, as neighbours in a file are often similar.
    pub(crate) rows: RowSource,
    /// Class of each row, by its place.
    labels: Arc<Vec<u32>>,
    weights: Arc<Vec<f64>>,
    classes: Vec<f64>,
    pub(crate) bias: f64,
}

impl Problem {
    /// Prepares the rows of a matrix with their classes, each a value of the response. `bias` is the value of
    /// the constant column; 0 for none.
    ///
    /// # Errors
    /// If lengths differ, a value is not finite, the response has fewer than two values or more than 1000, it
    /// has more than 100 with fewer than two rows each on average, or there is no memory for the scorers
    /// ([`scorer_bytes`](Self::scorer_bytes)).
    pub fn new(x: &Matrix, y: &[f64], bias: f64) -> Result<Self, LinearError> {
        Self::of((x.rows(), x.cols()), y, bias, |places| RowSource::here(x, bias, places))
    }

    /// Prepares the rows of a table in a file, with their classes, each a value of the response. The rows are
    /// copied to another file next to it and read where they are needed: a part reads those of its own
    /// shards; a problem that is solved as one is read where it is solved. Otherwise this is
    /// [`new`](Self::new), and the model is the same, to the bit.
    ///
    /// ```
    /// use raddle_datasets::{Options, StoredTable};
    /// use raddle_linear::{Linear, Problem};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let table = StoredTable::open("diabetes", &Options::default(), folder.path())?;
    /// let y: Vec<f64> = table.described().y.iter().map(|y| f64::from(u8::from(*y > 152.0))).collect();
    /// let fit = Linear::params().fit(&Problem::by_parts(&table, &y, 1.0)?)?;
    /// let whole = raddle_datasets::embedded::diabetes();
    /// assert_eq!(fit.digest(), Linear::params().fit(&Problem::new(&whole.x, &y, 1.0)?)?.digest());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`new`](Self::new), except that the squares of rows are checked when rows are read; and
    /// a table that cannot be read, or rows that cannot be written.
    pub fn by_parts(table: &StoredTable, y: &[f64], bias: f64) -> Result<Self, LinearError> {
        Self::of((table.rows(), table.cols()), y, bias, |places| {
            let rows = table.rows_at_places(&places).map_err(|why| LinearError::Read(why.to_string()))?;
            Ok(RowSource::stored(StoredProblem::new(rows, table.cols(), bias), places))
        })
    }

    fn of(
        (rows, columns): (usize, usize),
        y: &[f64],
        bias: f64,
        source: impl FnOnce(Vec<u32>) -> Result<RowSource, LinearError>,
    ) -> Result<Self, LinearError> {
        if rows != y.len() {
            return Err(LinearError::Lengths { what: "values of the response", rows, values: y.len() });
        }
        if rows == 0 || columns == 0 {
            return Err(LinearError::Empty { rows, columns });
        }
        if !bias.is_finite() {
            return Err(LinearError::Parameter { name: "bias", why: format!("it is {bias}: give a number") });
        }
        if let Some(row) = y.iter().position(|value| !value.is_finite()) {
            return Err(LinearError::NotFinite { row: row + 1, what: "the response" });
        }
        let classes = classes_of(y)?;
        let values = scorer_values(machines_of(&classes), rows, columns);
        room::<f64>(values, &format!("the scorers of {} classes", classes.len()))
            .map_err(LinearError::Memory)?;
        let mut places: Vec<u32> = (0..rows as u32).collect();
        Stream::new(&[rows as u64]).shuffle(&mut places);
        let label = |value: &f64| classes.partition_point(|class| class < value) as u32;
        let labels = placed(&places, y.iter().map(label));
        let (labels, weights) = (Arc::new(labels), Arc::new(vec![1.0; rows]));
        Ok(Self { rows: source(places)?, labels, weights, classes, bias })
    }

    /// Sets the weight of each row.
    ///
    /// # Errors
    /// If there is not one weight per row, one is negative or not finite, or a class has none above 0.
    pub fn weights(mut self, weights: Vec<f64>) -> Result<Self, LinearError> {
        let rows = self.rows();
        if weights.len() != rows {
            return Err(LinearError::Lengths { what: "weights", rows, values: weights.len() });
        }
        let is_usual = |weight: &f64| *weight == 0.0 || (1e-100..1e100).contains(weight);
        if let Some(row) = weights.iter().position(|weight| !is_usual(weight)) {
            return Err(LinearError::Weight { row: row + 1, value: weights[row] });
        }
        self.weights = Arc::new(placed(self.rows.places(), weights));
        let sums = self.class_weights();
        match sums.iter().position(|sum| *sum == 0.0) {
            Some(class) if sums.len() > 2 => Err(LinearError::NoRows { class: self.classes[class] }),
            Some(class) => Err(LinearError::OneClass { class: self.classes[1 - class] }),
            None => Ok(self),
        }
    }

    /// Divides each column by its standard deviation over the unweighted rows, so that the penalty treats all
    /// columns alike. Columns are not centred, so sparse columns stay sparse. Constant columns, and that of
    /// the bias, are not changed. Coefficients are reported for the original columns.
    pub fn scaled(self) -> Self {
        let columns = self.columns();
        Self { rows: self.rows.scaled(columns), ..self }
    }

    /// Returns the ratio of the largest root mean square of a column to the smallest nonzero one, with the
    /// number of the largest column, from 0. `None` if columns are [scaled](Self::scaled), or rows in a file
    /// cannot be read.
    pub fn spread(&self) -> Option<(f64, u32)> {
        if self.rows.is_scaled() {
            return None;
        }
        let mut largest = vec![0.0_f64; self.rows.width()];
        // Sums of squares relative to the largest value, as the squares themselves may overflow.
        self.rows.each(|_, rows| rows.largest(&mut largest)).ok()?;
        let mut sums = vec![0.0; largest.len()];
        self.rows.each(|_, rows| rows.add_squares(&largest, &mut sums)).ok()?;
        let sizes = largest.iter().zip(&sums).map(|(most, sum)| most * sum.sqrt()).take(self.columns());
        let sizes: Vec<f64> = sizes.collect();
        let smallest = sizes.iter().copied().filter(|size| *size > 0.0).fold(f64::INFINITY, f64::min);
        let (at, most) = sizes.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
        (most > 0.0).then_some((most / smallest, at as u32))
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.labels.len()
    }

    /// Returns how many rows in a file were read so far; for rows in memory, all.
    pub fn rows_read(&self) -> u64 {
        self.rows.read_so_far()
    }

    /// Returns the number of columns of the matrix.
    pub fn columns(&self) -> usize {
        self.rows.width() - usize::from(self.bias != 0.0)
    }

    /// Returns the values of the response, ascending.
    pub fn classes(&self) -> &[f64] {
        &self.classes
    }

    /// Returns the number of binary problems: one for two classes, else one for each class against the rest.
    pub fn machines(&self) -> usize {
        machines_of(&self.classes)
    }

    /// Returns the most bytes that the scorers take besides the rows: for each, dual values of its best point
    /// and its last steps, and weights of the columns.
    pub fn scorer_bytes(&self) -> usize {
        size_of::<f64>() * scorer_values(self.machines(), self.rows(), self.columns())
    }

    /// Returns values of the rows in the order of the matrix.
    pub(crate) fn in_order(&self, values: &[f64]) -> Vec<f64> {
        self.rows.places().iter().map(|&place| values[place as usize]).collect()
    }

    /// Returns values of the rows by their places.
    pub(crate) fn placed(&self, values: &[f64]) -> Vec<f64> {
        placed(self.rows.places(), values.iter().copied())
    }

    /// Returns the class of the row at this place.
    pub(crate) fn class(&self, row: usize) -> usize {
        self.labels[row] as usize
    }

    /// Returns the sum of the weights of each class.
    pub(crate) fn class_weights(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.classes.len()];
        for (label, weight) in self.labels.iter().zip(self.weights.iter()) {
            sums[*label as usize] += weight;
        }
        sums
    }

    /// Returns a binary problem, of a class against the rest; for two classes that of the larger. `factors`
    /// has the factor of each class.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub(crate) fn binary(
        &self,
        machine: usize,
        loss: Loss,
        factors: &[f64],
    ) -> Result<Binary<'_>, LinearError> {
        Ok(self.over(self.rows.whole()?, machine, loss, factors))
    }

    /// Returns a binary problem of these rows.
    pub(crate) fn over<'a>(&self, rows: &'a Rows, machine: usize, loss: Loss, factors: &[f64]) -> Binary<'a> {
        let class = if self.classes.len() == 2 { 1 } else { machine as u32 };
        let sign = |label: &u32| if *label == class { 1.0 } else { -1.0 };
        let cost = |(label, weight): (&u32, &f64)| weight * factors[*label as usize];
        Binary {
            rows,
            signs: self.labels.iter().map(sign).collect(),
            costs: self.labels.iter().zip(self.weights.iter()).map(cost).collect(),
            loss,
        }
    }
}

/// Sorts values by the places of their rows.
fn placed<T: Copy + Default>(places: &[u32], values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut by_place = vec![T::default(); places.len()];
    places.iter().zip(values).for_each(|(&place, value)| by_place[place as usize] = value);
    by_place
}

/// Returns the number of binary problems of these classes.
fn machines_of(classes: &[f64]) -> usize {
    if classes.len() == 2 { 1 } else { classes.len() }
}

/// Returns the most values that scorers hold.
fn scorer_values(machines: usize, rows: usize, columns: usize) -> usize {
    machines.saturating_mul(rows.saturating_mul(4).saturating_add(columns.saturating_mul(4)))
}

/// Returns the values of a response, ascending.
fn classes_of(y: &[f64]) -> Result<Vec<f64>, LinearError> {
    let mut values: Vec<f64> = y.iter().map(|value| value + 0.0).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    match values.len() {
        1 => Err(LinearError::OneClass { class: values[0] }),
        2 => Ok(values),
        count if count == y.len() || count > MOST_CLASSES || (count > FEW_CLASSES && 2 * count > y.len()) => {
            Err(LinearError::NoClasses { values: count, rows: y.len() })
        }
        _ => Ok(values),
    }
}
