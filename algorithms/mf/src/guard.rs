//! The guard: no fit returns a model that does worse in validation than the mean of the ratings.

use crate::error::MfError;
use crate::fitted::Fit;
use crate::input::baseline::Baselines;
use crate::input::problem::Problem;
use crate::model::Learned;
use crate::params::{Method, Mf};
use crate::runner::Runner;

impl Mf {
    /// Replaces a fit whose factors predict held-out ratings no better than the mean does by the biases alone
    /// or the mean alone, whichever does better. If nothing is held out, factors stay unless all ratings are
    /// equal: their error on training ratings says nothing.
    ///
    /// A fit that starts from a model stays unchanged, as that model knows more than these ratings.
    pub(crate) fn guarded(&self, fit: Fit, problem: &Problem) -> Result<Fit, MfError> {
        self.guarded_by(fit, problem.mean_rmse(), problem.is_constant(), || Baselines::of(problem))
    }

    /// The guard if the ratings were freed: its baselines were computed before.
    pub(crate) fn guarded_with(
        &self,
        fit: Fit,
        baselines: Option<Baselines>,
        is_constant: bool,
    ) -> Result<Fit, MfError> {
        let Some(baselines) = baselines else { return Ok(fit) };
        let mean = (baselines.on != Baselines::TRAINED_ON).then_some(baselines.mean_rmse);
        let mut fit = self.guarded_by(fit, mean, is_constant, || Ok(baselines.clone()))?;
        fit.baselines = Some(baselines);
        Ok(fit)
    }

    fn guarded_by(
        &self,
        mut fit: Fit,
        mean: Option<f64>,
        is_constant: bool,
        baselines: impl FnOnce() -> Result<Baselines, MfError>,
    ) -> Result<Fit, MfError> {
        let is_behind = match mean {
            Some(mean) => fit.best.is_some_and(|best| best.is_nan() || best >= mean),
            None => is_constant && fit.report.epochs > 0,
        };
        let asks = is_behind && self.implicit.is_none() && self.init.is_none();
        if !(asks || self.only.is_some()) || !fit.model.is_finite() {
            return Ok(fit);
        }
        let baselines = baselines()?;
        let learned = self.only.unwrap_or_else(|| baselines.better(self.biases));
        fit.factors_best = fit.best;
        (fit.model, fit.learned, fit.best_epoch) = (baselines.model(learned, self.rank), learned, 0);
        fit.best = fit.best.map(|_| baselines.rmse(learned));
        if fit.report.metric.name == "rmse" {
            (fit.report.metric.value, fit.report.metric.on) =
                (baselines.rmse(learned), baselines.on.to_owned());
        }
        fit.baselines = Some(baselines);
        Ok(fit)
    }

    /// Computes the baselines of mean and biases; `None` for implicit feedback, which is not predicted as a
    /// number.
    pub(crate) fn baselines<R: Runner>(
        &self,
        problem: &Problem,
        runner: &mut R,
    ) -> Result<Option<Baselines>, MfError> {
        self.implicit.is_none().then(|| runner.certify(|| Baselines::of(problem))).transpose()
    }

    /// Sets the parts that a repeated fit predicts by, if it has no factors.
    pub(crate) fn only(mut self, learned: Learned) -> Self {
        self.only = Some(learned).filter(|learned| *learned != Learned::Factors);
        self
    }

    /// `true` if a fit frees its ratings while it runs.
    pub(crate) fn uses_up(&self, problem: &Problem) -> bool {
        // A fit that starts from a model needs the ratings at its end, to find the rows without any.
        self.method != Method::Sgd && self.init.is_none() && problem.counts.is_none()
    }
}
