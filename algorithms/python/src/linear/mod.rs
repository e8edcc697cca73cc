//! Fits of `raddle.linear`.

mod asked;
mod cv;
mod error;
mod result;
mod saved;

use std::time::Instant;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle_datasets::Occurring;
use raddle_linear::{Fit, LinearError, Problem};

pub(crate) use self::cv::cross_validate_linear;
pub(crate) use self::saved::{open_linear, save_linear};

use self::asked::Asked;
use self::error::refused;
use self::result::as_dict;
use crate::arrays::GivenMatrix;
use crate::run::{Seconds, carry_out};

/// The values of the rows: class numbers and weights.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct GivenRows<'py> {
    y: PyReadonlyArray1<'py, f64>,
    sample_weight: Option<PyReadonlyArray1<'py, f64>>,
}

/// Returns a fit of the columns that occur as one of all columns.
fn spread(fit: Fit, occurring: Option<&Occurring>) -> Fit {
    match occurring {
        None => fit,
        Some(some) => fit.spread(some.width(), |at| some.number(at)),
    }
}

/// Fits a classifier; returns a dict.
#[pyfunction]
pub(crate) fn fit_linear<'py>(
    x: GivenMatrix<'py>,
    rows: GivenRows<'py>,
    asked: Asked<'py>,
    callback: Option<Bound<'py, PyAny>>,
    py: Python<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let started = Instant::now();
    let ((x, occurring), y) = (x.occurring(py)?, rows.y.as_array().to_vec());
    let linear = asked.linear(occurring.as_ref())?;
    let (bias, Asked { standardize, max_iter, workers, .. }) = (asked.bias(), asked);
    let weights = rows.sample_weight.as_ref().map(|given| given.as_array().to_vec());
    let read = started.elapsed().as_secs_f64();
    let (fit, seconds) = carry_out(py, callback.as_ref(), move |watch| {
        let fit = || {
            let started = Instant::now();
            let mut problem = Problem::new(&x, &y, bias)?;
            // The problem has its own copy of the rows.
            drop(x);
            if let Some(weights) = weights {
                problem = problem.weights(weights)?;
            }
            if standardize {
                problem = problem.scaled();
            }
            let (prepare, started) = (started.elapsed().as_secs_f64(), Instant::now());
            let fit = linear.fit_with(&problem, |engine| {
                let engine = watch.over(engine.workers(workers));
                if let Some(epochs) = max_iter { engine.epochs(epochs) } else { engine }
            })?;
            // Freeing the memory takes time, too, so it is done before the clock stops.
            drop(problem);
            Ok::<_, LinearError>((fit, Seconds { read, prepare, fit: started.elapsed().as_secs_f64() }))
        };
        fit().map_err(refused)
    })?;
    as_dict(py, &spread(fit, occurring.as_ref()), seconds)
}
