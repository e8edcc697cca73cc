//! Converts the parameters of an estimator to those of the library.

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use raddle_lasso::{Lasso, Loss, Preparation};

use crate::error::bad_value;
use crate::folder::Numbered;

/// The parameters in a dict from Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked<'py> {
    loss: String,
    alpha: f64,
    /// Number of alphas on a path and the ratio of its ends, instead of alpha,
    path: Option<(usize, f64)>,
    /// or the alphas of the path.
    alphas: Option<PyReadonlyArray1<'py, f64>>,
    l1_ratio: f64,
    fit_intercept: bool,
    standardize: bool,
    tol: f64,
    pub(super) max_iter: Option<u64>,
    bounds: Option<PyReadonlyArray2<'py, f64>>,
    factors: Option<PyReadonlyArray1<'py, f64>>,
    groups: Option<PyReadonlyArray1<'py, u32>>,
    /// Initial coefficients.
    init: Option<Numbered<'py>>,
    workers: usize,
}

impl Asked<'_> {
    /// Returns the library's parameters.
    ///
    /// # Errors
    /// If no loss has this name.
    pub(super) fn lasso(&self) -> PyResult<Lasso> {
        let loss = Loss::named(&self.loss)
            .ok_or_else(|| bad_value(format!("loss is {:?}: no loss has this name", self.loss)))?;
        let lasso = Lasso::params().loss(loss).l1_ratio(self.l1_ratio).tolerance(self.tol);
        let mut lasso = lasso.workers(self.workers);
        lasso = match (&self.alphas, self.path) {
            (Some(alphas), _) => lasso.lambdas(alphas.as_array().to_vec()).whole_path(self.max_iter),
            (None, Some((points, ratio))) => lasso.path(points, ratio).whole_path(self.max_iter),
            (None, None) => lasso.lambda(self.alpha),
        };
        if let Some(bounds) = &self.bounds {
            let pair = |row: ndarray::ArrayView1<'_, f64>| (row[0], row[1]);
            lasso = lasso.bounds(bounds.as_array().rows().into_iter().map(pair).collect());
        }
        if let Some(factors) = &self.factors {
            lasso = lasso.factors(factors.as_array().to_vec());
        }
        if let Some(groups) = &self.groups {
            lasso = lasso.groups(groups.as_array().to_vec());
        }
        if let Some(init) = &self.init {
            lasso = lasso.init(init.pairs());
        }
        Ok(lasso)
    }

    /// Returns `true` if a path is requested.
    pub(super) fn is_path(&self) -> bool {
        self.path.is_some() || self.alphas.is_some()
    }

    /// Returns how the data are prepared.
    pub(super) fn preparation(&self) -> Preparation {
        Preparation::Standard { intercept: self.fit_intercept, standardize: self.standardize }
    }
}
