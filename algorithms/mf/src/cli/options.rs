//! The options that say what is fitted: shared by all verbs that train.

use clap::Args;
use raddle_cli::{Error, TrainOptions, choose, refuse_without_effect};
use raddle_mf::{Equations, Method, Mf, ScheduleKind};
use serde::Serialize;

/// Help text of --schedule.
pub(super) const SCHEDULE: &str =
    "Rule for choosing the blocks to update: rotation (the same as auto) or priority";

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
    /// Let the weight --reg of a user or item with n ratings grow like n^NU, where NU is from 0 (counted once)
    /// to 1 (counted at each rating). With --implicit, absent pairs count, too, each 1 / W. Default: 1; 0 with
    /// --implicit.
    #[arg(long, value_name = "NU", conflicts_with = "unweighted_reg")]
    pub(crate) reg_power: Option<f64>,
    /// Count --reg once for each user and item. The same as --reg-power 0.
    #[arg(long)]
    pub(crate) unweighted_reg: bool,
    /// Solver: sgd, als or ccd. They are stochastic gradient descent, alternating least squares and cyclic
    /// coordinate descent. Default: sgd; als, the only choice, with --implicit.
    #[arg(long, value_name = "NAME")]
    pub(crate) solver: Option<String>,
    /// Fit implicit feedback: counts, such as clicks. An observed pair has the confidence 1 + W|value|, where
    /// W is 5 if left out; any other pair has 1. Pairs with a value of 0 or below count as not preferred.
    #[arg(long, value_name = "W", num_args = 0..=1, default_missing_value = "5")]
    pub(crate) implicit: Option<f64>,
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

    /// Returns the parameters of a fit.
    pub(crate) fn mf(&self, train: &TrainOptions) -> Result<Mf, Error> {
        let method = choose("--solver", self.solver(), &Method::NAMES)?;
        self.refuse_idle(method)?;
        let equations = self.cg_steps.map(|steps| match steps {
            0 => Equations::Cholesky,
            steps => Equations::Gradients(steps),
        });
        Ok(Mf::params()
            .rank(self.rank)
            .method(method)
            .biases(!self.no_biases)
            .non_negative(self.nonnegative)
            .schedule(train.schedule_from(&ScheduleKind::NAMES)?)
            .seed(train.seed)
            .workers(train.worker_count())
            .given(self.reg, Mf::reg)
            .given(self.reg_power.or(self.unweighted_reg.then_some(0.0)), Mf::reg_power)
            .given(self.step, Mf::step)
            .given(self.count_power, Mf::count_power)
            .given(self.implicit, Mf::implicit)
            .given(self.target, Mf::target)
            .given(self.item_step, Mf::item_step)
            .given(self.init_scale, Mf::init_scale)
            .given(self.bias_step, Mf::bias_step)
            .given(self.bias_reg, Mf::bias_reg)
            .given(train.epochs, Mf::epochs)
            .given(train.shards, Mf::shards)
            .given(self.blocks, Mf::blocks)
            .given(self.inner, Mf::inner)
            .given(equations, Mf::equations))
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
        if self.no_biases {
            refuse_without_effect(&of_biases, "with --no-biases")?;
        }
        if self.nonnegative {
            refuse_without_effect(&[("--cg-steps", self.cg_steps.is_some())], "with --nonnegative")?;
        }
        Ok(())
    }
}
