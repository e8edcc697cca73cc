//! Fits of `raddle.mf`, and their models, which stay in native memory as Python uses them again and again.

mod asked;
mod error;
mod factorization;
mod given;
mod lists;
mod saved;
mod state;

use std::time::Instant;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle::{Engine, Outcome, Program};
use raddle_datasets::ratings::Narrowed;
use raddle_mf::{MfError, Problem, Runner, Seen};

pub(crate) use self::factorization::Factorization;
pub(crate) use self::given::number_ids;
pub(crate) use self::saved::{open_mf, save_mf};

use self::asked::Asked;
use self::error::refused;
use self::given::GivenRatings;
use crate::run::{Seconds, Watch, carry_out, report_as_dict};

/// Runs engines that the caller can observe and end.
struct Watched<'a>(&'a Watch);

impl Runner for Watched<'_> {
    type Error = MfError;

    fn run<P: Program>(&mut self, engine: Engine<P>) -> Result<Outcome<P>, MfError> {
        Ok(self.0.over(engine).run()?)
    }
}

/// Fits a model; returns a dict. The model in it is a [`Factorization`], which stores the rated items with
/// `keeps_seen`.
#[pyfunction]
pub(crate) fn fit_mf<'py>(
    ratings: GivenRatings<'py>,
    asked: Asked,
    keeps_seen: bool,
    callback: Option<Bound<'py, PyAny>>,
    py: Python<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let started = Instant::now();
    let (mf, ratings) = (asked.mf()?, ratings.copied(py)?);
    let (fit, offset, notes, seen, seconds) = carry_out(py, callback.as_ref(), move |watch| {
        let (users, items) = ratings.shape;
        let Narrowed { triples, offset, notes, .. } = ratings.merged(asked.offset())?;
        let (read, started) = (started.elapsed().as_secs_f64(), Instant::now());
        let fit = || {
            let seen = keeps_seen.then(|| Seen::new(&triples, users));
            let problem = asked.split(Problem::new(users, items, triples)?.less(offset))?;
            let (prepare, started) = (started.elapsed().as_secs_f64(), Instant::now());
            let fit = match asked.is_implicit() {
                true => mf.fit_owned(problem, &mut Watched(watch))?,
                // The scores of mean and biases alone are not needed here, and take a while.
                false => mf.fit_on(&problem, &mut Watched(watch))?,
            };
            let seconds = started.elapsed().as_secs_f64();
            Ok((fit, offset, notes, seen, Seconds { read, prepare, fit: seconds }))
        };
        fit().map_err(refused)
    })?;
    let result = PyDict::new(py);
    result.set_item("report", report_as_dict(py, &fit.report, seconds)?)?;
    result.set_item("is_finite", fit.model.is_finite())?;
    result.set_item("digest", py.detach(|| fit.digest()))?;
    result.set_item("iterations", fit.report.epochs)?;
    result.set_item("best_iteration", fit.best_epoch)?;
    result.set_item("validation_error", fit.best)?;
    result.set_item("learned", fit.learned.name())?;
    result.set_item("notes", notes)?;
    result.set_item("about", saved::about(&fit, offset)?)?;
    result.set_item("model", Factorization::of(fit.model, fit.fold_in, seen))?;
    Ok(result)
}
