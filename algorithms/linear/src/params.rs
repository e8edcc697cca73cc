//! [`Linear`]: the parameters of a fit.

use raddle::prelude::*;

use crate::data::problem::Problem;
use crate::error::LinearError;
use crate::loss::{Loss, weights_of};
use crate::model::Fit;
use crate::run::program::LinearProgram;
use crate::run::shard::Duals;

/// Parameters of a linear classifier: `Linear::params()` has the defaults.
#[derive(Debug, Clone)]
pub struct Linear {
    loss: Loss,
    c: f64,
    lambda: Option<f64>,
    tolerance: f64,
    balanced: bool,
    seed: u64,
}

impl Linear {
    /// Squared hinge, C = 1, a relative duality gap of 1e-4.
    pub fn params() -> Self {
        Self { loss: Loss::default(), c: 1.0, lambda: None, tolerance: 1e-4, balanced: false, seed: 42 }
    }

    /// The loss.
    pub fn loss(self, loss: Loss) -> Self {
        Self { loss, ..self }
    }

    /// The weight C of a row's loss.
    pub fn c(self, c: f64) -> Self {
        Self { c, lambda: None, ..self }
    }

    /// The weight lambda of the penalty beside the mean loss: C = 1 / (lambda n), n the sum of the rows' weights.
    pub fn lambda(self, lambda: f64) -> Self {
        Self { lambda: Some(lambda), ..self }
    }

    /// The relative duality gap to reach.
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// Weighs classes so that both count the same: each row n / (2 n_k), n_k the weight of its class.
    pub fn balanced(self, balanced: bool) -> Self {
        Self { balanced, ..self }
    }

    /// The seed that orders of rows are drawn by.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The weight C of each row's loss.
    fn costs(&self, problem: &Problem) -> Result<(f64, Vec<f64>), LinearError> {
        let refuse = |name, value: f64| {
            let why = format!("it is {value}: it must be a number from 1e-100 to 1e100");
            Err(LinearError::Parameter { name, why })
        };
        let is_usual = |value: f64| (1e-100..=1e100).contains(&value);
        let sums = problem.class_weights();
        let all = sums[0] + sums[1];
        let c = match self.lambda {
            Some(lambda) if !is_usual(lambda) => return refuse("lambda", lambda),
            Some(lambda) => 1.0 / (lambda * all),
            None => self.c,
        };
        if !is_usual(c) {
            return refuse("C", c);
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            let why = format!("it is {}: it must be between 0 and 1", self.tolerance);
            return Err(LinearError::Parameter { name: "tol", why });
        }
        let of_class = sums.map(|sum| if self.balanced { all / (2.0 * sum) } else { 1.0 });
        let rows = problem.signs.iter().zip(problem.weights.iter());
        Ok((c, rows.map(|(sign, weight)| c * weight * of_class[usize::from(*sign > 0.0)]).collect()))
    }

    /// The engine of a fit.
    ///
    /// # Errors
    /// If a parameter is out of its range.
    pub fn engine(&self, problem: &Problem) -> Result<Engine<LinearProgram>, LinearError> {
        let (_, costs) = self.costs(problem)?;
        // The entropy has no slope at its bounds.
        let start = if self.loss == Loss::Logistic { 1e-3 } else { 0.0 };
        let values: Vec<f64> = costs.iter().map(|c| start * c).collect();
        let weights = weights_of(problem, &values);
        let duals = Duals { values, ..Duals::default() };
        let (loss, tolerance, seed) = (self.loss, self.tolerance, self.seed);
        let program = LinearProgram { problem: problem.clone(), loss, costs, tolerance, seed };
        Ok(Engine::new(program, EachShard::new(1), Parts::new(vec![duals], weights)))
    }

    /// Fits on this thread.
    ///
    /// # Errors
    /// If a parameter is out of its range, or the run fails.
    pub fn fit(&self, problem: &Problem) -> Result<Fit, LinearError> {
        self.fit_with(problem, |engine| engine)
    }

    /// Fits by an engine with changes, such as its number of workers.
    ///
    /// # Errors
    /// As of [`fit`](Self::fit).
    pub fn fit_with(
        &self,
        problem: &Problem,
        change: impl FnOnce(Engine<LinearProgram>) -> Engine<LinearProgram>,
    ) -> Result<Fit, LinearError> {
        let outcome = change(self.engine(problem)?).run()?;
        self.finish(problem, outcome)
    }

    /// The fit that a run of [`engine`](Self::engine) on this problem has come to.
    ///
    /// # Errors
    /// If a parameter is out of its range.
    pub fn finish(
        &self,
        problem: &Problem,
        outcome: raddle::Outcome<LinearProgram>,
    ) -> Result<Fit, LinearError> {
        let (c, costs) = self.costs(problem)?;
        Ok(Fit::new(problem, (self.loss, c, &costs), outcome))
    }
}
