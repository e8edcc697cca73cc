//! Fits by [`Lasso`]: makes an engine from parameters and a problem, and a fit from its outcome.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use raddle::schedule::{Cyclic, Priority, PrioritySettings, Shuffled, Variables, even_parts};
use raddle::{Engine, Lazy, LazyParts, Outcome, Schedule};

use crate::data::columns::Columns;
use crate::data::correlation::Correlator;
use crate::data::problem::Problem;
use crate::error::LassoError;
use crate::lambdas::{Course, Penalty};
use crate::model::Fit;
use crate::params::{Choice, Lasso};
use crate::penalties::{PenaltyOptions, Terms};
use crate::run::gram_tiles::GramTiles;
use crate::run::messages::Phase;
use crate::run::pinned::Solver;
use crate::run::program::LassoProgram;
use crate::run::replica::Replica;
use crate::run::schedule::WorkingSetSchedule;
use crate::run::shard::ColumnShard;
use crate::run::spec::{Spec, most_members};
use crate::run::start::Start;

/// Stored values of a shard: a pass over them takes some tenths of a millisecond, enough to make a task worth
/// scheduling.
const SHARD: usize = 400_000;

/// With fewer shards than this, all columns are in one: on passes so short, two workers lose in communication
/// what they gain.
const FEWEST_SHARDS: usize = 4;

/// Largest number of shards chosen by the size of the data; `shards` may be larger.
const MOST_SHARDS: usize = 64;

impl Lasso {
    /// Fits the problem.
    ///
    /// # Errors
    /// If a parameter is out of its range, the response does not suit the loss, or the run fails.
    pub fn fit(self, problem: &Problem) -> Result<Fit, LassoError> {
        self.fit_with(problem, |engine| engine)
    }

    /// Fits on an engine that `set` may change: limits, rescaling, checkpoints, an observer.
    ///
    /// # Errors
    /// If a parameter is out of its range, the response does not suit the loss, or the run fails.
    pub fn fit_with(
        self,
        problem: &Problem,
        set: impl FnOnce(Engine<LassoProgram>) -> Engine<LassoProgram>,
    ) -> Result<Fit, LassoError> {
        let engine = self.engine(problem)?;
        let outcome = set(engine).run()?;
        Ok(self.fitted(problem, outcome))
    }

    /// Makes the fit from the outcome of a run of [`engine`](Self::engine) on this problem. Given lambdas are
    /// those of its points, digit for digit, whereas [`Fit::new`] knows them up to rounding.
    pub fn fitted(&self, problem: &Problem, outcome: Outcome<LassoProgram>) -> Fit {
        let mut fit = Fit::new(problem, outcome);
        if let Course::Given(lambdas) = &self.course {
            fit.points.iter_mut().zip(lambdas.iter()).for_each(|(point, lambda)| point.lambda = *lambda);
        }
        fit
    }

    /// Makes the run that [`fit`](Lasso::fit) carries out.
    ///
    /// # Errors
    /// If a parameter is out of its range, or the response does not suit the loss.
    pub fn engine(&self, problem: &Problem) -> Result<Engine<LassoProgram>, LassoError> {
        self.check()?;
        let start = Start::new(problem, self.loss, self.l1_ratio, &self.asked_of(problem))?;
        let (design, rows) = (&start.design, problem.rows());
        let costs: Vec<u64> = (0..design.count()).map(|j| design.cost(j) as u64).collect();
        let ranges = whole_groups(self.assign(design, &costs), &start.terms);
        let mut starts: Vec<u32> = ranges.iter().map(|range| range.start as u32).collect();
        starts.push(design.count() as u32);
        let shard_costs = ranges.iter().map(|range| costs[range.clone()].iter().sum()).collect();
        let variables = Variables::in_ranges(costs.iter().map(|&cost| cost as u32).collect(), starts);
        let working_set = matches!(self.schedule, Choice::Auto | Choice::WorkingSet);
        let objective = start.objective;
        let given = match &self.course {
            Course::One(Penalty::Lambda(lambda)) => Some(("lambda", *lambda)),
            Course::Given(lambdas) => lambdas.first().map(|lambda| ("lambdas", *lambda)),
            _ => None,
        };
        if let Some((name, lambda)) = given.filter(|(_, lambda)| !(lambda * rows as f64).is_finite()) {
            let range = "times the number of rows it must not overflow";
            return Err(LassoError::Parameter { name, value: format!("{lambda:e}"), range });
        }
        let ridge = self.course.penalty(0, rows, f64::NAN);
        let coefficients = match self.l1_ratio == 0.0 && ridge > 0.0 {
            true => start.ridge(ridge)?,
            false => start.prepared(&self.init)?,
        };
        // With nonzero coefficients to start from, the first certificate does not show lambda_max.
        let pinned = match self.init.is_empty() && self.l1_ratio > 0.0 {
            true => Solver::new(objective, Arc::clone(&start.terms)),
            false => Solver::with_largest(objective, Arc::clone(&start.terms), start.largest()?),
        };
        let replica = Replica { rows: start.rows(&coefficients)?, stage: None };
        let (gram_response, roots) = match objective.shape().is_quadratic() {
            true => start.given.for_gram(),
            false => (Vec::new(), Vec::new()),
        };
        // Groups and free columns can be solved only with a Gram.
        let most_members = match start.terms.has_groups() || start.given.free.is_some() {
            true => usize::MAX,
            false => most_members(design, self.frugal),
        };
        let spec = Spec {
            rows: start.given,
            gram_response,
            roots,
            objective,
            columns: design.count(),
            terms: Arc::clone(&start.terms),
            most_members,
            course: self.course.clone(),
            leave: self.leave,
            tolerance: self.tolerance,
            weights: !working_set,
            working_set,
        };
        let cold = working_set && self.init.is_empty() && self.course.len() == 1;
        let correlator = Correlator { rows: spec.rows.len(), sample: working_set };
        let program = LassoProgram { spec, cold, correlator };
        let parts = GramTiles::assign(ranges.len(), design)?.into_iter();
        let schedule = self.schedule_over(variables, ranges.len() as u32);
        let shards = shards(design, ranges.into_iter().zip(parts).collect(), coefficients)?;
        let lazy_parts = LazyParts { shards, blocks: Vec::new().into(), pinned, replica };
        let engine = Engine::new(program, schedule, lazy_parts);
        Ok(engine.costs(shard_costs).workers(self.workers).staleness(self.staleness).guard(self.guard))
    }

