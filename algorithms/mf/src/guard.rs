//! The guard: no model that validation puts behind the mean of the ratings.

use crate::error::MfError;
use crate::fitted::Fit;
use crate::input::baseline::Baselines;
use crate::input::problem::Problem;
use crate::model::Learned;
use crate::params::{Method, Mf};
use crate::runner::Runner;

impl Mf {
    /// A fit whose factors predict what is held out no better than the mean does becomes that of the biases
    /// alone, or of the mean, whichever does better there. Where nothing is held out, factors stay unless all
    /// ratings are one number: that they come nearer to the ratings that they were found from says nothing.
    ///
    /// A fit from a model stays as it is: that model knows more than these ratings.
    pub(crate) fn guarded(&self, fit: Fit, problem: &Problem) -> Result<Fit, MfError> {
        self.guarded_by(fit, problem.mean_rmse(), problem.is_constant(), || Baselines::of(problem))
    }

    /// The guard where the ratings are gone: its baselines were found before.
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

    /// Models of mean and biases alone; `None` for implicit feedback, which is not predicted as a number.
    pub(crate) fn baselines<R: Runner>(
        &self,
        problem: &Problem,
        runner: &mut R,
    ) -> Result<Option<Baselines>, MfError> {
        self.implicit.is_none().then(|| runner.certify(|| Baselines::of(problem))).transpose()
    }

    /// Repeats what a fit came to, without factors where it came to none.
    pub(crate) fn only(mut self, learned: Learned) -> Self {
        self.only = Some(learned).filter(|learned| *learned != Learned::Factors);
        self
    }

    /// `true` if a fit uses its ratings up while it runs.
    pub(crate) fn uses_up(&self, problem: &Problem) -> bool {
        // Which rows were rated is asked again at the end of a fit that starts from a model.
        self.method != Method::Sgd && self.init.is_none() && problem.by_parts.is_none()
    }
}
