//! [`FactorBlock`]: the factors and biases of a shard's users or of a block's items.

use super::partition::Partition;
use super::replica::EpochPlan;
use raddle_kernels::factors::{Rows, Scale};

/// Rows of one side in the order of their places, and a copy of the best ones.
#[derive(Debug, Clone, Default)]
pub(crate) struct FactorBlock {
    pub(crate) rows: Rows,
    /// Sum, for each row, of the parts of its ratings that its bias should explain, if biases start from
    /// means; else empty.
    pub(crate) sums: Vec<f64>,
    best: Option<Rows>,
    stage: u32,
    /// One more than the number of the epoch that has started here.
    begun: u64,
}

raddle::state!(FactorBlock { rows, sums, best, stage, begun });

impl FactorBlock {
    /// A block of rows that were trained before, with the factors of their steps.
    pub(crate) fn going_on(rows: Rows, scales: Vec<Scale>) -> Self {
        Self { rows: Rows { scales, ..rows }, ..Self::default() }
    }

    /// Starts an epoch here, once: copies the rows if they were the best, and replaces them at the start of a
    /// stage. `fresh` makes new rows from the factors of their steps; unless `restarts` is true a stage
    /// continues with the present rows.
    pub(crate) fn begin(
        &mut self,
        epoch: u64,
        now: &EpochPlan,
        restarts: bool,
        fresh: impl FnOnce(&[f64], Vec<Scale>) -> Rows,
        scales: impl FnOnce() -> Vec<Scale>,
    ) {
        if self.begun == epoch + 1 && self.rows.width > 0 {
            return;
        }
        self.begun = epoch + 1;
        if self.rows.width == 0 {
            self.rows = fresh(&self.sums, scales());
            self.stage = now.stage;
            return;
        }
        if now.keep {
            let Rows { width, factors, biases, .. } = &self.rows;
            let (factors, biases) = (factors.clone(), biases.clone());
            self.best = Some(Rows { width: *width, factors, biases, scales: Vec::new() });
        }
        if std::mem::replace(&mut self.stage, now.stage) != now.stage && restarts {
            let scales = std::mem::take(&mut self.rows.scales);
            self.rows = fresh(&self.sums, scales);
        }
    }

    /// `true` if no epoch has started here and no sums were made. `has_rows` says that rows were trained
    /// before.
    pub(crate) fn is_new(&self, has_rows: bool) -> bool {
        let is_untouched = self.sums.is_empty() && self.best.is_none() && self.begun == 0;
        is_untouched && if has_rows { self.rows.width > 0 } else { self.rows == Rows::default() }
    }

    /// Returns the copy of the best rows, if there is one.
    pub(crate) fn best(&self) -> Option<&Rows> {
        self.best.as_ref()
    }

    /// Returns the rows to keep: the best, or those of the last epoch.
    pub(crate) fn into_result(self, use_best: bool) -> Rows {
        let rows = self.best.filter(|_| use_best).unwrap_or(self.rows);
        Rows { scales: Vec::new(), ..rows }
    }

    /// Returns the present rows, or the best ones if `use_best` is true.
    pub(crate) fn result(&self, use_best: bool) -> &Rows {
        self.best.as_ref().filter(|_| use_best).unwrap_or(&self.rows)
    }
}

/// Settings for the factors of the steps of a side's rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scaling {
    /// Steps of a row with n ratings are multiplied by ((n + 10) / (m + 10))^-power, m the geometric mean of
    /// the mean counts of both sides.
    pub(crate) power: f64,
    /// The power of a row's count by which its regularisation grows.
    pub(crate) reg_power: f64,
    /// `true` if the regularisation is the default: rows of the middle count then have it at every rating,
    /// whatever the power.
    pub(crate) is_by_default: bool,
    /// Biases are damped means: their regularisation counts once per row, with the weight of this many
    /// ratings.
    pub(crate) damped: Option<f64>,
}

impl Scaling {
    /// `true` if all factors are 1.
    fn is_even(&self) -> bool {
        self.power == 0.0 && self.reg_power == 1.0 && self.damped.is_none()
    }

    /// Returns the factors for the rows of a part, if the regularisation of biases is `bias_decay` in units
    /// of ratings.
    pub(crate) fn of(&self, rows: &[u32], partition: &Partition, middle: f64, bias_decay: f64) -> Vec<Scale> {
        if self.is_even() {
            return Vec::new();
        }
        let unit = if self.is_by_default { libm::pow(middle, 1.0 - self.reg_power) } else { 1.0 };
        let scale = |&row: &u32| {
            let count = f64::from(partition.counts[row as usize]);
            let step = match self.power {
                0.0 => 1.0,
                power => libm::pow((count + 10.0) / (middle + 10.0), -power),
            };
            let decay = libm::pow(count, self.reg_power) * unit / count;
            let bias = self.damped.map_or(decay, |weight| weight / count / bias_decay.max(f64::MIN_POSITIVE));
            Scale { step: step.clamp(0.02, 20.0) as f32, decay: decay as f32, bias_decay: bias as f32 }
        };
        rows.iter().map(scale).collect()
    }
}
