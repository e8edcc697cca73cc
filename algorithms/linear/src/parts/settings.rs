//! [`InParts`]: the parameters of a fit whose rows are split into parts.

use raddle::prelude::*;
use raddle::schedule::{Delayed, Links};
use raddle::{Lazy, LazyParts, Outcome};

use super::cut::Cut;
use super::delayed::{DelayedParts, DelayedStanding};
use super::phase::PartsPhase;
use super::plan::PartPlan;
use super::program::{PartShard, PartsProgram, Standing};
use super::schedule::PartsSchedule;
use super::sigma::Sigma;
use super::step::Weighed;
use crate::data::problem::Problem;
use crate::data::rows::Rows;
use crate::error::LinearError;
use crate::model::Fit;
use crate::params::Linear;

/// Approximate default number of shards.
const SHARDS: usize = 64;

/// The parameters of a linear classifier of two classes whose rows are split into parts.
///
/// ```
/// use raddle_linear::{InParts, Linear, PartPlan, Problem};
///
/// let data = raddle_datasets::embedded::diabetes();
/// let y: Vec<f64> = data.y.iter().map(|y| f64::from(u8::from(*y > 152.0))).collect();
/// let problem = Problem::new(&data.x, &y, 1.0)?.scaled();
/// let parts = InParts::new(Linear::params().c(0.01), PartPlan::constant(4));
/// let fit = |workers| parts.fit_with(&problem, |engine| engine.workers(workers).epochs(20));
/// assert_eq!(fit(1)?.digest(), fit(2)?.digest()); // the same bytes on any number of workers
/// # Ok::<(), raddle_linear::LinearError>(())
/// ```
#[derive(Debug, Clone)]
pub struct InParts {
    linear: Linear,
    plan: PartPlan,
    shares: Option<Vec<f64>>,
    sigma: Sigma,
    shards: usize,
}

impl InParts {
    /// Makes parameters for equal parts by a plan, with an adaptive sigma' and about 64 shards.
    pub fn new(linear: Linear, plan: PartPlan) -> Self {
        Self { linear, plan, shares: None, sigma: Sigma::default(), shards: SHARDS }
    }

    /// Sets the share of each part in the values of all rows; there must be one share per part.
    pub fn shares(self, shares: Vec<f64>) -> Self {
        Self { shares: Some(shares), ..self }
    }

    /// Sets the factor sigma'.
    pub fn sigma(self, sigma: Sigma) -> Self {
        Self { sigma, ..self }
    }

    /// Sets the number of shards, which is rounded up to a multiple of the number of parts.
    pub fn shards(self, shards: usize) -> Self {
        Self { shards, ..self }
    }

    /// Splits the rows into parts and shards.
    ///
    /// # Errors
    /// If there are more parts than rows, or the number of shares differs from that of parts.
    pub fn cut(&self, problem: &Problem) -> Result<Cut, LinearError> {
        let refuse = |name, why: String| Err(LinearError::Parameter { name, why });
        self.plan.check()?;
        let (rows, finest) = (problem.distinct(), self.plan.finest(problem.distinct()));
        if finest as usize > rows {
            return refuse(
                "parts",
                format!("it is {}, which takes {finest} pieces: there are {rows} different rows", self.plan),
            );
        }
        let shares = match (&self.shares, self.plan.only()) {
            (None, _) => vec![1.0; finest as usize],
            (Some(_), None) => {
                return refuse("shares", format!("parts are {}: give one number of parts", self.plan));
            }
            (Some(shares), Some(parts)) if shares.len() != parts as usize => {
                return refuse(
                    "shares",
                    format!("there are {} for {parts} parts: give one for each", shares.len()),
                );
            }
            (Some(shares), _) => shares.clone(),
        };
        if let Some(bad) = shares.iter().find(|share| !(1e-9..=1e9).contains(*share)) {
            return refuse("shares", format!("one is {bad}: each must be a number from 1e-9 to 1e9"));
        }
        let cost = |row: usize| problem.rows.length(row) as u64 + 1;
        Ok(Cut::new(&(0..rows).map(cost).collect::<Vec<_>>(), &shares, self.shards))
    }

    /// Returns the engine of a fit.
    ///
    /// # Errors
    /// If a parameter is out of range, or the response has more than two classes.
    pub fn engine(&self, problem: &Problem) -> Result<Engine<PartsProgram>, LinearError> {
        let (program, parts) = self.made(problem)?;
        let cut = program.cut.clone();
        // A pass multiplies each value twice: for the margin of its row, and for the change of the weights.
        let costs = cut.costs().iter().map(|cost| 2 * cost).collect();
        let schedule = PartsSchedule::new(self.plan.clone(), cut, self.linear.seed);
        Ok(Engine::new(program, schedule, parts).costs(costs))
    }

