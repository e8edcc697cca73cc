//! Fitting: from parameters and ratings to a model.

use crate::error::MfError;
use crate::input::problem::Problem;
use crate::model::Fit;
use crate::params::{Method, Mf};
use crate::runner::{InProcess, Runner};
use crate::sgd::learning_rate::LearningRateSchedule;

impl Mf {
    /// Repeats what led a fit to its best: the length of that stage, ended where it was best. On other data, say all of
    /// them, nothing then needs to be held out.
    pub fn repeat(mut self, fit: &Fit) -> Self {
        let (stage, epochs) = fit.length;
        if self.method != Method::Sgd {
            (self.epochs, self.target) = (Some(u64::from(epochs.max(1))), None);
            return self;
        }
        let length = LearningRateSchedule::stages(self.epochs).get(stage as usize).copied().unwrap_or(epochs);
        (self.epochs, self.cut, self.target) = (Some(u64::from(length.max(1))), Some(epochs.max(1)), None);
        self
    }

    /// Fits.
    ///
    /// # Errors
    /// If a parameter is out of its range, the data does not suit the method, or the run fails.
    pub fn fit(&self, problem: &Problem) -> Result<Fit, MfError> {
        self.fit_on(problem, &mut InProcess)
    }

    /// Fits on engines that `runner` may change before it runs them: limits, rescaling, checkpoints, an observer.
    ///
    /// # Errors
    /// If a parameter is out of its range, the data does not suit the method, or the run fails.
    pub fn fit_on<R: Runner>(&self, problem: &Problem, runner: &mut R) -> Result<Fit, R::Error> {
        self.check(problem)?;
        match self.method {
            Method::Sgd => self.fit_by_steps(problem, runner),
            Method::Als | Method::Ccd => self.fit_alternating(problem, runner),
        }
    }

    /// The same model in less memory, where nobody else needs the ratings: least squares and coordinate descent give them up
    /// while shards take them, and then hold up to 8 and 12 bytes a rating instead of 20 and 24.
    ///
    /// # Errors
    /// If a parameter is out of its range, the data does not suit the method, or the run fails.
    pub fn fit_owned<R: Runner>(&self, problem: Problem, runner: &mut R) -> Result<Fit, R::Error> {
        // Which rows were rated is asked again at the end of a fit that starts from a model.
        if self.method == Method::Sgd || self.init.is_some() {
            return self.fit_on(&problem, runner);
        }
        self.check(&problem)?;
        self.fit_alternating_owned(problem, runner)
    }
}
