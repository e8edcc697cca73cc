//! [`Point`]: weights at which rows are added up, and the grids of their sums.

use raddle::exact::Grid;

use crate::loss::Loss;

/// Halvings of a step whose losses are computed with those of the whole step: of the logistic loss, whose
/// values cost more, and of the squared hinge.
const HALVINGS: [i32; 2] = [12, 24];

/// Limit on bounds: dual terms are squares of what is bounded.
const LARGEST: f64 = 1e150;

/// Weights, and the step that led to them; no step at the first weights, and after a step was halved.
#[derive(Debug, Clone, Default)]
pub struct Point {
    pub(super) w: Vec<f64>,
    pub(super) step: Vec<f64>,
}

raddle::state!(Point { w, step });

impl Point {
    /// Makes the first point of so many columns.
    pub(crate) fn first(width: usize) -> Self {
        Self { w: vec![0.0; width], step: Vec::new() }
    }

    /// Returns the fractions of the step that are taken back by its halvings, the smallest first. Rows that
    /// enter a squared hinge may ask for many.
    pub(super) fn halvings(&self, loss: Loss) -> impl Iterator<Item = f64> + use<> {
        let count = if self.step.is_empty() { 0 } else { HALVINGS[usize::from(loss == Loss::SquaredHinge)] };
        (1..=count).map(|halving| 1.0 - 0.5_f64.powi(halving))
    }

    /// Returns the weights without this fraction of the step.
    pub(super) fn without(&self, fraction: f64) -> Vec<f64> {
        self.w.iter().zip(&self.step).map(|(w, step)| w - fraction * step).collect()
    }
}

/// Bounds of all rows.
#[derive(Debug, Clone)]
pub(crate) struct Bounds {
    /// A power of two for each column that no value is beyond.
    pub(crate) scales: Vec<f64>,
    /// Largest weight of a row's loss.
    pub(crate) most: f64,
    /// Number of rows.
    pub(crate) rows: u64,
    pub(crate) loss: Loss,
    /// Weights of the losses of each class, by which those of its rows are multiplied.
    pub(crate) factors: [f64; 2],
}

/// The grids of the sums at a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grids {
    /// Grid of second derivatives, by scaled columns.
    pub(super) second: Grid,
    /// Grid of first derivatives, by scaled columns.
    pub(super) first: Grid,
    /// Grid of losses and dual terms.
    pub(super) losses: Grid,
}

impl Bounds {
    /// Returns the largest error of a sum of second derivatives of the logistic loss by rounding.
    pub(super) fn rounding(&self) -> f64 {
        Grid::new(0.5 * self.most, self.rows)
            .map_or(f64::INFINITY, |grid| 0.5 * self.rows as f64 * grid.step())
    }

    /// `true` if there are grids for the first point.
    pub(crate) fn are_usual(&self) -> bool {
        self.grids(&Point::first(self.scales.len())).is_some()
    }

    /// Returns the grids at a point; `None` if its weights are too large.
    pub(super) fn grids(&self, point: &Point) -> Option<Grids> {
        let size = |w: &[f64]| w.iter().zip(&self.scales).map(|(w, scale)| w.abs() * scale).sum::<f64>();
        // No margin is larger, even where its sum is rounded.
        let margin = 1.001 * (size(&point.w) + size(&point.step)) + 1.0;
        let (second, first, value) = match self.loss {
            Loss::SquaredHinge => (2.0, 2.0 * margin, 3.0 * margin * margin),
            _ => (0.5, 1.0, margin),
        };
        let grid =
            |bound: f64| Grid::new(self.most * bound, self.rows).filter(|_| bound * self.most < LARGEST);
        Some(Grids { second: grid(second)?, first: grid(first)?, losses: grid(value)? })
    }
}
