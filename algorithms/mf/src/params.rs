//! [`Mf`]: parameters, unchecked until [`Mf::fit`] checks them once.

use raddle::Pool;

use crate::model::{Learned, Model};
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

/// A factorization to be fitted: its parameters, with defaults that suit all data.
///
/// | name | default | range | what it does |
/// |---|---|---|---|
/// | `rank` | 32 | 1 to 4096 | number of factors of a row |
/// | `method` | `Sgd` | | method of finding them |
/// | `reg` | by method and length | >= 0 | the weight of `|p|^2 + |q|^2`, counted at every rating |
/// | `unweighted_reg` | false | | the weight is counted once per row |
/// | `biases` | true | | each user and item has a bias |
/// | `non_negative` | false | | factors are at least 0; without biases no mean is then subtracted |
/// | `implicit` | none | > 0 | values are counts, with this weight each (`Als`) |
/// | `equations` | Cholesky; 3 gradients if implicit | | how `Als` solves a row |
/// | `inner` | 1 | >= 1 | passes over both sides of one rank by `Ccd` |
/// | `epochs` | none | >= 1 | length of the run; by default short, and longer while validation gains |
/// | `step` | by the length | > 0 | the first step, in standard deviations of the ratings |
/// | `count_power` | by the counts | 0 to 1 | steps of a row with n ratings are divided by n to this power |
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
#[derive(Debug, Clone)]
pub struct Mf {
    pub(crate) rank: usize,
    pub(crate) method: Method,
    pub(crate) reg: Option<f64>,
    pub(crate) unweighted_reg: bool,
    pub(crate) biases: bool,
    pub(crate) non_negative: bool,
    pub(crate) implicit: Option<f64>,
    pub(crate) equations: Option<Equations>,
    pub(crate) inner: usize,
    pub(crate) epochs: Option<u64>,
    /// Number of epochs after which the only stage ends, to repeat a run that was best there.
    pub(crate) cut: Option<u32>,
    pub(crate) step: Option<f64>,
    pub(crate) count_power: Option<f64>,
    pub(crate) item_step: f64,
    pub(crate) init_scale: f64,
    pub(crate) bias_step: f64,
    pub(crate) bias_reg: f64,
    pub(crate) target: Option<f64>,
    pub(crate) schedule: ScheduleKind,
    pub(crate) workers: usize,
    pub(crate) shards: Option<usize>,
    pub(crate) blocks: Option<usize>,
    pub(crate) seed: u64,
    pub(crate) init: Option<Model>,
    /// Parts that the model may predict by, to repeat a fit that has no factors.
    pub(crate) only: Option<Learned>,
    pub(crate) pool: Pool<Rating>,
}

impl Mf {
    /// The defaults.
    pub fn params() -> Self {
        Self {
            rank: 32,
            method: Method::Sgd,
            reg: None,
            unweighted_reg: false,
            biases: true,
            non_negative: false,
            implicit: None,
            equations: None,
            inner: 1,
            epochs: None,
            cut: None,
            step: None,
            count_power: None,
            item_step: 1.0,
            init_scale: 0.2,
            bias_step: 0.3,
            bias_reg: 0.02,
            target: None,
            schedule: ScheduleKind::Auto,
            workers: 1,
            shards: None,
            blocks: None,
            seed: 42,
            init: None,
            only: None,
            pool: Pool::default(),
        }
    }

    /// Sets the rank.
    pub fn rank(mut self, rank: usize) -> Self {
        self.rank = rank;
        self
    }

    /// Sets the method.
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// Sets the regularisation, in units of ratings, as `|p|^2` is in these units. Ratings ten times as
    /// large, with ten times the regularisation, give a model whose predictions are ten times as large. This
    /// does not hold for `Als` with biases, whose squares are weighted like those of factors, although they
    /// grow a hundredfold.
    pub fn reg(mut self, reg: f64) -> Self {
        self.reg = Some(reg);
        self
    }

    /// Counts the regularisation once per row rather than at every rating.
    pub fn unweighted_reg(mut self, plain: bool) -> Self {
        self.unweighted_reg = plain;
        self
    }

    /// Turns biases on or off.
    pub fn biases(mut self, biases: bool) -> Self {
        self.biases = biases;
        self
    }

    /// Keeps factors at 0 or above.
    pub fn non_negative(mut self, non_negative: bool) -> Self {
        self.non_negative = non_negative;
        self
    }

    /// Treats values as counts of implicit feedback: a pair with value r has the weight 1 + `weight` r, and
    /// pairs that did not occur have the weight 1.
    pub fn implicit(mut self, weight: f64) -> Self {
        self.implicit = Some(weight);
        self
    }

    /// Sets how alternating least squares solves a row.
    pub fn equations(mut self, equations: Equations) -> Self {
        self.equations = Some(equations);
        self
    }

    /// Sets the number of passes of coordinate descent over one rank.
    pub fn inner(mut self, passes: usize) -> Self {
        self.inner = passes;
        self
    }

    /// Sets the length of the run.
    pub fn epochs(mut self, epochs: u64) -> Self {
        self.epochs = Some(epochs);
        self
    }

    /// Sets the first step.
    pub fn step(mut self, step: f64) -> Self {
        self.step = Some(step);
        self
    }

    /// Makes the steps of rows shrink with the number of their ratings to this power.
    pub fn count_power(mut self, power: f64) -> Self {
        self.count_power = Some(power);
        self
    }

    /// Sets the factor by which the steps of items are multiplied.
    pub fn item_step(mut self, factor: f64) -> Self {
        self.item_step = factor;
        self
    }

    /// Sets the size of the first factors.
    pub fn init_scale(mut self, scale: f64) -> Self {
        self.init_scale = scale;
        self
    }

    /// Sets the step of biases as a share of the step of factors.
    pub fn bias_step(mut self, share: f64) -> Self {
        self.bias_step = share;
        self
    }

    /// Sets the regularisation of biases. For `Ccd` it is the weight of their squares, whatever the units;
    /// for `Sgd` it is in units of ratings, and the weight is this divided by their standard deviation.
    pub fn bias_reg(mut self, reg: f64) -> Self {
        self.bias_reg = reg;
        self
    }

    /// Ends the run at this root mean squared error on the ratings that are measured.
    pub fn target(mut self, target: f64) -> Self {
        self.target = Some(target);
        self
    }

    /// Sets the schedule.
    pub fn schedule(mut self, schedule: ScheduleKind) -> Self {
        self.schedule = schedule;
        self
    }

    /// Sets the number of workers.
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = workers;
        self
    }

    /// Sets the number of shards of users.
    pub fn shards(mut self, shards: usize) -> Self {
        self.shards = Some(shards);
        self
    }

    /// Sets the number of blocks of items.
    pub fn blocks(mut self, blocks: usize) -> Self {
        self.blocks = Some(blocks);
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Starts from a model. Its rows are those of the problem; rows that it does not have start as without a
    /// model. Rows without ratings stay as in the model, except that users' biases compensate for a mean that
    /// has changed.
    pub fn init(mut self, model: Model) -> Self {
        self.init = Some(model);
        self
    }
}
