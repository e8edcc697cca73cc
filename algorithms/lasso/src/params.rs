//! [`Lasso`]: parameters, unchecked until [`Lasso::fit`] checks them once.

use crate::lambdas::{Course, LeaveRule, Penalty};
use crate::loss::Loss;
use crate::penalties::PenaltyOptions;

/// A schedule, or the automatic choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The working set.
    Auto,
    /// The working-set epoch: certify, choose, relate, solve.
    WorkingSet,
    /// The rounds of STRADS: by priority, with dependency checks.
    Priority,
    /// Rounds of random blocks.
    Shuffled,
    /// Rounds of contiguous blocks.
    Cyclic,
}

impl Choice {
    /// The names that `--schedule` accepts, and the schedules.
    pub const NAMES: [(&str, Choice); 5] = [
        ("auto", Choice::Auto),
        ("working-set", Choice::WorkingSet),
        ("priority", Choice::Priority),
        ("shuffled", Choice::Shuffled),
        ("cyclic", Choice::Cyclic),
    ];
}

raddle_common::params! {
    /// A Lasso to be fitted: its parameters, with defaults that suit all data.
    ///
    /// | name | default | range | what it does |
    /// |---|---|---|---|
    /// | `loss` | `Squared` | | squared, logistic (two classes), multinomial (more), or Poisson (counts) |
    /// | `factors` | 1 | 0, or 1e-100 to 1e100 | factor of the penalty of each column |
    /// | `groups` | none | not with `bounds` or rounds | which columns are chosen together |
    /// | `bounds` | none | around 0 | lower and upper bound of each coefficient |
    /// | `penalty` | lambda_max / 10 | lambda >= 0, or ratio >= 1 | weight of the penalty, or several |
    /// | `l1_ratio` | 1 | 0, \[1e-9, 1\] | a in the penalty `lambda (a \|b\|_1 + (1 - a)/2 \|b\|^2)` |
    /// | `tolerance` | 1e-6 | (0, 1) | done when the relative duality gap (P - D) / P is at most this |
    /// | `schedule` | `Auto` | | which schedule; `Auto` is the working set |
    /// | `parallelism` | 64 | >= 1 | P: columns updated in a round of STRADS |
    /// | `candidates` | P | >= P | P': candidates drawn a batch by `Priority` |
    /// | `rho` | 0.1 | (0, 1), or none | `Priority` updates no columns together that correlate more |
    /// | `staleness` | 0 | | rounds in flight in addition to the current one |
    /// | `guard` | true | | rolls back an epoch that worsens the objective |
    /// | `whole_path` | no | | follows a path to its end, past points that are not certified |
    /// | `frugal` | false | | keeps memory near that of the data |
    /// | `workers` | 1 | >= 1 | threads; never changes the model |
    /// | `shards` | from the data | >= 1 | column ranges; never changes the working set's model |
    /// | `init` | zeros | | coefficients to start from |
    /// | `seed` | 42 | | seed of `Shuffled` and `Priority` |
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
    pub struct Lasso {
        /// Sets the loss.
        loss(loss: Loss) = Loss::Squared;
        /// Sets the share of the l1 norm in the penalty: below 1 it is an elastic net, and at 0 ridge
        /// regression, of the squared loss and one lambda.
        l1_ratio(l1_ratio: f64) = 1.0;
        /// Sets the relative duality gap at which the fit ends.
        tolerance(tolerance: f64) = 1e-6;
        /// Sets the schedule.
        schedule(schedule: Choice) = Choice::Auto;
        /// Sets P, the number of columns updated in a round.
        parallelism(columns: usize) = 64;
        /// Sets P', the number of candidates drawn for a round.
        candidates(candidates: usize);
        /// Sets the correlation above which two columns depend on each other; `None` turns the check off.
        rho(rho: Option<f32>) = Some(0.1);
        /// Sets the number of shards.
        shards(shards: usize);
        /// Sets the seed.
        seed(seed: u64) = 42;
        /// Keeps a log of every round.
        explain(explain: bool) = false;
        /// Sets the number of worker threads.
        workers(workers: usize) = 1;
        /// Sets the staleness of rounds.
        staleness(rounds: usize) = 0;
        /// Keeps memory near that of the data: a quadratic fit of sparse columns has no Gram where that would
        /// take more memory than the columns, and is solved by the columns, which may take longer. Folds of a
        /// cross-validation are fitted this way.
        frugal(frugal: bool) = false;
        /// Turns the guard on or off.
        guard(guard: bool) = true;
        /// Starts from these coefficients, as (column from 0, value on the original scale), rather than from
        /// zeros; for classes with scores of their own they are numbered as in
        /// [`Fit::coefficients`](crate::Fit::coefficients).
        init(coefficients: Vec<(u32, f64)>) = Vec::new();
    }
    course: Course = Course::One(Penalty::Ratio(10.0));
    asked: PenaltyOptions = PenaltyOptions::default();
    leave: Option<LeaveRule> = None;
}

