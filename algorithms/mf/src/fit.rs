//! Fitting: from parameters and ratings to a model.

use std::borrow::Cow;

use crate::error::MfError;
use crate::fitted::Fit;
use crate::input::problem::Problem;
use crate::model::Model;
use crate::params::{Method, Mf};
use crate::runner::{InProcess, Runner};

impl Mf {
    /// Repeats what led a fit to its best: the length of that stage, ended where it was best. On other data,
    /// say all of them, nothing then needs to be held out. Of a fit that came to a model without factors
    /// comes one without factors.
    pub fn repeat(self, fit: &Fit) -> Self {
        let mut again = self.only(fit.learned);
        let (length, epochs) = fit.length;
        if again.method != Method::Sgd {
            (again.epochs, again.target) = (Some(u64::from(epochs.max(1))), None);
            return again;
        }
        (again.epochs, again.cut, again.target) = (Some(u64::from(length.max(1))), Some(epochs.max(1)), None);
        again
    }

    /// Fits.
    ///
    /// # Errors
    /// If a parameter is out of its range, the data does not suit the method, or the run fails.
    pub fn fit(&self, problem: &Problem) -> Result<Fit, MfError> {
        self.fit_on(problem, &mut InProcess)
    }

    /// Fits on engines that `runner` may change before it runs them: limits, rescaling, checkpoints, an
    /// observer.
    ///
    /// # Errors
    /// If a parameter is out of its range, the data does not suit the method, or the run fails.
    pub fn fit_on<R: Runner>(&self, problem: &Problem, runner: &mut R) -> Result<Fit, R::Error> {
        let liked = self.liked(problem)?;
        let problem = liked.as_ref().unwrap_or(problem);
        let mf = self.of_less(problem);
        mf.check(problem)?;
        let fit = match mf.method {
            Method::Sgd => mf.fit_by_steps(problem, runner),
            Method::Als | Method::Ccd => mf.fit_alternating(problem, runner),
        }?;
        Ok(mf.guarded(fit.with_more(problem.less), problem)?)
    }

    /// For implicit feedback, the problem measured on what users turn to alone, where that is another.
    pub(crate) fn liked(&self, problem: &Problem) -> Result<Option<Problem>, MfError> {
        if self.implicit.is_some() { problem.measured_on_liked() } else { Ok(None) }
    }

    /// The parameters for ratings that are less something: a model to start from is, too.
    pub(crate) fn of_less(&self, problem: &Problem) -> Cow<'_, Self> {
        match &self.init {
            Some(model) if problem.less != 0.0 => {
                let init = Model { mean: model.mean - problem.less, ..model.clone() };
                Cow::Owned(Self { init: Some(init), ..self.clone() })
            }
            _ => Cow::Borrowed(self),
        }
    }

    /// Fit in less memory, where the ratings are of no further use: least squares and coordinate descent give
    /// them up while shards take them, and then hold up to 8 and 12 bytes a rating instead of 20 and 24. What
    /// mean and biases alone do is found besides, for explicit ratings.
    ///
    /// # Errors
    /// If a parameter is out of its range, the data does not suit the method, or the run fails.
    pub fn fit_owned<R: Runner>(&self, problem: Problem, runner: &mut R) -> Result<Fit, R::Error> {
        if !self.uses_up(&problem) {
            let mut fit = self.fit_on(&problem, runner)?;
            if fit.baselines.is_none() {
                fit.baselines = self.baselines(&problem, runner)?;
            }
            return Ok(fit);
        }
        // The other one is gone then: ratings that two have cannot be used up.
        let problem = self.liked(&problem)?.unwrap_or(problem);
        self.check(&problem)?;
        let (baselines, is_constant) = (self.baselines(&problem, runner)?, problem.is_constant());
        let less = problem.less;
        let fit = self.fit_alternating_owned(problem, runner)?;
        Ok(self.guarded_with(fit.with_more(less), baselines, is_constant)?)
    }
}
