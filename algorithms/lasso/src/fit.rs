//! What [`Lasso`] makes of its parameters and a problem: the engine, and the fit.

use std::ops::Range;
use std::sync::Arc;

use raddle::schedule::{Cyclic, Priority, PrioritySettings, Shuffled, Variables, even_parts};
use raddle::{Engine, Parts, Schedule};

use crate::data::design::Design;
use crate::data::problem::Problem;
use crate::error::LassoError;
use crate::lambdas::{Course, Penalty};
use crate::model::Fit;
use crate::params::{Choice, Lasso};
use crate::penalties::Terms;
use crate::run::gram_tiles::WorkingPart;
use crate::run::messages::Phase;
use crate::run::pinned::Solver;
use crate::run::program::LassoProgram;
use crate::run::replica::Replica;
use crate::run::schedule::WorkingSetSchedule;
use crate::run::shard::ColumnShard;
use crate::run::spec::{Spec, most_members};
use crate::run::start::Start;

/// Stored values of a shard: a pass over them takes some tenths of a millisecond, so that a task is worth scheduling.
const SHARD: usize = 400_000;

/// Fewer shards than this are made one: what two workers gain on so short passes, they lose in handing over.
const FEWEST_SHARDS: usize = 4;

/// Shards that no data set exceeds by itself; `shards` may.
const MOST_SHARDS: usize = 64;

impl Lasso {
    /// Fits.
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
        Ok(Fit::new(problem, outcome))
    }

    /// The run that [`fit`](Lasso::fit) carries out.
    ///
    /// # Errors
    /// If a parameter is out of its range, or the response does not suit the loss.
    pub fn engine(&self, problem: &Problem) -> Result<Engine<LassoProgram>, LassoError> {
        self.check()?;
        let start = Start::new(problem, self.loss, self.l1_ratio, &self.asked)?;
        let (design, rows) = (&start.design, problem.rows());
        let costs: Vec<u64> = (0..design.columns()).map(|j| design.cost(j) as u64).collect();
        let ranges = whole_groups(self.deal(design, &costs), &start.terms);
        let mut starts: Vec<u32> = ranges.iter().map(|range| range.start as u32).collect();
        starts.push(design.columns() as u32);
        let shard_costs = ranges.iter().map(|range| costs[range.clone()].iter().sum()).collect();
        let variables = Variables::in_ranges(costs.iter().map(|&cost| cost as u32).collect(), starts);
        let working_set = matches!(self.schedule, Choice::Auto | Choice::WorkingSet);
        let objective = start.objective;
        if let Course::One(Penalty::Lambda(lambda)) = self.course
            && !(lambda * rows as f64).is_finite()
        {
            let range = "times the number of rows it must not overflow";
            return Err(LassoError::Parameter { name: "lambda", value: format!("{lambda:e}"), range });
        }
        let coefficients = start.prepared(&self.init)?;
        // From coefficients that are not zero, the first certificate does not show lambda_max.
        let pinned = match self.init.is_empty() {
            true => Solver::new(objective, Arc::clone(&start.terms)),
            false => Solver::knowing(objective, Arc::clone(&start.terms), start.largest()),
        };
        let replica = Replica { rows: start.rows(&coefficients), stage: None };
        let (gram_response, roots) = match objective.shape().is_quadratic() {
            true => start.given.for_gram(),
            false => (Vec::new(), Vec::new()),
        };
        // Neither groups nor free columns are solved without a Gram.
        let most_members = match start.terms.has_groups() || start.given.free.is_some() {
            true => usize::MAX,
            false => most_members(design, self.frugal),
        };
        let spec = Spec {
            rows: start.given,
            gram_response,
            roots,
            objective,
            terms: Arc::clone(&start.terms),
            most_members,
            course: self.course,
            tolerance: self.tolerance,
            weights: !working_set,
            working_set,
        };
        let cold = working_set && self.init.is_empty() && self.course.len() == 1;
        let program = LassoProgram { spec, cold, sample: working_set };
        let parts = WorkingPart::deal(ranges.len(), design).into_iter();
        let made = ranges.into_iter().zip(parts);
        let mut shards: Vec<ColumnShard> =
            made.map(|(range, part)| ColumnShard::new(design, range, part)).collect();
        shards.iter_mut().for_each(|shard| shard.set(&coefficients));
        let schedule = self.schedule_over(variables, shards.len() as u32);
        let engine = Engine::new(program, schedule, Parts { shards, blocks: Vec::new(), pinned, replica });
        Ok(engine.costs(shard_costs).workers(self.workers).staleness(self.staleness).guard(self.guard))
    }

    /// The columns of each shard: of equal costs.
    fn deal(&self, design: &Design, costs: &[u64]) -> Vec<Range<usize>> {
        let by_size = match design.stored() / SHARD {
            0..FEWEST_SHARDS => 1,
            shards => shards.min(MOST_SHARDS),
        };
        even_parts(costs, self.shards.unwrap_or(by_size).min(design.columns()))
    }

    /// The smallest lambda without support on this problem.
    pub(crate) fn lambda_max(&self, problem: &Problem) -> Result<f64, LassoError> {
        let largest = Start::new(problem, self.loss, self.l1_ratio, &self.asked)?.largest();
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

/// Moves the ends of ranges to where groups end: a shard has whole groups.
fn whole_groups(ranges: Vec<Range<usize>>, terms: &Terms) -> Vec<Range<usize>> {
    let whole = |range: Range<usize>| {
        let moved = terms.border(range.start)..terms.border(range.end);
        // One that had no column before stays: where there are no groups, there are as many shards as were asked for.
        (range.is_empty() || !moved.is_empty()).then_some(moved)
    };
    ranges.into_iter().filter_map(whole).collect()
}