impl Lasso {
    /// Sets the factor of each column's penalty: p numbers, for columns as prepared. A column with a factor
    /// of 0 has no penalty: it is always fitted, as the intercept is.
    pub fn factors(mut self, factors: Vec<f64>) -> Self {
        self.asked.factors = factors;
        self
    }

    /// Bounds the coefficients: p pairs of a lower bound of at most 0 and an upper bound of at least 0, on
    /// the scale on which coefficients are reported; infinite bounds have no effect.
    ///
    /// ```
    /// use raddle_lasso::{Lasso, Preparation, Problem};
    /// let data = raddle_datasets::embedded::diabetes();
    /// let problem = Problem::new(data.x, data.y, Preparation::default())?;
    /// let fit = Lasso::params().bounds(vec![(0.0, f64::INFINITY); 10]).fit(&problem)?;
    /// assert!(fit.coefficients.iter().all(|&(_, value)| value > 0.0));
    /// # Ok::<(), raddle_lasso::LassoError>(())
    /// ```
    pub fn bounds(mut self, bounds: Vec<(f64, f64)>) -> Self {
        self.asked.bounds = bounds;
        self
    }

    /// Chooses columns by groups: `groups` has p numbers, the same for the columns of a group. The penalty of
    /// a group of m columns is lambda (a sqrt(m) |b_g|_2 + (1 - a)/2 |b_g|^2), for columns as prepared.
    /// Groups exclude bounds and rounds.
    pub fn groups(mut self, groups: Vec<u32>) -> Self {
        self.asked.groups = groups;
        self
    }

    /// Adds to the sizes of groups columns of zeros that the problem does not have, as (group, count). They
    /// are the columns of groups that a table which [keeps only the columns that
    /// occur](raddle_datasets::Occurring) has left out.
    pub fn absent(mut self, columns: Vec<(u32, u32)>) -> Self {
        self.asked.absent = columns;
        self
    }

    /// Sets lambda; 0 leaves the penalty out.
    pub fn lambda(mut self, lambda: f64) -> Self {
        self.course = Course::One(Penalty::Lambda(lambda));
        self
    }

    /// Sets lambda to lambda_max / `ratio`.
    pub fn ratio(mut self, ratio: f64) -> Self {
        self.course = Course::One(Penalty::Ratio(ratio));
        self
    }

    /// Fits a path: `points` lambdas from lambda_max to lambda_max / `ratio`, each certified; the report is
    /// that of the path.
    pub fn path(mut self, points: usize, ratio: f64) -> Self {
        self.course = Course::Path { points, ratio };
        self
    }

    /// Fits a path at these lambdas, the largest first: at least one, each a positive number.
    ///
    /// ```
    /// use raddle_lasso::{Lasso, Preparation, Problem};
    /// let data = raddle_datasets::embedded::diabetes();
    /// let problem = Problem::new(data.x, data.y, Preparation::default())?;
    /// let path = Lasso::params().lambdas(vec![0.1, 10.0, 1.0]).fit(&problem)?;
    /// assert_eq!(path.points.iter().map(|point| point.lambda).collect::<Vec<_>>(), [10.0, 1.0, 0.1]);
    /// # Ok::<(), raddle_lasso::LassoError>(())
    /// ```
    pub fn lambdas(mut self, mut lambdas: Vec<f64>) -> Self {
        lambdas.sort_by(|a, b| b.total_cmp(a));
        self.course = Course::Given(lambdas.into());
        self
    }

    /// Follows a path to its end. The fit moves on from a point that makes no more progress towards the
    /// tolerance, and reports the gap that was reached; so it does from a point that has used its epochs:
    /// `epochs`, if given, plus those that earlier points did not use. Without this, a path ends at such a
    /// point.
    ///
    /// ```
    /// use raddle_lasso::{Lasso, Preparation, Problem};
    /// let data = raddle_datasets::embedded::diabetes();
    /// let problem = Problem::new(data.x, data.y, Preparation::default())?;
    /// let path = Lasso::params().path(20, 1000.0).whole_path(Some(1)).fit(&problem)?;
    /// assert_eq!(path.points.len(), 20);
    /// # Ok::<(), raddle_lasso::LassoError>(())
    /// ```
    pub fn whole_path(mut self, epochs: Option<u64>) -> Self {
        self.leave = Some(LeaveRule { epochs });
        self
    }

    /// Sets the lambdas.
    pub(crate) fn course(mut self, course: Course) -> Self {
        self.course = course;
        self
    }
}
