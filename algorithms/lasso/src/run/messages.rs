//! Messages between shards, the pinned block and the replicas: answers, changes, and their parts.

use std::sync::Arc;

use super::solution::Solved;
use crate::data::correlation::ColumnSketch;
use crate::data::design::Column;

/// Purpose of a round.
#[derive(Debug, Clone)]
pub enum Phase {
    /// Exact coordinate updates.
    Moves,
    /// Columns enter the working set.
    Enter,
    /// The working set is solved. Carries the columns that have entered, whose part of the Gram is still to
    /// be computed; `None` if the loss weights its Gram at every step.
    Solve(Option<Arc<EnteringBatch>>),
}

/// Answer of a shard.
#[derive(Debug)]
pub enum Partial {
    /// Coordinate updates.
    Moves(Vec<Move>),
    /// Sketches of columns, to be compared.
    Sketches(Vec<(u32, ColumnSketch)>),
    /// Columns that enter.
    Entering(Vec<EnteringColumn>),
    /// New parts of the Gram.
    Tiles(Vec<Tile>),
    /// A share of the certificate.
    Certificate(ShardCertificate),
}

/// A change that a round or boundary makes visible.
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
        /// `true` if the shards must compute the columns' part of the Gram.
        has_gram: bool,
    },
    /// The working set's solution, with its residual recomputed.
    Solved(Solved),
    /// The stage of the run for the next epoch.
    Stage(Stage),
}

/// The lambda and the thresholds of the next epoch, as a boundary has concluded them.
#[derive(Debug, Clone, Copy)]
pub struct Stage {
    /// n times the lambda being solved.
    pub(crate) penalty: f64,
    /// Columns with |x_j'r| above this may enter the working set; none if there is no working set.
    pub(crate) entry_threshold: Option<f64>,
    /// Largest number of violators that a shard names.
    pub(crate) max_violators: usize,
}

raddle::state!(Stage { penalty, entry_threshold, max_violators });

/// Certificate of one shard at a boundary.
#[derive(Debug, Clone, Default)]
pub struct ShardCertificate {
    /// The largest |x_j'r| of the columns without a coefficient.
    pub(crate) largest: f64,
    /// (column, x_j'r) of columns outside the working set that may enter it: the largest, in no order.
    pub(crate) violators: Vec<(u32, f64)>,
    /// `true` if `violators` are instead all columns outside the working set with a nonzero coefficient,
    /// which enter first.
    pub(crate) must_enter: bool,
    /// (slot, x_j'r) of the working set's members here.
    pub(crate) members: Vec<(u32, f64)>,
    /// (column, coefficient) where it is not zero.
    pub(crate) nonzeros: Vec<(u32, f64)>,
    /// x_j'r of the columns in `nonzeros`.
    pub(crate) slopes: Vec<f64>,
    /// (column, importance) of all columns, if the schedule needs it.
    pub(crate) weights: Vec<(u32, f64)>,
}

raddle::state!(ShardCertificate { largest, violators, must_enter, members, nonzeros, slopes, weights });

/// One coordinate update: b_j becomes b_j + delta.
#[derive(Debug, Clone)]
pub struct Move {
    pub(crate) variable: u32,
    pub(crate) delta: f64,
    /// Distance by which the fit moves: |delta| times the norm of the column.
    pub(crate) distance: f64,
    pub(crate) column: Column,
}

raddle::state!(Move { variable, delta, distance, column });

/// A column that enters the working set.
#[derive(Debug, Clone)]
pub struct EnteringColumn {
    pub(crate) variable: u32,
    pub(crate) coefficient: f64,
    /// x_j'y.
    pub(crate) response: f64,
    /// x_j'r at the last certificate.
    pub(crate) gradient: f64,
    pub(crate) column: Column,
}

raddle::state!(EnteringColumn { variable, coefficient, response, gradient, column });

/// Columns that are entering the working set.
#[derive(Debug)]
pub struct EnteringBatch {
    pub(crate) first: u32,
    pub(crate) columns: Vec<Column>,
}

raddle::state!(EnteringBatch { first, columns });

/// New rows of the Gram: for slot `from + i`, products with `slots` (dense), or with all slots up to it
/// (sparse).
#[derive(Debug, Clone, Default)]
pub struct Tile {
    /// First chain of rows that the tile sums; the next field is the number of chains, 0 if the tile has
    /// whole products.
    pub(crate) chain: u32,
    pub(crate) chains: u32,
    /// The first new slot of this tile's rows.
    pub(crate) from: u32,
    /// Number of rows.
    pub(crate) rows: u32,
    /// The slots of the tile's columns.
    pub(crate) slots: Vec<u32>,
    /// The products, row by row.
    pub(crate) values: Vec<f64>,
}

raddle::state!(Tile { chain, chains, from, rows, slots, values });

raddle::state!(
    enum Partial {
        Moves(moves),
        Sketches(sketches),
        Entering(columns),
        Tiles(tiles),
        Certificate(certificate),
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
