//! [`CrossValidation`]: chooses C by a measure on held-out rows.

pub(crate) mod curve;
pub(crate) mod folds;
pub(crate) mod measure;
pub(crate) mod plan;

use raddle::Engine;
use raddle_datasets::Matrix;
use raddle_tabular::folds::fit_folds;

use self::curve::{Curve, FoldScores};
use self::folds::Folds;
use self::plan::CrossValidation;
use crate::error::LinearError;
use crate::model::Fit;
use crate::run::program::LinearProgram;

/// The result of a [`CrossValidation`].
#[derive(Debug, Clone)]
pub struct CrossValidated {
    /// The fit of all rows at the chosen C, with its certificate.
    pub fit: Fit,
    /// The measure on held-out rows for each C.
    pub curve: Curve,
    /// Largest relative duality gap of all fits of all folds.
    pub worst_gap: f64,
}

impl CrossValidation {
    /// Splits the rows into folds. The caller does the rest of [`fit`](Self::fit), and may limit, observe and
    /// end each run.
    ///
    /// # Errors
    /// If a parameter is out of range, the data cannot be fitted, or a fold lacks a class.
    pub fn start(self, x: Matrix, y: Vec<f64>) -> Result<Folds, LinearError> {
        Folds::new(self, x, y)
    }

    /// Fits the folds in parallel, then all rows at the chosen C.
    ///
    /// # Errors
    /// The errors of [`start`](Self::start), and a run that fails.
    pub fn fit(self, x: Matrix, y: Vec<f64>) -> Result<CrossValidated, LinearError> {
        self.fit_with(x, y, |engine| engine)
    }

    /// Like [`fit`](Self::fit), on engines that `set` may change, on whichever thread each is run: limits, an
    /// observer, one [`Stop`](raddle::Stop) for all. A fold is one run, along all values of C.
    ///
    /// # Errors
    /// The errors of [`fit`](Self::fit), and a limit that ends a fold before its last C.
    pub fn fit_with(
        self,
        x: Matrix,
        y: Vec<f64>,
        set: impl Fn(Engine<LinearProgram>) -> Engine<LinearProgram> + Sync,
    ) -> Result<CrossValidated, LinearError> {
        let (rule, workers, epochs) = (self.rule, self.workers.max(1), self.epochs);
        let mut folds = self.start(x, y)?;
        let fit = |number, workers| folds.fitted(number, workers, &set);
        for scores in fit_folds(folds.count(), workers, fit)? {
            folds.add(scores)?;
        }
        let curve = folds.curve()?;
        let linear = folds.all(curve.choose(rule).c);
        let limited = |engine: Engine<LinearProgram>| epochs.into_iter().fold(engine, Engine::epochs);
        let fit = linear.fit_with(folds.problem(), |engine| limited(set(engine.workers(workers))))?;
        Ok(CrossValidated { fit, curve, worst_gap: folds.worst_gap() })
    }
}

impl Folds {
    /// Fits and measures a fold at every C.
    fn fitted(
        &self,
        number: usize,
        workers: usize,
        set: &impl Fn(Engine<LinearProgram>) -> Engine<LinearProgram>,
    ) -> Result<FoldScores, LinearError> {
        let fold = self.fold(number)?;
        let path = self.path();
        let fitted = path.fit_with(&fold.problem, |engine| set(engine.workers(workers.max(1))))?;
        let (done, all) = (fitted.fits.len(), path.costs().len());
        if done < all {
            let why = format!("a limit ended fold {number} after {done} of {all} values of C: raise it");
            return Err(LinearError::Parameter { name: "folds", why });
        }
        Ok(self.score(&fold, &fitted.fits))
    }
}
