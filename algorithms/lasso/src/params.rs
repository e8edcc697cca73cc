//! [`Lasso`]: parameters, unchecked until [`Lasso::fit`] checks them once.

use raddle::schedule::{Cyclic, Priority, PrioritySettings, Shuffled, Variables, even_parts};
use raddle::{Engine, Parts, Schedule};

use crate::data::problem::Problem;
use crate::error::LassoError;
use crate::lambdas::{Course, Penalty};
use crate::loss::Loss;
use crate::model::Fit;
use crate::run::gram_tiles::WorkingPart;
use crate::run::pinned::Solver;
use crate::run::program::LassoProgram;
use crate::run::replica::Replica;
use crate::run::schedule::WorkingSetSchedule;
use crate::run::shard::ColumnShard;
use crate::run::spec::Spec;
use crate::run::start::Start;

/// Stored values of a shard: a pass over them takes some tenths of a millisecond, so that a task is worth scheduling.
const SHARD: usize = 400_000;

/// Fewer shards than this are made one: what two workers gain on so short passes, they lose in handing over.
const FEWEST_SHARDS: usize = 4;

/// Shards that no data set exceeds by itself; `shards` may.
const MOST_SHARDS: usize = 64;

/// lambda_max is in proportion to 1 / l1 ratio: below this it leaves the range of what is fitted.
const LEAST_L1_RATIO: f64 = 1e-9;

/// Which schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The working set.
    Auto,
    /// The working-set epoch: certify, choose, relate, solve.
    WorkingSet,
    /// The rounds of STRADS: by priority, with dependencies.
    Priority,
    /// Rounds of random blocks.
    Shuffled,
    /// Rounds of contiguous blocks.
    Cyclic,
}

impl Choice {
    /// The names that `--schedule` accepts, with what they choose.
    pub const NAMES: [(&str, Choice); 5] = [
        ("auto", Choice::Auto),
        ("working-set", Choice::WorkingSet),
        ("priority", Choice::Priority),
        ("shuffled", Choice::Shuffled),
        ("cyclic", Choice::Cyclic),
    ];
}

/// A Lasso to be fitted: its parameters, with defaults that suit all data.
///
/// | name | default | range | what it does |
/// |---|---|---|---|
/// | `loss` | `Squared` | | squared, logistic for a response of two values, or Poisson for counts |
/// | `penalty` | lambda_max / 10 | lambda > 0, or ratio >= 1 | the weight of the penalty |
/// | `l1_ratio` | 1 | \[1e-9, 1\] | the penalty is `lambda (a \|b\|_1 + (1 - a)/2 \|b\|^2)`, a the l1 ratio |
/// | `tolerance` | 1e-6 | (0, 1) | done when the relative duality gap (P - D) / P is at most this |
/// | `schedule` | `Auto` | | which schedule; `Auto` is the working set |
/// | `parallelism` | 64 | >= 1 | P: columns updated a round by the rounds of STRADS |
/// | `candidates` | P | >= P | P': candidates drawn a batch by `Priority` |
/// | `rho` | 0.1 | (0, 1), or none | `Priority` never updates two columns together that correlate above this |
/// | `staleness` | 0 | | rounds in flight beside the current one |
/// | `guard` | true | | rolls back an epoch that worsens the objective |
/// | `workers` | 1 | >= 1 | threads; never changes the model |
/// | `shards` | from the data | >= 1 | column ranges; never changes the working set's model |
/// | `init` | zeros | | coefficients to start from |
/// | `seed` | 42 | | names the streams of `Shuffled` and `Priority` |
///
/// ```
/// use raddle_lasso::{Lasso, Problem, Preparation};
///
/// let data = raddle_datasets::embedded::diabetes();
/// let problem = Problem::new(data.x, data.y, Preparation::default())?;
/// let fit = Lasso::params().ratio(100.0).fit(&problem)?;
/// assert!(fit.report.metric.value <= 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Lasso {
    course: Course,
    tolerance: f64,
    schedule: Choice,
    parallelism: usize,
    candidates: Option<usize>,
    rho: Option<f32>,
    shards: Option<usize>,
    seed: u64,
    explain: bool,
    workers: usize,
    staleness: usize,
    guard: bool,
    init: Vec<(u32, f64)>,
    loss: Loss,
    l1_ratio: f64,
}

