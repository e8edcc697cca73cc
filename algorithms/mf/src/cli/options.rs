//! The options that say what is fitted: shared by all verbs that train.

use std::borrow::Cow;

use clap::Args;
use raddle_cli::{Error, TrainOptions, choose, refuse_without_effect};
use raddle_datasets::{Ratings, RatingsOptions};
use raddle_mf::{Equations, Method, Mf, ScheduleKind};
use serde::{Serialize, Serializer};

use super::data;

/// Help text of --schedule.
pub(super) const SCHEDULE: &str =
    "Rule for choosing the blocks to update: rotation (the same as auto) or priority";

/// Writes the weight of implicit feedback; one that is to be chosen as `auto`.
fn weight<S: Serializer>(implicit: &Option<Option<f64>>, serializer: S) -> Result<S::Ok, S::Error> {
    match implicit {
        Some(None) => serializer.serialize_str("auto"),
        given => given.flatten().serialize(serializer),
    }
}

/// Heading of the options of single solvers.
const SOLVER: &str = "Options of the solver";

/// Options of the model and its solver.
#[derive(Debug, Clone, Args, Serialize)]
pub(crate) struct ModelOptions {
    /// Number of factors of users and items.
    #[arg(long, value_name = "K", default_value_t = 32)]
    pub(crate) rank: usize,
    /// Regularisation of the factors. It is the weight of their squares, |p|^2 + |q|^2. Ratings on a scale
    /// ten times as large need about ten times the weight. Default: depends on the solver and the length of
    /// the run.
    #[arg(long, value_name = "X")]
    pub(crate) reg: Option<f64>,
    /// Multiply the --reg of each user and item by its number of ratings to the power NU, 0 to 1. With
    /// --implicit, each absent pair adds 1/W to that number. Default: 1; 0 with --implicit.
    #[arg(long, value_name = "NU", conflicts_with = "unweighted_reg")]
    pub(crate) reg_power: Option<f64>,
    /// Count --reg once for each user and item. The same as --reg-power 0.
    #[arg(long)]
    pub(crate) unweighted_reg: bool,
    /// Solver: sgd, als or ccd. They are stochastic gradient descent, alternating least squares and cyclic
    /// coordinate descent. Default: sgd; als, the only choice, with --implicit.
    #[arg(long, value_name = "NAME")]
    pub(crate) solver: Option<String>,
    /// Fit implicit feedback: counts, such as clicks. An observed pair has the confidence 1 + W|value|, any
    /// other pair 1. Pairs with a value of 0 or below count as not preferred. W and --reg, if not given, are
    /// chosen by NDCG at 10 on held-out pairs.
    #[arg(long, value_name = "W", num_args = 0..=1)]
    #[serde(serialize_with = "weight")]
    pub(crate) implicit: Option<Option<f64>>,
    /// Weigh an observed pair by W|value| alone. This leaves out the 1, as the library implicit does. Needs
    /// --implicit.
    #[arg(long)]
    pub(crate) count_alone: bool,
    /// Halve the weight of a click for every DAYS of its age, which is counted from the latest click. Needs
    /// --implicit and a column of times.
    #[arg(long, value_name = "DAYS")]
    pub(crate) half_life: Option<f64>,
    /// Fit no biases for users and items.
    #[arg(long)]
    pub(crate) no_biases: bool,
    /// Keep all factors at 0 or above.
    #[arg(long)]
    pub(crate) nonnegative: bool,
    /// Initial step size (learning rate) of sgd, in standard deviations of the ratings. Default: depends on
    /// the length of the run.
    #[arg(long, value_name = "X", help_heading = SOLVER)]
    pub(crate) step: Option<f64>,
    /// Divide the sgd steps of each user and item by the number of their ratings to the power A, from 0 to 1.
    /// Default: smaller steps for the side (users or items) with far more ratings each.
    #[arg(long, value_name = "A", help_heading = SOLVER)]
    pub(crate) count_power: Option<f64>,
    /// Multiply the sgd steps of items by this factor. Default: 1.
    #[arg(long, value_name = "X", help_heading = SOLVER)]
    pub(crate) item_step: Option<f64>,
    /// Draw initial factors uniformly between -X / sqrt(rank) and X / sqrt(rank). Default: 0.2.
    #[arg(long, value_name = "X", help_heading = SOLVER)]
    pub(crate) init_scale: Option<f64>,
    /// Step size of biases in sgd, as a multiple of that of factors. Default: 0.3.
    #[arg(long, value_name = "X", help_heading = SOLVER)]
    pub(crate) bias_step: Option<f64>,
    /// Regularisation of biases in sgd and ccd: the weight of their squares. In sgd this is divided by the
    /// standard deviation of the ratings. Default: 0.02.
    #[arg(long, value_name = "X", help_heading = SOLVER)]
    pub(crate) bias_reg: Option<f64>,
    /// Number of conjugate gradient steps for each user and item in als; 0 solves exactly, by Cholesky. Not
    /// with --nonnegative. Default: 0; 3 with --implicit.
    #[arg(long, value_name = "N", help_heading = SOLVER)]
    pub(crate) cg_steps: Option<usize>,
    /// Number of inner iterations of ccd: passes over one factor before the next. Default: 1.
    #[arg(long, value_name = "N", help_heading = SOLVER)]
    pub(crate) inner: Option<usize>,
    /// Stop at this root mean squared error on the test set, or on the validation set if there is no test
    /// set. Not with --implicit.
    #[arg(long, value_name = "RMSE")]
    pub(crate) target: Option<f64>,
    /// Do not store what users have rated. `mf recommend` then needs --exclude or --with-seen.
    #[arg(long)]
    pub(crate) no_seen: bool,
    /// Number of blocks (partitions) of the items in sgd. Default: as many as shards.
    #[arg(long, value_name = "B", help_heading = SOLVER)]
    pub(crate) blocks: Option<usize>,
}

