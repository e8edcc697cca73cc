//! [`Problem`]: the checked rows of two or more classes.

use std::sync::Arc;

use raddle_datasets::{Matrix, ReadError, RowDigests, StoredTable, room};

use super::bias::Bias;
use super::binary::Binary;
use super::places::Places;
use super::rows::Rows;
use super::softmax::Softmax;
use super::source::RowSource;
use crate::error::LinearError;
use crate::loss::Loss;

/// A response with more values than this is not taken for classes.
const MOST_CLASSES: usize = 1000;

/// A response with more values than this needs two rows per value on average; otherwise it is taken for
/// numbers.
const FEW_CLASSES: usize = 100;

/// Rows of K classes with their weights; clones share the rows.
///
/// Equal rows of a class are solved as one, whose weight is the sum of theirs: the objective is the same
/// function, and each of them gets its share of the dual value.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The rows by their places, of which equal rows of a class share one.
    pub(crate) rows: RowSource,
    /// Class of the rows at each place.
    labels: Arc<Vec<u32>>,
    /// Weight of each row of the matrix; `None` if all are 1.
    own: Option<Arc<Vec<f64>>>,
    /// Sum of the weights of the rows at each place.
    weights: Arc<Vec<f64>>,
    classes: Vec<f64>,
    pub(crate) bias: Bias,
}