impl Lasso {
    /// The defaults.
    pub fn params() -> Self {
        Self {
            course: Course::One(Penalty::Ratio(10.0)),
            tolerance: 1e-6,
            schedule: Choice::Auto,
            parallelism: 64,
            candidates: None,
            rho: Some(0.1),
            shards: None,
            seed: 42,
            explain: false,
            workers: 1,
            staleness: 0,
            guard: true,
            init: Vec::new(),
            loss: Loss::Squared,
            l1_ratio: 1.0,
        }
    }

    /// Sets the loss.
    pub fn loss(mut self, loss: Loss) -> Self {
        self.loss = loss;
        self
    }

    /// Sets the share of the l1 norm in the penalty: below 1 it is an elastic net.
    pub fn l1_ratio(mut self, l1_ratio: f64) -> Self {
        self.l1_ratio = l1_ratio;
        self
    }

    /// Sets lambda.
    pub fn lambda(mut self, lambda: f64) -> Self {
        self.course = Course::One(Penalty::Lambda(lambda));
        self
    }

    /// Sets lambda to lambda_max / `ratio`.
    pub fn ratio(mut self, ratio: f64) -> Self {
        self.course = Course::One(Penalty::Ratio(ratio));
        self
    }

    /// Fits a path: `points` lambdas from lambda_max to lambda_max / `ratio`, each certified; the report is the path's.
    pub fn path(mut self, points: usize, ratio: f64) -> Self {
        self.course = Course::Path { points, ratio };
        self
    }

    /// Sets the lambdas.
    pub(crate) fn course(mut self, course: Course) -> Self {
        self.course = course;
        self
    }

    /// Sets the relative duality gap at which the fit is done.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Sets the schedule.
    pub fn schedule(mut self, schedule: Choice) -> Self {
        self.schedule = schedule;
        self
    }

    /// Sets P, the columns updated a round.
    pub fn parallelism(mut self, columns: usize) -> Self {
        self.parallelism = columns;
        self
    }

    /// Sets P', the candidates drawn a batch.
    pub fn candidates(mut self, candidates: usize) -> Self {
        self.candidates = Some(candidates);
        self
    }

    /// Sets the correlation above which two columns depend on each other; `None` checks nothing.
    pub fn rho(mut self, rho: Option<f32>) -> Self {
        self.rho = rho;
        self
    }

    /// Sets the number of shards.
    pub fn shards(mut self, shards: usize) -> Self {
        self.shards = Some(shards);
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Keeps a log of every round.
    pub fn explain(mut self, explain: bool) -> Self {
        self.explain = explain;
        self
    }

    /// Sets the number of worker threads.
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = workers;
        self
    }

    /// Sets the staleness of rounds.
    pub fn staleness(mut self, rounds: usize) -> Self {
        self.staleness = rounds;
        self
    }

    /// Turns the guard on or off.
    pub fn guard(mut self, guard: bool) -> Self {
        self.guard = guard;
        self
    }

