//! [`Mf`]: parameters, unchecked until [`Mf::fit`] checks them once.

use raddle::Pool;

use crate::model::{Learned, Model};
use crate::settings::FoldIn;
use raddle_kernels::factors::Rating;

/// A method of finding the factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Stochastic gradient steps.
    Sgd,
    /// Alternating least squares.
    Als,
    /// Coordinate descent, one rank after another.
    Ccd,
}

impl Method {
    /// The names that `--solver` accepts, and the methods.
    pub const NAMES: [(&str, Method); 3] = [("sgd", Method::Sgd), ("als", Method::Als), ("ccd", Method::Ccd)];
}

/// A schedule, or the automatic choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScheduleKind {
    /// Rotation for gradient steps; one side after the other for the other methods.
    Auto,
    /// Every block is trained with every shard once per epoch.
    Rotation,
    /// Cells of a block and a shard are trained by how much their error fell lately.
    Priority,
}

impl ScheduleKind {
    /// The names that `--schedule` accepts, and the schedules.
    pub const NAMES: [(&str, ScheduleKind); 3] = [
        ("auto", ScheduleKind::Auto),
        ("rotation", ScheduleKind::Rotation),
        ("priority", ScheduleKind::Priority),
    ];
}

/// A method of solving a row's equations in alternating least squares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Equations {
    /// Exactly, by a Cholesky factor.
    Cholesky,
    /// By this number of conjugate gradient steps from the row's last values.
    Gradients(usize),
}

raddle_common::params! {
    /// A factorization to be fitted: its parameters, with defaults that suit all data.
    ///
    /// | name | default | range | what it does |
    /// |---|---|---|---|
    /// | `rank` | 32 | 1 to 4096 | number of factors of a row |
    /// | `method` | `Sgd` | | method of finding them |
    /// | `reg` | by method and length | >= 0 | the weight of `|p|^2 + |q|^2` |
    /// | `reg_power` | 1; 0 if implicit | 0 to 1 | the weight is `reg` times a row's count to this power |
    /// | `biases` | true | | each user and item has a bias |
    /// | `non_negative` | false | | factors are at least 0; without biases no mean is then subtracted |
    /// | `implicit` | none | > 0 | values are counts, with this weight each (`Als`) |
    /// | `count_alone` | false | | a count is the whole weight of its pair, without the 1 (`Als`) |
    /// | `equations` | Cholesky; 3 gradients if implicit | | how `Als` solves a row |
    /// | `inner` | 1 | >= 1 | passes over both sides of one rank by `Ccd` |
    /// | `epochs` | none | >= 1 | length of the run; by default short, and longer while validation gains |
    /// | `step` | by the length | > 0 | the first step, in standard deviations of the ratings |
    /// | `count_power` | by the counts | 0 to 1 | a row with n ratings has steps divided by n to this power |
    /// | `item_step` | 1 | > 0 | steps of items are multiplied by this |
    /// | `init_scale` | 0.2 | > 0 | first factors are uniform in +- this / sqrt(rank) |
    /// | `bias_step` | 0.3 | > 0 | the step of biases as a share of that of factors |
    /// | `target` | none | > 0 | the run ends at this root mean squared error on measured ratings |
    /// | `schedule` | `Auto` | | which block meets which shard next |
    /// | `workers` | 1 | >= 1 | never changes the model |
    /// | `shards`, `blocks` | from the data | >= 1 | parts of the users, and of the items |
    /// | `seed` | 42 | | seed of the first factors |
    /// | `init` | none | | a model to start from |
    ///
    /// ```
    /// use raddle_mf::{Mf, Problem};
    ///
    /// let source = "synth:ratings:users=200,items=100,n=6000";
    /// let data = raddle_datasets::read_any_ratings(source, &Default::default())?;
    /// let problem = Problem::new(200, 100, data.triples)?.validate_on_share(0.1, 42)?;
    /// let fit = Mf::params().rank(8).fit(&problem)?;
    /// assert!(fit.report.metric.value < 0.8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Fits with the same parameters, or with copies of them, reuse the memory of earlier fits.
    pub struct Mf {
        /// Sets the rank.
        rank(rank: usize) = 32;
        /// Sets the method.
        method(method: Method) = Method::Sgd;
        /// Sets the regularisation, in units of ratings, as `|p|^2` is in these units. Ratings ten times as
        /// large, with ten times the regularisation, give a model whose predictions are ten times as large.
        /// This does not hold for `Als` with biases, whose squares are weighted like those of factors,
        /// although they grow a hundredfold.
        reg(reg: f64);
        /// Sets the power NU: the square of a row with n ratings has the weight `reg n^NU`. So 1 counts the
        /// regularisation at every rating, and 0 once per row. For implicit feedback with the weight W the
        /// pairs that did not occur count, too, each 1 / W.
        reg_power(power: f64);
        /// Turns biases on or off.
        biases(biases: bool) = true;
        /// Keeps factors at 0 or above.
        non_negative(non_negative: bool) = false;
        /// Treats values as counts of implicit feedback: a pair with value r has the weight 1 + `weight` r,
        /// and pairs that did not occur have the weight 1.
        implicit(weight: f64);
        /// Gives a pair with value r the weight `weight` r instead of 1 + `weight` r, as the package implicit
        /// does. Pairs that did not occur still have the weight 1.
        count_alone(count_alone: bool) = false;
        /// Sets how alternating least squares solves a row.
        equations(equations: Equations);
        /// Sets the number of passes of coordinate descent over one rank.
        inner(passes: usize) = 1;
        /// Sets the length of the run.
        epochs(epochs: u64);
        /// Sets the first step.
        step(step: f64);
        /// Makes the steps of rows shrink with the number of their ratings to this power.
        count_power(power: f64);
        /// Sets the factor by which the steps of items are multiplied.
        item_step(factor: f64) = 1.0;
        /// Sets the size of the first factors.
        init_scale(scale: f64) = 0.2;
        /// Sets the step of biases as a share of the step of factors.
        bias_step(share: f64) = 0.3;
        /// Sets the regularisation of biases. For `Ccd` it is the weight of their squares, whatever the
        /// units; for `Sgd` it is in units of ratings, and the weight is this divided by their standard
        /// deviation.
        bias_reg(reg: f64) = 0.02;
        /// Ends the run at this root mean squared error on the ratings that are measured.
        target(target: f64);
        /// Sets the schedule.
        schedule(schedule: ScheduleKind) = ScheduleKind::Auto;
        /// Sets the number of workers.
        workers(workers: usize) = 1;
        /// Sets the number of shards of users.
        shards(shards: usize);
        /// Sets the number of blocks of items.
        blocks(blocks: usize);
        /// Sets the seed.
        seed(seed: u64) = 42;
        /// Starts from a model. Its rows are those of the problem; rows that it does not have start as
        /// without a model. Rows without ratings stay as in the model, except that users' biases compensate
        /// for a mean that has changed.
        init(model: Model);
    }
    /// Number of epochs after which the only stage ends, to repeat a run that was best there.
    cut: Option<u32> = None;
    /// Parts that the model may predict by, to repeat a fit that has no factors.
    only: Option<Learned> = None;
    /// The choice of weight and regularisation of implicit feedback, if not both are given.
    choice: Option<Choice> = None;
    pool: Pool<Rating> = Pool::default();
}

