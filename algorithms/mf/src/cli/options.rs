//! The options that say what is fitted: shared by all verbs that train.

use clap::Args;
use raddle::cli::{Error, TrainOptions, choose};
use raddle_mf::{Choice, Equations, Method, Mf};
use serde::Serialize;

/// The model and the way to it.
#[derive(Debug, Clone, Args, Serialize)]
pub(crate) struct ModelOptions {
    /// Factors of each user and item.
    #[arg(long, value_name = "K", default_value_t = 32, allow_negative_numbers = true)]
    pub(crate) rank: usize,
    /// The weight of |p|^2 + |q|^2, in units of squared ratings; by the solver and the length of the run unless given.
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) reg: Option<f64>,
    /// Count --reg once for each user and item, not at every rating.
    #[arg(long)]
    pub(crate) plain_reg: bool,
    /// How factors are found: sgd (gradient steps), als (alternating least squares) or ccd (coordinate descent).
    #[arg(long, value_name = "NAME", default_value = "sgd")]
    pub(crate) solver: String,
    /// Take the values for counts of implicit feedback: a pair weighs 1 + W value, one that is not there 1.
    #[arg(long, value_name = "W", num_args = 0..=1, default_missing_value = "5", allow_negative_numbers = true)]
    pub(crate) implicit: Option<f64>,
    /// Fit no biases of users and items.
    #[arg(long)]
    pub(crate) no_biases: bool,
    /// Keep all factors at 0 or above.
    #[arg(long)]
    pub(crate) nonnegative: bool,
    /// The first step of sgd, in standard deviations of the ratings; by the length of the run unless given.
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) step: Option<f64>,
    /// Shrink the steps of users and items by their number of ratings to this power; unless given, the steps of a side
    /// that has far more ratings a row than the other.
    #[arg(long, value_name = "A", allow_negative_numbers = true)]
    pub(crate) count_power: Option<f64>,
    /// Multiply the steps of items by this.
    #[arg(long, value_name = "X", default_value_t = 1.0, allow_negative_numbers = true)]
    pub(crate) item_step: f64,
    /// First factors of sgd are uniform in +- this / sqrt(rank).
    #[arg(long, value_name = "X", default_value_t = 0.2, allow_negative_numbers = true)]
    pub(crate) init_scale: f64,
    /// The step of biases as a share of that of factors.
    #[arg(long, value_name = "X", default_value_t = 0.3, allow_negative_numbers = true)]
    pub(crate) bias_step: f64,
    /// The weight of squared biases.
    #[arg(long, value_name = "X", default_value_t = 0.02, allow_negative_numbers = true)]
    pub(crate) bias_reg: f64,
    /// Let als solve rows by so many steps of conjugate gradients; exactly by Cholesky with 0.
    #[arg(long, value_name = "N")]
    pub(crate) cg_steps: Option<usize>,
    /// Passes of ccd over one rank before the next.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) inner: usize,
    /// Done at this root mean squared error: on the test set where there is one, else on the validation set.
    #[arg(long, value_name = "RMSE", allow_negative_numbers = true)]
    pub(crate) target: Option<f64>,
    /// Parts into which items are cut; as --shards cuts the users unless given.
    #[arg(long, value_name = "B", allow_negative_numbers = true)]
    pub(crate) blocks: Option<usize>,
}

impl ModelOptions {
    /// The parameters of a fit.
    pub(crate) fn mf(&self, train: &TrainOptions) -> Result<Mf, Error> {
        // Rounds are whole rotations, known an epoch ahead: nothing is proposed, checked against rho or left in flight.
        let unused = [
            ("--parallelism", train.parallelism.is_some()),
            ("--rho", train.rho.is_some()),
            ("--staleness", train.staleness > 0),
            ("--explain", train.explain),
        ];
        if let Some((option, _)) = unused.iter().find(|(_, is_given)| *is_given) {
            return Err(Error::usage(format!(
                "{option} has no use here: all blocks meet all shards, in an order that is known an epoch ahead; \
                 --shards and --blocks say how many are busy at once"
            )));
        }
        let mut mf = Mf::params()
            .rank(self.rank)
            .method(choose("--solver", &self.solver, &Method::NAMES)?)
            .plain_reg(self.plain_reg)
            .biases(!self.no_biases)
            .non_negative(self.nonnegative)
            .item_step(self.item_step)
            .init_scale(self.init_scale)
            .bias_step(self.bias_step)
            .bias_reg(self.bias_reg)
            .inner(self.inner)
            .schedule(train.schedule_from(&Choice::NAMES)?)
            .seed(train.seed)
            .workers(train.worker_count());
        for (value, set) in [
            (self.reg, Mf::reg as fn(Mf, f64) -> Mf),
            (self.step, Mf::step),
            (self.count_power, Mf::count_power),
            (self.implicit, Mf::implicit),
            (self.target, Mf::target),
        ] {
            if let Some(value) = value {
                mf = set(mf, value);
            }
        }
        if let Some(epochs) = train.epochs {
            mf = mf.epochs(epochs);
        }
        if let Some(shards) = train.shards {
            mf = mf.shards(shards);
        }
        if let Some(blocks) = self.blocks {
            mf = mf.blocks(blocks);
        }
        Ok(match self.cg_steps {
            Some(0) => mf.equations(Equations::Cholesky),
            Some(steps) => mf.equations(Equations::Gradients(steps)),
            None => mf,
        })
    }

    /// What makes a checkpoint this run's, beside the data.
    pub(crate) fn identity(&self, train: &TrainOptions) -> Result<String, Error> {
        let options = serde_json::to_string(self).map_err(Error::failed)?;
        Ok(format!("{options} epochs {:?} {}", train.epochs, train.identity()))
    }
}
