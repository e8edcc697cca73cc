//! Fits of `raddle.lasso`.

mod asked;
mod cv;
mod error;
mod result;
mod saved;

use std::time::Instant;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle_lasso::{LassoError, Problem, RowValues};

pub(crate) use self::cv::cross_validate_lasso;
pub(crate) use self::saved::{open_lasso, save_lasso};

use self::asked::Asked;
use self::error::refused;
use self::result::as_dict;
use crate::arrays::GivenMatrix;
use crate::run::{Seconds, carry_out};

/// The values of the rows: response, weights and offsets.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct GivenRows<'py> {
    y: PyReadonlyArray1<'py, f64>,
    sample_weight: Option<PyReadonlyArray1<'py, f64>>,
    offset: Option<PyReadonlyArray1<'py, f64>>,
}

impl GivenRows<'_> {
    /// Returns copies of the response and of the rows' values.
    fn copied(&self) -> (Vec<f64>, RowValues) {
        let of = |given: &PyReadonlyArray1<'_, f64>| given.as_array().to_vec();
        let (weights, offset) = (self.sample_weight.as_ref().map(of), self.offset.as_ref().map(of));
        (of(&self.y), RowValues { weights, offset })
    }
}

/// Fits one alpha or a path; returns a dict.
#[pyfunction]
pub(crate) fn fit_lasso<'py>(
    x: GivenMatrix<'py>,
    rows: GivenRows<'py>,
    asked: Asked<'py>,
    callback: Option<Bound<'py, PyAny>>,
    py: Python<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let (lasso, preparation) = (asked.lasso()?, asked.preparation());
    // For a path, the limit is per point.
    let epochs = asked.max_iter.filter(|_| !asked.is_path());
    let started = Instant::now();
    let (x, (y, values)) = (x.copied(py)?, rows.copied());
    let read = started.elapsed().as_secs_f64();
    let (fit, seconds) = carry_out(py, callback.as_ref(), move |watch| {
        let fit = || {
            let started = Instant::now();
            let problem = Problem::new(x, y, preparation)?.with_values(values)?;
            let (prepare, started) = (started.elapsed().as_secs_f64(), Instant::now());
            let engine = watch.over(lasso.engine(&problem)?);
            let engine = if let Some(epochs) = epochs { engine.epochs(epochs) } else { engine };
            let outcome = engine.run()?;
            let fit = lasso.fitted(&problem, outcome);
            // Freeing the memory takes time, too, so it is done before the clock stops.
            drop(problem);
            Ok::<_, LassoError>((fit, Seconds { read, prepare, fit: started.elapsed().as_secs_f64() }))
        };
        fit().map_err(refused)
    })?;
    as_dict(py, &fit, seconds)
}
