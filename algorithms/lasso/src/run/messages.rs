//! What shards, the pinned block and the replicas say to each other: answers, changes, and all that these carry.

use std::sync::Arc;

use super::solution::Solved;
use super::spec::Spec;
use crate::data::correlation::Aspect;
use crate::data::design::{Column, View};
use crate::loss::rows::Rows;
use crate::loss::soft_threshold;
use crate::penalties::Terms;

/// What a round is for.
#[derive(Debug, Clone)]
pub enum Phase {
    /// Exact coordinate updates.
    Moves,
    /// Columns enter the working set.
    Enter,
    /// The working set is solved. It carries the columns that have entered, whose part of the Gram is due; none where the
    /// loss weighs its Gram anew at every step.
    Solve(Option<Arc<Entering>>),
}

/// What a shard answers.
#[derive(Debug)]
pub enum Partial {
    /// Coordinate updates.
    Moves(Vec<Move>),
    /// What is compared of columns.
    Aspects(Vec<(u32, Aspect)>),
    /// Columns that enter.
    Entrants(Vec<Entrant>),
    /// New parts of the Gram.
    Tiles(Vec<Tile>),
    /// A share of the certificate.
    Share(Share),
}

/// What becomes visible.
#[derive(Debug)]
pub enum Change {
    /// Coordinate updates, by column.
    Moves(Vec<Move>),
    /// Columns that take the slots from `first` on.
    Enter {
        /// The first slot.
        first: u32,
        /// The columns' numbers.
        variables: Vec<u32>,
        /// Whether their Gram is wanted of the shards.
        has_gram: bool,
    },
    /// The working set's solution, its residual computed afresh.
    Solved(Solved),
    /// Where the run stands.
    Stage(Stage),
}

/// Where the run stands, as a boundary has concluded it.
#[derive(Debug, Clone, Copy)]
pub struct Stage {
    /// n times the lambda being solved.
    pub(crate) penalty: f64,
    /// Columns with |x_j'r| above this may enter the working set; none if there is no working set.
    pub(crate) floor: Option<f64>,
    /// How many violators a shard names.
    pub(crate) cap: usize,
}

raddle::state!(Stage { penalty, floor, cap });

/// What a shard says of itself at a boundary.
#[derive(Debug, Clone, Default)]
pub struct Share {
    /// The largest |x_j'r| of the columns without a coefficient.
    pub(crate) largest: f64,
    /// (column, x_j'r) of columns outside the working set that may enter it: the largest, in no order.
    pub(crate) violators: Vec<(u32, f64)>,
    /// Whether these are instead all columns outside it whose coefficient is not zero: they go first.
    pub(crate) strays: bool,
    /// (slot, x_j'r) of the working set's members here.
    pub(crate) members: Vec<(u32, f64)>,
    /// (column, coefficient) where it is not zero.
    pub(crate) nonzeros: Vec<(u32, f64)>,
    /// x_j'r of those.
    pub(crate) slopes: Vec<f64>,
    /// (column, importance) of all columns, where a schedule wants it.
    pub(crate) weights: Vec<(u32, f64)>,
}

raddle::state!(Share { largest, violators, strays, members, nonzeros, slopes, weights });

/// What a certificate needs to know of the boundary.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) residual: &'a [f64],
    pub(crate) sum: f64,
    /// Whether lambda is known: not at the first boundary.
    pub(crate) is_known: bool,
    /// The weight of |b|_1, scaled by n; 0 while lambda is not known.
    pub(crate) penalty: f64,
    /// The weight of |b|^2 / 2, likewise.
    pub(crate) ridge: f64,
    /// The curvature of a row: its bound, or the mean over the rows,
    pub(crate) curvature: f64,
    /// and, where there is no bound, each row's.
    pub(crate) local: Option<&'a [f64]>,
    /// Columns with |x_j'r| above this may enter the working set; none if there is no working set.
    pub(crate) floor: Option<f64>,
    /// At the first boundary of a cold fit, when lambda is not known: what the floor can be told from.
    pub(crate) first: Option<&'a Spec>,
    /// How many violators to name at most.
    pub(crate) cap: usize,
    pub(crate) weights: bool,
    /// Whether columns that provably stay below the floor need no product.
    pub(crate) lazy: bool,
    pub(crate) rows: &'a Rows,
    pub(crate) terms: &'a Terms,
}

impl Asked<'_> {
    /// The best value of column `j`'s coefficient, where it has the product `slope` with the residual and this squared norm.
    pub(crate) fn minimiser(&self, j: usize, slope: f64, before: f64, norm: f64) -> f64 {
        self.minimiser_at(j, slope, before, self.curvature * norm)
    }

    /// Where its quadratic of this curvature is least.
    fn minimiser_at(&self, j: usize, slope: f64, before: f64, curvature: f64) -> f64 {
        let ridge = self.ridge * self.terms.ridge(j);
        self.terms.clamp(j, soft_threshold(slope + curvature * before, self.penalty) / (curvature + ridge))
    }

    /// The value to which a round moves a coefficient: no score by more than 1 where curvature grows, and there by as much
    /// as it may.
    pub(crate) fn step(&self, j: usize, slope: f64, before: f64, norm: f64, column: View<'_>) -> f64 {
        let Some(weights) = self.local else { return self.minimiser(j, slope, before, norm) };
        let (norm, most) = column.weighed(weights);
        let after = self.minimiser_at(j, slope, before, std::f64::consts::E * norm.max(f64::MIN_POSITIVE));
        before + (after - before).clamp(-1.0 / most, 1.0 / most)
    }
}

/// One coordinate update: b_j becomes b_j + delta.
#[derive(Debug, Clone)]
pub struct Move {
    pub(crate) variable: u32,
    pub(crate) delta: f64,
    /// How far the fit moves: |delta| times the norm of the column.
    pub(crate) distance: f64,
    pub(crate) column: Column,
}

raddle::state!(Move { variable, delta, distance, column });

/// A column that enters the working set.
#[derive(Debug, Clone)]
pub struct Entrant {
    pub(crate) variable: u32,
    pub(crate) coefficient: f64,
    /// x_j'y.
    pub(crate) response: f64,
    /// x_j'r at the last certificate.
    pub(crate) gradient: f64,
    pub(crate) column: Column,
}

raddle::state!(Entrant { variable, coefficient, response, gradient, column });

/// Columns on their way into the working set.
#[derive(Debug)]
pub struct Entering {
    pub(crate) first: u32,
    pub(crate) columns: Vec<Column>,
}

raddle::state!(Entering { first, columns });

/// New rows of the Gram: for slot `from + i`, products with `slots` (dense), or with all slots up to it (sparse).
#[derive(Debug, Clone, Default)]
pub struct Tile {
    /// Which chains of rows it sums: the first, and how many. None where it holds whole products.
    pub(crate) chain: u32,
    pub(crate) chains: u32,
    /// The first new slot of this tile's rows.
    pub(crate) from: u32,
    /// How many rows.
    pub(crate) rows: u32,
    /// The slots of its columns.
    pub(crate) slots: Vec<u32>,
    /// Row by row.
    pub(crate) values: Vec<f64>,
}

raddle::state!(Tile { chain, chains, from, rows, slots, values });

raddle::state!(
    enum Partial {
        Moves(moves),
        Aspects(aspects),
        Entrants(entrants),
        Tiles(tiles),
        Share(share),
    }
);

raddle::state!(enum Change {
    Moves(moves),
    Enter { first, variables, has_gram },
    Solved(solved),
    Stage(stage),
});

raddle::state!(
    enum Phase {
        Moves,
        Enter,
        Solve(entering),
    }
);