    /// Returns the options of the columns: with a lambda of 0, none has a penalty.
    fn asked_of(&self, problem: &Problem) -> Cow<'_, PenaltyOptions> {
        match self.course {
            Course::One(Penalty::Lambda(0.0)) => {
                Cow::Owned(PenaltyOptions { factors: vec![0.0; problem.columns()], ..self.asked.clone() })
            }
            _ => Cow::Borrowed(&self.asked),
        }
    }

    /// Assigns columns to shards of equal cost.
    fn assign(&self, design: &Columns, costs: &[u64]) -> Vec<Range<usize>> {
        let by_size = match design.stored() / SHARD {
            0..FEWEST_SHARDS => 1,
            shards => shards.min(MOST_SHARDS),
        };
        even_parts(costs, self.shards.unwrap_or(by_size).min(design.count()))
    }

    /// Returns the smallest lambda without support on this problem.
    pub(crate) fn lambda_max(&self, problem: &Problem) -> Result<f64, LassoError> {
        let largest = Start::new(problem, self.loss, self.l1_ratio, &self.asked)?.largest()?;
        Ok(largest / problem.rows() as f64 / self.l1_ratio)
    }

    fn schedule_over(&self, variables: Variables, shards: u32) -> Box<dyn Schedule<Phase>> {
        let parallelism = self.parallelism;
        match self.schedule {
            Choice::Auto | Choice::WorkingSet => {
                Box::new(WorkingSetSchedule::new(variables, shards, self.explain))
            }
            Choice::Cyclic => Box::new(Cyclic::new(variables, parallelism).phase(Phase::Moves)),
            Choice::Shuffled => {
                Box::new(Shuffled::new(variables, parallelism, self.seed).phase(Phase::Moves))
            }
            Choice::Priority => {
                let settings = PrioritySettings {
                    candidates: self.candidates.unwrap_or(parallelism),
                    rho: self.rho,
                    explain: self.explain,
                    ..PrioritySettings::new(parallelism, self.seed)
                };
                Box::new(Priority::new(variables, settings).phase(Phase::Moves))
            }
        }
    }
}

/// Makes shards of these columns: views of columns in memory; columns read by parts are made where they live.
fn shards(
    columns: &Columns,
    mut parts: Vec<(Range<usize>, GramTiles)>,
    coefficients: Vec<(u32, f64)>,
) -> Result<Lazy<ColumnShard>, LassoError> {
    let columns = columns.clone();
    let made = |columns: &Columns, (range, part): (Range<usize>, GramTiles), coefficients: &[(u32, f64)]| {
        ColumnShard::of(columns, range, part, coefficients)
    };
    if let Columns::Here(_) = columns {
        let made = parts.into_iter().map(|part| made(&columns, part, &coefficients));
        return Ok(made.collect::<Result<Vec<_>, _>>()?.into());
    }
    Ok(Lazy::new(parts.len(), move |number: u32| {
        made(&columns, std::mem::take(&mut parts[number as usize]), &coefficients)
    }))
}

/// Moves the ends of ranges to the ends of groups: a shard has whole groups.
fn whole_groups(ranges: Vec<Range<usize>>, terms: &Terms) -> Vec<Range<usize>> {
    let whole = |range: Range<usize>| {
        let moved = terms.border(range.start)..terms.border(range.end);
        // A range that was empty before stays: without groups, there are as many shards as were asked for.
        (range.is_empty() || !moved.is_empty()).then_some(moved)
    };
    ranges.into_iter().filter_map(whole).collect()
}

#[cfg(test)]
mod tests;