impl Problem {
    /// Prepares the rows of a matrix with their classes, each a value of the response. `bias` is the value of
    /// the constant column, 0 for none; or [`Bias::Free`].
    ///
    /// # Errors
    /// If lengths differ, a value is not finite, the response has fewer than two values or more than 1000, it
    /// has more than 100 with fewer than two rows each on average, or there is no memory for the scorers
    /// ([`scorer_bytes`](Self::scorer_bytes)).
    pub fn new(x: &Matrix, y: &[f64], bias: impl Into<Bias>) -> Result<Self, LinearError> {
        let bias = bias.into();
        let digests = || Ok(RowDigests::of(x));
        Self::of((x.rows(), x.cols()), y, bias, digests, |places| RowSource::here(x, bias.value(), places))
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
    pub fn by_parts(table: &StoredTable, y: &[f64], bias: impl Into<Bias>) -> Result<Self, LinearError> {
        let bias = bias.into();
        let unread = |why: ReadError| LinearError::Read(why.to_string());
        let digests = || RowDigests::of_stored(table).map_err(unread);
        Self::of((table.rows(), table.cols()), y, bias, digests, |places| {
            let rows = table.rows_at_places(places.of_rows()).map_err(unread)?;
            Ok(RowSource::stored(rows, table.cols(), bias.value(), places))
        })
    }

    fn of(
        (rows, columns): (usize, usize),
        y: &[f64],
        bias: Bias,
        digests: impl FnOnce() -> Result<RowDigests, LinearError>,
        source: impl FnOnce(Places) -> Result<RowSource, LinearError>,
    ) -> Result<Self, LinearError> {
        if rows != y.len() {
            return Err(LinearError::Lengths { what: "values of the response", rows, values: y.len() });
        }
        if rows == 0 || columns == 0 {
            return Err(LinearError::Empty { rows, columns });
        }
        if !bias.value().is_finite() {
            let why = format!("it is {}: give a number", bias.value());
            return Err(LinearError::Parameter { name: "bias", why });
        }
        if let Some(row) = y.iter().position(|value| !value.is_finite()) {
            return Err(LinearError::NotFinite { row: row + 1, what: "the response" });
        }
        let classes = classes_of(y)?;
        let values = scorer_values(machines_of(&classes), rows, columns);
        room::<f64>(values, &format!("the scorers of {} classes", classes.len()))
            .map_err(LinearError::Memory)?;
        let label = |value: &f64| classes.partition_point(|class| class < value) as u32;
        let labels: Vec<u32> = y.iter().map(label).collect();
        let places = Places::new(&digests()?, &labels);
        let labels = Arc::new(places.placed(&labels));
        let weights = Arc::new(places.copies().iter().map(|&copies| f64::from(copies)).collect());
        Ok(Self { rows: source(places)?, labels, own: None, weights, classes, bias })
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
        self.weights = Arc::new(self.rows.places().sums(&weights));
        self.own = Some(Arc::new(weights));
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
        Self { rows: self.rows.scaled(), ..self }
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
        let copies = self.rows.places().copies();
        self.rows
            .each(|first, rows| rows.add_squares(&largest, &copies[first..first + rows.count()], &mut sums))
            .ok()?;
        let sizes = largest.iter().zip(&sums).map(|(most, sum)| most * sum.sqrt()).take(self.columns());
        let sizes: Vec<f64> = sizes.collect();
        let smallest = sizes.iter().copied().filter(|size| *size > 0.0).fold(f64::INFINITY, f64::min);
        let (at, most) = sizes.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
        (most > 0.0).then_some((most / smallest, at as u32))
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows.places().of_rows().len()
    }

    /// Returns the number of rows that are solved: equal rows of a class are one.
    pub fn distinct(&self) -> usize {
        self.labels.len()
    }

    /// Returns how many rows in a file were read so far; for rows in memory, all.
    pub fn rows_read(&self) -> u64 {
        self.rows.read_so_far()
    }

    /// Returns the number of columns of the matrix.
    pub fn columns(&self) -> usize {
        self.rows.width() - usize::from(self.bias.value() != 0.0)
    }

    /// Returns the values of the response, ascending.
    pub fn classes(&self) -> &[f64] {
        &self.classes
    }

    /// Returns the number of scorers, each of which has a binary problem but with the multinomial loss: one
    /// for two classes, else one for each class.
    pub fn machines(&self) -> usize {
        machines_of(&self.classes)
    }

    /// Returns the loss that is meant for these classes: of two, the multinomial loss is the logistic one.
    pub(crate) fn meant(&self, loss: Loss) -> Loss {
        if loss == Loss::Multinomial && self.classes.len() == 2 { Loss::Logistic } else { loss }
    }

    /// Returns the most bytes that the scorers take besides the rows: for each, dual values of its best point
    /// and its last steps, and weights of the columns.
    pub fn scorer_bytes(&self) -> usize {
        size_of::<f64>() * scorer_values(self.machines(), self.rows(), self.columns())
    }

    /// Returns the weight of each row's loss, in the order of the matrix, with these factors of the classes.
    pub(crate) fn costs(&self, factors: &[f64]) -> Vec<f64> {
        let weight = |row: usize| self.own.as_ref().map_or(1.0, |own| own[row]);
        let places = self.rows.places().of_rows().iter().enumerate();
        places.map(|(row, &place)| weight(row) * factors[self.class(place as usize)]).collect()
    }

    /// Returns the dual values of the rows, in the order of the matrix, from those of the places: each row
    /// gets a share in proportion to its weight, and at most its upper bound.
    pub(crate) fn shared_out(&self, a: &[f64], (loss, factors): (Loss, &[f64])) -> Vec<f64> {
        let of = |(cost, &place): (f64, &u32)| {
            let (place, class) = (place as usize, self.class(place as usize));
            let whole = self.weights[place] * factors[class];
            if cost == 0.0 { 0.0 } else { (a[place] * (cost / whole)).min(loss.upper(cost)) }
        };
        self.costs(factors).into_iter().zip(self.rows.places().of_rows()).map(of).collect()
    }

    /// Returns the dual values of the places from those of the rows.
    pub(crate) fn added_up(&self, dual: &[f64]) -> Vec<f64> {
        self.rows.places().sums(dual)
    }

    /// Returns the number of rows at each place.
    pub(crate) fn copies(&self) -> &[u32] {
        self.rows.places().copies()
    }

    /// Returns the class of the rows at this place.
    pub(crate) fn class(&self, row: usize) -> usize {
        self.labels[row] as usize
    }

    /// Returns the weight of each row of the matrix; `None` if all are 1.
    pub(crate) fn own_weights(&self) -> Option<&[f64]> {
        self.own.as_ref().map(|own| &own[..])
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

    /// Returns the problem of all classes together, of these rows.
    pub(crate) fn softmax<'a>(&'a self, rows: &'a Rows, factors: &[f64]) -> Softmax<'a> {
        let costs = self.over(rows, 0, Loss::Multinomial, factors).costs;
        let labels = self.labels.iter().map(|label| f64::from(*label)).collect();
        Softmax { rows, labels, costs, classes: self.classes.len(), bias: self.bias }
    }

    /// Returns a binary problem of these rows.
    pub(crate) fn over<'a>(
        &'a self,
        rows: &'a Rows,
        machine: usize,
        loss: Loss,
        factors: &[f64],
    ) -> Binary<'a> {
        let class = if self.classes.len() == 2 { 1 } else { machine as u32 };
        let sign = |label: &u32| if *label == class { 1.0 } else { -1.0 };
        let cost = |(label, weight): (&u32, &f64)| weight * factors[*label as usize];
        Binary {
            rows,
            signs: self.labels.iter().map(sign).collect(),
            costs: self.labels.iter().zip(self.weights.iter()).map(cost).collect(),
            loss,
            bias: self.bias,
            copies: self.copies(),
        }
    }
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
