//! [`Linear`]: the parameters of a fit.

use raddle::prelude::*;

use crate::data::binary::Binary;
use crate::data::problem::Problem;
use crate::data::softmax::interleaved;
use crate::error::LinearError;
use crate::loss::Loss;
use crate::model::Fit;
use crate::run::machine::{Machine, epoch_cost};
use crate::run::program::{LinearProgram, machines};

/// Steps of the search for a multiple of dual values; each keeps two thirds of the interval.
const MULTIPLES: usize = 20;

raddle_common::params! {
    /// The parameters of a linear classifier. `Linear::params()` has the defaults: squared hinge, C = 1, and
    /// a relative duality gap of 1e-4.
    pub struct Linear {
        /// Sets the loss.
        loss(loss: Loss) = Loss::default();
        /// Sets the weight lambda of the penalty relative to the mean loss: C = 1 / (lambda n), where n is
        /// the sum of the rows' weights.
        lambda(lambda: f64);
        /// Sets the relative duality gap to reach.
        tolerance(tolerance: f64) = 1e-4;
        /// Weights classes so that all count the same: each row by n / (K n_k), where n_k is the weight of
        /// its class, n that of all rows, and K the number of classes.
        balanced(balanced: bool) = false;
        /// Sets the seed for the random orders of rows.
        seed(seed: u64) = 42;
    }
    c: f64 = 1.0;
    class_weights: Option<Vec<f64>> = None;
    start: Option<Start> = None;
}

/// Values from which a fit starts, for each scorer.
#[derive(Debug, Clone)]
pub(crate) enum Start {
    /// Dual values of the rows.
    Dual(Vec<Vec<f64>>),
    /// Coefficients by column, and the intercept.
    Weights(Vec<(Vec<(u32, f64)>, f64)>),
}

impl Linear {
    /// Sets the weight C of a row's loss.
    pub fn c(self, c: f64) -> Self {
        Self { c, lambda: None, ..self }
    }

    /// Sets the weight of each class, in ascending order: it multiplies C, and the weights of the class's
    /// rows.
    pub fn class_weights(self, weights: Vec<f64>) -> Self {
        Self { class_weights: Some(weights), ..self }
    }

    /// Starts from dual values of the rows for each scorer of a fit; values outside their bounds are moved to
    /// them.
    pub fn start_from_dual(self, dual: Vec<Vec<f64>>) -> Self {
        Self { start: Some(Start::Dual(dual)), ..self }
    }

    /// Starts from coefficients by column and an intercept for each scorer of a fit, such as a fit to other
    /// rows: the initial dual values are the slopes of the rows' losses.
    pub fn start_from(self, weights: Vec<(Vec<(u32, f64)>, f64)>) -> Self {
        Self { start: Some(Start::Weights(weights)), ..self }
    }

    /// Returns `true` if there are values to start from.
    pub(crate) fn has_start(&self) -> bool {
        self.start.is_some()
    }

    /// Starts from zeros.
    pub(crate) fn without_start(self) -> Self {
        Self { start: None, ..self }
    }

    /// Returns C, and for each class the weight of the loss of a row with weight 1.
    pub(crate) fn factors(&self, problem: &Problem) -> Result<(f64, Vec<f64>), LinearError> {
        self.factors_by(problem, problem.class_weights())
    }

    /// Does the same with these sums of the weights of each class.
    pub(crate) fn factors_by(
        &self,
        problem: &Problem,
        sums: Vec<f64>,
    ) -> Result<(f64, Vec<f64>), LinearError> {
        let factors = self.factors_of(sums)?;
        if self.loss == Loss::Hinge && problem.bias.is_free() {
            let why = "it is free, and the dual values of the hinge are found one at a time, which would not \
                       keep their sum at 0: give a number, or choose squared-hinge";
            return Err(LinearError::Parameter { name: "bias", why: why.into() });
        }
        Ok(factors)
    }

    /// Returns C and the factors of classes with these sums of weights.
    pub(crate) fn factors_of(&self, sums: Vec<f64>) -> Result<(f64, Vec<f64>), LinearError> {
        let refuse = |name, value: f64| {
            let why = format!("it is {value}: it must be a number from 1e-100 to 1e100");
            Err(LinearError::Parameter { name, why })
        };
        let is_usual = |value: f64| (1e-100..=1e100).contains(&value);
        let all: f64 = sums.iter().sum();
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
        let ones = vec![1.0; sums.len()];
        let given = self.class_weights.as_ref().unwrap_or(&ones);
        if given.len() != sums.len() || !given.iter().all(|weight| is_usual(*weight)) {
            let why = format!("give a number from 1e-100 to 1e100 for each of {} classes", sums.len());
            return Err(LinearError::Parameter { name: "class-weights", why });
        }
        let count = sums.len() as f64;
        let factor = |sum: f64| c * if self.balanced { all / (count * sum) } else { 1.0 };
        Ok((c, sums.into_iter().zip(given).map(|(sum, given)| given * factor(sum)).collect()))
    }

