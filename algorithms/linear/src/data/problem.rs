//! [`Problem`]: rows of two classes, checked once.

use std::sync::Arc;

use raddle_datasets::Matrix;

use super::rows::Rows;
use crate::error::LinearError;

/// More classes than this are taken for numbers that are no classes.
const MOST_CLASSES: usize = 100;

/// Rows of two classes with their weights; copies share the rows.
#[derive(Debug, Clone)]
pub struct Problem {
    pub(crate) rows: Arc<Rows>,
    /// 1 for rows of the larger class, -1 for the others.
    pub(crate) signs: Arc<Vec<f64>>,
    pub(crate) weights: Arc<Vec<f64>>,
    pub(crate) classes: [f64; 2],
    pub(crate) bias: f64,
    pub(crate) features: usize,
}

impl Problem {
    /// The rows of a matrix, whose response has two values; `bias` is the value of the constant column, 0 for none.
    ///
    /// # Errors
    /// If lengths differ, a value is not finite, or the response has not two values.
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
        let classes = two_classes(y)?;
        let prepared = Rows::of(x, bias);
        // Products of rows are summed: their squares must be numbers.
        if let Some(row) = (0..rows).find(|&row| !(prepared.square(row) < 1e200)) {
            return Err(LinearError::NotFinite { row: row + 1, what: "the square of the row" });
        }
        let signs = y.iter().map(|value| if *value == classes[1] { 1.0 } else { -1.0 }).collect();
        Ok(Self {
            rows: Arc::new(prepared),
            signs: Arc::new(signs),
            weights: Arc::new(vec![1.0; rows]),
            classes,
            bias,
            features: columns,
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
        self.weights = Arc::new(weights);
        match self.class_weights().iter().position(|sum| *sum == 0.0) {
            Some(class) => Err(LinearError::OneClass { class: self.classes[1 - class] }),
            None => Ok(self),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows.count()
    }

    /// Number of columns of the matrix.
    pub fn columns(&self) -> usize {
        self.features
    }

    /// The two values of the response, ascending.
    pub fn classes(&self) -> [f64; 2] {
        self.classes
    }

    /// Sums of the weights of each class.
    pub(crate) fn class_weights(&self) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for (sign, weight) in self.signs.iter().zip(self.weights.iter()) {
            sums[usize::from(*sign > 0.0)] += weight;
        }
        sums
    }
}

/// The two values of a response, ascending.
fn two_classes(y: &[f64]) -> Result<[f64; 2], LinearError> {
    let mut values: Vec<f64> = y.iter().map(|value| value + 0.0).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    match values[..] {
        [class] => Err(LinearError::OneClass { class }),
        [a, b] => Ok([a, b]),
        _ if values.len() == y.len() || values.len() > MOST_CLASSES => {
            Err(LinearError::NoClasses { values: values.len(), rows: y.len() })
        }
        _ => Err(LinearError::Classes { values: values.len() }),
    }
}