    /// Returns the engine of a fit whose parts, each a shard, do not wait for each other: a part's change is
    /// added when it has come over its link, at most `lag` rounds late.
    ///
    /// # Errors
    /// The errors of [`engine`](Self::engine), and a plan of more than one number of parts.
    pub fn delayed(
        &self,
        problem: &Problem,
        links: Links,
        lag: u32,
    ) -> Result<Engine<DelayedParts>, LinearError> {
        let Some(parts) = self.plan.only() else {
            let why = format!("they are {}: give one number of parts to be delayed", self.plan);
            return Err(LinearError::Parameter { name: "parts", why });
        };
        let whole = Self { shards: 1, ..self.clone() };
        let (program, LazyParts { shards, pinned, replica, .. }) = whole.made(problem)?;
        let costs: Vec<u64> = program.cut.costs().iter().map(|cost| 2 * cost).collect();
        let bytes = vec![8 * replica.len() as u64; costs.len()];
        let phase = PartsPhase { parts, sigma: 0.0 };
        let schedule = Delayed::new(links, bytes).phase(phase).costs(costs.clone()).lag(lag);
        let pinned = DelayedStanding { standing: pinned, weights: replica.clone() };
        let parts = LazyParts { shards, blocks: Vec::new().into(), pinned, replica };
        Ok(Engine::new(DelayedParts(program), schedule, parts).costs(costs).staleness(lag as usize))
    }

    /// Returns the program, and the parts that it trains on.
    pub(super) fn made(
        &self,
        problem: &Problem,
    ) -> Result<(PartsProgram, LazyParts<PartsProgram>), LinearError> {
        if problem.machines() > 1 {
            let why = format!("the response has {} classes, and parts need two", problem.classes().len());
            return Err(LinearError::Parameter { name: "parts", why });
        }
        if problem.bias.is_free() {
            let why = "steps within a part would not keep the sum of the dual values at 0, which a free bias \
                       needs: leave it out, or give the value of a penalised column";
            return Err(LinearError::Parameter { name: "parts", why: why.into() });
        }
        self.sigma.check()?;
        let cut = self.cut(problem)?;
        let (_, factors) = self.linear.factors(problem)?;
        let loss = problem.meant(self.linear.loss);
        let none = Rows::default();
        // Rows in a file are not needed to start from zeros.
        let binary = match self.linear.has_start() {
            true => problem.binary(0, loss, &factors)?,
            false => problem.over(&none, 0, loss, &factors),
        };
        let a = self.linear.first(problem, 0, &binary)?;
        let signed: Vec<f64> = a.iter().zip(&binary.signs).map(|(a, sign)| a * sign).collect();
        let weights = match signed.iter().all(|a| *a == 0.0) {
            true => vec![0.0; problem.rows.width()],
            false => problem.rows.sum(&signed)?,
        };
        let (signs, costs) = (binary.signs, binary.costs);
        let (source, ranges) = (problem.rows.clone(), cut.rows.clone());
        let make = move |number: u32| -> Result<PartShard, LinearError> {
            let range = ranges[number as usize].clone();
            let (first, a) = (range.start as u64, a[range.clone()].to_vec());
            Ok(PartShard { first, rows: source.slice(range)?, a, before: Vec::new() })
        };
        let shards = Lazy::new(cut.shards(), make);
        let blocks = vec![Vec::new(); cut.finest() as usize].into();
        let program = PartsProgram {
            rows: Weighed { width: problem.rows.width(), loss, signs, costs },
            cut,
            sigma: self.sigma,
            tolerance: self.linear.tolerance,
            seed: self.linear.seed,
        };
        let parts = LazyParts { shards, blocks, pinned: Standing::default(), replica: weights };
        Ok((program, parts))
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
        change: impl FnOnce(Engine<PartsProgram>) -> Engine<PartsProgram>,
    ) -> Result<Fit, LinearError> {
        let outcome = change(self.engine(problem)?).run()?;
        self.finish(problem, outcome)
    }

    /// Makes the fit from the outcome of [`engine`](Self::engine) or [`delayed`](Self::delayed) on this
    /// problem; its weights are computed from the dual values of all shards.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn finish<P: Program<Shard = PartShard>>(
        &self,
        problem: &Problem,
        outcome: Outcome<P>,
    ) -> Result<Fit, LinearError> {
        let (c, factors) = self.linear.factors(problem)?;
        let mut dual = vec![0.0; problem.distinct()];
        for shard in &outcome.parts.shards {
            let first = shard.first as usize;
            if let Some(of) = dual.get_mut(first..first + shard.a.len()) {
                of.copy_from_slice(&shard.a);
            }
        }
        let (report, trace) = (outcome.report, outcome.trace);
        Fit::of(problem, (problem.meant(self.linear.loss), c, &factors), vec![(dual, None)], (report, trace))
    }
}