    /// Returns the initial dual values of a scorer, by place; `None` without any.
    fn first_dual(&self, problem: &Problem, number: usize) -> Result<Option<Vec<f64>>, LinearError> {
        let Some(Start::Dual(dual)) = &self.start else { return Ok(None) };
        let count = problem.machines();
        match dual.get(number) {
            Some(values) if dual.len() == count && values.len() == problem.rows() => {
                match values.iter().position(|value| !value.is_finite()) {
                    Some(row) => {
                        Err(unfit(format!("the dual value of row {} is not a finite number", row + 1)))
                    }
                    None => Ok(Some(problem.added_up(values))),
                }
            }
            _ => Err(unfit(format!(
                "it has other rows or classes than the data, {} and {count}",
                problem.rows()
            ))),
        }
    }

    /// Returns the initial weights of a scorer, of the columns as they are fitted; `None` without any.
    fn first_weights(&self, problem: &Problem, number: usize) -> Result<Option<Vec<f64>>, LinearError> {
        let Some(Start::Weights(all)) = &self.start else { return Ok(None) };
        let (count, columns) = (problem.machines(), problem.columns());
        let Some((coefficients, intercept)) = all.get(number).filter(|_| all.len() == count) else {
            return Err(unfit(format!("it has other classes than the data, {count}")));
        };
        let (mut w, scales) = (vec![0.0; problem.rows.width()], problem.rows.scales()?);
        for &(column, value) in coefficients {
            match w.get_mut(column as usize) {
                Some(w) if (column as usize) < columns => {
                    *w = value * scales.map_or(1.0, |scales| scales[column as usize]);
                }
                _ => return Err(unfit(format!("it has more columns than the data, {columns}"))),
            }
        }
        if problem.bias.value() != 0.0 {
            w[columns] = intercept / problem.bias.value();
        }
        Ok(Some(w))
    }

    /// Returns the initial dual values of a binary problem.
    pub(crate) fn first(
        &self,
        problem: &Problem,
        number: usize,
        binary: &Binary<'_>,
    ) -> Result<Vec<f64>, LinearError> {
        let weights = self.first_weights(problem, number)?;
        let values = match (&weights, self.first_dual(problem, number)?) {
            (Some(w), _) => {
                let slope = |row: usize| binary.costs[row] * self.loss.slopes(binary.margin(row, w)).0;
                (0..binary.count()).map(slope).collect()
            }
            (None, Some(values)) => values,
            (None, None) => vec![0.0; binary.count()],
        };
        if !values.iter().all(|value| value.is_finite()) {
            return Err(unfit("a dual value that follows from its weights is not a finite number".into()));
        }
        let within = |(row, value): (usize, f64)| binary.inside(row, value);
        let values: Vec<f64> = values.into_iter().enumerate().map(within).collect();
        if weights.is_none() {
            return Ok(values);
        }
        // Slopes of other rows' losses point in the right direction but may go too far, so the best multiple
        // is used.
        let share = best_multiple(binary, &values);
        Ok(values.into_iter().map(|value| share * value).enumerate().map(within).collect())
    }

    /// Returns the solver of all classes together, with its initial weights: those that are given, or that
    /// follow from dual values.
    fn first_together(&self, problem: &Problem, factors: &[f64]) -> Result<Machine, LinearError> {
        let (all, mut w) = (problem.softmax(problem.rows.whole()?, factors), Vec::new());
        for number in 0..problem.machines() {
            w.extend(match (self.first_weights(problem, number)?, self.first_dual(problem, number)?) {
                (Some(weights), _) => weights,
                (None, Some(values)) => problem.binary(number, self.loss, factors)?.weights_of(&values),
                (None, None) => vec![0.0; problem.rows.width()],
            });
        }
        let w = interleaved(&w, problem.rows.width());
        let primal = all.primal(&w, &all.losses(&all.listed(&all.products(&w))));
        // From weights far off, such as of separable classes without their intercepts, no step may lead back.
        let is_better = primal < all.losses(&vec![0.0; all.count() * all.classes]).sum;
        Ok(Machine::together(&all, if is_better { w } else { vec![0.0; w.len()] }))
    }

