//! [`Problem`]: rows of two or more classes, checked once.

use std::sync::Arc;

use raddle::random::Stream;
use raddle_datasets::Matrix;

use super::binary::Binary;
use super::rows::Rows;
use crate::error::LinearError;
use crate::loss::Loss;

/// More classes than this are taken for numbers that are no classes.
const MOST_CLASSES: usize = 100;

/// Rows of K classes with their weights; copies share the rows.
#[derive(Debug, Clone)]
pub struct Problem {
    /// Rows in an order drawn once, in which sweeps go over them: neighbours in a file are often alike.
    pub(crate) rows: Arc<Rows>,
    /// Place of each row of the matrix among them.
    places: Arc<Vec<u32>>,
    /// Position of the class of each row, by its place, among the classes.
    labels: Arc<Vec<u32>>,
    weights: Arc<Vec<f64>>,
    classes: Vec<f64>,
    pub(crate) bias: f64,
    /// Divisors of the columns; none where these are as they were given.
    pub(crate) scales: Option<Arc<Vec<f64>>>,
}

impl Problem {
    /// Rows of a matrix and their classes, each a value of the response; `bias` is the value of the constant column, 0
    /// for none.
    ///
    /// # Errors
    /// If lengths differ, a value is not finite, or the response has fewer than two values or more than 100.
    pub fn new(x: &Matrix, y: &[f64], bias: f64) -> Result<Self, LinearError> {
        let (rows, columns) = (x.rows(), x.cols());
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
        let mut places: Vec<u32> = (0..rows as u32).collect();
        Stream::new(&[rows as u64]).shuffle(&mut places);
        let prepared = Rows::of(x, bias, &places);
        // Products of rows are summed: their squares must be numbers.
        let is_usual = |row: usize| prepared.square(places[row] as usize) < 1e200;
        if let Some(row) = (0..rows).find(|&row| !is_usual(row)) {
            return Err(LinearError::NotFinite { row: row + 1, what: "the square of the row" });
        }
        let label = |value: &f64| classes.partition_point(|class| class < value) as u32;
        let labels = placed(&places, y.iter().map(label));
        Ok(Self {
            rows: Arc::new(prepared),
            labels: Arc::new(labels),
            places: Arc::new(places),
            weights: Arc::new(vec![1.0; rows]),
            classes,
            bias,
            scales: None,
        })
    }

    /// Counts each row so many times.
    ///
    /// # Errors
    /// If there is not a weight for each row, one is negative or not finite, or a class has none above 0.
    pub fn weights(mut self, weights: Vec<f64>) -> Result<Self, LinearError> {
        let rows = self.rows();
        if weights.len() != rows {
            return Err(LinearError::Lengths { what: "weights", rows, values: weights.len() });
        }
        let is_usual = |weight: &f64| *weight == 0.0 || (1e-100..1e100).contains(weight);
        if let Some(row) = weights.iter().position(|weight| !is_usual(weight)) {
            return Err(LinearError::Weight { row: row + 1, value: weights[row] });
        }
        self.weights = Arc::new(placed(&self.places, weights));
        let sums = self.class_weights();
        match sums.iter().position(|sum| *sum == 0.0) {
            Some(class) if sums.len() > 2 => Err(LinearError::NoRows { class: self.classes[class] }),
            Some(class) => Err(LinearError::OneClass { class: self.classes[1 - class] }),
            None => Ok(self),
        }
    }

    /// Divides each column by its standard deviation over the rows, as they stand and without weights, so that the
    /// penalty counts all alike. Columns are not centred: those with few values keep them few. A column of one value,
    /// and that of the bias, stay as they are. Coefficients are reported for the columns as they were given.
    pub fn scaled(mut self) -> Self {
        let mut rows = Rows::clone(&self.rows);
        self.scales = Some(Arc::new(rows.scale(self.columns())));
        self.rows = Arc::new(rows);
        self
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows.count()
    }

    /// Number of columns of the matrix.
    pub fn columns(&self) -> usize {
        self.rows.width() - usize::from(self.bias != 0.0)
    }

    /// Values of the response, ascending.
    pub fn classes(&self) -> &[f64] {
        &self.classes
    }

    /// Number of binary problems: of two classes one, of more one for each against the rest.
    pub fn machines(&self) -> usize {
        if self.classes.len() == 2 { 1 } else { self.classes.len() }
    }

    /// Values of the rows in the order of the matrix.
    pub(crate) fn in_order(&self, values: &[f64]) -> Vec<f64> {
        self.places.iter().map(|&place| values[place as usize]).collect()
    }

    /// Values of the rows of the matrix by their places.
    pub(crate) fn placed(&self, values: &[f64]) -> Vec<f64> {
        placed(&self.places, values.iter().copied())
    }

    /// Position of a row's class, by its place, among the classes.
    pub(crate) fn class(&self, row: usize) -> usize {
        self.labels[row] as usize
    }

    /// Sums of the weights of each class.
    pub(crate) fn class_weights(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.classes.len()];
        for (label, weight) in self.labels.iter().zip(self.weights.iter()) {
            sums[*label as usize] += weight;
        }
        sums
    }

    /// A binary problem: a class against the rest, of two classes the larger one; by the factor of each class.
    pub(crate) fn binary(&self, machine: usize, loss: Loss, factors: &[f64]) -> Binary<'_> {
        let class = if self.classes.len() == 2 { 1 } else { machine as u32 };
        let sign = |label: &u32| if *label == class { 1.0 } else { -1.0 };
        let cost = |(label, weight): (&u32, &f64)| weight * factors[*label as usize];
        Binary {
            rows: &self.rows,
            signs: self.labels.iter().map(sign).collect(),
            costs: self.labels.iter().zip(self.weights.iter()).map(cost).collect(),
            loss,
        }
    }
}

/// Values by the places of their rows.
fn placed<T: Copy + Default>(places: &[u32], values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut by_place = vec![T::default(); places.len()];
    places.iter().zip(values).for_each(|(&place, value)| by_place[place as usize] = value);
    by_place
}

/// Values of a response, ascending.
fn classes_of(y: &[f64]) -> Result<Vec<f64>, LinearError> {
    let mut values: Vec<f64> = y.iter().map(|value| value + 0.0).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    match values.len() {
        1 => Err(LinearError::OneClass { class: values[0] }),
        2 => Ok(values),
        count if count == y.len() || count > MOST_CLASSES => {
            Err(LinearError::NoClasses { values: count, rows: y.len() })
        }
        _ => Ok(values),
    }
}