/// Weight and regularisation of implicit feedback; what is `None` is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Choice {
    pub(crate) weight: Option<f64>,
    pub(crate) reg: Option<f64>,
}

/// Weight of a count if none is given, and there is nothing to choose it by.
const WEIGHT: f64 = 5.0;

impl Mf {
    /// Fits clicks: [`implicit`](Self::implicit) feedback whose weight and [`reg`](Self::reg) are chosen
    /// while the run goes on, unless they are given: by NDCG at 10 of the problem's held-out pairs, the same
    /// on any number of workers. If nothing is held out, the weight is 5, and the regularisation the default.
    pub fn clicks(mut self, weight: Option<f64>, reg: Option<f64>) -> Self {
        self.choice = (weight.is_none() || reg.is_none()).then_some(Choice { weight, reg });
        (self.implicit, self.reg) = (Some(weight.unwrap_or(WEIGHT)), reg);
        self
    }

    /// Returns the method by which users and items are added to the model of a fit with this regularisation.
    pub(crate) fn folds_in(&self, reg: f64) -> FoldIn {
        let biases = self.biases && self.implicit.is_none();
        let Self { implicit, count_alone, .. } = *self;
        FoldIn { reg, reg_power: self.power(), biases, implicit, count_alone }
    }

    /// Returns the power of a row's count by which its regularisation grows.
    pub(crate) fn power(&self) -> f64 {
        self.reg_power.unwrap_or(usual_power(self.implicit))
    }
}

/// Returns the power of a row's count by which its regularisation grows unless one is given: a weight of
/// counts makes the feedback implicit.
pub(crate) fn usual_power(implicit: Option<f64>) -> f64 {
    if implicit.is_some() { 0.0 } else { 1.0 }
}
