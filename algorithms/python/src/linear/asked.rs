//! Converts the parameters of an estimator to those of the library.

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use raddle_datasets::Occurring;
use raddle_linear::{Bias, Linear, Loss};

use crate::error::bad_value;

/// The parameters in a dict from Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked<'py> {
    loss: String,
    c: f64,
    /// Value of the constant column; `None` for an intercept without penalty.
    bias: Option<f64>,
    pub(super) standardize: bool,
    balanced: bool,
    tol: f64,
    seed: u64,
    pub(super) max_iter: Option<u64>,
    /// Initial dual values, one row per scorer.
    dual: Option<PyReadonlyArray2<'py, f64>>,
    /// Initial coefficients, one row per scorer, and intercepts, instead of dual values.
    weights: Option<(PyReadonlyArray2<'py, f64>, PyReadonlyArray1<'py, f64>)>,
    pub(super) workers: usize,
}

impl Asked<'_> {
    /// Returns the intercept.
    pub(super) fn bias(&self) -> Bias {
        self.bias.map_or(Bias::Free, Bias::Penalized)
    }

    /// Returns the library's parameters for the columns that occur, if not all do.
    ///
    /// # Errors
    /// If no loss has this name.
    pub(super) fn linear(&self, occurring: Option<&Occurring>) -> PyResult<Linear> {
        let loss = Loss::named(&self.loss)
            .ok_or_else(|| bad_value(format!("loss is {:?}: no loss has this name", self.loss)))?;
        let linear = Linear::params().loss(loss).c(self.c).tolerance(self.tol);
        let linear = linear.balanced(self.balanced).seed(self.seed);
        if let Some(dual) = &self.dual {
            return Ok(
                linear.start_from_dual(dual.as_array().rows().into_iter().map(|a| a.to_vec()).collect())
            );
        }
        let Some((coefficients, intercepts)) = &self.weights else { return Ok(linear) };
        let scorer = |(row, intercept): (ndarray::ArrayView1<'_, f64>, &f64)| {
            let kept = (0..).zip(row.iter().copied()).filter(|(_, value)| *value != 0.0);
            let place = |(column, value)| match occurring {
                None => Some((column, value)),
                Some(some) => Some((some.place(column)?, value)),
            };
            (kept.filter_map(place).collect(), *intercept)
        };
        let rows = coefficients.as_array().into_dimensionality::<ndarray::Ix2>();
        let rows = rows.map_err(|why| bad_value(why.to_string()))?;
        Ok(linear.start_from(rows.rows().into_iter().zip(intercepts.as_array().iter()).map(scorer).collect()))
    }
}