    /// Returns the engine of a fit.
    ///
    /// # Errors
    /// If a parameter is out of range, or the values to start from do not fit the problem.
    pub fn engine(&self, problem: &Problem) -> Result<Engine<LinearProgram>, LinearError> {
        self.engine_along(problem, vec![self.factors(problem)?.1], u64::MAX)
    }

    /// Returns the engine of fits with these factors of classes, one after another, of so many epochs each;
    /// the first starts from the initial values.
    pub(crate) fn engine_along(
        &self,
        problem: &Problem,
        factors: Vec<Vec<f64>>,
        most: u64,
    ) -> Result<Engine<LinearProgram>, LinearError> {
        let (loss, tolerance, seed) = (problem.meant(self.loss), self.tolerance, self.seed);
        let first = factors.first().map_or(&[][..], |first| first);
        let machine = |number| {
            if loss == Loss::Multinomial {
                return self.first_together(problem, first);
            }
            let binary = problem.binary(number, loss, first)?;
            Ok(Machine::new(&binary, self.first(problem, number, &binary)?))
        };
        let count = machines(problem, loss);
        // Rows in a file are read by the process that solves the problem; no other process needs them.
        let is_begun_there = problem.rows.is_stored() && count == 1 && self.start.is_none();
        let machines = match is_begun_there {
            true => vec![Machine::default()],
            false => (0..count).map(machine).collect::<Result<_, _>>()?,
        };
        let (shards, alone) = match count {
            1 => (vec![Vec::new()], machines),
            _ => (machines.into_iter().map(|machine| vec![machine]).collect(), Vec::new()),
        };
        let schedule = EachShard::new(shards.len() as u32);
        let values = (0..problem.distinct()).map(|place| problem.rows.length(place) as u64).sum();
        let costs = vec![epoch_cost(count, values); shards.len()];
        let program = LinearProgram { problem: problem.clone(), loss, factors, tolerance, most, seed };
        let parts = Parts { shards, blocks: Vec::new(), pinned: alone, replica: () };
        Ok(Engine::new(program, schedule, parts).costs(costs))
    }

    /// Fits on the current thread.
    ///
    /// # Errors
    /// If a parameter is out of range, or the run fails.
    pub fn fit(&self, problem: &Problem) -> Result<Fit, LinearError> {
        self.fit_with(problem, |engine| engine)
    }

    /// Fits on an engine that `set` may configure, such as its number of workers.
    ///
    /// # Errors
    /// The errors of [`fit`](Self::fit).
    pub fn fit_with(
        &self,
        problem: &Problem,
        change: impl FnOnce(Engine<LinearProgram>) -> Engine<LinearProgram>,
    ) -> Result<Fit, LinearError> {
        let outcome = change(self.engine(problem)?).run()?;
        self.finish(problem, outcome)
    }

    /// Makes the fit from the outcome of [`engine`](Self::engine) on this problem.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn finish(
        &self,
        problem: &Problem,
        outcome: raddle::Outcome<LinearProgram>,
    ) -> Result<Fit, LinearError> {
        let (c, factors) = self.factors(problem)?;
        let raddle::Outcome { parts, report, trace, .. } = outcome;
        let machines = parts.shards.into_iter().flatten().chain(parts.pinned);
        let best = machines.map(|machine| machine.best).collect();
        Fit::new(problem, (problem.meant(self.loss), c, &factors), best, report, trace)
    }
}

/// Error of initial values that do not fit the problem.
fn unfit(why: String) -> LinearError {
    LinearError::Parameter { name: "init", why }
}

/// Returns the multiple, from 0 to 1, of dual values that maximises the dual objective, which is concave in
/// it.
fn best_multiple(binary: &Binary<'_>, a: &[f64]) -> f64 {
    let half = 0.5 * binary.weights_of(a).iter().map(|w| w * w).sum::<f64>();
    let dual = |share: f64| {
        let of = |(a, c): (&f64, &f64)| binary.loss.dual(share * a, *c);
        a.iter().zip(&binary.costs).map(of).sum::<f64>() - share * share * half
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..MULTIPLES {
        let third = (high - low) / 3.0;
        if dual(low + third) < dual(high - third) {
            low += third;
        } else {
            high -= third;
        }
    }
    // If the objective rises up to 1, dual values of the same rows stay exactly as they are.
    if high == 1.0 { 1.0 } else { low }
}
