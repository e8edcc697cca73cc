//! [`Part`]: the factors and biases of a shard's users or of a block's items.

use crate::grid::Deal;
use crate::kernels::Rows;
use crate::replica::Now;

/// Which side of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Users,
    Items,
}

/// Rows of one side in the order of their places, and the copy of them that measured best.
#[derive(Debug, Clone, Default)]
pub(crate) struct Part {
    pub(crate) rows: Rows,
    kept: Option<Rows>,
    stage: u32,
    /// One more than the epoch that has begun here.
    begun: u64,
}

raddle::state!(Part { rows, kept, stage, begun });

impl Part {
    /// Begins an epoch here, once: keeps what was best, and starts anew where a stage begins. `fresh` makes new rows,
    /// given what their steps are multiplied by.
    pub(crate) fn begin(
        &mut self,
        (epoch, now): (u64, &Now),
        fresh: impl FnOnce(Vec<[f32; 2]>) -> Rows,
        scales: impl FnOnce() -> Vec<[f32; 2]>,
    ) {
        if self.begun == epoch + 1 {
            return;
        }
        self.begun = epoch + 1;
        if self.rows.width == 0 {
            self.rows = fresh(scales());
            self.stage = now.stage;
            return;
        }
        if now.keep {
            let Rows { width, factors, biases, .. } = &self.rows;
            let (factors, biases) = (factors.clone(), biases.clone());
            self.kept = Some(Rows { width: *width, factors, biases, scales: Vec::new() });
        }
        if self.stage != now.stage {
            self.stage = now.stage;
            let scales = std::mem::take(&mut self.rows.scales);
            self.rows = fresh(scales);
        }
    }

    /// The rows as they are, or those that were kept.
    pub(crate) fn result(&self, kept: bool) -> &Rows {
        self.kept.as_ref().filter(|_| kept).unwrap_or(&self.rows)
    }
}

/// What the steps of a side's rows are multiplied by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scaling {
    /// Steps of a row with n ratings are multiplied by ((n + 10) / (m + 10))^-power, m the geometric mean of the mean
    /// counts of both sides.
    pub(crate) power: f64,
    /// What the steps of items are multiplied by besides.
    pub(crate) items: f64,
    /// Whether the decay is counted once a row rather than at every rating.
    pub(crate) plain: Plain,
}

impl Scaling {
    /// Whether there is anything to multiply.
    pub(crate) fn is_even(&self) -> bool {
        self.power == 0.0 && self.items == 1.0 && self.plain == Plain::No
    }

    /// Of the rows of a part: what their steps, and what their decay besides, is multiplied by.
    pub(crate) fn of(&self, rows: &[u32], deal: &Deal, middle: f64, side: Side) -> Vec<[f32; 2]> {
        if self.is_even() {
            return Vec::new();
        }
        let of_side = if side == Side::Items { self.items } else { 1.0 };
        let scale = |&row: &u32| {
            let count = f64::from(deal.counts[row as usize]);
            let step = of_side * libm::pow((count + 10.0) / (middle + 10.0), -self.power);
            let decay = match self.plain {
                Plain::No => 1.0,
                Plain::Given => 1.0 / count,
                Plain::Default => middle / count,
            };
            [step.clamp(0.02, 20.0) as f32, decay as f32]
        };
        rows.iter().map(scale).collect()
    }
}

/// Whether regularisation is counted once a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plain {
    /// It is counted at every rating.
    No,
    /// It is, and its weight is given.
    Given,
    /// It is, and a row of middling count has the weight that it would have by default.
    Default,
}