impl ModelOptions {
    /// Returns the name of the metric on held-out ratings.
    pub(crate) fn metric(&self) -> &'static str {
        if self.implicit.is_some() { "ndcg@10" } else { "rmse" }
    }

    /// `true` if the weight or the regularisation of implicit feedback is chosen by the fit.
    pub(crate) fn is_chosen(&self) -> bool {
        self.implicit.is_some_and(|weight| weight.is_none() || self.reg.is_none())
    }

    /// Returns the name of the solver.
    fn solver(&self) -> &str {
        self.solver.as_deref().unwrap_or(if self.implicit.is_some() { "als" } else { "sgd" })
    }

    /// Returns a note on a solver that was chosen by default.
    pub(crate) fn note(&self) -> &'static str {
        match (&self.solver, self.implicit) {
            (None, Some(_)) => "implicit feedback is fitted by --solver als, the only solver for it\n",
            _ => "",
        }
    }

    /// Returns the number subtracted from the ratings: 0 if factors represent the whole rating or its size
    /// matters; `None` to derive it from the data.
    pub(crate) fn offset(&self) -> Option<f64> {
        (self.implicit.is_some() || self.nonnegative && self.no_biases).then_some(0.0)
    }

    /// Reads ratings as a fit with these options takes them.
    pub(crate) fn read(&self, source: Option<&str>, how: RatingsOptions) -> Result<Ratings, Error> {
        let times = how.times || self.half_life.is_some();
        let how = RatingsOptions { times, offset: self.offset(), half_life: self.half_life, ..how };
        let ratings = data::read(source, &how)?;
        match self.half_life.filter(|_| ratings.times.is_none()) {
            Some(days) => Err(Error::input(format!(
                "--half-life {days}: the ratings have no times: give a file with a column of them, as in \
                 --columns user,item,rating,time"
            ))),
            None => Ok(ratings),
        }
    }

    /// Returns the limits of a run: the epochs of a choice come before those of --epochs.
    pub(crate) fn limits<'a>(&self, train: &'a TrainOptions) -> Cow<'a, TrainOptions> {
        match self.is_chosen() {
            true => Cow::Owned(TrainOptions { epochs: None, ..train.clone() }),
            false => Cow::Borrowed(train),
        }
    }

    /// Returns the parameters of a fit.
    pub(crate) fn mf(&self, train: &TrainOptions) -> Result<Mf, Error> {
        let method = choose("--solver", self.solver(), &Method::NAMES)?;
        self.refuse_idle(method)?;
        let equations = self.cg_steps.map(|steps| match steps {
            0 => Equations::Cholesky,
            steps => Equations::Gradients(steps),
        });
        let mf = Mf::params()
            .rank(self.rank)
            .method(method)
            .biases(!self.no_biases)
            .count_alone(self.count_alone)
            .non_negative(self.nonnegative)
            .schedule(train.schedule_from(&ScheduleKind::NAMES)?)
            .seed(train.seed)
            .workers(train.worker_count())
            .given(self.reg_power.or(self.unweighted_reg.then_some(0.0)), Mf::reg_power)
            .given(self.step, Mf::step)
            .given(self.count_power, Mf::count_power)
            .given(self.target, Mf::target)
            .given(self.item_step, Mf::item_step)
            .given(self.init_scale, Mf::init_scale)
            .given(self.bias_step, Mf::bias_step)
            .given(self.bias_reg, Mf::bias_reg)
            .given(train.epochs, Mf::epochs)
            .given(train.shards, Mf::shards)
            .given(self.blocks, Mf::blocks)
            .given(self.inner, Mf::inner)
            .given(equations, Mf::equations);
        Ok(match self.implicit {
            Some(weight) => mf.clicks(weight, self.reg),
            None => mf.given(self.reg, Mf::reg),
        })
    }

    /// Refuses options that were given and have no effect.
    fn refuse_idle(&self, method: Method) -> Result<(), Error> {
        let (sgd, als, ccd) = (method == Method::Sgd, method == Method::Als, method == Method::Ccd);
        let of_solvers = [
            ("--step", self.step.is_some() && !sgd),
            ("--count-power", self.count_power.is_some() && !sgd),
            ("--item-step", self.item_step.is_some() && !sgd),
            ("--bias-step", self.bias_step.is_some() && !sgd),
            ("--bias-reg", self.bias_reg.is_some() && als),
            ("--blocks", self.blocks.is_some() && !sgd),
            ("--cg-steps", self.cg_steps.is_some() && !als),
            ("--inner", self.inner.is_some() && !ccd),
        ];
        refuse_without_effect(&of_solvers, &format!("with --solver {}", self.solver()))?;
        let of_biases = [("--bias-step", self.bias_step.is_some()), ("--bias-reg", self.bias_reg.is_some())];
        if self.implicit.is_none() {
            let of_weights = [("--half-life", self.half_life.is_some()), ("--count-alone", self.count_alone)];
            refuse_without_effect(&of_weights, "without --implicit, as ratings have no weights")?;
        }
        if let Some(days) = self.half_life.filter(|days| !(days.is_finite() && *days > 0.0)) {
            return Err(Error::usage(format!("--half-life is {days}: give a number of days above 0")));
        }
        if self.no_biases {
            refuse_without_effect(&of_biases, "with --no-biases")?;
        }
        if self.nonnegative {
            refuse_without_effect(&[("--cg-steps", self.cg_steps.is_some())], "with --nonnegative")?;
        }
        Ok(())
    }
}
