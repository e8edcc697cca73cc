//! Fitting: from parameters and ratings to a model.

use std::borrow::Cow;

use crate::error::MfError;
use crate::fitted::Fit;
use crate::input::problem::Problem;
use crate::model::Model;
use crate::params::{Method, Mf};
use crate::runner::{InProcess, Runner};

impl Mf {
    /// Repeats a fit: the length of the stage of its best epoch, ended at that epoch. On other data, such as
    /// all ratings, nothing then needs to be held out. If the fit has a model without factors, so has its
    /// repetition.
    pub fn repeat(self, fit: &Fit) -> Self {
        let mut again = self.only(fit.learned);
        let (length, epochs) = fit.length;
        if again.choice.take().is_some() {
            again = again.clicks(fit.fold_in.implicit, Some(fit.fold_in.reg));
        }
        if again.method != Method::Sgd {
            (again.epochs, again.target) = (Some(u64::from(epochs.max(1))), None);
            return again;
        }
        (again.epochs, again.cut, again.target) = (Some(u64::from(length.max(1))), Some(epochs.max(1)), None);
        again
    }

    /// Fits the problem.
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
            Method::Sgd => mf.fit_by_steps(problem, runner)?.0,
            Method::Als | Method::Ccd => mf.fit_alternating(problem, runner)?,
        };
        Ok(mf.guarded(fit.with_more(problem.less), problem)?)
    }

    /// For implicit feedback, returns the problem measured only on preferred pairs, if that differs.
    pub(crate) fn liked(&self, problem: &Problem) -> Result<Option<Problem>, MfError> {
        if self.implicit.is_some() { problem.measured_on_liked() } else { Ok(None) }
    }

    /// Returns the parameters for ratings from which an offset is subtracted; it is subtracted from a model
    /// to start from, too.
    pub(crate) fn of_less(&self, problem: &Problem) -> Cow<'_, Self> {
        match &self.init {
            Some(model) if problem.less != 0.0 => {
                let init = Model { mean: model.mean - problem.less, ..model.clone() };
                Cow::Owned(Self { init: Some(init), ..self.clone() })
            }
            _ => Cow::Borrowed(self),
        }
    }

    /// Fits in less memory, if the ratings are of no further use: least squares and coordinate descent free
    /// them while shards take them, and then hold up to 8 and 12 bytes per rating instead of 20 and 24. For
    /// explicit ratings, the baselines of mean and biases are also computed.
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
        // The original is freed then: ratings that two problems share cannot be used up.
        let problem = self.liked(&problem)?.unwrap_or(problem);
        self.check(&problem)?;
        let (baselines, is_constant) = (self.baselines(&problem, runner)?, problem.is_constant());
        let less = problem.less;
        let fit = self.fit_alternating_owned(problem, runner)?;
        Ok(self.guarded_with(fit.with_more(less), baselines, is_constant)?)
    }
}
