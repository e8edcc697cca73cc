//! [`Fit`]: a model, and how it came about.

use raddle::{Ending, EpochRecord, RunReport};

use crate::input::baseline::Baselines;
use crate::model::{Learned, Model};

/// A model with what its run tells.
#[derive(Debug, Clone)]
pub struct Fit {
    /// The model: of everything that was measured, the best.
    pub model: Model,
    /// Parts that the model predicts by: factors, unless these predict what is held out no better than the
    /// mean does.
    pub learned: Learned,
    /// The error of the factors on what was held out, where the model has none because of it.
    pub factors_best: Option<f64>,
    /// Models of the mean and of the biases alone, where they were found: after
    /// [`Mf::fit_owned`](crate::Mf::fit_owned) of ratings, and wherever the model is one of them.
    pub baselines: Option<Baselines>,
    /// Its metric on what was held out, if anything was: root mean squared error, or NDCG at 10 for implicit
    /// feedback.
    pub best: Option<f64>,
    /// After which epoch it was; 0 for a model without factors.
    pub best_epoch: u64,
    /// The epochs of the stage that led to it, and those of them after which it was: a fit of that length
    /// leads there at once.
    pub length: (u32, u32),
    /// The regularisation of the stage that led to it, in units of ratings: for folding in.
    pub reg: f64,
    /// The metric after each epoch.
    pub log: Vec<f64>,
    /// Counts and measurements of the run; the metric is that of the model.
    pub report: RunReport,
    /// A record an epoch, the boundary before the first included.
    pub trace: Vec<EpochRecord>,
}

impl Fit {
    /// A model of factors, of which nothing else is told yet.
    pub(crate) fn of(model: Model, report: RunReport) -> Self {
        Self {
            model,
            learned: Learned::Factors,
            factors_best: None,
            baselines: None,
            best: None,
            best_epoch: 0,
            length: (0, 0),
            reg: 0.0,
            log: Vec::new(),
            report,
            trace: Vec::new(),
        }
    }

    /// Fit of ratings that are this much more than those it was made of.
    pub(crate) fn with_more(mut self, more: f64) -> Self {
        // Adding 0 would make -0 another number.
        if more != 0.0 {
            self.model.mean += more;
        }
        self
    }

    /// [Digest](Model::digest) of the model: fits whose models are equal to the bit have the same.
    pub fn digest(&self) -> String {
        self.model.digest()
    }

    /// Rows that a fit has not trained are as the model to start from has them: rows without ratings, and all
    /// rows where the run ended before its first epoch.
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

    /// A fit whose model has numbers without bounds has diverged, whatever was measured before its last
    /// steps.
    pub(crate) fn admit_divergence(mut self) -> Self {
        if !self.model.is_finite() {
            self.report.ending = Ending::Diverged;
        }
        self
    }
}