    /// Starts from these coefficients, (column from 0, value on the original scale), rather than from zeros.
    pub fn init(mut self, coefficients: Vec<(u32, f64)>) -> Self {
        self.init = coefficients;
        self
    }

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
        let design = &problem.design;
        let (rows, columns) = (design.rows(), design.columns());
        let costs: Vec<u64> = (0..columns).map(|j| design.cost(j) as u64).collect();
        let by_size = match design.stored() / SHARD {
            0..FEWEST_SHARDS => 1,
            shards => shards.min(MOST_SHARDS),
        };
        let shards = self.shards.unwrap_or(by_size).min(columns);
        let ranges = even_parts(&costs, shards);
        let mut starts: Vec<u32> = ranges.iter().map(|range| range.start as u32).collect();
        starts.push(columns as u32);
        let shard_costs = ranges.iter().map(|range| costs[range.clone()].iter().sum()).collect();
        let variables = Variables::in_ranges(costs.iter().map(|&cost| cost as u32).collect(), starts);
        let working_set = matches!(self.schedule, Choice::Auto | Choice::WorkingSet);
        let start = Start::new(problem, self.loss, self.l1_ratio)?;
        let objective = start.objective;
        if let Course::One(Penalty::Lambda(lambda)) = self.course
            && !(lambda * rows as f64).is_finite()
        {
            let range = "times the number of rows it must not overflow";
            return Err(LassoError::Parameter { name: "lambda", value: format!("{lambda:e}"), range });
        }
        let coefficients = start.prepared(&self.init)?;
        // From coefficients that are not zero, the first certificate does not show lambda_max.
        let solver = match self.init.is_empty() {
            true => Solver::new(objective),
            false => Solver::knowing(objective, start.largest()),
        };
        let replica = Replica::new(start.rows(&coefficients), working_set);
        let spec = Spec {
            y: start.y,
            objective,
            course: self.course,
            tolerance: self.tolerance,
            weights: !working_set,
            working_set,
        };
        let cold = working_set && self.init.is_empty() && self.course.len() == 1;
        let program = LassoProgram { spec, cold, sample: working_set };
        let parts = WorkingPart::deal(shards, design).into_iter();
        let mut shards: Vec<ColumnShard> = ranges
            .into_iter()
            .zip(parts)
            .map(|(range, part)| ColumnShard::new(design, range, part))
            .collect();
        for shard in &mut shards {
            shard.set(&coefficients);
        }
        let parts = Parts { shards, blocks: Vec::new(), pinned: solver, replica };
        let engine = Engine::new(program, self.schedule_over(variables, parts.shards.len() as u32), parts);
        Ok(engine.costs(shard_costs).workers(self.workers).staleness(self.staleness).guard(self.guard))
    }

    /// The smallest lambda without support on this problem.
    pub(crate) fn lambda_max(&self, problem: &Problem) -> Result<f64, LassoError> {
        let largest = Start::new(problem, self.loss, self.l1_ratio)?.largest();
        Ok(largest / problem.rows() as f64 / self.l1_ratio)
    }

    pub(crate) fn which_loss(&self) -> Loss {
        self.loss
    }

    fn schedule_over(&self, variables: Variables, shards: u32) -> Box<dyn Schedule> {
        let parallelism = self.parallelism;
        match self.schedule {
            Choice::Auto | Choice::WorkingSet => {
                Box::new(WorkingSetSchedule::new(variables, shards, self.explain))
            }
            Choice::Cyclic => Box::new(Cyclic::new(variables, parallelism)),
            Choice::Shuffled => Box::new(Shuffled::new(variables, parallelism, self.seed)),
            Choice::Priority => {
                let settings = PrioritySettings {
                    candidates: self.candidates.unwrap_or(parallelism),
                    rho: self.rho,
                    explain: self.explain,
                    ..PrioritySettings::new(parallelism, self.seed)
                };
                Box::new(Priority::new(variables, settings))
            }
        }
    }

    fn check(&self) -> Result<(), LassoError> {
        let refuse = |name, value: String, range| Err(LassoError::Parameter { name, value, range });
        match self.course {
            Course::One(Penalty::Lambda(lambda)) if !(lambda >= f64::MIN_POSITIVE && lambda.is_finite()) => {
                return refuse(
                    "lambda",
                    number(lambda),
                    "it must be a positive number, no smaller than 2.3e-308",
                );
            }
            Course::One(Penalty::Ratio(ratio)) | Course::Path { ratio, .. }
                if !(ratio >= 1.0 && ratio.is_finite()) =>
            {
                return refuse("ratio", number(ratio), "it must be a number of at least 1");
            }
            _ => {}
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return refuse("tol", number(self.tolerance), "it must lie between 0 and 1, such as 1e-6");
        }
        if !(self.l1_ratio >= LEAST_L1_RATIO && self.l1_ratio <= 1.0) {
            let range = "it must be above 0, 1e-9 at least, and at most 1, where 1 is the Lasso";
            return refuse("l1-ratio", number(self.l1_ratio), range);
        }
        if self.course.len() == 0 {
            return refuse("points", "0".into(), "a path needs at least 1 point");
        }
        if self.course.len() > 1 && !matches!(self.schedule, Choice::Auto | Choice::WorkingSet) {
            return refuse("schedule", "of rounds".into(), "a path needs the working set");
        }
        if self.parallelism == 0 {
            return refuse("parallelism", "0".into(), "a round needs at least 1 column");
        }
        if let Some(candidates) = self.candidates.filter(|&candidates| candidates < self.parallelism) {
            return refuse("candidates", candidates.to_string(), "it must be at least the parallelism");
        }
        if let Some(rho) = self.rho.filter(|rho| !(*rho > 0.0 && *rho < 1.0)) {
            return refuse("rho", rho.to_string(), "it must lie between 0 and 1, or be off");
        }
        if self.shards == Some(0) {
            return refuse("shards", "0".into(), "there must be at least 1");
        }
        Ok(())
    }
}

/// A number as a message shows it: with an exponent where its digits would run on.
fn number(value: f64) -> String {
    if value == 0.0 || (1e-6..1e15).contains(&value.abs()) { value.to_string() } else { format!("{value:e}") }
}
