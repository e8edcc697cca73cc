//! [`Fit`]: a model, and the facts about its run.

use raddle::{Ending, EpochRecord, RunReport};

use crate::input::baseline::Baselines;
use crate::model::{Learned, Model};
use crate::settings::{FoldIn, Trial};

/// A fitted model with the measurements of its run.
#[derive(Debug, Clone)]
pub struct Fit {
    /// The best model of all that were measured.
    pub model: Model,
    /// Parts that the model predicts by: factors, unless they predict held-out ratings no better than the
    /// mean does.
    pub learned: Learned,
    /// The error of the factors on held-out ratings, if the model has no factors because of it.
    pub factors_best: Option<f64>,
    /// The baselines of the mean and of the biases alone, if they were computed: after
    /// [`Mf::fit_owned`](crate::Mf::fit_owned) of ratings, and if the model is one of them.
    pub baselines: Option<Baselines>,
    /// The model's metric on held-out ratings, if there were any: root mean squared error, or NDCG at 10 for
    /// implicit feedback.
    pub best: Option<f64>,
    /// Epoch after which the model was best; 0 for a model without factors.
    pub best_epoch: u64,
    /// Number of epochs of the model's stage, and of those before it was best: a fit of that length finds the
    /// model directly.
    pub length: (u32, u32),
    /// The method by which users and items are added to the model, with the regularisation of its stage.
    pub fold_in: FoldIn,
    /// Weights and regularisations that were tried, in order; the last stage's best is that of the model.
    pub trials: Vec<Trial>,
    /// The metric after each epoch.
    pub log: Vec<f64>,
    /// Counts and measurements of the run; the metric is that of the model.
    pub report: RunReport,
    /// One record per epoch, including the boundary before the first.
    pub trace: Vec<EpochRecord>,
}

impl Fit {
    /// A fit whose model has factors, without further facts.
    pub(crate) fn of(model: Model, fold_in: FoldIn, report: RunReport) -> Self {
        Self {
            model,
            learned: Learned::Factors,
            factors_best: None,
            baselines: None,
            best: None,
            best_epoch: 0,
            length: (0, 0),
            fold_in,
            trials: Vec::new(),
            log: Vec::new(),
            report,
            trace: Vec::new(),
        }
    }

    /// Returns the fit of ratings that are larger by `more` than the fitted ones.
    pub(crate) fn with_more(mut self, more: f64) -> Self {
        // Adding 0 would turn -0 into 0.
        if more != 0.0 {
            self.model.mean += more;
        }
        self
    }

    /// Returns the [digest](Model::digest) of the model: fits whose models are equal to the bit have the
    /// same.
    pub fn digest(&self) -> String {
        self.model.digest()
    }

    /// Copies rows that a fit has not trained from the model to start from: rows without ratings, and all
    /// rows if the run ended before its first epoch.
    pub(crate) fn keep_what_is_not_trained(
        &mut self,
        init: Option<&Model>,
        rated: impl FnOnce() -> [Vec<bool>; 2],
    ) {
        match init {
            Some(init) if self.report.epochs == 0 => {
                self.model = init.clone().widened(self.model.users(), self.model.items());
            }
            Some(init) => self.model.keep_rows_of(init, &rated()),
            None => {}
        }
    }

    /// Marks a fit whose model has infinite numbers as diverged, whatever was measured before its last steps.
    pub(crate) fn admit_divergence(mut self) -> Self {
        if !self.model.is_finite() {
            self.report.ending = Ending::Diverged;
        }
        self
    }
}
