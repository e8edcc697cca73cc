//! Converts the parameters of a model to those of the library.

use pyo3::prelude::*;
use raddle_mf::{Equations, Method, Mf, MfError, Problem};

use crate::error::bad_value;

/// The parameters in a dict from Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    rank: usize,
    solver: String,
    regularization: Option<f64>,
    biases: bool,
    non_negative: bool,
    implicit: bool,
    /// Weight of a count, for implicit feedback; chosen if there is none.
    alpha: Option<f64>,
    epochs: Option<u64>,
    /// `true` if the count alone is a pair's weight.
    count_alone: bool,
    /// Conjugate gradient steps; `Some(0)` solves rows exactly.
    cg_steps: Option<usize>,
    /// Fraction of the ratings to hold out.
    validation: Option<f64>,
    seed: u64,
    workers: usize,
}

impl Asked {
    /// Returns the library's parameters.
    ///
    /// # Errors
    /// If no solver has this name.
    pub(super) fn mf(&self) -> PyResult<Mf> {
        let solver = Method::NAMES.iter().find(|(name, _)| *name == self.solver);
        let (_, method) = solver.ok_or_else(|| {
            bad_value(format!("solver is {:?}: it must be 'sgd', 'als' or 'ccd'", self.solver))
        })?;
        let mut mf = Mf::params().rank(self.rank).method(*method).biases(self.biases);
        mf = mf.non_negative(self.non_negative).seed(self.seed).workers(self.workers);
        mf = match self.implicit {
            true => mf.clicks(self.alpha, self.regularization).count_alone(self.count_alone),
            false => mf.given(self.regularization, Mf::reg),
        };
        if let Some(epochs) = self.epochs {
            mf = mf.epochs(epochs);
        }
        Ok(match self.cg_steps {
            None => mf,
            Some(0) => mf.equations(Equations::Cholesky),
            Some(steps) => mf.equations(Equations::Gradients(steps)),
        })
    }

    /// Holds out the validation ratings of a problem.
    pub(super) fn split(&self, problem: Problem) -> Result<Problem, MfError> {
        match self.validation {
            None => Ok(problem),
            Some(share) => problem.validate_on_share(share, self.seed),
        }
    }

    /// Returns the number to subtract from ratings: 0 if factors stand for whole ratings; `None` determines
    /// it from the data.
    pub(super) fn offset(&self) -> Option<f64> {
        (self.is_implicit() || self.non_negative && !self.biases).then_some(0.0)
    }

    /// Returns `true` for implicit feedback.
    pub(super) fn is_implicit(&self) -> bool {
        self.implicit
    }
}
